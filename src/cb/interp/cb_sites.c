/* SPDX-License-Identifier: Apache-2.0 */
/* Places in a source that make buffers: how many a function has, and which were never reached. */
#include "cb/interp/cb_interp.h"

enum { MAX_COUNT_NODES = 2000000 };

bool interp_makes_buffer(const struct cpp_tree *tree, TSNode call) {
    static const char *const makers[] = {
        "CreateCircularBuffer",   "CreateMeshCircularBuffer",     "create_cb",           "CreateDataflowBuffer",
        "create_circular_buffer", "create_circular_buffer_bytes", "add_circular_buffer", "py_unread"};
    TSNode callee = cpp_field(call, CPP_FIELD_function);
    struct slice name = interp_last_name(tree, callee);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (slice_equal(name, slice_from(makers[i]))) return true;
    bool push =
        slice_equal(name, SLICE("push_back")) || slice_equal(name, SLICE("emplace_back")) || slice_equal(name, SLICE("resize"));
    return push && is_kind(callee, CPP_field_expression) &&
           interp_is_buffer_list(interp_last_name(tree, cpp_field(callee, CPP_FIELD_argument)));
}

static struct function *function_by_name(struct interp *in, struct slice name) {
    for (size_t i = 0; i < in->functions.len; i++)
        if (slice_equal(in->functions.items[i].name, name)) return &in->functions.items[i];
    return NULL;
}

static uint32_t sites_of(struct interp *in, struct function *f);

/* `.cbs = {{...}, {...}}`, `desc.cbs = {...}`: the number of descriptors that do not name their type. */
static uint32_t given_descriptors(const struct cpp_tree *tree, TSNode node) {
    bool pair = is_kind(node, CPP_initializer_pair);
    struct slice name = pair ? slice_trim(cpp_text(tree, cpp_field(node, CPP_FIELD_designator)))
                             : interp_last_name(tree, cpp_field(node, CPP_FIELD_left));
    if (pair && name.len && name.ptr[0] == '.') name = slice_skip(name, 1);
    if (!interp_is_buffer_list(name)) return 0;
    TSNode list = cpp_field(node, pair ? CPP_FIELD_value : CPP_FIELD_right);
    if (!is_kind(list, CPP_initializer_list)) return 1;
    TSNode first = cpp_first(list);
    if (is_kind(first, CPP_initializer_list) && ts_node_named_child_count(list) == 1 &&
        is_kind(cpp_first(first), CPP_initializer_list))
        list = first;
    uint32_t n = ts_node_named_child_count(list), given = 0;
    for (uint32_t i = 0; i < n && i < 64; i++) given += is_kind(ts_node_named_child(list, i), CPP_initializer_list);
    return given ? given : n > 0;
}

static bool declares_reference(TSNode declaration) {
    TSNode d = cpp_field(declaration, CPP_FIELD_declarator);
    if (is_kind(d, CPP_init_declarator)) d = cpp_field(d, CPP_FIELD_declarator);
    return is_kind(d, CPP_reference_declarator);
}

/* The number of the constructor of a type, counted from 1; 0: none. */
static uint32_t constructor_by_name(struct interp *in, struct slice type) {
    const struct function *f = type.len ? function_by_name(in, type) : NULL;
    return f && slice_equal(f->owner, type) ? (uint32_t)(f - in->functions.items) + 1 : 0;
}

/* What a node adds to the count; false: nothing. */
static bool site_at(struct interp *in, const struct cpp_tree *tree, TSNode node, struct site *out) {
    enum cpp_kind kind = cpp_kind(node);
    if (kind == CPP_other) return false;
    *out = (struct site){.at = ts_node_start_byte(node), .node = node};
    switch (kind) {
        case CPP_compound_literal_expression:
            out->configured = interp_is_buffer_type(interp_last_name(tree, cpp_field(node, CPP_FIELD_type)));
            out->owns = slice_equal(interp_last_name(tree, cpp_field(node, CPP_FIELD_type)), SLICE("ProgramSpec"));
            out->function = constructor_by_name(in, interp_last_name(tree, cpp_field(node, CPP_FIELD_type)));
            break;
        case CPP_initializer_pair:
        case CPP_assignment_expression:
            out->configured = given_descriptors(tree, node);
            break;
        case CPP_declaration: {
            struct slice type = interp_last_name(tree, cpp_field(node, CPP_FIELD_type));
            out->declared = interp_is_buffer_type(type) || interp_is_config_type(type);
            out->owns = interp_is_program_type(type) && !declares_reference(node);
            out->function = constructor_by_name(in, type);
            break;
        }
        case CPP_call_expression: {
            struct slice name = interp_last_name(tree, cpp_field(node, CPP_FIELD_function));
            struct function *f = function_by_name(in, name);
            out->function = f ? (uint32_t)(f - in->functions.items) + 1 : 0;
            out->made = interp_makes_buffer(tree, node);
            if (!out->made)
                out->configured = slice_equal(name, SLICE("CircularBufferConfig")) ||
                                  (in->python && slice_equal(name, SLICE("cb_descriptor_from_sharded_tensor")));
            out->owns = slice_equal(name, SLICE("CreateProgram"));
            break;
        }
        default:
            return false;
    }
    return out->configured || out->declared || out->made || out->function || out->owns;
}

/* The sites of a whole tree in text order; walked once. */
static const struct tree_sites *sites_in(struct interp *in, const struct cpp_tree *tree) {
    for (size_t i = 0; i < in->site_lists.len; i++)
        if (in->site_lists.items[i].tree == tree) return &in->site_lists.items[i];
    struct tree_sites list = {.tree = tree};
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree->tree));
    uint32_t nodes = 0;
    do {
        struct site site;
        if (site_at(in, tree, ts_tree_cursor_current_node(&cursor), &site)) vec_push(&list.sites, site);
    } while (++nodes < MAX_COUNT_NODES && cpp_next(&cursor));
    ts_tree_cursor_delete(&cursor);
    vec_push(&in->site_lists, list);
    return &vec_last(&in->site_lists);
}

/* The first site at or after a byte. */
static size_t first_site(const struct tree_sites *list, uint32_t at) {
    size_t low = 0, high = list->sites.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->sites.items[middle].at < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

uint32_t interp_count_sites(struct interp *in, const struct cpp_tree *tree, TSNode body) {
    if (!exists(body)) return 0;
    const struct tree_sites *list = sites_in(in, tree);
    uint32_t from = ts_node_start_byte(body), to = ts_node_end_byte(body);
    size_t first = first_site(list, from), end = first_site(list, to);
    if (first == end) return 0;
    for (size_t i = 0; i < in->counted.len; i++)
        if (in->counted.items[i].id == body.id) return in->counted.items[i].sites;
    uint32_t made = 0, configured = 0, declared = 0, through = 0;
    for (size_t i = first; i < end; i++) {
        /* counting through functions can add to site_lists */
        const struct site *site = &sites_in(in, tree)->sites.items[i];
        struct function *f = site->function ? &in->functions.items[site->function - 1] : NULL;
        if (f && cpp_field(f->node, CPP_FIELD_body).id != body.id) {
            through = through > 1000000 ? through : through + sites_of(in, f);
            continue;
        }
        made += site->made;
        configured += site->configured;
        declared += site->declared;
    }
    /* a buffer is usually declared, configured and made, so the largest of the three counts it */
    uint32_t sites = made > configured ? made : configured;
    if (declared > sites) sites = declared;
    sites = sites + through < sites || sites + through > 1000000 ? 1000000 : sites + through;
    vec_push(&in->counted, ((struct counted_sites){body.id, sites}));
    return sites;
}

static uint32_t sites_of(struct interp *in, struct function *f) {
    if (f->counting == 2) return f->sites;
    if (f->counting == 1) return 0; /* recursion */
    f->counting = 1;
    f->sites = interp_count_sites(in, f->tree, cpp_field(f->node, CPP_FIELD_body));
    f->counting = 2;
    return f->sites;
}

/* Counts the calls of each function, and finds whether it makes its own program. */
static void look_into(struct interp *in, struct function *f) {
    const struct tree_sites *list = sites_in(in, f->tree);
    TSNode body = cpp_field(f->node, CPP_FIELD_body);
    size_t end = first_site(list, ts_node_end_byte(body));
    for (size_t k = first_site(list, ts_node_start_byte(body)); k < end; k++) {
        const struct site *site = &list->sites.items[k];
        if (site->owns) f->owns = true;
        if (!site->function) continue;
        struct slice name = in->functions.items[site->function - 1].name;
        for (size_t i = 0; i < in->functions.len; i++)
            if (&in->functions.items[i] != f && slice_equal(in->functions.items[i].name, name)) in->functions.items[i].calls++;
    }
}

void interp_count_all(struct interp *in) {
    /* counts from before all functions were known are dropped */
    for (size_t i = 0; i < in->site_lists.len; i++) vec_release(&in->site_lists.items[i].sites);
    in->site_lists.len = in->counted.len = 0;
    for (size_t i = 0; i < in->functions.len; i++) look_into(in, &in->functions.items[i]);
    for (size_t i = 0; i < in->functions.len; i++) sites_of(in, &in->functions.items[i]);
}

void interp_release_sites(struct interp *in) {
    for (size_t i = 0; i < in->site_lists.len; i++) vec_release(&in->site_lists.items[i].sites);
    vec_release(&in->site_lists);
}

/* A place that makes a buffer, did not run and could run: its buffer is missing. */
void interp_check_reached(struct interp *in) {
    for (size_t i = 0; i < in->functions.len && !in->out->partial; i++) {
        const struct function *f = &in->functions.items[i];
        if (!f->main_file || !f->sites || f->tree != in->tree) continue;
        const struct tree_sites *list = sites_in(in, f->tree);
        size_t end = first_site(list, ts_node_end_byte(f->node));
        for (size_t k = first_site(list, ts_node_start_byte(cpp_field(f->node, CPP_FIELD_body))); k < end; k++) {
            TSNode node = list->sites.items[k].node;
            if (!list->sites.items[k].made || interp_is_accounted(in, f->tree, node)) continue;
            struct strbuf reason = {0};
            strbuf_addf(&reason, "what line %u makes is not followed", cpp_line(node));
            interp_note_unfollowed(in, arena_copy(in->arena, strbuf_slice(&reason)));
            strbuf_release(&reason);
            break;
        }
    }
}

/* Python: descriptions of buffers that never became part of a program. */
void interp_check_described(struct interp *in) {
    const struct tree_sites *list = sites_in(in, in->tree);
    for (size_t k = 0; k < list->sites.len; k++) {
        const struct site *site = &list->sites.items[k];
        bool literal = is_kind(site->node, CPP_compound_literal_expression), call = is_kind(site->node, CPP_call_expression);
        if (!site->configured || (!literal && !call)) continue;
        TSNode fields = literal ? cpp_field(site->node, CPP_FIELD_value) : site->node;
        bool listed = interp_is_listed(in, site->node) || interp_is_listed(in, fields);
        if (!listed && !interp_is_accounted(in, in->tree, site->node))
            interp_note_unread(in, site->node, SLICE("a circular buffer's descriptor is not followed to a program"));
    }
}
