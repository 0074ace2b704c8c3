#dram = #ttnn.buffer_type<dram>
#loc = loc(unknown)
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 103776, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1920032, dram_unreserved_end = 1073136448}], [0], [1 : i32], [ 0x0x0x0]>
#system_memory = #ttnn.buffer_type<system_memory>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 57344 + d1 * 896 + d2, d3), <1x1>, memref<1792x35x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 57344 + d1 * 896 + d2, d3), <1x1>, memref<1792x35x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 * 2 + d2, d3), <1x1>, memref<32x31360x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 1 + d2, d3), <1x1>, memref<32x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 * 2 + d2, d3), <1x1>, memref<32x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout5 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x64xbf16, #system_memory>>
#ttnn_layout6 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x64xf32, #system_memory>>
#ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 * 2 + d2, d3), <1x1>, memref<64x1xf32, #system_memory>>
#ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 * 2 + d2, d3), <1x1>, memref<64x1xf32, #dram>, <interleaved>>
#ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 * 2 + d2, d3), <1x1>, memref<32x31360x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @SyncTensorsGraph.1 attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  ttcore.device_module {
    builtin.module @SyncTensorsGraph.1 attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>, ttcore.system_desc = #system_desc} {
      func.func private @main_const_eval_0(%arg0: tensor<64xbf16, #ttnn_layout5> loc(unknown)) -> tensor<1x32x2x1xf32, #ttnn_layout4> attributes {tt.function_type = "const_eval"} {
        %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device loc(#loc)
        %1 = "ttnn.typecast"(%arg0) <{dtype = #ttcore.supportedDataTypes<f32>}> : (tensor<64xbf16, #ttnn_layout5>) -> tensor<64xf32, #ttnn_layout6> loc(#loc)
        %2 = call @cpu_hoisted_const_eval_0(%1) {ttir.cpu_hoist_call} : (tensor<64xf32, #ttnn_layout6>) -> tensor<1x32x2x1xf32, #ttnn_layout7> loc(#loc)
        "ttnn.deallocate"(%1) <{force = false}> : (tensor<64xf32, #ttnn_layout6>) -> () loc(#loc)
        %3 = "ttnn.to_device"(%2, %0) <{memory_config = #ttnn.memory_config<#dram, <interleaved>>}> : (tensor<1x32x2x1xf32, #ttnn_layout7>, !ttnn.device) -> tensor<1x32x2x1xf32, #ttnn_layout8> loc(#loc)
        "ttnn.deallocate"(%2) <{force = false}> : (tensor<1x32x2x1xf32, #ttnn_layout7>) -> () loc(#loc)
        %4 = "ttnn.to_layout"(%3) <{layout = #ttnn.layout<tile>}> : (tensor<1x32x2x1xf32, #ttnn_layout8>) -> tensor<1x32x2x1xf32, #ttnn_layout4> loc(#loc)
        "ttnn.deallocate"(%3) <{force = false}> : (tensor<1x32x2x1xf32, #ttnn_layout8>) -> () loc(#loc)
        return %4 : tensor<1x32x2x1xf32, #ttnn_layout4> loc(#loc)
      } loc(#loc)
      func.func @main(%arg0: tensor<64xbf16, #ttnn_layout5> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "norm.weight"} loc("p0"), %arg1: tensor<1x64x896x1120xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.shard_status = #ttcore.shard_status<unsharded>, ttir.name = "args_0"} loc("p1")) -> (tensor<1x32x2x1003520xbf16, #ttnn_layout9> {ttcore.shard_status = #ttcore.shard_status<unsharded>}) attributes {tt.function_type = "forward_device"} {
        %0 = ttcore.load_cached(@main_const_eval_0, [%arg0]) : (tensor<64xbf16, #ttnn_layout5>) -> tensor<1x32x2x1xf32, #ttnn_layout4> loc(#loc)
        "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<64xbf16, #ttnn_layout5>) -> () loc(#loc)
        %1 = "ttnn.typecast"(%arg1) <{dtype = #ttcore.supportedDataTypes<f32>}> : (tensor<1x64x896x1120xbf16, #ttnn_layout>) -> tensor<1x64x896x1120xf32, #ttnn_layout1> loc(#loc1)
        "ttnn.deallocate"(%arg1) <{force = false}> : (tensor<1x64x896x1120xbf16, #ttnn_layout>) -> () loc(#loc1)
        %2 = "ttnn.reshape"(%1) <{shape = [1 : i32, 32 : i32, 2 : i32, 1003520 : i32]}> : (tensor<1x64x896x1120xf32, #ttnn_layout1>) -> tensor<1x32x2x1003520xf32, #ttnn_layout2> loc(#loc2)
        "ttnn.deallocate"(%1) <{force = false}> : (tensor<1x64x896x1120xf32, #ttnn_layout1>) -> () loc(#loc2)
        %3 = "ttnn.mean"(%2) <{dim_arg = [2 : i32, 3 : i32], keep_dim = true}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> tensor<1x32x1x1xf32, #ttnn_layout3> loc(#loc3)
        %4 = "ttnn.subtract"(%2, %3) <{dtype = #ttcore.supportedDataTypes<f32>}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>, tensor<1x32x1x1xf32, #ttnn_layout3>) -> tensor<1x32x2x1003520xf32, #ttnn_layout2> loc(#loc4)
        "ttnn.deallocate"(%3) <{force = false}> : (tensor<1x32x1x1xf32, #ttnn_layout3>) -> () loc(#loc4)
        %5 = "ttnn.multiply"(%4, %4) <{dtype = #ttcore.supportedDataTypes<f32>}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>, tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> tensor<1x32x2x1003520xf32, #ttnn_layout2> loc(#loc5)
        "ttnn.deallocate"(%4) <{force = false}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> () loc(#loc5)
        %6 = "ttnn.mean"(%5) <{dim_arg = [2 : i32, 3 : i32], keep_dim = true}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> tensor<1x32x1x1xf32, #ttnn_layout3> loc(#loc6)
        "ttnn.deallocate"(%5) <{force = false}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> () loc(#loc6)
        %7 = "ttnn.rsqrt"(%6) : (tensor<1x32x1x1xf32, #ttnn_layout3>) -> tensor<1x32x1x1xf32, #ttnn_layout3> loc(#loc7)
        "ttnn.deallocate"(%6) <{force = false}> : (tensor<1x32x1x1xf32, #ttnn_layout3>) -> () loc(#loc7)
        %8 = "ttnn.multiply"(%2, %7) <{dtype = #ttcore.supportedDataTypes<f32>}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>, tensor<1x32x1x1xf32, #ttnn_layout3>) -> tensor<1x32x2x1003520xf32, #ttnn_layout2> loc(#loc8)
        "ttnn.deallocate"(%7) <{force = false}> : (tensor<1x32x1x1xf32, #ttnn_layout3>) -> () loc(#loc8)
        "ttnn.deallocate"(%2) <{force = false}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> () loc(#loc8)
        %9 = "ttnn.multiply"(%8, %0) <{dtype = #ttcore.supportedDataTypes<f32>}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>, tensor<1x32x2x1xf32, #ttnn_layout4>) -> tensor<1x32x2x1003520xf32, #ttnn_layout2> loc(#loc9)
        "ttnn.deallocate"(%8) <{force = false}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> () loc(#loc9)
        "ttnn.deallocate"(%0) <{force = false}> : (tensor<1x32x2x1xf32, #ttnn_layout4>) -> () loc(#loc9)
        %10 = "ttnn.typecast"(%9) <{dtype = #ttcore.supportedDataTypes<bf16>}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> tensor<1x32x2x1003520xbf16, #ttnn_layout9> loc(#loc10)
        "ttnn.deallocate"(%9) <{force = false}> : (tensor<1x32x2x1003520xf32, #ttnn_layout2>) -> () loc(#loc10)
        return %10 : tensor<1x32x2x1003520xbf16, #ttnn_layout9> loc(#loc)
      } loc(#loc)
      func.func private @cpu_hoisted_const_eval_0(tensor<64xf32, #ttnn_layout6>) -> tensor<1x32x2x1xf32, #ttnn_layout7> attributes {tt.function_type = "forward_cpu_declaration"} loc(#loc)
    } loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("norm/convert")
#loc2 = loc("norm/reshape")
#loc3 = loc("norm/mean")
#loc4 = loc("norm/subtract")
#loc5 = loc("norm/square")
#loc6 = loc("norm/variance")
#loc7 = loc("norm/rsqrt")
#loc8 = loc("norm/scale")
#loc9 = loc("norm/weight")
#loc10 = loc("norm/round")
