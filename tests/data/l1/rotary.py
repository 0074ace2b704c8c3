# Buffers of a program that Python describes: sizes by arithmetic, conditions, loops, a helper.
import ttnn

TILES_PER_BLOCK = 2


def scratch_cb(index, tiles, tile_size, cores):
    """One buffer for intermediate values."""
    fmt = ttnn.CBFormatDescriptor(buffer_index=index, data_format=ttnn.bfloat16, page_size=tile_size)
    return ttnn.CBDescriptor(total_size=tiles * tile_size, core_ranges=cores, format_descriptors=[fmt])


class Rotary:
    @staticmethod
    def op(input_tensor, output_tensor, heads, double_buffered=True):
        cores = input_tensor.memory_config().shard_spec.grid
        tile_size = ttnn.tile_size(ttnn.bfloat16)
        input_cb, cos_cb, interm_cb, out_cb = 0, 1, 24, 16
        if heads < 1:
            raise ValueError("no heads")
        input_descriptor = ttnn.cb_descriptor_from_sharded_tensor(input_cb, input_tensor)
        out_descriptor = ttnn.cb_descriptor_from_sharded_tensor(out_cb, output_tensor)
        cos_tiles = TILES_PER_BLOCK * 4 if double_buffered else 4
        cos_format = ttnn.CBFormatDescriptor(buffer_index=cos_cb, data_format=ttnn.bfloat16, page_size=tile_size)
        cos_descriptor = ttnn.CBDescriptor(
            total_size=cos_tiles * tile_size,
            core_ranges=cores,
            format_descriptors=[cos_format],
        )
        cbs = [input_descriptor, cos_descriptor, out_descriptor]
        cbs.append(scratch_cb(interm_cb, 3, tile_size, cores))
        for i in range(2):
            cbs.append(scratch_cb(25 + i, i + 1, 1024, cores))
        reader = ttnn.KernelDescriptor(
            kernel_source="kernels/reader_cb.cpp", core_ranges=cores, compile_time_args=[input_cb, cos_cb]
        )
        return ttnn.generic_op([input_tensor, output_tensor], ttnn.ProgramDescriptor(kernels=[reader], cbs=cbs))


def by_parameters(tensor, heads: int, dtype):
    page = ttnn.tile_size(dtype)
    total = heads * page // 2
    cb = ttnn.CBDescriptor()
    cb.total_size = total
    cb.format_descriptors = [ttnn.CBFormatDescriptor(buffer_index=3, data_format=dtype, page_size=page)]
    return ttnn.ProgramDescriptor(cbs=[cb])
