/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about other sizes, as text and JSON. */
#include "base/amounts.h"
#include "predict/show/show.h"

static void number_or_null(struct json *j, const char *key, uint64_t n) {
    if (n) json_member_u64(j, key, n);
    else json_member_null(j, key);
}

void show_scale_json(struct json *j, const struct prediction *p) {
    const struct scale *scale = &p->options.scale;
    const struct scaled *scaled = &p->scaled;
    json_key(j, "scale");
    if (!scale_is_set(scale)) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_bool(j, "exact", !scale->weights && !scale->batch);
    number_or_null(j, "kv_len", scale->kv_len);
    number_or_null(j, "kv_blocks", scale->kv_blocks);
    json_member_text(j, "weight_dtype", scale->weights);
    number_or_null(j, "batch", scale->batch);
    number_or_null(j, "batch_was", scaled->batch_was);
    number_or_null(j, "kv_was", scaled->kv_was);
    json_member_u64(j, "cache_count", scaled->caches);
    json_member_u64(j, "weight_tensor_count", scaled->weights);
    json_member_u64(j, "activation_type_count", scaled->activations);
    json_member_u64(j, "unchanged_type_count", scaled->unchanged);
    json_member_u64(j, "sharded_type_left_count", scaled->sharded);
    json_object_end(j);
}

void show_scale_text(struct strbuf *out, const struct prediction *p) {
    const struct scale *scale = &p->options.scale;
    const struct scaled *scaled = &p->scaled;
    if (scale->kv_len || scale->kv_blocks)
        strbuf_addf(out, "%u KV caches scaled from %llu %s; what attention takes while it runs is as compiled\n",
                    scaled->caches, (unsigned long long)scaled->kv_was, scaled->paged ? "blocks" : "positions");
    if (scale->weights)
        strbuf_addf(out, "estimate: %s for weights and what const-eval makes of them (%u tensors), conversions as compiled\n",
                    scale->weights, scaled->weights);
    if (scale->batch)
        strbuf_addf(out, "estimate: batch %llu instead of %llu in %u types; %u types have no such dimension and stay\n",
                    (unsigned long long)scale->batch, (unsigned long long)scaled->batch_was, scaled->activations,
                    scaled->unchanged);
    if (scaled->sharded) strbuf_addf(out, "%u sharded types stay as compiled\n", scaled->sharded);
}

static bool is_cache_search(const struct search_result *found) { return found->kind != SEARCH_BATCH; }

void show_search_text(struct strbuf *out, const struct search_result *found) {
    const char *name = search_names[found->kind];
    if (!found->possible) {
        strbuf_addf(out, "largest %s: the module has no such dimension\n", name);
        return;
    }
    strbuf_addf(out, "largest %s that fits: ", name);
    if (!found->best) strbuf_addz(out, "none, even the smallest does not");
    else {
        strbuf_addf(out, "%s (compiled for %s), peak ", figure_grouped(found->best).text, figure_grouped(found->was).text);
        add_mb(out, found->peak, 1);
        strbuf_addz(out, " MB");
    }
    strbuf_addz(out, found->kind == SEARCH_BATCH ? "; an estimate\n" : "\n");
    if (found->best && is_cache_search(found))
        strbuf_addf(out, "  --gpu-memory-utilization %s asks vLLM for that much, and not for more\n",
                    figure_milli((int64_t)found->utilization_milli, 3).text);
    if (!found->bounded) strbuf_addz(out, "  nothing that was tried is too large\n");
    else if (found->next_failed) {
        strbuf_addf(out, "  the next one: %s is %s at %s\n", pool_names[found->next.pool],
                    found->next.kind == MEMORY_BEYOND_BANK ? "too small" : memory_failure_names[found->next.kind],
                    found->next_op);
    }
}

void show_search_json(struct json *j, const struct search_result *found) {
    json_key(j, "max");
    if (!found) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_text(j, "of", search_names[found->kind]);
    json_member_bool(j, "exact", found->kind != SEARCH_BATCH);
    number_or_null(j, "was", found->was);
    number_or_null(j, "largest", found->best);
    json_member_bool(j, "bounded", found->bounded);
    if (found->best) json_member_u64(j, "peak_bytes_per_bank", found->peak);
    else json_member_null(j, "peak_bytes_per_bank");
    if (found->best && is_cache_search(found)) {
        json_member_u64(j, "kv_cache_bytes_per_bank", found->cache_bytes);
        json_key(j, "gpu_memory_utilization");
        json_milli(j, (int64_t)found->utilization_milli);
    } else {
        json_member_null(j, "kv_cache_bytes_per_bank");
        json_member_null(j, "gpu_memory_utilization");
    }
    json_key(j, "next");
    if (found->next_failed) {
        json_object(j);
        json_member_text(j, "kind", memory_failure_names[found->next.kind]);
        json_member_text(j, "op_name", found->next_op);
        json_member_u64(j, "requested_bytes_per_bank", found->next.want);
        json_member_u64(j, "largest_free_bytes_per_bank", found->next.largest);
        json_object_end(j);
    } else {
        json_null(j);
    }
    json_object_end(j);
}
