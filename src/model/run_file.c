/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run_file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "model/module_lines.h"

enum { MOST_SLICES = 6, ALIGNMENT = 16, FORMAT = 4, CHIPS = 2 };

/* Optional parts of a run. */
enum row_owner { OF_RUN, OF_HOST, OF_INSPECTOR, OF_KV, OWNERS };

static const struct {
    size_t pointer, size; /* pointer: offset in struct run; size: of what it points to */
} parts[OWNERS] = {[OF_HOST] = {offsetof(struct run, host), sizeof(struct host_record)},
                   [OF_INSPECTOR] = {offsetof(struct run, inspector), sizeof(struct inspector_facts)},
                   [OF_KV] = {offsetof(struct run, kv), sizeof(struct kv_cache)}};

/* The rows of one vector of a run. */
struct row_table {
    enum row_owner owner;
    size_t vec;                 /* offset of the vector in its owner */
    size_t size;                /* of a row */
    size_t slices[MOST_SLICES]; /* offsets + 1 of the texts in a row; 0 ends the list */
};

#define ROWS(member, type, ...)                                             \
    {                                                                       \
        OF_RUN, offsetof(struct run, member), sizeof(type), { __VA_ARGS__ } \
    }
#define HOST_ROWS(member, type, ...)                                                 \
    {                                                                                \
        OF_HOST, offsetof(struct host_record, member), sizeof(type), { __VA_ARGS__ } \
    }
#define TEXT(type, member) (offsetof(type, member) + 1)

static const struct row_table tables[] = {
    ROWS(strings.strings, struct slice, 1),
    ROWS(types, struct tensor_type, TEXT(struct tensor_type, text), TEXT(struct tensor_type, shape),
         TEXT(struct tensor_type, dtype), TEXT(struct tensor_type, grid), TEXT(struct tensor_type, memref),
         TEXT(struct tensor_type, storage)),
    ROWS(ops, struct op, 0),
    ROWS(refs, struct op_ref, 0),
    ROWS(steps, struct step, 0),
    ROWS(times, struct step_time, 0),
    ROWS(ends, uint32_t, 0),
    ROWS(blocks, struct block, 0),
    ROWS(rests, struct block_rest, 0),
    ROWS(configs, struct pool_config, 0),
    ROWS(executions, struct execution, 0),
    ROWS(programs, struct program, 0),
    ROWS(tensors, struct tensor, 0),
    ROWS(addresses, uint64_t, 0),
    ROWS(moves, uint32_t, 0),
    ROWS(regions, struct region, 0),
    ROWS(l1_areas, struct l1_area, 0),
    ROWS(registry, struct registry_entry, TEXT(struct registry_entry, name), TEXT(struct registry_entry, shape),
         TEXT(struct registry_entry, local_shape), TEXT(struct registry_entry, dtype)),
    ROWS(failures.entries, struct failure_entry, 0),
    ROWS(failure_sites, struct failure_site, 0),
    ROWS(failure_places, struct failure_place, 0),
    ROWS(alive_buffers, struct alive_buffer, 0),
    ROWS(notes.entries, struct failure_entry, 0),
    ROWS(note_sites, struct failure_site, 0),
    ROWS(ranks, struct rank, 0),
    ROWS(parts, struct run_part, 0),
    ROWS(records, uint32_t, 0),
    ROWS(argsets.sets, struct argset, 0),
    ROWS(argsets.members, uint32_t, 0),
    HOST_ROWS(processes, struct host_record_process, TEXT(struct host_record_process, name),
              TEXT(struct host_record_process, command)),
    HOST_ROWS(samples, struct host_record_sample, 0),
    HOST_ROWS(machine, struct host_record_machine, 0),
    {OF_INSPECTOR, offsetof(struct inspector_facts, pass_programs), sizeof(int64_t), {0}},
    {OF_INSPECTOR, offsetof(struct inspector_facts, op_programs), sizeof(uint32_t), {0}},
    {OF_INSPECTOR, offsetof(struct inspector_facts, slacks), sizeof(uint64_t), {0}},
    {OF_KV, offsetof(struct kv_cache, samples), sizeof(struct kv_sample), {0}},
};
enum { TABLES = sizeof tables / sizeof *tables };

/* Where bools are stored, because any byte other than 0 or 1 is invalid: in the rows of a vector, or (WHOLE) in their owner. */
struct flag_place {
    enum row_owner owner;
    size_t vec, at;
};
enum { WHOLE = SIZE_MAX >> 1 };
#define ROW_FLAG(rows, type, member) \
    { OF_RUN, offsetof(struct run, rows), offsetof(type, member) }

static const struct flag_place flags[] = {
    ROW_FLAG(types, struct tensor_type, logical_known),
    ROW_FLAG(types, struct tensor_type, has_layout),
    ROW_FLAG(types, struct tensor_type, tiled),
    ROW_FLAG(types, struct tensor_type, physical_known),
    ROW_FLAG(ops, struct op, truncated),
    ROW_FLAG(ops, struct op, frees_first_operand),
    ROW_FLAG(ops, struct op, may_return_input),
    ROW_FLAG(executions, struct execution, finished),
    ROW_FLAG(executions, struct execution, const_eval),
    ROW_FLAG(executions, struct execution, cache_miss),
    ROW_FLAG(tensors, struct tensor, kv_cache),
    ROW_FLAG(tensors, struct tensor, retained),
    ROW_FLAG(tensors, struct tensor, returned),
    ROW_FLAG(tensors, struct tensor, left),
    ROW_FLAG(tensors, struct tensor, bounded),
    ROW_FLAG(registry, struct registry_entry, kv_cache),
    ROW_FLAG(registry, struct registry_entry, bytes_known),
    ROW_FLAG(failures.entries, struct failure_entry, failure.warning),
    ROW_FLAG(failures.entries, struct failure_entry, failure.maybe_other),
    ROW_FLAG(failures.entries, struct failure_entry, failure.limit_is_page),
    ROW_FLAG(failures.entries, struct failure_entry, failure.unformatted),
    ROW_FLAG(failures.entries, struct failure_entry, failure.cut),
    ROW_FLAG(notes.entries, struct failure_entry, failure.warning),
    ROW_FLAG(notes.entries, struct failure_entry, failure.maybe_other),
    ROW_FLAG(notes.entries, struct failure_entry, failure.limit_is_page),
    ROW_FLAG(notes.entries, struct failure_entry, failure.unformatted),
    ROW_FLAG(notes.entries, struct failure_entry, failure.cut),
    ROW_FLAG(failure_sites, struct failure_site, stack_done),
    ROW_FLAG(failure_sites, struct failure_site, python_done),
    ROW_FLAG(note_sites, struct failure_site, python_done),
    ROW_FLAG(note_sites, struct failure_site, stack_done),
    ROW_FLAG(failure_places, struct failure_place, copy),
    {OF_HOST, offsetof(struct host_record, samples), offsetof(struct host_record_sample, gone)},
    {OF_HOST, WHOLE, offsetof(struct host_record, tied)},
    {OF_HOST, WHOLE, offsetof(struct host_record, l1_per_core)},
    {OF_HOST, WHOLE, offsetof(struct host_record, ended)},
    {OF_KV, WHOLE, offsetof(struct kv_cache, of_slots)},
    {OF_RUN, WHOLE, offsetof(struct run, tests_open)},
    {OF_RUN, WHOLE, offsetof(struct run, device_assumed)},
    {OF_RUN, WHOLE, offsetof(struct run, l1.told)},
};

/* If one of these sizes changes, check which parts are pointers: see write_rows, write_failures and read_run. */
_Static_assert(sizeof(struct failure_entry) == sizeof(struct failure) + 16 + sizeof(struct any_vec), "failures");

struct file_head {
    char magic[16];
    uint64_t make;  /* build of the program that wrote it */
    uint64_t check; /* hash of everything after the head */
    uint64_t run_bytes, texts, modules;
    uint64_t rows[TABLES];
};

/* The facts of a module; its text is among the texts. */
struct saved_module {
    struct slice stage, text;
    uint64_t line;
    uint32_t set;
    uint16_t rank;
    bool closed;
};

static const char magic[16] = "ttmem run file\n";

static uint64_t make_of_program(void) {
    uint64_t make = hash_mix(FORMAT, sizeof(struct run));
    for (size_t i = 0; i < TABLES; i++) make = hash_mix(make, tables[i].size);
    return hash_mix(make, sizeof(struct saved_module) + parts[OF_HOST].size + parts[OF_INSPECTOR].size + parts[OF_KV].size +
                              FAILURE_KINDS + FAILURE_NUMBERS * 1000 + RUN_ORIGINS * 1000000);
}

static char **part_of(const struct run *run, enum row_owner owner) { return (char **)((uintptr_t)run + parts[owner].pointer); }

/* NULL if the run has no such part. */
static struct any_vec *vec_of(const struct run *run, size_t table) {
    enum row_owner owner = tables[table].owner;
    uintptr_t at = owner == OF_RUN ? (uintptr_t)run : (uintptr_t)*part_of(run, owner);
    return at ? (struct any_vec *)(at + tables[table].vec) : NULL;
}

/* --- writing --- */

/* Rows that are stored as they are in memory are not copied: the body is the copied bytes with such rows in between. */
struct rows_between {
    size_t at; /* position in the copied bytes */
    struct slice rows;
};

struct saver {
    const struct run *run;
    struct strbuf body;      /* rows, in the order of the tables */
    size_t between_bytes;    /* total of `between` */
    struct strbuf texts;     /* what the slices point into, by offset */
    VEC(struct slice) added; /* strings after those of the run: texts of ops */
    VEC(struct rows_between) between;
};

static void pad(struct saver *s) {
    while ((s->body.len + s->between_bytes) % ALIGNMENT) strbuf_addc(&s->body, '\0');
}

static void save_slice(struct saver *s, char *at) {
    struct slice slice;
    memcpy(&slice, at, sizeof slice);
    uintptr_t offset = s->texts.len;
    strbuf_add(&s->texts, slice);
    slice.ptr = (const char *)offset;
    memcpy(at, &slice, sizeof slice);
}

static void write_rows(struct saver *s, size_t table, const char *rows, size_t count) {
    size_t size = tables[table].size, first = s->body.len;
    strbuf_add(&s->body, slice_of(rows, count * size));
    if (tables[table].slices[0])
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < MOST_SLICES && tables[table].slices[k]; k++)
                save_slice(s, s->body.data + first + i * size + tables[table].slices[k] - 1);
    pad(s);
}

/* Rows without texts, which stay in place until the file is written. */
static void write_rows_between(struct saver *s, struct slice rows) {
    if (rows.len) vec_push(&s->between, ((struct rows_between){s->body.len, rows}));
    s->between_bytes += rows.len;
    pad(s);
}

/* Copies texts in the log to the strings. */
static struct op *ops_with_texts(struct saver *s) {
    const struct run *run = s->run;
    struct op *ops = mem_alloc(run->ops.len * sizeof *ops + 1);
    if (run->ops.len) memcpy(ops, run->ops.items, run->ops.len * sizeof *ops);
    for (size_t i = 0; i < run->ops.len; i++) {
        struct slice text = run_op_text(run, &ops[i]);
        if (ops[i].text || !text.len) continue;
        ops[i].text = (uint32_t)(run->strings.strings.len + s->added.len);
        vec_push(&s->added, text);
    }
    return ops;
}

/* A constant text of the parser: its index + 1, 0 for none. */
static void save_constant(struct saver *s, const char **text) {
    uintptr_t place = *text ? s->texts.len + 1 : 0;
    strbuf_add(&s->texts, *text ? slice_of(*text, strlen(*text) + 1) : slice_of("", 0));
    *text = (const char *)place;
}

static void write_failures(struct saver *s, size_t table, const struct failure_set *set) {
    struct failure_entry *rows = mem_zalloc(set->entries.len + 1, sizeof *rows);
    for (size_t i = 0; i < set->entries.len; i++) {
        rows[i] = set->entries.items[i];
        save_constant(s, &rows[i].failure.rule);
        save_constant(s, &rows[i].failure.what);
        uintptr_t offset = s->texts.len;
        const char *ids = (const char *)rows[i].programs.items;
        strbuf_add(&s->texts, slice_of(ids ? ids : "", rows[i].programs.len * sizeof *rows[i].programs.items));
        rows[i].programs.items = (uint64_t *)offset;
    }
    write_rows(s, table, (const char *)rows, set->entries.len);
    free(rows);
}

static void write_modules(struct saver *s) {
    for (size_t i = 0; i < s->run->modules.len; i++) {
        const struct module *module = &s->run->modules.items[i];
        struct strbuf text = {0};
        struct module_lines lines;
        struct slice line;
        for (module_lines_init(&lines, module, s->run->text); module_lines_next(&lines, &line);) {
            strbuf_add(&text, line);
            strbuf_addc(&text, '\n');
        }
        module_lines_release(&lines);
        struct saved_module saved;
        memset(&saved, 0, sizeof saved);
        saved.stage = module->stage;
        saved.text = strbuf_slice(&text);
        saved.line = module->line;
        saved.set = module->set;
        saved.rank = module->rank;
        saved.closed = module->closed;
        save_slice(s, (char *)&saved.stage);
        save_slice(s, (char *)&saved.text);
        strbuf_add(&s->body, slice_of((const char *)&saved, sizeof saved));
        strbuf_release(&text);
    }
    pad(s);
}

/* Writes the run itself, for its counts; pointers mean nothing in a file. */
static void write_run(struct saver *s) {
    struct run copy = *s->run;
    struct slice chips[CHIPS] = {slice_from(copy.chip ? copy.chip->name : ""),
                                 slice_from(copy.logged_chip ? copy.logged_chip->name : "")};
    save_slice(s, (char *)&copy.mesh);
    strbuf_add(&s->body, slice_of((const char *)&copy, sizeof copy));
    pad(s);
    for (unsigned i = 0; i < CHIPS; i++) save_slice(s, (char *)&chips[i]);
    strbuf_add(&s->body, slice_of((const char *)chips, sizeof chips));
    pad(s);
    for (enum row_owner owner = OF_HOST; owner < OWNERS; owner++) {
        const char *part = *part_of(s->run, owner);
        if (part) strbuf_add(&s->body, slice_of(part, parts[owner].size));
        pad(s);
    }
}

static void write_body(struct saver *s, struct file_head *head) {
    const struct run *run = s->run;
    write_run(s);
    struct op *ops = ops_with_texts(s);
    for (size_t i = 0; i < TABLES; i++) {
        const struct any_vec *vec = vec_of(run, i);
        if (!vec) continue;
        head->rows[i] = vec->len;
        if (vec == (const void *)&run->strings.strings && s->added.len) {
            struct slice *all = mem_alloc((vec->len + s->added.len) * sizeof *all);
            if (vec->len) memcpy(all, vec->items, vec->len * sizeof *all);
            memcpy(all + vec->len, s->added.items, s->added.len * sizeof *all);
            head->rows[i] += s->added.len;
            write_rows(s, i, (const char *)all, head->rows[i]);
            free(all);
        } else if (vec == (const void *)&run->ops) {
            write_rows(s, i, (const char *)ops, vec->len);
        } else if (vec == (const void *)&run->failures.entries) {
            write_failures(s, i, &run->failures);
        } else if (vec == (const void *)&run->notes.entries) {
            write_failures(s, i, &run->notes);
        } else if (tables[i].slices[0]) {
            write_rows(s, i, vec->len ? vec->items : "", vec->len);
        } else {
            write_rows_between(s, slice_of(vec->len ? vec->items : "", vec->len * tables[i].size));
        }
    }
    write_modules(s);
    free(ops);
}

/* Iterates over the parts of the body: false after the last. `next` counts them. */
static bool body_part(const struct saver *s, size_t *next, struct slice *part) {
    size_t i = *next / 2, from = i ? s->between.items[i - 1].at : 0;
    size_t to = i < s->between.len ? s->between.items[i].at : s->body.len;
    if (*next > 2 * s->between.len) return false;
    *part = *next % 2 ? s->between.items[i].rows : slice_take(slice_skip(strbuf_slice(&s->body), from), to - from);
    ++*next;
    return true;
}

int run_file_write(const struct run *run, struct outfile *file, struct err *err) {
    struct saver s = {.run = run};
    struct file_head head;
    struct slice part;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    head.make = make_of_program();
    head.run_bytes = sizeof *run;
    head.modules = run->modules.len;
    write_body(&s, &head);
    head.texts = s.texts.len;
    struct hash_stream *check = hash_stream_new();
    for (size_t next = 0; body_part(&s, &next, &part);) hash_stream_add(check, part);
    head.check = hash_mix(hash_stream_end64(check), hash_bytes64(strbuf_slice(&s.texts)));
    int rc = outfile_write(file, slice_of((const char *)&head, sizeof head), err);
    for (size_t next = 0; rc == 0 && body_part(&s, &next, &part);) rc = outfile_write(file, part, err);
    if (rc == 0) rc = outfile_write(file, strbuf_slice(&s.texts), err);
    strbuf_release(&s.body);
    strbuf_release(&s.texts);
    vec_release(&s.added);
    vec_release(&s.between);
    return rc;
}

/* --- reading --- */

struct loader {
    struct run *run;
    struct slice body, texts;
    bool damaged;
};

static struct slice take(struct loader *l, uint64_t count, size_t size) {
    if (l->damaged || (size && count > l->body.len / size)) {
        l->damaged = true;
        return slice_of("", 0);
    }
    size_t bytes = (size_t)count * size, padded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct slice taken = slice_take(l->body, bytes);
    l->body = slice_skip(l->body, padded);
    return taken;
}

static bool load_slice(struct loader *l, char *at) {
    struct slice slice;
    memcpy(&slice, at, sizeof slice);
    uintptr_t offset = (uintptr_t)slice.ptr;
    if (offset > l->texts.len || slice.len > l->texts.len - offset) {
        l->damaged = true;
        slice = slice_of("", 0);
    } else {
        slice.ptr = l->texts.ptr + offset;
    }
    memcpy(at, &slice, sizeof slice);
    return !l->damaged;
}

/* Checks rows that begin at `from`, as stored in the file. */
static void check_flags(struct loader *l, enum row_owner owner, size_t vec, const char *from, size_t rows, size_t size) {
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (flags[i].owner != owner || flags[i].vec != vec) continue;
        for (size_t row = 0; row < rows; row++) l->damaged |= (unsigned char)from[row * size + flags[i].at] > 1;
    }
}

static void read_rows(struct loader *l, size_t table, uint64_t count) {
    size_t size = tables[table].size;
    struct slice rows = take(l, count, size);
    struct any_vec *vec = vec_of(l->run, table);
    if (!vec) return;
    *vec = (struct any_vec){0};
    if (l->damaged || !count) return;
    check_flags(l, tables[table].owner, tables[table].vec, rows.ptr, (size_t)count, size);
    vec->items = mem_alloc(rows.len);
    vec->len = vec->cap = (size_t)count;
    memcpy(vec->items, rows.ptr, rows.len);
    for (size_t i = 0; tables[table].slices[0] && i < vec->len; i++)
        for (size_t k = 0; k < MOST_SLICES && tables[table].slices[k]; k++)
            load_slice(l, vec->items + i * size + tables[table].slices[k] - 1);
}

static void load_constant(struct loader *l, const char **text) {
    uintptr_t place = (uintptr_t)*text;
    struct slice rest = slice_skip(l->texts, place && place - 1 < l->texts.len ? place - 1 : l->texts.len);
    *text = NULL;
    if (!place) return;
    if (slice_find_byte(rest, '\0') == SLICE_NONE) l->damaged = true;
    else *text = rest.ptr;
}

static bool ends(const char *text, size_t room) { return memchr(text, '\0', room) != NULL; }

/* Works for a damaged file too: nothing that is released may be a wild pointer. */
static void read_failures(struct loader *l, struct failure_set *set) {
    for (size_t i = 0; i < set->entries.len; i++) {
        struct failure_entry *entry = &set->entries.items[i];
        uintptr_t ids = (uintptr_t)entry->programs.items;
        size_t count = entry->programs.len;
        memset(&entry->programs, 0, sizeof entry->programs);
        load_constant(l, &entry->failure.rule);
        load_constant(l, &entry->failure.what);
        bool whole = ids <= l->texts.len && count <= (l->texts.len - ids) / sizeof(uint64_t);
        const struct failure *f = &entry->failure;
        if (!whole || !ends(f->core_range, sizeof f->core_range) || !ends(f->op, sizeof f->op) ||
            !ends(f->core_type, sizeof f->core_type) || !ends(f->words, sizeof f->words) ||
            !ends(f->subject, sizeof f->subject) || !ends(f->cgroup, sizeof f->cgroup) ||
            (unsigned)entry->failure.kind >= FAILURE_KINDS || (unsigned)entry->failure.pool > FAILURE_SYSTEM_MEMORY) {
            l->damaged = true;
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            uint64_t id;
            memcpy(&id, l->texts.ptr + ids + k * sizeof id, sizeof id);
            vec_push(&entry->programs, id);
        }
    }
}

static void read_module(struct loader *l, struct saved_module saved) {
    load_slice(l, (char *)&saved.stage);
    load_slice(l, (char *)&saved.text);
    struct module module = {
        .stage = saved.stage, .set = saved.set, .line = saved.line, .rank = saved.rank, .closed = saved.closed};
    module.text.lines_stay = true;
    module.text.wants_ops = slice_starts(module.stage, SLICE("ttnn"));
    vec_push(&module.runs, ((struct text_run){(uint64_t)(saved.text.ptr - l->texts.ptr), saved.text.len, false}));
    struct module_lines lines;
    struct slice line;
    for (module_lines_init(&lines, &module, l->texts); module_lines_next(&lines, &line);) module_line(&module.text, line);
    module_lines_release(&lines);
    module_finish(&module.text);
    vec_push(&l->run->modules, module);
}

static const struct chip *read_chip(struct loader *l, const char *at) {
    struct slice name;
    memcpy(&name, at, sizeof name);
    load_slice(l, (char *)&name);
    return name.len ? chip_find(name) : NULL;
}

/* Counts are taken over as stored; every pointer is rebuilt. */
static void read_run(struct loader *l) {
    struct slice bytes = take(l, 1, sizeof(struct run)), chips = take(l, CHIPS, sizeof(struct slice));
    struct run *run = l->run;
    if (!l->damaged) check_flags(l, OF_RUN, WHOLE, bytes.ptr, 1, sizeof *run);
    if (l->damaged) return;
    memcpy(run, bytes.ptr, sizeof *run);
    memset(&run->arena, 0, sizeof run->arena);
    memset(&run->strings, 0, sizeof run->strings);
    memset(&run->argsets, 0, sizeof run->argsets);
    memset(&run->failures.by_values, 0, sizeof run->failures.by_values);
    memset(&run->notes.by_values, 0, sizeof run->notes.by_values);
    memset(&run->modules, 0, sizeof run->modules);
    for (enum row_owner owner = OF_HOST; owner < OWNERS; owner++) {
        char **part = part_of(run, owner);
        bool has = *part != NULL;
        struct slice saved = take(l, has, parts[owner].size);
        if (has && !l->damaged) check_flags(l, owner, WHOLE, saved.ptr, 1, saved.len);
        *part = has && !l->damaged ? memcpy(mem_alloc(saved.len), saved.ptr, saved.len) : NULL;
    }
    if (run->host) memset(&run->host->arena, 0, sizeof run->host->arena);
    for (size_t i = 0; i < TABLES; i++)
        if (vec_of(run, i)) *vec_of(run, i) = (struct any_vec){0};
    load_slice(l, (char *)&run->mesh);
    run->chip = read_chip(l, chips.ptr);
    run->logged_chip = read_chip(l, chips.ptr + sizeof(struct slice));
    run->text = l->texts;
}

size_t run_file_head_bytes(void) { return sizeof(struct file_head); }

enum run_file_kind run_file_read(struct run *run, struct slice bytes) {
    struct file_head head;
    *run = (struct run){0};
    if (bytes.len < sizeof head) return RUN_FILE_OTHER;
    memcpy(&head, bytes.ptr, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.make != make_of_program() || head.run_bytes != sizeof *run)
        return RUN_FILE_OTHER;
    struct slice rest = slice_skip(bytes, sizeof head);
    if (head.texts > rest.len) return RUN_FILE_DAMAGED;
    struct loader l = {.run = run,
                       .body = slice_take(rest, rest.len - (size_t)head.texts),
                       .texts = slice_skip(rest, rest.len - (size_t)head.texts)};
    if (head.check != hash_mix(hash_bytes64(l.body), hash_bytes64(l.texts))) return RUN_FILE_DAMAGED;
    read_run(&l);
    for (size_t i = 0; i < TABLES; i++) read_rows(&l, i, head.rows[i]);
    read_failures(&l, &run->failures);
    read_failures(&l, &run->notes);
    struct slice modules = take(&l, head.modules, sizeof(struct saved_module));
    for (size_t i = 0; !l.damaged && i < head.modules; i++) {
        struct saved_module saved;
        memcpy(&saved, modules.ptr + i * sizeof saved, sizeof saved);
        if ((unsigned char)modules.ptr[i * sizeof saved + offsetof(struct saved_module, closed)] > 1) l.damaged = true;
        else read_module(&l, saved);
    }
    return l.damaged || !run_is_sound(run) ? RUN_FILE_DAMAGED : RUN_FILE_READ;
}
