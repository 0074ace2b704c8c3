/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/holes_report.h"

#include "analysis/run/holes.h"
#include "base/amounts.h"
#include "render/format/json_parts.h"
#include "render/answer/live_rows.h"
#include "render/format/warning_words.h"

enum { PINS_SHOWN = 5 };

static uint32_t producer_record(const struct run *run, const struct pin *pin) {
    uint32_t step = run->tensors.items[pin->tensor].producer;
    return step == NONE ? NONE : run->steps.items[step].record;
}

static void text_pin(struct strbuf *out, const struct term *term, const struct run *run, const struct pin *pin) {
    struct strbuf cell = {0};
    uint32_t made = producer_record(run, pin);
    add_mb(&cell, pin->bytes, 3);
    strbuf_fill(out, ' ', cell.len < 12 ? 12 - cell.len : 0);
    strbuf_add(out, strbuf_slice(&cell));
    strbuf_addf(out, " MB  at 0x%llx  ", (unsigned long long)pin->address);
    if (made != NONE) live_rows_op(out, term, run, made);
    if (pin->tensors > 1) strbuf_addf(out, " and %u more", pin->tensors - 1);
    strbuf_addz(out, made == NONE ? "without it " : "  without it ");
    add_mb(out, pin->joined, 3);
    strbuf_addz(out, " MB in one piece\n");
    strbuf_release(&cell);
}

void holes_report_text(struct strbuf *out, const struct term *term, const struct run *run, uint32_t step, enum pool pool) {
    struct holes holes;
    if (holes_at(run, step, pool, &holes)) {
        strbuf_addc(out, '\n');
        if (holes.possible)
            strbuf_addz(out, "  Possible holes, at most this large: of some buffers the bytes per bank are lower bounds.\n");
        strbuf_addf(out, "  Free: %llu %s, ", (unsigned long long)holes.count, holes.count == 1 ? "hole" : "holes");
        add_mb(out, holes.free, 3);
        strbuf_addf(out, " MB per %s, the largest ", pool_unit(run, pool));
        add_mb(out, holes.largest, 3);
        strbuf_addz(out, holes.pins.len ? " MB; pins, which lie between two of them:\n" : " MB\n");
        for (size_t i = 0; i < holes.pins.len && i < PINS_SHOWN; i++) text_pin(out, term, run, &holes.pins.items[i]);
        if (holes.pins.len > PINS_SHOWN)
            strbuf_addf(out, "  ... and %zu more; --json lists all\n", holes.pins.len - PINS_SHOWN);
    }
    holes_release(&holes);
}

void holes_report_json(struct json *j, const struct run *run, uint32_t step, enum pool pool) {
    struct holes holes;
    json_key(j, "free_space");
    if (holes_at(run, step, pool, &holes)) {
        json_object(j);
        json_member_u64(j, "count", holes.count);
        json_member_u64(j, "free_bytes_per_bank", holes.free);
        json_member_u64(j, "largest_free_bytes_per_bank", holes.largest);
        json_key(j, "pins");
        json_array(j);
        for (size_t i = 0; i < holes.pins.len; i++) {
            const struct pin *pin = &holes.pins.items[i];
            json_object(j);
            json_member_u64(j, "address", pin->address);
            json_member_u64(j, "bytes_per_bank", pin->bytes);
            json_member_u64(j, "tensor_count", pin->tensors);
            json_member_op(j, "op", run, producer_record(run, pin));
            json_member_u64(j, "joined_bytes_per_bank", pin->joined);
            json_object_end(j);
        }
        json_array_end(j);
        json_object_end(j);
    } else {
        json_null(j);
    }
    holes_release(&holes);
}
