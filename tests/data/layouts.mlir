// Device types as an optimising compiler leaves them, one per line, with the bytes that they take on Wormhole, counted by hand:
// an interleaved tensor whose layout still names the shard of the op that made it takes what its shape takes.
// 784 x 8 tiles of 2048 B; the shard says 13 x 8
tensor<1x1x25088x256xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 25088 + d1 * 25088 + d2, d3), <1x1>, memref<13x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>> // 12845056 B
// 13 rows of tiles (392 is 12.25 tiles), 64 columns
tensor<1x1x392x2048xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 416 + d1 * 416 + d2, d3), <1x1>, memref<2x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>> // 1703936 B
// L1: the grid of 110 cores would be more than the 96 tiles that there are
tensor<32x3072xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <10x11>, memref<1x1x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>> // 196608 B
// L1, a shard that is too small: 4 x 96 tiles
tensor<100x3072xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x12x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>> // 786432 B
// every matrix is padded by itself: 2 x 24 x 2 tiles
tensor<2x768x50xbf16, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 768 + d1, d2), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>> // 196608 B
// a vector and a scalar: 32 tiles of 4096 B, one tile
tensor<1000xf32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>> // 131072 B
tensor<f32, #ttnn.ttnn_layout<() -> (0, 0), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>> // 4096 B
// block floats: 8 x 8 tiles of 1088 B
tensor<256x256x!ttcore.tile<32x32, bfp_bf8>, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bfp_bf8>, #dram>, <interleaved>>> // 69632 B
// logical bf16 kept in block floats takes less than its elements would: 64 tiles of 1088 B, and no padding
tensor<256x256xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x8x!ttcore.tile<32x32, bfp_bf8>, #dram>, <interleaved>>> // 69632 B
// row major: 184320 rows of 212 B, each rounded up to 224
tensor<1x768x4x60x106xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3, d4) -> (d0 * 184320 + d1 * 240 + d2 * 60 + d3, d4), <1x1>, memref<240x106xbf16, #dram>, <interleaved>>> // 41287680 B
// sharded: 8 x 8 cores, each 2 x 4 tiles
tensor<512x1024xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<2x4x!ttcore.tile<32x32, bf16>, #l1>, <block_sharded>>> // 1048576 B
// height sharded with a last shard that is not full: 7 shards of 1 x 8 tiles for 200 rows
tensor<200x256xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <7x1>, memref<1x8x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>>> // 114688 B
