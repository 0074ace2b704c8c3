/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of circular buffers as C++ computes them: every row is a piece of a host program and the bytes that C++ gives `size`.
 */
#include "testing.h"

#include "cb/study/cb_scan.h"

enum { OPEN = -1 };

static int64_t size_of_buffer(const char *statements) {
    struct strbuf text = {0};
    strbuf_addf(&text,
                "struct Block { uint32_t tiles = 4; uint32_t page = 2048; };\n"
                "void f(Program& program, const Tensor& t) {\n%s\n"
                "CreateCircularBuffer(program, core, CircularBufferConfig(size, {{0, tt::DataFormat::Float16_b}}));\n}",
                statements);
    struct cb_source source;
    cb_source_scan(&source, strbuf_slice(&text), NULL, 0, NULL, 0);
    assert_int_equal(source.decls.len, 1);
    int64_t bytes = cb_decl_cost(&source.decls.items[0]);
    cb_source_release(&source);
    strbuf_release(&text);
    return bytes;
}

struct row {
    const char *statements;
    int64_t bytes;
};

static void assert_sizes(const struct row *rows, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t bytes = size_of_buffer(rows[i].statements);
        if (bytes != rows[i].bytes)
            print_message("%s\n  %lld, not %lld\n", rows[i].statements, (long long)bytes, (long long)rows[i].bytes);
        wrong += bytes != rows[i].bytes;
    }
    assert_int_equal(wrong, 0);
}

static void numbers_are_read_in_every_spelling(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"uint32_t size = 4096;", 4096},
        {"uint32_t size = 0x1000;", 4096},
        {"uint32_t size = 0X1fE0u;", 8160},
        {"uint32_t size = 0b1'0000'0000'0000;", 4096},
        {"uint32_t size = 4'096UL;", 4096},
        {"uint32_t size = 010000;", 4096},
        {"uint32_t size = 0;", 0},
        {"auto size = 4096.5;", OPEN},
        {"auto size = 99999999999999999999;", OPEN},
    };
    assert_sizes(rows, COUNT_OF(rows));
}

static void operators_fold(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"uint32_t size = (3 << 12) >> 1;", 6144},
        {"uint32_t size = (4096 | 64) ^ 64;", 4096},
        {"uint32_t size = 5000 & 4096;", 4096},
        {"uint32_t size = 7000 % 4096;", 2904},
        {"uint32_t size = -(-2048) + +2048;", 4096},
        {"uint32_t size = (!false and not (2 > 3 or 3 <= 2)) * 2048;", 2048},
        {"uint32_t size = (2 != 3) * 1024 + (2 >= 2) * 512;", 1536},
        {"uint32_t size = 64; size <<= 5; size += 2048; size -= 1024; size *= 2; size /= 3;", 2048},
        {"uint32_t size = 4096; size |= 32; size &= 4128; size ^= 32; size %= 4000; size >>= 5;", 3},
        {"uint32_t i = 3; uint32_t j = i++; uint32_t size = (i * 10 + j) * 32;", 1376},
        {"uint32_t i = 3; uint32_t j = --i; uint32_t size = (i * 10 + j) * 32;", 704},
        {"uint32_t i = 0, size = 0; i = 2, size = i * 1024;", 2048},
        {"uint32_t size = 4096 / 0;", OPEN},
        {"uint32_t size = ~63;", OPEN},
    };
    assert_sizes(rows, COUNT_OF(rows));
}

static void functions_of_the_library_fold(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"uint32_t size = std::min({4096u, 2048u, 8192u}) + std::max({1, 3, 2});", 2051},
        {"uint32_t size = std::min<uint32_t>(4096, 2048);", 2048},
        {"uint32_t size = std::clamp(5000, 2048, 4096) + std::clamp(1, 32, 64);", 4128},
        {"uint32_t size = tt::round_up(5000, 2048) + tt::round_down(5000, 2048);", 10240},
        {"uint32_t size = tt::div_up(5000, 2048) * 32;", 96},
        {"uint32_t size = static_cast<uint32_t>(2048) + (uint32_t)32;", 2080},
        {"uint32_t size = sizeof(uint32_t) * 512 + sizeof(bfloat16) * 16 + sizeof(std::uint8_t);", 2081},
        {"uint32_t size = tt::tile_size(tt::DataFormat::Float16_b);", 2048},
        {"uint32_t size = tt::datum_size(tt::DataFormat::Float32) * 1024;", 4096},
        {"std::optional<uint32_t> o = std::nullopt; uint32_t size = o.has_value() ? 1 : o.value_or(2048);", 2048},
        {"std::optional<uint32_t> o = 4096; uint32_t size = o.has_value() ? o.value() : 1;", 4096},
        {"auto n = t.logical_volume(); TT_FATAL(n == 2048, \"one tile\"); uint32_t size = n;", 2048},
        {"uint32_t size = t.is_sharded() ? 2048 : 2048;", 2048},
        {"uint32_t size = t.is_sharded() ? 2048 : 4096;", OPEN},
    };
    assert_sizes(rows, COUNT_OF(rows));
}

static void tuples_lists_maps_and_structures_are_followed(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"auto [n, page] = std::make_tuple(3, 2048); uint32_t size = n * page;", 6144},
        {"auto p = std::make_pair(3, 2048); uint32_t size = std::get<1>(p) + std::get<0>(p);", 2051},
        {"uint32_t n, page; std::tie(n, page) = std::make_tuple(3, 2048); uint32_t size = n * page;", 6144},
        {"std::vector<uint32_t> v = {1024, 2048}; v.push_back(4096); uint32_t size = v.front() + v.at(1) + v.back() + "
         "v.size();",
         7171},
        {"std::vector<uint32_t> v = {1024, 2048}; v[1] = 4096; uint32_t size = v[0] + v[1];", 5120},
        {"std::vector<uint32_t> v = {1024}; v.clear(); uint32_t size = v.empty() ? 2048 : v[0];", 2048},
        {"std::vector<uint32_t> v = {1024}; v.resize(t.rank()); uint32_t size = v.size() * 32;", OPEN},
        {"std::map<uint32_t, uint32_t> m = {{1, 2048}, {7, 4096}}; uint32_t size = m[7] + m.at(1);", 6144},
        {"std::map<uint32_t, uint32_t> m = {{1, 2048}}; m[1] = 4096; m.insert({9, 64}); uint32_t size = m[1] + m[9];", 4160},
        {"std::map<uint32_t, uint32_t> m = {{1, 2048}}; m.emplace(3, 96); uint32_t size = m[3];", 96},
        {"Block b; uint32_t size = b.tiles * b.page;", 8192},
        {"Block b{2, 1024}; uint32_t size = b.tiles * b.page;", 2048},
        {"Block b{.tiles = 3}; uint32_t size = b.tiles * b.page;", 6144},
        {"Block b; b.tiles++; b.page += 32; uint32_t size = b.tiles * b.page;", 10400},
        {"auto tiles = [](uint32_t n) { return n * 2; }; uint32_t size = tiles(3) * 2048;", 12288},
        {"uint32_t size = [&]() { return 4096; }();", 4096},
    };
    assert_sizes(rows, COUNT_OF(rows));
}

/* What is set under a condition holds sometimes only; the condition is the same for whoever makes the buffer. */
static void what_is_set_under_a_condition_is_open(void **state) {
    (void)state;
    struct cb_source s;
    cb_source_scan(&s,
                   SLICE("ProgramDescriptor f(Program& program, const Tensor& t) {\n"
                         "auto config = CircularBufferConfig(4096, {{6, tt::DataFormat::Float16_b}}).set_page_size(6, 1024);\n"
                         "if (t.is_sharded()) { config.set_page_size(6, 2048); config.set_total_size(8192); }\n"
                         "program.add_circular_buffer(core, config);\n"
                         "if (t.is_sharded()) {\n"
                         "  auto inner = CircularBufferConfig(4096, {{7, tt::DataFormat::Float16_b}}).set_page_size(7, 1024);\n"
                         "  inner.set_page_size(7, 2048);\n"
                         "  CreateCircularBuffer(program, core, inner);\n}\n"
                         "ProgramDescriptor desc;\n"
                         "CBDescriptor d;\nd.total_size = 2048;\nif (t.is_sharded()) { d.total_size = 4096; }\n"
                         "d.format_descriptors = {{5, tt::DataFormat::Float16_b, 2048}};\ndesc.cbs.push_back(d);\n"
                         "desc.cbs.push_back(cb_descriptor_from_sharded_tensor(3, t));\n"
                         "std::string dir = \"kernels/\";\n"
                         "CreateKernel(program, dir + \"reader.cpp\", core, ReaderDataMovementConfig{});\n"
                         "CreateKernel(program, \"kernels/\" \"writer.cpp\", core, WriterDataMovementConfig{});\n"
                         "return desc;\n}"),
                   NULL, 0, NULL, 0);
    static const struct {
        int64_t index, bytes, page_bytes;
        enum cb_strategy strategy;
    } expected[] = {
        {6, OPEN, OPEN, CB_ADAPTIVE}, {7, 4096, 2048, CB_FIXED}, {5, OPEN, 2048, CB_ADAPTIVE}, {3, 0, OPEN, CB_TENSOR_BACKED}};
    assert_int_equal(s.decls.len, COUNT_OF(expected));
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const struct cb_decl *d = NULL;
        for (size_t k = 0; k < s.decls.len; k++)
            if (s.decls.items[k].indices[0].index == expected[i].index) d = &s.decls.items[k];
        assert_non_null(d);
        assert_int_equal(cb_decl_cost(d), expected[i].bytes);
        assert_int_equal(d->indices[0].page_bytes, expected[i].page_bytes);
        assert_int_equal(d->strategy, expected[i].strategy);
    }
    assert_int_equal(s.kernels.len, 2);
    assert_slice(s.kernels.items[0].path, "kernels/reader.cpp");
    assert_slice(s.kernels.items[1].path, "kernels/writer.cpp");
    cb_source_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_in_every_spelling),
        cmocka_unit_test(operators_fold),
        cmocka_unit_test(functions_of_the_library_fold),
        cmocka_unit_test(tuples_lists_maps_and_structures_are_followed),
        cmocka_unit_test(what_is_set_under_a_condition_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
