/* SPDX-License-Identifier: Apache-2.0 */
/* The list of reports: sort, search, open, compare two, delete. */
#ifndef TTMEM_TUI_BROWSE_H
#define TTMEM_TUI_BROWSE_H

#include "store/listing.h"
#include "tui/prompt.h"

/* What the user wants to do with a report. */
enum browse_wish { BROWSE_VIEW, BROWSE_SERVE, BROWSE_COMPARE };

/* ANSWER_OK with the report to open, which the caller frees with its listing. `can_serve`: pages can be opened. */
struct browse {
    struct listing listing;
    const struct listed_report *chosen;
    const struct listed_report *marked[2]; /* to be compared, NULL: none; the first is the earlier one */
    enum browse_wish wish;
    bool can_serve;
    /* Remembered, so that the list is unchanged after a report is closed. */
    size_t sort_column;
    bool reversed;
    struct strbuf selected; /* folder of the report */
};

enum answer browse_run(struct browse *browse);
void browse_release(struct browse *browse);

#endif
