/* SPDX-License-Identifier: Apache-2.0 */
#include "source/cgroup.h"

#include <unistd.h>

#include "base/num.h"
#include "source/process.h"

/* Version 1 prints "no limit" as the largest multiple of a page. */
#define NO_LIMIT ((uint64_t)1 << 62)

struct names {
    const char *usage, *limit, *events;
};

static const struct names version_2 = {"memory.current", "memory.max", "memory.events"};
static const struct names version_1 = {"memory.usage_in_bytes", "memory.limit_in_bytes", "memory.oom_control"};

static bool there(const struct cgroup *cgroup) {
    struct strbuf path = {0};
    strbuf_addf(&path, "%.*s/%s", SLICE_FMT(strbuf_slice(&cgroup->folder)),
                (cgroup->version_1 ? &version_1 : &version_2)->usage);
    bool found = access(strbuf_text(&path), R_OK) == 0;
    strbuf_release(&path);
    return found;
}

static bool has_word(struct slice list, struct slice word) {
    while (list.len) {
        size_t comma = slice_find_byte(list, ',');
        if (slice_equal(slice_take(list, comma), word)) return true;
        if (comma == SLICE_NONE) return false;
        list = slice_skip(list, comma + 1);
    }
    return false;
}

/* Tries "<mount>[/memory|/unified]<path>", then its top. */
static bool try_folder(struct cgroup *cgroup, const char *mount, const char *room, struct slice path, bool is_version_1) {
    cgroup->version_1 = is_version_1;
    for (int top = 0; top < 2; top++) {
        strbuf_clear(&cgroup->folder);
        strbuf_addf(&cgroup->folder, "%s%s", mount, room);
        if (!top && path.len > 1) strbuf_add(&cgroup->folder, path);
        if (there(cgroup)) return true;
    }
    strbuf_clear(&cgroup->folder);
    return false;
}

/* Lines "0::/path" (version 2) and "4:memory:/path" (version 1). */
void cgroup_find(struct cgroup *cgroup, const char *proc, int pid, const char *mount) {
    *cgroup = (struct cgroup){0};
    char text[4096];
    struct slice rest = slice_of(text, process_read(proc, pid, "cgroup", text, sizeof text));
    while (rest.len) {
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_take(rest, end);
        rest = end == SLICE_NONE ? slice_of("", 0) : slice_skip(rest, end + 1);
        size_t first = slice_find_byte(line, ':');
        struct slice past = first == SLICE_NONE ? slice_of("", 0) : slice_skip(line, first + 1);
        size_t second = slice_find_byte(past, ':');
        if (second == SLICE_NONE) continue;
        struct slice path = slice_skip(past, second + 1);
        bool found = false;
        if (has_word(slice_take(past, second), SLICE("memory"))) found = try_folder(cgroup, mount, "/memory", path, true);
        else if (second == 0)
            found = try_folder(cgroup, mount, "", path, false) || try_folder(cgroup, mount, "/unified", path, false);
        if (found) return;
    }
}

static bool read_number(struct slice folder, const char *name, uint64_t *out) {
    struct strbuf path = {0};
    char text[64];
    strbuf_add(&path, folder);
    struct slice value = slice_of(text, process_read(strbuf_text(&path), 0, name, text, sizeof text));
    strbuf_release(&path);
    return num_read_u64(value, out) > 0;
}

static bool read_kills(const struct cgroup *cgroup, uint64_t *out) {
    const struct names *names = cgroup->version_1 ? &version_1 : &version_2;
    struct strbuf path = {0};
    char text[1024];
    strbuf_add(&path, strbuf_slice(&cgroup->folder));
    struct slice rest = slice_of(text, process_read(strbuf_text(&path), 0, names->events, text, sizeof text));
    strbuf_release(&path);
    while (rest.len) {
        if (slice_starts(rest, SLICE("oom_kill "))) return num_read_u64(slice_skip(rest, 9), out) > 0;
        size_t end = slice_find_byte(rest, '\n');
        if (end == SLICE_NONE) break;
        rest = slice_skip(rest, end + 1);
    }
    return false;
}

void cgroup_read(const struct cgroup *cgroup, struct cgroup_memory *out) {
    *out = (struct cgroup_memory){0};
    if (!cgroup->folder.len) return;
    const struct names *names = cgroup->version_1 ? &version_1 : &version_2;
    struct slice folder = strbuf_slice(&cgroup->folder);
    out->has_usage = read_number(folder, names->usage, &out->usage_bytes);
    out->has_kills = read_kills(cgroup, &out->kills);
    /* limits of enclosing cgroups apply too; above the mount there are no such files */
    for (uint64_t limit; folder.len > 1;) {
        if (read_number(folder, names->limit, &limit) && limit < NO_LIMIT && (!out->has_limit || limit < out->limit_bytes)) {
            out->has_limit = true;
            out->limit_bytes = limit;
        }
        const char *slash = memrchr(folder.ptr, '/', folder.len);
        if (!slash) break;
        folder = slice_between(folder.ptr, slash);
    }
}

void cgroup_release(struct cgroup *cgroup) { strbuf_release(&cgroup->folder); }
