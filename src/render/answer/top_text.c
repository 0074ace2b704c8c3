/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "base/utf8.h"
#include "base/amounts.h"
#include "render/answer/top_view.h"

enum { BAR_CELLS = 24, WARN_PERCENT = 80, BAD_PERCENT = 90, NAME_WIDTH = 16, COMMAND_WIDTH = 60, AMOUNT_WIDTH = 10 };

void add_age(struct strbuf *out, uint64_t then_ns, uint64_t now_ns) {
    static const uint64_t second = 1000000000;
    if (!then_ns) strbuf_addz(out, "never");
    else if (then_ns > now_ns + second) strbuf_addz(out, "in the future");
    else {
        uint64_t ns = now_ns > then_ns ? now_ns - then_ns : 0, s = ns / second;
        if (s < 10) strbuf_addf(out, "%llu.%llu s", (unsigned long long)s, (unsigned long long)(ns % second / (second / 10)));
        else if (s < 120) strbuf_addf(out, "%llu s", (unsigned long long)s);
        else if (s < 7200) strbuf_addf(out, "%llu min", (unsigned long long)(s / 60));
        else if (s < 172800) strbuf_addf(out, "%llu h", (unsigned long long)(s / 3600));
        else strbuf_addf(out, "%llu d", (unsigned long long)(s / 86400));
    }
}

static void right(struct strbuf *out, struct strbuf *cell, size_t width) {
    strbuf_fill(out, ' ', cell->len < width ? width - cell->len : 0);
    strbuf_add(out, strbuf_slice(cell));
    strbuf_clear(cell);
}

static void left(struct strbuf *out, const struct term *term, struct slice text, size_t width) {
    size_t start = out->len;
    term_text(out, term, text, width);
    size_t used = utf8_width(slice_of(out->data + start, out->len - start));
    strbuf_fill(out, ' ', used < width ? width - used : 0);
}

static void kind_line(struct strbuf *out, const struct term *term, const struct live_device *device, enum shm_kind kind,
                      const struct chip *chip) {
    uint64_t sum = device->sum[kind], capacity = live_capacity(chip, kind);
    struct strbuf cell = {0};
    strbuf_addf(out, "  %-9s", shm_kind_names[kind]);
    if (capacity) {
        int64_t percent = num_percent_milli((int64_t)sum, (int64_t)capacity);
        enum tone tone = percent >= BAD_PERCENT * 1000 ? TONE_BAD : percent >= WARN_PERCENT * 1000 ? TONE_WARN : TONE_PLAIN;
        term_bar(out, term, (int64_t)(sum < capacity ? sum : capacity), (int64_t)capacity, BAR_CELLS);
        add_scaled_size(&cell, sum, true);
        right(out, &cell, AMOUNT_WIDTH + 1);
        strbuf_addz(out, " of ");
        add_scaled_size(out, capacity, true);
        if (tone != TONE_PLAIN) term_tone(out, term, tone);
        strbuf_addf(out, "  %3s %%", figure_percent((int64_t)sum, capacity, 0).text);
        if (tone != TONE_PLAIN) term_tone(out, term, TONE_PLAIN);
    } else {
        add_scaled_size(&cell, sum, true);
        right(out, &cell, AMOUNT_WIDTH);
    }
    if (device->total[kind] != sum) {
        strbuf_addz(out, "   the segment says ");
        add_scaled_size(out, device->total[kind], true);
    }
    strbuf_addc(out, '\n');
    strbuf_release(&cell);
}

static void process_head(struct strbuf *out, const struct term *term) {
    term_tone(out, term, TONE_DIM);
    strbuf_addf(out, "\n  %9s  %-*s", "PID", NAME_WIDTH, "PROCESS");
    for (unsigned kind = 0; kind < SHM_KINDS; kind++) strbuf_addf(out, "%*s", AMOUNT_WIDTH, shm_kind_names[kind]);
    strbuf_addf(out, "%*s%10s  %s\n", AMOUNT_WIDTH, "HOST RSS", "UPDATED", "COMMAND");
    term_tone(out, term, TONE_PLAIN);
}

static void process_line(struct strbuf *out, const struct term *term, const struct live_process *process, uint64_t now_ns) {
    struct strbuf cell = {0};
    if (!process_counts(process)) term_tone(out, term, TONE_DIM);
    strbuf_addf(out, "  %9d  ", process->pid);
    left(out, term, process->name, NAME_WIDTH);
    for (unsigned kind = 0; kind < SHM_KINDS; kind++) {
        add_scaled_size(&cell, process->bytes[kind], true);
        right(out, &cell, AMOUNT_WIDTH);
    }
    if (process->rss_bytes) add_scaled_size(&cell, process->rss_bytes, true);
    else strbuf_addc(&cell, '-');
    right(out, &cell, AMOUNT_WIDTH);
    add_age(&cell, process->updated_ns, now_ns);
    right(out, &cell, 10);
    strbuf_addz(out, "  ");
    if (process->state == PROCESS_ALIVE) term_text(out, term, process->command, COMMAND_WIDTH);
    else if (process->state == PROCESS_NOT_VISIBLE) strbuf_addz(out, "(not visible here: another pid namespace)");
    else strbuf_addf(out, "(%s: left its numbers behind, not in the sum)", process_state_names[process->state]);
    if (!process_counts(process)) term_tone(out, term, TONE_PLAIN);
    strbuf_addc(out, '\n');
    strbuf_release(&cell);
}

/* A device with several chips: each with its own sums, as stored in the segment. */
static void chip_line(struct strbuf *out, const struct shm_chip *chip) {
    strbuf_addf(out, "    chip %u%s ", chip->id, chip->remote ? " (remote)" : "");
    for (unsigned kind = 0; kind < SHM_KINDS; kind++) {
        if (!chip->bytes[kind] && kind > SHM_L1) continue;
        strbuf_addf(out, "  %s ", shm_kind_names[kind]);
        add_scaled_size(out, chip->bytes[kind], true);
    }
    strbuf_addc(out, '\n');
}

static void device_text(struct strbuf *out, const struct term *term, const struct live_device *device,
                        const struct top_options *options, uint64_t now_ns) {
    term_tone(out, term, TONE_BOLD);
    if (device->problem == DEVICE_OK) strbuf_addf(out, "device %u", device->id);
    else strbuf_addz(out, "device");
    term_tone(out, term, TONE_PLAIN);
    strbuf_addf(out, "   chip %llu", (unsigned long long)device->asic);
    if (device->problem != DEVICE_OK) {
        strbuf_addz(out, "   ");
        live_device_problem(device, out);
        strbuf_addz(out, "\n\n");
        return;
    }
    /* a segment names its chip by a serial number, which does not tell the kind */
    strbuf_addf(out, "%s%s", term_dot(term),
                options->chip ? options->chip->title : "capacity not known (--device n150 or the like)");
    strbuf_addf(out, "%supdated ", term_dot(term));
    add_age(out, device->updated_ns, now_ns);
    strbuf_addz(out, device->updated_ns && device->updated_ns <= now_ns ? " ago\n" : "\n");
    for (unsigned kind = 0; kind < SHM_KINDS; kind++)
        if (kind <= SHM_L1 || device->sum[kind] || device->total[kind])
            kind_line(out, term, device, (enum shm_kind)kind, options->chip);
    for (unsigned i = 0; device->chip_count > 1 && i < device->chip_count; i++) chip_line(out, &device->chips[i]);
    if (device->process_count) process_head(out, term);
    for (unsigned i = 0; i < device->process_count; i++) process_line(out, term, &device->processes[i], now_ns);
    if (!device->process_count) strbuf_addz(out, "  no process has it open\n");
    strbuf_addc(out, '\n');
}

/* Which devices, if it does not hold of all. */
static void add_bound_note(struct strbuf *out, const struct term *term, const struct live_devices *live) {
    struct strbuf of = {0};
    bool all = true;
    for (size_t i = 0; i < live_devices_count(live); i++) {
        const struct live_device *device = live_devices_get(live, i);
        if (device->problem != DEVICE_OK) continue;
        if (live_device_may_lack(device, SHM_DRAM)) strbuf_addf(&of, "%s%u", of.len ? ", " : "", device->id);
        else all = false;
    }
    if (of.len) {
        term_tone(out, term, TONE_DIM);
        if (all) strbuf_addz(out, "The figures");
        else strbuf_addf(out, "The figures of device %.*s", SLICE_FMT(strbuf_slice(&of)));
        strbuf_addz(
            out,
            ", except CB and HOST RSS, are lower bounds with tt-metal from 2026-05-27 on: it counts only\n"
            "what the thread that opened the first device allocates. A segment does not say which tt-metal wrote it.\n");
        term_tone(out, term, TONE_PLAIN);
    }
    strbuf_release(&of);
}

void top_text(struct strbuf *out, const struct term *term, const struct live_devices *live, const struct top_options *options) {
    for (size_t i = 0; i < live_devices_count(live); i++)
        device_text(out, term, live_devices_get(live, i), options, live_devices_now(live));
    add_bound_note(out, term, live);
    if (out->len > 1 && out->data[out->len - 2] == '\n') out->len--;
}
