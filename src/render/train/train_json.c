/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"
#include "render/format/json_parts.h"
#include "render/train/train.h"
#include "render/train/train_words.h"

static void member_percent(struct json *j, const char *key, bool known, int64_t milli) {
    if (known) json_member_milli(j, key, milli);
    else json_member_null(j, key);
}

static void phase_figures(struct json *j, const struct train_phase *phase) {
    for (size_t c = 0; c < TRAIN_L1_CB; c++)
        json_member_bytes_of_milli_if(j, train_columns[c].key, train_has(phase, train_columns[c].figure),
                                      phase->mb[train_columns[c].figure]);
    json_key(j, "l1");
    json_object(j);
    for (size_t c = TRAIN_L1_CB; c < TRAIN_FIGURES; c++)
        json_member_bytes_of_milli_if(
            j, train_columns[c].key,
            train_has(phase, train_columns[c].figure) && !train_wrapped(phase, train_columns[c].figure),
            phase->mb[train_columns[c].figure]);
    json_object_end(j);
}

static void phase_object(struct json *j, const struct train_phase *phase) {
    json_object(j);
    json_member_str(j, "name", phase->name);
    json_member_u64(j, "line", phase->line);
    phase_figures(j, phase);
    json_object_end(j);
}

static void phases(struct json *j, const struct train_result *r) {
    json_key(j, "phases");
    json_array(j);
    for (size_t i = 0; i < r->summary->phases.len; i++) phase_object(j, &r->summary->phases.items[i]);
    json_array_end(j);
    json_key(j, "folded");
    json_array(j);
    for (size_t i = 0; i < r->folds.len; i++) {
        const struct train_fold *fold = &r->folds.items[i];
        json_object(j);
        json_member_str(j, "name", fold->name);
        json_member_u64(j, "count", fold->count);
        json_key(j, "first");
        phase_object(j, &r->summary->phases.items[fold->first]);
        json_key(j, "worst");
        phase_object(j, &r->summary->phases.items[fold->worst]);
        json_key(j, "total");
        json_object(j);
        json_member_bytes_of_milli_if(j, "allocations_bytes", fold->known >> TRAIN_ALLOCATIONS & 1, fold->allocations);
        json_member_bytes_of_milli_if(j, "deallocations_bytes", fold->known >> TRAIN_DEALLOCATIONS & 1, fold->deallocations);
        json_member_bytes_of_milli_if(j, "change_bytes", fold->known >> TRAIN_CHANGE & 1, fold->change);
        json_object_end(j);
        json_object_end(j);
    }
    json_array_end(j);
}

static void size_object(struct json *j, const char *key, const struct train_size *size) {
    json_key(j, key);
    json_object(j);
    json_member_bytes_of_milli_if(j, "actual_bytes", size->has_actual, size->actual);
    json_member_bytes_of_milli_if(j, "expected_bytes", size->has_expected, size->expected);
    member_percent(j, "difference_percent", size->has_difference, size->difference_pct);
    json_object_end(j);
}

static void parts_object(struct json *j, const char *key, const int64_t parts[TRAIN_PARTS]) {
    static const enum train_part order[TRAIN_PARTS] = {PART_MODEL, PART_OPTIMIZER, PART_ACTIVATIONS, PART_GRADIENTS_OVERHEAD,
                                                       PART_OTHER};
    json_key(j, key);
    json_object(j);
    for (size_t i = 0; i < TRAIN_PARTS; i++) json_member_bytes_of_milli(j, train_part_rows[order[i]].key, parts[order[i]]);
    json_object_end(j);
}

static void disagreements(struct json *j, const struct train_result *r) {
    json_key(j, "disagreements");
    json_array(j);
    for (size_t i = 0; i < r->disagreements.len; i++) {
        const struct train_disagreement *d = &r->disagreements.items[i];
        json_object(j);
        json_member_u64(j, "line", d->line);
        json_member_str(j, "phase", d->phase);
        json_member_text(j, "figure", d->what);
        json_member_bytes_of_milli(j, "printed_bytes", d->printed);
        json_member_bytes_of_milli(j, "recomputed_bytes", d->recomputed);
        json_member_bytes_of_milli(j, "difference_bytes", d->printed - d->recomputed);
        json_object_end(j);
    }
    json_array_end(j);
}

static void advice(struct json *j, const struct train_result *r) {
    static const char *const kinds[] = {"recomputation", "smaller_batch", "gradient_accumulation", "peak_outside_passes",
                                        "larger_device"};
    struct strbuf sentence = {0};
    json_key(j, "advice");
    json_array(j);
    for (size_t i = 0; i < r->advice.len; i++) {
        const struct train_advice *a = &r->advice.items[i];
        json_object(j);
        json_member_text(j, "kind", kinds[a->kind]);
        if (!a->enough && a->transient) json_member_null(j, "is_enough");
        else json_member_bool(j, "is_enough", a->enough);
        strbuf_clear(&sentence);
        say_advice(&sentence, r, a);
        json_member_str(j, "text", strbuf_slice(&sentence));
        json_object_end(j);
    }
    json_array_end(j);
    strbuf_release(&sentence);
}

static void fit(struct json *j, const struct train_result *r) {
    json_member_bytes_of_milli_if(j, "activations_bytes", r->has_activations, r->activations);
    json_member_bytes_of_milli_if(j, "peak_bytes", r->has_peak, r->peak);
    json_member_bool(j, "peak_is_lower_bound", r->peak_is_lower_bound);
    if (r->has_peak_phase) json_member_str(j, "peak_phase", r->summary->phases.items[r->peak_phase].name);
    else json_member_null(j, "peak_phase");
    json_member_bytes_of_milli_if(j, "final_bytes", r->summary->final_usage.known, r->summary->final_usage.value);
    member_percent(j, "usage_percent", r->has_peak, r->usage_pct);
    json_member_bytes_of_milli_if(j, "headroom_bytes", r->has_peak, r->headroom);
    if (r->fits_is_final) json_member_bool(j, "fits", r->fits);
    else json_member_null(j, "fits");
}

static void summary(struct json *j, const struct train_result *r) {
    static const char *const from[] = {
        [DEVICE_OPTION] = "option", [DEVICE_CHIP] = "board", [DEVICE_LOG] = "log", [DEVICE_DEFAULT] = "default"};
    json_object(j);
    json_member_str(j, "name", r->name);
    json_member_str(j, "file", r->summary->file);
    json_member_u64(j, "line", r->summary->line);
    json_member_null(j, "rank");
    json_member_u64_if(j, "rank_index", r->summary->has_rank, r->summary->rank);
    json_member_i64_if(j, "parameter_count", r->summary->parameters.known, r->summary->parameters.value);
    json_member_bytes_of_milli(j, "device_bytes", r->device);
    json_member_text(j, "device_from", from[r->device_from]);
    phases(j, r);
    size_object(j, "model_size", &r->model);
    size_object(j, "optimizer", &r->optimizer);
    size_object(j, "gradients", &r->gradients);
    fit(j, r);
    parts_object(j, "bytes_by_class", r->parts);
    json_member_text(j, "bytes_by_class_from", r->parts_measured ? "measured" : "theory");
    json_member_bytes_of_milli(j, "excess_bytes", r->parts_excess);
    disagreements(j, r);
    advice(j, r);
    json_object_end(j);
}

void train_json(struct strbuf *out, const struct train_report *report, const struct term *term) {
    (void)term;
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_key(&j, "summaries");
    json_array(&j);
    for (size_t i = 0; i < report->results.len; i++) summary(&j, &report->results.items[i]);
    json_array_end(&j);
    json_key(&j, "comparisons");
    json_array(&j);
    for (size_t i = 0; i < report->comparisons.len; i++) {
        const struct train_comparison *c = &report->comparisons.items[i];
        json_object(&j);
        json_member_str(&j, "lower", report->results.items[c->lower].name);
        json_member_str(&j, "higher", report->results.items[c->higher].name);
        json_member_bytes_of_milli(&j, "saved_bytes", c->saved);
        parts_object(&j, "change_bytes_by_class", c->parts);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
