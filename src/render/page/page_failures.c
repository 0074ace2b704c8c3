/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_failures.h"

#include <stdio.h>

#include "base/num.h"
#include "render/answer/explain.h"
#include "base/amounts.h"
#include "render/format/json_parts.h"

enum { MOST_FAILURES = 50 };

/* Verdicts in the words of the page. */
static const struct {
    enum verdict_kind verdict;
    const char *kind;
} kinds[] = {
    {VERDICT_FRAGMENTED, "fragmented"},
    {VERDICT_EXHAUSTED, "exhausted"},
    {VERDICT_EXCEEDS_BANK, "exceeds_bank"},
    {VERDICT_CLASH, "cb_clash"},
    {VERDICT_EXCEEDS_L1, "cb_over_l1"},
    {VERDICT_TRACE_REGION_SHORT, "trace_region"},
    {VERDICT_KERNEL_CONFIG_SHORT, "kernel_config"},
};

static const char *kind_of(enum verdict_kind verdict) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].verdict == verdict) return kinds[i].kind;
    return "other";
}

static void add_part(struct strbuf *out, uint64_t bytes, const char *what) {
    if (out->len) strbuf_addz(out, ", ");
    if (bytes < NUM_MIB / 10) add_grouped(out, bytes); /* too small to show with two decimals of a MB */
    else add_mb(out, bytes, 2);
    strbuf_addf(out, " %s %s", bytes < NUM_MIB / 10 ? "B" : "MB", what);
}

/* "4.90 MB per bank wanted, 183.40 MB free, largest block 3.40 MB." as far as the message says. */
static void sentence(struct strbuf *out, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    if (failure_knows(f, FAILURE_PER_BANK)) add_part(out, f->number[FAILURE_PER_BANK], "per bank wanted");
    else if (failure_knows(f, FAILURE_REQUESTED)) add_part(out, f->number[FAILURE_REQUESTED], "wanted");
    if (failure_knows(f, FAILURE_FREE)) add_part(out, f->number[FAILURE_FREE], "free");
    if (failure_knows(f, FAILURE_LARGEST)) add_part(out, f->number[FAILURE_LARGEST], "in the largest free block");
    if (e->verdict.has_overlap) add_part(out, e->verdict.overlap_bytes, "too far per core");
    if (out->len) strbuf_addc(out, '.');
}

static void member_milli_mb(struct json *j, const char *key, const struct failure *f, enum failure_number n) {
    if (failure_knows(f, n)) json_member_i64(j, key, num_bytes_to_milli_mb(f->number[n]));
    else json_member_null(j, key);
}

static int64_t pool_of(enum failure_pool pool) {
    static const int64_t pools[] = {-1, POOL_DRAM, POOL_L1, POOL_L1_SMALL, POOL_TRACE, -1};
    return pools[pool];
}

static void failure_object(struct json *j, const struct output_job *job, const struct page_ids *ids, size_t number) {
    const struct explanation *e = &job->overview->failures.failures.items[number];
    const struct failure *f = &e->entry->failure;
    const struct run *run = job->run;
    struct strbuf title = {0}, verdict = {0};
    struct arena arena = {0};
    struct verdict advised = explanation_advised(e, &arena);
    explain_headline(&title, e);
    sentence(&verdict, e);
    json_object(j);
    json_member_text(j, "kind", kind_of(e->verdict.kind));
    json_member_str(j, "title", strbuf_slice(&title));
    json_member_str(j, "verdict", strbuf_slice(&verdict));
    json_key(j, "advice");
    json_array(j);
    for (size_t i = 0; i < advised.advice_len; i++) {
        strbuf_clear(&title);
        strbuf_add(&title, advised.advice[i]);
        explain_worth(&title, &advised, i);
        json_str(j, strbuf_slice(&title));
    }
    json_array_end(j);
    json_member_str(
        j, "text",
        e->number < run->failure_sites.len ? run_string(run, run->failure_sites.items[e->number].text) : slice_of("", 0));
    json_key(j, "pool");
    if (pool_of(f->pool) < 0) json_null(j);
    else json_i64(j, pool_of(f->pool));
    member_milli_mb(j, "need", f, FAILURE_PER_BANK);
    member_milli_mb(j, "free", f, FAILURE_FREE);
    member_milli_mb(j, "largest", f, FAILURE_LARGEST);
    json_member_index(j, "step", run_failure_step(job->run, e->number));
    json_member_u64(j, "rank",
                    e->number < job->run->failure_sites.len ? ids->ranks[job->run->failure_sites.items[e->number].rank] : 0);
    if (e->outcome.kind == OUTCOME_UNKNOWN) json_member_null(j, "caught");
    else json_member_bool(j, "caught", failure_was_caught(e->outcome.kind));
    json_member_text(j, "outcome", e->outcome.evidence);
    json_member_u64(j, "line", e->line);
    json_member_u64(j, "count", e->count);
    json_object_end(j);
    strbuf_release(&title);
    strbuf_release(&verdict);
    arena_release(&arena);
}

void page_failures(struct json *j, const struct output_job *job, const struct page_ids *ids) {
    json_key(j, "failures");
    json_array(j);
    for (size_t i = 0; i < job->overview->failures.failures.len && i < MOST_FAILURES; i++) failure_object(j, job, ids, i);
    json_array_end(j);
}

/* What the reader of the figures must know about the log. */
static const struct {
    enum warning warning;
    const char *text;
} warning_texts[] = {
    {WARN_TRUNCATED_OP, "op lines are cut off: their operands and locations may be missing"},
    {WARN_PARTIAL_BLOCK, "memory blocks lack a figure"},
    {WARN_MALFORMED_POOL, "memory lines could not be read"},
    {WARN_OP_WITHOUT_BLOCK, "ops have no memory block before them"},
    {WARN_UNFINISHED_PROGRAM, "programs did not finish"},
    {WARN_UNCLOSED_MODULE, "module dumps have no end"},
    {WARN_CONFIG_CHANGED, "changes of banks or bank sizes: the capacity line steps where they happen"},
    {WARN_CUT_INPUT, "the input is cut or damaged: only what comes before the damage was read"},
    {WARN_LOST_LINES, "places where lines of the log are missing: what happened there is not known"},
    {WARN_DROPPED, "messages were dropped, as their logger says: what they said is not known"},
    {WARN_PARTS_UNREAD, "parts of the input could not be read and are left out"},
    {WARN_PER_CORE_L1,
     "L1 is allocated core by core (TT_METAL_ALLOCATOR_MODE_HYBRID): L1 figures are those of a core, and cores differ"},
    {WARN_NEWER_SCHEMA, "the database is of a newer schema than this ttmem knows: what is named otherwise there is missing"},
};

static void caveat(struct json *j, int pool, const char *text) {
    json_object(j);
    json_key(j, "pools");
    json_array(j);
    if (pool >= 0) json_i64(j, pool);
    json_array_end(j);
    json_member_text(j, "text", text);
    json_object_end(j);
}

void page_caveats(struct json *j, const struct output_job *job) {
    const struct run *run = job->run;
    json_key(j, "caveats");
    json_array(j);
    const bool predicted = run->origin == RUN_PREDICTED;
    if (job->overview->peaks.pools[POOL_L1].seen)
        caveat(j, POOL_L1,
               predicted
                   ? "Lower bound: circular buffers are in no module; ttnn graph captures hold them."
                   : "Lower bound: circular buffers and buffers inside an op are not in a runtime log; ttnn graph captures "
                     "hold them.");
    bool before_only = run->told_by_files & TOLD_BEFORE_ONLY;
    if (job->overview->peaks.pools[POOL_DRAM].seen && (predicted || run->origin == RUN_LOG))
        caveat(j, POOL_DRAM,
               before_only
                   ? "Lower bound: the files hold the memory before each op only; what was allocated and freed again between "
                     "two of them, and while an op ran, is not known."
               : predicted ? "Every figure is predicted: nothing was measured. A peak inside an op is a state of its own."
                           : "State before each op: what an op allocates and frees while it runs is not in the log.");
    if (run->told_by_files)
        caveat(j, -1, "Made from the files of a report, not from the log: deallocations are taken to follow the last use.");
    if (run->tensors.len && run->origin == RUN_LOG)
        caveat(j, -1,
               "What is alive is worked out from op lines; the memory lines are measured, and what they hold beyond the known "
               "tensors is shown as unattributed.");
    for (size_t i = 0; i < sizeof warning_texts / sizeof *warning_texts; i++) {
        uint64_t count = run->warnings[warning_texts[i].warning];
        if (!count) continue;
        struct strbuf text = {0};
        uint64_t line = run->first_warning_line[warning_texts[i].warning];
        struct slice file = run_string(run, run->first_warning_file[warning_texts[i].warning]);
        strbuf_addf(&text, "%s %s", figure_grouped(count).text, warning_texts[i].text);
        if (line) strbuf_addf(&text, ", first at line %s", figure_grouped(line).text);
        if (file.len) strbuf_addf(&text, " of rank %.*s", SLICE_FMT(file));
        strbuf_addc(&text, '.');
        caveat(j, -1, strbuf_text(&text));
        strbuf_release(&text);
    }
    json_array_end(j);
    json_key(j, "missing");
    json_missing(j, job->overview);
}
