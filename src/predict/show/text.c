/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/fit.h"
#include "base/amounts.h"
#include "base/num.h"
#include "predict/show/show.h"

enum { NAME_WIDTH = 44, MAPS_NAMED = 2 };

static void mb(struct strbuf *out, uint64_t bytes) { add_mb(out, bytes, 1); }

static void share(struct strbuf *out, uint64_t part, uint64_t whole) {
    strbuf_addf(out, "%s %%", figure_percent((int64_t)part, whole, 0).text);
}

static const char *const bank_words[] = {"", "at least ", "about "}; /* by enum predict_bank */

/* "at least 4073.7 MB" */
static void bank_text(struct strbuf *out, enum predict_bank bank, uint64_t bytes) {
    strbuf_addz(out, bank_words[bank]);
    mb(out, bytes);
    strbuf_addz(out, " MB");
}

static void device_line(struct strbuf *out, const struct term *term, const struct prediction *p) {
    const struct replay *r = &p->replay;
    const struct predict_pool *dram = &r->device.pools[POOL_DRAM];
    const struct ir_function *f = ir_main(&p->modules[p->module_of[0]]);
    term_text(out, term, f->name, 0);
    if (p->forms.programs.len > 1)
        strbuf_addf(out, " and %zu %s after it", p->forms.programs.len - 1,
                    p->forms.programs.len == 2 ? "program" : "programs");
    strbuf_addf(out, " on %s (%s), %u banks of ", r->device.chip ? r->device.chip->title : "an unknown board",
                device_source_words(r->device.source), dram->banks);
    bank_text(out, r->device.bank, dram->bytes);
    uint64_t chips = ir_mesh_chips(&p->modules[0]);
    if (chips > 1) {
        strbuf_addz(out, ", on each chip of a ");
        term_text(out, term, p->modules[0].mesh, 0);
        strbuf_addf(out, " mesh (x %llu)", (unsigned long long)chips);
    }
    strbuf_addz(out, p->log ? "; predicted, not measured\n" : "; predicted, nothing ran\n");
}

/* As `ttmem live` and others count: ops of const-eval and of earlier programs as well. */
static unsigned index_in_run(const struct replay *r, const struct op_state *s) {
    unsigned index = 0;
    for (const struct op_state *before = r->states.items; before < s; before++)
        index += before->record != IR_NONE && before->op != IR_NONE;
    return index;
}

/* "op 653 of 662 (#660), ttnn.subtract %653 (line 2579)" */
static void place_text(struct strbuf *out, const struct term *term, const struct replay *r, uint64_t place, bool counted) {
    const struct op_state *s = prediction_place(r, place);
    const struct ir_op *op = s ? place_op(r, s) : NULL;
    if (!op) {
        strbuf_addz(out, s && s->argument != IR_NONE ? "argument " : "the allocation of its arguments");
        if (s && s->argument != IR_NONE) strbuf_addu(out, s->argument);
        return;
    }
    const struct replay_program *run = &r->runs.items[s->program];
    if (counted && s->caller == IR_NONE && s->record != IR_NONE)
        strbuf_addf(out, "op %u of %u (#%u), ", s->record + 1, run->records, index_in_run(r, s));
    term_text(out, term, op->name, 0);
    strbuf_addc(out, ' ');
    term_text(out, term, op->ssa, 0);
    strbuf_addf(out, " (line %u)", op->line);
    if (s->caller != IR_NONE) {
        strbuf_addz(out, " in ");
        term_text(out, term, run->ir->functions.items[s->function].name, 0);
    }
}

/* A request that is mostly padding is a matter of shape. */
static void padding_text(struct strbuf *out, const struct term *term, const struct replay *r, const struct memory_failure *f) {
    const struct tensor_type *asked = prediction_asked(r, f);
    uint64_t padding = asked ? tensor_padding_bytes(asked, &r->device.geometry) : 0;
    if (!padding || padding < asked->logical_bytes) return;
    char stored[128];
    strbuf_addf(out,
                "  %s %% padding on top of the elements: ", figure_percent((int64_t)padding, asked->logical_bytes, 0).text);
    term_text(out, term, asked->shape, 0);
    size_t len = asked->tiled ? tensor_padded_shape(asked, stored, sizeof stored) : 0;
    if (len) {
        strbuf_addz(out, " is stored as ");
        strbuf_add(out, slice_of(stored, len));
    } else {
        strbuf_addz(out, ", whose rows are rounded up");
    }
    strbuf_addz(out, "; a shape that fills tiles of 32x32 takes less\n");
}

static void failure_text(struct strbuf *out, const struct term *term, const struct replay *r,
                         const struct replay_program *run) {
    static const char *const words[] = {"is exhausted", "is fragmented", "has no bank large enough"};
    const struct memory_failure *f = &run->failure;
    term_tone(out, term, TONE_BAD);
    strbuf_addf(out, "does not fit: %s %s at ", pool_names[f->pool], words[f->kind]);
    place_text(out, term, r, f->place, true);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n  wants ");
    mb(out, f->want);
    strbuf_addz(out, " MB in one piece; ");
    mb(out, f->free);
    strbuf_addz(out, " MB are free, the largest free block is ");
    mb(out, f->largest);
    strbuf_addz(out, " MB (per bank)\n");
    padding_text(out, term, r, f);
}

/* The program with the highest peak; of equal ones the first. */
static const struct replay_program *highest(const struct replay *r) {
    const struct replay_program *best = &r->runs.items[0];
    for (size_t i = 1; i < r->runs.len; i++)
        if (r->runs.items[i].peaks[POOL_DRAM].allocated > best->peaks[POOL_DRAM].allocated) best = &r->runs.items[i];
    return best;
}

static void peak_text(struct strbuf *out, const struct term *term, const struct replay *r, const struct replay_program *run) {
    const struct replay_program *of = run->failed ? highest(r) : run;
    const struct memory_peak *peak = &of->peaks[POOL_DRAM];
    uint64_t capacity = r->device.pools[POOL_DRAM].bytes;
    if (run->failed) {
        strbuf_addz(out, "before that the peak was ");
    } else {
        term_tone(out, term, replay_program_is_whole(run) ? TONE_GOOD : TONE_WARN);
        strbuf_addz(out, run->cut        ? "not known: the module was not followed to its end"
                         : run->unsized  ? "not known: tensors of unknown size are left out"
                         : run->left_out ? "not known: parts of the module are torn or missing"
                                         : "fits");
        term_tone(out, term, TONE_PLAIN);
        strbuf_addz(out, run->cut                        ? "; the peak up to there is "
                         : run->unsized || run->left_out ? "; without them the peak is "
                                                         : ": the peak is ");
    }
    mb(out, peak->allocated);
    strbuf_addf(out, " MB of %s", bank_words[r->device.bank]);
    mb(out, capacity);
    strbuf_addz(out, " (");
    share(out, peak->allocated, capacity);
    strbuf_addz(out, "), at ");
    place_text(out, term, r, peak->place, false);
    if (of != run) strbuf_addf(out, " of program %zu", (size_t)(of - r->runs.items) + 1);
    strbuf_addc(out, '\n');
    if (run->failed || run->margin[POOL_DRAM] == INT64_MAX) return;
    strbuf_addz(out, "  the tightest request left ");
    mb(out, (uint64_t)run->margin[POOL_DRAM]);
    strbuf_addz(out, " MB of the largest free block; at the peak ");
    mb(out, peak->largest_free);
    strbuf_addz(out, " MB were free in one piece\n");
    if (fit_is_tight(run->margin[POOL_DRAM], capacity))
        strbuf_addf(out,
                    "  tight: in a measured run, the largest free block was %d %% of the bank smaller than predicted; this "
                    "leaves less\n",
                    100 / FIT_TIGHT_PART);
}

static void class_row(struct strbuf *out, const struct memory_sums *sums, enum memory_class class, uint64_t total,
                      bool cached) {
    struct strbuf name = {0}, amount = {0};
    strbuf_addf(&name, "%s (%u)", show_class_words(class), sums->buffers[class]);
    mb(&amount, sums->bytes[class]);
    strbuf_addz(out, "  ");
    strbuf_add(out, strbuf_slice(&name));
    strbuf_fill(out, ' ', name.len < NAME_WIDTH - 2 ? NAME_WIDTH - 2 - name.len : 1);
    strbuf_fill(out, ' ', amount.len < 8 ? 8 - amount.len : 0);
    strbuf_add(out, strbuf_slice(&amount));
    strbuf_addf(out, " %5s %%", figure_percent((int64_t)sums->bytes[class], total, 0).text);
    if (show_class_stays(class))
        strbuf_addz(out, cached ? "   stay until the device is closed" : "   are freed when their op ends");
    strbuf_addc(out, '\n');
    strbuf_release(&name);
    strbuf_release(&amount);
}

/* Largest class first. */
static void classes_text(struct strbuf *out, const struct replay_program *run, bool cached) {
    const struct memory_sums *sums = run->failed ? &run->failure.sums : &run->peaks[POOL_DRAM].sums;
    uint64_t total = run->failed ? run->failure.allocated : run->peaks[POOL_DRAM].allocated;
    const char *head = run->failed ? "what holds memory at the failure" : "what holds memory at the peak";
    bool shown[MEMORY_CLASSES] = {0};
    strbuf_addz(out, head);
    strbuf_fill(out, ' ', NAME_WIDTH - strlen(head));
    strbuf_addz(out, " MB/bank   share\n");
    for (;;) {
        int best = -1;
        for (int c = 0; c < MEMORY_CLASSES; c++)
            if (!shown[c] && sums->buffers[c] && (best < 0 || sums->bytes[c] > sums->bytes[best])) best = c;
        if (best < 0) break;
        shown[best] = true;
        class_row(out, sums, (enum memory_class)best, total, cached);
    }
}

static void largest_maps_text(struct strbuf *out, const struct term *term, const struct replay *r) {
    const struct map_made *largest[MAPS_NAMED];
    unsigned n = show_largest_maps(r, largest, MAPS_NAMED);
    if (!n) return;
    strbuf_addz(out, n > 1 ? "  the largest maps come from reshape " : "  the largest map comes from reshape ");
    for (unsigned i = 0; i < n; i++) {
        char in[128], shape[128];
        const struct ir_op *op = place_op(r, &r->states.items[largest[i]->state]);
        ir_shape_text(&largest[i]->in, in, sizeof in);
        ir_shape_text(&largest[i]->out, shape, sizeof shape);
        strbuf_addz(out, i ? " and " : "");
        if (op) term_text(out, term, op->ssa, 0);
        strbuf_addf(out, " (%s -> %s, ", in, shape);
        mb(out, r->memory.buffers.items[largest[i]->buffer].bytes);
        strbuf_addz(out, " MB)");
    }
    strbuf_addz(out, ":\n  a reshape of row-major tensors needs no map\n");
}

static void what_if_text(struct strbuf *out, const struct term *term, const struct show *show) {
    const struct what_ifs *tried = show->tried;
    const struct replay *r = &show->prediction->replay;
    if (!tried->list.len) return;
    strbuf_addz(out, "what would change it\n");
    for (size_t i = 0; i < tried->list.len; i++) {
        const struct what_if *row = &tried->list.items[i];
        strbuf_addf(out, "  %-42s ", row->option);
        strbuf_addz(out, !row->fits   ? "does not fit either"
                         : row->whole ? fit_is_tight(row->margin, row->capacity) ? "fits tightly, peak " : "fits, peak "
                                      : "fits as far as it was followed, peak ");
        if (row->fits) {
            mb(out, row->peak);
            strbuf_addz(out, " of ");
            bank_text(out, row->bank, row->capacity);
        }
        if (row->words) strbuf_addf(out, " (%s%s)", row->exact ? "" : "estimate; ", row->words);
        strbuf_addc(out, '\n');
    }
    uint64_t maps = r->runs.len ? vec_last(&r->runs).failure.sums.bytes[MEMORY_RESHAPE_MAP] : 0;
    if (maps) largest_maps_text(out, term, r);
}

/* Ops whose temporaries are estimates: names some of them. */
static void estimated_names(struct strbuf *out, const struct term *term, const struct replay *r) {
    enum { SHOWN = 4 };
    for (size_t i = 0; i < r->estimated_ops.len && i < SHOWN; i++) {
        strbuf_addz(out, i ? ", " : ", what is inside ");
        term_text(out, term, r->estimated_ops.items[i], 40);
    }
    if (r->estimated_ops.len > SHOWN) strbuf_addf(out, " and %zu more", r->estimated_ops.len - SHOWN);
}

static void estimated_text(struct strbuf *out, const struct term *term, const struct prediction *p,
                           const struct replay_program *run) {
    const struct replay *r = &p->replay;
    uint64_t plain = 0, sharded = 0;
    for (size_t i = 0; i < r->plain.len; i++) *(r->plain.items[i].sharded ? &sharded : &plain) += r->plain.items[i].count;
    strbuf_addz(out, "estimated part: ");
    mb(out, run->failed ? run->failure.dram.estimated : run->peaks[POOL_DRAM].sums.estimated);
    strbuf_addz(out, " MB (kernel binaries, tables of convolutions");
    estimated_names(out, term, r);
    strbuf_addf(out, "); %llu %s unknown to ttmem", (unsigned long long)plain, plain == 1 ? "op" : "ops");
    const char *before = ": ";
    for (size_t i = 0; i < r->plain.len; i++) {
        if (r->plain.items[i].sharded) continue;
        strbuf_addz(out, before);
        term_text(out, term, r->plain.items[i].name, 0);
        before = ", ";
    }
    strbuf_addc(out, '\n');
    if (sharded)
        strbuf_addf(out, "%llu ops with sharded operands: what they take while they run is not counted\n",
                    (unsigned long long)sharded);
}

static void l1_text(struct strbuf *out, const struct replay *r, const struct replay_program *run) {
    if (!run->peaks[POOL_L1].allocated) return;
    strbuf_addz(out, "L1: at least ");
    mb(out, run->peaks[POOL_L1].allocated);
    strbuf_addz(out, " MB of ");
    mb(out, r->device.pools[POOL_L1].bytes);
    strbuf_addz(out, " at its peak; a lower bound, circular buffers are not in the module\n");
}

/* Memory that exists, but whose size the module does not give. */
static void unknown_text(struct strbuf *out, const struct replay *r) {
    if (r->device.bank != BANK_EXACT)
        strbuf_addf(out, "the size of a bank is %s: what the build sets aside there is not known%s\n",
                    r->device.bank == BANK_AT_LEAST ? "a lower bound" : "an estimate",
                    r->device.bank == BANK_AT_LEAST ? ", and taken at its most" : "");
    if (r->l1_small_tables)
        strbuf_addf(out, "L1_SMALL: tables of %llu %s lie there; nothing in the module gives their size: not counted\n",
                    (unsigned long long)r->l1_small_tables,
                    r->l1_small_tables == 1 ? "convolution or pool" : "convolutions and pools");
    if (r->traces)
        strbuf_addf(out, "%llu %s: %s; nothing in the module gives the size: not counted\n", (unsigned long long)r->traces,
                    r->traces == 1 ? "trace" : "traces",
                    r->device.pools[POOL_TRACE].bytes ? "the buffer lies in the trace region"
                                                      : "without a trace region the buffer lies at the top of DRAM");
}

static const struct {
    const char *one, *several;
    size_t offset;
} odd_words[] = {
    {"value is used but not defined", "values are used but not defined", offsetof(struct ir_odd, undefined_values)},
    {"call of a function that is not there", "calls of functions that are not there", offsetof(struct ir_odd, missing_callees)},
    {"op is cut", "ops are cut", offsetof(struct ir_odd, cut_ops)},
    {"tensor on the device has a type of unknown size", "tensors on the device have a type of unknown size",
     offsetof(struct ir_odd, unknown_types)},
    {"recursive call was not followed", "recursive calls were not followed", offsetof(struct ir_odd, call_cycles)},
};

static void odd_text(struct strbuf *out, const struct prediction *p) {
    struct ir_odd odd;
    if (!prediction_odd(p, &odd)) return;
    for (size_t i = 0; i < sizeof odd_words / sizeof *odd_words; i++) {
        uint64_t n = *(const uint64_t *)(const void *)((const char *)&odd + odd_words[i].offset);
        if (n) strbuf_addf(out, "%llu %s\n", (unsigned long long)n, n == 1 ? odd_words[i].one : odd_words[i].several);
    }
}

/* The decisive program: the one that failed, else the one with the highest peak. */
static const struct replay_program *deciding(const struct replay *r) {
    for (size_t i = 0; i < r->runs.len; i++)
        if (r->runs.items[i].failed) return &r->runs.items[i];
    return highest(r);
}

static void programs_text(struct strbuf *out, const struct term *term, const struct replay *r) {
    for (size_t i = 0; i < r->runs.len; i++) {
        const struct replay_program *run = &r->runs.items[i];
        strbuf_addf(out, "  program %zu, ", i + 1);
        term_text(out, term, ir_main(run->ir)->name, 0);
        if (run->ir->symbol.len) {
            strbuf_addz(out, " of ");
            term_text(out, term, run->ir->symbol, 0);
        }
        strbuf_addz(out, run->failed ? ": does not fit, up to then " : ": ");
        mb(out, run->dram_at_start);
        strbuf_addz(out, " MB at its start, peak ");
        mb(out, run->peaks[POOL_DRAM].allocated);
        if (!run->failed) {
            strbuf_addz(out, ", ");
            mb(out, run->dram_at_end);
            strbuf_addz(out, " at its end");
        }
        strbuf_addc(out, '\n');
    }
}

void show_text(struct strbuf *out, const struct term *term, const struct show *show) {
    const struct prediction *p = show->prediction;
    const struct replay *r = &p->replay;
    const struct replay_program *run = deciding(r);
    device_line(out, term, p);
    if (run->failed) failure_text(out, term, r, run);
    peak_text(out, term, r, run);
    if (show->compare) show_measured_text(out, r, show->compare);
    if (r->runs.len > 1) programs_text(out, term, r);
    if (p->between_from_log)
        strbuf_addz(out, "  what a finished program had is kept (--between keep): so it is nearer to the log\n");
    show_scale_text(out, p);
    if (show->found) show_search_text(out, show->found);
    if (show->compare) show_compare_text(out, term, p, show->compare);
    classes_text(out, run, !p->options.replay.no_program_cache);
    what_if_text(out, term, show);
    l1_text(out, r, run);
    unknown_text(out, r);
    if (show->plan) show_decision_text(out, term, p, show->plan);
    estimated_text(out, term, p, run);
    if (run->frees_by_last_use)
        strbuf_addz(out, "the module frees nothing: values are assumed to be freed after their last use\n");
    odd_text(out, p);
    if (show->per_op) show_per_op_text(out, term, show);
}
