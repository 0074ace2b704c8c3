/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two runs as text, markdown, JSON and a page, and the words that they share. */
#ifndef TTMEM_RENDER_DIFF_H
#define TTMEM_RENDER_DIFF_H

#include "analysis/compare/budget.h"
#include "analysis/compare/diff.h"
#include "base/term.h"

struct diff_request {
    const struct diff *diff;
    struct slice a, b;                  /* the user's names for the runs */
    const struct judgement *judgements; /* from --fail-on */
    size_t judgement_count;
    bool limited;
    size_t limit;               /* rows of each list if `limited`; 0: all */
    const struct diff *changed; /* for the rank whose DRAM peak changed most, if `diff` is about another one; or NULL */
    struct slice changed_rank;
};

/* Rows of a list to show; `usual` unless another number was requested. */
static inline size_t diff_shown(const struct diff_request *request, size_t count, size_t usual) {
    size_t most = !request->limited ? usual : request->limit ? request->limit : count;
    return count < most ? count : most;
}

void diff_text(struct strbuf *out, const struct term *term, const struct diff_request *request);
void diff_markdown(struct strbuf *out, const struct diff_request *request);
void diff_json(struct strbuf *out, const struct diff_request *request);
void diff_html(struct strbuf *out, const struct diff_request *request);

/* The words below are raw: the caller escapes them. */

/* "#41 ttnn.matmul  layers.3.mlp" or the name of an argument. */
void diff_tensor_title(struct strbuf *out, const struct diff *diff, const struct diff_tensor *row);

/* What changed: "bf16 -> f32", "8x128 -> 16x128"; for a tensor on one side its shape and dtype. `arrow` is " -> ". */
void diff_tensor_change(struct strbuf *out, const struct diff *diff, const struct diff_tensor *row, enum diff_cause cause,
                        const char *arrow);

/* "ttnn.linear -> ttnn.matmul, ttnn.add", "+ ttnn.add", "- ttnn.relu". */
void diff_rewrite_text(struct strbuf *out, const struct diff *diff, const struct diff_rewrite *rewrite, const char *arrow);

/* "5 ops only in the second run, from #10 ttnn.mean on: the first run ended before"; false: none. */
bool diff_unreached_words(struct strbuf *out, const struct diff *diff, bool of_second);

/* "dtype", "shape, padding": the causes of a tensor's change, the largest first. */
void diff_row_causes(struct strbuf *out, const struct diff_tensor *row);

/* "ttnn.matmul 256x256 bf16 -> 256x256 f32": with layout and grid if only these differ. */
void diff_retype_text(struct strbuf *out, const struct diff *diff, const struct diff_retype *retype, const char *arrow);

/* "moved ttnn.silu". The places are those of the first one. */
void diff_move_text(struct strbuf *out, const struct diff *diff, const struct diff_move *move);

/* "rounding" of the printed figures explains a rest of at most this much: each peak is rounded to a thousandth of a MB. */
enum { DIFF_ROUNDING_BYTES = 1049 };

/* "activation", ..., "all". */
const char *diff_class_words(const struct diff_part *part);

/* What else is worth a line; false if there is nothing to say. */
bool diff_failure_words(struct strbuf *out, const struct diff *diff, bool of_second); /* "fragmented at line 12, in #4 ..." */
/* "at least 3.499", or without the words if every op was measured; and why it is a lower bound; NULL if it is not one. */
void diff_peak(struct strbuf *out, const struct footprint_pool *pool);
/* The unit of its figures: "bank", or "core" if one of the runs allocates L1 per core. */
const char *diff_unit(const struct diff *d, enum pool pool);
const char *diff_bound_words(const struct footprint_pool *pool);

/* "main, #120 to #179, DRAM 1.234 MB per bank as it starts, 1.300 before the op after it"; false for a whole run. */
bool diff_pass_words(struct strbuf *out, const struct diff *diff, bool of_second);
bool diff_growth_words(struct strbuf *out, const struct diff *diff, const char *arrow); /* what passes leave behind */
bool diff_host_words(struct strbuf *out, const struct diff *diff, const char *arrow);   /* memory of processes on the host */
bool diff_config_words(struct strbuf *out, const struct diff *diff, enum pool pool, const char *arrow); /* banks, capacity */
/* Ranks that both runs have, by their tags or the numbers at the end of these, largest change of the DRAM peak first;
 * nothing unless both have the same ones, two or more. The caller frees it. */
struct diff_rank {
    uint32_t rank;         /* in the second run */
    uint32_t a_name, name; /* of the texts of each */
    uint32_t a, b;         /* peaks, thousandths of a MB per bank */
    bool a_bound, b_bound; /* they may have been higher */
};
enum { DIFF_RANKS_SHOWN = 6 };
size_t diff_by_rank(const struct diff *diff, struct diff_rank **rows);
/* "1,7", or "7 -> 1,7" if its names differ. */
void diff_rank_name(struct strbuf *out, const struct diff *diff, const struct diff_rank *row, const char *arrow);
/* For runs of several ranks: which of them the figures are about, and whether they are compared one by one. */
bool diff_ranks_words(struct strbuf *out, const struct diff *diff, const char *arrow);

/* "+6.0%" of the first peak; nothing if that is 0 and the second is not. */
void diff_percent(struct strbuf *out, const struct diff *diff, enum pool pool);

/* The shortest form: "DRAM peak +48.786 MB per bank (+6.0%): mostly activation, dtype". */
void diff_headline(struct strbuf *out, const struct diff *diff);

#endif
