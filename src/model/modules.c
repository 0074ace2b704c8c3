/* Module dumps: the text between a heading and its END line, without the log lines that landed inside. */
#include "model/fold.h"
#include "scan/lines.h"

static const char *const stages[] = {
    "vhlo", "shlo", "shlo_frontend", "shlo_compiler", "shlo_set_mesh_attr", "shlo_compiler_cleaned",
    "ttir", "ttnn", "ttnn_runtime"};

static int stage_order(struct slice stage) {
    for (int i = 0; i < (int)(sizeof stages / sizeof *stages); i++)
        if (slice_equal(stage, slice_from(stages[i]))) return i;
    return -1;
}

/* The compilation that a dump is of: stages of one come in order; when one comes that is not behind the last of the same rank,
 * another graph is being compiled. */
static uint32_t set_of(struct fold *fold, const struct module *module) {
    const struct run *run = fold->run;
    for (size_t i = run->modules.len; i-- > 0;) {
        const struct module *last = &run->modules.items[i];
        if (last->rank != module->rank) continue;
        if (stage_order(module->stage) > stage_order(last->stage)) return last->set;
        break;
    }
    return fold->module_set++;
}

void module_begin(struct fold *fold, struct rank_state *rank, struct slice heading, uint64_t line) {
    struct run *run = fold->run;
    module_end(fold, rank, false);
    struct log_line read;
    logline_read(heading, &read);
    struct module module = {
        .stage = strtab_get(&run->strings, strtab_id(&run->strings, read.text)), .line = line, .rank = (uint16_t)rank->id};
    module.set = set_of(fold, &module);
    module.text.lines_stay = fold->bytes_stay;
    module.text.wants_ops = slice_starts(module.stage, SLICE("ttnn"));
    rank->module = run_write_module(&fold->writer, &module);
    strbuf_clear(&rank->torn);
}

void module_end(struct fold *fold, struct rank_state *rank, bool closed) {
    if (rank->module == NONE) return;
    struct module *module = &fold->run->modules.items[rank->module];
    module->closed = closed;
    /* before 2025-10-13 there was no END line: a body that closed its braces is whole */
    if (!closed && !module->text.body_closed) run_warn(fold->run, WARN_UNCLOSED_MODULE, module->line);
    module_finish(&module->text);
    rank->module = NONE;
}

static bool add_line(struct fold *fold, struct rank_state *rank, struct module *module, struct slice line) {
    struct slice tag = {0};
    line = logline_strip_prefix(line, &tag);
    if (!rank->torn.len) return module_line(&module->text, line);
    strbuf_add(&rank->torn, line);
    struct slice joined = arena_copy(&fold->run->arena, strbuf_slice(&rank->torn));
    strbuf_clear(&rank->torn);
    return module_line(&module->text, joined);
}

void module_add_text(struct fold *fold, struct rank_state *rank, struct slice text, uint64_t offset, bool torn) {
    /* a dump of the controller carries no tag while workers' lines do: text belongs to the dump of its own rank */
    if (rank->module == NONE) return;
    struct module *module = &fold->run->modules.items[rank->module];
    const char *start = text.ptr, *end = text.ptr + text.len, *p = start;
    while (p < end) {
        const char *line_start = p;
        bool ends;
        struct slice line = lines_take_part(&p, end, &ends);
        if (torn && p == end && line.ptr + line.len == end) {
            strbuf_add(&rank->torn, line);
            break;
        }
        if (!add_line(fold, rank, module, line)) {
            end = line_start; /* the body is closed and this is something else */
            torn = false;
            break;
        }
    }
    if (end > start) vec_push(&module->runs, ((struct text_run){offset, (uint64_t)(end - start), torn}));
    if (end != text.ptr + text.len) module_end(fold, rank, false);
}
