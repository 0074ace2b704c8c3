/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/graph_render.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/amounts.h"
#include "base/num.h"
#include "base/utf8.h"

enum { ROWS = 10, NAME_COLUMNS = 44 };

struct graph_sheet {
    struct strbuf *out;
    const struct term *term;
    const struct graph_session *session;
    const struct graph_text_options *options;
    size_t index;
    const struct graph_segment *segment;
    const struct segment *sums;
};

#define BYTES(value) figure_bytes((uint64_t)(value)).text
#define SIGNED(value) figure_signed_bytes((value), false).text
#define CHANGE(value) figure_signed_bytes((value), true).text

static void name_cell(struct graph_sheet *page, struct slice name, size_t columns) {
    struct strbuf cell = {0};
    term_text(&cell, page->term, name.len ? name : SLICE("-"), columns);
    strbuf_add(page->out, strbuf_slice(&cell));
    size_t width = utf8_width(strbuf_slice(&cell));
    if (width < columns) strbuf_fill(page->out, ' ', columns - width);
    strbuf_release(&cell);
}

static void tail_name(struct graph_sheet *page, const char *before, struct slice name) {
    if (!name.len) return;
    strbuf_addz(page->out, before);
    term_text(page->out, page->term, name, 0);
}

static void toned(struct graph_sheet *page, enum tone tone, const char *text) {
    term_tone(page->out, page->term, tone);
    strbuf_addz(page->out, text);
    term_tone(page->out, page->term, TONE_PLAIN);
}

static void heading(struct graph_sheet *page, const char *title) {
    strbuf_addz(page->out, "\n  ");
    toned(page, TONE_BOLD, title);
}

/* --- usage --- */

static void title_line(struct graph_sheet *page) {
    const struct graph_segment *segment = page->segment;
    const char *dot = term_dot(page->term);
    struct strbuf *out = page->out;
    term_tone(out, page->term, TONE_BOLD);
    term_text(out, page->term, slice_of(page->sums->name, page->sums->name_len), 0);
    term_tone(out, page->term, TONE_PLAIN);
    strbuf_addf(out, "   %s node%s", figure_grouped(segment->nodes).text, segment->nodes == 1 ? "" : "s");
    strbuf_addf(out, "%s%s function%s", dot, figure_grouped(segment->functions_called).text,
                segment->functions_called == 1 ? "" : "s");
    if (segment->no_dispatch) strbuf_addf(out, "%sno dispatch", dot);
    if (segment->duration_ns) strbuf_addf(out, "%s%s ms", dot, figure_ratio((int64_t)segment->duration_ns, 1000000, 3).text);
    if (segment->has_rank) strbuf_addf(out, "%srank %" PRIu64, dot, segment->rank);
    if (segment->has_rank && segment->world_size) strbuf_addf(out, " of %" PRIu64, segment->world_size);
    strbuf_addc(out, '\n');
}

/* No core can hold more than it has: such a program would be refused, or a size is wrong. */
static void beyond_core(struct graph_sheet *page, const struct usage_l1 *l1) {
    uint64_t most = graph_core_bytes(page->session);
    if (page->sums->l1_whole || l1->peak_total <= (int64_t)most) return;
    term_tone(page->out, page->term, TONE_BAD);
    strbuf_addf(page->out,
                "            more than the %s B of a core%s: such a program is refused, or a size in the capture is wrong\n",
                figure_grouped(most).text, page->session->devices.len ? "" : " (the device is not known)");
    term_tone(page->out, page->term, TONE_PLAIN);
}

static void own_usage(struct graph_sheet *page) {
    uint64_t device = segments_main_device(&page->session->segments);
    struct usage_pool dram = segment_pool(page->sums, device, MEM_DRAM);
    struct usage_l1 l1 = segment_l1(page->sums);
    struct strbuf *out = page->out;
    strbuf_addf(out, "\n  DRAM      peak %12s   allocated %12s   freed %12s   change %12s", SIGNED(dram.peak),
                SIGNED(dram.allocated), SIGNED(dram.freed), CHANGE(dram.current));
    tail_name(page, "   in ", graph_function_name(page->session, page->index, dram.peak ? dram.peak_tag : 0));
    if (page->sums->l1_whole)
        strbuf_addf(out, "\n  L1        circular %8s   per core; buffer %12s   over all banks", SIGNED(l1.peak_circular),
                    SIGNED(l1.peak_buffer));
    else
        strbuf_addf(out, "\n  L1        peak %12s   circular  %12s   buffer%12s   per core", SIGNED(l1.peak_total),
                    SIGNED(l1.peak_circular), SIGNED(l1.peak_buffer));
    tail_name(page, "              in ", graph_function_name(page->session, page->index, l1.peak_total ? l1.peak_tag : 0));
    strbuf_addc(out, '\n');
    if (l1.peak_dataflow || l1.peak_scratchpad)
        strbuf_addf(out, "            dataflow %8s   scratchpad %11s\n", SIGNED(l1.peak_dataflow), SIGNED(l1.peak_scratchpad));
    beyond_core(page, &l1);
    static const struct {
        enum mem_type type;
        const char *name;
    } others[] = {{MEM_L1_SMALL, "L1_SMALL"}, {MEM_TRACE, "TRACE"}};
    for (size_t i = 0; i < 2; i++) {
        struct usage_pool pool = segment_pool(page->sums, device, others[i].type);
        if (pool.allocations || pool.frees)
            strbuf_addf(out, "  %-9s peak %12s   allocated %12s   freed %12s   change %12s\n", others[i].name,
                        SIGNED(pool.peak), SIGNED(pool.allocated), SIGNED(pool.freed), CHANGE(pool.current));
    }
    if (page->sums->l1_whole)
        toned(page, TONE_DIM,
              "            what a core holds of the buffers is not known: neither bytes per bank nor addresses show the banks "
              "(--interleaved-cores N)\n");
    else if (page->sums->upstream.old_rule && page->session->banks_from == GRAPH_BANKS_ADDRESSES)
        strbuf_addf(out, "            interleaved buffers lie over %u banks, by their addresses\n",
                    page->session->usage.interleaved_cores);
    if (dram.frees_earlier)
        strbuf_addf(out, "  %" PRIu64 " of %" PRIu64 " freed DRAM buffers (%s) were allocated before this segment\n",
                    dram.frees_earlier, dram.frees, SIGNED(dram.freed_earlier));
}

static void upstream_usage(struct graph_sheet *page) {
    const struct usage_upstream *sums = &page->sums->upstream;
    strbuf_addf(page->out, "\n  upstream  DRAM peak %12s   allocated %12s   freed %12s\n", SIGNED(sums->dram_peak),
                SIGNED(sums->dram_allocated), SIGNED(sums->dram_freed));
    strbuf_addf(page->out, "            L1 peak   %12s   circular  %12s   buffer%12s   legacy %12s\n", BYTES(sums->peak_total),
                BYTES(sums->peak_circular), BYTES(sums->peak_buffer), SIGNED(page->segment->legacy_peak_l1));
    if (page->segment->problems.out_of_order)
        toned(page, TONE_DIM, "            counters are out of order: upstream's per-core figures would be refused\n");
    else if (sums->old_rule)
        toned(page, TONE_DIM,
              "            no bytes per bank in the capture: the per-core formula from before 2026-05 is used\n");
}

static void devices(struct graph_sheet *page) {
    const struct segment *sums = page->sums;
    if (sums->devices_len < 2) return;
    heading(page, "devices\n");
    for (size_t i = 0; i < sums->devices_len; i++) {
        const struct segment_device *device = &sums->devices[i];
        char id[24];
        snprintf(id, sizeof id, "%" PRIu64, device->id);
        strbuf_addf(page->out, "    %-8s DRAM peak %12s   L1 peak %12s   circular %12s",
                    device->id == USAGE_NO_DEVICE ? "unknown" : id, SIGNED(device->pools[MEM_DRAM].peak),
                    SIGNED(device->l1.peak_total), SIGNED(device->l1.peak_circular));
        if (device->tied) strbuf_addf(page->out, "   in mesh %" PRIu64, device->mesh);
        strbuf_addc(page->out, '\n');
    }
}

/* --- tables --- */

static size_t shown(const struct graph_sheet *page, size_t len) { return page->options->all || len <= ROWS ? len : ROWS; }

static void more(struct graph_sheet *page, size_t len) {
    if (shown(page, len) == len) return;
    char text[64];
    snprintf(text, sizeof text, "    and %zu more (--all)\n", len - shown(page, len));
    toned(page, TONE_DIM, text);
}

static void lives(struct graph_sheet *page, const char *title, const graph_lives *rows) {
    if (!rows->len) return;
    int64_t sum = 0;
    for (size_t i = 0; i < rows->len; i++) sum = sat_add(sum, rows->items[i].buffer.counted);
    heading(page, title);
    strbuf_addf(page->out, "   %zu buffer%s, %s\n", rows->len, rows->len == 1 ? "" : "s", SIGNED(sum));
    for (size_t i = 0; i < shown(page, rows->len); i++) {
        const struct graph_live *live = &rows->items[i];
        strbuf_addf(page->out, "    %12s  ", SIGNED(live->buffer.counted));
        name_cell(page, graph_function_name(page->session, live->buffer.segment, live->function), NAME_COLUMNS);
        strbuf_addz(page->out, "  ");
        struct slice tensor = strtab_get(&page->session->texts, live->tensor);
        term_text(page->out, page->term, tensor.len ? tensor : SLICE("-"), 0);
        if (live->buffer.address) strbuf_addf(page->out, "  @ %" PRIu64, live->buffer.address);
        strbuf_addc(page->out, '\n');
    }
    more(page, rows->len);
}

static void circular(struct graph_sheet *page) {
    const struct graph_segment *segment = page->segment;
    if (!segment->circular.len) return;
    heading(page, "circular buffers");
    strbuf_addz(page->out, "   per core of a range; gap: to the lowest L1 buffer\n");
    for (size_t i = 0; i < shown(page, segment->circular.len); i++) {
        const struct graph_circular *row = &segment->circular.items[i];
        strbuf_addf(page->out, "    %12s  ", BYTES(row->bytes));
        name_cell(page, graph_function_name(page->session, page->index, row->function), NAME_COLUMNS);
        strbuf_addf(page->out, "  %3" PRIu64 " buffer%s", row->buffers, row->buffers == 1 ? " " : "s");
        if (row->borrowed) strbuf_addf(page->out, " (%" PRIu64 " in L1 buffers)", row->borrowed);
        if (row->kind == MEM_DATAFLOW_BUFFER) strbuf_addz(page->out, " (dataflow)");
        if (row->kind == MEM_SCRATCHPAD) strbuf_addz(page->out, " (scratchpad)");
        if (row->region_end) strbuf_addf(page->out, "  end %" PRIu64, row->region_end);
        if (row->has_gap) {
            strbuf_addz(page->out, "  gap ");
            toned(page, row->gap < 0 ? TONE_BAD : TONE_PLAIN, SIGNED(row->gap));
        }
        tail_name(page, "  ", strtab_get(&page->session->texts, row->cores));
        strbuf_addc(page->out, '\n');
    }
    more(page, segment->circular.len);
}

/* One per line below the function; in full without a terminal. */
static void arguments(struct graph_sheet *page, const struct graph_function *function, unsigned depth) {
    size_t indent = 6 + (size_t)(depth < 12 ? depth : 12) * 2, columns = page->term->columns;
    for (uint32_t i = 0; i < function->arguments_count; i++) {
        uint32_t id = page->session->argument_ids.items[function->arguments + i];
        strbuf_fill(page->out, ' ', indent);
        term_tone(page->out, page->term, TONE_DIM);
        struct slice text = strtab_get(&page->session->texts, id);
        term_text(page->out, page->term, text.len ? text : SLICE("-"), columns > indent ? columns - indent : 0);
        term_tone(page->out, page->term, TONE_PLAIN);
        strbuf_addc(page->out, '\n');
    }
}

static void function_row(struct graph_sheet *page, uint32_t index, unsigned depth) {
    const struct graph_function *function = &page->segment->functions.items[index];
    struct strbuf name = {0};
    strbuf_fill(&name, ' ', (size_t)(depth < 12 ? depth : 12) * 2);
    strbuf_add(&name, strtab_get(&page->session->texts, function->name));
    strbuf_addz(page->out, "    ");
    name_cell(page, strbuf_slice(&name), NAME_COLUMNS);
    strbuf_release(&name);
    strbuf_addf(page->out, " %6" PRIu64 "  %12s %12s %12s %12s\n", function->calls, SIGNED(function->dram_rise),
                CHANGE(sat_add(function->dram_allocated, -function->dram_freed)), SIGNED(function->l1_rise),
                SIGNED(function->program_peak));
    if (page->options->arguments) arguments(page, function, depth);
}

/* In call order, children below their caller; iterative, because a capture may nest deeply. */
static void functions(struct graph_sheet *page) {
    const struct graph_segment *segment = page->segment;
    size_t rows = 0, limit = shown(page, segment->functions.len - 1);
    if (segment->functions.len < 2) return;
    if (!page->options->all && segment->functions.len - 1 > ROWS) limit = 2 * ROWS;
    heading(page, "functions");
    strbuf_addf(page->out, "%*s calls     DRAM rise  DRAM change      L1 rise     circular\n", NAME_COLUMNS - 7, "");
    uint32_t at = segment->functions.items[0].first_child;
    unsigned depth = 0;
    while (at && rows < limit) {
        function_row(page, at, depth);
        rows++;
        const struct graph_function *function = &segment->functions.items[at];
        if (function->first_child) {
            at = function->first_child;
            depth++;
            continue;
        }
        while (at && !segment->functions.items[at].next_sibling) {
            at = segment->functions.items[at].parent;
            depth -= depth > 0;
        }
        at = segment->functions.items[at].next_sibling;
    }
    if (rows < segment->functions.len - 1) {
        char text[64];
        snprintf(text, sizeof text, "    and %zu more (--all)\n", segment->functions.len - 1 - rows);
        toned(page, TONE_DIM, text);
    }
}

static void tensors(struct graph_sheet *page) {
    const struct graph_segment *segment = page->segment;
    if (!segment->outputs.len && !segment->intermediates) return;
    heading(page, "tensors");
    strbuf_addf(page->out, "   %zu output, %" PRIu64 " intermediate\n", segment->outputs.len, segment->intermediates);
    for (size_t i = 0; i < shown(page, segment->outputs.len); i++) {
        const struct graph_tensor *tensor = &segment->outputs.items[i];
        strbuf_addf(page->out, "    %12s  ", tensor->has_buffer ? BYTES(tensor->buffer_size) : "-");
        term_text(page->out, page->term, strtab_get(&page->session->texts, tensor->shape), 0);
        tail_name(page, "  ", strtab_get(&page->session->texts, tensor->dtype));
        strbuf_addz(page->out, tensor->has_buffer && tensor->buffer_type != MEM_DRAM ? "  L1\n" : "\n");
    }
    more(page, segment->outputs.len);
}

/* --- simulation --- */

static void failure_line(struct graph_sheet *page, const struct graph_sim_failure *failed) {
    static const char *const type_names[MEM_TYPES] = {"DRAM", "L1", "system memory", "L1_SMALL", "TRACE"};
    static const char *const program_names[] = {[MEM_CIRCULAR_BUFFER] = "circular buffers",
                                                [MEM_DATAFLOW_BUFFER] = "dataflow buffers",
                                                [MEM_SCRATCHPAD] = "scratchpads"};
    const struct sim_failure *failure = &failed->failure;
    struct strbuf *out = page->out;
    strbuf_addz(out, "    ");
    switch (failure->kind) {
        case SIM_OUT_OF_MEMORY:
        case SIM_FRAGMENTED:
            toned(page, TONE_BAD, failure->kind == SIM_FRAGMENTED ? "fragmented" : "out of memory");
            strbuf_addf(out, "   %s per %s of %s wanted, %s free, largest free block %s of %s", BYTES(failure->size_per_bank),
                        failure->type == MEM_L1 || failure->type == MEM_L1_SMALL ? "core" : "bank", type_names[failure->type],
                        BYTES(failure->bank.free), BYTES(failure->bank.largest_free), BYTES(failure->bank.total));
            break;
        case SIM_BEYOND_L1:
            toned(page, TONE_BAD, "beyond L1");
            strbuf_addf(out, "   %s grow to %" PRIu64 ", L1 ends at %" PRIu64, program_names[failure->program],
                        failure->region_end, page->session->simulate->l1_bytes);
            break;
        case SIM_CLASH:
            toned(page, TONE_BAD, "clash");
            strbuf_addf(out, "   %s end at %" PRIu64 ", the lowest L1 buffer starts at %" PRIu64,
                        program_names[failure->program], failure->region_end, failure->lowest_l1);
            break;
    }
    tail_name(page, "   in ", graph_function_name(page->session, page->index, failed->function));
    strbuf_addf(out, " (node %" PRIu64 ")\n", failed->counter);
}

static void simulation(struct graph_sheet *page) {
    const struct chip *chip = page->session->simulate;
    const struct graph_segment *segment = page->segment;
    if (!chip) return;
    heading(page, "simulated on ");
    strbuf_addf(page->out, "%s   ", chip->title);
    if (segment->failure_count) {
        char text[64];
        snprintf(text, sizeof text, "does not fit: %" PRIu64 " failure%s\n", segment->failure_count,
                 segment->failure_count == 1 ? "" : "s");
        toned(page, TONE_BAD, text);
    } else if (graph_lacks_cores(page->options->what_if)) {
        const struct graph_what_if *what = graph_lacks_cores(page->options->what_if);
        char text[96];
        snprintf(text, sizeof text, "does not fit: it takes %" PRIu64 " cores, there are %u\n", what->cores_wanted,
                 what->cores_there);
        toned(page, TONE_BAD, text);
    } else {
        toned(page, TONE_GOOD, "fits\n");
    }
    if (segment->placed)
        strbuf_addf(page->out, "    %s of %s simulated addresses equal the captured ones%s\n",
                    figure_grouped(segment->placed_alike).text, figure_grouped(segment->placed).text,
                    segment->placed_alike < segment->placed ? "; what lay there before the capture is not known" : "");
    if (page->session->per_core)
        strbuf_addz(page->out,
                    "    the capture allocates L1 core by core (HYBRID); the simulation places it alike in all cores\n");
    for (size_t i = 0; i < shown(page, segment->failures.len); i++) failure_line(page, &segment->failures.items[i]);
    more(page, segment->failures.len);
    for (size_t i = 0; i < segment->banks.len; i++) {
        const struct graph_bank *bank = &segment->banks.items[i];
        if (!bank->high_water) continue;
        strbuf_addf(page->out, "    %-5s peak %12s of %12s per %s   at the end %12s free, largest free block %12s\n",
                    bank->type == MEM_DRAM    ? "DRAM"
                    : bank->type == MEM_TRACE ? "TRACE"
                                              : "L1",
                    BYTES(bank->high_water), BYTES(bank->end.total),
                    bank->type == MEM_L1 || bank->type == MEM_L1_SMALL ? "core" : "bank", BYTES(bank->end.free),
                    BYTES(bank->end.largest_free));
    }
}

static void problems(struct graph_sheet *page) {
    const struct graph_problems *found = &page->segment->problems;
    struct strbuf *out = page->out;
    if (page->segment->end == GRAPH_CUT)
        toned(page, TONE_WARN, "\n  The capture is cut: everything before the cut is counted.\n");
    if (found->unreadable)
        strbuf_addf(out, "\n  %" PRIu64 " nodes could not be read, the first at byte %" PRIu64 ".\n", found->unreadable,
                    found->first_unreadable);
    if (found->wrong_values)
        strbuf_addf(out, "\n  %" PRIu64 " values are not what they should be and were left out.\n", found->wrong_values);
    if (found->unknown_kinds) strbuf_addf(out, "\n  %" PRIu64 " nodes are of an unknown type.\n", found->unknown_kinds);
    if (found->stray_bytes) strbuf_addf(out, "\n  %" PRIu64 " bytes belong to no node.\n", found->stray_bytes);
}

void graph_text(struct strbuf *out, const struct term *term, const struct graph_session *session,
                const struct graph_text_options *options) {
    for (size_t i = 0; i < session->segments.len; i++) {
        struct graph_sheet page = {out, term, session, options, i, &session->details.items[i], &session->segments.items[i]};
        if (i) strbuf_addc(out, '\n');
        title_line(&page);
        if (!options->upstream_rules) own_usage(&page);
        else upstream_usage(&page);
        if (!options->upstream_rules) devices(&page);
        lives(&page, "alive at the DRAM peak", &page.segment->dram_peak);
        lives(&page, "alive at the L1 peak", &page.segment->l1_peak);
        circular(&page);
        functions(&page);
        tensors(&page);
        lives(&page, "alive at the end", &page.segment->alive);
        simulation(&page);
        if (session->simulate && i + 1 == session->segments.len) graph_what_if_text(out, term, session, options->what_if);
        problems(&page);
    }
}
