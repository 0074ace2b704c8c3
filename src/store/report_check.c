#include "store/report_check.h"

#include "base/json_split.h"

enum { PROBED_OPS = 400, LEAST_PROBED = 8 };

/* What each file holds. */
static const struct {
    const char *kinds; /* first byte */
    const char *what;
    bool optional;
} forms[PART_COUNT] = {[PART_MEMORY] = {"{[", "a list of records or an object that holds one", false},
                       [PART_OPERATIONS] = {"[", "a list of operations", false},
                       [PART_REGISTRY] = {"{", "an object with entries", false},
                       [PART_IR] = {"{", "an object with modules", false},
                       [PART_SUMMARY] = {"{", "an object", true}};

static void add_note(struct reading *r, const char *format, const char *path) {
    strbuf_addf(&r->notes, format, path);
    strbuf_addc(&r->notes, '\n');
}

static int check_file(struct reading *r, enum report_part part, struct err *err) {
    const struct source *source = &r->files->parts[part];
    char kind = json_split_kind(source->bytes);
    bool whole = json_split_whole(source->bytes);
    if (whole && strchr(forms[part].kinds, kind)) return 0;
    if (forms[part].optional) {
        add_note(r, "%s is cut off or not JSON: it was not read.", source->path);
        return 0;
    }
    if (!source->bytes.len) return err_set(err, ERR_INPUT, "%s is empty: it should hold %s", source->path, forms[part].what);
    if (!whole) return err_set(err, ERR_INPUT, "%s is cut off or not JSON: it should hold %s", source->path, forms[part].what);
    return err_set(err, ERR_INPUT, "%s should hold %s", source->path, forms[part].what);
}

int check_files(struct reading *r, struct err *err) {
    for (unsigned part = 0; part < PART_COUNT; part++)
        if (r->files->have[part] && check_file(r, part, err) != 0) return -1;
    if (!r->files->have[PART_OPERATIONS])
        strbuf_addf(&r->notes,
                    "%.*s_operations.json is missing: operands, shapes, attributes, weights and what is alive are not known.\n",
                    SLICE_FMT(strbuf_slice(&r->files->name)));
    return 0;
}

static int other_run(const struct reading *r, enum report_part part, struct err *err, uint64_t index, struct slice there,
                     struct slice here) {
    return err_set(err, ERR_INPUT, "%s and %s are of different runs: operation %llu is %.*s in one and %.*s in the other",
                   r->files->parts[PART_MEMORY].path, r->files->parts[part].path, (unsigned long long)index,
                   (int)(here.len < 80 ? here.len : 80), here.ptr, (int)(there.len < 80 ? there.len : 80), there.ptr);
}

int check_pair(const struct reading *r, uint64_t index, struct json_value record, struct json_value op, struct err *err) {
    struct slice here = member_text(record, "mlir_op"), there = member_text(op, "mlir_op");
    if (here.len && there.len && !slice_equal(here, there)) return other_run(r, PART_OPERATIONS, err, index, there, here);
    here = member_text(record, "loc");
    there = member_text(op, "loc");
    if (here.len && there.len && !slice_equal(here, there)) return other_run(r, PART_OPERATIONS, err, index, there, here);
    return 0;
}

int check_weights(const struct reading *r, uint64_t index, struct json_value op, struct err *err) {
    struct json_value list, weight;
    if (!r->files->have[PART_REGISTRY] || !json_member(op, "weights", &list)) return 0;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &weight);) {
        uint64_t place;
        struct slice name = member_text(weight, "name");
        if (!member_u64(weight, "registry_index", &place)) continue;
        bool known = place < r->roles.len;
        struct slice entry = known ? r->argument_names.items[2 * place + 1] : slice_of("", 0);
        uint64_t bytes, entry_bytes = known ? r->argument_bytes.items[place] : 0;
        bool same_size = !member_u64(weight, "bytes", &bytes) || bytes == entry_bytes;
        if (known && same_size && (!name.len || slice_equal(name, entry))) continue;
        bool renamed = known && !slice_equal(name, entry);
        return err_set(err, ERR_INPUT,
                       "%s and %s are of different runs: operation %llu uses weight %llu, %.*s, which %s%.*s there",
                       r->files->parts[PART_OPERATIONS].path, r->files->parts[PART_REGISTRY].path, (unsigned long long)index,
                       (unsigned long long)place, (int)(name.len < 80 ? name.len : 80), name.ptr,
                       !known    ? "is missing"
                       : renamed ? "is "
                                 : "has another size",
                       renamed ? (int)(entry.len < 80 ? entry.len : 80) : 0, entry.ptr);
    }
    return 0;
}

static struct hash128 line_key(uint32_t op, uint32_t value, uint32_t location) {
    uint32_t key[] = {op, value, location};
    return hash_bytes(slice_of((const char *)key, sizeof key));
}

void check_modules(struct reading *r) {
    const struct page_columns *c = &r->page->columns;
    struct map lines = {0};
    bool added;
    for (size_t i = 0; i < page_len(c, COL_LOC_LINE); i++)
        if (strcmp(r->modules.items[page_value(c, COL_LOC_MODULE, i)].stage, "ttnn") == 0)
            map_at(&lines,
                   line_key(page_value(c, COL_LOC_OP, i), page_value(c, COL_LOC_VALUE, i), page_value(c, COL_LOC_NAME, i)),
                   &added);
    size_t probed = 0, found = 0;
    for (uint32_t t = 0; lines.len && t < page_len(c, COL_TPL_NAME) && probed < PROBED_OPS; t++) {
        uint32_t out = page_value(c, COL_TPL_OUT, t), location = page_value(c, COL_TPL_LOC, t);
        if (!location || out == page_value(c, COL_TPL_OUT, t + 1)) continue;
        probed++;
        found += map_find(&lines, line_key(page_value(c, COL_TPL_NAME, t), page_value(c, COL_OUT_NAME, out), location)) != NULL;
    }
    map_release(&lines);
    /* two models share an op or two by chance */
    if (probed >= LEAST_PROBED && found * 10 < probed)
        add_note(r, "%s does not hold the operations of this report: it is of another run, and they have no lines in it.",
                 r->files->parts[PART_IR].path);
}

void check_summary(struct reading *r) {
    struct json_value root;
    uint64_t records;
    if (!r->files->have[PART_SUMMARY] || !json_parse(r->operations, r->files->parts[PART_SUMMARY].bytes, &root)) return;
    if (member_u64(root, "records", &records) && records != r->records.len)
        add_note(r, "%s is of another run: it counts other operations. It was not used.", r->files->parts[PART_SUMMARY].path);
}
