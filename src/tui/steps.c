/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/steps.h"

struct paragraph {
    enum tone tone;
    const char *text;
};

static const struct paragraph paragraphs[] = {
    {TONE_BOLD, "1  Build TT-XLA so that the lines exist"},
    {TONE_PLAIN, "   Op, program and memory lines need TT_RUNTIME_DEBUG=ON:"},
    {TONE_PLAIN, "   the debug preset sets it, CMAKE_BUILD_TYPE=Debug alone does not."},
    {TONE_GOOD, "     cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Debug -DTT_RUNTIME_DEBUG=ON"},
    {TONE_GOOD, "     cmake --build build"},
    {TONE_PLAIN, ""},
    {TONE_BOLD, "2  Switch them on"},
    {TONE_GOOD, "     export TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG   # ops, programs"},
    {TONE_GOOD, "     export TT_RUNTIME_MEMORY_LOG_LEVEL=all     # memory at each op and submit"},
    {TONE_GOOD, "     export TTXLA_LOGGER_LEVEL=DEBUG            # modules: weights, IR"},
    {TONE_DIM, "   TT-XLA reads the second from 2025-12-02 on; with an older one, or another"},
    {TONE_DIM, "   front end, call tt::runtime::setMemoryLogLevel(MemoryLogLevel::Operation)."},
    {TONE_DIM, "   Leave TTMLIR_RUNTIME_LOGGER_FILE and _TYPES unset: they take lines away."},
    {TONE_PLAIN, ""},
    {TONE_BOLD, "3  Run the model and keep all it prints"},
    {TONE_GOOD, "     ttmem run -- python3 -u model.py           # step 2, and the report"},
    {TONE_GOOD, "     python3 -u model.py > model_profile.log 2>&1"},
    {TONE_PLAIN, ""},
    {TONE_BOLD, "4  See whether the log holds what is needed"},
    {TONE_PLAIN, "   Press t and name the log, or: ttmem info model_profile.log"},
};

void steps_text(struct strbuf *out, const struct term *term) {
    for (size_t i = 0; i < sizeof paragraphs / sizeof *paragraphs; i++) {
        bool toned = paragraphs[i].tone != TONE_PLAIN;
        if (toned) term_tone(out, term, paragraphs[i].tone);
        strbuf_addz(out, paragraphs[i].text);
        if (toned) term_tone(out, term, TONE_PLAIN);
        strbuf_addc(out, '\n');
    }
}
