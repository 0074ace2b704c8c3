/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/predicted.h"

bool footprint_is_predicted(const struct footprint *f) {
    return slice_ends(footprint_text(f, f->name), SLICE(PREDICTED_ENDING));
}

void add_predicted_note(struct strbuf *out, const struct term *term, const struct run *run) {
    if (!run_is_predicted(run)) return;
    term_tone(out, term, TONE_DIM);
    strbuf_addz(out, "\n  Predicted from the compiled module: nothing ran.\n");
    term_tone(out, term, TONE_PLAIN);
}
