#include "render/module_index.h"

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

static void collect_aliases(const struct module *module, struct slice log, struct aliases *aliases, struct arena *arena) {
    struct module_lines lines;
    struct slice line;
    module_lines_init(&lines, module, log);
    while (module_lines_next(&lines, &line)) {
        size_t number, equals = slice_starts(line, SLICE("#loc")) ? slice_find(line, SLICE(" = loc(")) : SLICE_NONE;
        if (equals == SLICE_NONE || !alias_number(slice_take(line, equals), &number)) continue;
        while (aliases->texts.len <= number) vec_push(&aliases->texts, slice_of("", 0));
        aliases->texts.items[number] = arena_copy(arena, mlir_inside(slice_trim(slice_skip(line, equals + 6))));
    }
    module_lines_release(&lines);
}

/* The location that closes an op's line, inside loc( ); empty when there is none. */
static struct slice line_location(struct slice line) {
    line = slice_trim(line);
    if (!line.len || (line.ptr[0] != '%' && line.ptr[0] != '"') || line.ptr[line.len - 1] != ')') return slice_of("", 0);
    for (size_t i = line.len; i > 5; i--)
        if (line.ptr[i - 1] == '(' && memcmp(line.ptr + i - 5, " loc", 4) == 0) return slice_of(line.ptr + i, line.len - i - 1);
    return slice_of("", 0);
}

/* "%5 = "ttnn.add"(...)" and "%5:2 = ttir.max_pool ..." -> value and name of the op. */
static void read_head(struct slice text, struct ir_line *line) {
    text = slice_trim(text);
    size_t equals = text.len && text.ptr[0] == '%' ? slice_find(text, SLICE(" = ")) : SLICE_NONE;
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
}

uint64_t module_index(const struct module *module, struct slice log, void (*entry)(void *context, const struct ir_line *line),
                      void *context) {
    struct arena arena = {0};
    struct aliases aliases = {0};
    struct module_lines lines;
    struct slice text;
    struct strbuf name = {0};
    struct ir_line line = {0};
    collect_aliases(module, log, &aliases, &arena);
    struct location_names names = {&aliases, find_alias};
    module_lines_init(&lines, module, log);
    while (module_lines_next(&lines, &text)) {
        line.number++;
        struct slice location = line_location(text);
        if (!location.len) continue;
        strbuf_clear(&name);
        location_display_with(&name, location, &names);
        if (!name.len) continue;
        line.location = strbuf_slice(&name);
        read_head(text, &line);
        entry(context, &line);
    }
    module_lines_release(&lines);
    strbuf_release(&name);
    vec_release(&aliases.texts);
    arena_release(&arena);
    return line.number;
}
