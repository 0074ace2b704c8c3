/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_shave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cb/study/cb_shape.h"
#include "cb/study/cb_sim.h"

enum { MAX_STEPS = 12, MAX_PAIRS = 48, MAX_CANDIDATES = 64, PASSES = 4 };

struct shaving {
    const struct shave_request *request;
    struct shave *out;
    struct cb_file base;
    uint32_t program;
    bool cuts_tiles; /* the change that was evaluated last */
    struct err *err;
};

/* --- one evaluation --- */

/* "create:120" means the function of that name that makes a buffer in line 120. */
static bool is_asked_for(const struct cb_source *source, uint32_t program, const char *function) {
    struct slice name = source->programs.items[program].function, asked = slice_from(function);
    uint64_t line;
    if (slice_equal(name, asked)) return true;
    if (!slice_starts(asked, name) || asked.len < name.len + 2 || asked.ptr[name.len] != ':') return false;
    struct slice digits = slice_skip(asked, name.len + 1);
    if (num_read_u64(digits, &line) != digits.len) return false;
    for (size_t i = 0; i < source->decls.len; i++)
        if (source->decls.items[i].program == program && source->decls.items[i].line == line) return true;
    return false;
}

static int find_program(const struct cb_file *file, const char *function, struct err *err) {
    int best = -1;
    for (size_t p = 0; p < file->totals.len; p++) {
        const struct cb_total *t = &file->totals.items[p];
        if (!t->buffers) continue;
        if (function && !is_asked_for(&file->source, (uint32_t)p, function)) continue;
        if (best < 0 || t->max_bytes > file->totals.items[best].max_bytes) best = (int)p;
    }
    if (best < 0 && function) err_set(err, ERR_LACKS, "no function '%s' makes buffers", function);
    else if (best < 0) err_set(err, ERR_LACKS, "the source declares no buffers");
    return best;
}

static const struct cb_total *total_of(const struct shaving *s, const struct cb_file *file) {
    for (size_t p = 0; p < file->totals.len; p++)
        if (slice_equal(file->source.programs.items[p].function, s->out->function) &&
            file->source.programs.items[p].line == s->base.source.programs.items[s->program].line &&
            file->totals.items[p].buffers)
            return &file->totals.items[p];
    return NULL;
}

static uint64_t tiles_of(const struct cb_decl *d) {
    int64_t page = d->indices[0].page_bytes;
    return page > 0 && d->max_bytes > 0 ? (uint64_t)(d->max_bytes / page) : 0;
}

static bool is_output(const struct cb_decl *d) {
    return d->kind == CB_CIRCULAR && d->indices[0].index >= 0 && cb_role_of(d->indices[0].index) == CB_OUTPUT;
}

/* Tiles that are fetched again if a buffer holds fewer than before, according to the simulator. */
static uint64_t fetched_again(uint64_t before, uint64_t after, const struct chip *chip) {
    if (!before || after >= before || before > CB_SIM_MAX_TILES) return 0;
    struct cb_workload w = {.a_tiles = before,
                            .b_tiles = before,
                            .tile_bytes = 32,
                            .passes = PASSES,
                            .fetch_cost = 1,
                            .compute_cost = 1,
                            .write_cost = 1};
    struct cb_strategy_sizes sizes = {.n_buffers = 4};
    static const int indices[] = {0, 1, 2, 16};
    for (unsigned i = 0; i < 4; i++)
        sizes.buffers[i] = (struct cb_sim_buffer){.index = indices[i], .tiles = i == 1 ? after : 2, .tile_bytes = 32};
    struct cb_pressure pressure;
    cb_simulate(&pressure, &sizes, &w, chip);
    return pressure.fetched_again;
}

static bool has_index(const struct cb_source *source, uint32_t program, int64_t index) {
    for (size_t i = 0; i < source->decls.len; i++)
        if (source->decls.items[i].program == program && source->decls.items[i].indices[0].index == index) return true;
    return false;
}

/* The change breaks the program: a buffer has no page left, or has an index that no buffer had. */
static bool is_broken(const struct shaving *s, const struct cb_source *b, uint32_t program, const struct cb_decl *d,
                      const struct cb_decl *e) {
    if (e) return d->max_bytes > 0 && (!e->max_bytes || (tiles_of(d) && !tiles_of(e)));
    /* the buffer is gone: if another buffer of its line took its place, the index is what changed */
    for (size_t k = 0; k < b->decls.len; k++) {
        const struct cb_decl *other = &b->decls.items[k];
        if (other->program == program && other->line == d->line && other->indices[0].index != d->indices[0].index &&
            (!has_index(&s->base.source, s->program, other->indices[0].index) || slice_equal(other->name, d->name)))
            return true;
    }
    return false;
}

/* A tile has the size that its format gives it: a page of whole tiles cannot become one of a part of a tile. */
static bool cuts_tile(const struct cb_decl *d, const struct cb_decl *e) {
    int64_t before = d->indices[0].page_bytes, after = e ? e->indices[0].page_bytes : -1;
    uint64_t tile;
    if (before <= 0 || after <= 0 || before == after || !slice_equal(d->indices[0].format, e->indices[0].format)) return false;
    const struct data_format *format = data_format_find(d->indices[0].format);
    return format && tile_bytes(format, 32, 32, &tile) && (uint64_t)before % tile == 0 && (uint64_t)after % tile != 0;
}

/* The least that a smaller buffer saves; if its size is a range, by its lower and upper ends. */
static uint64_t least_saving(const struct cb_decl *d, const struct cb_decl *e) {
    int64_t low = d->min_bytes - (e ? e->min_bytes : 0), high = d->max_bytes - (e ? e->max_bytes : 0);
    int64_t least = low < high ? low : high;
    return least > 0 ? (uint64_t)least : 0;
}

/* Compares buffers of the same line and name to find those that became smaller. False: the change breaks the program. */
static bool compare_buffers(struct shaving *s, const struct cb_file *file, uint32_t program, struct shave_step *step) {
    const struct cb_source *a = &s->base.source, *b = &file->source;
    uint64_t least = 0;
    step->buffers = arena_alloc(&s->out->arena, (a->decls.len + 1) * sizeof *step->buffers);
    for (size_t i = 0; i < a->decls.len; i++) {
        const struct cb_decl *d = &a->decls.items[i], *e = NULL;
        if (d->program != s->program) continue;
        for (size_t k = 0; k < b->decls.len && !e; k++)
            if (b->decls.items[k].program == program && b->decls.items[k].line == d->line &&
                b->decls.items[k].indices[0].index == d->indices[0].index && slice_equal(b->decls.items[k].name, d->name))
                e = &b->decls.items[k];
        if (is_broken(s, b, program, d, e)) return false;
        if (cuts_tile(d, e)) {
            s->cuts_tiles = true;
            return false;
        }
        least += least_saving(d, e);
        if (!e || d->max_bytes < 0 || e->max_bytes < 0 || e->max_bytes >= d->max_bytes) continue;
        struct shave_buffer change = {.name = arena_copy(&s->out->arena, d->name),
                                      .index = d->indices[0].index,
                                      .before_bytes = (uint64_t)d->max_bytes,
                                      .after_bytes = (uint64_t)e->max_bytes,
                                      .before_tiles = tiles_of(d),
                                      .after_tiles = tiles_of(e)};
        step->buffers[step->n_buffers++] = change;
        if (!is_output(d)) step->fetched_again += fetched_again(change.before_tiles, change.after_tiles, s->request->chip);
    }
    if (s->out->open && least < step->saves) step->saves = least;
    step->fits = step->saves >= s->out->over;
    return true;
}

/* Are some sizes ranges, because a format or a value that they depend on is not given? */
static bool is_open(const struct shaving *s) {
    for (size_t i = 0; i < s->base.source.decls.len; i++) {
        const struct cb_decl *d = &s->base.source.decls.items[i];
        if (d->program == s->program && d->min_bytes != d->max_bytes) return true;
    }
    return false;
}

enum { MOST_NOT_GIVEN = 16 };

/* The names that --set could give to close the sizes. */
static void list_not_given(struct shaving *s) {
    struct shave *out = s->out;
    for (size_t i = 0; i < s->base.source.decls.len; i++) {
        const struct cb_decl *d = &s->base.source.decls.items[i];
        if (d->program != s->program || d->min_bytes == d->max_bytes) continue;
        for (uint32_t k = 0; k < d->n_adapts_to && out->not_given.len < MOST_NOT_GIVEN; k++) {
            bool known = false;
            for (size_t n = 0; n < out->not_given.len; n++) known |= slice_equal(out->not_given.items[n], d->adapts_to[k]);
            for (size_t n = 0; n < s->request->n_sets; n++) known |= slice_equal(s->request->sets[n].name, d->adapts_to[k]);
            if (!known) vec_push(&out->not_given, arena_copy(&out->arena, d->adapts_to[k]));
        }
    }
}

static struct slice set_name(const struct shave_value *v) { return v->place.len ? v->place : v->name; }

/* Scans with the values of a step; false if it saves nothing or the result is unknown. */
static bool evaluate(struct shaving *s, struct shave_step *step) {
    const struct shave_request *r = s->request;
    struct cb_set *sets = mem_zalloc(r->n_sets + 3, sizeof *sets);
    size_t n = 0;
    for (size_t i = 0; i < r->n_sets; i++) {
        bool replaced = false;
        for (unsigned k = 0; k < step->n_values; k++) replaced |= slice_equal(r->sets[i].name, step->values[k].name);
        if (!replaced) sets[n++] = r->sets[i];
    }
    for (unsigned k = 0; k < step->n_values; k++)
        sets[n++] = (struct cb_set){.name = set_name(&step->values[k]), .value = step->values[k].to};
    struct cb_file file = {0};
    struct err ignored = {0};
    bool saves = false;
    s->out->scans++;
    s->cuts_tiles = false;
    if (r->scan(r->ctx, sets, n, &file, &ignored) == 0) {
        const struct cb_total *t = total_of(s, &file);
        saves = t && t->bounded && t->max_bytes < s->out->bytes;
        if (saves) {
            step->bytes = t->max_bytes;
            step->saves = s->out->bytes - t->max_bytes;
            saves = compare_buffers(s, &file, (uint32_t)(t - file.totals.items), step) && step->saves;
        }
        cb_file_release(&file);
    }
    free(sets);
    return saves;
}

/* --- what can be changed --- */

static struct slice number_text(struct shaving *s, int64_t n) {
    char text[32];
    int len = snprintf(text, sizeof text, "%lld", (long long)n);
    return arena_copy(&s->out->arena, slice_of(text, (size_t)len));
}

/* False: it saves nothing. */
static bool try_value(struct shaving *s, enum shave_kind kind, const struct shave_shape *from, int64_t value, int64_t smaller,
                      struct shave_step *step) {
    *step = (struct shave_step){.n_values = 1};
    step->values[0] = (struct shave_value){.kind = kind,
                                           .name = from->name,
                                           .from = from->value,
                                           .to = number_text(s, smaller),
                                           .line = from->line,
                                           .ratio_milli = (uint64_t)(value * 1000 / smaller)};
    return evaluate(s, step);
}

static void try_number(struct shaving *s, enum shave_kind kind, struct slice name, int64_t value, uint32_t line) {
    struct shave_shape from = {name, number_text(s, value), line, false};
    struct shave_step step;
    unsigned tried = 0;
    bool any = false, shape = cb_is_shape(*s->request->text, name);
    for (int64_t smaller = value / 2; smaller >= 1 && tried < MAX_STEPS; smaller--) {
        if (value % smaller != 0) continue; /* a block that does not divide the whole rarely works */
        tried++;
        bool saves = try_value(s, kind, &from, value, smaller, &step);
        from.tile |= s->cuts_tiles;
        any |= saves;
        if (saves && shape) vec_push(&s->out->shapes, from);
        else if (saves) vec_push(&s->out->steps, step);
        if (shape) return;
        /* where neither half nor 1 saves, nothing depends on it; a maximum (`std::min(6u, n)`) can hide the half */
        if (!saves && !from.tile && tried == 1 && !try_value(s, kind, &from, value, 1, &step)) return;
    }
    if (from.tile && !any) vec_push(&s->out->shapes, from);
}

/* The 2 of `tiles * 2`: double buffering, if without it half as many pages of the same size remain. */
static void try_double(struct shaving *s, const struct cb_constant *c) {
    struct shave_step step = {.n_values = 1};
    step.values[0] = (struct shave_value){.kind = SHAVE_DOUBLE,
                                          .name = arena_copy(&s->out->arena, c->name),
                                          .place = arena_copy(&s->out->arena, c->place),
                                          .from = SLICE("2"),
                                          .to = SLICE("1"),
                                          .line = c->line,
                                          .ratio_milli = 2000};
    if (!evaluate(s, &step)) return;
    for (uint32_t i = 0; i < step.n_buffers; i++)
        if (!step.buffers[i].after_tiles || step.buffers[i].before_tiles != 2 * step.buffers[i].after_tiles) return;
    vec_push(&s->out->steps, step);
}

/* Each takes less memory than the one before. */
static const char *const smaller_formats[] = {"Float32", "Float16_b", "Bfp8_b", "Bfp4_b"};

static void try_format(struct shaving *s, struct slice name, const struct data_format *format, uint32_t line) {
    uint64_t bytes = 0, other = 0;
    bool whole = strncmp(format->name, "UInt", 4) == 0 || strncmp(format->name, "Int", 3) == 0; /* indices must be exact */
    if (whole || !tile_bytes(format, 32, 32, &bytes)) return;
    for (size_t i = 0; i < sizeof smaller_formats / sizeof *smaller_formats; i++) {
        const struct data_format *smaller = data_format_find(slice_from(smaller_formats[i]));
        if (!smaller || !tile_bytes(smaller, 32, 32, &other) || other >= bytes) continue;
        struct shave_step step = {.n_values = 1};
        step.values[0] = (struct shave_value){.kind = SHAVE_FORMAT,
                                              .name = name,
                                              .from = slice_from(format->name),
                                              .to = slice_from(smaller_formats[i]),
                                              .line = line,
                                              .ratio_milli = bytes * 1000 / other};
        if (evaluate(s, &step)) vec_push(&s->out->steps, step);
    }
}

static bool is_given(const struct shave_request *r, struct slice name) {
    for (size_t i = 0; i < r->n_sets; i++)
        if (slice_equal(r->sets[i].name, name)) return true;
    return false;
}

static void try_all(struct shaving *s) {
    const struct shave_request *r = s->request;
    for (size_t i = 0; i < r->n_sets && i < MAX_CANDIDATES; i++) {
        int64_t value;
        struct slice name = arena_copy(&s->out->arena, r->sets[i].name);
        if (cb_set_number(r->sets[i].value, &value)) {
            if (value > 1) try_number(s, SHAVE_PARAMETER, name, value, 0);
        } else {
            const struct data_format *format = data_format_find_loosely(r->sets[i].value);
            if (format) try_format(s, name, format, 0);
        }
    }
    unsigned doubles = 0;
    for (size_t i = 0; i < s->base.source.constants.len; i++) {
        const struct cb_constant *c = &s->base.source.constants.items[i];
        if (c->place.len && doubles++ < MAX_CANDIDATES) try_double(s, c);
        if (c->place.len || i >= MAX_CANDIDATES) continue;
        if (c->ambiguous || is_given(r, c->name)) continue;
        struct slice name = arena_copy(&s->out->arena, c->name);
        if (c->format) try_format(s, name, c->format, c->line);
        else if (c->value > 1 && c->value <= 4096) try_number(s, SHAVE_CONSTANT, name, c->value, c->line);
    }
}

/* --- the smallest change --- */

static uint64_t change_of(const struct shave_step *step) {
    uint64_t ratio = 1000;
    for (unsigned k = 0; k < step->n_values; k++) ratio = ratio * step->values[k].ratio_milli / 1000;
    return ratio;
}

static unsigned formats_of(const struct shave_step *step) {
    unsigned n = 0;
    for (unsigned k = 0; k < step->n_values; k++) n += step->values[k].kind == SHAVE_FORMAT;
    return n;
}

/* Fewer changes, then fewer format changes, then the gentler, then the cheaper one. */
static bool is_smaller(const struct shave_step *a, const struct shave_step *b) {
    if (a->n_values != b->n_values) return a->n_values < b->n_values;
    if (formats_of(a) != formats_of(b)) return formats_of(a) < formats_of(b);
    if (change_of(a) != change_of(b)) return change_of(a) < change_of(b);
    if (a->fetched_again != b->fetched_again) return a->fetched_again < b->fetched_again;
    return a->saves < b->saves;
}

static int by_size(const void *a, const void *b) {
    const struct shave_step *x = a, *y = b;
    return is_smaller(x, y) ? -1 : is_smaller(y, x) ? 1 : 0;
}

/* Tries two changes at once, the gentlest first. Together they save at most the sum of their savings. */
static void try_pairs(struct shaving *s) {
    VEC(struct shave_step) pairs = {0};
    for (size_t i = 0; i < s->out->steps.len; i++)
        for (size_t k = i + 1; k < s->out->steps.len; k++) {
            const struct shave_step *a = &s->out->steps.items[i], *b = &s->out->steps.items[k];
            if (slice_equal(set_name(&a->values[0]), set_name(&b->values[0])) || a->saves + b->saves < s->out->over) continue;
            vec_push(&pairs, ((struct shave_step){.values = {a->values[0], b->values[0]}, .n_values = 2}));
        }
    if (pairs.len) qsort(pairs.items, pairs.len, sizeof *pairs.items, by_size);
    for (size_t i = 0; i < pairs.len && i < MAX_PAIRS && !s->out->smallest; i++)
        if (evaluate(s, &pairs.items[i]) && pairs.items[i].fits) {
            s->out->pair = pairs.items[i];
            s->out->smallest = &s->out->pair;
        }
    vec_release(&pairs);
}

struct asked {
    struct slice names[16];
    unsigned len;
};

static void ask(const struct shaving *s, struct asked *asked, struct slice name, struct strbuf *options) {
    if (!name.len || asked->len >= 16 || is_given(s->request, name)) return;
    for (unsigned k = 0; k < asked->len; k++)
        if (slice_equal(asked->names[k], name)) return;
    asked->names[asked->len++] = name;
    strbuf_addf(options, " --set %.*s=N", SLICE_FMT(slice_take(name, 100)));
}

static int refuse(const struct shaving *s) {
    struct strbuf options = {0};
    struct asked asked = {0};
    for (size_t i = 0; i < s->base.source.decls.len; i++) {
        const struct cb_decl *d = &s->base.source.decls.items[i];
        if (d->program != s->program || d->max_bytes >= 0) continue;
        ask(s, &asked, d->unknown, &options);
        for (uint32_t k = 0; k < d->n_adapts_to; k++) ask(s, &asked, d->adapts_to[k], &options);
    }
    unsigned n = asked.len;
    if (n) err_set(s->err, ERR_LACKS, "the sizes are not bounded; give what they depend on:%s", strbuf_text(&options));
    else err_set(s->err, ERR_LACKS, "the sizes are not bounded: %.*s", SLICE_FMT(s->base.source.partial_reason));
    strbuf_release(&options);
    return -1;
}

int cb_shave(struct shave *out, const struct shave_request *request, struct err *err) {
    *out = (struct shave){.over = request->over};
    struct shaving s = {.request = request, .out = out, .err = err};
    if (request->scan(request->ctx, request->sets, request->n_sets, &s.base, err) != 0) return -1;
    out->scans = 1;
    int program = find_program(&s.base, request->function, err);
    int rc = program < 0 ? -1 : 0;
    if (rc == 0) {
        s.program = (uint32_t)program;
        const struct cb_total *t = &s.base.totals.items[program];
        out->function = arena_copy(&out->arena, s.base.source.programs.items[program].function);
        out->bytes = t->max_bytes;
        if (!t->bounded) rc = refuse(&s);
        out->open = is_open(&s);
        list_not_given(&s);
    }
    if (rc == 0) {
        try_all(&s);
        for (size_t i = 0; i < out->steps.len; i++) {
            struct shave_step *step = &out->steps.items[i];
            if (step->fits && (!out->smallest || is_smaller(step, out->smallest))) out->smallest = step;
        }
        if (!out->smallest) try_pairs(&s);
    }
    cb_file_release(&s.base);
    return rc;
}

void cb_shave_release(struct shave *shave) {
    vec_release(&shave->steps);
    vec_release(&shave->shapes);
    vec_release(&shave->not_given);
    arena_release(&shave->arena);
}
