/* SPDX-License-Identifier: Apache-2.0 */
#include "work/inspector_watch.h"

#include <fcntl.h>
#include <stdlib.h>

#include "analysis/run/peaks.h"
#include "base/num.h"
#include "base/progress.h"
#include "model/inspector/to_run.h"

static const int64_t SECOND_NS = 1000000000;

int inspector_watch_open(struct inspector_watch *watch, const char *path, const struct chip *chip, struct err *err) {
    *watch = (struct inspector_watch){.chip = chip};
    if (!inspector_folder_of(path, &watch->folder)) {
        strbuf_release(&watch->folder);
        return err_set(err, ERR_INPUT, "%s is not a file that can grow, nor an Inspector folder", path);
    }
    inspector_data_open(&watch->data, strbuf_text(&watch->folder), chip);
    return 0;
}

void inspector_watch_close(struct inspector_watch *watch) {
    inspector_data_release(&watch->data);
    strbuf_release(&watch->folder);
}

static void begin_anew(struct inspector_watch *watch) {
    inspector_data_release(&watch->data);
    watch->status = (struct watch_status){0};
    watch->looked_ns = 0;
    inspector_data_open(&watch->data, strbuf_text(&watch->folder), watch->chip);
}

static void show_name(struct watch_status *status, const struct inspector_rank *rank) {
    if (!rank->ops.len) return;
    struct strbuf name = {0};
    inspector_op_name(&name, strtab_get(&rank->strings, vec_last(&rank->ops).name));
    struct slice text = slice_take(strbuf_slice(&name), WATCH_NAME - 1);
    memcpy(status->program, text.ptr, text.len);
    status->program[text.len] = '\0';
    strbuf_release(&name);
}

/* Over several ranks, the highest figures. */
static void take_rank(struct inspector_watch *watch, const struct inspector_rank *rank) {
    struct watch_status *s = &watch->status;
    uint64_t sum[POOL_COUNT], peak[POOL_COUNT];
    const struct chip *chip;
    inspector_rank_now(&watch->data, rank, sum, peak, &chip);
    uint64_t room[POOL_COUNT] = {[POOL_DRAM] = chip_dram_bank_bytes(chip), [POOL_L1] = chip_l1_bank_bytes(chip)};
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        uint32_t high = (uint32_t)num_bytes_to_milli_mb(peak[pool]);
        if (s->seen[pool] && high < s->peak[pool]) continue;
        s->seen[pool] = peak[pool] > 0 || pool == POOL_DRAM;
        s->peak[pool] = high;
        s->at_least[pool] = true;
        s->now[pool].allocated = (uint32_t)num_bytes_to_milli_mb(sum[pool]);
        s->now[pool].total = (uint32_t)num_bytes_to_milli_mb(room[pool]);
    }
}

static void take_status(struct inspector_watch *watch) {
    struct watch_status *s = &watch->status;
    *s = (struct watch_status){0};
    for (size_t i = 0; i < watch->data.ranks.len; i++) {
        const struct inspector_rank *rank = &watch->data.ranks.items[i];
        s->bytes += rank->bytes;
        s->ops += rank->ops.len;
        if (!rank->bytes || !rank->has_buffers_file) continue;
        take_rank(watch, rank);
        s->blocks += s->peak[POOL_DRAM] || s->peak[POOL_L1];
        show_name(s, rank);
    }
}

int inspector_watch_look(struct inspector_watch *watch, bool *grew, bool *cleared, struct err *err) {
    enum inspector_news news;
    *grew = *cleared = false;
    if (inspector_data_poll(&watch->data, &news, err) != 0) return -1;
    if (news == INSPECTOR_CLEARED) {
        begin_anew(watch);
        *grew = *cleared = true;
        return inspector_data_poll(&watch->data, &news, err);
    }
    *grew = news == INSPECTOR_GREW;
    /* until the chip is known, a figure needs a pass over all events */
    if (*grew && (inspector_data_is_decided(&watch->data) || clock_ns() - watch->looked_ns > SECOND_NS)) {
        take_status(watch);
        watch->looked_ns = clock_ns();
    }
    return 0;
}

bool inspector_watch_is_closed(const struct inspector_watch *watch) {
    for (size_t i = 0; i < watch->data.ranks.len; i++) {
        int fd = inspector_rank_fd(&watch->data.ranks.items[i]);
        /* a read lease is granted only while nobody has the file open for writing */
        if (fd < 0 || fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return false;
        fcntl(fd, F_SETLEASE, F_UNLCK);
    }
    return true;
}

/* The figures of the finished run replace those collected event by event. */
static void status_of_run(struct watch_status *s, const struct run *run) {
    struct peaks peaks;
    peaks_find(run, &peaks, NULL);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (!peaks.pools[pool].seen) continue;
        s->seen[pool] = pool <= POOL_L1 || peaks.pools[pool].allocated;
        s->peak[pool] = peaks.pools[pool].allocated;
        s->at_least[pool] = peaks.pools[pool].at_least;
        s->now[pool].total = peaks.pools[pool].total;
        for (size_t i = run->blocks.len; i-- > 0;) {
            if (!(run->blocks.items[i].have & 1u << pool)) continue;
            s->now[pool].allocated = run->blocks.items[i].allocated[pool];
            break;
        }
    }
    s->ops = run->records.len;
    s->states = run_is_states(run);
    s->blocks = run->block_count;
}

int inspector_watch_run(struct inspector_watch *watch, struct run *run, struct err *err) {
    *run = (struct run){0};
    if (inspector_data_is_decided(&watch->data)) {
        int made = inspector_run_make(run, &watch->data, strbuf_text(&watch->folder), err);
        if (made == 0) status_of_run(&watch->status, run);
        return made;
    }
    inspector_data_finish(&watch->data);
    int rc = inspector_run_make(run, &watch->data, strbuf_text(&watch->folder), err);
    if (rc == 0) status_of_run(&watch->status, run);
    struct watch_status kept = watch->status;
    begin_anew(watch);
    watch->status = kept;
    return rc;
}
