/* SPDX-License-Identifier: Apache-2.0 */
/* genlog: writes TT-XLA / tt-mlir runtime logs together with the truth about them.
 *
 * Flow: graph_build() makes a compiled program (types, functions, op text), run_pass() executes it on a
 * simulated device and sends lines with events to the sink, the sink writes bytes, numbers the lines and
 * hands each event to the truth collector.  The truth is thus built from what the generator knows, in the
 * order in which lines really reach the file; no part of it reads the log back.
 *
 * Ownership: everything a graph holds lives in gen.arena and is released at once.  Single threaded. */
#ifndef GENLOG_H
#define GENLOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

enum pool { POOL_DRAM, POOL_L1, POOL_L1_SMALL, POOL_TRACE, POOL_COUNT };
extern const char *const pool_names[POOL_COUNT];

/* ---- small helpers (genlog_util.c) */

struct rng {
    uint64_t state;
};
uint64_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n);
bool rng_chance(struct rng *r, double p);

struct text {
    char *p;
    size_t len, cap;
};
void text_put(struct text *t, const char *s, size_t n);
void text_puts(struct text *t, const char *s);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void text_release(struct text *t);

struct arena {
    struct arena_chunk *head;
};
void *arena_alloc(struct arena *a, size_t n);
char *arena_dup(struct arena *a, const char *s, size_t n);
void arena_release(struct arena *a);

void *xrealloc(void *p, size_t n);
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint64_t round_up(uint64_t n, uint64_t multiple);
uint64_t thousandths_of_mb(uint64_t bytes); /* printf("%.3f", bytes / 1048576.0) as an integer */
size_t format_thousandths(char *dst, uint64_t v);

/* Grows *items so that index n is valid; used through GROW. */
void *grow(void *items, size_t n, size_t *cap, size_t item_size);
#define GROW(items, n, cap) ((items) = grow((items), (n), &(cap), sizeof *(items)))

/* ---- options (genlog.c) */

struct chip {
    const char *name, *arch;
    uint32_t dram_banks, l1_banks, grid_y, grid_x;
    uint64_t dram_bytes, l1_bytes, l1_small_bytes, dram_align;
};

enum level { LEVEL_NONE = 0, LEVEL_PROGRAM = 1, LEVEL_OPERATION = 2, LEVEL_ANY = 3 };
enum line_prefix { PREFIX_NONE, PREFIX_CI, PREFIX_DOCKER };
/* One change to every MLP block, everything else stays: pairs of logs for comparisons. */
enum change { CHANGE_NONE, CHANGE_DTYPE, CHANGE_LAYOUT, CHANGE_KEEP, CHANGE_LEAK, CHANGE_EXTRA_OP, CHANGE_FUSED };

struct options {
    const char *out, *truth, *modules, *dtype;
    uint64_t seed, bytes, module_bytes, cut, noise_lines;
    uint32_t hidden, seq, batch; /* 0: chosen by the seed */
    uint32_t ops, const_eval, warmup, programs, mesh_y, mesh_x, ranks;
    const struct chip *chip;
    double noise, interleave, edge;
    enum level level;
    enum line_prefix prefix;
    enum change change;
    bool truth_records, interleave_programs, shared_weights, no_ops, ansi, crlf, cr_progress, bad_utf8, nul, no_final_newline,
        oom, exception, trace, old_dialect, paths, help;
};

/* ---- types, values, ops (genlog_type.c, genlog_graph.c) */

enum mem { MEM_HOST, MEM_DRAM, MEM_L1 };
enum mem_layout { ML_NONE, ML_INTERLEAVED, ML_HEIGHT, ML_WIDTH, ML_BLOCK, ML_ND };
enum type_kind { TYPE_TENSOR, TYPE_DEVICE, TYPE_TRACE_ID };
enum dtype { DT_BF16, DT_F32, DT_F16, DT_SI32, DT_UI32, DT_UI16, DT_UI8, DT_I1, DT_BFP8, DT_BFP4, DT_QUANT, DT_COUNT };
#define MAX_DIMS 5

struct type {
    enum type_kind kind;
    uint32_t rank, dims[MAX_DIMS];
    enum dtype dt;      /* logical element */
    enum dtype storage; /* element of the memref */
    bool tiled;
    enum mem mem;
    enum mem_layout layout;
    uint32_t grid[2], shard[2]; /* shard in tiles, or rows x elements */
    uint64_t logical, physical, per_bank;
    const char *head;                /* `tensor<8x1024xbf16`, without encoding and `>` */
    const char *full;                /* as in op lines */
    const char *alias_layout;        /* layout text with buffer aliases, as in module dumps */
    const char *plain;               /* as in StableHLO */
    uint32_t alias_module, alias_id; /* alias number in the module being printed */
    struct type *next;
};

enum dtype dtype_by_name(const char *name); /* DT_COUNT if unknown */
const char *dtype_attr(enum dtype dt);      /* name inside #ttcore.supportedDataTypes<> */

enum loc_kind { LOC_UNKNOWN, LOC_NAME, LOC_CHILD, LOC_FILE, LOC_FUSED, LOC_FUSED_META, LOC_CALLSITE };
struct loc {
    enum loc_kind kind;
    const char *name;    /* printed form, escapes included */
    const char *display; /* decoded form; NULL for unknown */
    struct loc *a, *b;
    uint32_t line, col;
    uint32_t alias_module, alias_id;
};

struct value {
    struct type *type;
    int arg, ssa, res;               /* arg < 0: result `res` of op with number ssa; res < 0: the op has one result */
    uint32_t *weights, weight_count; /* argument numbers of main that this value is made of */
    int last_use;                    /* op number during building */
    bool kept;                       /* no deallocate frees it */
    bool leaked;                     /* nor does the end of the program */
};

enum op_kind {
    OP_NORMAL,
    OP_DEALLOC,
    OP_GET_DEVICE,
    OP_VIEW,
    OP_CONV,
    OP_LOAD_CACHED,
    OP_CALL,
    OP_TRACE,
    OP_END_CAPTURE,
    OP_KINDS
};

struct op {
    enum op_kind kind;
    const char *name, *optype, *attrs, *discard;
    int ssa, first_result, result_count, callee;
    int *operands;
    uint32_t operand_count;
    struct loc *loc;
    const char *line;          /* text after `Executing operation: ` */
    size_t line_len, name_end; /* name_end: bytes of `line` needed to know the op */
    uint32_t *weights, weight_count;
    uint32_t small_slot; /* conv: its config tensor in L1_SMALL, 1-based; 0 = none */
};

enum fn_kind { FN_MAIN, FN_CONST_EVAL, FN_DEVICE, FN_TRACE };
struct fn {
    const char *name;
    enum fn_kind kind;
    struct value *values;
    size_t value_count, value_cap;
    struct op *ops;
    size_t op_count, op_cap;
    int arg_count, next_ssa, dev;
    int returns[4], return_count;
    int parent_ce; /* index of the cached result slot for const-eval functions */
    uint32_t records;
};

enum arg_role { ROLE_INPUT, ROLE_PARAMETER, ROLE_CONSTANT };
struct arg_info {
    const char *name;
    enum arg_role role;
    uint32_t global_batch;
};

struct graph {
    int index, tag;
    struct fn *fns; /* fns[0] is main */
    size_t fn_count, fn_cap;
    struct arg_info *args;
    size_t arg_count, arg_cap;
    int trace_fns[4]; /* body, allocate_slots, run_and_capture, execute */
    uint32_t const_evals, small_slots;
};

/* ---- simulated device (genlog_alloc.c) */

struct span {
    uint64_t addr, size;
};
struct free_list {
    uint64_t total, align, allocated;
    struct span *spans;
    size_t count, cap;
    bool top_down;
    uint64_t largest;
    bool dirty;
};
void free_list_init(struct free_list *f, uint64_t total, uint64_t align, bool top_down);
bool free_list_take(struct free_list *f, uint64_t size, uint64_t *addr, uint64_t *reserved);
void free_list_give(struct free_list *f, uint64_t addr, uint64_t size);
uint64_t free_list_largest(struct free_list *f);
void free_list_release(struct free_list *f);

struct buffer {
    uint64_t addr, size;
    enum pool pool;
    bool retained, hidden;
    uint32_t refs;
};

struct cached {
    bool valid;
    int buffer;
};
struct graph_state {
    bool args_ready;
    int *arg_buffers;
    struct cached *const_eval;
    int *small;
    int returned[4], returned_count;
    int slot, trace_out;
    bool traced;
};

struct device {
    int rank;
    struct free_list pools[POOL_COUNT];
    struct buffer *buffers;
    size_t buffer_count, buffer_cap;
    int *free_slots;
    size_t free_count, free_cap;
    struct graph_state *graphs;
    uint32_t live;
    uint64_t live_bytes[2]; /* DRAM, L1 without hidden buffers */
    struct rng noise;
};
int device_alloc(struct device *d, enum pool pool, uint64_t per_bank);
void device_drop(struct device *d, int buffer);
void device_hide(struct device *d, int buffer);

/* ---- events and truth (genlog_truth.c, genlog_json.c) */

enum event_kind { EV_NONE, EV_OP, EV_BLOCK, EV_POOL, EV_START, EV_FINISH, EV_HIT, EV_MISS, EV_OOM, EV_THROW, EV_MODULE };
enum block_owner { OWNER_OP, OWNER_ANONYMOUS, OWNER_SUBMIT };

struct event {
    enum event_kind kind;
    int rank; /* -1: untagged */
    struct graph *graph;
    int fn, const_eval_fn; /* running function; innermost const-eval function or -1 */
    const struct op *op;
    const char *optype; /* of a block without op line */
    enum block_owner owner;
    enum pool pool;
    uint64_t thousandths;
    bool nests, hit;
    size_t need; /* bytes of the line that must be there for the event to count, 0 = all */
    uint32_t live;
    uint64_t live_bytes[2];
};

struct truth;
struct gen;
struct truth *truth_new(struct gen *g);
void truth_event(struct truth *t, const struct event *e, uint64_t line, bool cut);
void truth_write(struct truth *t, FILE *f);
void truth_free(struct truth *t);
void truth_pass(struct truth *t);
void truth_ambiguous(struct truth *t);

/* ---- output (genlog_sink.c) */

struct queued {
    size_t offset, len;
    struct event event;
};
struct queue {
    struct text bytes;
    struct queued *items;
    size_t count, cap, next;
};

struct sink {
    struct gen *gen;
    FILE *file; /* NULL: only count */
    struct text buf;
    size_t line_start, content_start;
    uint64_t flushed, lines, limit;
    bool in_line; /* the last part ended with a lone "\r": its line goes on */
    bool full;
    struct queue *queues;
    int queueing; /* rank whose queue takes the lines; -1 = straight to the file */
    double clock;
    uint32_t bar;
    char prefix[64];
    size_t prefix_len;
    struct rng rng;
};
void sink_init(struct sink *s, struct gen *g, FILE *file, uint64_t limit);
void sink_begin(struct sink *s, int rank);
void sink_begin_runtime(struct sink *s, int rank);
void sink_put(struct sink *s, const char *p, size_t n);
void sink_puts(struct sink *s, const char *p);
void sink_end(struct sink *s, const struct event *e);
void sink_line(struct sink *s, int rank, const char *text);
void sink_merge(struct sink *s);
void sink_finish(struct sink *s);
void sink_release(struct sink *s);
uint64_t sink_bytes(const struct sink *s);

/* ---- the generator */

struct gen {
    struct options opt;
    struct arena arena;
    struct rng rng;
    struct type *types[256];
    struct graph **graphs;
    struct device *devices;
    int device_count;
    struct sink sink;
    struct truth *truth;
    uint64_t totals[POOL_COUNT], align[POOL_COUNT];
    uint32_t banks[POOL_COUNT];
    char *pool_head[POOL_COUNT];
    size_t pool_head_len[POOL_COUNT];
    const char *pre_info, *pre_debug, *pre_ttnn;
    uint32_t module_serial, next_loc;
    bool exception_done;
};

struct type_spec {
    const uint32_t *dims;
    uint32_t rank;
    enum dtype dt;
    bool tiled;
    enum mem mem;
    enum mem_layout layout;
};
struct type *type_get(struct gen *g, struct type_spec spec);
struct type *type_device(struct gen *g);
struct type *type_trace_id(struct gen *g);

struct graph *graph_build(struct gen *g, int index);
const char *op_type_name(struct gen *g, const char *mlir_name);

/* Op text: alias != 0 is the module form with `#ttnn_layoutN` and `#locN`, else the fully expanded runtime form. */
void op_text(struct gen *g, struct text *t, const struct fn *f, const struct op *op, bool alias);
void loc_text(struct text *t, const struct loc *l);
void value_text(struct text *t, const struct value *v);
void undialect(struct gen *g, struct text *t);

void modules_dump(struct gen *g, struct graph *graph);
bool module_list_valid(const char *list);
/* structured: only lines with a known prefix, as may stand inside a module dump. */
void noise_line(struct gen *g, int rank, struct rng *r, bool structured);
void noise_damage(struct gen *g); /* one line with invalid UTF-8 and NUL bytes, if asked for */
void noise_loguru(struct gen *g, const char *file, unsigned line, const char *message, const struct event *e);
void noise_spdlog(struct gen *g, int rank, const char *level, const char *category, const char *message, const struct event *e);

enum pass_end { PASS_OK, PASS_OOM, PASS_THROW };
enum pass_end run_pass(struct gen *g, struct graph *graph, enum pass_end wanted);

#endif
