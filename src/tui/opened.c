/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/opened.h"

#include <stdlib.h>

int opened_log(struct opened *opened, const char *path, const struct report_options *wish, struct progress *progress,
               struct err *err) {
    struct work work = {.quiet = true, .told = progress};
    struct made_report *made = mem_zalloc(1, sizeof *made);
    *opened = (struct opened){.made = made};
    int rc;
    if (wish) {
        rc = make_report(made, &work, path, &(struct report_wish){.options = *wish}, err);
    } else {
        rc = open_run(&made->in, &work, path, input_temporary_folder(), err);
        if (rc == 0 && (rc = input_check(&made->in, err)) != 0) input_release(&made->in);
        if (rc == 0) overview_make(&made->in.run, &made->overview);
    }
    if (rc != 0) {
        free(made);
        return -1;
    }
    opened->run = &made->in.run;
    opened->overview = &made->overview;
    opened->path = made->in.path;
    opened->name = strbuf_text(&made->in.name);
    opened->folder = wish ? strbuf_text(&made->folder) : NULL;
    return 0;
}

const char *opened_change(const struct opened *opened) {
    const struct source *source = &opened->made->in.source;
    if (source->shrank) return "the file was cut while it was read: this is what was there";
    if (source_replaced(source)) return "the file was replaced since it was read: open it again for the new one";
    switch (source_change(source)) {
        case SOURCE_SHRANK:
            return "the file was cut since it was read: some texts may be missing";
        case SOURCE_REWRITTEN:
            return "the file was rewritten since it was read: open it again";
        case SOURCE_KEPT:
            break;
    }
    return NULL;
}

void opened_close(struct opened *opened) {
    made_report_release(opened->made);
    free(opened->made);
}
