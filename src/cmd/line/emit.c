/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/line/emit.h"

#include <unistd.h>

#include "base/outfile.h"

static int print_fitted(const struct term *term, struct slice text, struct err *err) {
    struct strbuf fitted = {0};
    term_fit_lines(&fitted, term, text);
    int rc = write_all(STDOUT_FILENO, strbuf_slice(&fitted), err);
    strbuf_release(&fitted);
    return rc;
}

/* The one answer of a process that runs one command. */
static bool answered;

bool emit_answered(void) { return answered; }

int emit_to(const struct invocation *inv, const char *path, struct slice text, bool fit, struct err *err) {
    bool to_stdout = !path || strcmp(path, "-") == 0;
    if (to_stdout && inv->answer) {
        strbuf_add(inv->answer, text);
        return 0;
    }
    answered |= to_stdout;
    int rc = fit && to_stdout ? print_fitted(&inv->work.out, text, err) : outfile_put(to_stdout ? "-" : path, text, err);
    bool closed_pipe = rc != 0 && to_stdout && err->code == ERR_OUTPUT && !err->text[0];
    if (!closed_pipe) return rc;
    *err = (struct err){0}; /* its reader has seen enough; the exit status is still that of the answer */
    return 0;
}

int emit_answer(const struct invocation *inv, struct slice text, bool fit, struct err *err) {
    return emit_to(inv, args_text(&inv->args, "output"), text, fit, err);
}
