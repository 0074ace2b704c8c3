/* SPDX-License-Identifier: Apache-2.0 */
#include "usage/summary.h"

#include "base/amounts.h"
#include "usage/program.h"

enum { LINE_ROOM = 640, FRAME_ROOM = 256 };

/* Rounded as in tt-train, which first printed this text. */
static void add_unsigned_mb(struct strbuf *out, const char *label, uint64_t bytes) {
    strbuf_addz(out, label);
    add_mb_even(out, bytes);
    strbuf_addz(out, " MB");
}

static void add_signed_mb(struct strbuf *out, const char *label, int64_t bytes, bool plus) {
    strbuf_addz(out, label);
    add_unsigned_mb(out, bytes < 0 ? "-" : plus ? "+" : "", bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes);
}

static int64_t change_of(const struct usage_line *line) {
    return line->dram_freed == INT64_MIN ? INT64_MAX : sat_add(line->dram_allocated, -line->dram_freed);
}

/* The peak of a segment counts from what was in use when it began. */
static void accumulate(const struct usage_line *line, int64_t *peak, int64_t *current) {
    int64_t reached = sat_add(*current, line->dram_peak);
    if (reached > *peak) *peak = reached;
    *current = sat_add(*current, change_of(line));
}

size_t usage_summary_room(const struct usage_line *lines, size_t len) {
    size_t room = FRAME_ROOM;
    for (size_t i = 0; i < len; i++) room += LINE_ROOM + lines[i].name.len;
    return room;
}

void usage_summary(struct strbuf *out, const struct usage_line *lines, size_t len) {
    if (!len) {
        strbuf_addz(out, "WARNING: No traces captured\n");
        return;
    }
    strbuf_addz(out, "=== Memory Usage Summary ===\n\n");
    int64_t peak = 0, current = 0;
    for (size_t i = 0; i < len; i++) {
        const struct usage_line *line = &lines[i];
        accumulate(line, &peak, &current);
        strbuf_addz(out, "--- ");
        strbuf_add(out, line->name);
        strbuf_addz(out, " ---\n");
        add_signed_mb(out, "  DRAM: Segment Peak ", line->dram_peak, false);
        add_signed_mb(out, ", Allocations ", line->dram_allocated, false);
        add_signed_mb(out, ", Deallocations ", line->dram_freed, false);
        add_signed_mb(out, ", Segment Change ", change_of(line), true);
        add_signed_mb(out, "\n  DRAM: Cumulative Peak ", peak, false);
        add_signed_mb(out, ", Cumulative Current ", current, false);
        add_unsigned_mb(out, "\n  L1: Peak CB ", line->l1_circular);
        add_unsigned_mb(out, ", Peak Buffer ", line->l1_buffer);
        add_unsigned_mb(out, ", Peak Total ", line->l1_total);
        strbuf_addc(out, '\n');
    }
    strbuf_addz(out, "\n=== Final Totals ===\n");
    add_signed_mb(out, "Overall DRAM Peak: ", peak, false);
    add_signed_mb(out, ", Final DRAM Usage: ", current, false);
    strbuf_addz(out, "\n\n");
}
