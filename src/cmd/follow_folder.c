/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/follow_folder.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analysis/run/live.h"
#include "analysis/run/peaks.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "base/json_write.h"
#include "cmd/line/emit.h"
#include "model/buffer/block_bytes.h"
#include "render/answer/live_report.h"
#include "render/answer/status_line.h"
#include "work/inspector_watch.h"
#include "work/inspector_writers.h"
#include "work/watcher.h"

enum { TICK_MS = 100, BUFFERS_SHOWN = 10 };

static const int64_t CLOSED_CHECK_NS = 500000000;

static int open_watch(struct inspector_watch *watch, const struct invocation *inv, const char *path, struct err *err) {
    const char *device = args_text(&inv->args, "device");
    const struct chip *chip = NULL;
    if (device && chip_choose(device, &chip, err) != 0) return -1;
    return inspector_watch_open(watch, path, chip, err);
}

static void nap(int ms) { poll(NULL, 0, ms); }

/* Reads on until nothing new can come. */
static int look_until_end(struct inspector_watch *watch, struct watcher *shown, const struct invocation *inv, int64_t idle_ns,
                          const volatile sig_atomic_t *interrupted, struct err *err) {
    int64_t grown_ns = clock_ns(), check_ns = 0;
    while (!*interrupted) {
        /* closed before the last read, so everything written until then is read */
        bool closed = false;
        if (clock_ns() >= check_ns) {
            closed = inspector_watch_is_closed(watch);
            check_ns = clock_ns() + CLOSED_CHECK_NS;
        }
        bool grew, cleared;
        if (inspector_watch_look(watch, &grew, &cleared, err) != 0) return -1;
        if (cleared) {
            watcher_clear(shown);
            work_note(&inv->work, "the devices were opened again: %s starts again", strbuf_slice(&watch->folder).ptr);
        }
        if (grew) grown_ns = clock_ns();
        if (closed && !grew) break;
        if (idle_ns >= 0 && clock_ns() - grown_ns >= idle_ns) break;
        watcher_put(shown, &watch->status);
        watcher_draw(shown);
        nap(TICK_MS);
    }
    return 0;
}

int follow_folder(struct invocation *inv, const char *path, int64_t idle_ns, const volatile sig_atomic_t *interrupted,
                  struct err *err) {
    struct inspector_watch watch;
    struct watcher shown;
    struct run run = {0};
    struct strbuf text = {0};
    if (open_watch(&watch, inv, path, err) != 0) return -1;
    strbuf_text(&watch.folder);
    struct watcher_wish wish = {.fd = -1,
                                .show = !inv->work.quiet && inv->work.progress != PROGRESS_NEVER,
                                .silent = true,
                                .no_color = args_has(&inv->args, "no-color")};
    watcher_start(&shown, &wish);
    int rc = look_until_end(&watch, &shown, inv, idle_ns, interrupted, err);
    watcher_stop(&shown, 0);
    if (rc == 0) {
        rc = inspector_watch_run(&watch, &run, err);
        status_line(&text, &inv->work.out, &watch.status, -1);
        strbuf_addc(&text, '\n');
        struct err own;
        if (emit_to(inv, NULL, strbuf_slice(&text), true, rc == 0 ? err : &own) != 0) rc = -1;
    }
    run_release(&run);
    strbuf_release(&text);
    inspector_watch_close(&watch);
    return rc == 0 && *interrupted ? 128 + *interrupted : rc;
}

/* The last state of the run, as in ttmem live; as JSON in one line. */
static void add_now(struct strbuf *out, const struct invocation *inv, const struct inspector_watch *watch,
                    const struct run *run) {
    struct live_set set;
    struct live_place place = {.pool = POOL_DRAM,
                               .step = (uint32_t)run->steps.len - 1,
                               .block = run->steps.items[run->steps.len - 1].block,
                               .after_record = run->records.len ? (uint32_t)run->records.len - 1 : NONE,
                               .before_record = NONE,
                               .limit = BUFFERS_SHOWN};
    live_at(run, place.step, place.pool, &set);
    live_place_bounds(&place, run, &set);
    if (args_has(&inv->args, "json")) {
        struct strbuf answer = {0};
        live_report_json(&answer, run, &place, &set);
        json_one_line(out, strbuf_slice(&answer));
        strbuf_addc(out, '\n');
        strbuf_release(&answer);
    } else {
        status_line(out, &inv->work.out, &watch->status, -1);
        strbuf_addz(out, "\n\n");
        live_report_text(out, &inv->work.out, run, &place, &set);
    }
    live_release(&set);
}

/* A process chooses its own name: quotes are doubled, and line breaks removed. */
static void csv_text(struct strbuf *out, struct slice text) {
    strbuf_addc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') strbuf_addc(out, '"');
        strbuf_addc(out, (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i]);
    }
    strbuf_addc(out, '"');
}

static void csv_bytes(struct strbuf *out, bool known, int64_t bytes) {
    strbuf_addc(out, ',');
    if (known) strbuf_addf(out, "%lld", (long long)bytes);
}

/* A row for each pool that was seen, then one for each process that writes the folder. Unknown cells are empty. */
static void add_rows(struct strbuf *out, const struct run *run) {
    struct peaks peaks;
    const struct step *last = &run->steps.items[run->steps.len - 1];
    unsigned long long now = (unsigned long long)time(NULL);
    peaks_find(run, &peaks, NULL);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct block *block = last->block == NONE ? NULL : &run->blocks.items[last->block];
        if (!peaks.pools[pool].seen || !block || !(block->have >> pool & 1)) continue;
        const struct pool_config *config = block_config(run, block, (enum pool)pool);
        strbuf_addf(out, "%llu,%zu,%s", now, run->records.len, pool_keys[pool]);
        csv_bytes(out, true, block_allocated_bytes(run, block, pool));
        csv_bytes(out, true, peak_bytes(&peaks.pools[pool]));
        csv_bytes(out, config->total > 0, config_bytes(config));
        csv_bytes(out, block_largest_known(block, pool), block_largest_bytes(run, block, pool));
        strbuf_addf(out, ",%s,,,\n", peaks.pools[pool].at_least ? "true" : "false");
    }
    for (size_t i = 0; run->host && i < run->host->processes.len; i++) {
        strbuf_addf(out, "%llu,%zu,,,,,,,%llu,", now, run->records.len, (unsigned long long)run->host->processes.items[i].pid);
        csv_text(out, run->host->processes.items[i].name);
        csv_bytes(out, true, (int64_t)run->host->samples.items[i].rss_bytes);
        strbuf_addc(out, '\n');
    }
}

static const char csv_header[] =
    "time,op_count,pool,allocated_bytes_per_bank,peak_bytes_per_bank,capacity_bytes_per_bank,largest_free_bytes_per_bank,"
    "at_least,pid,process,rss_bytes\n";

static int show_sample(struct invocation *inv, struct inspector_watch *watch, bool again, struct err *err) {
    struct run run;
    struct strbuf text = {0};
    bool grew, cleared;
    int rc = inspector_watch_look(watch, &grew, &cleared, err);
    if (rc == 0 && again && !grew) return 0;
    if (rc == 0) rc = inspector_watch_run(watch, &run, err);
    if (rc == 0) {
        bool csv = args_has(&inv->args, "csv"), lines = csv || args_has(&inv->args, "json");
        run.host = inspector_writers(strbuf_text(&watch->folder), (uint32_t)run.steps.len - 1);
        if (again && inv->work.out.is_tty && !lines) strbuf_addz(&text, "\x1b[H\x1b[J");
        if (csv && !again) strbuf_addz(&text, csv_header);
        if (csv) add_rows(&text, &run);
        else add_now(&text, inv, watch, &run);
        rc = emit_to(inv, NULL, strbuf_slice(&text), !lines, err);
        run_release(&run);
    }
    strbuf_release(&text);
    return rc;
}

int top_folder(struct invocation *inv, const char *path, int interval_ms, uint64_t count,
               const volatile sig_atomic_t *interrupted, struct err *err) {
    struct inspector_watch watch;
    if (open_watch(&watch, inv, path, err) != 0) return -1;
    /* without a terminal no one could end it: runs once */
    if (!count && !inv->work.out.is_tty) count = 1;
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && !*interrupted && (!count || i < count); i++) {
        rc = show_sample(inv, &watch, i > 0, err);
        if (rc == 0 && (!count || i + 1 < count)) nap(interval_ms);
    }
    inspector_watch_close(&watch);
    return rc;
}
