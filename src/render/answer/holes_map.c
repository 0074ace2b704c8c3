/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/holes_map.h"

#include <stdlib.h>

#include "base/amounts.h"
#include "render/answer/holes_report.h"
#include "render/answer/live_rows.h"
#include "render/format/json_parts.h"
#include "render/format/predicted.h"
#include "render/format/warning_words.h"

static int larger_first(const void *a, const void *b) {
    const struct hole *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* A copy, largest first. */
static struct hole *by_size(const struct holes *holes) {
    struct hole *list = mem_alloc((holes->list.len + 1) * sizeof *list);
    if (holes->list.len) memcpy(list, holes->list.items, holes->list.len * sizeof *list);
    if (holes->list.len) qsort(list, holes->list.len, sizeof *list, larger_first);
    return list;
}

static uint32_t maker(const struct run *run, uint32_t tensor) {
    uint32_t step = run->tensors.items[tensor].producer;
    return step == NONE ? NONE : run->steps.items[step].record;
}

/* When the buffer was allocated, in ns since the start; false if the input does not say. */
static bool since_ns(const struct run *run, uint32_t tensor, uint64_t *ns) {
    uint32_t born = run->tensors.items[tensor].born;
    if (born >= run->times.len) return false;
    *ns = run->times.items[born].start_ns;
    return true;
}

static void text_neighbour(struct strbuf *out, const struct term *term, const struct run *run, const char *side,
                           uint32_t tensor, const char *edge) {
    uint64_t ns;
    strbuf_addf(out, "    %s ", side);
    if (tensor == NONE) {
        strbuf_addf(out, "the %s of the pool\n", edge);
        return;
    }
    add_mb(out, tensor_sum(run, &run->tensors.items[tensor]).per_bank_bytes, 3);
    strbuf_addf(out, " MB at 0x%llx", (unsigned long long)run->addresses.items[tensor]);
    uint32_t record = maker(run, tensor);
    if (record != NONE) {
        strbuf_addz(out, " since ");
        live_rows_op(out, term, run, record);
    } else {
        strbuf_addz(out, " from the start");
    }
    if (since_ns(run, tensor, &ns))
        strbuf_addf(out, ", %s s after the start", figure_ratio((int64_t)(ns / 1000000), 1000, 3).text);
    strbuf_addc(out, '\n');
}

void holes_map_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place,
                    const struct holes *holes) {
    live_place_text(out, term, run, place, "Free");
    strbuf_addc(out, '\n');
    holes_report_text(out, term, run, place->step, place->pool);
    strbuf_addf(out, "\n  %s, the largest first\n", holes->possible ? "Possible holes" : "Holes");
    struct hole *list = by_size(holes);
    size_t shown = place->limit && place->limit < holes->list.len ? place->limit : holes->list.len;
    for (size_t i = 0; i < shown; i++) {
        struct strbuf cell = {0};
        add_mb(&cell, list[i].bytes, 3);
        strbuf_fill(out, ' ', cell.len < 12 ? 12 - cell.len : 0);
        strbuf_add(out, strbuf_slice(&cell));
        strbuf_addf(out, " MB  0x%llx to 0x%llx\n", (unsigned long long)list[i].address,
                    (unsigned long long)(list[i].address + list[i].bytes));
        text_neighbour(out, term, run, "below:", list[i].below, "start");
        text_neighbour(out, term, run, "above:", list[i].above, "end");
        strbuf_release(&cell);
    }
    if (shown < holes->list.len) strbuf_addf(out, "  ... and %zu more; --limit 0 lists all\n", holes->list.len - shown);
    add_predicted_note(out, term, run);
    free(list);
}

static void json_neighbour(struct json *j, const char *key, const struct run *run, uint32_t tensor) {
    uint64_t ns;
    json_key(j, key);
    if (tensor == NONE) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "address", run->addresses.items[tensor]);
    json_member_u64(j, "bytes_per_bank", tensor_sum(run, &run->tensors.items[tensor]).per_bank_bytes);
    json_member_op(j, "op", run, maker(run, tensor));
    bool known = since_ns(run, tensor, &ns);
    json_member_u64_if(j, "since_ns", known, known ? ns : 0);
    json_object_end(j);
}

void holes_map_json(struct strbuf *out, const struct run *run, const struct live_place *place, const struct holes *holes) {
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_member_bool(&j, "predicted", run_is_predicted(run));
    json_member_bool(&j, "l1_per_core", run_l1_is_per_core(run));
    json_member_text(&j, "pool", pool_keys[place->pool]);
    live_place_json(&j, run, place);
    json_member_op(&j, "op", run, place->after_record);
    json_member_op(&j, "before_op", run, place->before_record);
    json_member_u64(&j, "address", holes->base);
    json_member_u64(&j, "capacity_bytes_per_bank", holes->bytes);
    json_member_u64(&j, "free_bytes_per_bank", holes->free);
    json_member_u64(&j, "largest_free_bytes_per_bank", holes->largest);
    json_member_bool(&j, "possible", holes->possible);
    json_key(&j, "holes");
    json_array(&j);
    struct hole *list = by_size(holes);
    size_t shown = place->limit && place->limit < holes->list.len ? place->limit : holes->list.len;
    for (size_t i = 0; i < shown; i++) {
        json_object(&j);
        json_member_u64(&j, "address", list[i].address);
        json_member_u64(&j, "bytes_per_bank", list[i].bytes);
        json_neighbour(&j, "below", run, list[i].below);
        json_neighbour(&j, "above", run, list[i].above);
        json_object_end(&j);
    }
    free(list);
    json_array_end(&j);
    json_member_u64(&j, "left_out", holes->list.len - shown);
    json_key(&j, "pins");
    json_array(&j);
    for (size_t i = 0; i < holes->pins.len; i++) {
        const struct pin *pin = &holes->pins.items[i];
        json_object(&j);
        json_member_u64(&j, "address", pin->address);
        json_member_u64(&j, "bytes_per_bank", pin->bytes);
        json_member_u64(&j, "tensor_count", pin->tensors);
        json_member_op(&j, "op", run, maker(run, pin->tensor));
        json_member_u64(&j, "joined_bytes_per_bank", pin->joined);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
