/* SPDX-License-Identifier: Apache-2.0 */
/* genlog: options and the order of things in a log (start-up, modules, passes). See genlog.h and GENLOG.md. */
#include "genlog.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Allocatable bytes per bank as seen in real logs; alignment from tt-metal.md F5. */
static const struct chip chips[] = {
    {"n150", "wormhole_b0", 12, 64, 8, 8, 1071821792, 1331936, 65536, 32},
    {"p150", "blackhole", 8, 130, 10, 13, 4277895168, 1405952, 65536, 64},
    {"p100", "blackhole", 7, 110, 10, 11, 4278190080, 1405952, 65536, 64},
};

#define TRACE_REGION_BYTES (64u << 20)

/* ---- options */

enum opt_kind {
    O_STRING,
    O_U32,
    O_U64,
    O_SIZE,
    O_PROBABILITY,
    O_FLAG,
    O_MESH,
    O_CHIP,
    O_LEVEL,
    O_PREFIX,
    O_MODULES,
    O_DTYPE,
    O_CHANGE
};
struct opt_row {
    const char *name;
    enum opt_kind kind;
    size_t offset;
    const char *value, *help;
};
#define OPT(name, kind, field, value, help) \
    { name, kind, offsetof(struct options, field), value, help }

static const struct opt_row rows[] = {
    OPT("-o", O_STRING, out, "FILE", "the log, - is stdout"),
    OPT("--truth", O_STRING, truth, "FILE", "what was generated, as JSON"),
    OPT("--truth-records", O_FLAG, truth_records, NULL, "add records_detail to the truth (small logs)"),
    OPT("--seed", O_U64, seed, "N", "same seed and options, same bytes (1)"),
    OPT("--ops", O_U32, ops, "N", "records of main per pass (1000)"),
    OPT("--const-eval", O_U32, const_eval, "N", "const-eval functions per program (8)"),
    OPT("--hidden", O_U32, hidden, "N", "width of the model (chosen by the seed)"),
    OPT("--seq", O_U32, seq, "N", "sequence length (chosen by the seed)"),
    OPT("--batch", O_U32, batch, "N", "batch (chosen by the seed)"),
    OPT("--warmup", O_U32, warmup, "N", "passes before the last one (0)"),
    OPT("--bytes", O_SIZE, bytes, "SIZE", "keep running passes until the log has this size (1G, 64M)"),
    OPT("--programs", O_U32, programs, "N", "compiled graphs, all called main (1)"),
    OPT("--shared-weights", O_FLAG, shared_weights, NULL, "the programs use the same weights, as prefill and decode do"),
    OPT("--interleave-programs", O_FLAG, interleave_programs, NULL, "run A B A B instead of A A B B"),
    OPT("--modules", O_MODULES, modules, "LIST", "stages to dump, or none (shlo_frontend,ttir,ttnn)"),
    OPT("--module-bytes", O_SIZE, module_bytes, "SIZE", "pad the first program's ttnn module to this size"),
    OPT("--mesh", O_MESH, mesh_y, "RxC", "mesh shape (1x1)"),
    OPT("--chip", O_CHIP, chip, "NAME", "n150, p150 or p100 (n150)"),
    OPT("--dtype", O_DTYPE, dtype, "NAME", "bf16, f32 or f16 (bf16)"),
    OPT("--noise", O_PROBABILITY, noise, "P", "foreign line before an op"),
    OPT("--interleave", O_PROBABILITY, interleave, "P", "foreign line after an op line, inside blocks and module dumps"),
    OPT("--edge", O_PROBABILITY, edge, "P", "awkward op after a block of ops"),
    OPT("--level", O_LEVEL, level, "NAME", "memory level: operation, program, any, none (operation)"),
    OPT("--no-ops", O_FLAG, no_ops, NULL, "memory lines only (logger level INFO)"),
    OPT("--ranks", O_U32, ranks, "N", "MPI workers with [1,r]<stdout>: tags"),
    OPT("--ansi", O_FLAG, ansi, NULL, "colour codes"),
    OPT("--crlf", O_FLAG, crlf, NULL, "\\r\\n line ends"),
    OPT("--cr-progress", O_FLAG, cr_progress, NULL, "progress bars with a lone \\r before lines"),
    OPT("--prefix", O_PREFIX, prefix, "KIND", "before every line: ci, docker, none"),
    OPT("--change", O_CHANGE, change, "KIND", "in MLP blocks: dtype, layout, keep, leak, extra-op, fused (none)"),
    OPT("--bad-utf8", O_FLAG, bad_utf8, NULL, "lines with invalid UTF-8"),
    OPT("--nul", O_FLAG, nul, NULL, "NUL bytes"),
    OPT("--cut", O_SIZE, cut, "N", "cut off the last N bytes"),
    OPT("--no-final-newline", O_FLAG, no_final_newline, NULL, "no line end after the last line"),
    OPT("--paths", O_FLAG, paths, NULL, "locations that name module, file and line of every op"),
    OPT("--oom", O_FLAG, oom, NULL, "end with out of memory in mid-pass"),
    OPT("--exception", O_FLAG, exception, NULL, "the first program's second pass throws in mid-way"),
    OPT("--trace", O_FLAG, trace, NULL, "capture_or_execute_trace with nested programs"),
    OPT("--old-dialect", O_FLAG, old_dialect, NULL, "dialect tt instead of ttcore, old module headers, no END line"),
    OPT("--noise-lines", O_U64, noise_lines, "N", "only N short noise lines"),
    OPT("-h", O_FLAG, help, NULL, "this text"),
};

static void usage(FILE *f) {
    fputs("usage: genlog -o FILE [--truth FILE] [options]\n", f);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char left[48];
        snprintf(left, sizeof left, "%s%s%s", rows[i].name, rows[i].value ? " " : "", rows[i].value ? rows[i].value : "");
        fprintf(f, "  %-24s %s\n", left, rows[i].help);
    }
}

static uint64_t parse_size(const char *name, const char *s, bool suffixes) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 32 : *end) : NULL;
    if (suffixes && unit) {
        v <<= 10 * (unit - units + 1);
        end++;
    }
    if (end == s || *end || *s == '-' || errno) die("%s: '%s' is not a number", name, s);
    return v;
}

static void set_mesh(struct options *o, const char *s) {
    char *x, *end;
    unsigned long height = strtoul(s, &x, 10), width = *x == 'x' ? strtoul(x + 1, &end, 10) : 0;
    if (!height || !width || *end || height > UINT_MAX || width > UINT_MAX) die("--mesh: '%s' is not RxC", s);
    o->mesh_y = (unsigned)height;
    o->mesh_x = (unsigned)width;
}

static const struct chip *find_chip(const char *s) {
    for (size_t i = 0; i < ARRAY_LEN(chips); i++)
        if (!strcmp(chips[i].name, s)) return &chips[i];
    die("--chip: unknown chip '%s'", s);
}

static int find_word(const char *name, const char *s, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(words[i], s)) return (int)i;
    die("%s: unknown value '%s'", name, s);
}

static void set_option(struct options *o, const struct opt_row *r, const char *v) {
    static const char *const levels[] = {"none", "program", "operation", "any"}, *const prefixes[] = {"none", "ci", "docker"};
    static const char *const changes[] = {"none", "dtype", "layout", "keep", "leak", "extra-op", "fused"};
    void *field = (char *)o + r->offset;
    char *end;
    switch (r->kind) {
        case O_STRING:
            *(const char **)field = v;
            break;
        case O_U32:
            *(uint32_t *)field = (uint32_t)parse_size(r->name, v, false);
            break;
        case O_U64:
            *(uint64_t *)field = parse_size(r->name, v, false);
            break;
        case O_SIZE:
            *(uint64_t *)field = parse_size(r->name, v, true);
            break;
        case O_FLAG:
            *(bool *)field = true;
            break;
        case O_MESH:
            set_mesh(o, v);
            break;
        case O_CHIP:
            o->chip = find_chip(v);
            break;
        case O_LEVEL:
            o->level = (enum level)find_word(r->name, v, levels, ARRAY_LEN(levels));
            break;
        case O_PREFIX:
            o->prefix = (enum line_prefix)find_word(r->name, v, prefixes, ARRAY_LEN(prefixes));
            break;
        case O_CHANGE:
            o->change = (enum change)find_word(r->name, v, changes, ARRAY_LEN(changes));
            break;
        case O_PROBABILITY:
            *(double *)field = strtod(v, &end);
            if (end == v || *end) die("%s: '%s' is not a number", r->name, v);
            break;
        case O_MODULES:
            if (!module_list_valid(v)) die("--modules: unknown stage in '%s'", v);
            o->modules = v;
            break;
        case O_DTYPE:
            if (dtype_by_name(v) == DT_COUNT) die("--dtype: unknown type '%s'", v);
            o->dtype = v;
            break;
    }
}

static struct options parse_options(int argc, char **argv) {
    struct options o = {.seed = 1,
                        .ops = 1000,
                        .const_eval = 8,
                        .programs = 1,
                        .mesh_y = 1,
                        .mesh_x = 1,
                        .chip = &chips[0],
                        .level = LEVEL_OPERATION,
                        .modules = "shlo_frontend,ttir,ttnn",
                        .dtype = "bf16"};
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < ARRAY_LEN(rows) && strcmp(rows[k].name, argv[i]) != 0) k++;
        if (k == ARRAY_LEN(rows)) die("unknown option '%s' (-h lists them)", argv[i]);
        const char *value = NULL;
        if (rows[k].kind != O_FLAG) {
            if (i + 1 == argc) die("%s needs a value", rows[k].name);
            value = argv[++i];
        }
        set_option(&o, &rows[k], value);
    }
    if (o.help) {
        usage(stdout);
        exit(0);
    }
    if (!o.out) die("-o FILE is missing (-h lists the options)");
    if (!o.programs) die("--programs must be at least 1");
    if (o.exception && o.programs == 1 && o.warmup < 2) o.warmup = 2; /* something must run after the pass that throws */
    return o;
}

/* ---- setting up */

static void choose_prefixes(struct gen *g) {
    bool a = g->opt.ansi;
    g->pre_info = a ? "\x1b[32m                 Always\x1b[0m | \x1b[1m\x1b[38;5;69m    INFO\x1b[0m | "
                    : "                 Always |     INFO | ";
    g->pre_debug = a ? "\x1b[32m                 Always\x1b[0m | \x1b[1m\x1b[38;5;240m   DEBUG\x1b[0m | "
                     : "                 Always |    DEBUG | ";
    g->pre_ttnn = a ? "\x1b[32m            RuntimeTTNN\x1b[0m | \x1b[1m\x1b[38;5;240m   DEBUG\x1b[0m | "
                    : "            RuntimeTTNN |    DEBUG | ";
}

static void set_pools(struct gen *g) {
    const struct chip *c = g->opt.chip;
    uint64_t trace = g->opt.trace ? round_up((TRACE_REGION_BYTES + c->dram_banks - 1) / c->dram_banks, 8192) : 0;
    const uint64_t totals[POOL_COUNT] = {c->dram_bytes - trace, c->l1_bytes, c->l1_small_bytes, trace};
    for (int p = 0; p < POOL_COUNT; p++) {
        bool dram = p == POOL_DRAM || p == POOL_TRACE;
        char value[32];
        struct text t = {0};
        g->totals[p] = totals[p];
        g->banks[p] = dram ? c->dram_banks : c->l1_banks;
        g->align[p] = dram ? c->dram_align : 16;
        value[format_thousandths(value, thousandths_of_mb(totals[p]))] = '\0';
        text_printf(&t,
                    "%sDevice %s memory state: MemoryView{numBanks: %u, totalBytesPerBank: %s MB, totalBytesAllocatedPerBank: ",
                    g->pre_info, pool_names[p], g->banks[p], value);
        g->pool_head[p] = arena_dup(&g->arena, t.p, t.len);
        g->pool_head_len[p] = t.len;
        text_release(&t);
    }
}

static void device_init(struct gen *g, struct device *d, int index) {
    const struct chip *c = g->opt.chip;
    *d = (struct device){.rank = g->opt.ranks ? index : -1, .noise = {g->opt.seed * 77 + (uint64_t)index}};
    for (int p = 0; p < POOL_COUNT; p++)
        free_list_init(&d->pools[p], g->totals[p], c->dram_align, p == POOL_L1 || p == POOL_L1_SMALL);
    d->graphs = arena_alloc(&g->arena, sizeof *d->graphs * g->opt.programs);
    if (index) /* ranks differ by what was there before */
        device_hide(d, device_alloc(d, POOL_DRAM, (uint64_t)index * 1572864));
}

static void device_release(struct device *d) {
    for (int p = 0; p < POOL_COUNT; p++) free_list_release(&d->pools[p]);
    free(d->buffers);
    free(d->free_slots);
}

static void prepare_graph(struct gen *g, int index) {
    struct graph *gr = g->graphs[index] = graph_build(g, index);
    for (int i = 0; i < g->device_count; i++) {
        struct graph_state *st = &g->devices[i].graphs[index];
        st->arg_buffers = arena_alloc(&g->arena, sizeof(int) * (gr->arg_count + 1));
        st->const_eval = arena_alloc(&g->arena, sizeof *st->const_eval * (gr->const_evals + 1));
        st->small = arena_alloc(&g->arena, sizeof(int) * (gr->small_slots + 1));
        for (uint32_t k = 0; k < gr->small_slots; k++) st->small[k] = -1;
    }
}

static void graph_release(struct graph *gr) {
    if (!gr) return;
    for (size_t i = 0; i < gr->fn_count; i++) {
        free(gr->fns[i].values);
        free(gr->fns[i].ops);
    }
    free(gr->fns);
    free(gr->args);
}

/* ---- the log */

static void compile(struct gen *g, int index) {
    prepare_graph(g, index);
    noise_loguru(g, "client_instance.cc", 695,
                 index ? "ClientInstance::PJRT_Client_Compile" : "ClientInstance::PJRT_Client_Create", NULL);
    modules_dump(g, g->graphs[index]);
}

static bool enough(const struct gen *g, uint32_t pass, uint64_t budget) {
    return g->sink.full || (pass > g->opt.warmup && sink_bytes(&g->sink) >= budget);
}

/* How the pass that comes now shall end. */
static enum pass_end wanted_end(struct gen *g, int program, uint32_t pass, bool last) {
    bool final_program = program + 1 == (int)g->opt.programs;
    if (g->opt.oom && final_program && last) return PASS_OOM;
    if (g->opt.exception && !g->exception_done && program == 0 && (pass == 1 || (pass == 0 && last))) {
        g->exception_done = true;
        return PASS_THROW;
    }
    return PASS_OK;
}

static bool one_pass(struct gen *g, int program, uint32_t pass, uint64_t budget) {
    bool last = pass >= g->opt.warmup && sink_bytes(&g->sink) >= budget;
    noise_damage(g);
    return run_pass(g, g->graphs[program], wanted_end(g, program, pass, last)) != PASS_OOM;
}

static void run_in_turn(struct gen *g) {
    for (uint32_t p = 0; p < g->opt.programs; p++) {
        uint64_t budget = g->opt.bytes / g->opt.programs * (p + 1);
        compile(g, (int)p);
        uint32_t pass = 0;
        do
            if (!one_pass(g, (int)p, pass, budget)) return;
        while (!enough(g, ++pass, budget));
    }
}

static void run_interleaved(struct gen *g) {
    uint32_t pass = 0;
    do
        for (uint32_t p = 0; p < g->opt.programs; p++) {
            if (!pass) compile(g, (int)p);
            if (!one_pass(g, (int)p, pass, g->opt.bytes)) return;
        }
    while (!enough(g, ++pass, g->opt.bytes));
}

static void write_noise_only(struct gen *g) {
    for (uint64_t i = 0; i < g->opt.noise_lines && !g->sink.full; i++) {
        char line[48];
        snprintf(line, sizeof line, "step %llu ok", (unsigned long long)i);
        sink_line(&g->sink, -1, line);
    }
}

static void write_log(struct gen *g) {
    if (g->opt.noise_lines) {
        write_noise_only(g);
        return;
    }
    if (g->opt.ranks)
        sink_line(&g->sink, -1,
                  "                 Always |     INFO | Launching distributed controller with command: cd /opt/tt-metal && "
                  "./ttnn/ttnn/distributed/ttrun.py "
                  "--rank-binding \"/opt/rb.yaml\"  --mpi-args \" --mca btl self,tcp --tag-output --allow-run-as-root \" "
                  "/opt/tt-xla/worker --port 41200 --host "
                  "tt-node-0 on 2 worker(s)");
    if (g->opt.interleave_programs) run_interleaved(g);
    else run_in_turn(g);
}

/* Writes one log to out (NULL: only measure) and returns its size. */
static uint64_t generate(const struct options *o, FILE *out, uint64_t limit) {
    struct gen g = {.opt = *o, .rng = {o->seed}};
    g.device_count = o->ranks ? (int)o->ranks : 1;
    choose_prefixes(&g);
    set_pools(&g);
    g.graphs = arena_alloc(&g.arena, sizeof *g.graphs * o->programs);
    g.devices = arena_alloc(&g.arena, sizeof *g.devices * (size_t)g.device_count);
    for (int i = 0; i < g.device_count; i++) device_init(&g, &g.devices[i], i);
    g.truth = truth_new(&g);
    sink_init(&g.sink, &g, out, limit);
    write_log(&g);
    sink_finish(&g.sink);
    uint64_t bytes = sink_bytes(&g.sink);
    if (out && o->truth) {
        FILE *f = strcmp(o->truth, "-") ? fopen(o->truth, "w") : stdout;
        if (!f) die("cannot write %s: %s", o->truth, strerror(errno));
        truth_write(g.truth, f);
        if (f != stdout && fclose(f)) die("cannot write %s: %s", o->truth, strerror(errno));
    }
    truth_free(g.truth);
    sink_release(&g.sink);
    for (int i = 0; i < g.device_count; i++) device_release(&g.devices[i]);
    for (uint32_t i = 0; i < o->programs; i++) graph_release(g.graphs[i]);
    arena_release(&g.arena);
    return bytes;
}

int main(int argc, char **argv) {
    struct options o = parse_options(argc, argv);
    if (o.no_ops && o.level == LEVEL_NONE) die("--no-ops with --level none leaves nothing to write");
    uint64_t limit = 0;
    if (o.cut) { /* the truth must describe the cut log, so its size is needed first */
        uint64_t whole = generate(&o, NULL, 0);
        limit = whole > o.cut ? whole - o.cut : 1;
    }
    FILE *f = strcmp(o.out, "-") ? fopen(o.out, "wb") : stdout;
    if (!f) die("cannot write %s: %s", o.out, strerror(errno));
    setvbuf(f, NULL, _IONBF, 0);
    generate(&o, f, limit);
    if (f != stdout && fclose(f)) die("cannot write %s: %s", o.out, strerror(errno));
    return 0;
}
