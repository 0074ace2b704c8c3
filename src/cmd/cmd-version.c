/* ttmem version: the same as --version, with what this build can do. */
#include "cmd/cmd.h"
#include "cmd/version.h"

void version_text(struct strbuf *out) { strbuf_addf(out, "ttmem %s (%s)\n", TTMEM_VERSION, TTMEM_COMMIT); }

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
    .summary = "Print the version and the commit it was built from",
    .synopsis = "",
    .example = "ttmem version",
    .run = run,
};
