/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mcp/roots.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"

int roots_add(struct roots *roots, const char *folder, struct err *err) {
    char *real = realpath(folder, NULL);
    if (!real) return err_set_errno(err, ERR_INPUT, "cannot read the folder '%.500s'", folder);
    vec_push(&roots->folders, real);
    return 0;
}

void roots_release(struct roots *roots) {
    for (size_t i = 0; i < roots->folders.len; i++) free(roots->folders.items[i]);
    vec_release(&roots->folders);
}

static bool is_inside(const char *path, const char *folder) {
    size_t len = strlen(folder);
    while (len && folder[len - 1] == '/') len--;
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || !path[len]);
}

/* Inside, or missing, which the code that opens it reports. */
static bool is_allowed(const struct roots *roots, const char *path) {
    char *real = realpath(path, NULL);
    bool inside = !real;
    for (size_t i = 0; real && i < roots->folders.len; i++) inside |= is_inside(real, roots->folders.items[i]);
    free(real);
    return inside;
}

/* A link in a folder may lead elsewhere. */
static bool has_outside_link(const struct roots *roots, const char *path) {
    DIR *folder = opendir(path);
    struct strbuf inner = {0};
    bool outside = false;
    for (struct dirent *entry; folder && !outside && (entry = readdir(folder));) {
        if (entry->d_type != DT_LNK) continue;
        strbuf_clear(&inner);
        strbuf_addf(&inner, "%s/%s", path, entry->d_name);
        outside = !is_allowed(roots, strbuf_text(&inner));
    }
    strbuf_release(&inner);
    if (folder) closedir(folder);
    return outside;
}

int roots_check(const struct roots *roots, const char *path, struct err *err) {
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (!is_allowed(roots, path) || (there && S_ISDIR(st.st_mode) && has_outside_link(roots, path)))
        return err_set(err, ERR_INPUT, "'%.500s' leads outside of the folders that may be read (--root)", path);
    if (strcmp(path, "-") == 0 || (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return err_set(err, ERR_INPUT, "'%.500s' is neither a file nor a folder", path);
    return 0;
}
