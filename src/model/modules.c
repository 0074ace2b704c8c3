/* SPDX-License-Identifier: Apache-2.0 */
/* Module dumps: the text between a heading and its END line, without the log lines that landed inside. */
#include "model/fold.h"
#include "model/module_lines.h"
#include "scan/lines.h"

static const char *const stages[] = {
    "vhlo", "shlo", "shlo_frontend", "shlo_compiler", "shlo_set_mesh_attr", "shlo_compiler_cleaned",
    "ttir", "ttnn", "ttnn_runtime"};

static int stage_order(struct slice stage) {
    for (int i = 0; i < (int)(sizeof stages / sizeof *stages); i++)
        if (slice_equal(stage, slice_from(stages[i]))) return i;
    return -1;
}

/* The compilation that a dump belongs to: its stages come in order; a stage that is not after the writer's last one means
 * that another graph is being compiled. */
static uint32_t set_of(struct fold *fold, const struct module *module) {
    const struct run *run = fold->run;
    for (size_t i = run->modules.len; i-- > fold->first_module;) {
        const struct module *last = &run->modules.items[i];
        if (!slice_equal(last->tag, module->tag)) continue;
        if (stage_order(module->stage) > stage_order(last->stage)) return last->set;
        break;
    }
    return fold->module_set++;
}

/* Prefix parts that any line can have: text with no others needs no second look. */
enum { PLAIN_PARTS = PREFIX_PAINT | PREFIX_MPI | PREFIX_ISO_TIME };

static void end_dump(struct fold *fold, struct dump *dump, bool closed) {
    if (dump->module == NONE) return;
    struct module *module = &fold->run->modules.items[dump->module];
    module->closed = closed;
    /* before 2025-10-13 there was no END line: a dump with balanced braces is complete */
    if (!closed && !module->text.body_closed) run_warn(fold->run, WARN_UNCLOSED_MODULE, module->line);
    module_finish(&module->text);
    dump->module = NONE;
    strbuf_clear(&dump->torn);
}

/* The open dump of a writer that is known by more than MPI's tag. */
static struct dump *prefixed_dump(struct fold *fold, struct slice tag) {
    for (size_t i = 0; i < fold->dumps.len; i++)
        if (fold->dumps.items[i].module != NONE && slice_equal(fold->run->modules.items[fold->dumps.items[i].module].tag, tag))
            return &fold->dumps.items[i];
    return NULL;
}

static struct dump *free_dump(struct fold *fold) {
    for (size_t i = 0; i < fold->dumps.len; i++)
        if (fold->dumps.items[i].module == NONE) return &fold->dumps.items[i];
    vec_push(&fold->dumps, ((struct dump){.module = NONE}));
    return &vec_last(&fold->dumps);
}

bool module_is_open(const struct fold *fold, const struct rank_state *rank) {
    if (rank->dump.module != NONE) return true;
    for (size_t i = 0; i < fold->dumps.len; i++)
        if (fold->dumps.items[i].module != NONE) return true;
    return false;
}

void module_begin(struct fold *fold, struct rank_state *rank, struct slice heading, uint64_t line) {
    struct run *run = fold->run;
    struct log_line read;
    logline_read(heading, &read);
    struct line_prefix prefix = logline_dump_prefix(heading);
    bool unknown = prefix.len && !prefix.parts, plain = !unknown && !(prefix.parts & ~(uint32_t)PLAIN_PARTS);
    struct module module = {
        .stage = strtab_get(&run->strings, strtab_id(&run->strings, read.text)), .line = line, .rank = (uint16_t)rank->id};
    char room[PREFIX_TAG_ROOM];
    module.tag = strtab_get(&run->strings, strtab_id(&run->strings, line_prefix_writer(&prefix, room)));
    if (unknown) module.prefix = strtab_get(&run->strings, strtab_id(&run->strings, slice_take(heading, prefix.len)));
    else if (!plain) module.prefix_parts = prefix.parts;
    struct dump *dump = &rank->dump;
    if (!plain) {
        struct dump *known = prefixed_dump(fold, module.tag);
        dump = known ? known : free_dump(fold);
    }
    end_dump(fold, dump, false);
    module.set = set_of(fold, &module);
    module.text.lines_stay = fold->stays.len > 0;
    module.text.wants_ops = slice_starts(module.stage, SLICE("ttnn"));
    dump->module = run_write_module(&fold->writer, &module);
}

void module_end(struct fold *fold, struct rank_state *rank, struct slice tag) {
    struct dump *dump = prefixed_dump(fold, tag);
    end_dump(fold, dump ? dump : &rank->dump, true);
}

void modules_finish(struct fold *fold) {
    for (size_t i = fold->first_state; i < fold->state_count; i++) {
        end_dump(fold, &fold->state[i].dump, false);
        strbuf_release(&fold->state[i].dump.torn);
    }
    for (size_t i = 0; i < fold->dumps.len; i++) {
        end_dump(fold, &fold->dumps.items[i], false);
        strbuf_release(&fold->dumps.items[i].torn);
    }
    vec_release(&fold->dumps);
}

void module_is_over(struct fold *fold, struct rank_state *rank) {
    struct dump *dump = &rank->dump;
    if (dump->module != NONE && fold->run->modules.items[dump->module].text.body_closed) end_dump(fold, dump, false);
}

static void keep(struct fold *fold, uint64_t offset, struct slice text) {
    if (fold->kept) kept_text_add(fold->kept, offset, text);
}

/* False: the dump is complete and this line is something else. */
static bool add_line(struct fold *fold, struct dump *dump, struct module *module, struct slice line) {
    if (!dump->torn.len) return module_line(&module->text, line);
    strbuf_add(&dump->torn, line);
    struct slice joined = arena_copy(&fold->run->arena, strbuf_slice(&dump->torn));
    strbuf_clear(&dump->torn);
    return module_line(&module->text, joined);
}

static void add_plain(struct fold *fold, struct dump *dump, struct slice text, uint64_t offset, bool torn) {
    struct module *module = &fold->run->modules.items[dump->module];
    const char *start = text.ptr, *end = text.ptr + text.len, *p = start;
    while (p < end) {
        const char *line_start = p;
        bool ends;
        struct slice line = lines_take_part(&p, end, &ends);
        if (torn && p == end && line.ptr + line.len == end) {
            strbuf_add(&dump->torn, line);
            break;
        }
        module_own_line(module, &line);
        if (!add_line(fold, dump, module, line)) {
            end = line_start;
            torn = false;
            break;
        }
    }
    if (end > start) {
        vec_push(&module->runs, ((struct text_run){offset, (uint64_t)(end - start), torn}));
        keep(fold, offset, slice_between(start, end));
    }
    if (end != text.ptr + text.len) end_dump(fold, dump, false);
}

/* Adds a line if it belongs to this dump; false if not. */
static bool add_own(struct fold *fold, struct dump *dump, struct slice line, uint64_t offset, bool torn) {
    struct module *module = &fold->run->modules.items[dump->module];
    struct slice own = line;
    if (!module_own_line(module, &own)) return false;
    if (line_prefix_is_logger(own)) return true; /* landed inside */
    if (torn) strbuf_add(&dump->torn, own);
    else if (!add_line(fold, dump, module, own)) {
        end_dump(fold, dump, false);
        return true;
    }
    struct text_run *last = module->runs.len ? &vec_last(&module->runs) : NULL;
    enum { LONGEST_LINE_END = 2 };
    bool goes_on = last && !last->torn && !torn && offset - (last->offset + last->length) <= LONGEST_LINE_END;
    if (!goes_on) {
        vec_push(&module->runs, ((struct text_run){offset, line.len, torn}));
        keep(fold, offset, line);
        return true;
    }
    static const char line_end[LONGEST_LINE_END + 1] = "\r\n"; /* not part of either line */
    size_t gap = (size_t)(offset - (last->offset + last->length));
    keep(fold, offset - gap, slice_of(line_end + LONGEST_LINE_END - gap, gap));
    keep(fold, offset, line);
    last->length = offset + line.len - last->offset;
    return true;
}

static void add_prefixed(struct fold *fold, struct slice text, uint64_t offset, bool torn) {
    const char *at = text.ptr, *end = at + text.len;
    while (at < end) {
        bool ends, taken = false;
        struct slice line = lines_take_part(&at, end, &ends);
        for (size_t i = 0; i < fold->dumps.len && !taken; i++)
            if (fold->dumps.items[i].module != NONE)
                taken = add_own(fold, &fold->dumps.items[i], line, offset + (uint64_t)(line.ptr - text.ptr), torn && at == end);
    }
}

void module_add_text(struct fold *fold, struct rank_state *rank, struct slice text, uint64_t offset, bool torn) {
    /* the piece is only borrowed */
    if (offset + text.len <= fold->stays.len) text.ptr = fold->stays.ptr + offset;
    /* a dump of the controller has no tag while workers' lines do: text belongs to the dump of its own rank */
    if (rank->dump.module != NONE) add_plain(fold, &rank->dump, text, offset, torn);
    else if (fold->dumps.len) add_prefixed(fold, text, offset, torn);
}
