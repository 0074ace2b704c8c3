/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a TTNN module or a compiled binary, replayed as two programs of one process, with and without the program cache,
 * and shown in both forms, with what would make it fit. The memory that is left when the counts are done must be what is alive.
 */
#include <stdint.h>
#include <stdlib.h>

#include "predict/fit/module_kinds.h"
#include "predict/ir/pieces.h"
#include "predict/show/show.h"
#include "render/fit/fit_report.h"

enum { MOST_PROGRAMS = 8 };

static void refuse_wrong_sums(const struct replay *r) {
    uint64_t alive[POOL_COUNT] = {0};
    for (size_t i = 0; i < r->memory.buffers.len; i++)
        if (r->memory.buffers.items[i].live) alive[r->memory.buffers.items[i].pool] += r->memory.buffers.items[i].bytes;
    for (int pool = 0; pool < POOL_COUNT; pool++) {
        uint64_t sum = 0;
        for (int c = 0; c < MEMORY_CLASSES; c++) sum += r->memory.sums[pool].bytes[c];
        if (sum != alive[pool] || sum != r->memory.pools[pool].allocated) abort();
    }
}

/* The trace of the modules through the allocator has the verdict of the prediction, and changes can be tried on it. */
static void try_changes(struct prediction *p) {
    struct module_source source;
    struct fit fit;
    struct strbuf out = {0};
    struct term term = {0};
    module_source_init(&source, p, POOL_DRAM);
    if (source.base.trace.events.len) {
        struct fit_source of = module_fit_source(&source);
        bool fits = !p->replay.memory.failures || p->replay.memory.failure.pool != POOL_DRAM;
        fit_begin(&fit, &source.base.trace, &of, (struct fit_target){0});
        if (!fit.base.cut && fit.base.fits != fits) abort(); /* what is not whole has no verdict */
        if (!fits && fit.base.largest != p->replay.memory.failure.largest) abort();
        fit.budget = 20000;
        fit_list(&fit, module_kinds);
        fit_try_all(&fit);
        struct fit_report report = {.fit = &fit, .name = SLICE("fuzz"), .predicted = true};
        fit_report_text(&out, &term, &report);
        fit_report_json(&out, &report);
        fit_release(&fit);
    }
    strbuf_release(&out);
    module_source_release(&source);
}

/* The modules of the text, which are all of it, and again. */
static void add_twice(struct forms *forms, struct slice text) {
    struct module_pieces pieces = {0};
    const char *end = text.ptr;
    module_pieces_find(&pieces, text);
    for (size_t i = 0; i < 2 * pieces.list.len; i++) {
        const struct module_piece *piece = &pieces.list.items[i % pieces.list.len];
        if (i < pieces.list.len && piece->text.ptr != end) abort();
        end = piece->text.ptr + piece->text.len;
        struct form_program program = {
            .text = piece->text, .path = "fuzz", .execution = NONE, .lines_before = piece->lines_before};
        if (i < MOST_PROGRAMS) vec_push(&forms->programs, program);
    }
    if (end != text.ptr + text.len) abort();
    module_pieces_release(&pieces);
}

static void predict(struct slice text, bool cache) {
    struct prediction p = {0};
    struct err err;
    struct predict_options options = {.between = cache ? BETWEEN_KEEP : BETWEEN_DROP, .between_given = true};
    options.replay.no_program_cache = !cache;
    options.replay.keep_going = cache;
    options.replay.most_ops = 20000;
    add_twice(&p.forms, text);
    if (prediction_make(&p, &options, &err) == 0) {
        struct strbuf out = {0};
        struct what_ifs tried = {0};
        struct term term = {0};
        refuse_wrong_sums(&p.replay);
        struct show show = {.prediction = &p, .tried = &tried, .per_op = true};
        show_text(&out, &term, &show);
        show_json(&out, &show);
        strbuf_release(&out);
        if (!cache) try_changes(&p);
    }
    prediction_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice text = slice_of((const char *)data, size);
    if (form_is_binary(text)) text = form_binary_text(text);
    predict(text, true);
    predict(text, false);
    return 0;
}
