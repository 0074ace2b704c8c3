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
        rc = load_log(&made->loaded, &work, path, work_temporary_folder(), err);
        if (rc == 0 && (rc = load_check(&made->loaded, err)) != 0) loaded_release(&made->loaded);
        if (rc == 0) overview_make(&made->loaded.run, &made->overview);
    }
    if (rc != 0) {
        free(made);
        return -1;
    }
    opened->run = &made->loaded.run;
    opened->overview = &made->overview;
    opened->log = made->loaded.source.bytes;
    opened->path = made->loaded.source.path;
    opened->name = strbuf_text(&made->loaded.name);
    opened->folder = wish ? strbuf_text(&made->folder) : NULL;
    opened->read_ns = made->loaded.read_ns;
    return 0;
}

void opened_close(struct opened *opened) {
    made_report_release(opened->made);
    free(opened->made);
}
