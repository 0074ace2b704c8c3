/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem version: the same as --version, with the features of this build. */
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "cmd/line/version.h"
#include "ttmem_commit.h"

/* The features of this build and their libraries; the versions come from the build. Libraries that are loaded on use are not
 * searched for here, because that would take longer than all the rest of this command. */
static const struct {
    const char *feature, *library, *version; /* "": left out of this build */
    bool loaded;
} features[] = {
    {"reads .gz", "zlib", TTMEM_ZLIB, false},
    {"reads .zst", "zstd", TTMEM_ZSTD, false},
    {"reads JSON", "simdjson", TTMEM_SIMDJSON, false},
    {"reads C++", "tree-sitter-cpp", TTMEM_TREE_SITTER_CPP, false},
    {"reads Python", "tree-sitter-python", TTMEM_TREE_SITTER_PYTHON, false},
    {"writes SQLite", "sqlite", TTMEM_SQLITE, false},
    {"PostgreSQL", "libpq", TTMEM_LIBPQ, true},
    {"draws PNG", "cairo", TTMEM_CAIRO, true},
    {"serves pages", "libmicrohttpd", TTMEM_MICROHTTPD, true},
    {"interactive", "ncurses", TTMEM_NCURSES, false},
};

void version_text(struct strbuf *out) {
    strbuf_addf(out, "ttmem %s (%s)\n", TTMEM_VERSION, TTMEM_COMMIT);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        strbuf_addf(out, "  %-15s", features[i].feature);
        if (!features[i].version[0]) strbuf_addz(out, "no: left out of this build\n");
        else
            strbuf_addf(out, "%s %s%s\n", features[i].library, features[i].version,
                        features[i].loaded ? ", loaded when used" : "");
    }
}

static int run(struct invocation *inv, struct err *err) {
    struct strbuf text = {0};
    version_text(&text);
    int rc = emit_to(inv, NULL, strbuf_slice(&text), true, err);
    strbuf_release(&text);
    return rc;
}

const struct command cmd_version = {
    .name = "version",
    .summary = "Print the version, its commit, and what it can do",
    .synopsis = "",
    .example = "ttmem version",
    .run = run,
};
