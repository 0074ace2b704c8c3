/* SPDX-License-Identifier: Apache-2.0 */
/* /diff?a=ID&b=ID: two reports of the list, or runs of the history (run:ID), compared as ttmem diff --format html does. */
#ifndef TTMEM_SERVE_DIFF_ANSWER_H
#define TTMEM_SERVE_DIFF_ANSWER_H

#include "serve/catalog.h"
#include "serve/mhd.h"

#define DIFF_PATH "/diff"

/* Writes the page to `out`; false: `problem` says why in a sentence, for the reader. One at a time, because each holds two
 * runs in memory. */
bool diff_answer(struct strbuf *out, const struct catalog *catalog, struct MHD_Connection *connection, struct err *problem);

#endif
