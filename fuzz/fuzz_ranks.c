/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the files of one run: logs of ranks, files of one process's loggers, rank_bindings.yaml, one log with lines that
 * mpirun tore. A line "=== NAME" begins a file; what stands before the first is run.log. What is told does not depend on the
 * number of threads, and nothing that is printed holds a control byte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "input/input.h"
#include "render/answer/summary_text.h"
#include "render/json/summary_json.h"
#include "render/ranks/ranks_report.h"

enum { MOST_FILES = 12, LONGEST_NAME = 40 };

static char folder[64];

static void remove_folder(void) { rmdir(folder); }

static void refuse_control_bytes(const struct strbuf *text) {
    for (size_t i = 0; i < text->len; i++)
        if ((unsigned char)text->data[i] < 0x20 && text->data[i] != '\n') abort();
}

struct files {
    struct strbuf paths[MOST_FILES], folders[MOST_FILES];
    size_t count;
};

/* Letters, digits, dots, underscores and one slash that divides two names. */
static bool read_name(struct slice word, struct strbuf *inner, struct strbuf *path) {
    bool divided = false;
    for (size_t i = 0; i < word.len && i < LONGEST_NAME; i++) {
        char c = word.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (c == '/' && path->len && !divided && i + 1 < word.len) {
            divided = true;
            strbuf_addf(inner, "%s/%s", folder, strbuf_text(path));
            strbuf_addc(path, '/');
        } else if (letter && !(c == '.' && (!path->len || path->data[path->len - 1] == '/'))) {
            strbuf_addc(path, c);
        }
    }
    return path->len && path->data[path->len - 1] != '/';
}

static void write_file(struct files *files, struct slice name, struct slice text) {
    struct strbuf path = {0}, inner = {0}, whole = {0};
    if (files->count < MOST_FILES && read_name(name, &inner, &path)) {
        strbuf_addf(&whole, "%s/%s", folder, strbuf_text(&path));
        if (inner.len) mkdir(strbuf_text(&inner), 0700);
        FILE *out = fopen(strbuf_text(&whole), "w");
        if (out) {
            fwrite(text.ptr, 1, text.len, out);
            fclose(out);
        }
        files->paths[files->count] = whole;
        files->folders[files->count++] = inner;
    } else {
        strbuf_release(&whole);
        strbuf_release(&inner);
    }
    strbuf_release(&path);
}

static void write_files(struct files *files, struct slice rest) {
    struct slice name = SLICE("run.log"), mark = SLICE("=== ");
    for (bool named = false; rest.len; named = true) {
        size_t end = 0;
        while (end < rest.len && !slice_starts(slice_skip(rest, end), mark)) {
            size_t line = slice_find_byte(slice_skip(rest, end), '\n');
            end = line == SLICE_NONE ? rest.len : end + line + 1;
        }
        if (end || named) write_file(files, name, slice_take(rest, end));
        rest = slice_skip(rest, end);
        if (!rest.len) return;
        size_t line = slice_find_byte(rest, '\n');
        struct slice head = slice_take(rest, line);
        name = slice_skip(head, mark.len);
        rest = slice_skip(rest, head.len + (line != SLICE_NONE));
    }
}

static void remove_files(struct files *files) {
    for (size_t i = 0; i < files->count; i++) unlink(strbuf_text(&files->paths[i]));
    for (size_t i = 0; i < files->count; i++) {
        if (files->folders[i].len) rmdir(strbuf_text(&files->folders[i]));
        strbuf_release(&files->paths[i]);
        strbuf_release(&files->folders[i]);
    }
}

static void tell(struct strbuf *out, const struct run *run) {
    struct overview overview;
    struct rank_rows rows;
    struct rank_whys whys;
    struct term term = {.utf8 = true, .columns = 80};
    struct strbuf text = {0};
    overview_make(run, &overview);
    rank_rows_make(run, &overview, &rows);
    rank_whys_make(run, &overview, &rows, 3, &whys);
    struct ranks_page page = {.run = run, .rows = &rows, .whys = &whys};
    if (whys.items.len && !whys.items.items[0].first) page.why = &whys.items.items[0].diff;
    ranks_text(&text, &term, &page);
    ranks_json(out, &page);
    summary_text(&text, &term, run, &overview, &(struct summary_source){SLICE("fuzz"), "fuzz.log"});
    summary_json(out, run, &overview, &(struct summary_origin){.name = SLICE("fuzz"), .path = SLICE("fuzz.log")}, false);
    refuse_control_bytes(&text);
    refuse_control_bytes(out);
    rank_whys_release(&whys);
    rank_rows_release(&rows);
    overview_release(&overview);
    strbuf_release(&text);
}

static void read_with(const char *threads, const struct files *files, struct strbuf *out) {
    struct input in;
    struct err err = {0};
    setenv("TTMEM_THREADS", threads, 1);
    if (input_open(&in, files->count == 1 ? files->paths[0].data : folder, &(struct input_options){0}, &err) != 0) {
        strbuf_addz(out, err.text);
        return;
    }
    strbuf_add(out, strbuf_slice(&in.notes));
    if (input_check(&in, &err) == 0) tell(out, &in.run);
    input_release(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool made;
    if (!made) {
        strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/ttmem-fuzz-XXXXXX" : "/tmp/ttmem-fuzz-XXXXXX");
        if (!mkdtemp(folder)) abort();
        atexit(remove_folder);
        made = true;
    }
    struct files files = {.count = 0};
    struct strbuf one = {0}, three = {0};
    write_files(&files, slice_of((const char *)data, size));
    if (files.count) {
        read_with("1", &files, &one);
        read_with("3", &files, &three);
        if (!slice_equal(strbuf_slice(&one), strbuf_slice(&three))) {
            fprintf(stderr, "with one thread:\n%.*s\nwith three:\n%.*s\n", SLICE_FMT(strbuf_slice(&one)),
                    SLICE_FMT(strbuf_slice(&three)));
            abort();
        }
    }
    remove_files(&files);
    strbuf_release(&one);
    strbuf_release(&three);
    return 0;
}
