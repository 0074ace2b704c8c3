/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/predicted.h"

#include "base/amounts.h"

void add_predicted_note(struct strbuf *out, const struct term *term, const struct run *run) {
    if (!run_is_predicted(run)) return;
    term_tone(out, term, TONE_DIM);
    strbuf_addz(out, "\n  Predicted from the compiled module: nothing ran.\n");
    term_tone(out, term, TONE_PLAIN);
}

void add_bounds_note(struct strbuf *out, const struct term *term, const struct run *run) {
    if (!run_is_bounded(run)) return;
    term_tone(out, term, TONE_DIM);
    if (run->inspector && run->inspector->bounded)
        strbuf_addf(
            out,
            "\n  Of %s of %s buffers the bytes per bank are lower bounds: amounts are at least as large as shown, free\n"
            "  memory and its largest free block at most, changes either way.\n",
            figure_grouped(run->inspector->bounded).text, figure_grouped(run->inspector->buffers).text);
    else
        strbuf_addf(
            out,
            "\n  %s: amounts are at least as large as shown, free\n  memory and its largest free block at most, changes either "
            "way.\n",
            run->unread_pools       ? "Parts of the input could not be read"
            : run->one_thread_pools ? "With tt-metal from 2026-05-27 on, only one thread is counted"
                                    : "The number of banks that L1 buffers lie on is not known");
    term_tone(out, term, TONE_PLAIN);
}
