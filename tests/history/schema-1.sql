-- A history of schema 1 with one run: what a ttmem that knew no other left behind. Plain SQL, for SQLite and PostgreSQL.
CREATE TABLE ttmem_schema (version BIGINT NOT NULL PRIMARY KEY);
CREATE TABLE ttmem_runs (run_id BIGINT NOT NULL PRIMARY KEY, added BIGINT NOT NULL, content TEXT NOT NULL, name TEXT NOT NULL, model TEXT NOT NULL, git_commit TEXT NOT NULL, branch TEXT NOT NULL, host TEXT NOT NULL, job TEXT NOT NULL, chip TEXT NOT NULL, source TEXT NOT NULL, ops BIGINT NOT NULL, has_ops BIGINT NOT NULL, has_lifetimes BIGINT NOT NULL, has_leaks BIGINT NOT NULL);
CREATE TABLE ttmem_labels (run_id BIGINT NOT NULL, label TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run_id, label));
CREATE TABLE ttmem_measures (run_id BIGINT NOT NULL, measure TEXT NOT NULL, value BIGINT NOT NULL, whole BIGINT NOT NULL, PRIMARY KEY (run_id, measure));
CREATE TABLE ttmem_pools (run_id BIGINT NOT NULL, pool BIGINT NOT NULL, banks BIGINT NOT NULL, total BIGINT NOT NULL, peak BIGINT NOT NULL, after_op BIGINT, before_op BIGINT, peak_rank BIGINT NOT NULL, line BIGINT NOT NULL, free_seen BIGINT NOT NULL, largest_free BIGINT NOT NULL, largest_free_op BIGINT, gap BIGINT NOT NULL, gap_op BIGINT, PRIMARY KEY (run_id, pool));
CREATE TABLE ttmem_types (run_id BIGINT NOT NULL, type BIGINT NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL, layout TEXT NOT NULL, grid TEXT NOT NULL, pool BIGINT NOT NULL, logical_bytes BIGINT NOT NULL, padded_bytes BIGINT NOT NULL, per_bank_bytes BIGINT NOT NULL, PRIMARY KEY (run_id, type));
CREATE TABLE ttmem_kinds (run_id BIGINT NOT NULL, kind BIGINT NOT NULL, name TEXT NOT NULL, location TEXT NOT NULL, program TEXT NOT NULL, type BIGINT, PRIMARY KEY (run_id, kind));
CREATE TABLE ttmem_tensors (run_id BIGINT NOT NULL, tensor BIGINT NOT NULL, op BIGINT, kind BIGINT, name TEXT NOT NULL, program TEXT NOT NULL, type BIGINT NOT NULL, result BIGINT NOT NULL, class BIGINT NOT NULL, pool BIGINT NOT NULL, PRIMARY KEY (run_id, tensor));
CREATE TABLE ttmem_ops (run_id BIGINT NOT NULL, op BIGINT NOT NULL, kind BIGINT NOT NULL, dram BIGINT, l1 BIGINT, held BIGINT, line BIGINT NOT NULL, op_rank BIGINT NOT NULL, PRIMARY KEY (run_id, op));
CREATE TABLE ttmem_programs (run_id BIGINT NOT NULL, program BIGINT NOT NULL, name TEXT NOT NULL, passes BIGINT NOT NULL, after_first BIGINT NOT NULL, after_second BIGINT NOT NULL, after_last BIGINT NOT NULL, PRIMARY KEY (run_id, program));
CREATE TABLE ttmem_leaks (run_id BIGINT NOT NULL, leak BIGINT NOT NULL, kind BIGINT NOT NULL, tensors BIGINT NOT NULL, per_bank_bytes BIGINT NOT NULL, PRIMARY KEY (run_id, leak));
CREATE TABLE ttmem_failures (run_id BIGINT NOT NULL, failure BIGINT NOT NULL, title TEXT NOT NULL, op BIGINT, line BIGINT NOT NULL, PRIMARY KEY (run_id, failure));
CREATE TABLE ttmem_ranks (run_id BIGINT NOT NULL, op_rank BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (run_id, op_rank));
INSERT INTO ttmem_schema (version) VALUES (1);
INSERT INTO ttmem_runs (run_id, added, content, name, model, git_commit, branch, host, job, chip, source, ops, has_ops, has_lifetimes, has_leaks)
  VALUES (81985529216486895, 1700000000000000, '00', 'old', 'old', 'c0ffee', 'main', 'h', '', 'Wormhole n150', 'old.log', 3, 0, 1, 0);
INSERT INTO ttmem_measures (run_id, measure, value, whole) VALUES (81985529216486895, 'dram.peak', 1048576, 10485760);
INSERT INTO ttmem_pools (run_id, pool, banks, total, peak, after_op, before_op, peak_rank, line, free_seen, largest_free, largest_free_op, gap, gap_op)
  VALUES (81985529216486895, 0, 12, 10000, 1000, 1, 2, 0, 7, 0, 0, NULL, 0, NULL);
