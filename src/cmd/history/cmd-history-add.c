/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem history add: puts a run into the history. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cmd/line/emit.h"
#include "cmd/history/history_options.h"
#include "work/open.h"

/* The first of these variables of a CI system that is set. */
static const char *const commit_variables[] = {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", NULL};
static const char *const branch_variables[] = {"GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "GIT_BRANCH", NULL};
static const char *const job_variables[] = {"GITHUB_RUN_ID", "CI_JOB_ID", "BUILD_TAG", NULL};

static const char *first_set(const char *const *names) {
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && value[0]) return value;
    }
    return NULL;
}

/* The first line that git prints; nothing if there is no git or no repository. */
static void ask_git(struct strbuf *out, const char *command) {
    char line[512];
    FILE *pipe = popen(command, "re");
    if (!pipe) return;
    if (fgets(line, sizeof line, pipe)) {
        line[strcspn(line, "\n")] = '\0';
        strbuf_addz(out, line);
    }
    pclose(pipe);
}

struct surroundings {
    struct strbuf commit, branch;
    char host[256];
};

static void look_around(struct surroundings *s) {
    const char *commit = first_set(commit_variables), *branch = first_set(branch_variables);
    if (commit) strbuf_addz(&s->commit, commit);
    else ask_git(&s->commit, "git rev-parse HEAD 2>/dev/null");
    if (branch) strbuf_addz(&s->branch, branch);
    else ask_git(&s->branch, "git symbolic-ref --short HEAD 2>/dev/null");
    if (gethostname(s->host, sizeof s->host - 1) != 0) s->host[0] = '\0';
}

/* Labels that have their own columns. */
static struct slice *own_field(struct history_run *run, struct slice name) {
    if (slice_equal(name, SLICE("commit"))) return &run->commit;
    if (slice_equal(name, SLICE("branch"))) return &run->branch;
    if (slice_equal(name, SLICE("host"))) return &run->host;
    if (slice_equal(name, SLICE("job"))) return &run->job;
    if (slice_equal(name, SLICE("model"))) return &run->model;
    return NULL;
}

struct labels {
    struct history_label *items;
    size_t len, cap;
};

static int read_labels(const struct args *args, struct history_run *run, struct labels *labels, struct err *err) {
    for (size_t i = 0; i < args_count(args, "label"); i++) {
        struct slice text = slice_from(args_nth(args, "label", i));
        size_t equals = slice_find_byte(text, '=');
        if (equals == SLICE_NONE || !equals) return err_set(err, ERR_USAGE, "--label takes NAME=VALUE, not '%.60s'", text.ptr);
        struct history_label label = {slice_take(text, equals), slice_skip(text, equals + 1)};
        struct slice *field = own_field(run, label.name);
        if (field) {
            *field = label.value;
            continue;
        }
        for (size_t k = 0; k < labels->len; k++)
            if (slice_equal(labels->items[k].name, label.name))
                return err_set(err, ERR_USAGE, "the label '%.*s' is given twice", SLICE_FMT(label.name));
        vec_push(labels, label);
    }
    return 0;
}

static int tell(struct invocation *inv, const struct history_run *run, const char *store, bool added, struct err *err) {
    char id[HISTORY_ID_DIGITS + 1];
    struct strbuf text = {0};
    history_id_text(run->id, id);
    if (args_has(&inv->args, "json")) {
        struct json j = {.out = &text, .pretty = true};
        json_document(&j);
        json_member_text(&j, "id", id);
        json_member_bool(&j, "is_new", added);
        json_member_str(&j, "model", run->model);
        json_object_end(&j);
        strbuf_addc(&text, '\n');
    } else {
        strbuf_addf(&text, "%s\n", id);
        work_note(&inv->work, added ? "%.*s added to %s" : "%.*s is in %s already", SLICE_FMT(run->model), store);
    }
    int rc = emit_answer(inv, strbuf_slice(&text), false, err);
    strbuf_release(&text);
    return rc;
}

/* An absolute path names the same file from every folder. */
static void find_source(const struct invocation *inv, struct strbuf *out) {
    const char *word = inv->args.words.items[0];
    char *whole = strcmp(word, "-") == 0 ? NULL : realpath(word, NULL);
    size_t count = inv->args.words.len;
    if (count > 1) strbuf_addz(out, "files:");
    strbuf_addz(out, whole ? whole : word);
    if (count > 1) strbuf_addf(out, " and %zu more", count - 1);
    free(whole);
}

static int add(struct invocation *inv, const struct footprint *footprint, struct err *err) {
    struct surroundings around = {0};
    struct labels labels = {0};
    struct strbuf source = {0};
    const char *job = first_set(job_variables);
    look_around(&around);
    find_source(inv, &source);
    struct history_run run = {.name = footprint_text(footprint, footprint->name),
                              .model = footprint_text(footprint, footprint->name),
                              .commit = strbuf_slice(&around.commit),
                              .branch = strbuf_slice(&around.branch),
                              .host = slice_from(around.host),
                              .job = slice_from(job ? job : ""),
                              .chip = footprint_text(footprint, footprint->chip),
                              .source = strbuf_slice(&source)};
    bool added = false;
    int rc = read_labels(&inv->args, &run, &labels, err);
    struct store *store = rc == 0 ? history_store_open(&inv->work, true, err) : NULL;
    if (!store) rc = -1;
    if (rc == 0) rc = history_add(store, &run, labels.items, labels.len, footprint, args_has(&inv->args, "ops"), &added, err);
    if (rc == 0) rc = tell(inv, &run, store->name, added, err);
    history_close(store);
    vec_release(&labels);
    strbuf_release(&around.commit);
    strbuf_release(&around.branch);
    strbuf_release(&source);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    struct footprint footprint;
    const char *address;
    if (history_store_address(&inv->work, &address, err) != 0) return -1;
    if (open_footprint(&inv->work, inv->args.words.items[0], &footprint, err) != 0) return -1;
    int rc = add(inv, &footprint, err);
    footprint_release(&footprint);
    return rc;
}

static const struct option options[] = {
    {"label", 0, OPTION_LIST, "NAME=VALUE", "a label; model, commit, branch, host and job take the place of what was found"},
    {"ops", 0, OPTION_FLAG, NULL, "keep every op too, so that ttmem diff can align them"},
    OPTION_STORE,
    OPTION_JSON,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_history_add = {
    .name = "history add",
    .summary = "Add a run to the history",
    .synopsis = "RUN... [--label NAME=VALUE]... [--ops] [--store ADDRESS] [--last-run] [--device CHIP] [options]",
    .details = OPEN_HELP
    "\nPrints the run's id. Git commit and branch, host and CI job are taken from the environment. The same run with the\n"
    "same labels is added once.",
    .example = "ttmem history add model_profile.log --label batch=8",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
