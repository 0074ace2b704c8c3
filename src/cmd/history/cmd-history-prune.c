/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem history prune: removes runs. */
#include <time.h>

#include "cmd/history/history_options.h"

struct ids {
    int64_t *items;
    size_t len, cap;
};

static int named_runs(struct invocation *inv, struct store *store, struct ids *ids, struct err *err) {
    for (size_t i = 0; i < inv->args.words.len; i++) {
        int64_t id;
        if (history_find(store, inv->args.words.items[i], &id, err) != 0) return -1;
        vec_push(ids, id);
    }
    return 0;
}

/* Runs older than an age, and all but the newest N of each model. */
static int old_runs(struct invocation *inv, struct store *store, int64_t before, uint64_t keep, struct ids *ids,
                    struct err *err) {
    struct history_filter filter = {.model = args_text(&inv->args, "model"), .branch = args_text(&inv->args, "branch")};
    struct history_list list = {0};
    struct map counts = {0}; /* runs seen of each model, newest first */
    if (keep == UINT64_MAX) filter.before = before;
    int rc = history_list(store, &filter, &list, err);
    if (rc == 0) rc = history_whole(store, err);
    for (size_t i = 0; rc == 0 && i < list.runs.len; i++) {
        const struct history_run *run = &list.runs.items[i].run;
        bool added;
        uint32_t *newer = map_at(&counts, hash_bytes(run->model), &added);
        bool surplus = (*newer)++ >= keep, old = before && run->added < before;
        /* with both options a run must be old and beyond the number to keep */
        if (before && keep != UINT64_MAX ? surplus && old : surplus || old) vec_push(ids, run->id);
    }
    history_list_release(&list);
    map_release(&counts);
    return rc;
}

/* By age alone: months that had ended by then are removed as a whole, if the store has months. */
static int choose(struct invocation *inv, struct store *store, struct ids *ids, int64_t *in_months, struct err *err) {
    const struct args *args = &inv->args;
    const char *older = args_text(args, "older-than");
    uint64_t keep;
    int64_t age = 0, before = 0;
    *in_months = 0;
    if (args->words.len) return named_runs(inv, store, ids, err);
    if (args_number(args, "keep", UINT64_MAX, &keep, err) != 0) return -1;
    if (older && history_age("older-than", older, &age, err) != 0) return -1;
    if (older) before = (int64_t)time(NULL) * 1000000 - age;
    bool by_age = before && keep == UINT64_MAX && !args_has(args, "model") && !args_has(args, "branch");
    if (by_age && history_leave_months(store, before, in_months, err) != 0) return -1;
    return old_runs(inv, store, before, keep, ids, err);
}

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    bool rules = args_has(args, "keep") || args_has(args, "older-than");
    if (rules == (args->words.len > 0))
        return err_set(err, ERR_USAGE, "say what to remove: ids of runs, --keep N or --older-than AGE");
    struct ids ids = {0};
    int64_t in_months = 0, earlier = 0;
    struct store *store = history_store_open(&inv->work, false, err); /* opened to write, one that is not there would be made */
    if (!store) return -1;
    history_close(store);
    store = history_store_open(&inv->work, true, err);
    int rc = store ? choose(inv, store, &ids, &in_months, err) : -1;
    bool dry = args_has(args, "dry-run");
    if (rc == 0 && ids.len && !dry) rc = history_remove(store, ids.items, ids.len, err);
    if (rc == 0 && rules && !dry) rc = history_tidy(store, &earlier, err);
    int64_t count = (int64_t)ids.len + in_months + earlier;
    if (rc == 0)
        work_note(&inv->work, "%lld %s %s", (long long)count, count == 1 ? "run" : "runs",
                  dry ? "would be removed" : "removed");
    history_close(store);
    vec_release(&ids);
    return rc;
}

static const struct option options[] = {
    {"keep", 0, OPTION_TEXT, "N", "remove all but the newest N of each model"},
    {"older-than", 0, OPTION_TEXT, "AGE", "remove what is older: 90d, 26w; with --keep, only runs that both would remove"},
    {"model", 0, OPTION_TEXT, "NAME", "only runs of this model"},
    {"branch", 0, OPTION_TEXT, "NAME", "only runs of this branch"},
    {"dry-run", 0, OPTION_FLAG, NULL, "only say how many"},
    OPTION_STORE,
    OPTIONS_END,
};

const struct command cmd_history_prune = {
    .name = "history prune",
    .summary = "Remove runs from the history",
    .synopsis = "ID... | [--keep N] [--older-than AGE] [--model NAME] [--branch NAME] [--dry-run] [options]",
    .details = "ID is the id that history list shows; its first characters are enough, if no other id begins with them.",
    .example = "ttmem history prune --keep 200 --older-than 90d",
    .options = options,
    .max_words = 1000,
    .run = run,
};
