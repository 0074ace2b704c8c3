-- SPDX-License-Identifier: Apache-2.0
-- Moves a month of ttmem's history to a second server: its tables become foreign tables of postgres_fdw. First copy them there:
--   pg_dump -Fc --table='ttmem_*_202605' -f month.dump "$FIRST"
--   pg_restore -l month.dump | grep -v 'TABLE ATTACH' >month.list
--   pg_restore --no-owner --no-privileges -L month.list -d "$SECOND" month.dump
--   psql -X -v ON_ERROR_STOP=1 -v month=202605 -v server=archive "$FIRST" -f move-month.sql
-- The server and a user mapping have to be there (docs/history.md). All of it happens or nothing: a table that has not got the same
-- number of rows on both sides stays where it is, with all the others.
BEGIN;
SET LOCAL lock_timeout = '10s';
SELECT set_config('ttmem.month', :'month', true), set_config('ttmem.server', :'server', true) \g /dev/null
DO $do$
DECLARE
  month text := current_setting('ttmem.month');
  server text := current_setting('ttmem.server');
  name text;
  part text;
  allowed text;
  here bigint;
  there bigint;
BEGIN
  FOREACH name IN ARRAY ARRAY['ttmem_runs', 'ttmem_labels', 'ttmem_measures', 'ttmem_pools', 'ttmem_types', 'ttmem_kinds', 'ttmem_tensors',
    'ttmem_programs', 'ttmem_leaks', 'ttmem_failures', 'ttmem_ranks', 'ttmem_rank_peaks', 'ttmem_other_fatals', 'ttmem_ops']
  LOOP
    part := name || '_' || month;
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', name, part);
    EXECUTE format('ALTER TABLE %I RENAME TO %I', part, part || '_moved');
    EXECUTE format('CREATE FOREIGN TABLE %I PARTITION OF %I (month DEFAULT %s) FOR VALUES IN (%s) SERVER %I', part, name, month, month, server);
    FOR allowed IN
      SELECT format('GRANT %s ON %I TO %s', a.privilege_type, part, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
      FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = to_regclass(name) AND a.grantee <> c.relowner
    LOOP
      EXECUTE allowed;
    END LOOP;
    EXECUTE format('SELECT count(*) FROM %I', part || '_moved') INTO here;
    EXECUTE format('SELECT count(*) FROM %I', part) INTO there;
    IF here <> there THEN
      RAISE EXCEPTION '%: % rows here, % on %', part, here, there, server;
    END IF;
    EXECUTE format('DROP TABLE %I', part || '_moved');
  END LOOP;
END $do$;
COMMIT;
