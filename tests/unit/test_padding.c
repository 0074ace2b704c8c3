/* SPDX-License-Identifier: Apache-2.0 */
/* Padding of tensors of which an input gives the shape and the bytes of one bank: what its pages take, minus its elements.
 * Wormhole: 12 banks of DRAM, 64 of L1. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/run/live.h"
#include "model/buffers.h"
#include "model/run.h"

static struct live_sum sum_of(const struct buffer_tensor *tensor, enum pool pool, uint64_t bank_bytes) {
    struct run run = {0};
    struct buffers *b = buffers_begin(&run, RUN_GRAPH_CAPTURE, 0);
    uint16_t rank = buffers_rank(b, slice_of("", 0));
    buffers_pool(b, rank, POOL_DRAM, 12, true, 0, 1 << 30);
    buffers_pool(b, rank, POOL_L1, 64, true, 0, 1 << 20);
    buffers_take(b, rank, &(struct device_buffer){.pool = pool, .address = 4096, .bank_bytes = bank_bytes, .tensor = tensor});
    buffers_end(b);
    assert_int_equal(run.tensors.len, 1);
    struct live_sum sum = tensor_sum(&run, &run.tensors.items[0]);
    assert_int_equal(sum.per_bank_bytes, bank_bytes);
    run_release(&run);
    return sum;
}

static void check(const struct buffer_tensor *tensor, enum pool pool, uint64_t bank_bytes, uint64_t elements, uint64_t stored) {
    struct live_sum sum = sum_of(tensor, pool, bank_bytes);
    assert_int_equal(sum.logical_bytes, elements);
    assert_int_equal(sum.padded_bytes, stored);
    assert_int_equal(sum.padding_bytes, elements ? stored - elements : 0);
}

static void banks_that_are_not_full_add_none(void **state) {
    (void)state;
    /* 32 tiles of 2048 bytes, 3 in a bank; 1024 x 1024 are 1024 whole tiles, 86 in a bank */
    struct buffer_tensor bias = {.shape = SLICE("1x1024"), .dtype = SLICE("bf16"), .tiled = true};
    check(&bias, POOL_DRAM, 3 * 2048, 1024 * 2, 32 * 2048);
    struct buffer_tensor matrix = {.shape = SLICE("1024x1024"), .dtype = SLICE("bf16"), .tiled = true};
    check(&matrix, POOL_DRAM, 86 * 2048, 1024 * 1024 * 2, 1024 * 2048);
    /* each of two matrices has rows of tiles of its own */
    struct buffer_tensor two = {.shape = SLICE("2x33x32"), .dtype = SLICE("f32"), .tiled = true};
    check(&two, POOL_DRAM, 4096, 2 * 33 * 32 * 4, 2 * 2 * 4096);
}

static void rows_are_aligned(void **state) {
    (void)state;
    /* 770 rows of 212 bytes, 65 in a bank: 224 bytes each where 32 is the alignment, 256 where it is 64 */
    struct buffer_tensor rows = {.shape = SLICE("770x106"), .dtype = SLICE("bf16")};
    check(&rows, POOL_DRAM, 65 * 224, 770 * 212, 770 * 224);
    check(&rows, POOL_DRAM, 65 * 256, 770 * 212, 770 * 256);
}

static void shards_are_whole(void **state) {
    (void)state;
    /* 200 rows in shards of 32: 7 cores with 8 tiles each, not all 64 */
    struct buffer_tensor shards = {
        .shape = SLICE("200x256"), .dtype = SLICE("bf16"), .tiled = true, .layout = BUFFER_HEIGHT_SHARDED};
    check(&shards, POOL_L1, 8 * 2048, 200 * 256 * 2, 7 * 8 * 2048);
}

static void without_elements_there_is_none(void **state) {
    (void)state;
    struct buffer_tensor map = {.shape = SLICE("8192"), .dtype = SLICE("bytes"), .raw = true};
    check(&map, POOL_DRAM, 8192, 0, 12 * 8192);
    check(NULL, POOL_DRAM, 8192, 0, 12 * 8192);
    /* the shape is that of all chips, the bytes are those of one */
    struct buffer_tensor part = {.shape = SLICE("4096x1024"), .dtype = SLICE("bf16"), .tiled = true};
    check(&part, POOL_DRAM, 86 * 2048, 0, 12 * 86 * 2048);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_that_are_not_full_add_none),
        cmocka_unit_test(rows_are_aligned),
        cmocka_unit_test(shards_are_whole),
        cmocka_unit_test(without_elements_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
