/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rank_folders.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/strbuf.h"

static bool is_rank_folder(const char *folder, const char *name, uint64_t *number) {
    struct slice text = slice_from(name), prefix = SLICE("rank.");
    struct stat st;
    if (!slice_starts(text, prefix) || text.len == prefix.len) return false;
    struct slice digits = slice_skip(text, prefix.len);
    if (num_read_u64(digits, number) != digits.len) return false;
    struct strbuf path = {0};
    strbuf_addf(&path, "%s/%s", folder, name);
    bool is = lstat(strbuf_text(&path), &st) == 0 && S_ISDIR(st.st_mode);
    strbuf_release(&path);
    return is;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void rank_folders_find(struct rank_folders *out, const char *folder) {
    DIR *dir = opendir(folder);
    uint64_t number;
    *out = (struct rank_folders){0};
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (is_rank_folder(folder, entry->d_name, &number)) vec_push(&out->numbers, number);
    if (dir) closedir(dir);
    if (out->numbers.len) qsort(out->numbers.items, out->numbers.len, sizeof *out->numbers.items, by_number);
}

void rank_folders_release(struct rank_folders *folders) { vec_release(&folders->numbers); }
