/* SPDX-License-Identifier: Apache-2.0 */
/* Graph captures: reader, sums by both rules, report. Expected numbers: tt-metal's tests of its extractors
 * (test_graph_add.cpp, test_graph_trace_utils.py), real captures with known peaks, arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/graph/graph_report.h"
#include "base/strbuf.h"

/* --- a capture, written node by node --- */

static struct strbuf capture;
static unsigned counter;

static unsigned node(const char *type, const char *connections, const char *format, ...) __attribute__((format(printf, 3, 4)));
static unsigned node(const char *type, const char *connections, const char *format, ...) {
    char params[512];
    va_list args;
    va_start(args, format);
    vsnprintf(params, sizeof params, format, args);
    va_end(args);
    strbuf_addf(&capture, "%s{\"counter\": %u, \"node_type\": \"%s\", \"connections\": [%s], \"params\": %s}",
                counter ? ",\n" : "[", counter, type, connections, params);
    return counter++;
}

static int fresh_capture(void **state) {
    (void)state;
    strbuf_clear(&capture);
    counter = 0;
    return 0;
}

static int end_capture(void **state) {
    (void)state;
    strbuf_release(&capture);
    return 0;
}

static void tensor(void) { node("tensor", "", "{\"shape\": \"ttnn.Shape([1, 3, 32, 32])\"}"); }

static unsigned buffer(uint64_t size) {
    return node("buffer", "", "{\"size\": \"%lu\", \"type\": \"L1\"}", (unsigned long)size);
}

static unsigned allocate(uint64_t size, const char *more) {
    unsigned at = buffer(size);
    char edge[16];
    snprintf(edge, sizeof edge, "%u", at);
    node("buffer_allocate", edge, "{\"size\": \"%lu\", \"type\": \"L1\", \"page_size\": \"2048\"%s}", (unsigned long)size,
         more);
    return at;
}

static void circular(uint64_t size, const char *global) {
    node("circular_buffer_allocate", "",
         "{\"size\": \"%lu\", \"address\": \"0\", \"core_range_set\": \"{[(x=0,y=0) - (x=7,y=7)]}\", \"globally_allocated\": "
         "%s}",
         (unsigned long)size, global);
}

static struct graph_session session;

static const struct graph_segment *read_text(struct slice text, size_t step, unsigned cores) {
    struct err err = {0};
    graph_session_release(&session);
    session.interleaved_cores = cores;
    session.simulate = chip_find(SLICE("n150"));
    assert_int_equal(graph_session_begin(&session, "test", &err), 0);
    for (size_t at = 0; at < text.len; at += step)
        assert_int_equal(graph_session_push(&session, slice_take(slice_skip(text, at), step), &err), 0);
    assert_int_equal(graph_session_end(&session, SLICE("test"), &err), 0);
    return &session.details.items[0];
}

static const struct graph_segment *read_capture(unsigned cores) {
    strbuf_addc(&capture, counter ? ']' : ' ');
    if (!counter) strbuf_addz(&capture, "[]");
    return read_text(strbuf_slice(&capture), 1 << 20, cores);
}

static const struct usage_upstream *upstream(void) { return &session.segments.items[0].upstream; }

/* --- published figures --- */

static void add_of_interleaved_tensors(void **state) {
    (void)state;
    static const struct { uint64_t a, b, out, legacy; } rows[] = {{6144, 6144, 6144, 30720}, {24576, 6144, 24576, 67584}};
    for (size_t i = 0; i < 2; i++) {
        fresh_capture(state);
        node("capture_start", "", "null");
        node("function_start", "", "{\"name\": \"ttnn::add\", \"inputs\": \"2\"}");
        tensor(), buffer(rows[i].a);
        tensor(), buffer(rows[i].b);
        node("function_start", "", "{\"name\": \"create_device_tensor\", \"inputs\": \"5\"}");
        allocate(rows[i].out, ", \"max_size_per_bank\": 2048");
        node("function_end", "", "{\"name\": \"create_device_tensor\"}");
        tensor();
        for (int k = 0; k < 3; k++) circular(4096, "\"0\"");
        node("function_end", "", "{\"name\": \"ttnn::add\"}");
        node("capture_end", "", "{}");
        const struct graph_segment *segment = read_capture(0);
        assert_int_equal(segment->legacy_peak_l1, rows[i].legacy);
        assert_int_equal(upstream()->peak_circular, 12288);
        assert_int_equal(upstream()->peak_buffer, 2048);
        struct usage_l1 l1 = segment_l1(&session.segments.items[0]);
        assert_int_equal(l1.peak_circular, 12288);
        assert_int_equal(l1.peak_buffer, 2048);
        assert_int_equal(l1.peak_total, 14336);
    }
}

static void add_of_sharded_tensors_counts_global_circular_buffers_once(void **state) {
    (void)state;
    node("function_start", "", "{\"name\": \"ttnn::add\"}");
    tensor(), buffer(6291456);
    tensor(), buffer(6291456);
    node("function_start", "", "{\"name\": \"create_device_tensor\"}");
    allocate(6291456, ", \"num_cores\": \"16\"");
    node("function_end", "", "{\"name\": \"create_device_tensor\"}");
    for (int k = 0; k < 3; k++) circular(393216, "\"1\"");
    node("function_end", "", "{\"name\": \"ttnn::add\"}");
    const struct graph_segment *segment = read_capture(0);
    assert_int_equal(segment->legacy_peak_l1, 20054016); /* which does count them */
    assert_int_equal(upstream()->peak_circular, 0);
    assert_int_equal(upstream()->peak_buffer, 393216);
    assert_int_equal(segment_l1(&session.segments.items[0]).peak_total, 393216);
}

static void old_rule_without_bytes_per_bank(void **state) {
    (void)state;
    static const struct {
        unsigned cores;
        uint64_t per_core;
    } rows[] = {{0, 131072}, {1, 131072}, {64, 2048}, {56, 4096}};
    for (size_t i = 0; i < 4; i++) {
        fresh_capture(state);
        allocate(131072, "");
        for (int k = 0; k < 3; k++) circular(4096, "false");
        read_capture(rows[i].cores);
        assert_int_equal(upstream()->peak_buffer, rows[i].per_core);
        assert_int_equal(upstream()->peak_total, rows[i].per_core + 12288);
        assert_int_equal(segment_l1(&session.segments.items[0]).peak_total, rows[i].per_core + 12288);
        assert_true(upstream()->old_rule);
    }
}

static void program_memory(const char *type, uint64_t size, const char *more) {
    node(type, "", "{\"size\": \"%lu\", \"address\": \"0\", \"core_range_set\": \"{[0-0 - 0-0]}\"%s}", (unsigned long)size,
         more);
}

static void check_program(uint64_t cb, uint64_t dataflow, uint64_t scratchpad, uint64_t total) {
    struct usage_l1 l1 = segment_l1(&session.segments.items[0]);
    assert_int_equal(upstream()->peak_circular, cb);
    assert_int_equal(upstream()->peak_dataflow, dataflow);
    assert_int_equal(upstream()->peak_scratchpad, scratchpad);
    assert_int_equal(upstream()->peak_total, total);
    assert_int_equal(l1.peak_circular, cb);
    assert_int_equal(l1.peak_dataflow, dataflow);
    assert_int_equal(l1.peak_scratchpad, scratchpad);
    assert_int_equal(l1.peak_total, total);
}

static void program_memory_of_three_kinds(void **state) {
    for (int programs = 1; programs <= 2; programs++) { /* the second replaces the first */
        fresh_capture(state);
        for (int i = 0; i < programs; i++) {
            node("circular_buffer_deallocate_all", "", "{\"device_id\": \"0\"}");
            program_memory("circular_buffer_allocate", 1024, ", \"globally_allocated\": \"0\"");
            program_memory("dataflow_buffer_allocate", 2048, ", \"borrows_memory\": \"0\"");
            program_memory("scratchpad_allocate", 512, "");
        }
        read_capture(0);
        check_program(1024, 2048, 512, 3584);
    }
    fresh_capture(state);
    program_memory("dataflow_buffer_allocate", 4096, ", \"borrows_memory\": \"1\"");
    program_memory("dataflow_buffer_allocate", 256, ", \"borrows_memory\": 0");
    read_capture(0);
    check_program(0, 256, 0, 256);
    fresh_capture(state);
    program_memory("dataflow_buffer_allocate", 2048, ", \"borrows_memory\": false");
    program_memory("scratchpad_allocate", 512, "");
    assert_int_equal(read_capture(0)->legacy_peak_l1, 2560);
    fresh_capture(state);
    program_memory("dataflow_buffer_allocate", 384, "");
    program_memory("dataflow_buffer_allocate", 384, "");
    read_capture(0);
    check_program(0, 768, 0, 768);
    fresh_capture(state);
    read_capture(0); /* an empty capture */
    check_program(0, 0, 0, 0);
}

static void on_chip(unsigned chip, const char *type, uint64_t size) {
    node(type, "",
         "{\"size\": %lu, \"max_size_per_bank\": %lu, \"address\": 500000, \"type\": \"L1\", \"device_id\": %u, "
         "\"core_range_set\": \"{[0-0 - 7-7]}\"}",
         (unsigned long)size, (unsigned long)size, chip);
}

static void check_chip(unsigned chip, uint64_t cb, uint64_t buffer_bytes, uint64_t total) {
    const struct segment *segment = &session.segments.items[0];
    for (size_t i = 0; i < segment->devices_len; i++) {
        const struct segment_device *device = &segment->devices[i];
        if (device->id != chip) continue;
        assert_int_equal(device->l1.peak_circular, cb);
        assert_int_equal(device->l1.peak_buffer, buffer_bytes);
        assert_int_equal(device->l1.peak_total, total);
        return;
    }
    fail();
}

static void chips_that_release_their_own_programs_are_kept_apart(void **state) {
    (void)state;
    for (unsigned chip = 0; chip < 2; chip++) {
        on_chip(chip, "circular_buffer_deallocate_all", 0);
        on_chip(chip, "circular_buffer_allocate", 1000);
    }
    on_chip(0, "buffer_allocate", 300);
    on_chip(1, "buffer_allocate", 200);
    on_chip(0, "circular_buffer_allocate", 7);
    on_chip(1, "circular_buffer_allocate", 9);
    read_capture(0);
    check_chip(0, 1007, 300, 1307);
    check_chip(1, 1009, 200, 1209);
}

static void buffers_of_a_mesh_count_on_chips_that_have_none(void **state) {
    (void)state;
    on_chip(4, "buffer_allocate", 300);
    for (unsigned program = 0; program < 2; program++) {
        on_chip(4, "circular_buffer_deallocate_all", 0);
        for (unsigned chip = 0; chip < 2; chip++) on_chip(chip, "circular_buffer_allocate", 1000);
    }
    read_capture(0);
    check_chip(0, 1000, 300, 1300);
    check_chip(1, 1000, 300, 1300);
    check_chip(4, 1000, 300, 1300);
}

/* --- real captures --- */

static char *shared_file(const char *name, size_t *size) {
    const char *data = getenv("TTMEM_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/graph_capture/%s", data ? data : "../shared/data", name);
    FILE *file = fopen(path, "rb");
    if (!file) skip();
    char *text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

static void a_real_matmul_gives_its_known_peaks(void **state) {
    (void)state;
    size_t size;
    char *text = shared_file("p150b_matmul_normal_mode.json", &size);
    const struct graph_segment *segment = read_text(slice_of(text, size), size, 0);
    struct usage_l1 l1 = segment_l1(&session.segments.items[0]);
    assert_int_equal(upstream()->peak_circular, 786432);
    assert_int_equal(upstream()->peak_buffer, 20480);
    assert_int_equal(upstream()->peak_total, 806912);
    assert_int_equal(l1.peak_total, 806912); /* circular buffers on chip 0, buffers on mesh device 1 */
    assert_int_equal(segment->circular.len, 1);
    assert_int_equal(segment->circular.items[0].bytes, 786432);
    assert_int_equal(segment->circular.items[0].region_end, 373760 + 524288);
    assert_int_equal(segment->circular.items[0].gap, 1552384 - (373760 + 524288));
    assert_int_equal(segment->outputs.len, 1);
    assert_int_equal(segment->intermediates, 0);
    assert_int_equal(segment->alive.len, 1); /* the kernel binary stays in DRAM */
    assert_int_equal(segment->alive.items[0].buffer.size, 22528);
    assert_int_equal(segment->functions.len, 5);
    free(text);
}

static void the_sample_of_the_documentation_gives_its_known_peak(void **state) {
    (void)state;
    size_t size;
    char *text = shared_file("techreport_add_broadcast.json", &size);
    const struct graph_segment *segment = read_text(slice_of(text, size), size, 0);
    assert_int_equal(segment->legacy_peak_l1, 96256);
    assert_int_equal(upstream()->dram_allocated, 0);
    assert_int_equal(upstream()->peak_circular, 16384);
    assert_int_equal(segment->intermediates, 1);
    assert_int_equal(segment->outputs.len, 1);
    assert_int_equal(segment->problems.wrong_values, 0);
    free(text);
}

static void a_capture_may_come_in_pieces_of_any_size(void **state) {
    (void)state;
    size_t size;
    char *text = shared_file("visualizer_temp_v2.json", &size);
    static const size_t steps[] = {1, 7, 1000, 1 << 20};
    for (size_t i = 0; i < 4; i++) {
        const struct graph_segment *segment = read_text(slice_of(text, size), steps[i], 0);
        assert_int_equal(segment->nodes, 59);
        assert_int_equal(segment->end, GRAPH_WHOLE);
        assert_int_equal(upstream()->dram_freed, 55296); /* a buffer node used twice: counted twice by upstream */
        struct usage_pool dram = segment_pool(&session.segments.items[0], USAGE_NO_DEVICE, MEM_DRAM);
        assert_int_equal(dram.freed, 38912);
        assert_int_equal(dram.allocated, 38912);
    }
    free(text);
}

static void a_cut_capture_gives_everything_before_the_cut(void **state) {
    (void)state;
    size_t size;
    char *text = shared_file("p150b_matmul_normal_mode.json", &size);
    for (size_t cut = 0; cut < size; cut += 13) {
        const struct graph_segment *segment = read_text(slice_of(text, cut), 4096, 0);
        uint64_t whole = 0; /* nodes that end before the cut: each at an indentation of one */
        for (size_t i = 0; i + 3 <= cut; i++) whole += memcmp(text + i, "\n }", 3) == 0;
        assert_int_equal(segment->nodes, whole);
        assert_int_equal(segment->end, cut ? GRAPH_CUT : GRAPH_EMPTY);
    }
    free(text);
}

/* The same of a crafted capture; a buffer is freed by the node that made it, without its size. */
static void crafted_capture(void) {
    static const char dram[] = "{\"size\": \"4096\", \"type\": \"DRAM\", \"address\": \"1024\", \"page_size\": \"2048\"}";
    node("capture_start", "", "null");
    node("function_start", "", "{\"name\": \"ttnn::add\", \"inputs\": \"2\"}");
    char edge[16];
    snprintf(edge, sizeof edge, "%u", node("buffer", "", "%s", dram));
    node("buffer_allocate", edge, "%s", dram);
    circular(8192, "\"0\"");
    node("buffer_deallocate", edge, "{\"size\": \"0\", \"type\": \"DRAM\"}");
    node("function_end", "", "{\"name\": \"ttnn::add\"}");
    node("capture_end", "", "{}");
}

static void a_crafted_capture_may_come_in_pieces_of_any_size(void **state) {
    (void)state;
    crafted_capture();
    strbuf_addc(&capture, ']');
    static const size_t steps[] = {1, 7, 100, 1 << 20};
    for (size_t i = 0; i < 4; i++) {
        const struct graph_segment *segment = read_text(strbuf_slice(&capture), steps[i], 0);
        assert_int_equal(segment->nodes, counter);
        assert_int_equal(segment->end, GRAPH_WHOLE);
        assert_int_equal(upstream()->dram_freed, 4096);
        struct usage_pool dram = segment_pool(&session.segments.items[0], USAGE_NO_DEVICE, MEM_DRAM);
        assert_int_equal(dram.allocated, 4096);
        assert_int_equal(dram.freed, 4096);
        assert_int_equal(upstream()->peak_circular, 8192);
    }
}

static void a_crafted_capture_that_is_cut_gives_everything_before_the_cut(void **state) {
    (void)state;
    crafted_capture();
    const char *text = strbuf_text(&capture);
    for (size_t cut = 0; cut < capture.len; cut++) {
        const struct graph_segment *segment = read_text(slice_of(text, cut), 4096, 0);
        uint64_t whole = 0; /* nodes that end before the cut: each at the end of a line */
        for (size_t i = 0; i + 2 <= cut; i++) whole += text[i] == '}' && (text[i + 1] == ',' && text[i + 2] == '\n');
        assert_in_range(segment->nodes, whole, whole + 1); /* the comma may be after the cut */
        assert_int_equal(segment->end, cut ? GRAPH_CUT : GRAPH_EMPTY);
    }
}

/* --- shapes and spellings --- */

static void a_report_object_is_read_like_an_array(void **state) {
    (void)state;
    static const char text[] =
        "\xef\xbb\xbf{\"version\": 1, \"metadata\": {\"rank\": 1, \"world_size\": 2, \"total_duration_ns\": 77},\n"
        "\"cluster_descriptor\": \"chips: {\\\"graph\\\": [1, 2]}\", \"per_operation_buffers\": {\"graph\": [{}, {}]},\n"
        "\"devices\": [{\"device_id\": 0, \"arch\": \"WORMHOLE_B0\", \"l1_num_banks\": 64, \"worker_l1_size\": 1499136}],\n"
        "\"graph\": [{\"counter\": 0, \"node_type\": \"capture_start\", \"params\": null},\n"
        "{\"counter\": 1, \"node_type\": \"buffer_allocate\", \"connections\": [9], \"params\": {\"size\": 131072, \"type\": "
        "\"L1\", "
        "\"page_size\": 2048, \"address\": 64, \"device_id\": 0}}]}";
    const struct graph_segment *segment = read_text(slice_of(text, sizeof text - 1), 5, 0);
    assert_int_equal(segment->nodes, 2);
    assert_int_equal(segment->end, GRAPH_WHOLE);
    assert_int_equal(segment->rank, 1);
    assert_int_equal(segment->duration_ns, 77);
    assert_int_equal(session.devices.len, 1);
    assert_int_equal(segment_l1(&session.segments.items[0]).peak_buffer, 2048); /* spread over the device's 64 banks */
    assert_int_equal(segment->problems.stray_bytes, 0);
}

static void flags_numbers_and_types_in_every_spelling(void **state) {
    (void)state;
    static const char *const borrowed[] = {"\"1\"", "1", "true", "\"true\"", "\"True\""};
    static const char *const own[] = {"\"0\"", "0", "false", "\"false\"", "\"False\""};
    for (size_t i = 0; i < 5; i++) {
        circular(1000, borrowed[i]);
        circular(100, own[i]);
    }
    static const char *const dram_types[] = {"\"buffer_type\": 0", "\"buffer_type\": \"0\"",
                                             "\"buffer_type\": \"BufferType::DRAM\"",
                                             "\"buffer_type_value\": 0, \"type\": \"DRAM\"", "\"type\": \"DRAM\""};
    for (size_t i = 0; i < 5; i++) node("buffer_allocate", "", "{\"size\": %zu, %s}", (size_t)1 << i, dram_types[i]);
    node("buffer_allocate", "", "{\"size\": 64, \"buffer_type\": 4, \"type\": \"DRAM\"}");
    node("buffer_allocate", "", "{\"size\": 128, \"buffer_type\": 3, \"type\": \"L1\"}");
    const struct graph_segment *segment = read_capture(0);
    assert_int_equal(segment->problems.wrong_values, 0);
    assert_int_equal(upstream()->peak_circular, 500);
    const struct segment *sums = &session.segments.items[0];
    assert_int_equal(segment_pool(sums, USAGE_NO_DEVICE, MEM_DRAM).allocated, 31);
    assert_int_equal(segment_pool(sums, USAGE_NO_DEVICE, MEM_TRACE).allocated, 64);
    assert_int_equal(segment_pool(sums, USAGE_NO_DEVICE, MEM_L1_SMALL).allocated, 128);
    assert_int_equal(upstream()->dram_allocated, 95); /* with TRACE */
}

static void both_texts_of_a_core_range(void **state) {
    (void)state;
    struct core_ranges ranges = {0};
    static const struct {
        const char *text;
        enum core_text result;
        size_t len;
        struct core_range last;
    } rows[] = {{"{[(x=0,y=0) - (x=7,y=6)]}", CORE_TEXT_OK, 1, {0, 0, 7, 6}},
                {"{[0-0 - 7-6]}", CORE_TEXT_OK, 1, {0, 0, 7, 6}},
                {"{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}", CORE_TEXT_OK, 2, {1, 0, 1, 3}},
                {"{[0-0 - 1-1], [12-3 - 13-9]}", CORE_TEXT_OK, 2, {12, 3, 13, 9}},
                {"{[7-6 - 0-0]}", CORE_TEXT_OK, 1, {0, 0, 7, 6}},
                {"{}", CORE_TEXT_OK, 0, {0}},
                {"", CORE_TEXT_WRONG, 0, {0}},
                {"{[0-0 - 7]}", CORE_TEXT_WRONG, 0, {0}},
                {"{[0-0 - 7-6-5]}", CORE_TEXT_WRONG, 0, {0}},
                {"{[0-0 - 99999-1]}", CORE_TEXT_WRONG, 0, {0}},
                {"{[0-0 - 7-6", CORE_TEXT_WRONG, 0, {0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(core_ranges_parse(&ranges, slice_from(rows[i].text)), rows[i].result);
        if (rows[i].result != CORE_TEXT_OK) continue;
        assert_int_equal(ranges.len, rows[i].len);
        if (ranges.len) assert_true(core_range_equal(ranges.items[ranges.len - 1], rows[i].last));
    }
    core_ranges_release(&ranges);
}

static void what_cannot_be_read_is_counted(void **state) {
    (void)state;
    static const char text[] =
        "[{\"node_type\": \"capture_start\"}, 17, {\"counter\": 1}, {\"node_type\": \"buffer_allocate\", \"params\": "
        "{\"size\": \"many\", \"type\": \"DRAM\"}}, {\"node_type\": \"rocket\"}, {broken}, {\"node_type\": \"capture_end\"}] x";
    const struct graph_segment *segment = read_text(slice_of(text, sizeof text - 1), 3, 0);
    assert_int_equal(segment->nodes, 4);
    assert_int_equal(segment->problems.unreadable, 3);
    assert_int_equal(segment->problems.first_unreadable, 33);
    assert_int_equal(segment->problems.wrong_values, 1);
    assert_int_equal(segment->problems.unknown_kinds, 1);
    assert_int_equal(segment->problems.stray_bytes, 1);
    assert_int_equal(read_text(SLICE("hello"), 1, 0)->end, GRAPH_NOT_JSON);
    assert_int_equal(read_text(SLICE(" \n"), 1, 0)->end, GRAPH_EMPTY);
}

/* --- the report --- */

static void what_is_alive_at_the_peak(void **state) {
    (void)state;
    node("function_start", "", "{\"name\": \"f\"}");
    node("buffer", "2", "{\"size\": 100, \"type\": \"DRAM\"}");
    node("tensor", "", "{\"shape\": \"Shape([10, 10])\"}");
    node("buffer_allocate", "1", "{\"size\": 100, \"type\": \"DRAM\", \"device_id\": 0, \"address\": 64}");
    node("buffer_allocate", "90", "{\"size\": 900, \"type\": \"DRAM\", \"device_id\": 0, \"address\": 2048}");
    node("buffer_deallocate", "1", "{\"type\": \"DRAM\", \"device_id\": 0, \"address\": 64}");
    node("buffer_allocate", "91", "{\"size\": 50, \"type\": \"DRAM\", \"device_id\": 0, \"address\": 64}");
    node("function_end", "", "{\"name\": \"f\"}");
    const struct graph_segment *segment = read_capture(0);
    assert_int_equal(segment->dram_peak.len, 2); /* 900 and 100, not 50 */
    assert_int_equal(segment->dram_peak.items[0].buffer.size, 900);
    assert_int_equal(segment->dram_peak.items[1].buffer.size, 100);
    struct slice shape = strtab_get(&session.texts, segment->dram_peak.items[1].tensor);
    assert_true(slice_equal(shape, SLICE("Shape([10, 10])")));
    assert_int_equal(segment->alive.len, 2);
    assert_int_equal(segment->functions.items[1].dram_allocated, 1050);
    assert_int_equal(segment->functions.items[1].dram_freed, 100);
    assert_int_equal(segment->functions.items[1].dram_rise, 1000);
}

static void a_replay_tells_where_it_fails(void **state) {
    (void)state;
    node("function_start", "", "{\"name\": \"large\"}");
    for (unsigned i = 0; i < 12; i++) {
        char edge[16];
        snprintf(edge, sizeof edge, "%u", 100 + i);
        node("buffer_allocate", edge,
             "{\"size\": 1073741824, \"page_size\": 2048, \"type\": \"DRAM\", \"device_id\": 0, \"address\": 0}");
    }
    node("function_end", "", "{\"name\": \"large\"}");
    const struct graph_segment *segment = read_capture(0);
    assert_true(segment->no_dispatch);
    assert_int_equal(segment->failure_count, 1); /* eleven fit */
    assert_int_equal(segment->failures.items[0].failure.kind, SIM_OUT_OF_MEMORY);
    assert_int_equal(segment->failures.items[0].failure.size_per_bank, 89479168);
    assert_int_equal(segment->failures.items[0].counter, 12);
}

static void segments_share_their_buffers(void **state) {
    (void)state;
    static const char first[] =
        "[{\"node_type\": \"buffer_allocate\", \"connections\": [5], \"params\": {\"size\": 1000, \"type\": \"DRAM\", "
        "\"device_id\": 0, "
        "\"address\": 64}}]";
    static const char second[] =
        "[{\"node_type\": \"buffer_allocate\", \"connections\": [5], \"params\": {\"size\": 500, \"type\": \"DRAM\", "
        "\"device_id\": 0, "
        "\"address\": 4096}}, {\"node_type\": \"buffer_deallocate\", \"connections\": [7], \"params\": {\"size\": 1000, "
        "\"type\": "
        "\"DRAM\", \"device_id\": 0, \"address\": 64}}]";
    struct err err = {0};
    graph_session_release(&session);
    const char *const texts[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(graph_session_begin(&session, "x", &err), 0);
        assert_int_equal(graph_session_push(&session, slice_from(texts[i]), &err), 0);
        assert_int_equal(graph_session_end(&session, SLICE("phase"), &err), 0);
    }
    struct usage_pool dram = segment_pool(&session.segments.items[1], 0, MEM_DRAM);
    assert_int_equal(dram.peak, 500);
    assert_int_equal(dram.current, -500);
    assert_int_equal(dram.frees_earlier, 1);
    assert_int_equal(dram.frees_unknown, 0);
    assert_int_equal(session.details.items[1].alive.len, 1);
}

/* --- the timeline of the page --- */

static void a_timeline_of_any_length_keeps_its_peak_in_bounds(void **state) {
    (void)state;
    struct usage usage;
    usage_init(&usage);
    struct graph_timeline line = {.wanted = true};
    const uint64_t nodes = 5 * (uint64_t)TIMELINE_POINTS + 3, high = 123457;
    for (uint64_t i = 0; i < nodes; i++) {
        struct mem_event event = {.kind = i == high ? MEM_ALLOCATE : MEM_FREE, .type = MEM_DRAM, .id = 7, .size = 4096};
        bool changes = i == high || i == high + 1;
        if (changes) assert_int_equal(usage_event(&usage, &event), USAGE_OK);
        graph_timeline_node(&line, &usage, changes);
    }
    assert_int_equal(line.nodes, nodes);
    assert_int_equal(line.stride, 8); /* five times too many: halved three times */
    assert_int_equal(line.points.len, (nodes + 7) / 8);
    for (size_t i = 0; i < line.points.len; i++) assert_int_equal(line.points.items[i].dram, i == high / 8 ? 4096 : 0);
    graph_timeline_release(&line);
    usage_release(&usage);
}

static void too_many_calls_leave_out_the_shortest(void **state) {
    (void)state;
    struct graph_timeline line = {.wanted = true};
    for (uint64_t i = 0; i < 3 * (uint64_t)TIMELINE_CALLS; i++) {
        uint64_t length = i % 100 == 0 ? 50 : 2;
        graph_timeline_call(&line, &(struct graph_call){.begin = i * 60, .end = i * 60 + length - 1});
    }
    uint64_t long_calls = (3 * (uint64_t)TIMELINE_CALLS + 99) / 100, kept_long = 0;
    for (size_t i = 0; i < line.calls.len; i++) kept_long += line.calls.items[i].end - line.calls.items[i].begin == 49;
    assert_int_equal(kept_long, long_calls);
    assert_true(line.calls.len <= TIMELINE_CALLS);
    assert_true(line.calls.len >= TIMELINE_CALLS / 4); /* some of the equally short stay */
    assert_int_equal(line.calls.len + line.left_out, 3 * (uint64_t)TIMELINE_CALLS);
    graph_timeline_release(&line);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fresh_capture, end_capture)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(add_of_interleaved_tensors),
        TEST(add_of_sharded_tensors_counts_global_circular_buffers_once),
        TEST(old_rule_without_bytes_per_bank),
        TEST(program_memory_of_three_kinds),
        TEST(chips_that_release_their_own_programs_are_kept_apart),
        TEST(buffers_of_a_mesh_count_on_chips_that_have_none),
        TEST(a_real_matmul_gives_its_known_peaks),
        TEST(the_sample_of_the_documentation_gives_its_known_peak),
        TEST(a_capture_may_come_in_pieces_of_any_size),
        TEST(a_cut_capture_gives_everything_before_the_cut),
        TEST(a_crafted_capture_may_come_in_pieces_of_any_size),
        TEST(a_crafted_capture_that_is_cut_gives_everything_before_the_cut),
        TEST(a_report_object_is_read_like_an_array),
        TEST(flags_numbers_and_types_in_every_spelling),
        TEST(both_texts_of_a_core_range),
        TEST(what_cannot_be_read_is_counted),
        TEST(what_is_alive_at_the_peak),
        TEST(a_replay_tells_where_it_fails),
        TEST(segments_share_their_buffers),
        TEST(a_timeline_of_any_length_keeps_its_peak_in_bounds),
        TEST(too_many_calls_leave_out_the_shortest),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    graph_session_release(&session);
    return failed;
}
