# SPDX-License-Identifier: Apache-2.0
"""Writes graph_capture.json (or one per rank) as tt-metal writes a report with detailed buffers, and its sidecar: make_graph_report.py RANKS

Buffers per bank: DRAM 176128 from before the capture; L1 65536 (times rank + 1) made by to_layout; 20480 inside linear, whose
program has 100000 of circular buffers; DRAM 176128 made by linear. The L1 buffer is freed after the last function."""
import json
DEV = dict(device_id=4, num_y_cores=8, num_x_cores=8, num_y_compute_cores=8, num_x_compute_cores=8, worker_l1_size=1499136, l1_num_banks=64, l1_bank_size=1393472, address_at_first_l1_bank=0, address_at_first_l1_cb_buffer=105664, num_banks_per_storage_core=1, num_compute_cores=64, num_storage_cores=0, total_l1_memory=0, total_l1_for_tensors=0, total_l1_for_interleaved_buffers=0, total_l1_for_sharded_buffers=0, cb_limit=1393472, arch="wormhole_b0", num_dram_channels=12, dram_size_per_channel=1073741824)
def report(rank, world, scale):
    g = []
    def node(kind, connections=(), **params):
        n = dict(arguments=[], connections=list(connections), counter=len(g), input_tensors=[], node_type=kind, params=params, stacking_level=1)
        g.append(n); return n
    def tensor(tid, address, kind, shape="Shape([1, 1, 1024, 1024])"):
        return node("tensor", shape=shape, tensor_id=tid, dtype="DataType::BFLOAT16", layout="Layout::TILE", memory_config="MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED)", size=2097152, address=address, buffer_type=kind, device_id=4, device_tensors=json.dumps([{"address": address, "device_id": 4, "mesh_device_id": 4}]))
    def buf(kind, size): return node("buffer", size=size, type="L1" if kind else "DRAM", buffer_type=kind, layout="INTERLEAVED", device_id=4)
    def alloc(what, b, address, kind, size, bank): return node(what, [b["counter"]], size=size, address=address, type="L1" if kind else "DRAM", buffer_type=kind, layout="INTERLEAVED", page_size=2048, num_cores=0, device_id=4, max_size_per_bank=bank)
    node("capture_start")
    W, A, T = 2048000, 1400832, 1380352
    f1 = node("function_start", name="ttnn.to_layout", inputs="1"); f1["arguments"] = ["a", "b"]
    t1 = tensor(1, W, 0); f1["input_tensors"] = [t1["counter"]]; buf(0, 2097152)
    b = buf(1, 65536 * 64); alloc("buffer_allocate", b, A, 1, 65536 * 64, 65536 * scale)
    e1 = node("function_end", name="ttnn.to_layout"); e1["duration_ns"] = 2000000
    t2 = tensor(2, A, 1); e1["connections"] = [t2["counter"]]; b["connections"] = [t2["counter"]]
    f2 = node("function_start", name="ttnn.linear", inputs="2")
    t2b = tensor(2, A, 1); t1b = tensor(1, W, 0); f2["input_tensors"] = [t2b["counter"], t1b["counter"]]
    c = buf(1, 20480 * 64); alloc("buffer_allocate", c, T, 1, 20480 * 64, 20480)
    node("circular_buffer_deallocate_all", device_id=4)
    node("circular_buffer_allocate", size=100000, address=105664, core_range_set="{[0-0 - 7-7]}", globally_allocated="0", device_id=4)
    alloc("buffer_deallocate", c, T, 1, 20480 * 64, 20480)
    d = buf(0, 2097152); alloc("buffer_allocate", d, W + 176128, 0, 2097152, 176128)
    e2 = node("function_end", name="ttnn.linear"); e2["duration_ns"] = 5000000
    t3 = tensor(3, W + 176128, 0); e2["connections"] = [t3["counter"]]; d["connections"] = [t3["counter"]]
    alloc("buffer_deallocate", b, A, 1, 65536 * 64, 65536 * scale)
    node("capture_end")["duration_ns"] = 9000000
    B = lambda a, s, k: dict(device_id=4, address=a, max_size_per_bank=s, buffer_type=k, buffer_layout=0)
    per = {str(f1["counter"]): [B(W, 176128, 0), B(A, 65536 * scale, 1)], str(f2["counter"]): [B(W, 176128, 0), B(A, 65536 * scale, 1), B(W + 176128, 176128, 0)]}
    P = lambda i: dict(device_id=4, address=A, core_y=i // 8, core_x=i % 8, bank_id=i, page_index=i, page_address=A, page_size=2048, buffer_type=1)
    pages = {str(A): [{"alloc_counter": 5, "pages": [P(i) for i in range(64)]}]}
    io = [dict(name="ttnn.to_layout", arguments={"x": "Tensor", "layout": "TILE"}, input_tensor_ids=[1], output_tensor_ids=[2], python_stack_trace=['  File "/home/u/model/embed.py", line 12, in forward\n    x = ttnn.to_layout(x)\n', '  File "/home/u/run.py", line 3, in main\n']),
          dict(name="ttnn.linear", arguments={}, input_tensor_ids=[2, 1], output_tensor_ids=[3], python_stack_trace=['  File "/home/u/model/mlp.py", line 34, in forward\n'])]
    return dict(version=1, graph=g, devices=[DEV], metadata=dict(capture_timestamp_ns=1, total_duration_ns=9000000, rank=rank, world_size=world), per_operation_buffers=per, buffer_pages_by_address=pages), io
import sys
world = int(sys.argv[1])
for r in range(world):
    rep, io = report(r, world, r + 1)
    name = "graph_capture" + (f"_{r+1}_of_{world}" if world > 1 else "")
    json.dump(rep, open(name + ".json", "w"), indent=2, sort_keys=True); json.dump(io, open(name + ".python_io.json", "w"))
