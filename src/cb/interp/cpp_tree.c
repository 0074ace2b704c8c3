/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/interp/cpp_tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- limit on parsing ---
 * Counts the memory that the parser allocates and the text that it reads, never time: the same text
 * gives the same result on any machine at any load. All work of tree-sitter beyond one step per token comes with one of the
 * two. */

enum { READ_BYTES = 4096, WORK_READ = 512, WORK_ALLOCATION = 64, WORK_BASE = 4 << 20, WORK_PER_BYTE = 400 };

static _Thread_local struct {
    uint64_t left;
    size_t is_out; /* tree-sitter checks it every 100 steps */
} work;

static void spend(uint64_t amount) {
    if (work.left > amount) {
        work.left -= amount;
    } else {
        work.left = 0;
        work.is_out = 1;
    }
}

static void *counted_malloc(size_t size) {
    spend(WORK_ALLOCATION + size);
    return mem_alloc(size ? size : 1);
}

static void *counted_calloc(size_t n, size_t size) {
    spend(WORK_ALLOCATION + n * size);
    return mem_zalloc(n ? n : 1, size ? size : 1);
}

static void *counted_realloc(void *old, size_t size) {
    spend(WORK_ALLOCATION + size);
    return mem_resize(old, size ? size : 1, 1);
}

static const char *read_piece(void *text, uint32_t at, TSPoint place, uint32_t *len) {
    (void)place;
    const struct slice *all = text;
    spend(WORK_READ);
    *len = at < all->len ? (uint32_t)(all->len - at < READ_BYTES ? all->len - at : READ_BYTES) : 0;
    return *len ? all->ptr + at : "";
}

const TSLanguage *tree_sitter_cpp(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint8_t kind_of_symbol[UINT16_MAX + 1];
static TSFieldId field_ids[CPP_FIELD_COUNT];

/* Several symbols of the grammar can share one name (aliases), so the tables cover all of them. */
static void init_tables(void) {
    static const char *const kinds[] = {[CPP_other] = "",
#define X(name) [CPP_##name] = #name,
                                        CPP_KINDS(X)
#undef X
    };
    static const char *const fields[] = {
#define X(name) [CPP_FIELD_##name] = #name,
        CPP_FIELDS(X)
#undef X
    };
    ts_set_allocator(counted_malloc, counted_calloc, counted_realloc, free);
    const TSLanguage *language = tree_sitter_cpp();
    uint32_t symbols = ts_language_symbol_count(language);
    for (uint32_t s = 0; s < symbols; s++) {
        if (ts_language_symbol_type(language, (TSSymbol)s) == TSSymbolTypeAuxiliary) continue;
        const char *name = ts_language_symbol_name(language, (TSSymbol)s);
        for (unsigned k = 1; k < CPP_KIND_COUNT; k++)
            if (strcmp(kinds[k], name) == 0) kind_of_symbol[s] = (uint8_t)k;
    }
    for (unsigned f = 0; f < CPP_FIELD_COUNT; f++)
        field_ids[f] = ts_language_field_id_for_name(language, fields[f], (uint32_t)strlen(fields[f]));
}

/* --- limit on nesting ---
 * tree-sitter 0.20 counts the depth of its stack in 16 bits and corrupts memory beyond that. The
 * stack grows with open brackets, with the tokens of an unfinished statement, and with chains of else and #if; this limits
 * their sum far below that depth. */

enum { MAX_PENDING = 20000, CHAIN_WEIGHT = 6, MAX_BLOCKS = 256 };

struct tree_walk {
    const char *p, *end;
    size_t brackets, pending, chains;
    size_t blocks;             /* open braces */
    size_t parens[MAX_BLOCKS]; /* open parentheses per block: a statement can end where there are none */
};

static size_t *parens_here(struct tree_walk *w) { return &w->parens[w->blocks < MAX_BLOCKS ? w->blocks : MAX_BLOCKS - 1]; }

/* Moves past a string, character or comment that starts here; false if none does. */
static bool skip_quoted(struct tree_walk *w) {
    const char *p = w->p;
    size_t left = (size_t)(w->end - p);
    if (*p == 'R' && left > 2 && p[1] == '"') { /* R"mark( ... )mark" */
        const char *open = memchr(p, '(', left < 20 ? left : 20);
        char mark[24] = ")";
        if (!open) return false;
        size_t len = (size_t)(open - p - 2);
        memcpy(mark + 1, p + 2, len);
        mark[len + 1] = '"';
        const char *close = memmem(open, (size_t)(w->end - open), mark, len + 2);
        w->p = close ? close + len + 2 : w->end;
        return true;
    }
    if (*p == '"' || *p == '\'') {
        const char quote = *p++;
        while (p < w->end && *p != quote && *p != '\n') p += *p == '\\' && p + 1 < w->end ? 2 : 1;
        w->p = p < w->end ? p + 1 : w->end;
        return true;
    }
    if (left < 2 || p[0] != '/' || (p[1] != '/' && p[1] != '*')) return false;
    const char *end = p[1] == '/' ? memchr(p, '\n', left) : memmem(p + 2, left - 2, "*/", 2);
    w->p = end ? end + (p[1] == '/' ? 1 : 2) : w->end;
    return true;
}

static bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }

static void step_word(struct tree_walk *w) {
    const char *start = w->p;
    bool number = *start >= '0' && *start <= '9'; /* 10'000: not a quote */
    while (w->p < w->end && (is_word(*w->p) || (number && *w->p == '\'' && w->p + 1 < w->end && is_word(w->p[1])))) w->p++;
    struct slice word = slice_between(start, w->p);
    if (slice_equal(word, SLICE("else"))) w->chains++;
    w->pending++;
}

static void step_mark(struct tree_walk *w) {
    char c = *w->p++;
    w->pending++;
    size_t *parens = parens_here(w);
    if (c == '(' || c == '[') {
        w->brackets++;
        ++*parens;
    } else if (c == ')' || c == ']') {
        w->brackets -= w->brackets > 0;
        *parens -= *parens > 0;
    } else if (c == '{') {
        w->brackets++;
        w->blocks++;
        if (w->blocks < MAX_BLOCKS) *parens_here(w) = 0;
    } else if (c == '}') {
        w->brackets -= w->brackets > 0;
        w->blocks -= w->blocks > 0;
    } else if (c == '#') {
        w->chains += w->end - w->p >= 2 && memcmp(w->p, "if", 2) == 0;
    }
    if ((c == ';' || c == '}') && !*parens_here(w)) w->pending = 0;
}

struct cpp_shape cpp_measure(struct slice text) {
    struct tree_walk w = {.p = text.ptr, .end = text.ptr + text.len};
    if (text.len > CPP_MAX_BYTES) return (struct cpp_shape){0};
    while (w.p < w.end) {
        char c = *w.p;
        bool may_quote = c == '"' || c == '\'' || c == '/' || c == 'R';
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') w.p++;
        else if (may_quote && skip_quoted(&w)) w.pending++;
        else if (is_word(c)) step_word(&w);
        else step_mark(&w);
        if (w.pending + 2 * w.brackets + CHAIN_WEIGHT * w.chains > MAX_PENDING) return (struct cpp_shape){0};
    }
    return (struct cpp_shape){.tame = true, .open_braces = w.blocks};
}

void cpp_tree_prepare(void) { pthread_once(&once, init_tables); }

bool cpp_tree_parse(struct cpp_tree *tree, struct slice text) { return cpp_tree_parse_measured(tree, text, cpp_measure(text)); }

bool cpp_tree_parse_measured(struct cpp_tree *tree, struct slice text, struct cpp_shape shape) {
    cpp_tree_prepare();
    *tree = (struct cpp_tree){.text = text};
    if (!shape.tame) return false;
    TSParser *parser = ts_parser_new();
    work.left = WORK_BASE + WORK_PER_BYTE * (uint64_t)text.len;
    work.is_out = 0;
    ts_parser_set_cancellation_flag(parser, &work.is_out);
    if (ts_parser_set_language(parser, tree_sitter_cpp()))
        tree->tree = ts_parser_parse(parser, NULL, (TSInput){&text, read_piece, TSInputEncodingUTF8});
    ts_parser_delete(parser);
    return tree->tree != NULL;
}

void cpp_tree_release(struct cpp_tree *tree) {
    if (tree->tree) ts_tree_delete(tree->tree);
    tree->tree = NULL;
}

enum cpp_kind cpp_kind(TSNode node) {
    return ts_node_is_null(node) ? CPP_other : (enum cpp_kind)kind_of_symbol[ts_node_symbol(node)];
}

struct slice cpp_text(const struct cpp_tree *tree, TSNode node) {
    if (ts_node_is_null(node)) return SLICE("");
    uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    return slice_of(tree->text.ptr + start, end - start);
}

bool cpp_next(TSTreeCursor *cursor) {
    if (ts_tree_cursor_goto_first_child(cursor)) return true;
    while (!ts_tree_cursor_goto_next_sibling(cursor))
        if (!ts_tree_cursor_goto_parent(cursor)) return false;
    return true;
}

uint32_t cpp_line(TSNode node) { return ts_node_is_null(node) ? 0 : ts_node_start_point(node).row + 1; }

/* --- children ---
 * tree-sitter finds children by walking, and the interpreter asks for those of the same node again and
 * again: they are walked once and remembered by the node's address in its tree. */

struct remembered {
    const void *id; /* NULL: free slot */
    TSNode *children;
    TSFieldId *fields;   /* field of each, 0: none */
    uint32_t all, named; /* named ones without comments come first; `all` includes the others after them */
};

static _Thread_local struct cpp_memory *memory;

void cpp_memory_begin(struct cpp_memory *m, struct arena *arena) {
    *m = (struct cpp_memory){.arena = arena, .cap = 1024, .outer = memory};
    m->table = arena_zalloc(arena, m->cap * sizeof *m->table);
    memory = m;
}

void cpp_memory_end(struct cpp_memory *m) { memory = m->outer; }

static struct remembered *slot_of(struct remembered *table, size_t cap, const void *id) {
    size_t i = ((uintptr_t)id >> 3) * 0x9e3779b97f4a7c15u >> 20 & (cap - 1);
    while (table[i].id && table[i].id != id) i = (i + 1) & (cap - 1);
    return &table[i];
}

static void grow_memory(struct cpp_memory *m) {
    size_t cap = m->cap * 2;
    struct remembered *table = arena_zalloc(m->arena, cap * sizeof *table);
    for (size_t i = 0; i < m->cap; i++)
        if (m->table[i].id) *slot_of(table, cap, m->table[i].id) = m->table[i];
    m->table = table;
    m->cap = cap;
}

static void walk_children(struct arena *arena, TSNode node, struct remembered *out) {
    uint32_t room = ts_node_child_count(node), others = 0;
    *out = (struct remembered){.id = node.id};
    if (!room) return;
    out->children = arena_alloc(arena, room * sizeof *out->children);
    out->fields = arena_alloc(arena, room * sizeof *out->fields);
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more && out->named + others < room;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        TSFieldId field = ts_tree_cursor_current_field_id(&cursor);
        bool counts = ts_node_is_named(child) && cpp_kind(child) != CPP_comment;
        if (!counts && !field) continue;
        uint32_t at = counts ? out->named++ : room - ++others;
        out->children[at] = child;
        out->fields[at] = field;
    }
    ts_tree_cursor_delete(&cursor);
    for (uint32_t i = 0; i < others; i++) { /* moves them from the end of the array to after the named ones, in order */
        out->children[out->named + i] = out->children[room - 1 - i];
        out->fields[out->named + i] = out->fields[room - 1 - i];
    }
    out->all = out->named + others;
}

static const struct remembered *remember(TSNode node) {
    struct remembered *slot = slot_of(memory->table, memory->cap, node.id);
    if (slot->id) return slot;
    if (memory->len * 2 >= memory->cap) {
        grow_memory(memory);
        slot = slot_of(memory->table, memory->cap, node.id);
    }
    memory->len++;
    walk_children(memory->arena, node, slot);
    return slot;
}

TSNode cpp_field(TSNode node, enum cpp_field field) {
    if (ts_node_is_null(node)) return node;
    if (!memory) return ts_node_child_by_field_id(node, field_ids[field]);
    const struct remembered *r = remember(node);
    TSNode found = {0};
    for (uint32_t i = 0; i < r->all; i++)
        if (r->fields[i] == field_ids[field] && (!found.id || ts_node_start_byte(r->children[i]) < ts_node_start_byte(found)))
            found = r->children[i];
    return found;
}

struct cpp_nodes cpp_children(struct arena *arena, TSNode node) {
    struct cpp_nodes nodes = {0};
    if (ts_node_is_null(node)) return nodes;
    struct remembered here, *r = &here;
    if (memory) here = *remember(node);
    else walk_children(arena, node, r);
    if (!r->named) return nodes;
    nodes.len = r->named;
    if (!memory) nodes.items = r->children;
    else { /* callers change the array */ nodes.items = arena_alloc(arena, r->named * sizeof *nodes.items);
        memcpy(nodes.items, r->children, r->named * sizeof *nodes.items);
    }
    return nodes;
}

TSNode cpp_first(TSNode node) {
    uint32_t n = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n && i < 16; i++) {
        TSNode child = ts_node_named_child(node, i);
        if (cpp_kind(child) != CPP_comment) return child;
    }
    return (TSNode){0};
}
