/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/diff_answer.h"

#include <pthread.h>
#include <string.h>

#include "render/compare/diff.h"
#include "work/open.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* Only what is in the list can be named: no path leads elsewhere. */
static const struct catalog_entry *entry_of(const struct catalog *catalog, struct MHD_Connection *connection, const char *key,
                                            struct err *problem) {
    const char *id = mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, key);
    for (size_t i = 0; id && i < catalog->entries.len; i++)
        if (strcmp(catalog->entries.items[i].id, id) == 0) return &catalog->entries.items[i];
    err_set(problem, ERR_LACKS, "no report of the list is called %s", id ? id : "nothing: /diff?a=NAME&b=NAME");
    return NULL;
}

/* By a file of its own: a folder may hold another report too. */
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

bool diff_answer(struct strbuf *out, const struct catalog *catalog, struct MHD_Connection *connection, struct err *problem) {
    const struct catalog_entry *first = entry_of(catalog, connection, "a", problem);
    const struct catalog_entry *second = first ? entry_of(catalog, connection, "b", problem) : NULL;
    if (!second) return false;
    struct footprint a = {0}, b = {0};
    pthread_mutex_lock(&one_at_a_time);
    int rc = open_entry(first, &a, problem);
    if (rc == 0) rc = open_entry(second, &b, problem);
    if (rc == 0) {
        struct diff diff;
        diff_make(&a, &b, &diff);
        struct diff_request request = {.diff = &diff, .a = slice_from(first->id), .b = slice_from(second->id)};
        diff_html(out, &request);
        diff_release(&diff);
    }
    footprint_release(&a);
    footprint_release(&b);
    pthread_mutex_unlock(&one_at_a_time);
    return rc == 0;
}
