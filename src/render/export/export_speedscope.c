/* SPDX-License-Identifier: Apache-2.0 */
/* speedscope's own format: shared frames, one sampled profile per pool, weights in bytes. */
#include <stdlib.h>

#include "analysis/run/peak_stacks.h"
#include "base/json_write.h"
#include "render/export/export.h"
#include "render/format/warning_words.h"

struct pool_stacks {
    struct peak_stacks stacks;
    bool seen;
    uint32_t first_frame; /* number of its first name among the shared frames */
};

static void add_frames(struct json *j, struct pool_stacks *pools) {
    json_key(j, "shared");
    json_object(j);
    json_key(j, "frames");
    json_array(j);
    uint32_t next = 0;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct strtab *names = &pools[pool].stacks.names;
        pools[pool].first_frame = next;
        for (size_t i = 0; pools[pool].seen && i < names->strings.len; i++, next++) {
            json_object(j);
            json_member_str(j, "name", names->strings.items[i]);
            json_object_end(j);
        }
    }
    json_array_end(j);
    json_object_end(j);
}

static void add_profile(struct json *j, const struct run *run, enum pool pool, const struct pool_stacks *p) {
    struct strbuf name = {0};
    strbuf_addf(&name, "%s alive at the peak, bytes", pool_names[pool]);
    if (banks_known(run)) strbuf_addf(&name, " per %s", pool_unit(run, pool));
    json_object(j);
    json_member_text(j, "type", "sampled");
    json_member_str(j, "name", strbuf_slice(&name));
    json_member_text(j, "unit", "bytes");
    json_member_u64(j, "startValue", 0);
    json_member_u64(j, "endValue", p->stacks.bytes);
    json_key(j, "samples");
    json_array(j);
    for (size_t i = 0; i < p->stacks.stacks.len; i++) {
        const struct peak_stack *stack = &p->stacks.stacks.items[i];
        json_array(j);
        for (uint32_t f = 0; f < stack->depth; f++) json_u64(j, p->first_frame + p->stacks.frames.items[stack->first + f]);
        json_array_end(j);
    }
    json_array_end(j);
    json_key(j, "weights");
    json_array(j);
    for (size_t i = 0; i < p->stacks.stacks.len; i++) json_u64(j, p->stacks.stacks.items[i].bytes);
    json_array_end(j);
    json_object_end(j);
    strbuf_release(&name);
}

int export_speedscope(const struct output_job *job, struct outfile *file, struct err *err) {
    struct pool_stacks pools[POOL_COUNT] = {0};
    struct strbuf text = {0}, exporter = {0};
    struct json j = {.out = &text};
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        pools[pool].seen = peak_stacks_make(job->run, (enum pool)pool, &pools[pool].stacks);
    strbuf_addf(&exporter, "ttmem %s", job->version);
    json_object(&j);
    json_member_text(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_member_str(&j, "name", job->name);
    json_member_str(&j, "exporter", strbuf_slice(&exporter));
    json_member_u64(&j, "activeProfileIndex", 0);
    add_frames(&j, pools);
    json_key(&j, "profiles");
    json_array(&j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (pools[pool].seen) add_profile(&j, job->run, (enum pool)pool, &pools[pool]);
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(&text, '\n');
    int rc = export_flush(&text, true, file, err);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) peak_stacks_release(&pools[pool].stacks);
    strbuf_release(&text);
    strbuf_release(&exporter);
    return rc;
}
