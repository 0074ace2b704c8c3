/* SPDX-License-Identifier: Apache-2.0 */
/* Circular buffers of sources for the terminal. */
#ifndef TTMEM_RENDER_CB_SCAN_TEXT_H
#define TTMEM_RENDER_CB_SCAN_TEXT_H

#include "cb/study/cb_compare.h"
#include "base/term.h"

struct chip;

struct cb_scan_counts {
    size_t files_read;
    int64_t ns;
};

/* Writes every buffer of every file, or one line per file if `brief`. */
void cb_scan_text(struct strbuf *out, const struct term *term, struct cb_files files, const struct chip *chip,
                  const struct cb_scan_counts *counts, bool brief);
void cb_compare_text(struct strbuf *out, const struct term *term, const struct cb_comparison *comparison, const char *before,
                     const char *after);

/* "0", "16+24", "?" if unknown. */
void cb_indices_write(struct strbuf *out, const struct cb_decl *d);
/* "if a and not b  tensor-backed if c"; "" without conditions. Escaped for a terminal. */
void cb_conditions_write(struct strbuf *out, const struct term *term, const struct cb_decl *d);
const char *cb_kind_name(enum cb_kind kind);
const char *cb_strategy_name(enum cb_strategy strategy);

#endif
