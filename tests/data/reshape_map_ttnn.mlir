#dram = #ttnn.buffer_type<dram>
#loc = loc(unknown)
#layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0, d3), <1x1>, memref<1536x5x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1440x5x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1439x5x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module @view attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  func.func @main(%arg0: tensor<1x512x90x160xbf16, #layout> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "args_0"}) -> (tensor<46048x160xbf16, #layout2>, tensor<46080x160xbf16, #layout1>) {
    %0 = "ttnn.reshape"(%arg0) <{shape = [46080 : i32, 160 : i32]}> : (tensor<1x512x90x160xbf16, #layout>) -> tensor<46080x160xbf16, #layout1> loc("view.1")
    %1 = "ttnn.add"(%0, %0) <{dtype = #ttcore.supportedDataTypes<bf16>}> : (tensor<46080x160xbf16, #layout1>, tensor<46080x160xbf16, #layout1>) -> tensor<46080x160xbf16, #layout1> loc("add.2")
    %2 = "ttnn.reshape"(%arg0) <{shape = [46080 : i32, 160 : i32]}> : (tensor<1x512x90x160xbf16, #layout>) -> tensor<46080x160xbf16, #layout1> loc("view.3")
    %3 = "ttnn.slice_static"(%1) <{begins = [16 : i32, 0 : i32], ends = [46064 : i32, 160 : i32], step = [1 : i32, 1 : i32]}> : (tensor<46080x160xbf16, #layout1>) -> tensor<46048x160xbf16, #layout2> loc("slice.4")
    "ttnn.deallocate"(%0) <{force = false}> : (tensor<46080x160xbf16, #layout1>) -> () loc("slice.4")
    "ttnn.deallocate"(%1) <{force = false}> : (tensor<46080x160xbf16, #layout1>) -> () loc("slice.4")
    return %3, %2 : tensor<46048x160xbf16, #layout2>, tensor<46080x160xbf16, #layout1> loc(#loc)
  } loc(#loc)
} loc(#loc)
