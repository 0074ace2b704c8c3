/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cb/cb_workload.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cb/study/cb_roles.h"
#include "device/chip.h"

int cb_read_count(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *out, struct err *err) {
    struct slice s = slice_from(text);
    size_t used = num_read_u64(s, out);
    if (!used || used != s.len || *out < min || *out > max)
        return err_set(err, ERR_USAGE, "%s takes a number from %llu to %llu, not '%s'", what, (unsigned long long)min,
                       (unsigned long long)max, text);
    return 0;
}

static int read_number(const struct args *args, const char *name, uint64_t fallback, uint64_t min, uint64_t max, uint64_t *out,
                       struct err *err) {
    const char *text = args_text(args, name);
    *out = fallback;
    if (!text) return 0;
    char what[64];
    snprintf(what, sizeof what, "--%s", name);
    return cb_read_count(what, text, min, max, out, err);
}

static int read_tile_bytes(struct cb_setup *setup, const struct args *args, struct err *err) {
    const char *name = args_text(args, "format");
    const struct data_format *format = data_format_find_loosely(slice_from(name ? name : "Float32"));
    uint64_t bytes;
    if (!format || !tile_bytes(format, 32, 32, &bytes))
        return err_set(err, ERR_USAGE, "--format takes a data format such as Float32, Float16_b or Bfp8_b, not '%s'", name);
    if (name && args_text(args, "tile-bytes"))
        return err_set(err, ERR_USAGE, "--format '%s' and --tile-bytes both say what a tile is; give one", name);
    return read_number(args, "tile-bytes", bytes, 1, 1 << 24, &setup->workload.tile_bytes, err);
}

static int read_kernels(struct cb_setup *setup, const struct args *args, struct err *err) {
    for (size_t i = 0; i < args_count(args, "kernel"); i++) {
        struct stat st;
        const char *path = args_nth(args, "kernel", i);
        if (stat(path, &st) != 0) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
        if (!S_ISREG(st.st_mode)) return err_set(err, ERR_INPUT, "--kernel takes a file, not '%s'", path);
        setup->workload.kernel_bytes += (uint64_t)st.st_size;
    }
    return 0;
}

/* The --set value for one of the workload's own names; NULL if not given. */
static const struct cb_set *given(const struct cb_setup *setup, const char *name) {
    for (size_t i = 0; i < setup->n_sets; i++)
        if (slice_equal(setup->sets[i].name, slice_from(name))) return &setup->sets[i];
    return NULL;
}

static const char *const workload_names[] = {"tiles_per_shard", "r_tiles"};

int cb_setup_tiles(const struct cb_setup *setup, const struct args *args, uint64_t tiles[2], struct err *err) {
    static const char *const words[] = {"A_TILES", "B_TILES"};
    if (args->words.len == 1) return err_set(err, ERR_USAGE, "B_TILES is missing after A_TILES '%s'", args->words.items[0]);
    for (unsigned i = 0; i < 2; i++) {
        const struct cb_set *set = given(setup, workload_names[i]);
        if (!args->words.len && !set)
            return err_set(err, ERR_USAGE, "give the workload as A_TILES B_TILES, or with --set %s=N --set %s=N",
                           workload_names[0], workload_names[1]);
        char text[64];
        snprintf(text, sizeof text, "%.*s", SLICE_FMT(set ? slice_take(set->value, 60) : SLICE("")));
        const char *what = args->words.len ? words[i] : workload_names[i];
        if (cb_read_count(what, args->words.len ? args->words.items[i] : text, 1, CB_SIM_MAX_TILES, &tiles[i], err) != 0)
            return -1;
        if (set && args->words.len && strcmp(text, args->words.items[i]) != 0)
            return err_set(err, ERR_USAGE, "%s is '%s', but --set %s is '%s': give one of them", words[i], args->words.items[i],
                           workload_names[i], text);
    }
    return 0;
}

int cb_setup_sweeps(const struct cb_setup *setup, struct err *err) {
    for (unsigned i = 0; i < 2; i++)
        if (given(setup, workload_names[i]))
            return err_set(err, ERR_USAGE, "--multi takes its sizes from --sizes, not from --set %s", workload_names[i]);
    return 0;
}

int cb_setup_read(struct cb_setup *setup, const struct args *args, struct err *err) {
    *setup = (struct cb_setup){.chip = cb_chip(args, err)};
    struct cb_workload *w = &setup->workload;
    uint64_t reuse = 0;
    if (!setup->chip || read_tile_bytes(setup, args, err) != 0 || read_kernels(setup, args, err) != 0 ||
        cb_sets_parse(args, &setup->sets, &setup->n_sets, err) != 0 ||
        read_number(args, "passes", 4, 1, CB_SIM_MAX_PASSES, &w->passes, err) != 0 ||
        read_number(args, "fetch-cost", 2, 0, 1000000, &w->fetch_cost, err) != 0 ||
        read_number(args, "compute-cost", 4, 0, 1000000, &w->compute_cost, err) != 0 ||
        read_number(args, "write-cost", 2, 0, 1000000, &w->write_cost, err) != 0 ||
        read_number(args, "l1-buffers", 0, 0, UINT32_MAX, &w->l1_buffer_bytes, err) != 0 ||
        read_number(args, "reuse", 0, 0, 63, &reuse, err) != 0)
        return -1;
    setup->reuse = args_text(args, "reuse") ? (int64_t)reuse : -1;
    setup->own_name = args_text(args, "strategy");
    setup->source_path = args_text(args, "from");
    if (setup->reuse >= 0 && !setup->source_path)
        return err_set(err, ERR_USAGE, "--reuse names a buffer of a source; give that with --from SOURCE");
    return setup->own_name ? read_whole(setup->own_name, &setup->own_strategy, err) : 0;
}

void cb_setup_release(struct cb_setup *setup) {
    free((void *)setup->own_strategy.ptr);
    free(setup->sets);
    arena_release(&setup->arena);
}

static struct slice last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slice_from(slash ? slash + 1 : path);
}

/* The workload's two names, then the user's values for others. The caller frees it. */
struct given_sets {
    struct cb_set *items;
    size_t n;
    char room[2][NUM_ROOM];
};

static void sets_init(struct given_sets *out, const struct cb_setup *setup, const struct cb_workload *w) {
    const uint64_t tiles[] = {w->a_tiles, w->b_tiles};
    out->items = mem_zalloc(setup->n_sets + 2, sizeof *out->items);
    for (unsigned i = 0; i < 2; i++)
        out->items[i] = (struct cb_set){.name = slice_from(workload_names[i]),
                                        .value = slice_of(out->room[i], num_write_u64(out->room[i], tiles[i]))};
    for (size_t i = 0; i < setup->n_sets; i++) out->items[2 + i] = setup->sets[i];
    out->n = setup->n_sets + 2;
}

/* --- strategies of the user --- */

static const int own_indices[] = {0, 1, 2, 16};
enum { OWN_BUFFERS = sizeof own_indices / sizeof *own_indices };

/* The statements become a function that declares the four buffers; its own declarations shadow the defaults. */
static void own_source(struct strbuf *text, struct slice statements) {
    strbuf_addz(text, "void strategy(int64_t tiles_per_shard, int64_t r_tiles) {\n");
    for (unsigned i = 0; i < OWN_BUFFERS; i++) strbuf_addf(text, "int64_t cb%d_tiles = 2;\n", own_indices[i]);
    strbuf_add(text, statements);
    strbuf_addz(text, "\n;");
    for (unsigned i = 0; i < OWN_BUFFERS; i++)
        strbuf_addf(text,
                    "\nCreateCircularBuffer(program, core, CircularBufferConfig(cb%d_tiles, {{%d, tt::DataFormat::Float32}}));",
                    own_indices[i], own_indices[i]);
    strbuf_addz(text, "\n}\n");
}

static bool names_a_buffer(struct slice statements) {
    for (unsigned i = 0; i < OWN_BUFFERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "cb%d_tiles", own_indices[i]);
        if (slice_find(statements, slice_from(name)) != SLICE_NONE) return true;
    }
    return false;
}

static int own_sizes(struct cb_setup *setup, const struct cb_source *source, const struct cb_workload *w,
                     struct cb_strategy_sizes *out) {
    const char *file = setup->own_name;
    *out = (struct cb_strategy_sizes){.name = last_part(file)};
    if (source->partial || source->has_errors || source->decls.len != OWN_BUFFERS)
        return err_set(setup->err, ERR_LACKS, "%s is not understood as C++ statements", file);
    for (size_t i = 0; i < OWN_BUFFERS; i++) {
        const struct cb_decl *d = &source->decls.items[i];
        struct slice folded = slice_take(d->total_folded, 200);
        struct slice unknown = slice_take(d->unknown_root, 100);
        if (unknown.len)
            return err_set(setup->err, ERR_LACKS, "%s: cb%d_tiles depends on %.*s, which is not known; give --set %.*s=N", file,
                           own_indices[i], SLICE_FMT(unknown), SLICE_FMT(unknown));
        if (d->total_bytes < 1 || d->total_bytes > CB_SIM_MAX_TILES)
            return err_set(setup->err, ERR_LACKS, "%s: cb%d_tiles is %.*s, not a number from 1 to %d", file, own_indices[i],
                           SLICE_FMT(folded), CB_SIM_MAX_TILES);
        out->buffers[out->n_buffers++] =
            (struct cb_sim_buffer){.index = own_indices[i], .tiles = (uint64_t)d->total_bytes, .tile_bytes = w->tile_bytes};
    }
    return 0;
}

static int own_strategy(struct cb_setup *setup, const struct cb_workload *w, struct cb_strategy_sizes *out) {
    if (!names_a_buffer(setup->own_strategy))
        return err_set(setup->err, ERR_LACKS, "%s sets none of cb0_tiles, cb1_tiles, cb2_tiles, cb16_tiles", setup->own_name);
    struct strbuf text = {0};
    own_source(&text, setup->own_strategy);
    struct given_sets sets;
    sets_init(&sets, setup, w);
    struct cb_source source;
    cb_source_scan(&source, strbuf_slice(&text), NULL, 0, sets.items, sets.n);
    setup->sets_used |= source.sets_used >> 2;
    int rc = own_sizes(setup, &source, w, out);
    cb_source_release(&source);
    strbuf_release(&text);
    free(sets.items);
    return rc;
}

/* --- the buffers of a program --- */

/* The program that makes the most buffers. */
static uint32_t largest_program(const struct cb_source *source) {
    uint32_t best = 0, most = 0;
    for (uint32_t p = 0; p < source->programs.len; p++) {
        uint32_t n = 0;
        for (size_t i = 0; i < source->decls.len; i++) n += source->decls.items[i].program == p;
        if (n > most) most = n, best = p;
    }
    return best;
}

/* Bytes of a page: as declared, from the data format, or from --format and --tile-bytes. 0: nothing fits the size. */
static uint64_t page_of(const struct cb_decl *d, const struct cb_workload *w) {
    uint64_t bytes = 0;
    if (d->indices[0].page_bytes > 0) bytes = (uint64_t)d->indices[0].page_bytes;
    else if (d->indices[0].known_format) tile_bytes(d->indices[0].known_format, 32, 32, &bytes);
    if (!bytes) bytes = w->tile_bytes;
    return (uint64_t)d->total_bytes % bytes == 0 ? bytes : 0;
}

/* Everything that leaves sizes of a program unknown, once each. */
static int refuse_sizes(struct cb_setup *setup, const struct cb_source *source, const struct cb_decl *first) {
    enum { MAX_NAMES = 16 };
    struct slice names[MAX_NAMES], file = last_part(setup->source_path);
    unsigned n = 0;
    struct strbuf options = {0};
    for (size_t i = 0; i < source->decls.len && n < MAX_NAMES; i++) {
        const struct cb_decl *d = &source->decls.items[i];
        if (d->program != first->program || d->total_bytes >= 0 || !d->unknown.len) continue;
        bool known = false;
        for (unsigned k = 0; k < n; k++) known |= slice_equal(names[k], d->unknown);
        if (known) continue;
        names[n++] = d->unknown;
        strbuf_addf(&options, " --set %.*s=N", SLICE_FMT(slice_take(d->unknown, 100)));
    }
    err_set(setup->err, ERR_LACKS, "line %u of %.*s: the size %.*s is not known; give it with%s", first->line, SLICE_FMT(file),
            SLICE_FMT(slice_take(first->total_expr, 200)), strbuf_text(&options));
    strbuf_release(&options);
    return -1;
}

static int refuse(struct cb_setup *setup, const struct cb_decl *d, const char *what, struct slice expr) {
    struct slice file = last_part(setup->source_path);
    return err_set(setup->err, ERR_LACKS, "line %u of %.*s: the %s %.*s is not known; give it with --set %.*s=N", d->line,
                   SLICE_FMT(file), what, SLICE_FMT(slice_take(expr, 200)), SLICE_FMT(slice_take(expr, 100)));
}

/* One entry per index: all indices that share a buffer are listed, and the first one counts its bytes. Of two that exclude
 * each other the larger is taken. */
static int add_buffer(struct cb_setup *setup, const struct cb_source *source, const struct cb_decl *d,
                      const struct cb_workload *w, struct cb_strategy_sizes *out) {
    if (d->kind != CB_CIRCULAR)
        return err_set(setup->err, ERR_LACKS,
                       "line %u of %.*s: a dataflow buffer has no index; circular buffers are what is simulated", d->line,
                       SLICE_FMT(last_part(setup->source_path)));
    if (d->total_bytes < 0 && d->unknown.len) return refuse_sizes(setup, source, d);
    if (d->total_bytes < 0) return refuse(setup, d, "size", d->total_expr);
    uint64_t page = page_of(d, w);
    if (!page) return refuse(setup, d, "page size", d->indices[0].page_expr.len ? d->indices[0].page_expr : SLICE("of a tile"));
    bool paid = false;
    for (uint32_t k = 0; k < d->n_indices; k++) {
        if (d->indices[k].index < 0) return refuse(setup, d, "index", d->indices[k].index_expr);
        struct cb_sim_buffer b = {.index = d->indices[k].index,
                                  .tiles = (uint64_t)d->total_bytes / page,
                                  .tile_bytes = page,
                                  .tensor_backed = d->tensor_backed || d->global,
                                  .shared = paid};
        struct cb_sim_buffer *known = NULL;
        for (unsigned i = 0; i < out->n_buffers; i++)
            if (out->buffers[i].index == b.index) known = &out->buffers[i];
        if (!known && out->n_buffers < CB_SIM_MAX_BUFFERS) out->buffers[out->n_buffers++] = b;
        else if (known && !known->shared && !b.shared && cb_sim_bytes(&b) > cb_sim_bytes(known)) *known = b;
        paid = true;
    }
    return 0;
}

static int find_roles(struct cb_setup *setup, const struct cb_file *file, uint32_t program, struct cb_strategy_sizes *out) {
    int64_t reused = setup->reuse >= 0 ? setup->reuse : cb_reused_index(file, program);
    bool there = false;
    for (unsigned i = 0; i < out->n_buffers; i++) there |= out->buffers[i].index == reused;
    if (reused < 0)
        return err_set(setup->err, ERR_LACKS,
                       "%.*s: the kernels do not show which operand is reused; name its buffer with --reuse INDEX",
                       SLICE_FMT(out->name));
    if (!there)
        return err_set(setup->err, ERR_LACKS, "%.*s has no circular buffer %lld to be reused", SLICE_FMT(out->name),
                       (long long)reused);
    cb_roles_set(out, file, program, reused);
    return 0;
}

static int source_strategy(struct cb_setup *setup, const struct cb_workload *w, struct cb_strategy_sizes *out) {
    struct given_sets sets;
    sets_init(&sets, setup, w);
    struct cb_tree tree;
    struct cb_tree_options options = {.sets = sets.items, .n_sets = sets.n, .chip = setup->chip, .keep_all = true};
    int rc = cb_tree_scan(&tree, &setup->source_path, 1, &options, setup->err);
    struct slice name = last_part(setup->source_path);
    *out = (struct cb_strategy_sizes){.name = name};
    if (rc == 0 && tree.files.len != 1)
        rc = err_set(setup->err, ERR_USAGE, "--from takes one source, but '%s' has %zu", setup->source_path, tree.files.len);
    const struct cb_source *source = rc == 0 ? &tree.files.items[0].source : NULL;
    if (source && !source->decls.len) rc = err_set(setup->err, ERR_LACKS, "%.*s declares no circular buffer", SLICE_FMT(name));
    uint32_t program = source ? largest_program(source) : 0;
    for (size_t i = 0; rc == 0 && i < source->decls.len; i++)
        if (source->decls.items[i].program == program) rc = add_buffer(setup, source, &source->decls.items[i], w, out);
    if (rc == 0) rc = find_roles(setup, &tree.files.items[0], program, out);
    if (rc == 0) {
        setup->sets_used |= source->sets_used >> 2;
        setup->partial_reason = arena_copy(&setup->arena, source->partial ? source->partial_reason : SLICE(""));
    }
    cb_tree_release(&tree);
    free(sets.items);
    return rc;
}

static int more_strategies(void *ctx, const struct cb_workload *workload, struct cb_strategy_sizes *out) {
    struct cb_setup *setup = ctx;
    int n = 0;
    if (setup->own_name) {
        if (own_strategy(setup, workload, &out[n]) < 0) return -1;
        n++;
    }
    if (setup->source_path) {
        if (source_strategy(setup, workload, &out[n]) < 0) return -1;
        n++;
    }
    return n;
}

int cb_setup_study(struct cb_setup *setup, uint64_t a_tiles, uint64_t b_tiles, struct cb_study *study, struct err *err) {
    struct cb_workload w = setup->workload;
    w.a_tiles = a_tiles;
    w.b_tiles = b_tiles;
    if (a_tiles * w.passes > 50000000)
        return err_set(err, ERR_USAGE, "%llu tiles in %llu passes are too many to run tile by tile",
                       (unsigned long long)a_tiles, (unsigned long long)w.passes);
    setup->err = err;
    return cb_study(study, &w, setup->chip, more_strategies, setup, true);
}

void cb_setup_notes(const struct invocation *inv, const struct cb_setup *setup) {
    if (setup->partial_reason.len)
        work_note(&inv->work, "%s is partly understood: %.*s", setup->source_path, SLICE_FMT(setup->partial_reason));
    for (size_t i = 0; i < setup->n_sets; i++) {
        bool workload = slice_equal(setup->sets[i].name, slice_from(workload_names[0])) ||
                        slice_equal(setup->sets[i].name, slice_from(workload_names[1]));
        if (!workload && !(i < 62 && setup->sets_used >> i & 1)) cb_set_unused(inv, &setup->sets[i]);
    }
}
