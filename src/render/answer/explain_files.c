/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/explain_files.h"

#include "analysis/failure/failure_class.h"
#include "render/format/json_parts.h"

static struct slice keep(struct explain_files *all, struct strbuf *text) {
    struct slice kept = arena_copy(&all->arena, strbuf_slice(text));
    strbuf_clear(text);
    return kept;
}

static void add_row(struct explain_files *all, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    struct arena arena = {0};
    const struct verdict advised = explanation_advised(e, &arena), *v = &advised;
    struct explain_row row = {.class = failure_class(f, v->kind),
                              .line = e->line,
                              .printed = e->count,
                              .outcome = e->outcome.kind,
                              .warning = f->warning,
                              .file = all->files.len - 1};
    struct strbuf text = {0};
    explain_headline(&text, e);
    row.headline = keep(all, &text);
    row.op = arena_copy(&all->arena, e->context.op);
    row.python = arena_copy(&all->arena, e->context.python);
    for (size_t i = 0; i < v->advice_len; i++) {
        strbuf_addf(&text, "%s%zu. ", i ? "\n" : "", i + 1);
        strbuf_add(&text, v->advice[i]);
        explain_worth(&text, v, i);
    }
    row.advice = keep(all, &text);
    failure_group_key(&text, e);
    row.key = hash_bytes(strbuf_slice(&text));
    strbuf_release(&text);
    enum failure_number wanted = failure_knows(f, FAILURE_PER_BANK) ? FAILURE_PER_BANK : FAILURE_REQUESTED;
    group_range_add(&row.lacking, v->has_shortfall, v->shortfall_bytes);
    group_range_add(&row.lacking, v->has_overlap, v->overlap_bytes);
    group_range_add(&row.wanted, failure_knows(f, wanted), f->number[wanted]);
    vec_push(&all->rows, row);
    arena_release(&arena);
}

void explain_files_add(struct explain_files *all, struct slice name, const struct explain *explain, struct slice state,
                       size_t limit) {
    struct explain_file *file = vec_add(&all->files);
    *file = (struct explain_file){.name = arena_copy(&all->arena, name), .state = arena_copy(&all->arena, state)};
    for (size_t i = 0; explain && i < explain->failures.len; i++) {
        const struct explanation *e = explain_ranked(explain, i);
        bool warning = e->entry->failure.warning;
        file->warnings += warning;
        file->failures += !warning;
        file->ended += !warning && e->outcome.kind == OUTCOME_ENDED;
        file->caught += !warning && failure_was_caught(e->outcome.kind);
        add_row(all, e);
    }
    if (all->files.len > 1) strbuf_addz(&all->json, ",\n");
    struct json j = {.out = &all->json};
    json_object(&j);
    json_member_str(&j, "file", name);
    json_member_text_or_null(&j, "state", state);
    json_member_u64(&j, "ended_count", file->ended);
    json_member_u64(&j, "caught_count", file->caught);
    json_key(&j, "failures");
    if (explain) {
        explain_json_list(&j, explain, limit);
        explain_json_left_out(&j, explain, limit);
    } else {
        json_array(&j);
        json_array_end(&j);
        explain_json_left_out(&j, &(struct explain){.left_out = 0}, limit);
    }
    json_object_end(&j);
}

void explain_files_skip(struct explain_files *all, struct slice name) {
    vec_push(&all->skipped, arena_copy(&all->arena, name));
}

void explain_files_release(struct explain_files *all) {
    vec_release(&all->skipped);
    vec_release(&all->files);
    vec_release(&all->rows);
    strbuf_release(&all->json);
    arena_release(&all->arena);
}

/* ---- distinct failures ---- */

static void widen(struct group_range *range, const struct group_range *by) {
    group_range_add(range, by->known, by->low);
    group_range_add(range, by->known, by->high);
}

static int rank_of(const struct explain_row *row) {
    if (row->warning) return 3;
    return row->outcome == OUTCOME_ENDED ? 0 : row->outcome != OUTCOME_CAUGHT ? 1 : 2;
}

static int by_rank(const void *a, const void *b) {
    const struct explain_entry *x = a, *y = b;
    int order = rank_of(x->row) - rank_of(y->row);
    if (order) return order;
    if (x->files != y->files) return x->files > y->files ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

void explain_entries_make(const struct explain_files *all, bool each, explain_entries *out) {
    struct map known = {0};
    for (size_t i = 0; i < all->rows.len; i++) {
        const struct explain_row *row = &all->rows.items[i];
        bool added = true;
        uint32_t *place = each ? NULL : map_at(&known, row->key, &added);
        if (added) {
            if (place) *place = (uint32_t)out->len;
            vec_push(out, ((struct explain_entry){.row = row, .last_file = SIZE_MAX}));
        }
        struct explain_entry *entry = &out->items[place ? *place : out->len - 1];
        if (rank_of(row) < rank_of(entry->row)) entry->row = row;
        entry->count++;
        entry->ended += !row->warning && row->outcome == OUTCOME_ENDED;
        entry->caught += !row->warning && failure_was_caught(row->outcome);
        entry->printed += row->printed;
        entry->files += entry->last_file != row->file;
        entry->last_file = row->file;
        widen(&entry->lacking, &row->lacking);
        widen(&entry->wanted, &row->wanted);
    }
    map_release(&known);
    if (out->len) qsort(out->items, out->len, sizeof *out->items, by_rank);
}

/* ---- text ---- */

static void add_file_line(struct strbuf *out, const struct term *term, const struct explain_file *file, size_t width) {
    size_t start = out->len;
    strbuf_addz(out, "  ");
    term_text(out, term, file->name, 0);
    strbuf_fill(out, ' ', out->len - start < width + 4 ? width + 4 - (out->len - start) : 2);
    const char *front = "";
    if (file->failures) {
        strbuf_addf(out, "%zu failure%s", file->failures, file->failures == 1 ? "" : "s");
        if (file->ended) strbuf_addf(out, ", %zu ended the run", file->ended);
        if (file->caught) strbuf_addf(out, ", %zu caught", file->caught);
        front = "; ";
    }
    if (file->warnings)
        strbuf_addf(out, "%s%zu warning%s", front, file->warnings, file->warnings == 1 ? "" : "s"), front = "; ";
    if (file->state.len) {
        strbuf_addz(out, front);
        term_text(out, term, file->state, 120);
    } else if (!front[0]) {
        strbuf_addz(out, "none");
    }
    strbuf_addc(out, '\n');
}

void explain_entry_others(struct strbuf *out, const struct explain_entry *entry) {
    if (entry->count < 2) return;
    strbuf_addf(out, " and %zu more", entry->count - 1);
    if (entry->files > 1) strbuf_addf(out, ", in %zu files", entry->files);
    explain_outcomes(out, entry->count, entry->ended, entry->caught);
    const struct failure_group range = {.lacking = entry->lacking, .wanted = entry->wanted};
    explain_text_range(out, &range);
}

/* "Not read, links or names that are not those of logs: a.bin, latest.log" */
static void add_skipped(struct strbuf *out, const struct term *term, const struct explain_files *all) {
    enum { NAMED = 5 };
    if (!all->skipped.len) return;
    strbuf_addz(out, all->skipped.len == 1 ? "\nNot read, a link or a name that is not a log's: "
                                           : "\nNot read, links or names that are not those of logs: ");
    for (size_t i = 0; i < all->skipped.len && i < NAMED; i++) {
        if (i) strbuf_addz(out, ", ");
        term_text(out, term, all->skipped.items[i], 80);
    }
    if (all->skipped.len > NAMED) strbuf_addf(out, " and %zu more", all->skipped.len - NAMED);
    strbuf_addc(out, '\n');
}

static void add_where(struct strbuf *out, const struct term *term, const struct explain_files *all,
                      const struct explain_entry *entry) {
    strbuf_addz(out, "  where      ");
    term_text(out, term, all->files.items[entry->row->file].name, 0);
    strbuf_addf(out, ":%llu", (unsigned long long)entry->row->line);
    explain_entry_others(out, entry);
    strbuf_addc(out, '\n');
}

static void add_advice(struct strbuf *out, struct slice advice) {
    while (advice.len) {
        size_t end = slice_find_byte(advice, '\n');
        strbuf_addz(out, "  ");
        strbuf_add(out, slice_take(advice, end));
        strbuf_addc(out, '\n');
        advice = end == SLICE_NONE ? slice_of("", 0) : slice_skip(advice, end + 1);
    }
}

void explain_files_text(struct strbuf *out, const struct term *term, const struct explain_files *all,
                        struct explain_show show) {
    static const char *const outcomes[] = {[OUTCOME_UNKNOWN] = "",
                                           [OUTCOME_ENDED] = " (ended the run)",
                                           [OUTCOME_CAUGHT] = " (caught)",
                                           [OUTCOME_TEST] = " (ended its test)"};
    size_t width = 0, failing = 0;
    for (size_t i = 0; i < all->files.len; i++) {
        failing += all->files.items[i].failures > 0;
        if (all->files.items[i].name.len > width && all->files.items[i].name.len <= 60) width = all->files.items[i].name.len;
    }
    strbuf_addf(out, "%zu files, %zu with failures\n\n", all->files.len, failing);
    for (size_t i = 0; i < all->files.len; i++) add_file_line(out, term, &all->files.items[i], width);
    add_skipped(out, term, all);
    explain_entries entries = {0};
    explain_entries_make(all, show.all, &entries);
    size_t shown = show.limit && show.limit < entries.len ? show.limit : entries.len;
    for (size_t i = 0; i < shown; i++) {
        const struct explain_entry *entry = &entries.items[i];
        strbuf_addf(out, "\n%zux %s: ", entry->count, entry->row->class);
        term_text(out, term, entry->row->headline, 0);
        bool alike = entry->ended == entry->count || entry->caught == entry->count || entry->count == 1;
        strbuf_addf(out, "%s\n", alike ? outcomes[entry->row->outcome] : "");
        if (entry->row->op.len) {
            strbuf_addz(out, "  op         ");
            term_text(out, term, entry->row->op, 96);
            strbuf_addc(out, '\n');
        }
        add_where(out, term, all, entry);
        add_advice(out, entry->row->advice);
    }
    if (shown < entries.len) strbuf_addf(out, "\n... and %zu more (--limit %zu)\n", entries.len - shown, show.limit);
    vec_release(&entries);
}

void explain_files_json(struct strbuf *out, const struct explain_files *all) {
    strbuf_addf(out, "{\"schema_version\":%d,\"files\":[\n", JSON_SCHEMA_VERSION);
    strbuf_add(out, strbuf_slice(&all->json));
    strbuf_addz(out, "\n],\"distinct\":");
    explain_entries entries = {0};
    explain_entries_make(all, false, &entries);
    struct json j = {.out = out};
    json_array(&j);
    for (size_t i = 0; i < entries.len; i++) {
        const struct explain_entry *entry = &entries.items[i];
        json_object(&j);
        json_member_text(&j, "class", entry->row->class);
        json_member_str(&j, "headline", entry->row->headline);
        json_member_text_or_null(&j, "op_name", entry->row->op);
        json_member_u64(&j, "count", entry->count);
        json_member_u64(&j, "file_count", entry->files);
        json_member_u64(&j, "printed", entry->printed);
        json_member_u64_if(&j, "shortfall_low_bytes_per_bank", entry->lacking.known, entry->lacking.low);
        json_member_u64_if(&j, "shortfall_high_bytes_per_bank", entry->lacking.known, entry->lacking.high);
        json_object_end(&j);
    }
    json_array_end(&j);
    strbuf_addz(out, ",\"skipped\":");
    j = (struct json){.out = out};
    json_array(&j);
    for (size_t i = 0; i < all->skipped.len; i++) json_str(&j, all->skipped.items[i]);
    json_array_end(&j);
    strbuf_addz(out, "}\n");
    vec_release(&entries);
}
