/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of tiled reshapes: the figures of real runs and of tt-metal's own program factory. */
#include "replay/engine/reshape_map.h"
#include "testing.h"

struct vector {
    struct shape3 in, out;
    uint64_t segments, tiles, banks12, banks8, banks7;
};

/* 12 banks are Wormhole (pages of 32 bytes), 8 and 7 Blackhole (64). */
static const struct vector vectors[] = {
    {{1, 921600, 256}, {1280, 720, 256}, 64, 235520, 20098048, 30146560, 34453504},
    {{1280, 720, 256}, {1, 921600, 256}, 64, 230400, 19660800, 29491200, 33704960},
    {{256, 1280, 720}, {32, 8, 921600}, 16, 921600, 19660800, 29491200, 33704448},
    {{128, 1280, 720}, {32, 4, 921600}, 16, 921600, 19660800, 29491200, 33704448},
    {{32, 4, 921600}, {128, 1280, 720}, 96, 117760, 15074304, 22609920, 25840128},
    {{1, 57600, 512}, {320, 180, 512}, 112, 30720, 4587520, 6881280, 7865088},
    {{1, 230400, 512}, {640, 360, 512}, 96, 122880, 15728640, 23592960, 26964480},
    {{512, 90, 160}, {1, 46080, 160}, 168, 7200, 1612800, 2419200, 2765952},
    {{4 * 768, 60, 106}, {4 * 32, 24, 6360}, 224, 25472, 7608832, 11411456, 13042176},
    {{4 * 32, 24, 6360}, {4 * 768, 60, 106}, 196, 24576, 6422528, 9633792, 11010496},
    {{768 * 768 * 3, 3, 3}, {1, 20736, 768}, 568, 15552, 11778048, 17667072, 20193536},
    {{1, 1, 768}, {768, 1, 1}, 2, 768, 2048, 6144, 7040},
    {{7, 32, 64}, {1, 7, 2048}, 28, 64, 2688, 3584, 4480},
};

static void vectors_are_exact(void **state) {
    (void)state;
    struct reshape_maps maps = {0};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const struct vector *v = &vectors[i];
        struct reshape_map map;
        assert_true(reshape_map_find(&maps, v->in, v->out, &map));
        assert_int_equal(map.segments, v->segments);
        assert_int_equal(map.tiles, v->tiles);
        assert_int_equal(reshape_map_bank_bytes(&map, 12, 32), v->banks12);
        assert_int_equal(reshape_map_bank_bytes(&map, 8, 64), v->banks8);
        assert_int_equal(reshape_map_bank_bytes(&map, 7, 64), v->banks7);
    }
    reshape_maps_release(&maps);
}

/* 1x256x512x512 -> 1x32x8x262144 in f32 and the like on seven banks, as a VAE decoder's log shows them: the first reshape of a
 * pair of shapes grows DRAM by output + map - input, in thousandths of a MB. */
static void decoder_growth(void **state) {
    (void)state;
    static const struct {
        struct shape3 in, out;
        int64_t logged;
    } rows[] = {
        {{256, 512, 512}, {32, 8, 262144}, 118860}, {{128, 512, 512}, {32, 4, 262144}, 137145},
        {{256, 256, 256}, {32, 8, 65536}, 29718},   {{512, 256, 256}, {32, 16, 65536}, 22859},
        {{512, 128, 128}, {32, 16, 16384}, 5716},
    };
    struct reshape_maps maps = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reshape_map map;
        assert_true(reshape_map_find(&maps, rows[i].in, rows[i].out, &map));
        uint64_t in_tiles = rows[i].in.c * (rows[i].in.h / 32) * (rows[i].in.w / 32);
        uint64_t grown = (map.tiles + 6) / 7 * 4096 - (in_tiles + 6) / 7 * 4096 + reshape_map_bank_bytes(&map, 7, 64);
        int64_t milli = (int64_t)(grown * 1000 / 1048576);
        assert_in_range(rows[i].logged - milli, 0, 3);
    }
    reshape_maps_release(&maps);
}

static void hopeless_shapes_are_refused(void **state) {
    (void)state;
    struct reshape_maps maps = {0};
    struct reshape_map map;
    assert_false(reshape_map_find(&maps, (struct shape3){0, 0, 0}, (struct shape3){1, 1, 1}, &map));
    assert_false(reshape_map_find(&maps, (struct shape3){1, 1, 1}, (struct shape3){UINT64_MAX, UINT64_MAX, 2}, &map));
    assert_false(reshape_map_find(&maps, (struct shape3){1, 1, 1}, (struct shape3){UINT64_MAX, UINT64_MAX, 2}, &map));
    reshape_maps_release(&maps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_exact),
        cmocka_unit_test(decoder_growth),
        cmocka_unit_test(hopeless_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
