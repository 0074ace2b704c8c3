/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem history show: everything that is kept about one run. */
#include <stdlib.h>

#include "base/json_write.h"
#include "base/num.h"
#include "cmd/line/emit.h"
#include "cmd/history/history_options.h"
#include "render/compare/budget.h"
#include "base/amounts.h"
#include "parse/failure/failure.h"
#include "render/format/json_parts.h"

struct shown_field {
    const char *name;
    struct slice value;
};

static void text_field(struct strbuf *out, const struct term *term, const char *name, struct slice value) {
    if (!value.len) return;
    strbuf_addf(out, "  %-16s", name);
    term_text(out, term, value, 0);
    strbuf_addc(out, '\n');
}

/* Of several, the highest DRAM peak first. */
static void ranks_text(struct strbuf *out, const struct term *term, const struct footprint *f) {
    enum { SHOWN = 12 };
    size_t count = f->rank_peaks.len;
    if (count < 2) return;
    strbuf_addf(out, "\n  %zu ranks, DRAM peaks per bank\n", count);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const struct footprint_rank *rank = &f->rank_peaks.items[i];
        struct slice name = footprint_text(f, f->ranks.items[rank->rank]);
        strbuf_addz(out, "    ");
        term_text(out, term, name.len ? name : SLICE("untagged"), 40);
        if (rank->seen >> POOL_DRAM & 1) strbuf_addf(out, "  %s MB", figure_milli(rank->peak[POOL_DRAM], 3).text);
        if (rank->seen >> POOL_DRAM & 1 && rank->after_op != NONE) strbuf_addf(out, "  after #%u", rank->after_op);
        strbuf_addc(out, '\n');
    }
    if (count > SHOWN) strbuf_addf(out, "    %zu more; --json lists all\n", count - SHOWN);
}

static void ranks_json(struct json *j, const struct footprint *f) {
    json_key(j, "ranks");
    json_array(j);
    for (size_t i = 0; i < f->rank_peaks.len; i++) {
        const struct footprint_rank *rank = &f->rank_peaks.items[i];
        struct slice name = footprint_text(f, f->ranks.items[rank->rank]);
        bool seen = rank->seen >> POOL_DRAM & 1;
        json_object(j);
        json_member_text_or_null(j, "rank", name);
        json_member_u64(j, "rank_index", rank->rank);
        json_member_i64_if(j, "peak_bytes_per_bank", seen, num_milli_mb_to_bytes(rank->peak[POOL_DRAM]));
        json_member_i64_if(j, "capacity_bytes_per_bank", seen, num_milli_mb_to_bytes(rank->total[POOL_DRAM]));
        json_member_u64_if(j, "peak_after_index", seen && rank->after_op != NONE, rank->after_op);
        json_object_end(j);
    }
    json_array_end(j);
}

static int higher_peak_first(const void *a, const void *b) {
    const struct footprint_rank *x = a, *y = b;
    if (x->peak[POOL_DRAM] != y->peak[POOL_DRAM]) return x->peak[POOL_DRAM] < y->peak[POOL_DRAM] ? 1 : -1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void details_text(struct strbuf *out, const struct term *term, const struct history_details *d,
                         const struct footprint *f, const char *id, struct slice added) {
    const struct shown_field fields[] = {{"added", added},          {"commit", d->run.commit}, {"branch", d->run.branch},
                                         {"host", d->run.host},     {"job", d->run.job},       {"chip", d->run.chip},
                                         {"source", d->run.source}, {"report", d->run.name}};
    term_tone(out, term, TONE_BOLD);
    term_text(out, term, d->run.model, 0);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addf(out, "  %s%s%s\n\n", id, history_run_is_predicted(&d->run) ? "  predicted" : "",
                d->run.has_ops ? "  with ops" : "");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) text_field(out, term, fields[i].name, fields[i].value);
    for (size_t i = 0; i < d->labels.len; i++) {
        strbuf_addz(out, "  label           ");
        term_text(out, term, d->labels.items[i].name, 40);
        strbuf_addc(out, '=');
        term_text(out, term, d->labels.items[i].value, 0);
        strbuf_addc(out, '\n');
    }
    strbuf_addc(out, '\n');
    for (size_t i = 0; i < d->measures.len; i++) {
        const struct measure *measure = measure_find(d->measures.items[i]);
        struct strbuf cell = {0};
        if (!measure) continue; /* from a newer ttmem */
        measure_amount(&cell, measure, d->values.items[i]);
        strbuf_addf(out, "  %-22s%*s%.*s", measure->name, (int)(cell.len < 14 ? 14 - cell.len : 0), "",
                    SLICE_FMT(strbuf_slice(&cell)));
        strbuf_clear(&cell);
        if (d->wholes.items[i]) add_percent(&cell, d->values.items[i], (uint64_t)d->wholes.items[i]);
        strbuf_fill(out, ' ', cell.len && cell.len < 10 ? 10 - cell.len : 0);
        strbuf_add(out, strbuf_slice(&cell));
        if (measure_is_total(measure)) strbuf_addz(out, "  in total");
        const struct history_peak *peak = history_peak_of(d, d->measures.items[i]);
        if (peak && peak->at_least && d->values.items[i])
            strbuf_addf(out, "  at least: %s",
                        peak->ended && history_run_is_predicted(&d->run) ? "it would not fit"
                        : peak->ended
                            ? "the run failed"
                            : peak_bound_words(&(struct peak){.source = peak->source, .total = d->wholes.items[i] > 0}));
        strbuf_addc(out, '\n');
        strbuf_release(&cell);
    }
    ranks_text(out, term, f);
    if (!d->other_fatal.len) return;
    bool maybe = failure_words_may_be_memory(d->other_fatal);
    strbuf_addz(out, maybe ? "\n  maybe a memory failure: " : "\n  not a memory failure: ");
    term_text(out, term, d->other_fatal, 100);
    strbuf_addf(out, ", line %lld\n", (long long)d->other_fatal_line);
}

static void details_json(struct strbuf *out, const struct history_details *d, const struct footprint *f, const char *id,
                         struct slice added) {
    struct json j = {.out = out, .pretty = true};
    const struct shown_field fields[] = {{"added", added},          {"model", d->run.model},    {"commit", d->run.commit},
                                         {"branch", d->run.branch}, {"host_name", d->run.host}, {"job", d->run.job},
                                         {"chip", d->run.chip},     {"source", d->run.source},  {"name", d->run.name}};
    json_document(&j);
    json_member_text(&j, "id", id);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) json_member_text_or_null(&j, fields[i].name, fields[i].value);
    json_member_bool(&j, "predicted", history_run_is_predicted(&d->run));
    json_member_i64(&j, "op_count", d->run.ops);
    json_member_bool(&j, "has_ops", d->run.has_ops);
    history_json_labels(&j, d);
    history_json_measures(&j, d);
    ranks_json(&j, f);
    json_key(&j, "not_memory_failure");
    if (d->other_fatal.len) {
        json_object(&j);
        json_member_str(&j, "message", d->other_fatal);
        json_member_i64(&j, "line", d->other_fatal_line);
        json_member_bool(&j, "maybe_memory", failure_words_may_be_memory(d->other_fatal));
        json_object_end(&j);
    } else {
        json_null(&j);
    }
    json_object_end(&j);
    strbuf_addc(out, '\n');
}

static int run(struct invocation *inv, struct err *err) {
    struct history_details details = {0};
    struct footprint footprint = {0};
    struct strbuf text = {0}, added = {0};
    int64_t id = 0;
    char digits[HISTORY_ID_DIGITS + 1];
    bool json = args_has(&inv->args, "json");
    struct store *store = history_store_open(&inv->work, false, err);
    int rc = store ? history_find(store, inv->args.words.items[0], &id, err) : -1;
    if (rc == 0) rc = history_details(store, id, &details, err);
    if (rc == 0) rc = history_footprint(store, id, &footprint, err);
    if (rc == 0) {
        if (footprint.rank_peaks.len)
            qsort(footprint.rank_peaks.items, footprint.rank_peaks.len, sizeof *footprint.rank_peaks.items, higher_peak_first);
        history_id_text(id, digits);
        add_time(&added, details.run.added, true);
        if (json) details_json(&text, &details, &footprint, digits, strbuf_slice(&added));
        else details_text(&text, &inv->work.out, &details, &footprint, digits, strbuf_slice(&added));
        rc = emit_answer(inv, strbuf_slice(&text), !json, err);
    }
    history_close(store);
    history_details_release(&details);
    footprint_release(&footprint);
    strbuf_release(&text);
    strbuf_release(&added);
    return rc;
}

static const struct option options[] = {OPTION_STORE, OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_history_show = {
    .name = "history show",
    .summary = "Show what the history keeps about a run",
    .synopsis = "ID|branch:NAME [--json] [options]",
    .details =
        "ID is the id that history list shows; its first characters are enough, if no other id begins with them. Device "
        "memory is per bank, padding in total.",
    .example = "ttmem history show branch:main",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
