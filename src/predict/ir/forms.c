/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/ir/forms.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "model/module_lines.h"
#include "model/read.h"
#include "predict/ir/pieces.h"
#include "replay/ir/ir.h"

/* Programs that repeat change nothing after the second time. */
enum { MOST_REPEATS = 2 };

bool form_is_binary(struct slice bytes) { return bytes.len > 12 && memcmp(bytes.ptr + 8, "TTNN", 4) == 0; }

static uint32_t little_endian(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* A flatbuffer string is its length and then its bytes, at a multiple of 4. There may be one per stage: the longest one in
 * TTNN counts. */
struct slice form_binary_text(struct slice bytes) {
    struct slice best = slice_of("", 0);
    for (size_t at = 8; at + 4 < bytes.len;) {
        size_t len = little_endian(bytes.ptr + at), room = bytes.len - at - 4;
        struct slice text = slice_of(bytes.ptr + at + 4, len);
        at += 4;
        if (len <= best.len || len > room || (text.ptr[0] != '#' && memcmp(text.ptr, "module", len < 6 ? len : 6) != 0))
            continue;
        if (!module_is_ttnn(text)) continue;
        best = text;
        at += len / 4 * 4;
    }
    return best;
}

static void add_program(struct forms *forms, struct slice text, const char *path, uint32_t execution) {
    vec_push(&forms->programs, ((struct form_program){.text = text, .path = path, .execution = execution}));
}

static bool is_ttnn_stage(struct slice stage) {
    return slice_equal(stage, SLICE("ttnn")) || slice_equal(stage, SLICE("ttnn_runtime"));
}

/* Joins the lines of a module dump into one text. All texts of a log share a buffer, so they are made before anything points
 * into it. */
struct log_text {
    size_t start, len;
};

static void put_together(struct strbuf *held, const struct module *module, struct slice log, struct log_text *text) {
    struct module_lines lines;
    struct slice line;
    text->start = held->len;
    module_lines_init(&lines, module, log);
    while (module_lines_next(&lines, &line)) {
        strbuf_add(held, line);
        strbuf_addc(held, '\n');
    }
    module_lines_release(&lines);
    text->len = held->len - text->start;
}

static void add_in_order_of_runs(struct forms *forms, const struct form_file *file, const struct log_text *texts,
                                 const char *path) {
    const struct run *run = &file->run;
    uint32_t before = NONE, repeats = 0;
    for (uint32_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent != NONE || e->program == NONE || e->program >= run->programs.len) continue;
        uint32_t module = run->programs.items[e->program].module;
        if (module == NONE || !texts[module].len) continue;
        repeats = module == before ? repeats + 1 : 0;
        before = module;
        if (repeats < MOST_REPEATS)
            add_program(forms, slice_of(file->held.data + texts[module].start, texts[module].len), path, i);
    }
}

static void add_in_order_of_dumps(struct forms *forms, const struct form_file *file, const struct log_text *texts,
                                  const char *path) {
    uint32_t set = NONE;
    for (size_t i = 0; i < file->run.modules.len; i++) {
        if (!texts[i].len || file->run.modules.items[i].set == set) continue;
        set = file->run.modules.items[i].set;
        add_program(forms, slice_of(file->held.data + texts[i].start, texts[i].len), path, NONE);
    }
}

static int add_log(struct forms *forms, struct form_file *file, const char *path, struct err *err) {
    file->is_log = true;
    if (run_read(&file->run, &file->source, NULL, err) != 0) return -1;
    size_t before = forms->programs.len;
    struct log_text *texts = mem_zalloc(file->run.modules.len + 1, sizeof *texts);
    for (size_t i = 0; i < file->run.modules.len; i++)
        if (is_ttnn_stage(file->run.modules.items[i].stage))
            put_together(&file->held, &file->run.modules.items[i], file->source.bytes, &texts[i]);
    if (file->held.len) add_in_order_of_runs(forms, file, texts, path);
    if (file->held.len && forms->programs.len == before) add_in_order_of_dumps(forms, file, texts, path);
    free(texts);
    if (forms->programs.len > before) return 0;
    return err_set(err, ERR_LACKS,
                   "%s is a log without the dump of a TTNN module: set TTXLA_LOGGER_LEVEL=DEBUG, or " FORM_HOW_TO_GET, path);
}

bool forms_add_run(struct forms *forms, const struct run *run, const char *path) {
    struct form_file *file = mem_zalloc(1, sizeof *file);
    struct log_text *texts = mem_zalloc(run->modules.len + 1, sizeof *texts);
    file->source.fd = -1;
    vec_push(&forms->files, file);
    for (size_t i = 0; i < run->modules.len; i++) put_together(&file->held, &run->modules.items[i], run->text, &texts[i]);
    for (size_t i = 0; i < run->modules.len; i++)
        add_program(forms, slice_of(file->held.data + texts[i].start, texts[i].len), path, NONE);
    free(texts);
    return forms->programs.len > 0;
}

static int add_modules(struct forms *forms, struct slice text, const char *path, struct err *err) {
    struct module_pieces pieces = {0};
    module_pieces_find(&pieces, text);
    int rc = module_pieces_check(&pieces, path, err);
    for (size_t i = 0; rc == 0 && i < pieces.list.len; i++) {
        add_program(forms, pieces.list.items[i].text, path, NONE);
        vec_last(&forms->programs).lines_before = pieces.list.items[i].lines_before;
    }
    module_pieces_release(&pieces);
    return rc;
}

static int sum_bytes(struct forms *forms, struct form_file *file, const char *path, struct err *err) {
    struct slice bytes = file->source.bytes;
    if (!bytes.len) return err_set(err, ERR_LACKS, "%s is empty: " FORM_HOW_TO_GET, path);
    if (form_is_binary(bytes)) {
        struct slice text = form_binary_text(bytes);
        if (!text.len)
            return err_set(
                err, ERR_LACKS,
                "%s is a compiled binary without its module text: compile with debug information, or " FORM_HOW_TO_GET, path);
        add_program(forms, text, path, NONE);
        return 0;
    }
    if (slice_find(bytes, SLICE("MLIR Module ")) != SLICE_NONE) return add_log(forms, file, path, err);
    if (module_is_ttnn(bytes)) return add_modules(forms, bytes, path, err);
    /* arguments of a TTNN module have attributes of TTIR too; ops are quoted */
    if (slice_find(bytes, SLICE("\"ttir.")) != SLICE_NONE || slice_find(bytes, SLICE("stablehlo.")) != SLICE_NONE ||
        slice_find(bytes, SLICE("vhlo.")) != SLICE_NONE)
        return err_set(err, ERR_LACKS, "%s is a module without layouts yet (TTIR or StableHLO): " FORM_HOW_TO_GET, path);
    /* functions that only call others, or return their arguments: their arguments have layouts */
    if (slice_find(bytes, SLICE("func.func")) != SLICE_NONE && slice_find(bytes, SLICE("#ttnn.ttnn_")) != SLICE_NONE)
        return add_modules(forms, bytes, path, err);
    if (ir_looks_like_mlir(bytes)) return err_set(err, ERR_LACKS, "%s is a module without TTNN ops: " FORM_HOW_TO_GET, path);
    return err_set(err, ERR_LACKS, "%s holds no TTNN module: " FORM_HOW_TO_GET, path);
}

static int open_file(struct form_file *file, const char *path, struct err *err) {
    file->source.fd = -1;
    if (source_open(&file->source, path, err) != 0) return -1;
    const char *folder = getenv("TMPDIR");
    return file->source.mapped ? 0 : source_spool(&file->source, folder ? folder : "/tmp", err);
}

static int add_file(struct forms *forms, const char *path, struct err *err) {
    struct form_file *file = mem_zalloc(1, sizeof *file);
    vec_push(&forms->files, file);
    return open_file(file, path, err) != 0 ? -1 : sum_bytes(forms, file, file->source.path, err);
}

int form_log_read(struct form_file *file, const char *path, struct err *err) {
    *file = (struct form_file){.is_log = true};
    return open_file(file, path, err) != 0 ? -1 : run_read(&file->run, &file->source, NULL, err);
}

void form_file_release(struct form_file *file) {
    run_release(&file->run);
    source_release(&file->source);
    strbuf_release(&file->held);
}

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The newest file in irs/ whose name begins with this; its path in `found`. */
static bool newest_of(const char *folder, const char *prefix, char *found, size_t room) {
    char irs[PATH_MAX];
    if ((size_t)snprintf(irs, sizeof irs, "%s/irs", folder) >= sizeof irs) return false;
    DIR *dir = opendir(irs);
    struct timespec newest = {0};
    bool any = false;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[PATH_MAX];
        struct stat st;
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 || !slice_ends(slice_from(entry->d_name), SLICE(".mlir")))
            continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", irs, entry->d_name) >= sizeof path || stat(path, &st) != 0) continue;
        bool newer =
            st.st_mtim.tv_sec > newest.tv_sec || (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec > newest.tv_nsec);
        bool later = st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec == newest.tv_nsec && strcmp(path, found) > 0;
        if (any && !newer && !later) continue;
        any = (size_t)snprintf(found, room, "%s", path) < room;
        newest = st.st_mtim;
    }
    if (dir) closedir(dir);
    return any;
}

bool form_folder_module(const char *folder, struct strbuf *path) {
    char found[PATH_MAX] = "";
    bool whole = (size_t)snprintf(found, sizeof found, "%s/ttnn.mlir", folder) < sizeof found && is_file(found);
    if (!whole) {
        found[0] = '\0';
        whole = newest_of(folder, "ttnn_runtime_", found, sizeof found) || newest_of(folder, "ttnn_", found, sizeof found);
    }
    strbuf_clear(path);
    strbuf_addz(path, found);
    return whole;
}

static int add_folder(struct forms *forms, const char *folder, struct err *err) {
    struct strbuf path = {0};
    bool found = form_folder_module(folder, &path);
    int rc = found ? add_file(forms, strbuf_text(&path), err) : 0;
    strbuf_release(&path);
    if (found) return rc;
    return err_set(err, ERR_LACKS, "%s holds neither ttnn.mlir nor irs/ttnn_*.mlir: " FORM_HOW_TO_GET, folder);
}

int forms_add(struct forms *forms, const char *path, struct err *err) {
    struct stat st;
    bool folder = strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    return folder ? add_folder(forms, path, err) : add_file(forms, path, err);
}

const struct run *forms_log(const struct forms *forms) {
    for (size_t i = forms->files.len; i-- > 0;)
        if (forms->files.items[i]->is_log) return &forms->files.items[i]->run;
    return NULL;
}

void forms_release(struct forms *forms) {
    for (size_t i = 0; i < forms->files.len; i++) {
        form_file_release(forms->files.items[i]);
        free(forms->files.items[i]);
    }
    vec_release(&forms->files);
    vec_release(&forms->programs);
}
