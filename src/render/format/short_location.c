/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/short_location.h"

#include "analysis/run/module_path.h"

/* "Attention[model.layers.0.attn]" -> "model.layers.0.attn" */
static struct slice module_name(struct slice part) {
    size_t open = slice_find_byte(part, '[');
    if (open == SLICE_NONE || !slice_ends(part, SLICE("]")) || open + 2 >= part.len) return part;
    return slice_of(part.ptr + open + 1, part.len - open - 2);
}

/* "layers[0].attn" as "layers.0.attn": frameworks write both, the page and the tables one of them. */
static void add_path(struct strbuf *out, struct slice name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == ']' || c == '\'' || c == '"') continue;
        strbuf_addc(out, c == '[' ? '.' : c);
    }
}

static struct slice base_name(struct slice path) {
    const char *slash = memrchr(path.ptr, '/', path.len);
    return slash ? slice_between(slash + 1, path.ptr + path.len) : path;
}

/* Module names may or may not repeat the outer ones: takes the innermost, with those around it if it says little on its own. */
static void add_module(struct strbuf *out, const struct module_path *path, bool with_leaf) {
    struct slice inner = module_name(path->parts[path->count - 1]);
    unsigned first = path->count - 1;
    if (slice_find_byte(inner, '.') == SLICE_NONE && first) first--;
    for (unsigned i = first; i < path->count; i++) {
        if (i > first) strbuf_addc(out, path->file.len ? '.' : '/');
        add_path(out, module_name(path->parts[i]));
    }
    if (with_leaf) {
        strbuf_addc(out, '/');
        strbuf_add(out, path->leaf);
    }
}

void short_location(struct strbuf *out, struct slice location) {
    struct module_path path;
    module_path_of(location, &path);
    if (!path.count && !path.file.len) {
        strbuf_add(out, location);
        return;
    }
    if (path.count) add_module(out, &path, !path.file.len && path.leaf.len);
    if (!path.file.len) return;
    if (path.count) strbuf_addz(out, "  ");
    strbuf_add(out, base_name(path.file));
    if (path.line) strbuf_addf(out, ":%llu", (unsigned long long)path.line);
}

void short_location_of(struct strbuf *out, const struct run *run, const struct step *step) {
    if (step->op == NONE) return;
    const struct op *op = &run->ops.items[step->op];
    if (op->display) {
        short_location(out, run_string(run, op->display));
    } else if (op->callee) {
        strbuf_addc(out, '@');
        strbuf_add(out, run_string(run, op->callee));
    }
}
