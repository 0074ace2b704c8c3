/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem l1 scan, also called cb scan: the buffers in L1 that host sources declare. */
#include "base/json_write.h"
#include "base/mem.h"
#include "cb/files/cb_tree.h"
#include "cmd/cb/cb_options.h"
#include "cmd/line/emit_ci.h"
#include "device/chip.h"
#include "cb/show/cb_sarif.h"
#include "cb/show/cb_scan_json.h"
#include "cb/show/cb_scan_text.h"
#include "render/format/json_parts.h"
#include "work/checkout.h"

enum { BRIEF_FROM = 8 }; /* with this many files or more, each gets one line */

static void version_json(struct json *j, const char *name, const struct cb_version *v) {
    json_key(j, name);
    json_object(j);
    json_member_u64(j, "buffer_count", v->buffers);
    json_member_u64(j, "file_count", v->files);
    cb_bounds_json(j, v->min_bytes, v->max_bytes, v->bounded);
    json_object_end(j);
}

/* One side of a change; null if the buffer does not exist. */
static void side_json(struct json *j, const char *key, const struct cb_decl *d) {
    json_key(j, key);
    if (!d) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_i64_if(j, "total_bytes", cb_decl_cost(d) >= 0, cb_decl_cost(d));
    json_member_str(j, "total_size_folded", d->total_folded);
    json_member_text(j, "strategy", cb_strategy_name(d->strategy));
    json_object_end(j);
}

static void comparison_json(struct json *j, const struct cb_comparison *c) {
    static const char *const kinds[] = {
        [CB_ADDED] = "added", [CB_REMOVED] = "removed", [CB_RESIZED] = "resized", [CB_STRATEGY] = "strategy"};
    json_key(j, "comparison");
    if (!c) {
        json_null(j);
        return;
    }
    json_object(j);
    json_key(j, "changes");
    json_array(j);
    for (size_t i = 0; i < c->changes.len; i++) {
        const struct cb_change *change = &c->changes.items[i];
        const struct cb_decl *d = change->after ? change->after : change->before;
        json_object(j);
        json_member_text(j, "kind", kinds[change->kind]);
        json_member_str(j, "path", (change->after ? change->after_file : change->before_file)->path);
        json_member_u64(j, "line", d->line);
        json_key(j, "indices");
        json_array(j);
        for (uint32_t k = 0; k < d->n_indices; k++) {
            if (d->indices[k].index >= 0) json_i64(j, d->indices[k].index);
            else json_null(j);
        }
        json_array_end(j);
        side_json(j, "before", change->before);
        side_json(j, "after", change->after);
        json_object_end(j);
    }
    json_array_end(j);
    version_json(j, "before", &c->before);
    version_json(j, "after", &c->after);
    json_object_end(j);
}

struct scan {
    struct cb_tree tree, other;
    bool compares;
    struct cb_comparison comparison;
};

static int scan_all(struct invocation *inv, struct scan *scan, const struct cb_tree_options *options, struct err *err) {
    static const char *const here[] = {"."};
    const char *const *paths = inv->args.words.len ? (const char *const *)inv->args.words.items : here;
    size_t n = inv->args.words.len ? inv->args.words.len : 1;
    const char *against = args_text(&inv->args, "against");
    if (against && n != 1) return err_set(err, ERR_USAGE, "--against takes one path, not %zu", n);
    if (cb_tree_scan(&scan->tree, paths, n, options, err) != 0) return -1;
    if (!against) return 0;
    if (cb_tree_scan(&scan->other, &against, 1, options, err) != 0) return -1;
    scan->compares = true;
    bool single = scan->tree.files_read == 1 && scan->other.files_read == 1;
    cb_tree_relative(&scan->tree, paths[0]);
    cb_tree_relative(&scan->other, against);
    cb_compare(&scan->comparison, (struct cb_files){scan->other.files.items, scan->other.files.len},
               (struct cb_files){scan->tree.files.items, scan->tree.files.len}, single);
    return 0;
}

static void write_result(struct invocation *inv, struct strbuf *text, const struct scan *scan, const struct chip *chip) {
    const struct cb_tree *tree = &scan->tree;
    struct cb_files files = {tree->files.items, tree->files.len};
    if (args_has(&inv->args, "json")) {
        struct json j = {.out = text, .pretty = true};
        json_document(&j);
        json_key(&j, "files");
        json_array(&j);
        for (size_t i = 0; i < files.len; i++) cb_file_json(&j, &files.items[i], chip);
        json_array_end(&j);
        json_member_u64(&j, "read_file_count", tree->files_read);
        json_member_text(&j, "arch", chip->arch);
        comparison_json(&j, scan->compares ? &scan->comparison : NULL);
        json_object_end(&j);
        strbuf_addc(text, '\n');
    } else if (scan->compares) {
        const char *before = args_text(&inv->args, "against");
        cb_compare_text(text, &inv->work.out, &scan->comparison, before, inv->args.words.len ? inv->args.words.items[0] : ".");
    } else {
        struct cb_scan_counts counts = {tree->files_read, tree->ns};
        bool brief = files.len >= BRIEF_FROM && !args_has(&inv->args, "detail");
        cb_scan_text(text, &inv->work.out, files, chip, &counts, brief);
    }
}

/* Code scanning and GitLab identify files by their paths in the checkout, whatever the working folder. */
static void name_by_checkout(struct cb_ci_findings *all) {
    struct strbuf root = {0}, path = {0};
    checkout_root(&root);
    for (size_t i = 0; root.len && i < all->items.len; i++) {
        struct ci_finding *finding = &all->items.items[i];
        const char *given = arena_text(&all->arena, finding->path);
        strbuf_clear(&path);
        checkout_relative(strbuf_text(&root), given, &path);
        finding->path = arena_copy(&all->arena, strbuf_slice(&path));
    }
    strbuf_release(&root);
    strbuf_release(&path);
}

/* Writes the findings for code scanning and for GitLab, each to its file. */
static int write_findings(struct invocation *inv, const struct cb_tree *tree, struct err *err) {
    if (!args_has(&inv->args, "sarif") && !args_has(&inv->args, "codequality")) return 0;
    struct cb_ci_findings all;
    cb_findings_make(&all, (struct cb_files){tree->files.items, tree->files.len});
    name_by_checkout(&all);
    int rc = emit_findings(inv, &all.findings, SLICE("."), err);
    cb_findings_release(&all);
    return rc;
}

/* A folder without sources has no findings either: with --fail-on, that must not pass for "all is well". */
static int check_sources(const struct invocation *inv, const struct scan *scan, bool must, struct err *err) {
    if (scan->tree.files_read) return 0;
    const char *path = inv->args.words.len ? inv->args.words.items[0] : ".";
    const char *more = inv->args.words.len > 1 ? " and the other paths" : "";
    if (must) return err_set(err, ERR_LACKS, "no C++ or Python source in '%.200s'%s: nothing to judge", path, more);
    work_note(&inv->work, "no C++ or Python source in '%.200s'%s", path, more);
    return 0;
}

/* --fail-on: 1 if there is a finding of that severity or worse. */
static int status_of(const struct scan *scan, const char *fail_on) {
    if (!fail_on) return 0;
    enum cb_severity from = strcmp(fail_on, "error") == 0 ? CB_ERROR : CB_WARNING;
    for (size_t i = 0; i < scan->tree.files.len; i++)
        for (size_t k = 0; k < scan->tree.files.items[i].findings.len; k++)
            if (cb_finding_severity(scan->tree.files.items[i].findings.items[k].kind) >= from) return 1;
    return 0;
}

static int run(struct invocation *inv, struct err *err) {
    const char *fail_on = args_text(&inv->args, "fail-on");
    if (fail_on && strcmp(fail_on, "warning") != 0 && strcmp(fail_on, "error") != 0)
        return err_set(err, ERR_USAGE, "--fail-on takes warning or error, not '%s'", fail_on);
    struct cb_tree_options options = {.progress = inv->work.progress};
    options.chip = cb_chip(&inv->args, err);
    struct cb_set *sets = NULL;
    if (!options.chip || cb_sets_parse(&inv->args, &sets, &options.n_sets, err) != 0) return -1;
    options.sets = sets;
    options.n_includes = args_count(&inv->args, "include");
    const char **includes = mem_zalloc(options.n_includes + 1, sizeof *includes);
    for (size_t i = 0; i < options.n_includes; i++) includes[i] = args_nth(&inv->args, "include", i);
    options.includes = includes;
    struct scan scan = {0};
    struct strbuf text = {0};
    int rc = scan_all(inv, &scan, &options, err);
    if (rc == 0) {
        uint64_t used = scan.tree.sets_used | scan.other.sets_used;
        for (size_t i = 0; i < options.n_sets; i++)
            if (i >= 64 || !(used >> i & 1)) cb_set_unused(inv, &sets[i]);
        write_result(inv, &text, &scan, options.chip);
        rc = emit_answer(inv, strbuf_slice(&text), !args_has(&inv->args, "json"), err);
        if (rc == 0) rc = write_findings(inv, &scan.tree, err);
        if (rc == 0) rc = check_sources(inv, &scan, fail_on, err);
        if (rc == 0) rc = status_of(&scan, fail_on);
    }
    strbuf_release(&text);
    if (scan.compares) cb_comparison_release(&scan.comparison);
    cb_tree_release(&scan.tree);
    cb_tree_release(&scan.other);
    free(includes);
    free(sets);
    return rc;
}

static const struct option options[] = {
    {"against", 0, OPTION_TEXT, "PATH", "compare with another version of the file or folder: what was added, removed, changed"},
    {"set", 0, OPTION_LIST, "NAME=VALUE", "a value for what the source leaves open: a number, true, false or a data format"},
    OPTION_DEVICE("wormhole (default), blackhole, grayskull, quasar, or a board"),
    {"fail-on", 0, OPTION_TEXT, "SEVERITY", "exit with 1 when there is a finding of at least this severity: warning or error"},
    OPTIONS_FINDINGS("the findings"),
    {"include", 0, OPTION_LIST, "FOLDER", "another folder to search for headers and kernels"},
    {"detail", 0, OPTION_FLAG, NULL, "list every buffer even when there are many files"},
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_END,
};

#define SCAN(called, what)                                                                                                  \
    {                                                                                                                       \
        .name = called, .summary = what,                                                                                    \
        .synopsis = "[PATH...] [--against PATH] [--set NAME=VALUE] [--fail-on SEVERITY] [--sarif FILE] [--json] [options]", \
        .details =                                                                                                          \
            "PATH is a source or a folder; without one, the working directory. Bytes are bounds that hold whatever\n"       \
            "branches are taken: N, N to M, or at least N. What stays open is shown as an expression with its free\n"       \
            "names, and --set gives them values.",                                                                          \
        .example = "ttmem " called " matmul_program_factory.cpp --set per_core_M=4", .options = options, .max_words = 1000, \
        .run = run,                                                                                                         \
    }

const struct command cmd_l1_scan = SCAN("l1 scan", "List the L1 buffers that host sources declare");
const struct command cmd_cb_scan = SCAN("cb scan", "List L1 buffers in host sources: the older name of l1 scan");
