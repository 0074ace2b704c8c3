/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem mcp: the commands as tools of the Model Context Protocol, over stdin and stdout. */
#include <unistd.h>

#include "cmd/line/cmd.h"
#include "cmd/mcp/tools.h"
#include "mcp/stdio.h"

static int run(struct invocation *inv, struct err *err) {
    struct mcp_tools *tools;
    struct mcp_offer offer;
    const char *roots[64];
    size_t count = args_count(&inv->args, "root");
    if (count > sizeof roots / sizeof *roots) return err_set(err, ERR_USAGE, "--root may be given at most 64 times");
    for (size_t i = 0; i < count; i++) roots[i] = args_nth(&inv->args, "root", i);
    if (mcp_tools_new(&tools, &inv->work, roots, count, err) != 0) return -1;
    mcp_tools_offer(tools, &offer);
    int rc = mcp_stdio(&offer, STDIN_FILENO, STDOUT_FILENO, err);
    mcp_tools_free(tools);
    return rc;
}

static const struct option options[] = {
    {"root", 0, OPTION_LIST, "DIR", "read nothing outside of DIR (default: here and ~/.ttmem; may be repeated)"},
    OPTIONS_END,
};

const struct command cmd_mcp = {
    .name = "mcp",
    .summary = "Serve ten of these commands to coding agents, over MCP",
    .synopsis = "[--root DIR]...",
    .details =
        "Speaks the Model Context Protocol: reads requests from stdin and answers on stdout, a JSON object per line, until "
        "stdin ends. The tools are commands of\n"
        "ttmem (summary, explain, live, ops, op, diff (as ttmem_compare), check, fit, ranks, predict): they only read, and "
        "only below the given "
        "folders.\n"
        "A run that was read once stays in memory until its files change. Clients start it themselves:\n"
        "claude mcp add ttmem -- ttmem mcp",
    .example = "ttmem mcp --root ~/logs",
    .options = options,
    .min_words = 0,
    .max_words = 0,
    .run = run,
};
