#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small ttnn report database: make_db.py SCHEMA FILE, SCHEMA legacy (before ranks), 3.3, two-devices or wal.

Three operations on a Wormhole n150. After the second, 64 KiB per bank lie between two free holes of DRAM:
  op 1  a 65536 at B, b 65536 at B+64K, c 65536 at B+128K, L1 2048
  op 2  a gone; b stays; c gone
  op 3  d 32768 at B
"""
import sqlite3
import sys

schema, path = sys.argv[1:]
ranked = schema == '3.3'
db = sqlite3.connect(path)
if schema == 'wal':
    db.execute('PRAGMA journal_mode=WAL')
rank = ', rank int NOT NULL DEFAULT 0' if ranked else ''
db.executescript(f'''
CREATE TABLE devices(device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int,
  worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int, address_at_first_l1_cb_buffer int,
  num_banks_per_storage_core int, num_compute_cores int, num_storage_cores int, total_l1_memory int, total_l1_for_tensors int,
  total_l1_for_interleaved_buffers int, total_l1_for_sharded_buffers int, cb_limit int{rank});
CREATE TABLE operations(operation_id int, name text, duration float{rank});
CREATE TABLE tensors(tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int,
  buffer_type int{rank});
CREATE TABLE input_tensors(operation_id int, input_index int, tensor_id int{rank});
CREATE TABLE output_tensors(operation_id int, output_index int, tensor_id int{rank});
CREATE TABLE buffers(operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int
  {', buffer_layout int' if schema != 'legacy' else ''}{rank});
''')
if ranked:
    db.execute('CREATE TABLE report_metadata(key text UNIQUE, value text)')
    db.execute("INSERT INTO report_metadata VALUES('schema_version', '3.3')")


def add(table, *values):
    values += (0,) if ranked else ()
    if table == 'buffers' and schema == 'legacy':
        values = values[:5]
    db.execute(f'INSERT INTO {table} VALUES({",".join("?" * len(values))})', values)


BASE = 1920032
devices = (0, 1) if schema == 'two-devices' else (0,)
for device in devices:
    add('devices', device, 9, 8, 8, 8, 1499136, 64, 1370848, 0, 103712, 1, 64, 0, 95944704, 0, 87734272, 87734272, 1395424)
# rows are not in order on purpose
for operation, name in ((3, 'ttnn.add'), (1, 'ttnn.ones'), (2, 'ttnn.deallocate')):
    add('operations', operation, name, 0.25)
config = 'MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM)'
add('tensors', 7, 'ttnn.Shape([1, 768, 512])', 'DataType.BFLOAT16', 'Layout.TILE', config, 0, BASE + 65536, 0)
add('tensors', 9, 'Shape([384, 512])', 'DataType::BFLOAT16', 'Layout::TILE', config, 0, BASE, 0)
add('output_tensors', 1, 0, 7)
add('input_tensors', 3, 0, 7)
add('output_tensors', 3, 0, 9)
for device in devices:
    for operation, address, size, kind in ((1, BASE, 65536, 0), (1, BASE + 65536, 65536, 0), (1, BASE + 131072, 65536, 0),
                                           (1, 1499136 - 2048 - 24576, 2048, 1), (2, BASE + 65536, 65536, 0),
                                           (3, BASE + 65536, 65536, 0), (3, BASE, 32768, 0)):
        add('buffers', operation, device, address, size, kind, 0)
db.commit()
