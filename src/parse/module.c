/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/table/hash.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "parse/location.h"
#include "parse/location_key.h"
#include "parse/log.h"
#include "parse/mlir_scan.h"

/* Alias numbers end here; copies of streamed location names stop at PLACE_BYTES. */
enum { MAX_PLACES = 1 << 30, PLACE_BYTES = 24 << 20, MAX_CHAIN = 200 };

const char *const role_names[] = {"unknown", "input", "parameter", "constant"};

uint64_t sequence_key(uint64_t running, uint64_t key) { return hash_mix(running + 1, key); }

static struct slice keep(struct module_text *m, struct slice s) { return m->lines_stay ? s : arena_copy(&m->arena, s); }

/* "#loc12" -> 13, "#loc" -> 0 after +1; false for other aliases. */
static bool place_number(struct slice alias, uint32_t *number) {
    if (!slice_starts(alias, SLICE("#loc"))) return false;
    uint64_t n = 0;
    struct slice digits = slice_skip(alias, 4);
    if (digits.len && (num_read_u64(digits, &n) != digits.len || n >= MAX_PLACES)) return false;
    *number = digits.len ? (uint32_t)n + 1 : 0;
    return true;
}

/* "#loc5 = loc("dot.12_weight"(#loc3))" */
static void on_place(struct module_text *m, struct slice alias, struct slice value) {
    uint32_t number;
    if (!m->wants_ops || !place_number(alias, &number) || !slice_starts(value, SLICE("loc("))) return;
    if (!m->lines_stay && m->arena.total > PLACE_BYTES) return;
    vec_push(&m->places, ((struct module_place){number, (uint32_t)m->places.len, keep(m, mlir_inside(slice_skip(value, 3)))}));
}

/* The text after `key` up to one of `stops`, or empty. */
static struct slice value_of(struct slice s, struct slice key, const char *stops) {
    size_t at = slice_find(s, key);
    if (at == SLICE_NONE) return slice_of(s.ptr, 0);
    s = slice_skip(s, at + key.len);
    size_t end = 0;
    while (end < s.len && !strchr(stops, s.ptr[end])) end++;
    return slice_take(s, end);
}

enum { MOST_BANKS = 1024 };

static void on_system(struct module_text *m, struct slice value) {
    m->arch = keep(m, value_of(value, SLICE("arch = <"), ">"));
    uint64_t n, sides[2] = {0, 0};
    struct slice text = value_of(value, SLICE("noc_dram_address_align_bytes = "), ",");
    if (text.len && num_read_u64(text, &n) && n <= 4096) m->dram_align = n;
    text = value_of(value, SLICE("num_dram_channels = "), ",");
    if (text.len && num_read_u64(text, &n) && n <= MOST_BANKS) m->dram_banks = n;
    text = value_of(value, SLICE(", grid = "), ","); /* of the cores that programs run on: each is a bank of L1 */
    size_t digits = num_read_u64(text, &sides[0]);
    if (digits && digits < text.len) num_read_u64(slice_skip(text, digits + 1), &sides[1]);
    if (sides[0] <= MOST_BANKS && sides[1] <= MOST_BANKS) m->l1_banks = sides[0] * sides[1];
}

static void on_alias(struct module_text *m, struct slice line) {
    size_t equals = slice_find_byte(line, '=');
    if (equals == SLICE_NONE || equals < 2 || equals + 2 > line.len) return;
    equals--; /* the space before it */
    struct slice alias = slice_take(line, equals), value = slice_skip(line, equals + 3);
    if (slice_starts(alias, SLICE("#loc"))) on_place(m, alias, value);
    else if (slice_find(value, SLICE("system_desc<")) != SLICE_NONE) on_system(m, value);
    else if (m->wants_ops && slice_starts(value, SLICE("#ttnn.ttnn_")))
        vec_push(&m->layouts, ((struct module_alias){keep(m, alias), keep(m, value)}));
}

/* "... ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>": the digits after the last " = ". Before 2025-06 the system
 * description was written out here; later it is an alias. */
static void on_module_head(struct module_text *m, struct slice line) {
    if (!m->symbol.len) m->symbol = keep(m, value_of(line, SLICE("module @"), " {"));
    if (!m->arch.len && slice_find(line, SLICE("system_desc<")) != SLICE_NONE) on_system(m, line);
    size_t at = slice_find(line, SLICE(".meshes<["));
    if (at == SLICE_NONE || m->mesh.len) return;
    m->mesh = keep(m, value_of(slice_skip(line, at), SLICE("\" = "), ">,"));
}

static enum argument_role role_of(struct slice attributes) {
    struct slice word = value_of(attributes, SLICE("argument_type<"), ">");
    for (size_t i = 1; i < 4; i++)
        if (slice_equal(word, slice_from(role_names[i]))) return (enum argument_role)i;
    return ROLE_UNKNOWN;
}

/* A quoted string after `key`, escapes decoded. */
static struct slice string_of(struct module_text *m, struct slice s, struct slice key) {
    size_t at = slice_find(s, key);
    if (at == SLICE_NONE) return slice_of("", 0);
    struct strbuf text = {0};
    const char *quote = s.ptr + at + key.len,
               *past = quote < s.ptr + s.len && *quote == '"' ? mlir_skip_group(quote, s.ptr + s.len) : NULL;
    if (past) location_display(&text, slice_between(quote, past));
    struct slice kept = arena_copy(&m->arena, strbuf_slice(&text));
    strbuf_release(&text);
    return kept;
}

/* The type in "local_shape = tensor<...>", in either form of the attribute. */
static struct slice local_type_of(struct module_text *m, struct slice attributes) {
    size_t at = slice_find(attributes, SLICE("local_shape = tensor<"));
    if (at == SLICE_NONE) return slice_of("", 0);
    const char *start = attributes.ptr + at + 14, *end = attributes.ptr + attributes.len;
    const char *open = start + 6, *past = mlir_skip_group(open, end);
    return past ? keep(m, slice_between(start, past)) : slice_of("", 0);
}

bool module_argument_parse(struct module_text *m, struct slice item, struct module_argument *out) {
    struct module_argument argument = {.number = (uint32_t)(m->arguments.len)};
    uint64_t n;
    size_t colon = slice_find(item, SLICE(": "));
    if (colon == SLICE_NONE) return false;
    if (slice_starts(item, SLICE("%arg")) && num_read_u64(slice_skip(item, 4), &n) && n < UINT32_MAX)
        argument.number = (uint32_t)n;
    struct slice rest = slice_skip(item, colon + 2), attributes = slice_of("", 0), place = slice_of("", 0);
    const char *end = rest.ptr + rest.len, *p = mlir_find(rest.ptr, end, " ");
    argument.type = keep(m, slice_between(rest.ptr, p));
    while (p < end && *p == ' ') p++;
    if (p < end && *p == '{') {
        const char *past = mlir_skip_group(p, end);
        attributes = slice_between(p + 1, past ? past - 1 : end);
        p = past ? past : end;
    }
    size_t loc = slice_find(slice_between(p, end), SLICE("loc("));
    if (loc != SLICE_NONE) place = mlir_inside(slice_trim(slice_between(p + loc + 3, end)));
    argument.role = role_of(attributes);
    argument.kv_cache = slice_find(attributes, SLICE("ttcore.kv_cache")) != SLICE_NONE;
    argument.name = string_of(m, attributes, SLICE("ttir.name = "));
    if (!argument.name.len) {
        struct strbuf text = {0};
        location_display(&text, place);
        argument.name = arena_copy(&m->arena, strbuf_slice(&text));
        strbuf_release(&text);
    }
    argument.local_type = local_type_of(m, attributes);
    *out = argument;
    return true;
}

static void on_argument(struct module_text *m, struct slice item) {
    struct module_argument argument;
    if (module_argument_parse(m, item, &argument)) vec_push(&m->arguments, argument);
}

/* "func.func [public|private] @name(args) -> types attributes {...} {" */
static void on_function(struct module_text *m, struct slice line, size_t indent) {
    const char *end = line.ptr + line.len, *at = memchr(line.ptr, '@', line.len);
    const char *open = at ? memchr(at, '(', (size_t)(end - at)) : NULL;
    if (!open || !slice_ends(line, SLICE("{"))) return; /* a declaration has no body */
    const char *past = mlir_skip_group(open, end);
    struct module_function function = {.name = keep(m, slice_between(at + 1, open)),
                                       .first_argument = (uint32_t)m->arguments.len,
                                       .first_op = (uint32_t)m->ops.len};
    struct slice tail = slice_between(past ? past : end, end);
    bool helper = slice_find(tail, SLICE("const_eval")) != SLICE_NONE || slice_find(tail, SLICE("forward_cpu")) != SLICE_NONE;
    if (past && !helper) {
        struct slice list = slice_between(open + 1, past - 1), item;
        while (mlir_next_item(&list, &item)) on_argument(m, item);
        function.has_signature = true;
    }
    function.argument_count = (uint32_t)m->arguments.len - function.first_argument;
    vec_push(&m->functions, function);
    m->in_function = true;
    m->function_indent = indent;
}

/* Name and result of an op without reading the rest of its line. */
static bool op_head(struct slice line, struct slice *result, struct slice *name) {
    *result = slice_of("", 0);
    if (line.ptr[0] == '%') {
        size_t equals = slice_find_byte(slice_take(line, 64), '=');
        if (equals == SLICE_NONE || equals < 2 || equals + 2 > line.len) return false;
        equals--; /* the space before it */
        *result = slice_take(line, equals);
        size_t colon = slice_find_byte(*result, ':');
        *result = slice_take(*result, colon == SLICE_NONE ? result->len : colon);
        line = slice_skip(line, equals + 3);
    }
    if (!line.len) return false;
    bool quoted = line.ptr[0] == '"';
    if (quoted) line = slice_skip(line, 1);
    size_t end = 0;
    while (end < line.len && line.ptr[end] != '"' && line.ptr[end] != '(' && line.ptr[end] != ' ' && line.ptr[end] != '<' &&
           line.ptr[end] != '{')
        end++;
    *name = slice_take(line, end);
    if (!quoted && slice_equal(*name, SLICE("call"))) *name = SLICE("func.call"); /* dumps omit the dialect */
    return name->len > 0 && (quoted || memchr(name->ptr, '.', name->len));
}

static void on_op(struct module_text *m, struct slice line) {
    struct slice result, name;
    if (!op_head(line, &result, &name)) return;
    struct module_op op = {.key = op_key(name, result), .line = m->lines};
    const char *end = line.ptr + line.len;
    const char *loc = line.len > 5 && end[-1] == ')' ? memrchr(line.ptr, '(', line.len) : NULL;
    uint32_t number;
    if (loc && loc - line.ptr >= 4 && memcmp(loc - 4, " loc", 4) == 0 &&
        place_number(slice_between(loc + 1, end - 1), &number)) {
        op.alias = number + 1;
    } else {
        size_t at = SLICE_NONE;
        for (const char *p = end; p - line.ptr > 5 && at == SLICE_NONE; p--)
            if (p[-1] == '(' && memcmp(p - 5, " loc", 4) == 0) at = (size_t)(p - line.ptr);
        struct slice place = slice_skip(line, at);
        if (slice_ends(place, SLICE(")"))) place.len--;
        op.place = location_key(place, NULL);
    }
    vec_push(&m->ops, op);
    vec_last(&m->functions).op_count++;
}

/* "return %5, %7#1 : tensor<...>, ..." */
static void on_return(struct module_text *m, struct slice line) {
    struct module_function *f = &vec_last(&m->functions);
    struct slice values = slice_take(line, slice_find(line, SLICE(" :")));
    f->first_result = (uint32_t)m->results.len;
    for (size_t at; (at = slice_find_byte(values, '%')) < values.len;) {
        values = slice_skip(values, at);
        size_t end = 1;
        while (end < values.len && values.ptr[end] != ',' && values.ptr[end] != ' ' && values.ptr[end] != '#') end++;
        vec_push(&m->results, value_code(slice_take(values, end)));
        values = slice_skip(values, end);
    }
    f->result_count = (uint32_t)m->results.len - f->first_result;
}

bool module_line(struct module_text *m, struct slice line) {
    size_t indent = 0;
    m->lines++;
    while (indent < line.len && line.ptr[indent] == ' ') indent++;
    struct slice text = slice_skip(line, indent);
    while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t')) text.len--;
    if (!text.len) return !m->body_closed;
    if (text.ptr[0] == '#') on_alias(m, text);
    else if (m->body_closed) return false;
    else if (slice_starts(text, SLICE("func.func"))) on_function(m, text, indent);
    else if (slice_starts(text, SLICE("module")) || slice_starts(text, SLICE("builtin.module"))) {
        m->body_seen = true;
        on_module_head(m, text);
    } else if (text.ptr[0] == '}') {
        if (m->in_function && indent <= m->function_indent) m->in_function = false;
        if (indent == 0 && m->body_seen) m->body_closed = true;
    } else if (m->in_function && m->wants_ops && indent == m->function_indent + 2) {
        if (slice_starts(text, SLICE("return "))) on_return(m, text);
        else on_op(m, text);
    }
    return true;
}

const struct module_function *module_main(const struct module_text *m) {
    const struct module_function *first = NULL;
    for (size_t i = 0; i < m->functions.len; i++) {
        const struct module_function *f = &m->functions.items[i];
        if (!f->has_signature) continue;
        if (slice_equal(f->name, SLICE("main"))) return f;
        if (!first) first = f;
    }
    return first;
}

struct slice module_full_type(struct module_text *m, struct slice type) {
    size_t at = slice_find(type, SLICE(", #"));
    if (at == SLICE_NONE || !slice_ends(type, SLICE(">"))) return type;
    struct slice alias = slice_of(type.ptr + at + 2, type.len - at - 3);
    for (size_t i = 0; i < m->layouts.len; i++) {
        if (!slice_equal(m->layouts.items[i].name, alias)) continue;
        struct strbuf text = {0};
        strbuf_add(&text, slice_take(type, at + 2));
        strbuf_add(&text, m->layouts.items[i].text);
        strbuf_addc(&text, '>');
        struct slice full = arena_copy(&m->arena, strbuf_slice(&text));
        strbuf_release(&text);
        return full;
    }
    return type;
}

struct resolve {
    struct module_text *module;
    uint64_t *keys;
    unsigned char *state; /* 0 open, 1 in progress, 2 done */
    unsigned depth;
};

static int lower_number_first(const void *a, const void *b) {
    const struct module_place *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Index of the location with this number in the sorted list, the last one if it was given again; the length if there is
 * none. */
static size_t place_index(const struct module_text *m, uint32_t number) {
    size_t low = 0, high = m->places.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->places.items[middle].number <= number) low = middle + 1;
        else high = middle;
    }
    return low && m->places.items[low - 1].number == number ? low - 1 : m->places.len;
}

static uint64_t resolve_place(void *context, struct slice alias) {
    struct resolve *r = context;
    uint32_t number;
    if (!place_number(alias, &number)) return 0;
    size_t at = place_index(r->module, number);
    if (at == r->module->places.len || r->state[at] == 1) return 0;
    if (r->state[at] == 0 && r->depth < MAX_CHAIN) {
        struct location_aliases aliases = {r, resolve_place};
        r->state[at] = 1;
        r->depth++;
        r->keys[at] = location_key(r->module->places.items[at].text, &aliases);
        r->depth--;
        r->state[at] = 2;
    }
    return r->keys[at];
}

void module_finish(struct module_text *m) {
    if (m->places.len) qsort(m->places.items, m->places.len, sizeof *m->places.items, lower_number_first);
    struct resolve r = {m, mem_zalloc(m->places.len + 1, sizeof *r.keys), mem_zalloc(m->places.len + 1, 1), 0};
    struct location_aliases aliases = {&r, resolve_place};
    vec_reserve(&m->prefix, m->ops.len);
    vec_reserve(&m->place_prefix, m->ops.len);
    for (size_t f = 0; f < m->functions.len; f++) {
        uint64_t running = 0, placed = 0;
        const struct module_function *function = &m->functions.items[f];
        for (uint32_t i = 0; i < function->op_count; i++) {
            struct module_op *op = &m->ops.items[function->first_op + i];
            if (op->alias) {
                char name[32] = "#loc";
                size_t len = 4 + (op->alias > 1 ? num_write_u64(name + 4, op->alias - 2) : 0);
                op->place = aliases.find(aliases.context, slice_of(name, len));
            }
            running = sequence_key(running, op->key);
            placed = sequence_key(placed, hash_mix(op->key, op->place));
            vec_push(&m->prefix, running);
            vec_push(&m->place_prefix, placed);
        }
    }
    free(r.keys);
    free(r.state);
    vec_release(&m->places);
}

void module_release(struct module_text *m) {
    arena_release(&m->arena);
    vec_release(&m->arguments);
    vec_release(&m->ops);
    vec_release(&m->functions);
    vec_release(&m->results);
    vec_release(&m->places);
    vec_release(&m->layouts);
    vec_release(&m->prefix);
    vec_release(&m->place_prefix);
}
