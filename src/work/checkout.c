/* SPDX-License-Identifier: Apache-2.0 */
#include "work/checkout.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"

enum { LONGEST_PATH = 1024 };

static bool has_git(const char *folder) {
    char path[PATH_MAX + 8];
    struct stat st;
    size_t len = strlen(folder);
    if (len > PATH_MAX) return false;
    memcpy(path, folder, len);
    memcpy(path + len, "/.git", sizeof "/.git");
    return stat(path, &st) == 0;
}

void checkout_root(struct strbuf *root) {
    static const char *const variables[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"};
    char folder[PATH_MAX], here[PATH_MAX];
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (!value || value[0] != '/' || !realpath(value, folder)) continue;
        strbuf_addz(root, folder);
        return;
    }
    if (!getcwd(here, sizeof here)) return;
    memcpy(folder, here, sizeof here);
    for (char *slash; !has_git(folder); *slash = '\0') {
        slash = strrchr(folder, '/');
        if (slash && slash != folder) continue;
        strbuf_addz(root, here);
        return;
    }
    strbuf_addz(root, folder);
}

/* A plain path: no "." or "..", no empty name, no invisible byte. */
static bool is_plain(struct slice path) {
    if (!path.len || path.len > LONGEST_PATH) return false;
    for (size_t i = 0, begin = 0; i <= path.len; i++) {
        if (i < path.len && (unsigned char)path.ptr[i] < ' ') return false;
        if (i < path.len && path.ptr[i] != '/') continue;
        struct slice name = slice_of(path.ptr + begin, i - begin);
        if (!name.len || slice_equal(name, SLICE(".")) || slice_equal(name, SLICE(".."))) return false;
        begin = i + 1;
    }
    return true;
}

static bool is_file_below(const char *root, struct slice path) {
    struct strbuf whole = {0};
    struct stat st;
    strbuf_addf(&whole, "%s/", root);
    strbuf_add(&whole, path);
    bool is_file = stat(strbuf_text(&whole), &st) == 0 && S_ISREG(st.st_mode);
    strbuf_release(&whole);
    return is_file;
}

static struct slice below(const char *root, struct slice path) {
    struct slice folder = slice_from(root);
    if (!slice_starts(path, folder) || path.len <= folder.len + 1 || path.ptr[folder.len] != '/') return slice_of("", 0);
    return slice_skip(path, folder.len + 1);
}

/* The part of `path` that is a file of the checkout; or empty. */
static struct slice find_file(const char *root, struct slice path) {
    struct slice own = below(root, path);
    while (slice_starts(path, SLICE("./"))) path = slice_skip(path, 2);
    if (is_plain(own) && is_file_below(root, own)) return own;
    bool absolute = path.len && path.ptr[0] == '/';
    if (absolute) path = slice_skip(path, 1);
    if (!is_plain(path)) return slice_of("", 0);
    for (;;) {
        size_t slash = slice_find_byte(path, '/');
        /* a bare name exists in too many places to be certain, unless the log has nothing else */
        if (slash == SLICE_NONE && absolute) return slice_of("", 0);
        if (is_file_below(root, path)) return path;
        if (slash == SLICE_NONE) return slice_of("", 0);
        path = slice_skip(path, slash + 1);
        absolute = true;
    }
}

/* What can surround a path in a location. */
static bool ends_path(char c) { return strchr("|\"'()[]<>,; \t", c) != NULL; }

bool checkout_find(const char *root, struct slice location, struct strbuf *path, uint32_t *line) {
    size_t kept = path->len;
    bool found = false;
    for (size_t begin = 0, end; begin < location.len; begin = end + 1) {
        for (end = begin; end < location.len && !ends_path(location.ptr[end]);) end++;
        struct slice word = slice_of(location.ptr + begin, end - begin);
        size_t colon = slice_find_byte(word, ':');
        uint64_t number;
        if (colon == SLICE_NONE || !colon) continue;
        struct slice digits = slice_skip(word, colon + 1);
        size_t used = num_read_u64(digits, &number);
        if (!used || (used < digits.len && digits.ptr[used] != ':') || !number || number > INT_MAX) continue;
        struct slice file = find_file(root, slice_take(word, colon));
        if (!file.len) continue;
        path->len = kept;
        strbuf_add(path, file);
        *line = (uint32_t)number;
        found = true;
    }
    return found;
}

void checkout_relative(const char *root, const char *path, struct strbuf *out) {
    char real[PATH_MAX];
    struct slice own = realpath(path, real) ? below(root, slice_from(real)) : slice_of("", 0);
    strbuf_add(out, own.len ? own : slice_from(path));
}
