#include "base/json_write.h"
#include "render/explain.h"

static void member_number(struct json *j, const char *key, const struct failure *f, enum failure_number n) {
    if (failure_knows(f, n)) json_member_u64(j, key, f->number[n]);
    else json_member_null(j, key);
}

static void member_if(struct json *j, const char *key, bool known, uint64_t value) {
    if (known) json_member_u64(j, key, value);
    else json_member_null(j, key);
}

static bool limits_l1(const struct failure *f) { return f->kind != FAILURE_TRACE_REGION && failure_knows(f, FAILURE_LIMIT); }

static void failure_object(struct json *j, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    const struct verdict *v = &e->verdict;
    json_object(j);
    json_member_text(j, "kind", failure_kind_name(f->kind));
    json_member_text(j, "verdict", verdict_name(v->kind));
    json_member_text(j, "pool", failure_pool_name(f->pool));
    member_number(j, "requested_bytes", f, FAILURE_REQUESTED);
    member_number(j, "banks", f, FAILURE_BANKS);
    member_number(j, "per_bank_bytes", f, FAILURE_PER_BANK);
    member_number(j, "bank_bytes", f, FAILURE_BANK);
    member_number(j, "allocated_bytes", f, FAILURE_ALLOCATED);
    member_number(j, "free_bytes", f, FAILURE_FREE);
    member_number(j, "largest_free_bytes", f, FAILURE_LARGEST);
    member_if(j, "shortfall_bytes", v->has_shortfall, v->shortfall_bytes);
    json_member_text(j, "core_range", f->core_range[0] ? f->core_range : NULL);
    member_number(j, "l1_buffer_address", f, FAILURE_L1_ADDRESS);
    member_number(j, "cb_region_end", f, FAILURE_REGION_END);
    member_if(j, "overlap_bytes", v->has_overlap, v->overlap_bytes);
    member_if(j, "l1_limit_bytes", limits_l1(f), f->number[FAILURE_LIMIT]);
    json_member_u64(j, "line", e->entry->line);
    json_member_u64(j, "count", e->entry->count);
    member_if(j, "op_index", e->context.has_index, e->context.op_index);
    if (e->context.has_op) json_member_str(j, "op", e->context.op);
    else json_member_null(j, "op");
    json_member_text(j, "chip", v->chip ? v->chip->name : NULL);
    json_key(j, "advice");
    json_array(j);
    for (size_t i = 0; i < v->advice_len; i++) json_str(j, v->advice[i]);
    json_array_end(j);
    json_object_end(j);
}

void explain_json_list(struct json *j, const struct explain *explain) {
    json_array(j);
    for (size_t i = 0; i < explain->failures.len; i++) failure_object(j, &explain->failures.items[i]);
    json_array_end(j);
}

void explain_json(struct strbuf *out, const struct explain *explain) {
    struct json j = {.out = out, .pretty = true};
    json_object(&j);
    json_key(&j, "failures");
    explain_json_list(&j, explain);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
