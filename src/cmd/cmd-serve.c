/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem serve: shows the reports in a browser. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "cmd/mcp/tools.h"
#include "serve/catalog.h"
#include "serve/server.h"
#include "store/report.h"
#include "input/report/report_files.h"
#include "work/open.h"

/* The folder to show: of all reports, of those under DIR, or of one. */
static int choose_folder(const struct args *args, struct strbuf *folder, struct err *err) {
    if (!args->words.len) {
        if (ttmem_home(folder, err) != 0) return -1;
        strbuf_addz(folder, "/reports");
        return 0;
    }
    const char *word = args->words.items[0];
    struct stat st;
    struct strbuf name = {0};
    bool found = stat(word, &st) == 0 && S_ISDIR(st.st_mode);
    if (found) strbuf_addz(folder, word);
    else found = report_files_part(word, folder, &name) || open_report_named(word, folder);
    strbuf_release(&name);
    if (!found)
        return err_set(err, ERR_INPUT,
                       "'%.500s' is neither a folder nor a report under ~/.ttmem/reports; ttmem analyze LOG makes one", word);
    return 0;
}

static int read_port(const char *text, int *port, struct err *err) {
    uint64_t number;
    *port = -1;
    if (!text) return 0;
    if (num_read_u64(slice_from(text), &number) != strlen(text) || number > 65535)
        return err_set(err, ERR_USAGE, "--port takes a number from 0 to 65535, not '%.100s'", text);
    *port = (int)number;
    return 0;
}

static void open_browser(const char *address) {
    pid_t child = fork();
    if (child != 0) {
        if (child > 0) waitpid(child, NULL, 0);
        return;
    }
    /* a grandchild, so that nobody has to wait for the browser */
    if (fork() == 0) execlp("xdg-open", "xdg-open", address, (char *)NULL);
    _exit(0);
}

static bool is_loopback(const char *address) { return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0; }

static int announce(const struct invocation *inv, const struct server *server, const struct server_options *options,
                    struct err *err) {
    char address[128];
    struct strbuf text = {0};
    struct catalog catalog;
    server_address(server, address, sizeof address);
    catalog_read(&catalog, options->folder, options->scope);
    strbuf_addf(&text, "%s/%s", address, !options->live ? "" : options->metrics_only ? "metrics" : "live");
    if (!options->live && options->scope == CATALOG_ONE && catalog.entries.len)
        strbuf_addf(&text, "%s_report.html", catalog.entries.items[0].name);
    const char *url = strbuf_text(&text);
    size_t count = catalog.entries.len, elsewhere = catalog.elsewhere;
    struct strbuf where = {0};
    if (elsewhere)
        strbuf_addf(&where, ": %zu in %s, %zu of the last runs of ttmem run", count - elsewhere, options->folder, elsewhere);
    else strbuf_addf(&where, " in %s", options->folder);
    work_note(&inv->work, "%zu report%s%s; Ctrl+C ends the server", count, count == 1 ? "" : "s", strbuf_text(&where));
    strbuf_release(&where);
    if (!is_loopback(options->address))
        work_note(&inv->work, "listening on %s: everyone who can reach this machine can read the reports%s", options->address,
                  options->live ? " and /metrics; /live is for this machine only and left out" : "");
    if (args_has(&inv->args, "open")) open_browser(url);
    strbuf_addc(&text, '\n');
    int rc = emit_to(inv, NULL, strbuf_slice(&text), true, err);
    catalog_release(&catalog);
    strbuf_release(&text);
    return rc;
}

static int serve(struct invocation *inv, const struct server_options *options, struct err *err) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* inherited by the server's threads, so that the signal comes here */
    struct server *server = server_start(options, err);
    if (!server) return -1;
    int signal_number = 0, rc = announce(inv, server, options, err);
    if (rc == 0) sigwait(&ends, &signal_number);
    server_stop(server);
    return rc == 0 ? 128 + signal_number : -1;
}

/* Processes and command lines are shown only on this machine; other machines get numbers. */
static int read_live(const struct args *args, struct server_options *options, struct err *err) {
    const char *device = args_text(args, "device");
    options->live = args_has(args, "live");
    options->no_process_labels = args_has(args, "no-process-labels");
    if (!options->live && (device || options->no_process_labels))
        return err_set(err, ERR_USAGE, "--%s needs --live", device ? "device" : "no-process-labels");
    if (!options->live) return 0;
    options->metrics_only = !is_loopback(options->address);
    return device ? chip_choose(device, &options->live_chip, err) : 0;
}

/* Tools for agents read only below the shown folder and the current one. */
static int read_mcp(const struct invocation *inv, struct server_options *options, struct mcp_tools **tools,
                    struct mcp_offer *offer, struct err *err) {
    const char *roots[] = {".", options->folder};
    if (!args_has(&inv->args, "mcp")) return 0;
    if (!is_loopback(options->address))
        return err_set(err, ERR_USAGE, "--mcp is for this machine only; --bind '%.100s' is not", options->address);
    if (mcp_tools_new(tools, &inv->work, roots, access(options->folder, F_OK) == 0 ? 2 : 1, err) != 0) return -1;
    mcp_tools_offer(*tools, offer);
    options->mcp = offer;
    return 0;
}

static int run(struct invocation *inv, struct err *err) {
    struct mcp_tools *tools = NULL;
    struct mcp_offer offer;
    struct strbuf folder = {0};
    char real[PATH_MAX];
    const char *bind = args_text(&inv->args, "bind");
    struct server_options options = {.address = bind ? bind : "127.0.0.1"};
    int rc = read_port(args_text(&inv->args, "port"), &options.port, err);
    if (rc == 0) rc = read_live(&inv->args, &options, err);
    if (rc == 0) rc = choose_folder(&inv->args, &folder, err);
    if (rc == 0) {
        options.folder = realpath(strbuf_text(&folder), real) ? real : strbuf_text(&folder);
        bool is_report;
        rc = catalog_is_report(options.folder, &is_report, err);
        if (rc == 0) {
            options.scope = is_report ? CATALOG_ONE : inv->args.words.len ? CATALOG_BELOW : CATALOG_HOME;
            rc = read_mcp(inv, &options, &tools, &offer, err);
        }
        if (rc == 0) rc = serve(inv, &options, err);
    }
    if (tools) mcp_tools_free(tools);
    strbuf_release(&folder);
    return rc;
}

static const struct option options[] = {
    {"port", 0, OPTION_TEXT, "N", "listen there (default: the first free port from 8000; 0 takes any)"},
    {"bind", 0, OPTION_TEXT, "ADDR", "listen on that address (default: 127.0.0.1, this machine only)"},
    {"open", 0, OPTION_FLAG, NULL, "open the address in a browser"},
    {"live", 0, OPTION_FLAG, NULL, "also show the memory of open devices, as top does, and /metrics for Prometheus"},
    {"no-process-labels", 0, OPTION_FLAG, NULL, "with --live: nothing by process in /metrics"},
    {"mcp", 0, OPTION_FLAG, NULL, "also answer agents at /mcp, as ttmem mcp does on stdin"},
    OPTION_DEVICE("with --live: what the devices are (n150, p150, ...), for capacities"),
    OPTIONS_END,
};

const struct command cmd_serve = {
    .name = "serve",
    .summary = "Show the reports in a browser",
    .synopsis = "[DIR|NAME] [--port N] [--bind ADDR] [--open] [--live] [--mcp] [options]",
    .details =
        "Without DIR or NAME: a list of the reports under ~/.ttmem/reports and of those of the last runs of ttmem run, each "
        "with its\n"
        "page and its JSON files; tick two to compare them. DIR is a folder of reports or one report; NAME is one\n"
        "under ~/.ttmem/reports. Prints the address; Ctrl+C ends the server. It only reads, listens on this machine only\n"
        "unless --bind is given, and does not answer requests for another host name.",
    .example = "ttmem serve --port 8080",
    .options = options,
    .min_words = 0,
    .max_words = 1,
    .run = run,
};
