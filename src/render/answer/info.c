/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/info.h"

#include "base/amounts.h"
#include "base/json_write.h"
#include "base/num.h"
#include "render/format/json_parts.h"

static const char *shape_of(const struct census *c) {
    if (c->predicted) return "predicted";
    return c->ops && c->blocks ? "ops+memory" : c->blocks ? "memory" : c->ops ? "ops" : "none";
}

static const struct {
    const char *key, *words;
} ends[CENSUS_ENDS] = {[ENDS_IN_PROGRAM] = {"program", "program"},
                       [ENDS_IN_SUBMIT] = {"submit", "submit"},
                       [ENDS_IN_BLOCK] = {"memory_block", "memory block"},
                       [ENDS_IN_LINE] = {"line", "line"},
                       [ENDS_IN_TESTS] = {"tests", "pytest session"},
                       [ENDS_COMPRESSED] = {"compressed_data", NULL},
                       [ENDS_READING] = {"reading", NULL}};

/* What the log lacks, and the setting that records it. */
static const struct {
    const char *what, *setting;
} lacks[] = {
    {"op lines", "TT_RUNTIME_DEBUG=ON at build time, TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG"},
    {"memory blocks", "TT_RUNTIME_DEBUG=ON at build time, TT_RUNTIME_MEMORY_LOG_LEVEL=all"},
    {"memory blocks before ops", "TT_RUNTIME_MEMORY_LOG_LEVEL=all"},
    {"module dumps", "TTXLA_LOGGER_LEVEL=DEBUG"},
};

static bool is_missing(const struct census *c, size_t row) {
    if (c->no_log) return false; /* no setting of a logger adds to it */
    switch (row) {
        case 0:
            return !c->ops;
        case 1:
            return !c->blocks;
        case 2:
            return c->submit_only;
        default:
            return !c->modules.len;
    }
}

static bool tells_submits(const struct census *c) { return !c->of_files && !c->no_log; }
static bool tells_frees(const struct census *c) { return !c->no_counts && !c->no_ops && !c->no_log; }

static void count(struct strbuf *out, bool known, uint64_t n, const char *what) {
    strbuf_addf(out, "%s %s", known ? figure_grouped(n).text : "?", what);
}

static void row(struct strbuf *out, const char *label) { strbuf_addf(out, "  %-10s", label); }

static uint64_t total(const struct census_name *rows, size_t len) {
    uint64_t sum = 0;
    for (size_t i = 0; i < len; i++) sum += rows[i].count;
    return sum;
}

static void names(struct strbuf *out, const struct term *term, const struct census *c, const struct census_name *rows,
                  size_t len) {
    enum { SHOWN = 8 };
    for (size_t i = 0; i < len && i < SHOWN; i++) {
        strbuf_addz(out, i ? ", " : "  ");
        term_text(out, term, strtab_get(&c->strings, rows[i].name), 40);
        if (rows[i].count > 1) strbuf_addf(out, " x %llu", (unsigned long long)rows[i].count);
    }
    if (len > SHOWN) strbuf_addf(out, ", %zu more", len - SHOWN);
}

/* Both those that are kept and those that are not. */
static uint64_t messages(const struct failure_set *set) {
    uint64_t all = set->left_out;
    for (size_t i = 0; i < set->entries.len; i++) all += set->entries.items[i].count;
    return all;
}

/* What Inspector wrote: entries, not lines. */
static void inspector_rows(struct strbuf *out, const struct census *c) {
    const struct census_buffers *b = &c->buffers;
    row(out, "ops");
    count(out, true, c->ops, "runtime entries\n");
    row(out, "buffers");
    count(out, true, b->owners, "with a place on the device, of ");
    count(out, true, b->bounded, "a bound for their bytes per bank; ");
    count(out, true, b->moves, b->moves == 1 ? "move and " : "moves and ");
    count(out, true, b->views, b->views == 1 ? "view own nothing\n" : "views own nothing\n");
    if (b->torn) {
        row(out, "torn");
        count(out, true, b->torn, b->torn == 1 ? "entry is left out\n" : "entries are left out\n");
    }
    row(out, "states");
    count(out, true, c->blocks, "of the device's memory\n");
    row(out, "passes");
    count(out, true, total(c->programs.items, c->programs.len), "that repeat\n");
    row(out, "programs");
    count(out, true, b->programs_made, "of tt-metal made, ");
    count(out, true, b->programs_kept, "kept at the end\n");
}

/* The figures of a compiled module: nothing ran. */
static void predicted_rows(struct strbuf *out, const struct term *term, const struct census *c) {
    row(out, "ops");
    count(out, true, c->ops, "predicted, with those of functions that are called\n");
    row(out, "states");
    count(out, true, c->blocks, "of the device's memory, predicted\n");
    row(out, "modules");
    count(out, true, total(c->modules.items, c->modules.len), c->modules.len == 1 ? "module" : "modules");
    names(out, term, c, c->modules.items, c->modules.len);
    strbuf_addc(out, '\n');
}

static void log_rows(struct strbuf *out, const struct term *term, const struct census *c) {
    bool counted = !c->no_counts;
    row(out, "ops");
    if (!c->ops && counted) strbuf_addz(out, "0 lines\n");
    else if (tells_frees(c) && counted) count(out, true, c->ops - c->deallocates - c->get_devices, "ops, ");
    else count(out, counted, c->ops, "lines, including ");
    if (c->ops || !counted) {
        count(out, tells_frees(c), c->deallocates, "deallocates, ");
        count(out, tells_frees(c), c->get_devices, "get_devices\n");
    }
    row(out, "blocks");
    count(out, counted, c->blocks, "memory blocks, including ");
    count(out, tells_submits(c), c->submit_blocks, "around submits\n");
    row(out, "programs");
    count(out, !c->no_ops, total(c->programs.items, c->programs.len), "runs");
    names(out, term, c, c->programs.items, c->programs.len);
    strbuf_addc(out, '\n');
    row(out, "modules");
    count(out, !c->of_files, total(c->modules.items, c->modules.len), "dumps");
    names(out, term, c, c->modules.items, c->modules.len);
    strbuf_addc(out, '\n');
}

void info_text(struct strbuf *out, const struct term *term, const struct census *c, const char *path) {
    const char *dot = term_dot(term);
    term_text(out, term, slice_from(path), 0);
    strbuf_addf(out, "   %s%s", c->of_inspector ? "Inspector" : shape_of(c), dot);
    if (!c->of_inspector) {
        count(out, !c->no_counts, c->lines, c->lines == 1 ? "line" : "lines");
        strbuf_addz(out, dot);
    }
    strbuf_addf(out, "%s MB\n\n", figure_ratio((int64_t)c->bytes, NUM_MIB, 1).text);
    if (c->of_inspector) inspector_rows(out, c);
    else if (c->predicted) predicted_rows(out, term, c);
    else log_rows(out, term, c);
    if (c->ranks.len) {
        row(out, "ranks");
        count(out, true, c->ranks.len, "tagged");
        names(out, term, c, c->ranks.items, c->ranks.len);
        strbuf_addc(out, '\n');
    }
    row(out, "device");
    strbuf_addz(out, c->chip ? c->chip->title : c->modules.len ? "not named outside of its modules" : "not named");
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (c->has_config[pool])
            strbuf_addf(out, ", %s %u x %s MB", pool_names[pool], c->config[pool].banks,
                        figure_milli(c->config[pool].total, 3).text);
    strbuf_addc(out, '\n');
    row(out, "failures");
    strbuf_addz(out, c->no_messages ? "?" : figure_grouped(c->failures.entries.len).text);
    if (c->failures.left_out) strbuf_addf(out, " kept of %s messages", figure_grouped(messages(&c->failures)).text);
    for (size_t i = 0; i < c->failures.entries.len && i < 4; i++)
        strbuf_addf(out, "%s%s at line %llu", i ? ", " : "  ", failure_kind_name(c->failures.entries.items[i].failure.kind),
                    (unsigned long long)c->failures.entries.items[i].line);
    strbuf_addc(out, '\n');
    if (c->dropped) {
        row(out, "dropped");
        count(out, true, c->dropped, c->dropped == 1 ? "message" : "messages");
        strbuf_addz(out, ", as a logger says");
        if (c->dropped_line) strbuf_addf(out, ", first at line %llu", (unsigned long long)c->dropped_line);
        strbuf_addc(out, '\n');
    }
    if (c->end == ENDS_COMPRESSED && c->no_log)
        strbuf_addz(out, "\n  The input is cut or damaged: this is what came before that place.\n");
    else if (c->end == ENDS_COMPRESSED)
        strbuf_addz(out, "  The compressed data is cut or damaged: this is what came before that place.\n");
    else if (c->end == ENDS_READING) strbuf_addz(out, "  The log was cut while it was read: this is what was there.\n");
    else if (c->end != ENDS_WHOLE)
        strbuf_addf(out, "  It ends inside a %s: the process was killed, or the log was cut.\n", ends[c->end].words);
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        if (is_missing(c, i)) strbuf_addf(out, "  Not in this log: %s.\n    %s\n", lacks[i].what, lacks[i].setting);
}

static void json_names(struct json *j, const struct census *c, const char *key, const char *member,
                       const struct census_name *rows, size_t len) {
    json_key(j, key);
    json_array(j);
    for (size_t i = 0; i < len; i++) {
        json_object(j);
        json_member_str(j, member, strtab_get(&c->strings, rows[i].name));
        json_member_u64(j, "count", rows[i].count);
        json_object_end(j);
    }
    json_array_end(j);
}

/* Null if the input is not from Inspector. */
static void inspector_json(struct json *j, const struct census *c) {
    json_key(j, "inspector");
    if (!c->of_inspector) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "buffer_count", c->buffers.owners);
    json_member_u64(j, "buffers_with_bounds", c->buffers.bounded);
    json_member_u64(j, "views", c->buffers.views);
    json_member_u64(j, "move_count", c->buffers.moves);
    json_member_u64(j, "torn_entries", c->buffers.torn);
    json_member_u64(j, "programs_made", c->buffers.programs_made);
    json_member_u64(j, "programs_kept", c->buffers.programs_kept);
    json_object_end(j);
}

void info_json(struct strbuf *out, const struct census *c, const char *path) {
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_member_text(&j, "path", path);
    json_member_text(&j, "contents", shape_of(c));
    json_member_bool(&j, "predicted", c->predicted);
    bool counted = !c->no_counts;
    json_member_u64_if(&j, "lines", counted && !c->of_inspector, c->lines);
    json_member_u64(&j, "input_bytes", c->bytes);
    json_member_u64_if(&j, "op_lines", counted, c->ops);
    json_member_u64_if(&j, "deallocates", tells_frees(c), c->deallocates);
    json_member_u64_if(&j, "get_devices", tells_frees(c), c->get_devices);
    json_member_u64_if(&j, "blocks", counted, c->blocks);
    json_member_u64_if(&j, "submit_blocks", tells_submits(c), c->submit_blocks);
    json_member_u64_if(&j, "cache_hits", tells_submits(c) && !c->no_ops, c->cache_hits);
    json_member_u64_if(&j, "cache_misses", !c->no_log && !c->no_ops, c->cache_misses);
    json_names(&j, c, "programs", "name", c->programs.items, c->programs.len);
    json_names(&j, c, "modules", "stage", c->modules.items, c->modules.len);
    json_key(&j, "ranks");
    json_array(&j);
    for (size_t i = 0; i < c->ranks.len; i++) {
        json_object(&j);
        json_member_str(&j, "rank", strtab_get(&c->strings, c->ranks.items[i].name));
        json_member_u64(&j, "rank_index", i);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_member_text(&j, "chip", c->chip ? c->chip->name : NULL);
    json_key(&j, "pools");
    json_object(&j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        json_key(&j, pool_keys[pool]);
        const struct pool_config config = {.pool = (uint8_t)pool,
                                           .rest = c->config_rest[pool],
                                           .banks = c->config[pool].banks,
                                           .total = c->config[pool].total};
        if (c->has_config[pool]) json_pool_size(&j, &config);
        else json_null(&j);
    }
    json_object_end(&j);
    json_key(&j, "failures");
    json_array(&j);
    for (size_t i = 0; i < c->failures.entries.len; i++) {
        const struct failure_entry *entry = &c->failures.entries.items[i];
        json_object(&j);
        json_member_text(&j, "kind", failure_kind_name(entry->failure.kind));
        json_member_u64(&j, "line", entry->line);
        json_member_u64(&j, "count", entry->count);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_member_u64(&j, "failures_left_out", c->failures.left_out);
    json_member_u64(&j, "dropped_messages", c->dropped);
    json_key(&j, "missing");
    json_array(&j);
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        if (!is_missing(c, i)) continue;
        json_object(&j);
        json_member_text(&j, "what", lacks[i].what);
        json_member_text(&j, "setting", lacks[i].setting);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_member_text(&j, "cut_inside", ends[c->end].key);
    inspector_json(&j, c);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
