# SPDX-License-Identifier: Apache-2.0
"""Writes db.sqlite: five operations of one second; each of the first four leaves 100 MB per bank in DRAM, and the first result is last
used by the second operation and freed by the fifth. With "inputs" the table input_tensors says so, else tensor_lifetime alone."""
import sqlite3, sys, os
if os.path.exists("db.sqlite"): os.unlink("db.sqlite")
db = sqlite3.connect("db.sqlite")
db.executescript("""
create table devices(device_id int, worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_cb_buffer int, cb_limit int, rank int not null default 0);
create table operations(operation_id int, name text, duration float, rank int not null default 0);
create table tensors(tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int, buffer_type int, rank int not null default 0);
create table input_tensors(operation_id int, input_index int, tensor_id int, rank int not null default 0);
create table output_tensors(operation_id int, output_index int, tensor_id int, rank int not null default 0);
create table buffers(operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int, buffer_layout int, rank int not null default 0);
create table tensor_lifetime(tensor_id int, producer_operation_id int, last_use_operation_id int, deallocate_operation_id int, producer_source_file text, producer_source_line int, last_use_source_file text, last_use_source_line int, rank int not null default 0);
insert into devices values(0, 1499136, 64, 1393472, 105664, 1393472, 0);
""")
MB = 1 << 20
for i, name in enumerate(["ttnn.ones", "ttnn.relu", "ttnn.matmul", "ttnn.softmax", "ttnn.deallocate"], 1): db.execute("insert into operations values(?, ?, ?, 0)", (i, name, 1.0))
for t, a in ((1, 1 * MB), (2, 101 * MB), (3, 201 * MB), (4, 301 * MB)): db.execute("insert into tensors values(?, 'Shape([1, 1, 32, 32])', 'DataType.BFLOAT16', 'Layout.TILE', '', 0, ?, 0, 0)", (t, a))
alive = {1: [1], 2: [1, 2], 3: [1, 2, 3], 4: [1, 2, 3, 4], 5: [2, 3, 4]}
for op, ts in alive.items():
    for t in ts: db.execute("insert into buffers values(?, 0, ?, ?, 0, 0, 0)", (op, (1 + 100 * (t - 1)) * MB, 100 * MB))
    if op < 5: db.execute("insert into output_tensors values(?, 0, ?, 0)", (op, op))
if "inputs" in sys.argv:
    for op, t in ((2, 1), (3, 2), (4, 3), (5, 1)): db.execute("insert into input_tensors values(?, 0, ?, 0)", (op, t))
db.execute("insert into tensor_lifetime values(1, 1, 2, 5, '/m/a.py', 10, '/m/a.py', 11, 0)")
db.commit()
