/* SPDX-License-Identifier: Apache-2.0 */
/* The report page: coding of columns, packing, pieces of JSON texts, advice on padding, host names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>

#include "analysis/run/padding.h"
#include "base/json_split.h"
#include "parse/type.h"
#include "render/json/module_index.h"
#include "render/page/page_columns.h"
#include "render/page/page_pack.h"
#include "render/page/page_template.h"
#include "serve/host_check.h"

/* Reads a column back by the rules of web/DATA.md, without the writer's code. */
static void read_u32(const char *column, size_t count, uint32_t base, unsigned planes, size_t exceptions, uint32_t *out) {
    const char *wide = column + count * planes;
    uint32_t sum = 0, place = UINT32_MAX, own = 0;
    for (size_t i = 0, e = 0; i < count; i++) {
        uint32_t folded = 0;
        for (unsigned k = 0; k < planes; k++) folded |= (uint32_t)(unsigned char)column[k * count + i] << (8 * k);
        if (e < exceptions) memcpy(&place, wide + 8 * e, sizeof place);
        if (e < exceptions && place == i) {
            assert_int_equal(folded, 0);
            memcpy(&own, wide + 8 * e++ + 4, sizeof own);
            folded = own;
        }
        out[i] = sum += base + (folded >> 1 ^ (folded & 1 ? UINT32_MAX : 0));
    }
}

/* The header of the column and where its bytes are, from a section that was read piece by piece. */
static void check_column(const uint32_t *values, size_t count, const char *header, uint32_t base, unsigned planes,
                         size_t exceptions) {
    struct page_columns columns = {0};
    struct page_layout layout;
    uint32_t *back = malloc(count * sizeof *back);
    for (size_t i = 0; i < count; i++) {
        page_push(&columns, COL_BLOCK_STEP, values[i]);
        page_push(&columns, COL_STEP_FLAGS, (uint32_t)i);
        page_push(&columns, COL_BLOCK_CONFIG, 0);
    }
    assert_true(page_layout_init(&layout, &columns, SECTION_MEM));
    static const size_t sizes[] = {1, 7, 8, 333, 100000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        char *bytes = malloc(layout.size);
        for (size_t at = 0; at < layout.size; at += sizes[s])
            page_layout_bytes(&layout, at, at + sizes[s] < layout.size ? at + sizes[s] : layout.size, bytes + at);
        assert_memory_equal(bytes, "TTC1", 4);
        uint32_t head;
        memcpy(&head, bytes + 4, sizeof head);
        /* the column of one value is its default and left out */
        struct slice text = slice_of(bytes + 8, head);
        assert_int_equal(slice_find(text, SLICE("block_config")), SLICE_NONE);
        assert_int_not_equal(slice_find(text, slice_from(header)), SLICE_NONE);
        size_t start = (8 + head + 7) / 8 * 8, flags = (count + 7) / 8 * 8;
        for (size_t i = 0; i < count; i++) assert_int_equal((unsigned char)bytes[start + i], i % 256);
        assert_true(start + flags + count * planes + 8 * exceptions <= layout.size);
        read_u32(bytes + start + flags, count, base, planes, exceptions, back);
        assert_memory_equal(back, values, count * sizeof *values);
        free(bytes);
    }
    page_layout_release(&layout);
    page_columns_release(&columns);
    free(back);
}

#define BLOCK_STEP "{\"name\":\"block_step\",\"type\":\"u32\",\"length\":"

static void columns_are_read_back_from_pieces_of_any_size(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    uint32_t values[COUNT], seed = 1;
    for (unsigned i = 0; i < COUNT; i++) values[i] = seed = seed * 1664525u + 1013904223u;
    check_column(values, 1000, BLOCK_STEP "1000,\"encoding\":\"deltas\",\"base\":0,\"planes\":4,\"exceptions\":0}", 0, 4, 0);
    /* one after the other: nothing is left to tell but where they begin and where one is left out */
    for (unsigned i = 0; i < COUNT; i++) values[i] = i + (i > 1500) + 7;
    check_column(values, COUNT, BLOCK_STEP "3000,\"encoding\":\"deltas\",\"base\":1,\"planes\":0,\"exceptions\":2}", 1, 0, 2);
    /* small changes up and down, a few large ones: -1 and the largest number among them */
    for (unsigned i = 0; i < COUNT; i++) values[i] = 500 + i % 7 * 11;
    values[20] = UINT32_MAX;
    check_column(values, COUNT, BLOCK_STEP "3000,\"encoding\":\"deltas\",\"base\":0,\"planes\":2,\"exceptions\":0}", 0, 2, 0);
    values[20] = 1u << 31;
    check_column(values, COUNT, BLOCK_STEP "3000,\"encoding\":\"deltas\",\"base\":0,\"planes\":2,\"exceptions\":2}", 0, 2, 2);
}

static size_t unbase64(struct slice text, unsigned char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t n = 0, have = 0;
    for (size_t i = 0; i < text.len && text.ptr[i] != '='; i++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, text.ptr[i]) - digits);
        have += 6;
        if (have >= 8) out[n++] = (unsigned char)(bits >> (have -= 8));
    }
    return n;
}

static void a_section_is_one_gzip_member_also_when_packed_in_pieces(void **state) {
    (void)state;
    struct page_data page;
    page_data_init(&page);
    strbuf_addz(&page.meta, "{\"text\":\"");
    for (unsigned i = 0; page.meta.len < 3000000; i++) strbuf_addf(&page.meta, "%u ", i * 2654435761u);
    strbuf_addz(&page.meta, "\"}");
    char path[] = "/tmp/ttmem-test-page-XXXXXX";
    int fd = mkstemp(path);
    struct outfile file = {.path = path, .fd = fd};
    struct err err = {0};
    assert_int_equal(page_write(&page, SLICE("<b>&\"'\x01"), &file, &err), 0);
    size_t size = file.written;
    char *html = malloc(size);
    assert_int_equal(pread(fd, html, size, 0), (ssize_t)size);
    struct slice all = slice_of(html, size), mark = SLICE("id=\"ttmem-meta\">");
    assert_int_not_equal(slice_find(all, SLICE("<title>&lt;b&gt;&amp;&quot;&#39;\xef\xbf\xbd</title>")), SLICE_NONE);
    assert_int_equal(slice_find(all, SLICE("@@TTMEM_")), SLICE_NONE);
    struct slice section = slice_skip(all, slice_find(all, mark) + mark.len);
    section = slice_take(section, slice_find_byte(section, '<'));
    unsigned char *packed = malloc(section.len);
    size_t packed_size = unbase64(section, packed);
    char *text = malloc(page.meta.len + 1);
    z_stream z = {.next_in = packed,
                  .avail_in = (unsigned)packed_size,
                  .next_out = (unsigned char *)text,
                  .avail_out = (unsigned)page.meta.len + 1};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    /* the end is reached only if length and checksum of the whole are right */
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    assert_int_equal(z.total_out, page.meta.len);
    assert_memory_equal(text, page.meta.data, page.meta.len);
    inflateEnd(&z);
    free(text);
    free(packed);
    free(html);
    close(fd);
    unlink(path);
    page_data_release(&page);
}

static void strings_are_stored_once_and_valid(void **state) {
    (void)state;
    struct page_data page;
    page_data_init(&page);
    assert_int_equal(page_str(&page, SLICE("")), 0);
    uint32_t a = page_str(&page, SLICE("add")), bad = page_str(&page, SLICE("x\xff\xc3y"));
    assert_int_equal(page_str(&page, SLICE("add")), a);
    assert_int_not_equal(a, bad);
    struct page_values *bytes = &page.columns.of[COL_STR];
    assert_int_equal(bytes->len, 3 + 8);
    assert_memory_equal(bytes->items, "addx\xef\xbf\xbd\xef\xbf\xbdy", bytes->len);
    page_data_release(&page);
}

static void json_is_split_without_reading_it(void **state) {
    (void)state;
    struct slice text = SLICE(
        " {\"a\": \"}]\\\"\\\\\", \"metadata\" : {\"operations\": [9]}, \"operations\": [ {\"x\": [1, {\"y\": \"]\"}]} , "
        "2,\"z\" ] }");
    struct slice value, item;
    assert_true(json_split_member(text, "metadata", &value));
    assert_true(slice_equal(value, SLICE("{\"operations\": [9]}")));
    assert_true(json_split_member(text, "operations", &value));
    struct json_items items = json_split_items(value);
    static const char *const wanted[] = {"{\"x\": [1, {\"y\": \"]\"}]}", "2", "\"z\""};
    for (size_t i = 0; i < 3; i++) {
        assert_true(json_split_next(&items, &item));
        assert_true(slice_equal(slice_trim(item), slice_from(wanted[i])));
    }
    assert_false(json_split_next(&items, &item));
    assert_false(items.broken);
    assert_false(json_split_member(text, "nothing", &value));
}

static void cut_json_is_noticed(void **state) {
    (void)state;
    struct slice text = SLICE("[{\"a\": \"b\"}, {\"c\": [1, 2]}, 3]"), item;
    for (size_t len = 0; len < text.len; len++) {
        /* a copy of exactly that length: reading beyond it is seen by the sanitizer */
        char *copy = malloc(len + 1);
        memcpy(copy, text.ptr, len);
        struct json_items items = json_split_items(slice_of(copy, len));
        size_t count = 0;
        while (json_split_next(&items, &item)) count++;
        assert_true(count <= 3);
        if (len > 1 && len < 11) assert_true(items.broken);
        free(copy);
    }
    assert_false(json_split_member(SLICE("{\"a\": {\"b\": 1}"), "c", &item));
    assert_false(json_split_member(SLICE("[1]"), "a", &item));
}

#define TYPE(shape, memref, layout)                                                         \
    SLICE("tensor<" shape ", #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<" memref \
          ", #ttnn.buffer_type<dram>>, <" layout ">>>")

static void padding_advice_names_the_smaller_layout(void **state) {
    (void)state;
    struct memory_geometry geometry = {.dram_banks = 12, .l1_banks = 64, .dram_align = 32, .l1_align = 16};
    struct tensor_type type;
    struct padding_advice advice;
    /* 32 matrices of 4 rows: 32 rows of tiles where 4 would do */
    type_parse(TYPE("1x32x4x256xf32", "32x8x!ttcore.tile<32x32, f32>", "interleaved"), &type);
    assert_int_equal(tensor_padded_bytes(&type, &geometry), 32 * 8 * 4096);
    padding_advise(&type, &geometry, &advice);
    assert_int_equal(advice.bytes, 4 * 8 * 4096);
    assert_string_equal(advice.text, "reshape to 128x256: its rows fill whole tiles");
    /* one column: only rows help, 32 bytes each by alignment */
    type_parse(TYPE("4096x1xbf16", "128x1x!ttcore.tile<32x32, bf16>", "interleaved"), &type);
    padding_advise(&type, &geometry, &advice);
    assert_int_equal(advice.bytes, 4096 * 32);
    assert_string_equal(advice.text, "row major: rows of 2 B");
    /* nothing is padded */
    type_parse(TYPE("512x512xbf16", "16x16x!ttcore.tile<32x32, bf16>", "interleaved"), &type);
    padding_advise(&type, &geometry, &advice);
    assert_int_equal(advice.bytes, 0);
    assert_string_equal(advice.text, "");
}

static void take_line(void *context, const struct ir_line *line) {
    strbuf_addf(context, "%llu %.*s %.*s %.*s %.*s\n", (unsigned long long)line->number, SLICE_FMT(line->function),
                SLICE_FMT(line->op), SLICE_FMT(line->value), SLICE_FMT(line->location));
}

static void every_op_line_of_a_module_is_known_by_function_and_value(void **state) {
    (void)state;
    struct strbuf found = {0};
    uint64_t lines = module_text_index(SLICE("module @m {\n"
                                             "  func.func private @main_const_eval_0(%arg0: tensor<4xf32> loc(unknown)) {\n"
                                             "    %0 = \"ttnn.get_device\"() : () -> !ttnn.device loc(#loc)\n"
                                             "    %1:2 = \"ttnn.sort\"(%arg0, %0) : () -> () loc(#loc1)\n"
                                             "    \"ttnn.deallocate\"(%1#0) <{force = false}> : () -> () loc(unknown)\n"
                                             "    return %1#1 : tensor<4xf32> loc(#loc)\n"
                                             "  } loc(#loc)\n"
                                             "  func.func @main() {\n"
                                             "    %0 = ttcore.load_cached(@main_const_eval_0, [%arg0]) : () -> ()\n"
                                             "  }\n"
                                             "} loc(#loc)\n"
                                             "#loc = loc(unknown)\n"
                                             "#loc1 = loc(\"sort.7\")"),
                                       take_line, &found);
    assert_int_equal(lines, 13);
    assert_string_equal(strbuf_text(&found),
                        "3 main_const_eval_0 ttnn.get_device %0 \n"
                        "4 main_const_eval_0 ttnn.sort %1 sort.7\n"
                        "5 main_const_eval_0 ttnn.deallocate %1 \n"
                        "9 main ttcore.load_cached %0 \n");
    strbuf_clear(&found);
    /* nothing that is cut off or odd is taken for more than it is */
    assert_int_equal(module_text_index(SLICE("%\n\"\n\"a\n% = \n%0 = )\nfunc.func @\n%1 = x loc("), take_line, &found), 7);
    assert_int_equal(module_text_index(SLICE(""), take_line, &found), 0);
    strbuf_release(&found);
}

static void whole_json_is_told_from_cut_json(void **state) {
    (void)state;
    assert_true(json_split_whole(SLICE(" {\"a\": [1, \"]}\"]} \n")));
    assert_true(json_split_whole(SLICE("[]")));
    static const char *const bad[] = {"", " ", "1", "[", "[1", "{\"a\": \"", "[] x", "[]]", "nonsense"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(json_split_whole(slice_from(bad[i])));
}

static void only_own_host_names_are_taken(void **state) {
    (void)state;
    static const char *const good[] = {"localhost", "LocalHost:8000", "127.0.0.1", "127.0.0.1:1",
                                       "127.1.2.3", "[::1]",          "[::1]:8000"};
    static const char *const bad[] = {"",       "evil.example", "localhost.evil.example", "127.0.0.1.evil", "[::1",
                                      "[::1]x", "localhost:",   "localhost:8x",           "192.168.1.1",    "localhost:80:80"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(host_allowed(good[i], "127.0.0.1"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(host_allowed(bad[i], "127.0.0.1"));
    assert_false(host_allowed(NULL, "127.0.0.1"));
    assert_true(host_allowed("192.168.1.1:8000", "0.0.0.0"));
    assert_false(host_allowed("evil.example", "0.0.0.0"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_read_back_from_pieces_of_any_size),
        cmocka_unit_test(a_section_is_one_gzip_member_also_when_packed_in_pieces),
        cmocka_unit_test(strings_are_stored_once_and_valid),
        cmocka_unit_test(json_is_split_without_reading_it),
        cmocka_unit_test(cut_json_is_noticed),
        cmocka_unit_test(padding_advice_names_the_smaller_layout),
        cmocka_unit_test(every_op_line_of_a_module_is_known_by_function_and_value),
        cmocka_unit_test(whole_json_is_told_from_cut_json),
        cmocka_unit_test(only_own_host_names_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
