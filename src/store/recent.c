/* SPDX-License-Identifier: Apache-2.0 */
#include "store/recent.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/outfile.h"
#include "store/report.h"

enum { MAX_BYTES = 1 << 20 };

static const struct {
    const char *file;
    bool is_path;
} kinds[] = {[RECENT_LOGS] = {"recent_logs", true},
             [RECENT_SCRIPTS] = {"recent_scripts", true},
             [RECENT_ARGUMENTS] = {"recent_arguments", false},
             [RECENT_REPORTS] = {"recent_reports", true}};

static bool file_name(struct strbuf *out, enum recent_kind kind) {
    if (ttmem_home(out, NULL) != 0) return false;
    strbuf_addf(out, "/%s", kinds[kind].file);
    return true;
}

void recent_lines(struct strbuf *out, enum recent_kind kind) {
    struct strbuf path = {0};
    int fd = file_name(&path, kind) ? open(strbuf_text(&path), O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        ssize_t n = read(fd, strbuf_room(out, MAX_BYTES), MAX_BYTES);
        if (n > 0) strbuf_took(out, (size_t)n);
        if (n > 0 && out->data[out->len - 1] != '\n') strbuf_addc(out, '\n');
        close(fd);
    }
    strbuf_release(&path);
}

void recent_add(const char *entry, enum recent_kind kind) {
    char real[PATH_MAX];
    if (kinds[kind].is_path && !realpath(entry, real)) return;
    const char *line_text = kinds[kind].is_path ? real : entry;
    if (!line_text[0] || strchr(line_text, '\n')) return;
    struct strbuf name = {0}, old = {0}, text = {0};
    struct outfile file;
    recent_lines(&old, kind);
    strbuf_addf(&text, "%s\n", line_text);
    struct slice rest = strbuf_slice(&old);
    for (unsigned count = 1; rest.len && count < RECENT_MAX;) {
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_take(rest, end);
        rest = slice_skip(rest, end + 1);
        if (!line.len || slice_equal(line, slice_from(line_text))) continue;
        strbuf_add(&text, line);
        strbuf_addc(&text, '\n');
        count++;
    }
    struct strbuf home = {0};
    if (file_name(&name, kind) && ttmem_home(&home, NULL) == 0 && make_folders(strbuf_text(&home), NULL) == 0 &&
        outfile_open(&file, strbuf_text(&name), NULL) == 0) {
        if (outfile_write(&file, strbuf_slice(&text), NULL) == 0) outfile_commit(&file, NULL);
        else outfile_abort(&file);
    }
    strbuf_release(&home);
    strbuf_release(&name);
    strbuf_release(&old);
    strbuf_release(&text);
}
