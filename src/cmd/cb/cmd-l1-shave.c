/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem l1 shave: which changes to a source's parameters free the L1 that is missing. */
#include <sys/stat.h>

#include "base/json_write.h"
#include "base/num.h"
#include "cb/files/cb_tree.h"
#include "cb/show/cb_shave_text.h"
#include "cmd/cb/cb_options.h"
#include "cmd/line/emit.h"
#include "parse/failure/failure.h"

/* --- how much is missing --- */

/* By how much the buffers exceed the L1 of a core, or the address of the lowest L1 buffer. */
static bool overlap_of(const struct failure *f, uint64_t *over) {
    bool about = f->kind == FAILURE_CB_BEYOND_L1 || f->kind == FAILURE_DFB_BEYOND_L1 || f->kind == FAILURE_CB_CLASH ||
                 f->kind == FAILURE_DFB_CLASH;
    enum failure_number limit = failure_knows(f, FAILURE_L1_ADDRESS) ? FAILURE_L1_ADDRESS : FAILURE_LIMIT;
    if (!about || !failure_knows(f, FAILURE_REGION_END) || !failure_knows(f, limit)) return false;
    if (f->number[FAILURE_REGION_END] <= f->number[limit]) return false;
    *over = f->number[FAILURE_REGION_END] - f->number[limit];
    return true;
}

/* The largest overlap that the text reports. */
static bool largest_overlap(struct slice text, struct failure *worst, uint64_t *over) {
    struct failure f;
    bool found = false;
    for (size_t at = 0; failure_next(text, at, &f); at = f.at + (f.length ? f.length : 1)) {
        uint64_t bytes;
        if (!overlap_of(&f, &bytes) || (found && bytes <= *over)) continue;
        *over = bytes;
        *worst = f;
        found = true;
    }
    return found;
}

static int read_message(const char *given, struct failure *worst, uint64_t *over, struct err *err) {
    struct stat st;
    struct slice text = slice_from(given), file = {0};
    if (stat(given, &st) == 0 && S_ISREG(st.st_mode)) {
        if (read_whole(given, &file, err) != 0) return -1;
        text = file;
    }
    bool found = largest_overlap(text, worst, over);
    free((void *)(uintptr_t)file.ptr);
    if (!found)
        return err_set(err, ERR_LACKS,
                       "--message: no overlap of buffers in it; a message such as \"circular buffers ... grow to N B "
                       "which is beyond max L1 size of M B\" or \"... clash with L1 buffers ...\" has one");
    return 0;
}

static int read_over(const struct args *args, struct failure *worst, uint64_t *over, struct err *err) {
    const char *given = args_text(args, "over"), *message = args_text(args, "message");
    if (!given == !message) return err_set(err, ERR_USAGE, "give --over BYTES or --message TEXT");
    if (message) return read_message(message, worst, over, err);
    int64_t bytes;
    if (!cb_set_number(slice_from(given), &bytes) || bytes < 1)
        return err_set(err, ERR_USAGE, "--over takes a number of bytes, not '%s'", given);
    *over = (uint64_t)bytes;
    return 0;
}

/* --- evaluating --- */

struct rescan {
    const char *path;
    const struct chip *chip;
    struct slice text; /* of the source, once scanned */
};

/* --source may be a folder with one source in it. */
static int read_source(struct rescan *r, struct slice inside, struct err *err) {
    struct stat st;
    struct strbuf path = {0};
    bool folder = stat(r->path, &st) == 0 && S_ISDIR(st.st_mode);
    strbuf_add(&path, folder ? inside : slice_from(r->path));
    int rc = read_whole(strbuf_text(&path), &r->text, err);
    strbuf_release(&path);
    return rc;
}

static int rescan(void *ctx, const struct cb_set *sets, size_t n, struct cb_file *file, struct err *err) {
    struct rescan *r = ctx;
    struct cb_tree tree;
    struct cb_tree_options options = {.sets = sets, .n_sets = n, .chip = r->chip, .keep_all = true};
    if (cb_tree_scan(&tree, &r->path, 1, &options, err) != 0) return -1;
    int rc = 0;
    if (tree.files.len == 1) {
        *file = tree.files.items[0];
        tree.files.len = 0; /* it moves to the caller */
        rc = r->text.ptr ? 0 : read_source(r, file->path, err);
        file->path = slice_from(r->path);
        if (rc != 0) cb_file_release(file);
    } else {
        rc = err_set(err, ERR_USAGE, "--source takes one source, but '%s' has %zu", r->path, tree.files.len);
    }
    cb_tree_release(&tree);
    return rc;
}

static void write_result(struct invocation *inv, struct strbuf *text, const struct shave *shave, const struct failure *worst) {
    if (args_has(&inv->args, "json")) {
        struct json j = {.out = text, .pretty = true};
        json_document(&j);
        json_member_text(&j, "source", args_text(&inv->args, "source"));
        json_member_text(&j, "op_name", worst->op[0] ? worst->op : NULL);
        json_member_text(&j, "core_range", worst->core_range[0] ? worst->core_range : NULL);
        cb_shave_json(&j, shave);
        json_object_end(&j);
        strbuf_addc(text, '\n');
        return;
    }
    if (worst->op[0]) {
        term_text(text, &inv->work.out, slice_from(worst->op), 0);
        strbuf_addz(text, ": ");
    }
    cb_shave_text(text, &inv->work.out, shave);
}

static int run(struct invocation *inv, struct err *err) {
    struct rescan source = {.path = args_text(&inv->args, "source"), .chip = cb_chip(&inv->args, err)};
    struct failure worst = {0};
    struct shave_request request = {
        .function = args_text(&inv->args, "program"), .scan = rescan, .ctx = &source, .text = &source.text};
    struct cb_set *sets = NULL;
    if (!source.path) return err_set(err, ERR_USAGE, "give the host source with --source FILE");
    if (!source.chip || read_over(&inv->args, &worst, &request.over, err) != 0) return -1;
    if (cb_sets_parse(&inv->args, &sets, &request.n_sets, err) != 0) return -1;
    request.sets = sets;
    request.chip = source.chip;
    struct shave shave;
    int rc = cb_shave(&shave, &request, err);
    if (rc == 0) {
        struct strbuf text = {0};
        write_result(inv, &text, &shave, &worst);
        rc = emit_answer(inv, strbuf_slice(&text), !args_has(&inv->args, "json"), err);
        if (rc == 0 && !shave.smallest) rc = 1;
        strbuf_release(&text);
    }
    cb_shave_release(&shave);
    free((void *)(uintptr_t)source.text.ptr);
    free(sets);
    return rc;
}

static const struct option options[] = {
    {"source", 0, OPTION_TEXT, "FILE", "the host source whose buffers do not fit"},
    {"over", 0, OPTION_TEXT, "BYTES", "by how many bytes per core the buffers exceed L1"},
    {"message", 0, OPTION_TEXT, "TEXT or LOG", "take the bytes from a failure message, given as text or as a log that has one"},
    {"set", 0, OPTION_LIST, "NAME=VALUE", "a value of the run that failed: a number, true, false or a data format"},
    {"program", 0, OPTION_TEXT, "FUNCTION", "the function that makes the program; by default the one that needs most"},
    OPTION_DEVICE("wormhole (default), blackhole, grayskull, quasar, or a board"),
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_l1_shave = {
    .name = "l1 shave",
    .summary = "Find the parameters to change so that L1 buffers fit",
    .synopsis = "--source FILE (--over BYTES | --message TEXT|LOG) [--set NAME=VALUE] [--json] [options]",
    .details =
        "Smaller values of what --set gives, of constants and of data formats are tried one by one: each is evaluated by "
        "scanning the source again. Ends with the smallest change that frees enough, and what it costs: the one with the "
        "fewest values that keeps the data format, if possible, and reduces its values by the smallest factor. Without --set, "
        "sizes that depend on values of the run are only ranges, and there may be nothing to change.",
    .example = "ttmem l1 shave --source matmul.cpp --over 65536 --set in0_block_w=8",
    .options = options,
    .run = run,
};
