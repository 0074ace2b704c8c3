#include "parse/cpp_tree.h"

#include <pthread.h>

const TSLanguage *tree_sitter_cpp(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint8_t kind_of_symbol[UINT16_MAX + 1];
static TSFieldId field_ids[CPP_FIELD_COUNT];

/* Several symbols of the grammar can share one name (aliases), so all of them are looked through. */
static void init_tables(void) {
    static const char *const kinds[] = {
        [CPP_other] = "",
#define X(name) [CPP_##name] = #name,
        CPP_KINDS(X)
#undef X
    };
    static const char *const fields[] = {
#define X(name) [CPP_FIELD_##name] = #name,
        CPP_FIELDS(X)
#undef X
    };
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

bool cpp_tree_parse(struct cpp_tree *tree, struct slice text) {
    pthread_once(&once, init_tables);
    *tree = (struct cpp_tree){.text = text};
    if (text.len > CPP_MAX_BYTES) return false;
    TSParser *parser = ts_parser_new();
    ts_parser_set_timeout_micros(parser, (uint64_t)CPP_PARSE_MS * 1000);
    if (ts_parser_set_language(parser, tree_sitter_cpp()))
        tree->tree = ts_parser_parse_string(parser, NULL, text.ptr, (uint32_t)text.len);
    ts_parser_delete(parser);
    return tree->tree != NULL;
}

void cpp_tree_release(struct cpp_tree *tree) {
    if (tree->tree) ts_tree_delete(tree->tree);
    tree->tree = NULL;
}

enum cpp_kind cpp_kind(TSNode node) { return ts_node_is_null(node) ? CPP_other : (enum cpp_kind)kind_of_symbol[ts_node_symbol(node)]; }

TSNode cpp_field(TSNode node, enum cpp_field field) {
    return ts_node_is_null(node) ? node : ts_node_child_by_field_id(node, field_ids[field]);
}

struct slice cpp_text(const struct cpp_tree *tree, TSNode node) {
    if (ts_node_is_null(node)) return SLICE("");
    uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    return slice_of(tree->text.ptr + start, end - start);
}

uint32_t cpp_line(TSNode node) { return ts_node_is_null(node) ? 0 : ts_node_start_point(node).row + 1; }

struct cpp_nodes cpp_children(struct arena *arena, TSNode node) {
    struct cpp_nodes nodes = {0};
    uint32_t room = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
    if (!room) return nodes;
    nodes.items = arena_alloc(arena, room * sizeof *nodes.items);
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more && nodes.len < room; more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        if (ts_node_is_named(child) && cpp_kind(child) != CPP_comment) nodes.items[nodes.len++] = child;
    }
    ts_tree_cursor_delete(&cursor);
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
