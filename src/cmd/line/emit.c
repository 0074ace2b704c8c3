#include "cmd/line/emit.h"

#include "base/outfile.h"

int emit(const struct invocation *inv, struct slice text, bool fit, struct err *err) {
    const char *path = args_text(&inv->args, "output");
    if (fit && !path) return print_text(inv, text, err);
    struct outfile file;
    if (outfile_open(&file, path ? path : "-", err) != 0) return -1;
    if (outfile_write(&file, text, err) != 0) {
        outfile_abort(&file);
        return -1;
    }
    return outfile_commit(&file, err);
}
