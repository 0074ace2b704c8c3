/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_NAMES = 5000 };

void names_add(struct path_names *names, struct slice name) {
    char *copy = mem_alloc(name.len + 1);
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    vec_push(names, copy);
}

void names_release(struct path_names *names) {
    for (size_t i = 0; i < names->len; i++) free(names->items[i]);
    vec_release(names);
}

void expand_path(struct strbuf *out, const char *text) {
    const char *home = getenv("HOME");
    if (text[0] == '~' && (text[1] == '/' || !text[1]) && home && home[0]) {
        strbuf_addz(out, home);
        text++;
    }
    strbuf_addz(out, text);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool is_folder(const struct strbuf *folder, const char *name) {
    struct strbuf path = {0};
    struct stat st;
    strbuf_add(&path, strbuf_slice(folder));
    strbuf_addz(&path, name);
    bool yes = stat(strbuf_text(&path), &st) == 0 && S_ISDIR(st.st_mode);
    strbuf_release(&path);
    return yes;
}

void complete_path(struct path_names *out, const char *text) {
    const char *slash = strrchr(text, '/'), *start = slash ? slash + 1 : text;
    struct strbuf typed = {0}, folder = {0}, name = {0};
    strbuf_add(&typed, slice_between(text, start));
    expand_path(&folder, strbuf_text(&typed));
    DIR *dir = opendir(folder.len ? strbuf_text(&folder) : ".");
    struct dirent *entry;
    while (dir && out->len < MAX_NAMES && (entry = readdir(dir))) {
        if (!slice_starts(slice_from(entry->d_name), slice_from(start))) continue;
        if (entry->d_name[0] == '.' && start[0] != '.') continue;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        strbuf_clear(&name);
        strbuf_add(&name, strbuf_slice(&typed));
        strbuf_addz(&name, entry->d_name);
        if (is_folder(&folder, entry->d_name)) strbuf_addc(&name, '/');
        names_add(out, strbuf_slice(&name));
    }
    if (dir) closedir(dir);
    if (out->len) qsort(out->items, out->len, sizeof *out->items, by_name);
    strbuf_release(&typed);
    strbuf_release(&folder);
    strbuf_release(&name);
}

struct slice names_prefix(const struct path_names *names) {
    if (!names->len) return slice_of("", 0);
    struct slice prefix = slice_from(names->items[0]);
    for (size_t i = 1; i < names->len; i++) {
        size_t n = 0;
        while (n < prefix.len && names->items[i][n] == prefix.ptr[n]) n++;
        while (n && ((unsigned char)prefix.ptr[n] & 0xc0) == 0x80) n--;
        prefix.len = n;
    }
    return prefix;
}
