/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem top: the memory of open devices, now, from the shared memory that tt-metal keeps about them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analysis/compare/alert.h"
#include "base/amounts.h"
#include "base/num.h"
#include "base/outfile.h"
#include "cmd/follow_folder.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "work/version.h"
#include "render/answer/top_view.h"
#include "render/metrics/live_metrics.h"
#include "tui/top_screen.h"

enum { DEFAULT_MS = 1000, FIND_EVERY_MS = 1000, MOST_ALERTS = 32 };

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) { interrupted = number; }

struct watched_alert {
    struct alert alert;
    VEC(uint64_t) held; /* chips that were beyond it in the last sample */
};

struct top {
    struct invocation *inv;
    struct live_devices *live;
    struct top_options options;
    int interval_ms;
    struct watched_alert alerts[MOST_ALERTS];
    size_t alert_count;
    const char *command; /* to run when an alert begins to hold */
    bool alerted;        /* in the last sample */
    bool quiet_alerts;   /* the screen shows them */
    bool noted_misses;
    int record; /* -1: none */
    const char *record_path;
    struct strbuf line, message;
};

/* --- alerts --- */

static void run_command(const struct top *top, const struct alert *alert, const struct live_device *device) {
    char chip[NUM_ROOM + 1], bytes[NUM_ROOM + 1];
    chip[num_write_u64(chip, device->asic)] = 0;
    bytes[num_write_u64(bytes, device->sum[alert->kind])] = 0;
    pid_t child = fork();
    if (child != 0) return; /* children are not awaited: SIGCHLD is ignored */
    setenv("TTMEM_CHIP", chip, 1);
    setenv("TTMEM_MEMORY", shm_kind_keys[alert->kind], 1);
    setenv("TTMEM_BYTES", bytes, 1);
    setenv("TTMEM_ALERT", alert->text, 1);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) dup2(null, STDIN_FILENO);
    if (null >= 0 && top->quiet_alerts) dup2(null, STDOUT_FILENO), dup2(null, STDERR_FILENO);
    signal(SIGCHLD, SIG_DFL);
    execl("/bin/sh", "sh", "-c", top->command, (char *)NULL);
    _exit(127);
}

static bool held_before(const struct watched_alert *watched, uint64_t chip) {
    for (size_t i = 0; i < watched->held.len; i++)
        if (watched->held.items[i] == chip) return true;
    return false;
}

static void tell(struct top *top, const struct alert *alert, const struct live_device *device, bool begins) {
    strbuf_clear(&top->message);
    strbuf_addf(&top->message, "alert %s: device %u has ", alert->text, device->id);
    add_scaled_size(&top->message, device->sum[alert->kind], true);
    strbuf_addf(&top->message, " of %s%s", shm_kind_names[alert->kind],
                live_device_may_lack(device, alert->kind) ? " or more" : "");
    if (!begins) return;
    if (!top->quiet_alerts) work_error("%s", strbuf_text(&top->message));
    if (top->command) run_command(top, alert, device);
}

static void check_alerts(struct top *top) {
    top->alerted = false;
    strbuf_clear(&top->message);
    for (size_t i = 0; i < top->alert_count; i++) {
        struct watched_alert *watched = &top->alerts[i];
        VEC(uint64_t) holds = {0};
        for (size_t d = 0; d < live_devices_count(top->live); d++) {
            const struct live_device *device = live_devices_get(top->live, d);
            if (!alert_holds(&watched->alert, device, top->options.chip)) continue;
            top->alerted = true;
            tell(top, &watched->alert, device, !held_before(watched, device->asic));
            vec_push(&holds, device->asic);
        }
        vec_clear(&watched->held);
        for (size_t k = 0; k < holds.len; k++) vec_push(&watched->held, holds.items[k]);
        vec_release(&holds);
    }
}

/* For readers of an exit status or of rows, who do not see the note below the table. */
static void note_alerts_may_miss(struct top *top) {
    if (top->noted_misses || top->quiet_alerts || !live_devices_may_lack(top->live)) return;
    for (size_t i = 0; i < top->alert_count; i++) top->noted_misses |= top->alerts[i].alert.kind != SHM_CB;
    if (top->noted_misses)
        work_note(
            &top->inv->work,
            "an alert can miss a full device: tt-metal from 2026-05-27 on counts only what the thread that opened the first "
            "device allocates");
}

/* --- recording --- */

static int open_recording(struct top *top, const char *path, struct err *err) {
    top->record = -1;
    if (!path) return 0;
    top->record = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (top->record < 0)
        return errno == EEXIST ? err_set(err, ERR_OUTPUT, "%s exists already: give --record the name of a new file", path)
                               : err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", path);
    top->record_path = path;
    struct strbuf text = {0};
    top_recording_header(&text, &top->options, version_number());
    int rc = write_all(top->record, strbuf_slice(&text), err);
    strbuf_release(&text);
    return rc;
}

static int keep_sample(struct top *top, struct err *err) {
    if (top->record < 0) return 0;
    strbuf_clear(&top->line);
    top_json(&top->line, top->live, &top->options);
    if (write_all(top->record, strbuf_slice(&top->line), err) == 0) return 0;
    return err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", top->record_path);
}

/* --- modes --- */

static int after_sample(void *who, const char **message, struct err *err) {
    struct top *top = who;
    check_alerts(top);
    note_alerts_may_miss(top);
    *message = top->message.len ? strbuf_text(&top->message) : NULL;
    return keep_sample(top, err);
}

static int no_device(const struct top *top, struct err *err) {
    return err_set(err, ERR_LACKS,
                   "no device is open: %s holds no tt_device_*_memory; tt-metal from 2026-04-19 on keeps one for each chip "
                   "that a program has opened, unless TT_METAL_SHM_TRACKING_DISABLED=1 is set; it can be read by the user who "
                   "runs that program and by root",
                   live_devices_folder(top->live));
}

static int run_screen(struct top *top, struct err *err) {
    top->quiet_alerts = true;
    struct top_screen_options options = {
        .chip = top->options.chip, .interval_ms = top->interval_ms, .who = top, .sampled = after_sample};
    return top_screen_run(top->live, &options, err);
}

static void wait_until(int64_t when_ns) {
    int64_t left = when_ns - clock_ns();
    if (left <= 0 || interrupted) return;
    struct timespec wait = {left / 1000000000, left % 1000000000};
    nanosleep(&wait, NULL);
}

/* Waits until a device is open, or the user gives up. */
static void wait_for_device(struct top *top) {
    if (live_devices_count(top->live)) return;
    work_note(&top->inv->work, "no device is open: waiting for one in %s; Ctrl+C ends it", live_devices_folder(top->live));
    while (!interrupted && !live_devices_count(top->live)) {
        wait_until(clock_ns() + (int64_t)top->interval_ms * 1000000);
        live_devices_sample(top->live, true);
    }
}

/* Prints samples as lines, or only records them. */
static int run_lines(struct top *top, bool json, bool csv, uint64_t count, struct err *err) {
    struct strbuf out = {0};
    const char *message;
    int rc = 0;
    int64_t next = clock_ns(), next_find = 0;
    if (csv) top_csv_header(&out);
    for (uint64_t i = 0; rc == 0 && !interrupted && (!count || i < count); i++) {
        bool find = i && clock_ns() >= next_find;
        if (i) live_devices_sample(top->live, find);
        if (find || !i) next_find = clock_ns() + (int64_t)FIND_EVERY_MS * 1000000;
        if (json) top_json(&out, top->live, &top->options);
        if (csv) top_csv(&out, top->live);
        rc = write_all(STDOUT_FILENO, strbuf_slice(&out), err);
        strbuf_clear(&out);
        if (rc == 0) rc = after_sample(top, &message, err);
        next += (int64_t)top->interval_ms * 1000000;
        if (next < clock_ns()) next = clock_ns(); /* missed samples are skipped */
        if (!count || i + 1 < count) wait_until(next);
    }
    strbuf_release(&out);
    if (rc != 0) return -1;
    return interrupted && !count ? 128 + interrupted : top->alerted && count ? 1 : 0;
}

static int run_once(struct top *top, struct err *err) {
    struct strbuf out = {0};
    const char *message;
    top_text(&out, &top->inv->work.out, top->live, &top->options);
    int rc = emit_to(top->inv, NULL, strbuf_slice(&out), true, err);
    if (rc == 0) rc = after_sample(top, &message, err);
    strbuf_release(&out);
    return rc != 0 ? -1 : top->alerted ? 1 : 0;
}

/* For the textfile collector of Prometheus's node exporter, which needs a complete file. A machine without an open device uses
 * nothing, which is not an error. */
static int run_prometheus(struct top *top, struct err *err) {
    struct strbuf out = {0};
    struct scrape_errors errors = {0};
    const char *message;
    struct live_metrics_options options = {top->options.chip, args_has(&top->inv->args, "no-process-labels"), version_number()};
    live_metrics(&out, METRICS_PROMETHEUS, top->live, &options, &errors);
    int rc = emit_answer(top->inv, strbuf_slice(&out), false, err);
    if (rc == 0) rc = after_sample(top, &message, err);
    strbuf_release(&out);
    return rc != 0 ? -1 : top->alerted ? 1 : 0;
}

/* --- options --- */

static int read_interval(const char *text, int *ms, struct err *err) {
    uint64_t milli;
    *ms = DEFAULT_MS;
    if (!text) return 0;
    if (!text[0] || num_read_thousandths(slice_from(text), &milli) != strlen(text) || milli < TOP_SHORTEST_MS ||
        milli > TOP_LONGEST_MS)
        return err_set(err, ERR_USAGE, "--interval takes 0.1 to 10 seconds, not '%.100s'", text);
    *ms = (int)milli;
    return 0;
}

static int read_alerts(struct top *top, struct err *err) {
    const struct args *args = &top->inv->args;
    top->alert_count = args_count(args, "alert");
    top->command = args_text(args, "alert-command");
    if (top->command && !top->alert_count) return err_set(err, ERR_USAGE, "--alert-command needs an --alert");
    if (top->alert_count > MOST_ALERTS) return err_set(err, ERR_USAGE, "--alert may be given at most %d times", MOST_ALERTS);
    for (size_t i = 0; i < top->alert_count; i++) {
        if (alert_parse(&top->alerts[i].alert, args_nth(args, "alert", i), err) != 0) return -1;
        if (top->alerts[i].alert.is_share && !live_capacity(top->options.chip, top->alerts[i].alert.kind))
            return err_set(err, ERR_USAGE, "'%s' is a share of what the device has: name it with --device n150, or give a size",
                           top->alerts[i].alert.text);
    }
    return 0;
}

static int read_options(struct top *top, uint64_t *count, struct err *err) {
    const struct args *args = &top->inv->args;
    const char *device = args_text(args, "device"), *text = args_text(args, "count");
    *count = 0;
    if (device && chip_choose(device, &top->options.chip, err) != 0) return -1;
    if (text && (!text[0] || num_read_u64(slice_from(text), count) != strlen(text) || !*count))
        return err_set(err, ERR_USAGE, "--count takes a number of samples, not '%.60s'", text);
    if (args_has(args, "once")) *count = 1;
    if (args_has(args, "json") + args_has(args, "csv") + args_has(args, "prometheus") > 1)
        return err_set(err, ERR_USAGE, "give only one of --json, --csv and --prometheus");
    if (!args_has(args, "prometheus") && (args_has(args, "output") || args_has(args, "no-process-labels")))
        return err_set(err, ERR_USAGE, "-o and --no-process-labels need --prometheus");
    if (args_has(args, "prometheus") && (text || args->words.len))
        return err_set(err, ERR_USAGE,
                       "--prometheus writes one sample of the devices; --count and FOLDER cannot be used with it");
    if (read_interval(args_text(args, "interval"), &top->interval_ms, err) != 0) return -1;
    return read_alerts(top, err);
}

static int run_mode(struct top *top, uint64_t count, struct err *err) {
    const struct args *args = &top->inv->args;
    bool json = args_has(args, "json"), csv = args_has(args, "csv");
    bool prometheus = args_has(args, "prometheus");
    live_devices_sample(top->live, true);
    /* a command that ends by itself has nothing to show; one that runs until the user ends it waits for the first device */
    bool screen = top->inv->work.out.is_tty && isatty(STDIN_FILENO) && !count && !json && !csv && !prometheus;
    bool waits = screen || (!count && (json || csv || args_has(args, "record")));
    if (!prometheus && !waits && !live_devices_count(top->live)) return no_device(top, err);
    if (open_recording(top, args_text(args, "record"), err) != 0) return -1;
    if (prometheus) return run_prometheus(top, err);
    if (waits && !screen) wait_for_device(top);
    if (json || csv) return run_lines(top, json, csv, count, err);
    if (count == 1 && !args_text(args, "count")) return run_once(top, err);
    if (screen) return run_screen(top, err);
    if (top->record < 0 && !count) return run_once(top, err);
    if (top->record >= 0) work_note(&top->inv->work, "recording to %s; Ctrl+C ends it", top->record_path);
    return run_lines(top, false, false, count, err);
}

static int run(struct invocation *inv, struct err *err) {
    struct top top = {.inv = inv, .record = -1};
    uint64_t count;
    struct sigaction action = {.sa_handler = on_interrupt};
    const char *shm = args_text(&inv->args, "shm");
    if (shm && access(shm, R_OK | X_OK) != 0) return err_set_errno(err, ERR_INPUT, "cannot open '%s'", shm);
    top.live = live_devices_new(shm);
    int rc = read_options(&top, &count, err);
    if (rc == 0) {
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        signal(SIGCHLD, SIG_IGN);
        rc = inv->args.words.len ? top_folder(inv, inv->args.words.items[0], top.interval_ms, count, &interrupted, err)
                                 : run_mode(&top, count, err);
    }
    if (top.record >= 0) close(top.record);
    for (size_t i = 0; i < top.alert_count; i++) vec_release(&top.alerts[i].held);
    live_devices_free(top.live);
    strbuf_release(&top.line);
    strbuf_release(&top.message);
    return rc;
}

static const struct option options[] = {
    {"once", 0, OPTION_FLAG, NULL, "one sample, then end"},
    {"json", 0, OPTION_FLAG, NULL, "a line of JSON per sample"},
    {"csv", 0, OPTION_FLAG, NULL, "rows of CSV per sample: the sum of each device, then its processes"},
    {"prometheus", 0, OPTION_FLAG, NULL, "one sample in Prometheus's text format; no open device is not an error"},
    {"no-process-labels", 0, OPTION_FLAG, NULL, "with --prometheus: nothing by process"},
    {"output", 'o', OPTION_TEXT, "FILE", "with --prometheus: write there, whole or not at all"},
    {"interval", 'i', OPTION_TEXT, "SECONDS", "between samples, 0.1 to 10 (1)"},
    {"count", 'n', OPTION_TEXT, "N", "end after N samples"},
    OPTION_DEVICE("what the devices are (n150, p150, ...): gives capacities and shares"),
    {"alert", 0, OPTION_LIST, "LIMIT", "report when it is exceeded: 'dram>90%', 'l1>=64MB'; with --once: exit status 1"},
    {"alert-command", 0, OPTION_TEXT, "COMMAND", "run it with sh when an alert begins"},
    {"record", 0, OPTION_TEXT, "FILE", "keep every sample; ttmem view FILE shows them"},
    {"shm", 0, OPTION_TEXT, "DIR", "folder of tt-metal's shared memory files (TTMEM_SHM_DIR, else /dev/shm)"},
    OPTIONS_END,
};

const struct command cmd_top = {
    .name = "top",
    .summary = "Show the memory of open devices now, by process",
    .synopsis =
        "[FOLDER] [--once] [--json|--csv|--prometheus [-o FILE]] [--interval S] [--device CHIP] [--alert LIMIT]... [--record "
        "FILE] [options]",
    .details =
        "Reads the shared memory that tt-metal (since 2026-04-19, unless TT_METAL_SHM_TRACKING_DISABLED=1 is set) keeps about "
        "each "
        "chip that a program has opened; nothing is\n"
        "written to it and no device is touched. Bytes are sums over all banks. Processes that died and left their numbers are "
        "shown,\n"
        "but not part of the sums. With tt-metal from 2026-05-27 on, the figures are lower bounds, so an alert can miss a full "
        "device:\n"
        "it counts only what the thread that opened the first device allocates. In a terminal: a screen that waits for a "
        "device; ? lists its keys.\n"
        "With a FOLDER that tt-metal's Inspector is writing: what is alive on its device now, largest first, and the "
        "holes between, updated as the folder grows.",
    .example = "ttmem top --device n150 --once",
    .options = options,
    .min_words = 0,
    .max_words = 1,
    .run = run,
};
