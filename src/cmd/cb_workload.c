#include "cmd/cb_workload.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/num.h"
#include "device/chip.h"

int cb_read_count(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *out, struct err *err) {
    struct slice s = slice_from(text);
    size_t used = num_read_u64(s, out);
    if (!used || used != s.len || *out < min || *out > max)
        return err_set(err, ERR_USAGE, "%s takes a number from %llu to %llu, not %s", what, (unsigned long long)min,
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
    const struct data_format *format = data_format_find(slice_from(name ? name : "Float32"));
    uint64_t bytes;
    if (!format || !tile_bytes(format, 32, 32, &bytes))
        return err_set(err, ERR_USAGE, "--format %s is no data format; for example Float32, Float16_b, Bfp8_b", name);
    return read_number(args, "tile-bytes", bytes, 1, 1 << 24, &setup->workload.tile_bytes, err);
}

static int read_kernels(struct cb_setup *setup, const struct args *args, struct err *err) {
    for (size_t i = 0; i < args_count(args, "kernel"); i++) {
        struct stat st;
        const char *path = args_nth(args, "kernel", i);
        if (stat(path, &st) != 0) return err_set_errno(err, ERR_INPUT, "cannot read %s", path);
        setup->workload.kernel_bytes += (uint64_t)st.st_size;
    }
    return 0;
}

int cb_setup_read(struct cb_setup *setup, const struct args *args, struct err *err) {
    *setup = (struct cb_setup){.chip = cb_chip(args, err)};
    struct cb_workload *w = &setup->workload;
    if (!setup->chip || read_tile_bytes(setup, args, err) != 0 || read_kernels(setup, args, err) != 0 ||
        cb_sets_parse(args, &setup->sets, &setup->n_sets, err) != 0 ||
        read_number(args, "passes", 4, 1, CB_SIM_MAX_PASSES, &w->passes, err) != 0 ||
        read_number(args, "fetch-cost", 2, 0, 1000000, &w->fetch_cost, err) != 0 ||
        read_number(args, "compute-cost", 4, 0, 1000000, &w->compute_cost, err) != 0 ||
        read_number(args, "write-cost", 2, 0, 1000000, &w->write_cost, err) != 0 ||
        read_number(args, "l1-buffers", 0, 0, UINT32_MAX, &w->l1_buffer_bytes, err) != 0)
        return -1;
    setup->own_name = args_text(args, "strategy");
    setup->source_path = args_text(args, "from");
    if (setup->own_name && read_whole(setup->own_name, &setup->own_strategy, err) != 0) return -1;
    return setup->source_path ? read_whole(setup->source_path, &setup->source, err) : 0;
}

void cb_setup_release(struct cb_setup *setup) {
    free((void *)setup->own_strategy.ptr);
    free((void *)setup->source.ptr);
    free(setup->sets);
    arena_release(&setup->arena);
}

static struct slice last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slice_from(slash ? slash + 1 : path);
}

/* tiles_per_shard and r_tiles of the workload. `room` holds their text. */
static void workload_sets(const struct cb_workload *w, struct cb_set out[2], char room[2][NUM_ROOM]) {
    out[0] = (struct cb_set){SLICE("tiles_per_shard"), slice_of(room[0], num_write_u64(room[0], w->a_tiles))};
    out[1] = (struct cb_set){SLICE("r_tiles"), slice_of(room[1], num_write_u64(room[1], w->b_tiles))};
}

/* Buffers of the program that has most of them known; unknown sizes are an error that names what to set. */
static int sizes_from_source(struct cb_setup *setup, const struct cb_source *source, struct slice name,
                             uint64_t fixed_tile_bytes, struct cb_strategy_sizes *out) {
    *out = (struct cb_strategy_sizes){.name = name};
    if (!source->decls.len) return err_set(setup->err, ERR_LACKS, "%.*s declares no circular buffer", SLICE_FMT(name));
    uint32_t best = 0, most = 0;
    for (uint32_t p = 0; p < source->programs.len; p++) {
        uint32_t n = 0;
        for (size_t i = 0; i < source->decls.len; i++) n += source->decls.items[i].program == p;
        if (n > most) most = n, best = p;
    }
    for (size_t i = 0; i < source->decls.len && out->n_buffers < CB_SIM_MAX_BUFFERS; i++) {
        const struct cb_decl *d = &source->decls.items[i];
        if (d->program != best) continue;
        int64_t page = fixed_tile_bytes ? 1 : d->indices[0].page_bytes;
        if (d->total_bytes < 0 || page <= 0 || d->indices[0].index < 0) {
            struct slice missing = d->n_adapts_to ? d->adapts_to[0] : d->total_folded;
            return err_set(setup->err, ERR_LACKS, "line %u of %.*s: the size %.*s is not known; give it with --set %.*s=N",
                           d->line, SLICE_FMT(name), SLICE_FMT(d->total_expr), SLICE_FMT(missing));
        }
        bool repeated = false;
        for (unsigned k = 0; k < out->n_buffers; k++) repeated |= out->buffers[k].index == d->indices[0].index;
        if (repeated) continue;
        uint64_t tile = fixed_tile_bytes ? fixed_tile_bytes : (uint64_t)page;
        out->buffers[out->n_buffers++] =
            (struct cb_sim_buffer){d->indices[0].index, (uint64_t)(d->total_bytes / page), tile, d->tensor_backed};
    }
    return 1;
}

/* The statements become a function that declares the four buffers; what it declares itself shadows the defaults. */
static int own_strategy(struct cb_setup *setup, const struct cb_workload *w, struct cb_strategy_sizes *out) {
    static const int indices[] = {0, 1, 2, 16};
    struct strbuf text = {0};
    strbuf_addz(&text, "void strategy(uint32_t tiles_per_shard, uint32_t r_tiles) {\n");
    for (unsigned i = 0; i < 4; i++) strbuf_addf(&text, "uint32_t cb%d_tiles = 2;\n", indices[i]);
    strbuf_add(&text, setup->own_strategy);
    for (unsigned i = 0; i < 4; i++)
        strbuf_addf(&text,
                    "\nCreateCircularBuffer(program, core, CircularBufferConfig(cb%d_tiles, {{%d, tt::DataFormat::Float32}}));",
                    indices[i], indices[i]);
    strbuf_addz(&text, "\n}\n");
    struct cb_set sets[2];
    char room[2][NUM_ROOM];
    workload_sets(w, sets, room);
    struct cb_source source;
    cb_source_scan(&source, strbuf_slice(&text), NULL, 0, sets, 2);
    int n = sizes_from_source(setup, &source, last_part(setup->own_name), w->tile_bytes, out);
    cb_source_release(&source);
    strbuf_release(&text);
    return n;
}

static int source_strategy(struct cb_setup *setup, const struct cb_workload *w, struct cb_strategy_sizes *out) {
    struct cb_set *sets = mem_zalloc(setup->n_sets + 2, sizeof *sets);
    char room[2][NUM_ROOM];
    workload_sets(w, sets, room);
    for (size_t i = 0; i < setup->n_sets; i++) sets[2 + i] = setup->sets[i];
    struct cb_source source;
    cb_source_scan(&source, setup->source, NULL, 0, sets, setup->n_sets + 2);
    int n = sizes_from_source(setup, &source, last_part(setup->source_path), 0, out);
    cb_source_release(&source);
    free(sets);
    return n;
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
