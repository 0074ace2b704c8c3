/* SPDX-License-Identifier: Apache-2.0 */
/* rank_bindings.yaml, which tt-run writes: the mesh, host and devices of each rank.
 *
 *     rank_bindings:
 *       - rank: 0
 *         mesh_id: 0
 *         mesh_host_rank: 0
 *         env_overrides:
 *           TT_VISIBLE_DEVICES: "0,1" */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "input/log_files.h"
#include "input/rank_names.h"

enum { MOST_BYTES = 4 << 20, LEVELS = 4 };

struct rank_binding {
    uint64_t rank;
    struct slice mesh, host, devices;
};

/* The value of "key: value" or "- key: value"; false for any other line. */
static bool value_of(struct slice line, const char *key, struct slice *value) {
    struct slice s = slice_trim(line);
    if (slice_starts(s, SLICE("- "))) s = slice_trim(slice_skip(s, 2));
    struct slice name = slice_from(key);
    if (!slice_starts(s, name) || s.len == name.len || s.ptr[name.len] != ':') return false;
    s = slice_trim(slice_skip(s, name.len + 1));
    if (s.len > 1 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0]) s = slice_of(s.ptr + 1, s.len - 2);
    *value = s;
    return true;
}

static void apply(struct run *run, const struct rank_binding *binding) {
    for (size_t i = 0; i < run->ranks.len; i++) {
        struct rank *rank = &run->ranks.items[i];
        uint64_t number;
        if (!num_at_end(run_string(run, rank->name), &number) || number != binding->rank) continue;
        struct strbuf host = {0};
        if (binding->mesh.len) strbuf_addf(&host, "mesh %.*s", SLICE_FMT(binding->mesh));
        if (binding->host.len) strbuf_addf(&host, "%shost %.*s", host.len ? " " : "", SLICE_FMT(binding->host));
        if (host.len) rank->host = strtab_id(&run->strings, strbuf_slice(&host));
        if (binding->devices.len) rank->devices = strtab_id(&run->strings, binding->devices);
        strbuf_release(&host);
    }
}

static void parse(struct run *run, struct slice text) {
    struct rank_binding binding = {.rank = UINT64_MAX};
    while (text.len) {
        size_t end = slice_find_byte(text, '\n');
        struct slice line = slice_take(text, end), value;
        text = end == SLICE_NONE ? slice_of("", 0) : slice_skip(text, end + 1);
        if (value_of(line, "rank", &value)) {
            if (binding.rank != UINT64_MAX) apply(run, &binding);
            binding = (struct rank_binding){.rank = UINT64_MAX};
            uint64_t number;
            if (value.len && num_read_u64(value, &number) == value.len) binding.rank = number;
        } else if (!value_of(line, "mesh_id", &binding.mesh) && !value_of(line, "mesh_host_rank", &binding.host)) {
            value_of(line, "TT_VISIBLE_DEVICES", &binding.devices);
        }
    }
    if (binding.rank != UINT64_MAX) apply(run, &binding);
}

void rank_bindings_read(struct input *in, const char *near) {
    struct strbuf folder = {0}, path = {0};
    strbuf_addz(&folder, near);
    for (unsigned level = 0; level < LEVELS; level++) {
        const char *slash = folder.len ? memrchr(folder.data, '/', folder.len) : NULL;
        if (!slash && level) break;
        folder.len = slash ? (size_t)(slash - folder.data) : 0;
        strbuf_clear(&path);
        strbuf_addf(&path, "%s%srank_bindings.yaml", strbuf_text(&folder), slash ? "/" : "");
        struct source source;
        struct err ignored = {0};
        if (access(strbuf_text(&path), R_OK) != 0 || source_open(&source, strbuf_text(&path), &ignored) != 0) continue;
        if (source.mapped && source.bytes.len <= MOST_BYTES) parse(&in->run, source.bytes);
        source_release(&source);
        break;
    }
    strbuf_release(&folder);
    strbuf_release(&path);
}
