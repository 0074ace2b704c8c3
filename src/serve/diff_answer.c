/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/diff_answer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "render/compare/diff.h"
#include "store/history.h"
#include "work/open.h"

#define RUN_PREFIX "run:"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* Only reports in the list can be named: no path leads elsewhere. */
static const struct catalog_entry *entry_of(const struct catalog *catalog, const char *id, struct err *problem) {
    for (size_t i = 0; id && i < catalog->entries.len; i++)
        if (strcmp(catalog->entries.items[i].id, id) == 0) return &catalog->entries.items[i];
    if (id) err_set(problem, ERR_LACKS, "no report in the list is called '%s'", id);
    else err_set(problem, ERR_LACKS, "name two reports: /diff?a=NAME&b=NAME");
    return NULL;
}

/* A side of the comparison: a report of the list, or "run:ID", a run of the history. */
struct answer_side {
    const struct catalog_entry *entry; /* NULL: a run of the history */
    const char *name;
};

static bool side_of(struct answer_side *side, const struct catalog *catalog, struct MHD_Connection *connection, const char *key,
                    struct err *problem) {
    const char *word = mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, key);
    if (word && strncmp(word, RUN_PREFIX, strlen(RUN_PREFIX)) == 0) {
        *side = (struct answer_side){.name = word + strlen(RUN_PREFIX)};
        bool whole = strlen(side->name) == HISTORY_ID_DIGITS && strspn(side->name, "0123456789abcdef") == HISTORY_ID_DIGITS;
        return whole || err_set(problem, ERR_LACKS, "no run of the history has the id '%.40s'", side->name) == 0;
    }
    *side = (struct answer_side){.entry = entry_of(catalog, word, problem)};
    side->name = side->entry ? side->entry->id : NULL;
    return side->entry;
}

static int open_run_of(const char *word, struct footprint *out, struct err *problem) {
    struct store *store = history_open(getenv("TTMEM_STORE"), false, problem);
    if (!store) return -1;
    int64_t id;
    int rc = history_find(store, word, &id, problem);
    if (rc == 0) rc = history_footprint(store, id, out, problem);
    history_close(store);
    return rc;
}

/* By its own file, because a folder may contain another report too. */
static int open_entry(const struct catalog_entry *entry, struct footprint *out, struct err *problem) {
    if (catalog_has_link(entry)) return err_set(problem, ERR_LACKS, "%s holds links, which are not followed here", entry->id);
    struct work work = {.quiet = true};
    struct strbuf path = {0};
    strbuf_addz(&path, entry->folder);
    if (entry->have[FILE_SUMMARY]) strbuf_addf(&path, "/%s%s", entry->name, report_suffixes[FILE_SUMMARY]);
    int rc = open_footprint(&work, strbuf_text(&path), out, problem);
    strbuf_release(&path);
    return rc;
}

static int open_side(const struct answer_side *side, struct footprint *out, struct err *problem) {
    return side->entry ? open_entry(side->entry, out, problem) : open_run_of(side->name, out, problem);
}

bool diff_answer(struct strbuf *out, const struct catalog *catalog, struct MHD_Connection *connection, struct err *problem) {
    struct answer_side first, second;
    if (!side_of(&first, catalog, connection, "a", problem) || !side_of(&second, catalog, connection, "b", problem))
        return false;
    struct footprint a = {0}, b = {0};
    pthread_mutex_lock(&one_at_a_time);
    int rc = open_side(&first, &a, problem);
    if (rc == 0) rc = open_side(&second, &b, problem);
    if (rc == 0) {
        struct diff diff;
        diff_make(&a, &b, &diff);
        struct diff_request request = {.diff = &diff, .a = slice_from(first.name), .b = slice_from(second.name)};
        diff_html(out, &request);
        diff_release(&diff);
    }
    footprint_release(&a);
    footprint_release(&b);
    pthread_mutex_unlock(&one_at_a_time);
    return rc == 0;
}
