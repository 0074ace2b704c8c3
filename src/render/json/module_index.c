/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/module_index.h"

#include "base/num.h"
#include "model/module_lines.h"
#include "parse/location.h"
#include "parse/mlir_scan.h"

/* Location aliases of a module by number; #loc is 0, #locN is N + 1. */
struct aliases {
    VEC(struct slice) texts;
};

static bool alias_number(struct slice alias, size_t *number) {
    uint64_t n = 0;
    if (!slice_starts(alias, SLICE("#loc"))) return false;
    struct slice digits = slice_skip(alias, 4);
    if (digits.len && (num_read_u64(digits, &n) != digits.len || n > 1 << 26)) return false;
    *number = digits.len ? (size_t)n + 1 : 0;
    return true;
}

static struct slice find_alias(void *context, struct slice alias) {
    const struct aliases *aliases = context;
    size_t number;
    if (!alias_number(alias, &number) || number >= aliases->texts.len) return slice_of("", 0);
    return aliases->texts.items[number];
}

/* Lines of a dump in a log, or of plain text. */
struct line_source {
    const struct module *module; /* NULL: plain text */
    struct slice text;           /* or the log */
    struct module_lines lines;
    struct slice rest;
};

static void lines_start(struct line_source *source) {
    if (source->module) module_lines_init(&source->lines, source->module, source->text);
    source->rest = source->text;
}

static bool lines_next(struct line_source *source, struct slice *line) {
    if (source->module) return module_lines_next(&source->lines, line);
    if (!source->rest.len) return false;
    size_t lf = slice_find_byte(source->rest, '\n');
    *line = slice_take(source->rest, lf);
    source->rest = lf == SLICE_NONE ? slice_of("", 0) : slice_skip(source->rest, lf + 1);
    return true;
}

static void lines_end(struct line_source *source) {
    if (source->module) module_lines_release(&source->lines);
}

static void collect_aliases(struct line_source *source, struct aliases *aliases, struct arena *arena) {
    struct slice line;
    lines_start(source);
    while (lines_next(source, &line)) {
        size_t number, equals = slice_starts(line, SLICE("#loc")) ? slice_find(line, SLICE(" = loc(")) : SLICE_NONE;
        if (equals == SLICE_NONE || !alias_number(slice_take(line, equals), &number)) continue;
        while (aliases->texts.len <= number) vec_push(&aliases->texts, slice_of("", 0));
        aliases->texts.items[number] = arena_copy(arena, mlir_inside(slice_trim(slice_skip(line, equals + 6))));
    }
    lines_end(source);
}

/* An op's line without its indentation begins with its result or its quoted name. */
static bool is_op_line(struct slice line) {
    if (!line.len) return false;
    return line.ptr[0] == '"' || (line.ptr[0] == '%' && slice_find(line, SLICE(" = ")) != SLICE_NONE);
}

/* The location that closes a line, inside loc( ); or empty. */
static struct slice line_location(struct slice line) {
    if (line.ptr[line.len - 1] != ')') return slice_of("", 0);
    for (size_t i = line.len; i > 5; i--)
        if (line.ptr[i - 1] == '(' && memcmp(line.ptr + i - 5, " loc", 4) == 0) return slice_of(line.ptr + i, line.len - i - 1);
    return slice_of("", 0);
}

/* "func.func private @main_const_eval_0(" -> main_const_eval_0. */
static bool function_name(struct slice line, struct slice *name) {
    if (!slice_starts(line, SLICE("func.func "))) return false;
    size_t at = slice_find_byte(line, '@');
    if (at == SLICE_NONE) return false;
    *name = slice_skip(line, at + 1);
    *name = slice_take(*name, slice_find_byte(*name, '('));
    return true;
}

/* "%5 = "ttnn.add"(...)", "%5:2 = ttir.max_pool ..." and ""ttnn.deallocate"(%5)" -> value and name of the op. */
static void read_head(struct slice text, struct ir_line *line) {
    size_t equals = text.ptr[0] == '%' ? slice_find(text, SLICE(" = ")) : SLICE_NONE;
    line->value = slice_of("", 0);
    if (equals != SLICE_NONE) {
        line->value = slice_take(text, equals);
        size_t colon = slice_find_byte(line->value, ':');
        if (colon != SLICE_NONE) line->value = slice_take(line->value, colon);
        text = slice_skip(text, equals + 3);
    }
    if (text.len && text.ptr[0] == '"') text = slice_skip(text, 1);
    size_t end = 0;
    while (end < text.len && !strchr("\" (<{", text.ptr[end])) end++;
    line->op = slice_take(text, end);
    size_t open = line->value.len ? SLICE_NONE : slice_find(text, SLICE("(%"));
    if (open == SLICE_NONE) return;
    struct slice operand = slice_skip(text, open + 1);
    for (end = 0; end < operand.len && !strchr(",) :#", operand.ptr[end]);) end++;
    line->value = slice_take(operand, end);
}

static uint64_t index_lines(struct line_source *source, ir_line_fn *entry, void *context) {
    struct arena arena = {0};
    struct aliases aliases = {0};
    struct slice text, function;
    struct strbuf name = {0}, inside = {0};
    struct ir_line line = {0};
    collect_aliases(source, &aliases, &arena);
    struct location_names names = {&aliases, find_alias};
    lines_start(source);
    while (lines_next(source, &text)) {
        line.number++;
        text = slice_trim(text);
        if (function_name(text, &function)) {
            strbuf_clear(&inside);
            strbuf_add(&inside, function);
            continue;
        }
        if (!is_op_line(text)) continue;
        strbuf_clear(&name);
        struct slice location = line_location(text);
        if (location.len) location_display_with(&name, location, &names);
        line.location = strbuf_slice(&name);
        line.function = strbuf_slice(&inside);
        read_head(text, &line);
        entry(context, &line);
    }
    lines_end(source);
    strbuf_release(&name);
    strbuf_release(&inside);
    vec_release(&aliases.texts);
    arena_release(&arena);
    return line.number;
}

uint64_t module_index(const struct module *module, struct slice log, ir_line_fn *entry, void *context) {
    struct line_source source = {.module = module, .text = log};
    return index_lines(&source, entry, context);
}

uint64_t module_text_index(struct slice text, ir_line_fn *entry, void *context) {
    struct line_source source = {.text = text};
    return index_lines(&source, entry, context);
}
