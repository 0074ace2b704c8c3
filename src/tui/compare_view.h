/* SPDX-License-Identifier: Apache-2.0 */
/* Two reports compared, and a compiled module tried: the output of ttmem diff and ttmem predict, to scroll through. */
#ifndef TTMEM_TUI_COMPARE_VIEW_H
#define TTMEM_TUI_COMPARE_VIEW_H

#include "tui/prompt.h"

/* The name of a run, and the word that opens it (work/open.h). */
struct compared {
    const char *name, *word;
};

/* ANSWER_BACK or ANSWER_END. */
enum answer compare_view(struct compared before, struct compared after);

/* The same for a TTNN module, a compiled binary, a folder of codegen, or a log with module dumps. */
enum answer predict_view(const char *path);

#endif
