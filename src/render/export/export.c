/* SPDX-License-Identifier: Apache-2.0 */
#include "render/export/export.h"

const struct export_format export_formats[] = {
    {"chrome", "ui.perfetto.dev, chrome://tracing, Tracy's importer", false, false, false, export_chrome},
    {"speedscope", "speedscope.app", false, false, false, export_speedscope},
    {"folded", "flamegraph.pl, inferno, speedscope.app", false, false, false, export_folded},
    {"csv", "spreadsheets, pandas", false, true, true, export_csv},
    {"sqlite", "sqlite3 and anything else that reads SQLite", true, false, true, export_sqlite},
    {"pytorch", "pytorch.org/memory_viz", false, false, false, export_pytorch},
    {0},
};

int export_flush(struct strbuf *text, bool all, struct outfile *file, struct err *err) {
    enum { LARGE = 1 << 20 };
    if (!all && text->len < LARGE) return 0;
    int rc = outfile_write(file, strbuf_slice(text), err);
    strbuf_clear(text);
    return rc;
}
