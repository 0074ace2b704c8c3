/* SPDX-License-Identifier: Apache-2.0 */
#include "render/compare/diff.h"
#include "render/format/json_parts.h"
#include "render/ranks/ranks_report.h"

static void member_rank(struct json *j, const char *key, const struct run *run, uint16_t rank) {
    json_key(j, key);
    json_rank(j, run, rank);
}

static void row(struct json *j, const struct run *run, const struct rank_row *row) {
    const struct rank *rank = &run->ranks.items[row->rank];
    json_object(j);
    json_member_rank(j, run, row->rank);
    json_member_text_or_null(j, "host_name", run_string(run, rank->host));
    json_member_text_or_null(j, "device_names", run_string(run, rank->devices));
    json_member_u64(j, "op_count", rank->records);
    json_member_i64_if(j, "peak_bytes_per_bank", row->peak.seen, peak_bytes(&row->peak));
    json_member_bool(j, "peak_at_least", row->at_least);
    json_member_op(j, "peak_after_op", run, row->peak.seen ? row->peak.after_record : NONE);
    bool has_total = row->peak.seen && row->peak.total;
    json_member_i64_if(j, "capacity_bytes_per_bank", has_total, peak_total_bytes(&row->peak));
    json_member_i64_if(j, "free_bytes_per_bank", has_total, peak_total_bytes(&row->peak) - peak_bytes(&row->peak));
    json_member_i64_if(j, "largest_free_bytes_per_bank", row->free_seen, row->largest_bytes);
    json_key(j, "host_peak_bytes");
    if (rank->host_peak_bytes) json_u64(j, rank->host_peak_bytes);
    else json_null(j);
    json_member_u64(j, "failure_count", rank->failures);
    json_member_bool(j, "odd", row->odd);
    json_object_end(j);
}

static void spread(struct json *j, const struct ranks_page *page) {
    const struct rank_rows *rows = page->rows;
    uint64_t percent;
    json_key(j, "spread");
    if (!rows->measured) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "rank_count", rows->measured);
    json_member_i64(j, "lowest_bytes_per_bank", peak_bytes(&rows->rows.items[rows->lowest].peak));
    member_rank(j, "lowest_rank", page->run, rows->rows.items[rows->lowest].rank);
    json_member_i64(j, "median_bytes_per_bank", peak_bytes(&rows->rows.items[rows->median].peak));
    member_rank(j, "median_rank", page->run, rows->rows.items[rows->median].rank);
    json_member_i64(j, "highest_bytes_per_bank", peak_bytes(&rows->rows.items[0].peak));
    member_rank(j, "highest_rank", page->run, rows->rows.items[0].rank);
    json_member_i64(j, "median_distance_bytes_per_bank", rows->distance_bytes);
    bool bounds = rows->unread > 0;
    for (size_t i = 0; i < rows->measured; i++) bounds |= rows->rows.items[i].at_least;
    json_key(j, "spread_percent");
    if (rank_rows_spread(rows, &percent)) json_milli(j, (int64_t)percent);
    else json_null(j);
    json_member_bool(j, "of_bounds", bounds);
    json_member_u64(j, "odd_count", rows->odd);
    json_object_end(j);
}

/* Why the higher of two ranks, by their rows, holds more. */
static void explanation(struct json *j, const struct ranks_page *page, const struct rank_why *w) {
    if (!w) {
        json_null(j);
        return;
    }
    const struct rank_diff *why = &w->diff;
    const struct diff *d = &why->diff;
    const struct diff_pool *pool = &d->pools[POOL_DRAM];
    struct strbuf text = {0};
    json_object(j);
    member_rank(j, "rank", page->run, page->rows->rows.items[w->high].rank);
    member_rank(j, "than_rank", page->run, page->rows->rows.items[w->low].rank);
    json_member_i64(j, "difference_bytes_per_bank", pool->difference);
    json_member_bool(j, "same_ops", why->same_ops);
    json_member_op(j, "from_op", page->run, why->from_op);
    json_key(j, "from_bytes_per_bank");
    if (why->from_op == NONE && !why->from_start) json_null(j);
    else json_i64(j, why->from_bytes);
    json_member_u64(j, "from_again", why->from_again);
    json_key(j, "parts");
    json_array(j);
    for (size_t i = 0; i < pool->parts.len; i++) {
        const struct diff_part *part = &pool->parts.items[i];
        json_object(j);
        json_member_text(j, "class", diff_class_words(part));
        json_member_text(j, "cause", diff_cause_names[part->cause]);
        json_member_u64(j, "tensor_count", part->tensors);
        json_member_i64(j, "bytes_per_bank", part->bytes);
        strbuf_clear(&text);
        diff_tensor_title(&text, d, &pool->tensors.items[part->row]);
        json_member_str(j, "largest_tensor", strbuf_slice(&text));
        strbuf_clear(&text);
        diff_tensor_change(&text, d, &pool->tensors.items[part->row], (enum diff_cause)part->cause, " -> ");
        json_member_str(j, "change", strbuf_slice(&text));
        json_object_end(j);
    }
    json_array_end(j);
    json_member_i64(j, "unexplained_bytes_per_bank", pool->rest);
    json_key(j, "same_peak_ranks");
    json_array(j);
    for (size_t i = w->first + 1; i < w->end; i++) json_rank(j, page->run, page->rows->rows.items[i].rank);
    json_array_end(j);
    json_object_end(j);
    strbuf_release(&text);
}

/* For the highest rank, the lowest if it is odd, and all that were compared. */
static void explanations(struct json *j, const struct ranks_page *page) {
    const struct rank_rows *rows = page->rows;
    const struct rank_whys *whys = page->whys;
    const size_t count = whys ? whys->items.len : 0;
    const struct rank_why *highest = count && !whys->items.items[0].first ? &whys->items.items[0] : NULL;
    const struct rank_why *lowest =
        count && whys->items.items[count - 1].end == rows->measured ? &vec_last(&whys->items) : NULL;
    json_key(j, "explanation");
    explanation(j, page, highest);
    json_key(j, "explanation_lowest");
    explanation(j, page, lowest);
    json_key(j, "explanations");
    json_array(j);
    for (size_t i = 0; i < count; i++) explanation(j, page, &whys->items.items[i]);
    json_array_end(j);
    json_member_u64(j, "explanations_left_out", whys ? whys->left_out : 0);
}

void ranks_json(struct strbuf *out, const struct ranks_page *page) {
    const struct rank_rows *rows = page->rows;
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_key(&j, "ranks");
    json_array(&j);
    size_t shown = page->limit && page->limit < rows->rows.len ? page->limit : rows->rows.len;
    for (size_t i = 0; i < shown; i++) row(&j, page->run, &rows->rows.items[i]);
    json_array_end(&j);
    json_member_u64(&j, "ranks_left_out", rows->rows.len - shown);
    json_member_u64(&j, "ranks_unread", rows->unread);
    spread(&j, page);
    explanations(&j, page);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
