/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/files/cb_headers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_REACHED = 400, MAX_WANTED = 64, MAX_TREES = 40, MAX_HEADER_BYTES = 512 << 10, MAX_PARAMETERS = 1000 };

bool cb_next_include(struct slice *text, struct slice *name, bool quoted) {
    for (;;) {
        size_t at = slice_find(*text, SLICE("#include "));
        if (at == SLICE_NONE) return false;
        *text = slice_skip(*text, at + 9);
        char open = text->len ? text->ptr[0] : '\0', close = open == '<' ? '>' : '"';
        if (open != '"' && (open != '<' || quoted)) continue;
        *text = slice_skip(*text, 1);
        size_t end = slice_find_byte(slice_take(*text, 512), close);
        if (end == SLICE_NONE) continue;
        *name = slice_take(*text, end);
        return true;
    }
}

/* --- what a header defines --- */

static bool is_letter(char c) { return c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z'); }
static bool is_name_byte(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static uint32_t hash_of(struct slice name) {
    uint32_t hash = 0x811c9dc5u;
    for (size_t i = 0; i < name.len; i++) hash = (hash ^ (unsigned char)name.ptr[i]) * 0x01000193u;
    return hash;
}

/* Skips white space and comments from `at` on. */
static size_t skip_blank(struct slice text, size_t at) {
    for (;;) {
        while (at < text.len && is_space(text.ptr[at])) at++;
        if (at + 1 < text.len && text.ptr[at] == '/' && text.ptr[at + 1] == '/') {
            while (at < text.len && text.ptr[at] != '\n') at++;
        } else if (at + 1 < text.len && text.ptr[at] == '/' && text.ptr[at + 1] == '*') {
            size_t end = slice_find(slice_skip(text, at + 2), SLICE("*/"));
            at = end == SLICE_NONE ? text.len : at + 2 + end + 2;
        } else {
            return at;
        }
    }
}

/* Is the `(` at `at` followed, after its `)`, by a function body? */
static bool has_body(struct slice text, size_t at) {
    size_t end = at + MAX_PARAMETERS < text.len ? at + MAX_PARAMETERS : text.len, depth = 0;
    for (; at < end; at++) {
        if (text.ptr[at] == '(') depth++;
        else if (text.ptr[at] == ')' && --depth == 0) break;
        else if (text.ptr[at] == ';' || text.ptr[at] == '{') return false;
    }
    for (at = skip_blank(text, at + 1); at < end && text.ptr[at] != ';'; at++) {
        if (text.ptr[at] == '{') return true;
        if (!is_name_byte(text.ptr[at]) && !is_space(text.ptr[at]) && !strchr("->:<>&*,", text.ptr[at])) return false;
    }
    return false;
}

/* `NAME = ...`, `#define NAME`, `name(...) {`, an enumerator. */
static bool is_defined(struct slice text, size_t from, size_t end) {
    size_t before = from;
    while (before && (text.ptr[before - 1] == ' ' || text.ptr[before - 1] == '\t')) before--;
    if (slice_ends(slice_take(text, before), SLICE("#define"))) return true;
    size_t next = skip_blank(text, end);
    char c = next < text.len ? text.ptr[next] : '\0';
    if (c == '=') return next + 1 >= text.len || text.ptr[next + 1] != '=';
    if (c == '(') return has_body(text, next);
    bool upper = (text.ptr[from] >= 'A' && text.ptr[from] <= 'Z') || text.ptr[from] == 'k';
    return upper && (c == ',' || c == '}' || c == '{');
}

static int by_hash(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void list_names(struct cb_header *header, struct slice text) {
    for (size_t i = skip_blank(text, 0); i < text.len;) {
        if (!is_letter(text.ptr[i])) {
            i = skip_blank(text, i + 1);
            continue;
        }
        size_t from = i;
        while (i < text.len && is_name_byte(text.ptr[i])) i++;
        if (is_defined(text, from, i)) vec_push(&header->names, hash_of(slice_of(text.ptr + from, i - from)));
        i = skip_blank(text, i);
    }
    if (header->names.len) qsort(header->names.items, header->names.len, sizeof *header->names.items, by_hash);
}

void cb_header_read(struct cb_header *header, struct slice text, const char *path, cb_resolve_fn *resolve, void *ctx) {
    struct strbuf found = {0};
    struct slice rest = text;
    for (struct slice name; cb_next_include(&rest, &name, false);)
        if (resolve(ctx, path, name, &found)) vec_push(&header->includes, mem_strdup(strbuf_text(&found)));
    strbuf_release(&found);
    if (text.len < MAX_HEADER_BYTES) list_names(header, text);
}

static bool defines(const struct cb_header *header, uint32_t name) {
    return header->names.len && bsearch(&name, header->names.items, header->names.len, sizeof name, by_hash) != NULL;
}

/* --- names that a source needs --- */

typedef VEC(uint32_t) wanted_names;

/* Takes `NAME`, `a::NAME` and `a::name(...)`; members of an object are not looked up in headers. */
static void want(wanted_names *wanted, struct slice text) {
    size_t end = 0;
    while (end < text.len && (is_name_byte(text.ptr[end]) || text.ptr[end] == ':')) end++;
    bool call = end < text.len && text.ptr[end] == '(' && text.ptr[text.len - 1] == ')';
    if (!end || (end < text.len && !call) || !is_letter(text.ptr[0]) || wanted->len >= MAX_WANTED) return;
    size_t from = end;
    while (from && text.ptr[from - 1] != ':') from--;
    struct slice name = slice_of(text.ptr + from, end - from);
    char first = name.len ? name.ptr[0] : '\0', second = name.len > 1 ? name.ptr[1] : '\0';
    bool constant = (first >= 'A' && first <= 'Z') || (first == 'k' && second >= 'A' && second <= 'Z');
    if ((!call && !from && !constant) || cb_tells_property(name)) return; /* probably a variable */
    uint32_t hash = hash_of(name);
    for (size_t i = 0; i < wanted->len; i++)
        if (wanted->items[i] == hash) return;
    vec_push(wanted, hash);
}

static void want_all(wanted_names *wanted, const struct cb_source *source) {
    for (size_t i = 0; i < source->decls.len; i++) {
        const struct cb_decl *d = &source->decls.items[i];
        if (d->total_bytes >= 0) continue;
        for (uint32_t k = 0; k < d->n_adapts_to; k++) want(wanted, d->adapts_to[k]);
        want(wanted, d->unknown);
        want(wanted, d->unknown_root);
    }
}

static bool has_tree(const cb_trees *trees, const struct cpp_tree *tree) {
    for (size_t i = 0; i < trees->len; i++) /* two paths can lead to the same file */
        if (trees->items[i] == tree || slice_equal(trees->items[i]->text, tree->text)) return true;
    return false;
}

typedef VEC(const char *) reached_list;

static void reach(reached_list *reached, const struct cb_header *header) {
    for (size_t i = 0; i < header->includes.len && reached->len < MAX_REACHED; i++) {
        bool known = false;
        for (size_t k = 0; k < reached->len && !known; k++) known = strcmp(reached->items[k], header->includes.items[i]) == 0;
        if (!known) vec_push(reached, (const char *)header->includes.items[i]);
    }
}

size_t cb_headers_add(cb_trees *trees, struct cb_cache *cache, const char *path, const struct cb_source *source,
                      cb_resolve_fn *resolve, void *ctx) {
    wanted_names wanted = {0};
    want_all(&wanted, source);
    reached_list reached = {0};
    size_t came = 0;
    if (wanted.len) reach(&reached, cb_cache_header(cache, path, resolve, ctx));
    for (size_t i = 0; i < reached.len && trees->len < MAX_TREES; i++) {
        const struct cb_header *header = cb_cache_header(cache, reached.items[i], resolve, ctx);
        reach(&reached, header);
        bool useful = false;
        for (size_t k = 0; k < wanted.len && !useful; k++) useful = defines(header, wanted.items[k]);
        const struct cpp_tree *tree = useful ? cb_cache_tree(cache, reached.items[i]) : NULL;
        if (!tree || has_tree(trees, tree)) continue;
        vec_push(trees, tree);
        came++;
    }
    vec_release(&wanted);
    vec_release(&reached);
    return came;
}
