/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/holders.h"
#include "base/amounts.h"
#include "base/num.h"
#include "base/utf8.h"
#include "render/answer/explain.h"
#include "render/answer/live_rows.h"
#include "render/format/predicted.h"
#include "render/format/short_location.h"
#include "render/format/warning_words.h"

enum { TEXT_WIDTH = 100, ADVICE_INDENT = 5, TENSORS_LISTED = 8 };

static void label(struct strbuf *out, const char *name) { strbuf_addf(out, "  %-10s ", name); }

static void add_right(struct strbuf *out, struct strbuf *cell, size_t width) {
    strbuf_fill(out, ' ', cell->len < width ? width - cell->len : 0);
    strbuf_add(out, strbuf_slice(cell));
    strbuf_clear(cell);
}

/* Label, bytes, and MB if there is at least one; their meaning follows. False if the number is unknown. */
static bool row(struct strbuf *out, const char *name, const struct failure *f, enum failure_number n) {
    if (!failure_knows(f, n)) return false;
    label(out, name);
    struct strbuf cell = {0};
    add_bytes(&cell, f->number[n]);
    add_right(out, &cell, 18);
    if (f->number[n] >= NUM_MIB) {
        strbuf_addc(&cell, ' ');
        add_mb(&cell, f->number[n], 3);
        strbuf_addz(&cell, " MB");
    }
    add_right(out, &cell, 14);
    strbuf_release(&cell);
    strbuf_addz(out, "  ");
    return true;
}

static void row_text(struct strbuf *out, const char *name, const struct failure *f, enum failure_number n, const char *tail) {
    if (row(out, name, f, n)) strbuf_addf(out, "%s\n", tail);
}

/* Label, address or count, what it is. */
static void row_address(struct strbuf *out, const char *name, const struct failure *f, enum failure_number n,
                        const char *tail) {
    if (failure_knows(f, n)) strbuf_addf(out, "  %-10s %16s  %s\n", name, figure_grouped(f->number[n]).text, tail);
}

static void row_wanted(struct strbuf *out, const struct failure *f) {
    bool per_bank = row(out, "wanted", f, FAILURE_PER_BANK);
    if (!per_bank && !row(out, "wanted", f, FAILURE_REQUESTED)) return;
    strbuf_addz(out, per_bank ? "per bank" : "in total");
    if (per_bank && failure_knows(f, FAILURE_REQUESTED)) {
        strbuf_addz(out, ", ");
        add_bytes(out, f->number[FAILURE_REQUESTED]);
        strbuf_addz(out, " in total");
    }
    if (failure_knows(f, FAILURE_BANKS)) {
        strbuf_addz(out, " on ");
        add_grouped(out, f->number[FAILURE_BANKS]);
        strbuf_addz(out, f->number[FAILURE_BANKS] == 1 ? " bank" : " banks");
    }
    strbuf_addc(out, '\n');
}

static void row_allocated(struct strbuf *out, const struct term *term, const struct failure *f) {
    if (!row(out, "allocated", f, FAILURE_ALLOCATED)) return;
    uint64_t part = f->number[FAILURE_ALLOCATED], whole = f->number[FAILURE_BANK];
    if (failure_knows(f, FAILURE_BANK) && whole && whole < INT64_MAX && part <= whole) {
        term_bar(out, term, (int64_t)part, (int64_t)whole, 20);
        strbuf_addf(out, " %s %%", figure_percent((int64_t)part, whole, 0).text);
    }
    strbuf_addc(out, '\n');
}

static void figures_oom(struct strbuf *out, const struct term *term, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    row_wanted(out, f);
    if (e->context.unpadded_bytes) {
        struct failure unpadded = {.known = 1u << FAILURE_REQUESTED};
        unpadded.number[FAILURE_REQUESTED] = e->context.unpadded_bytes;
        row_text(out, "unpadded", &unpadded, FAILURE_REQUESTED, "in total would hold the tensor itself");
    }
    row_text(out, "largest", f, FAILURE_LARGEST, "largest free block of a bank");
    row_text(out, "placeable", f, FAILURE_PLACEABLE_LARGEST, "largest free block that dependencies leave");
    row_text(out, "free", f, FAILURE_FREE, "per bank");
    row_allocated(out, term, f);
    row_text(out, "bank", f, FAILURE_BANK, "size of a bank");
}

/* The process that the host killed, or the kernel. */
static void row_subject(struct strbuf *out, const struct failure *f) {
    label(out, f->kind == FAILURE_HOST_KILLED ? "process" : "kernel");
    utf8_add_printable(out, slice_from(f->subject), true);
    if (failure_knows(f, FAILURE_PID))
        strbuf_addf(out, "%spid %llu", f->subject[0] ? ", " : "", (unsigned long long)f->number[FAILURE_PID]);
    strbuf_addc(out, '\n');
    if (!f->cgroup[0]) return;
    label(out, "cgroup");
    utf8_add_printable(out, slice_from(f->cgroup), true);
    strbuf_addc(out, '\n');
}

/* The figures of kinds that are described by their row's words: the meaning differs, the labels do not. */
static void figures_what(struct strbuf *out, const struct failure *f) {
    bool host = f->kind == FAILURE_HOST_KILLED;
    row_text(out, "wanted", f, FAILURE_REQUESTED,
             f->kind == FAILURE_FABRIC ? "end of what is needed, or its size"
             : f->rounding             ? "needed, as rounded in the message"
                                       : "needed");
    row_text(out, "aligned", f, FAILURE_ALIGNED, "what that takes");
    row_text(out, "in use", f, FAILURE_ALLOCATED, host ? "by the memory cgroup" : "already");
    row_text(out, "limit", f, FAILURE_LIMIT,
             host          ? "of the memory cgroup"
             : f->rounding ? "what there is, as rounded in the message"
                           : "what there is");
    row_text(out, "held", f, FAILURE_RSS, "by the process");
    row_text(out, "kept", f, FAILURE_RSS_KEPT,
             failure_knows(f, FAILURE_RSS) ? "of it, anonymous and shared: cannot be dropped" : "by the process at least");
    row_address(out, "trace", f, FAILURE_ADDRESS, "DRAM address of the trace buffers");
    row_address(out, "mark", f, FAILURE_HIGH_WATER, "highest address in use");
    row_address(out, "mark", f, FAILURE_HIGH_WATER2, "highest address of what was freed");
    row_address(out, "number", f, FAILURE_COUNT, f->kind == FAILURE_TRACE_UNSAFE ? "buffers" : "asked for");
    row_address(out, "at most", f, FAILURE_COUNT_LIMIT, "allowed");
    row_address(out, "at most", f, FAILURE_BANKS, "L1 banks");
    row_address(out, "tokens", f, FAILURE_SEQ_LEN, "asked for");
    row_address(out, "tokens", f, FAILURE_SEQ_FITS, "fit");
    if (failure_knows(f, FAILURE_PID) || f->subject[0]) row_subject(out, f);
}

static void figures(struct strbuf *out, const struct term *term, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    switch (f->kind) {
        case FAILURE_OOM:
            figures_oom(out, term, e);
            break;
        case FAILURE_CB_CLASH:
        case FAILURE_CB_BEYOND_L1:
            row_address(out, "region end", f, FAILURE_REGION_END, "address up to which circular buffers would grow");
            row_address(out, "L1 tensor", f, FAILURE_L1_ADDRESS, "address of the lowest L1 tensor on these cores");
            row_address(out, "limit", f, FAILURE_LIMIT, "address at which L1 of a core ends");
            break;
        case FAILURE_DFB_CLASH:
        case FAILURE_DFB_BEYOND_L1:
            row_address(out, "region end", f, FAILURE_REGION_END, "address up to which dataflow buffers would grow");
            row_address(out, "L1 tensor", f, FAILURE_L1_ADDRESS, "address of the lowest L1 tensor on these cores");
            row_address(out, "limit", f, FAILURE_LIMIT, "address at which L1 of a core ends");
            break;
        case FAILURE_TRACE_REGION:
            row_text(out, "wanted", f, FAILURE_REQUESTED, "for trace buffers");
            row_text(out, "reserved", f, FAILURE_LIMIT, "trace_region_size");
            break;
        case FAILURE_KERNEL_CONFIG:
            row_text(out, "wanted", f, FAILURE_REQUESTED, "by the program");
            row_text(out, "reserved", f, FAILURE_LIMIT, "kernel config buffer");
            break;
        case FAILURE_OOM_ADDRESS:
            row_address(out, "limit", f, FAILURE_LIMIT, "address at which interleaved L1 tensors end");
            row_address(out, "L1 tensor", f, FAILURE_L1_ADDRESS, "address at which this one would begin");
            break;
        case FAILURE_CB_RULE:
            row_text(out, "size", f, FAILURE_REQUESTED, "of the circular buffer");
            row_text(out, f->limit_is_page ? "page" : "L1 buffer", f, FAILURE_LIMIT,
                     f->limit_is_page ? "size of a page" : "size of the L1 buffer it lives in");
            break;
        default:
            figures_what(out, f);
            break;
    }
}

/* ", ranks 0, 1 and 30 more" */
static void add_ranks(struct strbuf *out, const struct term *term, const struct failure_context *context) {
    enum { NAMED = 8 };
    size_t named = context->rank_count > NAMED ? NAMED - 1 : context->rank_count;
    strbuf_addz(out, ", ranks ");
    for (size_t i = 0; i < named; i++) {
        if (i) strbuf_addz(out, i + 1 < context->rank_count ? ", " : " and ");
        term_text(out, term, context->ranks[i], 24);
    }
    if (named < context->rank_count) strbuf_addf(out, " and %zu more", context->rank_count - named);
}

static void add_place(struct strbuf *out, const struct term *term, const struct explanation *e) {
    strbuf_addz(out, "line ");
    add_grouped(out, e->line);
    if (e->context.rank_count > 1) add_ranks(out, term, &e->context);
    else if (e->context.rank.len) {
        strbuf_addz(out, ", rank ");
        term_text(out, term, e->context.rank, 24);
    }
    if (e->count > 1) {
        bool kill = e->entry->failure.kind == FAILURE_HOST_KILLED; /* each shows another part of it */
        strbuf_addz(out, kill ? ", reported by " : ", printed ");
        add_grouped(out, e->count);
        strbuf_addz(out, kill ? " messages" : " times");
    }
    if (e->entry->programs.len) {
        strbuf_addf(out, ", program %llu", (unsigned long long)e->entry->programs.items[0]);
        if (e->entry->programs.len > 1) strbuf_addf(out, " and %zu more", e->entry->programs.len - 1);
        if (e->entry->programs.len == FAILURE_PROGRAMS_MAX) strbuf_addz(out, " or more");
    }
}

static void add_behind(struct strbuf *out, const struct term *term, struct slice text) {
    if (!text.len) return;
    strbuf_addz(out, "  ");
    term_text(out, term, text, 60);
}

static void row_of_text(struct strbuf *out, const struct term *term, const char *name, struct slice text) {
    if (!text.len) return;
    label(out, name);
    term_text(out, term, text, 240);
    strbuf_addc(out, '\n');
}

/* "concat" says no more than "ttnn.concat". */
static bool is_last_part(struct slice name, struct slice part) {
    size_t from = name.len > part.len ? name.len - part.len : 0;
    return from && name.ptr[from - 1] == '.' && slice_equal(slice_skip(name, from), part);
}

static const char *const phase_words[PHASES] = {
    [PHASE_INPUT_UPLOAD] = "inputs are uploaded: the row-major and the tiled copy are alive together",
    [PHASE_WEIGHTS] = "weights are prepared (const-eval)",
    [PHASE_TRACE_CAPTURE] = "a trace is captured",
    [PHASE_KV_CACHE] = "the KV cache is allocated",
    [PHASE_PROGRAM_COMPILE] = "tt-metal sets up the kernels and buffers of an op; it has not run yet",
    [PHASE_COMPILE] = "the model is compiled",
};

/* The op's place in the model, shortened: "layers.29.attn  net.py:523". */
static void add_location(struct strbuf *out, const struct term *term, const struct explanation *e, const struct run *run) {
    struct strbuf place = {0};
    if (run && e->context.has_index && e->context.op_index < run->records.len)
        short_location_of(&place, run, &run->steps.items[run->records.items[e->context.op_index]]);
    row_of_text(out, term, "location", strbuf_slice(&place));
    strbuf_release(&place);
}

static void add_origin(struct strbuf *out, const struct term *term, const struct explanation *e, const struct run *run) {
    const struct failure *f = &e->entry->failure;
    if (e->verdict.chip) {
        label(out, "chip");
        strbuf_addf(out, "%s\n", e->verdict.chip->title);
    }
    if (failure_knows(f, FAILURE_DEVICE)) {
        label(out, "device");
        strbuf_addf(out, "%llu\n", (unsigned long long)f->number[FAILURE_DEVICE]);
    }
    row_of_text(out, term, "core type", slice_from(f->core_type));
    if (e->context.op.len) {
        label(out, "op");
        if (e->context.has_index) strbuf_addf(out, "#%llu ", (unsigned long long)e->context.op_index);
        term_text(out, term, e->context.op, 60);
        add_behind(out, term, e->context.shape);
        add_behind(out, term, e->context.layout);
        if (e->context.inner.len && !is_last_part(e->context.op, e->context.inner)) {
            strbuf_addz(out, ", in ");
            term_text(out, term, e->context.inner, 60);
        }
        strbuf_addc(out, '\n');
        add_location(out, term, e, run);
    }
    row_of_text(out, term, "asked for", e->context.asked);
    row_of_text(out, term, "phase",
                around_phase_name(e->context.phase) ? slice_from(phase_words[e->context.phase]) : SLICE(""));
    row_of_text(out, term, "test", e->context.test);
    row_of_text(out, term, "python", e->context.python);
    if (run_is_predicted(run)) {
        label(out, "outcome");
        strbuf_addz(out, "predicted from the compiled module: nothing ran\n");
    } else if (e->outcome.evidence) {
        label(out, "outcome");
        static const char *const kinds[] = {[OUTCOME_UNKNOWN] = "not known",
                                            [OUTCOME_ENDED] = "ended the run",
                                            [OUTCOME_CAUGHT] = "was caught",
                                            [OUTCOME_TEST] = "was caught"};
        strbuf_addf(out, "%s: %s\n", kinds[e->outcome.kind], e->outcome.evidence);
    }
    label(out, "where");
    add_place(out, term, e);
    strbuf_addc(out, '\n');
}

/* Breaks between words, never inside a number; the text is our own, one column per byte. */
static void add_wrapped(struct strbuf *out, struct slice text, size_t width, size_t indent) {
    size_t column = indent;
    while (text.len) {
        size_t len = slice_find_byte(text, ' ');
        if (len == SLICE_NONE) len = text.len;
        if (column > indent && column + 1 + len > width) {
            strbuf_addc(out, '\n');
            strbuf_fill(out, ' ', indent);
            column = indent;
        } else if (column > indent) {
            strbuf_addc(out, ' ');
            column++;
        }
        strbuf_add(out, slice_take(text, len));
        column += len;
        text = slice_skip(text, len + 1);
    }
    strbuf_addc(out, '\n');
}

/* Without op lines no tensor is known; the steps of the memory blocks show when memory was taken. */
static bool add_held(struct strbuf *out, const struct term *term, const struct explanation *e, const struct run *run) {
    enum { SHOWN = 5 };
    bool dram = e->entry->failure.pool == FAILURE_DRAM;
    if (!run || !dram || !holders_needed(run) || e->number >= run->failure_sites.len) return false;
    struct holders held;
    char room[HOLDER_ROOM];
    holders_find(run, POOL_DRAM, failing_step(run, &run->failure_sites.items[e->number], e->line), &held);
    size_t len = held.len;
    for (size_t i = 0; i < len && i < SHOWN; i++) {
        uint32_t record = held.items[i].record;
        label(out, i ? "" : "held");
        strbuf_addf(out, "%s MB per bank since %s", figure_milli(held.items[i].milli, 3).text,
                    holder_since(&held.items[i], room));
        if (record != NONE) strbuf_addf(out, "#%u ", record);
        if (record != NONE) term_text(out, term, step_name(run, &run->steps.items[run->records.items[record]]), 40);
        strbuf_addz(out, ", by difference\n");
    }
    if (len > SHOWN) {
        label(out, "");
        strbuf_addf(out, "... and %s more: ttmem live LOG --at peak\n", figure_grouped(len - SHOWN).text);
    }
    holders_release(&held);
    return len > 0;
}

/* What was alive when the op began, or why this is unknown. */
static void add_live(struct strbuf *out, const struct term *term, const struct explanation *e, const struct run *run) {
    static const char *const unknown[] = {
        [LIVE_NO_OPS] = "not in this text: it has no op lines (TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG gives them)",
        [LIVE_NO_OP_RUNNING] = "not known: no op was running on that rank",
        [LIVE_NOT_LOOKED_UP] = "not looked up, there are too many failures: ttmem live LOG --at INDEX shows it",
    };
    const struct failure_live *live = &e->live;
    if (live->answer == LIVE_DOES_NOT_APPLY || (live->answer == LIVE_NO_OPS && add_held(out, term, e, run))) return;
    if (live->answer != LIVE_KNOWN) {
        bool metal = e->context.has_product && (e->context.product == PRODUCT_METAL || e->context.product == PRODUCT_VLLM);
        label(out, "alive");
        strbuf_addf(out, "%s\n",
                    metal && live->answer == LIVE_NO_OPS
                        ? "not in this text: logs of tt-metal name no tensors (ttmem run --inspector "
                          "records every buffer)"
                        : unknown[live->answer]);
        return;
    }
    strbuf_addf(out, "\n  Alive in %s when the op began:\n\n", pool_names[live->pool]);
    struct live_rows rows = {run,
                             &live->set,
                             live->has_allocated,
                             live->allocated_milli,
                             live->allocated_bytes,
                             TENSORS_LISTED,
                             pool_unit(run, live->pool)};
    size_t left_out = live_rows_text(out, term, &rows);
    if (left_out) strbuf_addf(out, "  ... and %zu more\n", left_out);
    if (!live->set.tensors.len) strbuf_addz(out, "  No tensor: the op lines name none in this memory.\n");
    if (!live->has_allocated)
        strbuf_addz(out, "  How much is unattributed is not known: neither the message nor the log says what was allocated.\n");
}

/* The buffers that a replay overwrites: what made each, where, and who holds it. */
static void add_buffers(struct strbuf *out, const struct term *term, const struct explanation *e, const struct run *run) {
    enum { LISTED = 20 };
    size_t listed = 0, known = 0;
    for (size_t i = 0; e->entry->failure.kind == FAILURE_TRACE_UNSAFE && run && i < run->alive_buffers.len; i++) {
        const struct alive_buffer *buffer = &run->alive_buffers.items[i];
        if (buffer->failure != e->site || known++ >= LISTED) continue;
        if (!listed++) strbuf_addc(out, '\n');
        strbuf_addf(out, "  buffer %llu", (unsigned long long)buffer->id);
        if (buffer->op) strbuf_addz(out, "  ");
        if (buffer->op) term_text(out, term, run_string(run, buffer->op), 60);
        if (buffer->python) strbuf_addz(out, ", made at ");
        if (buffer->python) term_text(out, term, run_string(run, buffer->python), 120);
        strbuf_addz(out, buffer->holders ? ", held by " : ", no holder is named");
        if (buffer->holders) term_text(out, term, run_string(run, buffer->holders), 240);
        if (buffer->holder_count > 3) strbuf_addf(out, " and %u more", buffer->holder_count - 3);
        strbuf_addc(out, '\n');
    }
    if (known > listed) strbuf_addf(out, "  ... and %zu more\n", known - listed);
}

/* "  Lines 1 and 3 together are enough: 48,000 B of the 40,200 B that are missing in a bank." */
static void add_together(struct strbuf *out, const struct verdict *v) {
    bool enough = v->sufficient < v->advice_len, short_of = v->gained < v->missing_in_sum;
    if (!v->gained || (v->together ? !v->missing : enough || !short_of)) return;
    unsigned left = (unsigned)__builtin_popcount(v->together);
    strbuf_addz(out, left ? "\n  Lines " : "\n  What this log shows is not enough: ");
    for (unsigned i = 0; v->together >> i; i++) {
        if (!(v->together >> i & 1)) continue;
        strbuf_addf(out, "%u%s", i + 1, left > 2 ? ", " : left == 2 ? " and " : "");
        left--;
    }
    if (v->together) strbuf_addz(out, " together are enough: ");
    add_bytes(out, v->gained);
    strbuf_addz(out, " of the ");
    add_bytes(out, v->together ? v->missing : v->missing_in_sum);
    strbuf_addz(out, v->together && v->missing_in_one_piece ? " that a bank must have free in one piece.\n"
                                                            : " that are missing in a bank.\n");
}

static void explanation_text(struct strbuf *out, const struct term *term, const struct explanation *e, const struct run *run) {
    struct strbuf title = {0};
    explain_headline(&title, e);
    term_tone(out, term, TONE_BAD);
    add_wrapped(out, strbuf_slice(&title), term->columns ? term->columns : SIZE_MAX, 0);
    term_tone(out, term, TONE_PLAIN);
    strbuf_release(&title);
    strbuf_addc(out, '\n');
    figures(out, term, e);
    add_origin(out, term, e, run);
    add_live(out, term, e, run);
    add_buffers(out, term, e, run);
    strbuf_addc(out, '\n');
    size_t width = term->columns && term->columns < TEXT_WIDTH ? term->columns : TEXT_WIDTH;
    struct arena arena = {0};
    struct verdict advised = explanation_advised(e, &arena);
    for (size_t i = 0; i < advised.advice_len; i++) {
        strbuf_addf(out, "  %zu. ", i + 1);
        struct strbuf line = {0};
        strbuf_add(&line, advised.advice[i]);
        explain_worth(&line, &advised, i);
        add_wrapped(out, strbuf_slice(&line), width, ADVICE_INDENT);
        strbuf_release(&line);
    }
    add_together(out, &advised);
    arena_release(&arena);
}

static void add_range(struct strbuf *out, const char *words, const struct group_range *range) {
    if (!range->known) return;
    strbuf_addf(out, ", %s ", words);
    add_grouped(out, range->low);
    if (range->high > range->low) {
        strbuf_addz(out, " to ");
        add_grouped(out, range->high);
    }
    strbuf_addz(out, " B");
}

void explain_text_range(struct strbuf *out, const struct failure_group *group) {
    add_range(out, "wanted", &group->wanted);
    add_range(out, "short by", &group->lacking);
}

void explain_outcomes(struct strbuf *out, size_t count, size_t ended, size_t caught) {
    if (ended == count || caught == count) return;
    if (ended) strbuf_addf(out, ", %s ended the run", figure_grouped(ended).text);
    if (caught) strbuf_addf(out, ", %s %s caught", figure_grouped(caught).text, caught == 1 ? "was" : "were");
}

/* "  like it: 24 more, lines 22 to 90, 1 ended the run, 24 were caught, wanted 1,024 to 4,096 B, short by ..." */
static void add_others(struct strbuf *out, const struct failure_group *group) {
    if (group->count < 2) return;
    strbuf_addz(out, "\n  like it: ");
    add_grouped(out, group->count - 1);
    strbuf_addz(out, " more, lines ");
    add_grouped(out, group->first_line);
    strbuf_addz(out, " to ");
    add_grouped(out, group->last_line);
    explain_outcomes(out, group->count, group->ended, group->caught);
    explain_text_range(out, group);
    strbuf_addz(out, " (--all shows each)\n");
}

/* Where a log ends that was killed from outside. */
static void add_cut(struct strbuf *out, const struct term *term, const struct explain *explain) {
    if (!explain_tells_kill(explain) || !explain->cut.cut || !explain->cut.program.len) return;
    strbuf_addz(out, "\nBefore that, the log ends inside @");
    term_text(out, term, explain->cut.program, 60);
    if (explain->cut.has_op) strbuf_addf(out, " after #%s", figure_grouped(explain->cut.op_index).text);
    strbuf_addz(out, ".\n");
}

void explain_text(struct strbuf *out, const struct term *term, const struct explain *explain, struct explain_show show) {
    failure_groups groups = {0};
    if (!show.all) failure_groups_make(explain, &groups);
    size_t entries = show.all ? explain->failures.len : groups.len;
    size_t shown = show.limit && show.limit < entries ? show.limit : entries;
    for (size_t i = 0; i < shown; i++) {
        if (i) strbuf_addc(out, '\n');
        explanation_text(out, term, explain_ranked(explain, show.all ? i : groups.items[i].first), explain->run);
        if (!show.all) add_others(out, &groups.items[i]);
    }
    if (shown < entries) strbuf_addf(out, "\n... and %zu more (--limit %zu)\n", entries - shown, show.limit);
    vec_release(&groups);
    add_cut(out, term, explain);
    if (!explain->left_out) return;
    strbuf_addz(out, "\nLeft out: ");
    add_grouped(out, explain->left_out);
    strbuf_addz(out, " further messages: too many different ones to list.\n");
}
