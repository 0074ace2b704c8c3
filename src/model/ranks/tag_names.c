/* SPDX-License-Identifier: Apache-2.0 */
#include "model/ranks/tag_names.h"

#include "base/table/map.h"
#include "parse/line_prefix.h"

static struct slice last_part(struct slice name) {
    const char *end = name.len ? memrchr(name.ptr, PREFIX_OUTER_END, name.len) : NULL;
    return end ? slice_between(end + 1, name.ptr + name.len) : name;
}

static struct slice first_part(struct slice name) { return slice_take(name, slice_find_byte(name, PREFIX_OUTER_END)); }

static struct slice whole(struct slice name) { return name; }

/* Do the parts tell the named ranks apart? */
static bool tells_apart(const struct strtab *strings, const uint32_t *names, size_t count,
                        struct slice (*part)(struct slice name)) {
    struct map seen = {0};
    bool apart = true, added = true;
    for (size_t i = 0; apart && i < count; i++) {
        if (names[i]) map_at(&seen, hash_bytes(part(strtab_get(strings, names[i]))), &added);
        apart = added;
    }
    map_release(&seen);
    return apart;
}

void tag_names_choose(struct strtab *strings, uint32_t *names, size_t count) {
    static struct slice (*const parts[])(struct slice name) = {last_part, first_part, whole};
    size_t part = 0;
    while (part < 2 && !tells_apart(strings, names, count, parts[part])) part++;
    for (size_t i = 0; i < count; i++) {
        char room[2 * PREFIX_TAG_ROOM];
        struct slice name = slice_take(parts[part](strtab_get(strings, names[i])), sizeof room);
        for (size_t k = 0; k < name.len; k++) room[k] = name.ptr[k] == PREFIX_OUTER_END ? ' ' : name.ptr[k];
        names[i] = strtab_id(strings, slice_of(room, name.len));
    }
}
