/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/op_report.h"

#include "analysis/run/module_path.h"
#include "analysis/run/op_inside.h"
#include "analysis/search/late.h"
#include "base/amounts.h"
#include "render/host/host_moment.h"
#include "render/format/predicted.h"
#include "parse/op.h"
#include "render/format/warning_words.h"

enum { LABEL = 12, WEIGHTS_SHOWN = 20, TEXT_MOST = 160 };

struct op_page {
    struct strbuf *out;
    const struct term *term;
    const struct run *run;
    const struct step *step;
    const struct op *op; /* NULL for a block without an op line */
    uint32_t record;
};

static void label(struct op_page *p, const char *text) { strbuf_addf(p->out, "  %-*s", LABEL, text); }

static void row(struct op_page *p, const char *name, struct slice text) {
    if (!text.len) return;
    label(p, name);
    term_text(p->out, p->term, text, TEXT_MOST);
    strbuf_addc(p->out, '\n');
}

/* Ops of the same rank before it. */
static uint64_t place_in_rank(const struct run *run, uint32_t record) {
    uint16_t rank = run->steps.items[run->records.items[record]].rank;
    uint64_t before = 0;
    for (uint32_t i = 0; i < record; i++) before += run->steps.items[run->records.items[i]].rank == rank;
    return before;
}

static void headline(struct op_page *p) {
    term_tone(p->out, p->term, TONE_BOLD);
    strbuf_addf(p->out, "#%u ", p->record);
    term_text(p->out, p->term, step_name(p->run, p->step), 80);
    term_tone(p->out, p->term, TONE_PLAIN);
    if (p->step->line) {
        strbuf_addz(p->out, "   line ");
        add_grouped(p->out, p->step->line);
    }
    struct slice rank = run_string(p->run, p->run->ranks.items[p->step->rank].name);
    if (rank.len) {
        strbuf_addf(p->out, "%srank ", term_dot(p->term));
        term_text(p->out, p->term, rank, 24);
        if (run_has_ranks(p->run)) strbuf_addf(p->out, ", its op %s", figure_grouped(place_in_rank(p->run, p->record)).text);
    }
    strbuf_addz(p->out, "\n\n");
}

struct slice op_report_ir_text(const struct run *run, const struct op *op) {
    bool told = op && (run->origin == RUN_LOG || run->origin == RUN_PREDICTED);
    return told ? run_op_text(run, op) : slice_of("", 0);
}

/* The file that the location names; the location itself if it has nothing else. */
static void source_row(struct op_page *p) {
    struct module_path path;
    struct strbuf text = {0};
    module_path_of(run_string(p->run, p->op->display), &path);
    if (path.file.len) {
        strbuf_add(&text, path.file);
        if (path.line) strbuf_addf(&text, ":%llu", (unsigned long long)path.line);
        if (path.function.len) strbuf_addf(&text, " in %.*s", SLICE_FMT(path.function));
        row(p, "source", strbuf_slice(&text));
    }
    strbuf_release(&text);
}

/* Line of the module, and the op as written there; the log prints it with types written out. */
static void ir_row(struct op_page *p) {
    struct strbuf text = {0};
    struct slice own = op_report_ir_text(p->run, p->op);
    if (p->op && p->op->ir_line) strbuf_addf(&text, "TTNN:%u  ", p->op->ir_line);
    strbuf_add(&text, own);
    row(p, "ir", strbuf_slice(&text));
    strbuf_release(&text);
}

static void origin(struct op_page *p, const struct op_text *text) {
    bool miss;
    struct slice graph = step_const_eval(p->run, p->step, &miss);
    uint32_t program = step_program(p->run, p->step);
    if (p->op) {
        row(p, "location", run_string(p->run, p->op->display));
        source_row(p);
        row(p, "calls", run_string(p->run, p->op->callee));
    }
    if (program != NONE) row(p, "program", run_string(p->run, p->run->programs.items[program].name));
    if (graph.len) { /* a cached graph does not run: it was missed, or nothing says */
        label(p, "const-eval");
        term_text(p->out, p->term, graph, 80);
        strbuf_addz(p->out, miss ? ", cache miss\n" : ", the log does not show the cache\n");
    }
    ir_row(p);
    row(p, "attributes", text->properties.len ? text->properties : text->attributes);
    if (p->op && p->op->truncated)
        row(p, "note", SLICE("the op's line is cut in the log: operands, types or location may be missing"));
}

/* Thousandths of a MB, right-aligned; "-" if unknown. */
static void cell(struct op_page *p, bool known, int64_t milli, bool sign) {
    struct strbuf text = {0};
    if (known && sign && milli > 0) strbuf_addc(&text, '+');
    if (known) add_milli(&text, milli, 3);
    else strbuf_addc(&text, '-');
    strbuf_fill(p->out, ' ', text.len < 12 ? 12 - text.len : 1);
    strbuf_add(p->out, strbuf_slice(&text));
    strbuf_release(&text);
}

static const struct block *with_pool(const struct run *run, uint32_t block, unsigned pool) {
    return block != NONE && run->blocks.items[block].have & 1u << pool ? &run->blocks.items[block] : NULL;
}

static void memory(struct op_page *p) {
    if (p->step->block == NONE && p->step->after == NONE) {
        row(p, "memory", SLICE("the log has no memory block for this op"));
        strbuf_addc(p->out, '\n');
        return;
    }
    strbuf_addf(p->out, "  %-*s%12s%12s%12s%12s%12s  MB per %s, free and largest before it\n", LABEL, "memory", "before",
                "after", "change", "free", "largest", pools_unit(p->run));
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct block *before = with_pool(p->run, p->step->block, pool), *after = with_pool(p->run, p->step->after, pool);
        if (!before && !after) continue;
        label(p, pool_names[pool]);
        cell(p, before, before ? before->allocated[pool] : 0, false);
        cell(p, after, after ? after->allocated[pool] : 0, false);
        cell(p, before && after, before && after ? (int64_t)after->allocated[pool] - before->allocated[pool] : 0, true);
        cell(p, before && block_free_known(before, pool), before ? before->free[pool] : 0, false);
        cell(p, before && block_largest_known(before, pool), before ? before->largest[pool] : 0, false);
        strbuf_addc(p->out, '\n');
    }
    strbuf_addc(p->out, '\n');
}

static void inside(struct op_page *p) {
    struct op_inside at;
    op_inside_find(p->run, p->record, &at);
    if (!at.known) return;
    label(p, "L1 inside");
    add_grouped(p->out, at.total_bytes);
    strbuf_addz(p->out, " B per core at most: circular buffers ");
    add_grouped(p->out, at.program_bytes);
    strbuf_addz(p->out, ", inside the op ");
    add_grouped(p->out, at.inside_bytes);
    strbuf_addz(p->out, ", before it or staying ");
    add_grouped(p->out, at.other_bytes);
    strbuf_addz(p->out, "\n\n");
}

/* "1024x1000 bf16  dram interleaved  0.167 MB per bank, 2.00 MB padded, 1.95 MB logical (+2.4%)" */
static void tensor(struct op_page *p, const char *name, const struct tensor_type *type) {
    label(p, name);
    if (type->kind != TYPE_TENSOR) {
        term_text(p->out, p->term, type->text, 60);
        strbuf_addc(p->out, '\n');
        return;
    }
    term_text(p->out, p->term, type->shape.len ? type->shape : SLICE("scalar"), 60);
    strbuf_addc(p->out, ' ');
    term_text(p->out, p->term, type->dtype, 40);
    if (type->has_layout) {
        strbuf_addf(p->out, "  %s", buffer_type_name(type->buffer));
        if (type->memory_layout != LAYOUT_NONE) strbuf_addf(p->out, " %s", memory_layout_name(type->memory_layout));
        strbuf_addz(p->out, type->tiled ? " tiled" : " row-major");
    }
    uint64_t padded = tensor_padded_bytes(type, &p->run->geometry), bank = tensor_per_bank_bytes(type, &p->run->geometry);
    strbuf_addz(p->out, "  ");
    if (bank) {
        add_mb(p->out, bank, 3);
        strbuf_addf(p->out, " MB per %s, ", pool_unit(p->run, type->buffer == BUFFER_L1 ? POOL_L1 : POOL_DRAM));
    }
    if (padded) {
        add_size(p->out, padded);
        strbuf_addz(p->out, " stored, ");
    }
    if (!type->logical_known) strbuf_addz(p->out, "logical size not known");
    else {
        add_size(p->out, type->logical_bytes);
        strbuf_addz(p->out, " logical");
        uint64_t padding = tensor_padding_bytes(type, &p->run->geometry);
        if (padding && type->logical_bytes) {
            strbuf_addz(p->out, " (+");
            add_percent(p->out, (int64_t)padding, type->logical_bytes);
            strbuf_addz(p->out, " padding)");
        }
    }
    strbuf_addc(p->out, '\n');
}

const struct tensor *op_report_result(const struct run *run, const struct step *step, uint32_t result) {
    uint32_t producer = (uint32_t)(step - run->steps.items);
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (tensor->producer == producer && tensor->argument == result && tensor->class != TENSOR_ARGUMENT) return tensor;
    }
    return NULL;
}

/* "freed after #7, last used by #5" */
static void lifetime(struct op_page *p, const struct tensor *made) {
    uint32_t last = tensor_last_record(p->run, made), used = tensor_last_used(p->run, made);
    label(p, "lifetime");
    if (made->left) strbuf_addz(p->out, "never freed, every pass leaves one more");
    else if (last != NONE) strbuf_addf(p->out, "freed after #%u", last);
    else strbuf_addz(p->out, "to the end of the run");
    if (used != NONE) strbuf_addf(p->out, ", last used by #%u", used);
    strbuf_addc(p->out, '\n');
}

static void tensors(struct op_page *p) {
    for (unsigned i = 0; p->op && i < p->op->operand_count + (unsigned)p->op->result_count; i++) {
        bool result = i >= p->op->operand_count;
        tensor(p, result ? "out" : "in", &p->run->types.items[p->run->refs.items[p->op->first_ref + i].type]);
        const struct tensor *made = result ? op_report_result(p->run, p->step, i - p->op->operand_count) : NULL;
        if (made) lifetime(p, made);
    }
}

static void weights(struct op_page *p) {
    uint32_t entries[256];
    size_t count = step_weights(p->run, p->step, entries, 256);
    for (size_t i = 0; i < count && i < WEIGHTS_SHOWN; i++) {
        const struct registry_entry *entry = &p->run->registry.items[entries[i]];
        label(p, i ? "" : "weights");
        term_text(p->out, p->term, entry->name, 100);
        strbuf_addz(p->out, "  ");
        term_text(p->out, p->term, entry->shape, 40);
        strbuf_addc(p->out, ' ');
        term_text(p->out, p->term, entry->dtype, 20);
        strbuf_addc(p->out, '\n');
    }
    if (count > WEIGHTS_SHOWN) strbuf_addf(p->out, "  %-*s... and %zu more weights\n", LABEL, "", count - WEIGHTS_SHOWN);
}

static void host(struct op_page *p) {
    struct strbuf text = {0};
    if (host_moment_text(&text, p->term, p->run, p->run->records.items[p->record])) {
        label(p, "host");
        strbuf_add(p->out, strbuf_slice(&text));
        strbuf_addc(p->out, '\n');
    }
    strbuf_release(&text);
}

void op_report_text(struct strbuf *out, const struct term *term, const struct output_job *job, uint32_t record) {
    const struct run *run = job->run;
    const struct step *step = &run->steps.items[run->records.items[record]];
    struct op_page p = {out, term, run, step, step->op == NONE ? NULL : &run->ops.items[step->op], record};
    struct op_text text = {0};
    if (p.op) op_parse(run_op_text(run, p.op), &text);
    headline(&p);
    size_t start = out->len;
    origin(&p, &text);
    if (out->len > start) strbuf_addc(out, '\n');
    memory(&p);
    inside(&p);
    tensors(&p);
    weights(&p);
    host(&p);
    add_bounds_note(out, term, run);
    add_predicted_note(out, term, run);
    op_release(&text);
}
