-- What turned schema 1 (schema-1.sql) into schema 5, the last one without months. Plain SQL, for SQLite and PostgreSQL.
CREATE INDEX ttmem_runs_added ON ttmem_runs (added, run_id);
ALTER TABLE ttmem_measures ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE ttmem_measures ADD COLUMN branch TEXT NOT NULL DEFAULT '';
ALTER TABLE ttmem_measures ADD COLUMN added BIGINT NOT NULL DEFAULT 0;
UPDATE ttmem_measures SET model = 'old', branch = 'main', added = 1700000000000000;
CREATE INDEX ttmem_measures_trend ON ttmem_measures (measure, model, added, run_id, branch, value, whole);
ALTER TABLE ttmem_failures ADD COLUMN outcome BIGINT NOT NULL DEFAULT 1;
CREATE TABLE ttmem_rank_peaks (run_id BIGINT NOT NULL, op_rank BIGINT NOT NULL, pool BIGINT NOT NULL, peak BIGINT NOT NULL, total BIGINT NOT NULL, after_op BIGINT, PRIMARY KEY (run_id, op_rank, pool));
CREATE TABLE ttmem_other_fatals (run_id BIGINT NOT NULL, message TEXT NOT NULL, line BIGINT NOT NULL, PRIMARY KEY (run_id));
INSERT INTO ttmem_schema (version) VALUES (2);
INSERT INTO ttmem_schema (version) VALUES (3);
INSERT INTO ttmem_schema (version) VALUES (4);
INSERT INTO ttmem_schema (version) VALUES (5);
