/* SPDX-License-Identifier: Apache-2.0 */
/* Records the interpreter's results, circular buffers and kernels, as plain data. */
#include <string.h>

#include "cb/interp/cb_interp.h"

uint64_t interp_site_of(const struct interp *in, TSNode node) {
    uint64_t h = in->frame ? in->frame->site : 1;
    return (h ^ (ts_node_start_byte(node) + 1)) * 0x9e3779b97f4a7c15u;
}

/* --- code that runs and code that does not --- */

void interp_note_reached(struct interp *in, TSNode call) {
    for (size_t i = in->reached.len; i-- > 0;)
        if (in->reached.items[i] == call.id) return;
    vec_push(&in->reached, call.id);
}

void interp_note_skipped(struct interp *in, TSNode node) {
    if (!exists(node) || !interp_count_sites(in, in->tree, node)) return;
    vec_push(&in->skipped, ((struct code_range){in->tree, ts_node_start_byte(node), ts_node_end_byte(node)}));
}

bool interp_is_accounted(const struct interp *in, const struct cpp_tree *tree, TSNode call) {
    for (size_t i = 0; i < in->reached.len; i++)
        if (in->reached.items[i] == call.id) return true;
    uint32_t at = ts_node_start_byte(call);
    for (size_t i = 0; i < in->skipped.len; i++)
        if (in->skipped.items[i].tree == tree && at >= in->skipped.items[i].from && at < in->skipped.items[i].to) return true;
    return false;
}

/* --- buffers --- */

static uint64_t place_of(const struct interp *in, TSNode node) {
    return ((uintptr_t)in->tree ^ (ts_node_start_byte(node) + 1)) * 0x9e3779b97f4a7c15u;
}

void interp_stamp(struct interp *in, struct val_object *object, TSNode node) {
    const struct cb_frame *program = NULL;
    object->line = cpp_line(node);
    interp_naming_frame(in, &object->line, &program);
    object->program = program ? program->program_key : NULL;
    object->function = program ? program->name : SLICE("");
    object->conditions = (uint32_t)in->conditions.len;
    object->place = place_of(in, node);
    object->site = interp_site_of(in, node);
}

/* A function can make several programs, which are told apart by the variables that hold them. */
uint32_t interp_program_id(struct interp *in, const void *key, struct slice function, const struct cb_cell *cell) {
    struct slice variable = cell ? cell->name : SLICE("");
    for (size_t i = 0; i < in->out->programs.len; i++) {
        struct cb_program *p = &in->out->programs.items[i];
        if (p->key != key) continue;
        if (!p->variable.len) p->variable = variable;
        if (!cell || p->cell == cell || slice_equal(p->variable, variable)) return (uint32_t)i;
    }
    const struct function *f = key;
    struct slice body = f ? cpp_text(f->tree, f->node) : SLICE("");
    bool negative = slice_find(body, SLICE("_THROW(")) != SLICE_NONE && slice_starts(function, SLICE("TEST"));
    negative |= slice_find(body, SLICE("_DEATH(")) != SLICE_NONE || slice_find(body, SLICE("EXPECT_ANY_THROW")) != SLICE_NONE;
    negative |= slice_find(body, SLICE("EXPECT_THAT(")) != SLICE_NONE && slice_find(body, SLICE("Throws")) != SLICE_NONE;
    vec_push(&in->out->programs, ((struct cb_program){.negative = negative,
                                                      .function = function,
                                                      .variable = variable,
                                                      .line = f ? cpp_line(f->node) : 0,
                                                      .key = key,
                                                      .cell = cell}));
    return (uint32_t)in->out->programs.len - 1;
}

/* The program that a call makes something for: an argument, or the owner of the list that it adds to. */
const struct cb_cell *interp_program_of(struct interp *in, TSNode call) {
    if (!is_kind(call, CPP_call_expression)) return NULL;
    TSNode callee = cpp_field(call, CPP_FIELD_function);
    if (is_kind(callee, CPP_field_expression)) {
        TSNode list = cpp_field(callee, CPP_FIELD_argument);
        return is_kind(list, CPP_field_expression) ? interp_place(in, cpp_field(list, CPP_FIELD_argument)) : NULL;
    }
    struct cpp_nodes args = cpp_children(in->arena, cpp_field(call, CPP_FIELD_arguments));
    for (uint32_t i = 0; i < args.len && i < 3; i++) {
        const struct cb_cell *cell = interp_place(in, args.items[i]);
        if (!cell) continue;
        const struct val *value = val_bare(cell->value);
        bool made = value->kind == VAL_OBJECT && slice_equal(value->object->type, SLICE("Program"));
        if (made || slice_find(cell->name, SLICE("program")) != SLICE_NONE) return cell;
    }
    return NULL;
}

struct name_list {
    struct interp *in;
    struct slice *items;
    uint32_t len, cap;
};

static void add_name(void *ctx, struct slice name, bool by_format) {
    struct name_list *list = ctx;
    if (by_format || !name.len || list->len >= 16) return;
    if (slice_equal(name, SLICE("..."))) return; /* a choice without a name in the source, between several meanings of a name */
    for (uint32_t i = 0; i < list->len; i++)
        if (slice_equal(list->items[i], name)) return;
    if (list->len == list->cap) {
        struct slice *items = arena_alloc(list->in->arena, 16 * sizeof *items);
        if (list->len) memcpy(items, list->items, list->len * sizeof *items);
        list->items = items;
        list->cap = 16;
    }
    list->items[list->len++] = arena_copy(list->in->arena, name);
}

struct slice interp_text_of(struct interp *in, const struct val *v) {
    struct strbuf text = {0};
    val_write(&text, v, INTERP_TEXT);
    struct slice kept = interp_tidy(in, arena_copy(in->arena, strbuf_slice(&text)));
    strbuf_release(&text);
    return kept;
}

const struct val *interp_field_value(const struct val_object *object, const char *name) {
    const struct val_field *f = val_object_field(object, slice_from(name));
    return f ? f->value : NULL;
}

struct slice interp_field_text(const struct val_object *object, const char *name) {
    const struct val_field *f = val_object_field(object, slice_from(name));
    return f ? f->text : SLICE("");
}

static void fill_index(struct interp *in, struct cb_index *out, const struct val *entry) {
    *out =
        (struct cb_index){.index = -1, .page_bytes = -1, .index_expr = SLICE(""), .page_expr = SLICE(""), .format = SLICE("")};
    entry = val_bare(entry);
    if (entry->kind == VAL_LIST && entry->list->len == 3) { /* a positional CBFormatDescriptor: index, format, page */
        const struct val *named = val_object_new(in->arena, SLICE("CBFormatDescriptor"));
        static const char *const fields[] = {"buffer_index", "data_format", "page_size"};
        for (uint32_t i = 0; i < 3; i++) {
            struct slice text = interp_text_of(in, entry->list->items[i]);
            val_object_set(in->arena, named->object, slice_from(fields[i]), entry->list->items[i])->text = text;
        }
        entry = named;
    }
    if (entry->kind != VAL_OBJECT) return;
    const struct val *index = interp_field_value(entry->object, "buffer_index"),
                     *format = interp_field_value(entry->object, "data_format");
    const struct val *page = interp_field_value(entry->object, "page_size");
    if (index) {
        out->index_expr = interp_text_of(in, index);
        if (!val_is_num(index, &out->index)) out->index = -1;
    }
    if (format) {
        struct slice as_written = interp_field_text(entry->object, "data_format");
        bool folded = val_bare(format)->kind == VAL_FORMAT;
        out->format = folded || !as_written.len ? interp_text_of(in, format) : as_written;
        if (val_bare(format)->kind == VAL_FORMAT) out->known_format = val_bare(format)->format;
    }
    if (page) {
        out->page_expr = interp_field_text(entry->object, "page_size");
        if (!out->page_expr.len) out->page_expr = interp_text_of(in, page);
        if (!val_is_num(page, &out->page_bytes)) out->page_bytes = -1;
    }
}

/* Whether a tensor backs the buffer: always, never, or under a condition. */
static void fill_backing(struct interp *in, struct cb_decl *d, const struct val *buffer) {
    if (!buffer) return;
    const struct val *bare = val_bare(buffer);
    if (bare->kind == VAL_TEXT) { /* the name of a tensor parameter */
        d->tensor_backed = true;
        return;
    }
    if (bare->kind == VAL_NULL || (bare->kind == VAL_NUM && bare->num == 0)) return;
    bool depends = bare->kind == VAL_OP && bare->op == OP_COND;
    if (!depends && val_truth(buffer) < 0) { /* a pointer that may be null */
        d->backed_when = interp_text_of(in, buffer);
        return;
    }
    if (depends && val_bare(bare->b)->kind != VAL_NULL && val_bare(bare->c)->kind != VAL_NULL &&
        (val_truth(bare->b) != 1 || val_truth(bare->c) != 1)) {
        d->backed_when = interp_text_of(in, bare->a);
        return;
    }
    if (depends && (val_bare(bare->b)->kind == VAL_NULL || val_bare(bare->c)->kind == VAL_NULL)) {
        struct strbuf text = {0};
        bool negated = val_bare(bare->b)->kind == VAL_NULL;
        val_write(&text, negated ? val_op1(in->arena, OP_NOT, bare->a) : bare->a, INTERP_TEXT);
        if (!text.len) strbuf_addz(&text, "...");
        d->backed_when = interp_tidy(in, arena_copy(in->arena, strbuf_slice(&text)));
        strbuf_release(&text);
        return;
    }
    d->tensor_backed = true;
}

/* The name of a buffer: its identifier if that is a literal, else the name it is written with. */
struct slice interp_name_of(struct interp *in, const struct val *id, struct slice text) {
    if (!id) return SLICE("");
    if (val_bare(id)->kind == VAL_OP && val_bare(id)->op == OP_COND) return interp_text_of(in, id);
    if (val_bare(id)->kind == VAL_TEXT) return val_bare(id)->text;
    struct slice role = interp_role_of(text);
    return role.len ? role : interp_text_of(in, id);
}

/* The name to show: "a or b" if a condition decides. */
static struct slice shown_name(struct interp *in, const struct val *id, struct slice text, unsigned depth) {
    const struct val *bare = id ? val_bare(id) : NULL;
    if (!bare || bare->kind != VAL_OP || bare->op != OP_COND || depth > 3) return interp_name_of(in, id, text);
    struct slice yes = shown_name(in, bare->b, interp_text_of(in, bare->b), depth + 1),
                 no = shown_name(in, bare->c, interp_text_of(in, bare->c), depth + 1);
    if (!yes.len || !no.len || slice_equal(yes, no)) return yes.len ? yes : no;
    struct strbuf both = {0};
    strbuf_addf(&both, "%.*s or %.*s", SLICE_FMT(yes), SLICE_FMT(no));
    struct slice name = arena_copy(in->arena, strbuf_slice(&both));
    strbuf_release(&both);
    return name;
}

/* The first of the buffers that share its memory. */
static struct slice alias_of(struct interp *in, const struct val *list) {
    const struct val *bare = val_bare(list);
    if (bare->kind != VAL_LIST) return bare->kind == VAL_OP || bare->kind == VAL_FREE ? SLICE("?") : SLICE("");
    if (!bare->list->len) return bare->list->open ? SLICE("?") : SLICE("");
    return interp_name_of(in, bare->list->items[0], interp_text_of(in, bare->list->items[0]));
}

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9e3779b97f4a7c15u; }

static uint64_t mix_text(uint64_t hash, struct slice text) {
    for (size_t i = 0; i < text.len; i++) hash = (hash ^ (unsigned char)text.ptr[i]) * 0x100000001b3u;
    return hash;
}

/* Identifies a buffer: two with the same key differ only in who makes them and under which conditions. */
static uint64_t key_of(const struct cb_decl *d, uint64_t site) {
    uint64_t key = site;
    for (uint32_t i = 0; i < d->n_indices; i++) {
        key = mix(key, (uint64_t)(d->indices[i].index + 2));
        if (d->indices[i].index < 0) key = mix_text(key, d->indices[i].index_expr);
    }
    if (d->kind != CB_CIRCULAR) key = mix_text(mix(key, d->kind), d->name);
    return mix_text(mix(key, (uint64_t)d->total_bytes), d->total_folded);
}

static bool same_side(const struct cb_condition *x, const struct cb_condition *y) {
    return x->id == y->id && x->which == y->which;
}

/* Number of conditions that two buffers have in common; `excluded`: they are on different sides of the next one. */
static uint32_t common_conditions(const struct cb_decl *a, const struct cb_decl *b, bool *excluded) {
    uint32_t n = 0;
    while (n < a->n_conditions && n < b->n_conditions && same_side(&a->conditions[n], &b->conditions[n])) n++;
    *excluded = n < a->n_conditions && n < b->n_conditions && a->conditions[n].id == b->conditions[n].id;
    return n;
}

/* A buffer that is made under one set of conditions or another keeps what they have in common, and may not be made at all. */
static void join_conditions(struct cb_decl *first, const struct cb_decl *d, uint32_t common) {
    bool both = first->n_conditions == common + 1 && d->n_conditions == common + 1 &&
                first->conditions[common].id == d->conditions[common].id && first->conditions[common].sides == 2;
    bool covered = both || first->n_conditions == common || d->n_conditions == common;
    if (!covered) first->sometimes = true;
    first->n_conditions = common;
}

/* The same call makes the same configuration again, in a loop or on another side of a branch: this is one buffer, under the
 * conditions that both have in common. Another call that makes it again makes another buffer. */
static bool is_repeat(struct interp *in, uint64_t site, const struct buffer_maker *maker, struct cb_decl *d) {
    uint64_t made = maker->made, key = key_of(d, site);
    uint32_t made_line = maker->line;
    if (maker->program) key = mix_text(key, maker->program->name); /* another program has another buffer */
    /* a buffer with an unknown index may have a different one each time */
    bool identified = d->kind != CB_CIRCULAR && d->name.len;
    for (uint32_t i = 0; i < d->n_indices; i++) identified |= d->indices[i].index >= 0;
    for (size_t i = 0; i < in->seen.len && identified; i++) {
        if (in->seen.items[i].key != key) continue;
        if (in->seen.items[i].decl >= in->out->decls.len) return true;
        struct cb_decl *first = &in->out->decls.items[in->seen.items[i].decl];
        bool excluded;
        uint32_t common = common_conditions(first, d, &excluded);
        if (in->seen.items[i].made != made && !excluded) {
            d->line = made_line;
            continue;
        }
        join_conditions(first, d, common);
        if (d->min_bytes < first->min_bytes) first->min_bytes = d->min_bytes;
        if (first->max_bytes >= 0 && (d->max_bytes < 0 || d->max_bytes > first->max_bytes)) first->max_bytes = d->max_bytes;
        return true;
    }
    for (size_t i = 0; i < in->seen.len && d->line != made_line; i++)
        if (in->seen.items[i].site == site && in->seen.items[i].made != made) d->line = made_line;
    vec_push(&in->seen, ((struct seen_site){key, site, made, in->out->decls.len}));
    return false;
}

static bool is_listed(const struct interp *in, uint64_t place) {
    for (size_t i = 0; i < in->listed.len; i++)
        if (in->listed.items[i] == place) return true;
    return false;
}

bool interp_is_listed(const struct interp *in, TSNode described) { return is_listed(in, place_of(in, described)); }

/* A static function that nothing in its file names is not part of any program. */
static bool is_unused(const struct interp *in, const struct function *f) {
    struct slice all = f->tree->text;
    if (f->calls || !slice_starts(cpp_text(f->tree, f->node), SLICE("static ")) || interp_has_type(in, f->owner)) return false;
    size_t first = slice_find(all, f->name);
    return first != SLICE_NONE && slice_find(slice_skip(all, first + f->name.len), f->name) == SLICE_NONE;
}

/* A function that is never called here and makes one buffer from its parameters is a helper for other files. */
static bool is_helper_only(const struct interp *in, const struct val_object *object, const struct cb_decl *d) {
    const struct cb_frame *f = in->frame;
    if (f && f->function && !f->up && is_unused(in, f->function)) return true;
    if (!f || !f->function || f->up || f->function->sites > 1 || f->owns_program || d->repeats) return false;
    if (object->program != f->function) return false; /* the program is made by a function it calls */
    for (uint32_t i = 0; i < d->n_indices; i++)
        if (d->indices[i].index >= 0) return false;
    return true;
}

static void keep_conditions(struct interp *in, struct cb_decl *d, const struct buffer_maker *maker) {
    size_t outside = interp_outside_program(in, maker->program), n = in->conditions.len - outside;
    d->conditions = arena_alloc(in->arena, (n + 1) * sizeof *d->conditions);
    if (n) memcpy(d->conditions, in->conditions.items + outside, n * sizeof *d->conditions);
    d->n_conditions = (uint32_t)n;
}

/* Adds the given values that a size depends on; data formats do not make it adaptive. */
static void add_sets(struct name_list *names, uint64_t sets) {
    const struct interp *in = names->in;
    for (size_t i = 0; i < in->n_sets && i < 64; i++)
        if (sets >> i & 1) add_name(names, in->sets[i].name, false);
}

/* The memory that it takes. An upper bound that does not fit 31 bits says nothing. */
static void fill_bounds(struct cb_decl *d, const struct val *total) {
    struct val_range range = total ? val_range(total) : (struct val_range){0, INT64_MAX};
    bool bounded = range.low >= 0 && range.high <= INT32_MAX;
    d->min_bytes = range.low > 0 ? range.low : 0;
    d->max_bytes = bounded ? range.high : -1;
    if (d->backed_when.len || d->maybe_global) d->min_bytes = 0;
    if (d->tensor_backed || d->global) d->min_bytes = d->max_bytes = 0;
}

static void keep(struct interp *in, const struct val_object *object, struct cb_decl *d, const struct val *total,
                 const struct buffer_maker *maker) {
    if (in->mute || (in->only_new && is_listed(in, object->place))) return;
    if (in->out->decls.len >= INTERP_MAX_DECLS) {
        interp_note_unfollowed(in, SLICE("more circular buffers than are kept"));
        return;
    }
    d->total_bytes = -1;
    d->total_folded = total ? interp_text_of(in, total) : SLICE("");
    if (total && (!val_is_num(total, &d->total_bytes) || d->total_bytes < 0)) d->total_bytes = -1;
    fill_bounds(d, total);
    d->closed = total && val_is_closed(total);
    d->line = object->line;
    /* a core can have an index only once, so a loop that makes the same index again goes over cores */
    bool index_known = true;
    for (uint32_t i = 0; i < d->n_indices; i++) index_known &= d->indices[i].index >= 0;
    d->repeats = maker->repeats && !index_known;
    if (is_repeat(in, object->site, maker, d)) return;
    if (!in->only_new && !is_listed(in, object->place)) vec_push(&in->listed, object->place);
    if (is_helper_only(in, object, d)) {
        for (size_t i = 0; i < in->out->helpers.len; i++)
            if (in->out->helpers.items[i].line == object->line && slice_equal(in->out->helpers.items[i].name, in->frame->name))
                return;
        vec_push(&in->out->helpers, ((struct cb_helper){arena_copy(in->arena, in->frame->name), d->total_folded, object->line,
                                                        d->min_bytes, d->max_bytes}));
        return;
    }
    if (d->repeats) interp_note_unfollowed(in, SLICE("a loop of unknown bounds makes circular buffers"));
    struct name_list names = {.in = in}, free_names = {.in = in}, roots = {.in = in};
    if (total) {
        add_sets(&names, total->sets);
        val_names(total, add_name, &names);
        val_names(total, add_name, &free_names);
        val_unknowns(total, add_name, &roots);
    }
    d->unknown_root = roots.len ? roots.items[0] : SLICE("");
    d->unknown = free_names.len ? free_names.items[0] : d->unknown_root;
    d->adapts_to = names.items;
    d->n_adapts_to = names.len;
    d->strategy = d->tensor_backed ? CB_TENSOR_BACKED : names.len ? CB_ADAPTIVE : CB_FIXED;
    d->program = maker->owner ? interp_program_id(in, maker->owner, maker->owner_name, maker->program)
                              : interp_program_id(in, object->program, object->function, maker->program);
    vec_push(&in->out->decls, *d);
}

/* Appends the entries of a list; {{A, B}} is {A, B} with an extra pair of braces. */
static void add_indices(struct interp *in, struct cb_decl *d, const struct val_object *object, const struct val *list,
                        unsigned depth) {
    enum { MAX_INDICES = 64 };
    if (!list || val_bare(list)->kind != VAL_LIST) return;
    const struct val_list *items = val_bare(list)->list;
    for (uint32_t i = 0; i < items->len && d->n_indices < MAX_INDICES; i++) {
        const struct val *item = val_bare(items->items[i]);
        bool nested = item->kind == VAL_LIST && item->list->len && depth < 4 &&
                      val_bare(item->list->items[0])->kind != VAL_NUM &&
                      (val_bare(item->list->items[0])->kind == VAL_OBJECT || val_bare(item->list->items[0])->kind == VAL_LIST);
        if (nested) {
            add_indices(in, d, object, item, depth + 1);
            continue;
        }
        if (!d->indices) d->indices = arena_alloc(in->arena, (MAX_INDICES + 1) * sizeof *d->indices);
        struct cb_index *index = &d->indices[d->n_indices++];
        fill_index(in, index, item);
        index->sometimes = item->kind == VAL_OBJECT && item->object->conditions > object->conditions;
        if (item->kind == VAL_OBJECT && val_object_field(item->object, SLICE("remote"))) d->global = true;
    }
}

/* Is it certainly not nullptr? */
static bool is_given(const struct val *value) {
    const struct val *bare = val_bare(value);
    return bare->kind != VAL_NULL && !(bare->kind == VAL_NUM && bare->num == 0) &&
           !(bare->kind == VAL_OP && bare->op == OP_COND);
}

/* The entries of a dataflow buffer are its pages; borrowed memory belongs to a tensor. */
static void record_dataflow(struct interp *in, const struct val_object *object, const struct buffer_maker *maker) {
    struct cb_decl d = {.kind = CB_DATAFLOW, .core_expr = SLICE(""), .backed_when = SLICE("")};
    const char *metadata = interp_field_value(object, "data_format") ? "data_format" : "data_format_metadata";
    const struct val *size = interp_field_value(object, "entry_size"), *entries = interp_field_value(object, "num_entries"),
                     *format = interp_field_value(object, metadata), *id = interp_field_value(object, "unique_id");
    const struct val *zero = val_num_of(in->arena, VAL_U32, 0);
    if (!size) size = zero;
    if (!entries) entries = zero;
    d.indices = arena_zalloc(in->arena, sizeof *d.indices);
    d.n_indices = 1;
    const struct val *entry = val_object_new(in->arena, SLICE("CBFormatDescriptor"));
    val_object_set(in->arena, entry->object, SLICE("page_size"), size)->text = interp_field_text(object, "entry_size");
    if (format && val_bare(format)->kind != VAL_NULL)
        val_object_set(in->arena, entry->object, SLICE("data_format"), format)->text = interp_field_text(object, metadata);
    fill_index(in, &d.indices[0], entry);
    d.name = shown_name(in, id, interp_field_text(object, "unique_id"), 0);
    const struct val *borrowed = interp_field_value(object, "borrowed_from");
    fill_backing(in, &d, borrowed ? borrowed : interp_field_value(object, "borrows_memory"));
    const struct val *advanced = interp_field_value(object, "advanced_options");
    const struct val *alias = advanced && val_bare(advanced)->kind == VAL_OBJECT
                                  ? interp_field_value(val_bare(advanced)->object, "alias_with")
                                  : advanced;
    if (alias) d.alias = alias_of(in, alias);
    const struct val *total = val_op2(in->arena, OP_MUL, entries, size);
    d.total_expr = interp_text_of(in, total);
    struct slice count = interp_field_text(object, "num_entries"), each = interp_field_text(object, "entry_size");
    if (count.len && each.len) d.total_expr = interp_product_text(in, count, each);
    keep_conditions(in, &d, maker);
    keep(in, object, &d, total, maker);
}

static void record_scratchpad(struct interp *in, const struct val_object *object, const struct buffer_maker *maker) {
    struct cb_decl d = {.kind = CB_SCRATCHPAD, .core_expr = SLICE(""), .backed_when = SLICE("")};
    const struct val *total = interp_field_value(object, "size_per_node");
    if (!total) total = val_num_of(in->arena, VAL_U32, 0);
    d.indices = arena_zalloc(in->arena, sizeof *d.indices);
    d.n_indices = 1;
    fill_index(in, &d.indices[0], val_null(in->arena));
    d.name = shown_name(in, interp_field_value(object, "unique_id"), interp_field_text(object, "unique_id"), 0);
    d.total_expr = interp_field_text(object, "size_per_node");
    if (!d.total_expr.len) d.total_expr = interp_text_of(in, total);
    keep_conditions(in, &d, maker);
    keep(in, object, &d, total, maker);
}

void interp_record_object(struct interp *in, const struct val_object *object, struct slice core,
                          const struct buffer_maker *maker) {
    if (slice_equal(object->type, SLICE("DataflowBufferSpec")) || slice_equal(object->type, SLICE("DataflowBufferConfig"))) {
        record_dataflow(in, object, maker);
        return;
    }
    if (slice_equal(object->type, SLICE("ScratchpadSpec"))) {
        record_scratchpad(in, object, maker);
        return;
    }
    struct cb_decl d = {.core_expr = core, .backed_when = SLICE("")};
    const struct val *total = interp_field_value(object, "total_size");
    add_indices(in, &d, object, interp_field_value(object, "format_descriptors"), 0);
    uint32_t local = d.n_indices;
    add_indices(in, &d, object, interp_field_value(object, "remote_format_descriptors"), 0);
    const struct val *global = interp_field_value(object, "global_circular_buffer");
    if (d.n_indices > local || (global && is_given(global))) d.global = true;
    d.maybe_global = global && !d.global && val_bare(global)->kind != VAL_NULL;
    if (!d.n_indices && !total) return; /* an empty descriptor, or one that only has an address */
    if (!d.n_indices) {
        d.indices = arena_alloc(in->arena, sizeof *d.indices);
        fill_index(in, &d.indices[d.n_indices++], val_null(in->arena));
    }
    const struct val *buffer = interp_field_value(object, "buffer"), *tensor = interp_field_value(object, "tensor");
    fill_backing(in, &d, buffer);
    fill_backing(in, &d, tensor);
    d.total_expr = interp_field_text(object, "total_size");
    if (!d.total_expr.len && total) d.total_expr = interp_text_of(in, total);
    if (!core.len) d.core_expr = interp_field_text(object, "core_ranges");
    const struct val *entries = interp_field_value(object, "format_descriptors");
    if (entries && val_bare(entries)->kind == VAL_LIST && val_bare(entries)->list->len) {
        const struct val *first = val_bare(val_bare(entries)->list->items[0]);
        if (first->kind == VAL_OBJECT) d.name = interp_role_of(interp_field_text(first->object, "buffer_index"));
    }
    keep_conditions(in, &d, maker);
    keep(in, object, &d, total, maker);
}

struct buffer_maker interp_maker_of(struct interp *in, TSNode call) {
    struct buffer_maker maker = {
        .made = interp_site_of(in, call), .line = cpp_line(call), .repeats = in->open_loops > in->program_loops};
    interp_maker_program(in, &maker, interp_program_of(in, call));
    const struct cb_frame *program;
    interp_naming_frame(in, &maker.line, &program);
    return maker;
}

void interp_record_config(struct interp *in, const struct val *config, struct slice core_expr, TSNode by) {
    config = val_bare(config);
    struct buffer_maker maker = interp_maker_of(in, by);
    if (config->kind == VAL_OBJECT) interp_record_object(in, config->object, core_expr, &maker);
}

const struct val *interp_handle(struct interp *in, size_t before) {
    if (in->mute || in->out->decls.len != before + 1) return val_free(in->arena, SLICE("cb_handle"));
    const struct val *handle = val_object_new(in->arena, SLICE("CBHandle"));
    val_object_set(in->arena, handle->object, SLICE("buffer"), val_num(in->arena, (int64_t)before));
    return handle;
}

/* UpdateCircularBufferTotalSize: the buffer has, or may have, another size from then on. */
void interp_change_total(struct interp *in, const struct val *handle, const struct val *total, struct slice text) {
    const struct val *bare = val_bare(handle);
    const struct val *buffer = bare->kind == VAL_OBJECT ? interp_field_value(bare->object, "buffer") : NULL;
    int64_t at;
    if (in->mute || (bare->kind == VAL_FREE && bare->given)) return;
    if (!buffer || !val_is_num(buffer, &at) || at < 0 || (size_t)at >= in->out->decls.len) {
        if (in->seen.len) interp_note_unfollowed(in, SLICE("the size of a circular buffer is changed"));
        return;
    }
    struct cb_decl *d = &in->out->decls.items[at], old = *d;
    d->total_bytes = -1;
    if (!val_is_num(total, &d->total_bytes) || d->total_bytes < 0) d->total_bytes = -1;
    d->total_folded = interp_text_of(in, total);
    d->total_expr = text;
    d->closed = val_is_closed(total);
    fill_bounds(d, total);
    if (old.n_conditions >= in->conditions.len && !in->open_loops) return;
    if (old.min_bytes < d->min_bytes) d->min_bytes = old.min_bytes;
    if (d->max_bytes >= 0 && (old.max_bytes < 0 || old.max_bytes > d->max_bytes)) d->max_bytes = old.max_bytes;
    if (old.total_bytes != d->total_bytes) d->total_bytes = -1;
    d->closed = false;
}

void interp_note_unread(struct interp *in, TSNode node, struct slice reason) {
    interp_note_unfollowed(in, reason);
    if (in->mute) return;
    uint32_t line = cpp_line(node);
    const struct cb_frame *program;
    interp_naming_frame(in, &line, &program);
    for (size_t i = 0; i < in->out->unread.len; i++)
        if (in->out->unread.items[i].line == line) return;
    vec_push(&in->out->unread, ((struct cb_unread){line, reason}));
}

void interp_note_unfollowed(struct interp *in, struct slice reason) {
    if (in->mute) return;
    const struct cb_frame *program = NULL;
    uint32_t line = 0;
    interp_naming_frame(in, &line, &program);
    uint32_t at = program ? interp_program_id(in, program->program_key, program->name, NULL) : 0;
    if (program) in->out->programs.items[at].open = true;
    else in->out->partial_everywhere = true;
    in->out->partial = true;
    if (!in->out->partial_reason.len) in->out->partial_reason = reason;
}

void interp_record_simple(struct interp *in, TSNode call, const struct val *index, struct slice index_text,
                          const struct val *total, struct slice total_text, const struct val *page, struct slice page_text,
                          const struct val *format, struct slice format_text, struct slice core, const struct val *buffer) {
    const struct val *object = val_object_new(in->arena, SLICE("CircularBufferConfig"));
    interp_stamp(in, object->object, call);
    val_object_set(in->arena, object->object, SLICE("total_size"), total)->text = total_text;
    const struct val *entries = val_list_new(in->arena), *list = val_bare(index);
    bool several = list->kind == VAL_LIST;
    for (uint32_t i = 0; i < (several ? list->list->len : 1); i++) {
        const struct val *entry = val_object_new(in->arena, SLICE("CBFormatDescriptor"));
        val_object_set(in->arena, entry->object, SLICE("buffer_index"), several ? list->list->items[i] : index)->text =
            index_text;
        val_object_set(in->arena, entry->object, SLICE("data_format"), format)->text = format_text;
        val_object_set(in->arena, entry->object, SLICE("page_size"), page)->text = page_text;
        val_list_add(in->arena, entries->list, entry);
    }
    val_object_set(in->arena, object->object, SLICE("format_descriptors"), entries);
    if (buffer) val_object_set(in->arena, object->object, SLICE("buffer"), buffer);
    interp_record_config(in, object, core, call);
}
