/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a graph on a simulated device and writes what the runtime would print (runtime-log.md sections 2 and 3). */
#include "genlog.h"

#include <stdlib.h>
#include <string.h>

struct run {
    struct gen *g;
    struct device *d;
    struct graph *graph;
    struct graph_state *state;
    enum pass_end wanted;
    size_t stop_at;
};
struct frame {
    int fn, const_eval_fn, *buffers;
};

static void debug_line(struct run *r, const char *prefix, const char *message, const char *name, struct event *e) {
    if (r->g->opt.no_ops) return;
    struct sink *s = &r->g->sink;
    if (e) sink_begin_runtime(s, r->d->rank);
    else sink_begin(s, r->d->rank);
    sink_puts(s, prefix);
    sink_puts(s, message);
    sink_puts(s, name);
    sink_end(s, e);
}

static void maybe_foreign(struct run *r, double p) {
    if (rng_chance(&r->d->noise, p)) noise_line(r->g, r->d->rank, &r->d->noise, false);
}

static struct event event_of(struct run *r, enum event_kind kind, const struct frame *f) {
    return (struct event){
        .kind = kind, .rank = r->d->rank, .graph = r->graph, .fn = f ? f->fn : -1, .const_eval_fn = f ? f->const_eval_fn : -1};
}

static void pool_line(struct run *r, enum pool pool, struct event *e) {
    static const char free_text[] = " MB, totalBytesFreePerBank: ", largest_text[] = " MB, largestContiguousBytesFreePerBank: ",
                      end_text[] = " MB}";
    struct gen *g = r->g;
    struct free_list *list = &r->d->pools[pool];
    char buf[160];
    e->kind = EV_POOL;
    e->pool = pool;
    e->thousandths = thousandths_of_mb(list->allocated);
    size_t n = format_thousandths(buf, e->thousandths);
    e->need = g->pool_head_len[pool] + n + 4; /* the field is complete with its ` MB,` */
    memcpy(buf + n, free_text, sizeof free_text - 1);
    n += sizeof free_text - 1;
    n += format_thousandths(buf + n, thousandths_of_mb(list->total - list->allocated));
    memcpy(buf + n, largest_text, sizeof largest_text - 1);
    n += sizeof largest_text - 1;
    n += format_thousandths(buf + n, thousandths_of_mb(free_list_largest(list)));
    memcpy(buf + n, end_text, sizeof end_text - 1);
    n += sizeof end_text - 1;
    sink_begin_runtime(&g->sink, r->d->rank);
    sink_put(&g->sink, g->pool_head[pool], g->pool_head_len[pool]);
    sink_put(&g->sink, buf, n);
    sink_end(&g->sink, e);
}

static void block(struct run *r, const char *what, const char *optype, struct event e) {
    struct sink *s = &r->g->sink;
    sink_begin_runtime(s, r->d->rank);
    sink_puts(s, r->g->pre_info);
    sink_puts(s, "Device memory state ");
    sink_puts(s, what);
    sink_puts(s, optype);
    e.kind = EV_BLOCK;
    e.optype = *optype ? optype : what;
    sink_end(s, &e);
    for (int p = 0; p < POOL_COUNT; p++) {
        maybe_foreign(r, r->g->opt.interleave / 4);
        pool_line(r, (enum pool)p, &e);
    }
}

static void submit_block(struct run *r, const char *what) {
    if (!(r->g->opt.level & LEVEL_PROGRAM)) return;
    struct event e = event_of(r, EV_BLOCK, NULL);
    e.owner = OWNER_SUBMIT;
    block(r, what, "", e);
}

static void announce(struct run *r, const struct frame *f, const struct op *op, bool nests, bool hit) {
    static const char marker[] = "Executing operation: ";
    struct gen *g = r->g;
    struct event e = event_of(r, EV_OP, f);
    e.op = op;
    e.nests = nests;
    e.hit = hit;
    e.live = r->d->live;
    e.live_bytes[0] = r->d->live_bytes[0];
    e.live_bytes[1] = r->d->live_bytes[1];
    maybe_foreign(r, g->opt.noise);
    if (!g->opt.no_ops) {
        size_t pre = strlen(g->pre_ttnn);
        e.need = pre + sizeof marker - 1 + op->name_end;
        sink_begin_runtime(&g->sink, r->d->rank);
        sink_put(&g->sink, g->pre_ttnn, pre);
        sink_put(&g->sink, marker, sizeof marker - 1);
        sink_put(&g->sink, op->line, op->line_len);
        sink_end(&g->sink, &e);
        maybe_foreign(r, g->opt.interleave);
    }
    if (g->opt.level & LEVEL_OPERATION) {
        e.need = 0;
        e.owner = g->opt.no_ops ? OWNER_ANONYMOUS : OWNER_OP;
        block(r, "before operation ", op->optype, e);
    }
}

/* ---- effects */

static int alloc_type(struct run *r, const struct type *t) {
    if (t->kind != TYPE_TENSOR || t->mem == MEM_HOST) return -1;
    return device_alloc(r->d, t->mem == MEM_L1 ? POOL_L1 : POOL_DRAM, t->per_bank);
}

static int share(struct run *r, int buffer) {
    if (buffer >= 0) r->d->buffers[buffer].refs++;
    return buffer;
}

static void execute_fn(struct run *r, int fn, int const_eval_fn, const int *args, int *rets);

static void gather_operands(const struct frame *f, const struct op *op, uint32_t skip, int *args) {
    for (uint32_t i = skip; i < op->operand_count; i++) args[i - skip] = f->buffers[op->operands[i]];
}

static void do_deallocate(struct run *r, struct frame *f, const struct op *op) {
    int v = op->operands[0], *slot = &f->buffers[v];
    bool main_arg = r->graph->fns[f->fn].values[v].arg >= 0;
    if (main_arg || (*slot >= 0 && r->d->buffers[*slot].retained)) {
        debug_line(r, r->g->pre_debug, "Tensor is retained thus not deallocating. To deallocate, set retain to false first", "",
                   NULL);
        return;
    }
    device_drop(r->d, *slot);
    *slot = -1;
}

static void do_results(struct run *r, struct frame *f, const struct op *op) {
    const struct fn *fn = &r->graph->fns[f->fn];
    for (int i = 0; i < op->result_count; i++)
        f->buffers[op->first_result + i] = alloc_type(r, fn->values[op->first_result + i].type);
}

static void do_view(struct run *r, struct frame *f, const struct op *op) {
    f->buffers[op->first_result] = share(r, f->buffers[op->operands[0]]);
}

/* The program cache keeps a small configuration tensor per convolution in L1_SMALL. */
static void conv_config(struct run *r, const struct op *op) {
    int *slot = &r->state->small[op->small_slot - 1];
    if (*slot < 0 && r->d->pools[POOL_L1_SMALL].allocated < r->d->pools[POOL_L1_SMALL].total / 2) {
        *slot = device_alloc(r->d, POOL_L1_SMALL, 512 + 96 * (op->small_slot % 5));
        r->d->buffers[*slot].retained = true;
    }
}

static void do_conv(struct run *r, struct frame *f, const struct op *op) {
    const struct fn *fn = &r->graph->fns[f->fn];
    int in = op->operands[0];
    conv_config(r, op);
    do_results(r, f, op);
    if (fn->values[in].type->mem == MEM_L1) {
        device_drop(r->d, f->buffers[in]);
        f->buffers[in] = -1;
    }
}

static void put_hash(struct run *r, const char *name, char *hex) {
    struct rng h = {r->g->opt.seed ^ (uint64_t)r->graph->index << 32};
    for (; *name; name++) h.state = (h.state ^ (unsigned char)*name) * 1099511628211u;
    for (int i = 0; i < 4; i++) snprintf(hex + 16 * i, 17, "%016llx", (unsigned long long)rng_next(&h));
}

static void do_load_cached(struct run *r, struct frame *f, const struct op *op) {
    const char *name = r->graph->fns[op->callee].name;
    struct cached *c = &r->state->const_eval[r->graph->fns[op->callee].parent_ce];
    struct frame callee = {.fn = op->callee, .const_eval_fn = op->callee};
    struct event e = event_of(r, c->valid ? EV_HIT : EV_MISS, &callee);
    if (!r->g->opt.old_dialect) {
        char hex[65], with_hash[512];
        put_hash(r, name, hex);
        snprintf(with_hash, sizeof with_hash, "%s with hash: %s", name, hex);
        debug_line(r, r->g->pre_debug, "Running LoadCachedOp for function ", with_hash, NULL);
    }
    debug_line(r, r->g->pre_debug, c->valid ? "Cache hit for function: " : "Cache miss or invalid cache for function: ", name,
               &e);
    if (!c->valid) {
        int args[8], ret[4] = {-1, -1, -1, -1};
        gather_operands(f, op, 0, args);
        execute_fn(r, op->callee, op->callee, args, ret);
        debug_line(r, r->g->pre_debug, "executed sub-func: ", name, NULL);
        *c = (struct cached){true, ret[0]};
        r->d->buffers[ret[0]].retained = true;
    }
    f->buffers[op->first_result] = share(r, c->buffer);
}

static void do_call(struct run *r, struct frame *f, const struct op *op) {
    int args[8], ret[4] = {-1, -1, -1, -1};
    gather_operands(f, op, 0, args);
    execute_fn(r, op->callee, f->const_eval_fn, args, ret);
    f->buffers[op->first_result] = ret[0];
}

static void do_trace(struct run *r, struct frame *f, const struct op *op) {
    const int *fns = r->graph->trace_fns;
    int args[8] = {-1}, ret[4] = {-1, -1, -1, -1};
    struct graph_state *st = r->state;
    if (st->traced) {
        debug_line(r, r->g->pre_debug, "Trace cache hit, executing trace directly", "", NULL);
        execute_fn(r, fns[3], -1, args, ret);
    } else {
        debug_line(r, r->g->pre_debug,
                   r->g->opt.old_dialect ? "Trace cache miss, running program and capturing trace"
                                         : "Trace cache miss, allocating slots and capturing trace",
                   "", NULL);
        execute_fn(r, fns[1], -1, args, ret);
        st->slot = ret[0];
        r->d->buffers[st->slot].retained = true;
        gather_operands(f, op, 1, args); /* host input, then the weights */
        memmove(args + 2, args + 1, (op->operand_count - 2) * sizeof *args);
        args[1] = st->slot;
        execute_fn(r, fns[2], -1, args, ret);
        st->trace_out = ret[0];
        r->d->buffers[st->trace_out].retained = true;
        st->traced = true;
    }
    f->buffers[op->first_result] = share(r, st->trace_out);
}

static void do_end_capture(struct run *r, struct frame *f, const struct op *op) {
    (void)f, (void)op;
    device_alloc(r->d, POOL_TRACE, 8192 * 5);
}

static void do_nothing(struct run *r, struct frame *f, const struct op *op) { (void)r, (void)f, (void)op; }

static void (*const effects[OP_KINDS])(struct run *, struct frame *, const struct op *) = {
    [OP_NORMAL] = do_results, [OP_DEALLOC] = do_deallocate, [OP_GET_DEVICE] = do_nothing,
    [OP_VIEW] = do_view,      [OP_CONV] = do_conv,          [OP_LOAD_CACHED] = do_load_cached,
    [OP_CALL] = do_call,      [OP_TRACE] = do_trace,        [OP_END_CAPTURE] = do_end_capture,
};

/* ---- functions */

/* Everything the executor still holds goes when it is destroyed; arguments belong to the caller. */
static void drop_frame(struct run *r, const struct fn *fn, struct frame *f) {
    for (size_t v = 0; v < fn->value_count; v++)
        if (fn->values[v].arg < 0 && !fn->values[v].leaked) device_drop(r->d, f->buffers[v]);
    free(f->buffers);
}

static void bind_args(const struct fn *fn, struct frame *f, const int *args) {
    for (size_t v = 0; v < fn->value_count; v++) f->buffers[v] = fn->values[v].arg >= 0 ? args[fn->values[v].arg] : -1;
}

static void start_fn(struct run *r, struct frame *f, const int *args) {
    const struct fn *fn = &r->graph->fns[f->fn];
    f->buffers = xrealloc(NULL, (fn->value_count + 1) * sizeof *f->buffers);
    bind_args(fn, f, args);
    struct event e = event_of(r, EV_START, f);
    debug_line(r, r->g->pre_ttnn, "Starting execution of program: ", fn->name, &e);
}

static void finish_fn(struct run *r, struct frame *f, int *rets) {
    const struct fn *fn = &r->graph->fns[f->fn];
    struct event e = event_of(r, EV_FINISH, f);
    debug_line(r, r->g->pre_ttnn, "Finished execution of program: ", fn->name, &e);
    for (int i = 0; i < fn->return_count; i++) {
        rets[i] = f->buffers[fn->returns[i]];
        f->buffers[fn->returns[i]] = -1;
    }
    drop_frame(r, fn, f);
}

static bool runs_nested(const struct run *r, const struct op *op, bool *hit) {
    *hit = op->kind == OP_LOAD_CACHED && r->state->const_eval[r->graph->fns[op->callee].parent_ce].valid;
    return op->kind == OP_CALL || op->kind == OP_TRACE || (op->kind == OP_LOAD_CACHED && !*hit);
}

static void step(struct run *r, struct frame *f, const struct op *op) {
    bool hit, nests = runs_nested(r, op, &hit);
    announce(r, f, op, nests, hit);
    effects[op->kind](r, f, op);
}

static void execute_fn(struct run *r, int fn, int const_eval_fn, const int *args, int *rets) {
    struct frame f = {.fn = fn, .const_eval_fn = const_eval_fn};
    start_fn(r, &f, args);
    for (size_t i = 0; i < r->graph->fns[fn].op_count; i++) step(r, &f, &r->graph->fns[fn].ops[i]);
    finish_fn(r, &f, rets);
}

/* ---- failures */

/* What an ordinary op of main with one DRAM result asks of a bank; 0 for another op. */
static uint64_t request_of(const struct run *r, const struct op *op) {
    if (op->kind != OP_NORMAL || op->result_count != 1) return 0;
    const struct type *t = r->graph->fns[0].values[op->first_result].type;
    return t->mem == MEM_DRAM ? round_up(t->per_bank, r->d->pools[POOL_DRAM].align) : 0;
}

/* The request of the op itself where that does not fit, else one that is too large for the largest free block. */
static void write_oom(struct run *r, const struct op *op) {
    struct free_list *dram = &r->d->pools[POOL_DRAM];
    uint64_t banks = r->g->banks[POOL_DRAM], per_bank = request_of(r, op);
    if (per_bank <= free_list_largest(dram)) per_bank += free_list_largest(dram);
    char message[512];
    snprintf(message, sizeof message,
             "Out of Memory: Not enough space to allocate %llu B DRAM buffer across %llu banks, where each bank needs to store "
             "%llu B, but bank size is %llu B "
             "(allocated: %llu B, free: %llu B, largest free block: %llu B)",
             (unsigned long long)(per_bank * banks), (unsigned long long)banks, (unsigned long long)per_bank,
             (unsigned long long)dram->total, (unsigned long long)dram->allocated,
             (unsigned long long)(dram->total - dram->allocated), (unsigned long long)free_list_largest(dram));
    char line[640];
    snprintf(line, sizeof line, "TT_FATAL: %s (assert.hpp:104)", message);
    struct event e = event_of(r, EV_OOM, NULL);
    noise_spdlog(r->g, r->d->rank, "critical", "Always", line, &e);
    static const char *const trace[] = {
        "Traceback (most recent call last):", "  File \"/src/run.py\", line 88, in <module>", "    main()",
        "RuntimeError: TT_FATAL @ /opt/tt-metal/tt_metal/impl/allocator/bank_manager.cpp:462: false", "info:"};
    for (size_t i = 0; i < ARRAY_LEN(trace); i++) sink_line(&r->g->sink, r->d->rank, trace[i]);
    sink_line(&r->g->sink, r->d->rank, message);
    sink_line(&r->g->sink, r->d->rank, "backtrace:");
    sink_line(&r->g->sink, r->d->rank,
              " --- tt::tt_metal::BankManager::allocate_buffer(unsigned long, unsigned long, bool, CoreRangeSet const&)");
}

static void write_throw(struct run *r) {
    struct event e = event_of(r, EV_THROW, NULL);
    sink_begin_runtime(&r->g->sink, r->d->rank);
    sink_puts(&r->g->sink, "Traceback (most recent call last):");
    sink_end(&r->g->sink, &e);
    sink_line(&r->g->sink, r->d->rank, "  File \"/src/run.py\", line 88, in <module>");
    sink_line(&r->g->sink, r->d->rank, "ValueError: Error code: 13");
}

/* The op of main that fails: an ordinary one with a DRAM result, after two thirds of the pass. */
static size_t failing_op(const struct graph *graph) {
    const struct fn *f = &graph->fns[0];
    for (size_t i = f->op_count * 2 / 3; i < f->op_count; i++) {
        const struct op *op = &f->ops[i];
        if (op->kind == OP_NORMAL && op->result_count == 1 && f->values[op->first_result].type->mem == MEM_DRAM) return i;
    }
    return f->op_count;
}

/* ---- passes */

/* A weight that a program which ran before was handed too: its buffer; -1: there is none. */
static int shared_buffer(const struct run *r, const struct value *value) {
    const struct arg_info *arg = &r->graph->args[value->arg];
    for (uint32_t p = 0; r->g->opt.shared_weights && arg->role != ROLE_INPUT && p < r->g->opt.programs; p++) {
        const struct graph *graph = r->g->graphs[p];
        if (graph == r->graph || !graph || !r->d->graphs[p].args_ready) continue;
        for (size_t v = 0; v < graph->fns[0].value_count; v++) {
            const struct value *other = &graph->fns[0].values[v];
            if (other->arg >= 0 && other->type == value->type && !strcmp(graph->args[other->arg].name, arg->name))
                return r->d->graphs[p].arg_buffers[other->arg];
        }
    }
    return -1;
}

static void ready_args(struct run *r) {
    struct graph_state *st = r->state;
    const struct fn *f = &r->graph->fns[0];
    if (st->args_ready) return;
    st->args_ready = true;
    for (size_t v = 0; v < f->value_count; v++)
        if (f->values[v].arg >= 0) {
            int b = shared_buffer(r, &f->values[v]);
            if (b < 0) b = alloc_type(r, f->values[v].type);
            if (b >= 0) r->d->buffers[b].retained = true;
            st->arg_buffers[f->values[v].arg] = b;
        }
}

static void release_outputs(struct run *r) {
    for (int i = 0; i < r->state->returned_count; i++) device_drop(r->d, r->state->returned[i]);
    r->state->returned_count = 0;
}

static enum pass_end run_main(struct run *r) {
    struct frame f = {.fn = 0, .const_eval_fn = -1};
    const struct fn *fn = &r->graph->fns[0];
    release_outputs(r);
    ready_args(r);
    submit_block(r, "before submit");
    start_fn(r, &f, r->state->arg_buffers);
    for (size_t i = 0; i < fn->op_count; i++) {
        bool full = r->wanted == PASS_OOM && request_of(r, &fn->ops[i]) > free_list_largest(&r->d->pools[POOL_DRAM]);
        if (i == r->stop_at || full) {
            announce(r, &f, &fn->ops[i], false, false);
            if (r->wanted == PASS_OOM) write_oom(r, &fn->ops[i]);
            else write_throw(r);
            drop_frame(r, fn, &f);
            return r->wanted;
        }
        step(r, &f, &fn->ops[i]);
    }
    finish_fn(r, &f, r->state->returned);
    r->state->returned_count = fn->return_count;
    submit_block(r, "after submit");
    return PASS_OK;
}

enum pass_end run_pass(struct gen *g, struct graph *graph, enum pass_end wanted) {
    enum pass_end result = PASS_OK;
    for (int i = 0; i < g->device_count; i++) {
        struct device *d = &g->devices[i];
        struct run r = {.g = g, .d = d, .graph = graph, .state = &d->graphs[graph->index], .stop_at = SIZE_MAX};
        if (wanted != PASS_OK && i == 0) {
            r.wanted = wanted;
            r.stop_at = failing_op(graph);
        }
        if (g->device_count > 1) g->sink.queueing = i;
        enum pass_end end = run_main(&r);
        if (i == 0) result = end;
    }
    if (g->device_count > 1) sink_merge(&g->sink);
    truth_pass(g->truth);
    return result;
}
