/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/summary_sheet.h"

#include "model/left/pass_growth.h"
#include "base/num.h"
#include "render/host/host_text.h"
#include "render/answer/summary_text.h"

void summary_killed_line(struct summary_sheet *p) {
    if (!p->run->host || !p->o->host.killed) return;
    term_tone(p->out, p->term, TONE_BAD);
    label(p, "KILLED");
    term_tone(p->out, p->term, TONE_PLAIN);
    host_text_killed(p->out, p->term, p->run, &p->o->host);
    strbuf_addz(p->out, "\n\n");
}

void summary_host_line(struct summary_sheet *p) {
    struct strbuf lacks = {0};
    if (!p->run->host) return;
    label(p, "host");
    host_text_line(p->out, p->term, p->run, &p->o->host);
    strbuf_addc(p->out, '\n');
    if (host_text_lacks(&lacks, p->run)) {
        label(p, "");
        strbuf_add(p->out, strbuf_slice(&lacks));
        strbuf_addc(p->out, '\n');
    }
    strbuf_release(&lacks);
}

/* The highest use of a server's KV cache. */
void summary_kv_line(struct summary_sheet *p) {
    const struct kv_cache *kv = p->run->kv;
    if (!kv || !kv->samples.len) return;
    const struct kv_sample *most = &kv->samples.items[0];
    for (size_t i = 0; i < kv->samples.len; i++)
        if (kv->samples.items[i].used > most->used) most = &kv->samples.items[i];
    label(p, "KV cache");
    strbuf_addf(p->out, "%s %% %s at most", figure_percent((int64_t)most->used, KV_FULL, 1).text,
                kv->of_slots ? "of the batch's slots taken" : "used");
    if (kv->blocks) strbuf_addf(p->out, ", of %s cache blocks", figure_grouped(kv->blocks).text);
    for (uint32_t i = most->step; i != NONE; i = i ? i - 1 : NONE) {
        if (p->run->steps.items[i].record == NONE) continue;
        strbuf_addz(p->out, ", around ");
        summary_add_op(p, p->run->steps.items[i].record, false);
        break;
    }
    if (kv->preempted) strbuf_addf(p->out, "; %s requests preempted because it was full", figure_grouped(kv->preempted).text);
    if (kv->slots)
        strbuf_addf(p->out, "; %llu of %llu slots taken at most", (unsigned long long)kv->most_slots,
                    (unsigned long long)kv->slots);
    if (kv->requests) {
        strbuf_addz(p->out, ", ");
        add_count(p, kv->requests, "request completed", "requests completed");
    }
    if (kv->tokens) strbuf_addf(p->out, ", %s tokens", figure_grouped(kv->tokens).text);
    strbuf_addc(p->out, '\n');
}

void summary_estimated_line(struct summary_sheet *p) {
    if (p->run->origin != RUN_PREDICTED) return;
    label(p, "estimated");
    add_size(p->out, p->run->estimated_bytes);
    strbuf_addz(p->out, " of the DRAM peak per bank: kernel binaries, tables of convolutions, what some ops take\n");
}

/* How exact the map is, and what programs keep. */
void summary_inspector_lines(struct summary_sheet *p) {
    const struct inspector_facts *facts = p->run->inspector;
    if (!facts) return;
    label(p, "buffers");
    add_count(p, facts->buffers, "buffer", "buffers");
    if (facts->meshes > 1)
        strbuf_addf(p->out, " on %llu meshes: sums over them, without a map", (unsigned long long)facts->meshes);
    else
        strbuf_addf(p->out, " with addresses; of %s only bounds of the bytes per bank are known",
                    figure_grouped(facts->bounded).text);
    if (facts->replayed)
        strbuf_addf(p->out, "; %s of %s addresses as the allocator would place them", figure_grouped(facts->as_placed).text,
                    figure_grouped(facts->replayed).text);
    strbuf_addc(p->out, '\n');
    const struct chip *likelier = facts->likelier ? chip_row(facts->likelier - 1) : NULL;
    if (p->run->chip && facts->chip_named && (facts->beyond || likelier)) {
        label(p, "device");
        strbuf_addf(p->out, "%s does not fit", p->run->chip->title);
        if (facts->beyond) strbuf_addf(p->out, ", %s buffers lie beyond its memory", figure_grouped(facts->beyond).text);
        if (likelier) strbuf_addf(p->out, "; the addresses are as on %s", likelier->title);
        strbuf_addz(p->out, ": figures per bank are likely wrong\n");
    }
    if (facts->named || facts->several) {
        label(p, "tensors");
        strbuf_addf(p->out, "%s of the buffers by size and order", figure_grouped(facts->named).text);
        if (facts->several) strbuf_addf(p->out, ", %s with several candidates", figure_grouped(facts->several).text);
        strbuf_addc(p->out, '\n');
    }
    if (!facts->programs_made) return;
    label(p, "programs");
    strbuf_addf(p->out, "%s of tt-metal made, %s kept at the end", figure_grouped(facts->programs_made).text,
                figure_grouped(facts->programs_kept).text);
    struct slope slope;
    slope_find(facts->pass_programs.items, facts->pass_programs.len, &slope);
    if (slope.known && slope.rises) strbuf_addf(p->out, ", +%s per pass", figure_grouped((uint64_t)slope.per_step).text);
    else if (slope.known) strbuf_addf(p->out, ", no growth over %zu passes", slope.points);
    const struct peak *small = &p->o->peaks.pools[POOL_L1_SMALL];
    if (small->seen && small->allocated) {
        strbuf_addz(p->out, "; L1_SMALL with them ");
        pass_growth_find(p->run, POOL_L1_SMALL, &slope);
        if (slope.known && slope.rises) {
            strbuf_addc(p->out, '+');
            add_size(p->out, (uint64_t)slope.per_step);
            strbuf_addz(p->out, " per core per pass");
        } else {
            strbuf_addz(p->out, slope.known ? "does not grow" : "is not seen often enough to show whether it grows");
        }
    }
    strbuf_addc(p->out, '\n');
}
