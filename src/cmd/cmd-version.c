/* ttmem version: the same as --version, with what this build can do. */
#include "cmd/line/cmd.h"
#include "cmd/line/version.h"
#include "ttmem_commit.h"

/* What this build can do, and by which library; the versions come from the build. */
static const struct {
    const char *feature, *library;
} features[] = {
    {"reads .gz", "zlib " TTMEM_ZLIB},          {"reads .zst", "zstd " TTMEM_ZSTD},
    {"reads JSON", "simdjson " TTMEM_SIMDJSON}, {"reads C++", "tree-sitter-cpp " TTMEM_TREE_SITTER_CPP},
    {"writes SQLite", "sqlite " TTMEM_SQLITE},  {"PostgreSQL", "libpq " TTMEM_LIBPQ},
    {"draws PNG", "cairo " TTMEM_CAIRO},        {"serves pages", "libmicrohttpd " TTMEM_MICROHTTPD},
    {"interactive", "ncurses " TTMEM_NCURSES},
};

void version_text(struct strbuf *out) {
    strbuf_addf(out, "ttmem %s (%s)\n", TTMEM_VERSION, TTMEM_COMMIT);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        strbuf_addf(out, "  %-15s%s\n", features[i].feature, features[i].library);
}

const char *version_number(void) { return TTMEM_VERSION; }

static int run(struct invocation *inv, struct err *err) {
    struct strbuf text = {0};
    version_text(&text);
    int rc = print_text(inv, strbuf_slice(&text), err);
    strbuf_release(&text);
    return rc;
}

const struct command cmd_version = {
    .name = "version",
    .summary = "Print the version, the commit it was built from, and what this build can do",
    .synopsis = "",
    .example = "ttmem version",
    .run = run,
};
