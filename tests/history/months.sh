# SPDX-License-Identifier: Apache-2.0
# Cases of tests/history/run about months: PostgreSQL only.

# Runs of schema 5, or of no month yet: one every two days back from now, with four ranks each.
old_runs() { # old_runs FIRST COUNT
  sql "INSERT INTO ttmem_runs (run_id, added, content, name, model, git_commit, branch, host, job, chip, source, ops, has_ops, has_lifetimes, has_leaks)
      SELECT n, (extract(epoch FROM now()) * 1000000)::bigint - 2 * (n - $1 + 1) * 86400000000 + 43200000000, 'c' || n, 'm', 'm', 'commit' || n, 'main', '', '', '', '', 1, 0, 0, 0
      FROM generate_series($1::bigint, $1::bigint + $2 - 1) n;
    INSERT INTO ttmem_measures (run_id, measure, value, whole, model, branch, added) SELECT run_id, 'dram.peak', 1048576, 0, model, branch, added FROM ttmem_runs WHERE model = 'm' AND run_id BETWEEN $1 AND $1 + $2 - 1;
    INSERT INTO ttmem_ranks (run_id, op_rank, name) SELECT n, r, r FROM generate_series($1::bigint, $1::bigint + $2 - 1) n CROSS JOIN generate_series(0, 3) r;" >/dev/null
}
# Months of the runs, by the calendar of the database.
calendar() { sql "SELECT string_agg(DISTINCT month, ' ' ORDER BY month DESC) FROM (SELECT to_char(to_timestamp(added / 1000000) AT TIME ZONE 'utc', 'YYYYMM') AS month FROM ttmem_runs) m"; }
months() { sql "SELECT string_agg(month::text, ' ' ORDER BY month DESC) FROM ttmem_months WHERE month > 0"; }
month_ago() { date -u -d "$(date -u +%Y-%m-15) $1 months ago" +%Y%m; }
schema_5() { # a history as the last ttmem without months left it
  fresh
  psql -X -q "$TTMEM_STORE" -f "$here/schema-1.sql" -f "$here/schema-5.sql" >/dev/null
}

case_months() {
  [ "$store" = postgresql ] || return
  fresh
  local id this
  this=$(date -u +%Y%m)
  id=$("$ttmem" history add a.log --quiet --ops --label branch=main)
  same "a run is in its month" "$this 0" "$(sql "SELECT month FROM ttmem_runs") $(sql 'SELECT count(*) FROM ttmem_ops_0')"
  same "which is a partition of every table" 28 \
    "$(sql "SELECT count(*) FROM pg_inherits WHERE inhrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'h$number'::regnamespace)")"
  # the same run once more, after midnight of the last day of the month
  sql "UPDATE ttmem_run_ids SET month = 0; UPDATE ttmem_runs SET month = 0; UPDATE ttmem_ops SET month = 0; UPDATE ttmem_measures SET month = 0" >/dev/null
  same "a run is there once, whatever month it is" "$id 1" "$("$ttmem" history add a.log --quiet --label branch=main) $(count)"
  old_runs 1 40
  take_ids
  same "runs of no month are read with the others" 41 "$(count)"
  same "the newest come first" "True 5" "$("$ttmem" history list --limit 5 --json | json 'str(d["runs"] == sorted(d["runs"], key=lambda r: r["added"], reverse=True)) + " " + str(len(d["runs"]))')"
  "$ttmem" history prune --older-than 9000d --quiet
  same "prune puts them into their months" "0 $(calendar)" "$(sql 'SELECT (SELECT count(*) FROM ttmem_runs_0) + (SELECT count(*) FROM ttmem_ranks_0) + (SELECT count(*) FROM ttmem_ops_0)') $(months)"
  same "with everything about them" "41 160 $("$ttmem" summary a.log --json | json 'd["records"]')" "$(count) $(sql 'SELECT count(*) FROM ttmem_ranks WHERE run_id <= 40') $(sql 'SELECT count(*) FROM ttmem_ops')"
  same "and they are found by their ids" commit7 "$("$ttmem" history show 000000000000007 --json | json 'd["commit"]')"
  same "and by their branch" "$id" "$("$ttmem" history show branch:main --json | json 'd["id"]')"
  same "a trend goes through all months" 40 "$("$ttmem" history plot --model m | sed -n 's/.*dram.peak, \([0-9]*\) runs.*/\1/p')"
  same "an id and its table agree" 0 "$(sql 'SELECT count(*) FROM ttmem_runs r LEFT JOIN ttmem_run_ids i ON i.run_id = r.run_id AND i.month = r.month WHERE i.run_id IS NULL')"
}

# Whole months go: nobody waits for that, and it waits for whoever reads them.
case_month_retention() {
  [ "$store" = postgresql ] || return
  fresh
  local pid kept
  "$ttmem" history add a.log --quiet >/dev/null
  old_runs 1 90
  take_ids
  "$ttmem" history prune --older-than 9000d --quiet
  same "half a year of runs" "91 $(calendar)" "$(count) $(months)"
  kept=$("$ttmem" history list --limit 0 --since 60d --json | json 'len(d["runs"])')
  same "a dry run counts the runs of months too" "ttmem: $((91 - kept)) runs would be removed" "$("$ttmem" history prune --older-than 60d --dry-run 2>&1)"
  same "and removes nothing" 91 "$(count)"
  # somebody reads all months, as one table, and takes his time
  rm -f reading held
  mkfifo reading
  (echo 'BEGIN; SELECT count(*) FROM ttmem_runs;'; cat reading) | psql -X -q -t -A "$TTMEM_STORE" >held &
  exec 9>reading
  until [ -s held ]; do sleep 0.05; done
  "$ttmem" history prune --older-than 60d --quiet 2>pruned 9>&- &
  pid=$!
  until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%DETACH PARTITION%' AND wait_event_type = 'Lock'")" -gt 0 ]; do kill -0 $pid 2>/dev/null || break; sleep 0.05; done
  same "months wait for whoever reads them" 0 "$(kill -0 $pid; echo $?)"
  same "but are not listed any more" "$kept" "$(count)"
  "$ttmem" history add b.log --quiet >/dev/null
  same "and runs are added meanwhile" $((kept + 1)) "$(count)"
  same "others may still read the whole table" t "$(sql "SET lock_timeout = 10000; SELECT count(*) > $kept FROM ttmem_runs" | tail -1)"
  # killed in the middle: the next one goes on
  kill -9 $pid
  wait $pid 2>/dev/null
  exec 9>&-
  until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%DETACH PARTITION%' AND pid <> pg_backend_pid()")" = 0 ]; do sleep 0.05; done
  "$ttmem" history prune --older-than 60d --quiet
  same "what was begun is ended" "0 $((kept + 1)) $((kept + 1))" "$? $(count) $(sql 'SELECT count(*) FROM ttmem_runs')"
  same "and nothing is left of the months" "0 $(sql 'SELECT count(*) FROM ttmem_run_ids') 0" \
    "$(sql "SELECT count(*) FROM ttmem_run_ids WHERE month IN (0, $(month_ago 4))") $((kept + 1)) $(sql "SELECT count(*) FROM pg_class WHERE relnamespace = 'h$number'::regnamespace AND relname LIKE '%\_$(month_ago 4)'")"
}

# Another process makes a month, and moves runs into it, after the list of months was read.
case_month_made_meanwhile() {
  [ "$store" = postgresql ] || return
  fresh
  local pid
  "$ttmem" history add a.log --quiet >/dev/null
  old_runs 1 40
  take_ids
  # a run is held: removing waits before it knows where the runs are
  rm -f holding held
  mkfifo holding
  (echo 'BEGIN; SELECT 1 FROM ttmem_run_ids WHERE run_id = 1 FOR UPDATE;'; cat holding) | psql -X -q -t -A "$TTMEM_STORE" >held &
  exec 9>holding
  until [ -s held ]; do sleep 0.05; done
  "$ttmem" history prune --keep 0 --model m --quiet 2>problem 9>&- &
  pid=$!
  until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%FOR UPDATE%' AND wait_event_type = 'Lock'")" -gt 0 ]; do kill -0 $pid 2>/dev/null || break; sleep 0.05; done
  # as months_sort does, for a run that nobody holds
  sql "DO \$do\$ DECLARE t text; BEGIN
    FOR t IN SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = 'h$number'::regnamespace LOOP
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS)', t || '_200001', t);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (200001)', t, t || '_200001');
      EXECUTE format('UPDATE %I SET month = 200001 WHERE run_id = 40', t);
    END LOOP; END \$do\$;
    UPDATE ttmem_run_ids SET month = 200001 WHERE run_id = 40;
    INSERT INTO ttmem_months (month, going) VALUES (200001, 0)" >/dev/null
  exec 9>&-
  wait $pid
  same "runs are removed wherever they are" "0 1 0" "$? $(count) $(sql 'SELECT count(*) FROM ttmem_runs WHERE run_id = 40')"
}

# Who may write to the tables but does not own them makes no months, and loses nothing.
case_month_of_another() {
  [ "$store" = postgresql ] || return
  fresh
  local writer reader
  "$ttmem" history add a.log --quiet --label model=net >/dev/null
  sql "CREATE ROLE writer$number LOGIN; CREATE ROLE looker$number LOGIN; GRANT USAGE ON SCHEMA h$number TO writer$number, looker$number;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA h$number TO writer$number; GRANT SELECT ON ALL TABLES IN SCHEMA h$number TO looker$number" >/dev/null
  writer=${TTMEM_STORE/ttmem@/writer$number@} reader=${TTMEM_STORE/ttmem@/looker$number@}
  # the month is not there yet
  "$ttmem" history prune --keep 0 --quiet
  sql "UPDATE ttmem_months SET going = 1 WHERE month > 0" >/dev/null
  "$ttmem" history prune --keep 5 --quiet
  same "no month is left" "" "$(months)"
  "$ttmem" history add a.log --quiet --ops --store "$writer" >/dev/null
  same "a run of a writer is in no month" "0 1 0" "$? $(count) $(sql 'SELECT max(month) FROM ttmem_runs')"
  "$ttmem" history add b.log --quiet >/dev/null
  same "a writer that owns the tables makes it" "$(date -u +%Y%m)" "$(months)"
  "$ttmem" history add b.log --quiet --ops --label n=2 --store "$writer" >/dev/null
  same "then others write to it too" "0 2" "$? $(sql "SELECT count(*) FROM ttmem_runs WHERE month > 0")"
  same "and read it" "0 3" "$("$ttmem" history export --store "$reader" >exported; echo "$? $(wc -l <exported)")"
  "$ttmem" history prune --keep 100 --quiet
  same "prune sorts what is in no month" "3 3" "$(count) $(sql "SELECT count(*) FROM ttmem_runs WHERE month > 0")"
  "$ttmem" history prune --older-than 1h --model a --quiet --store "$writer"
  same "a writer may prune" 0 $?
}

# Runs are added and read while the tables are partitioned and the runs sorted.
case_months_under_load() {
  [ "$store" = postgresql ] || return
  local n pid reader holder writers=() bad=0
  schema_5
  old_runs 1 300
  same "the last schema without months is read as it is" 301 "$(count)"
  # a reader that takes his time: the tables cannot be locked until he is done
  rm -f holding held
  mkfifo holding
  (echo 'BEGIN; SELECT count(*) FROM ttmem_runs;'; cat holding) | psql -X -q -t -A "$TTMEM_STORE" >held &
  holder=$!
  exec 9>holding
  until [ -s held ]; do sleep 0.05; done
  rm -f stop read.bad
  (while [ ! -e stop ]; do
    # none is missed and none is there twice, at any time
    seen=$("$ttmem" history list --limit 0 --model m --json | json '"%d %d" % (len(d["runs"]), len(set(r["id"] for r in d["runs"])))' 2>&1)
    [ "$seen" = "300 300" ] || echo "list: $seen" >>read.bad
    seen=$("$ttmem" history plot --model m 2>&1 | sed -n 's/.*dram.peak, \([0-9]*\) runs.*/\1/p')
    [ "$seen" = 300 ] || echo "plot: $seen" >>read.bad
    seen=$("$ttmem" history show 000000000000123 --json 2>&1 | json 'd["measures"]["dram.peak"]["value_bytes"]' 2>&1)
    [ "$seen" = 1048576 ] || echo "show: $seen" >>read.bad
    echo . >>reads
  done) 2>>read.bad 9>&- &
  reader=$!
  for n in 1 2 3; do
    (for k in 1 2 3; do "$ttmem" history add a.log --quiet --ops --label "writer=$n.$k" || exit 1; done >"out.$n" 2>&1) 9>&- &
    writers+=($!)
  done
  until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LOCK TABLE ttmem_runs%' AND wait_event_type = 'Lock'")" -gt 0 ]; do sleep 0.02; done
  same "readers go on while it waits" 301 "$(sql 'SET lock_timeout = 10000; SELECT count(*) FROM ttmem_runs' | tail -1)"
  exec 9>&-
  wait $holder
  for pid in "${writers[@]}"; do wait "$pid" || bad=1; done
  same "every writer adds its runs" 0 $bad
  [ $bad -eq 0 ] || cat out.*
  same "the schema is that of months" 6 "$(sql 'SELECT max(version) FROM ttmem_schema')"
  : >reads
  "$ttmem" history prune --older-than 9000d --quiet
  same "the runs are put into their months" "0 0 310" "$? $(sql 'SELECT count(*) FROM ttmem_runs_0') $(count)"
  until [ "$(wc -l <reads)" -ge 2 ]; do sleep 0.05; done
  touch stop
  wait $reader
  same "no reader missed a run or failed" "" "$(cat read.bad 2>/dev/null)"
  same "with all their rows" "1200 $((9 * $("$ttmem" summary a.log --json | json 'd["records"]')))" "$(sql 'SELECT count(*) FROM ttmem_ranks WHERE run_id <= 300') $(sql 'SELECT count(*) FROM ttmem_ops')"
}

# Killed at any point of the migration: the next writer does it.
case_months_killed() {
  [ "$store" = postgresql ] || return
  local step pid
  for step in 'ADD COLUMN' VALIDATE ATTACH; do
    schema_5
    old_runs 1 20
    rm -f stopping held
    mkfifo stopping
    # the step waits for a lock that somebody holds on the last table it comes to
    (echo "BEGIN; LOCK TABLE $([ "$step" = VALIDATE ] && echo 'ttmem_ops IN SHARE ROW EXCLUSIVE MODE' || echo 'ttmem_ops IN ACCESS SHARE MODE'); SELECT 1;"; cat stopping) | psql -X -q -t -A "$TTMEM_STORE" >held &
    exec 9>stopping
    until [ -s held ]; do sleep 0.02; done
    "$ttmem" history add a.log --quiet >/dev/null 2>&1 9>&- &
    pid=$!
    until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE (query LIKE 'LOCK TABLE ttmem_runs%' OR query LIKE 'ALTER TABLE%') AND wait_event_type = 'Lock'")" -gt 0 ]; do kill -0 $pid 2>/dev/null || break; sleep 0.02; done
    kill -9 $pid
    wait $pid 2>/dev/null
    same "a migration that is killed leaves all runs" 21 "$(count)"
    exec 9>&-
    wait %% 2>/dev/null
    "$ttmem" history add a.log --quiet >/dev/null
    same "and the next one does it" "0 6 22" "$? $(sql 'SELECT max(version) FROM ttmem_schema') $(count)"
  done
}

# A month on a second server, which goes away.
case_second_server() {
  [ "$store" = postgresql ] || return
  fresh
  local first=$postgres_url second port away text status pid all
  away=$(month_ago 2)
  port=$(free_port)
  POSTGRES_OPTIONS="-c listen_addresses=127.0.0.1 -p $port" postgres_start "$work/pg2" || { fail "history: no second server"; return; }
  second="postgresql://ttmem@127.0.0.1:$port/postgres"
  postgres_url=$first
  "$ttmem" history add a.log --quiet --label branch=topic >/dev/null
  old_runs 1 60
  take_ids
  "$ttmem" history prune --older-than 9000d --quiet
  psql -X -q "$TTMEM_STORE" >/dev/null <<SQL
CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA public;
CREATE SERVER archive FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '$port', dbname 'postgres', connect_timeout '5', fetch_size '10000');
CREATE USER MAPPING FOR PUBLIC SERVER archive OPTIONS (user 'ttmem', password_required 'false');
CREATE ROLE viewer LOGIN;
GRANT USAGE ON SCHEMA h$number TO viewer;
GRANT SELECT ON ALL TABLES IN SCHEMA h$number TO viewer;
SQL
  all=$("$ttmem" history list --limit 0 --json)
  psql -X -q "$second" -c "CREATE SCHEMA h$number"
  pg_dump -Fc --table="h$number.ttmem_*_$away" -f month.dump "$first" && pg_restore -l month.dump | grep -v 'TABLE ATTACH' >month.list &&
    pg_restore --no-owner --no-privileges -L month.list -d "$second" month.dump
  same "a month is copied" 0 $?
  psql -X -q "$second" -c "DELETE FROM h$number.ttmem_ranks_$away WHERE run_id = (SELECT max(run_id) FROM h$number.ttmem_ranks_$away) AND op_rank = 3"
  psql -X -q -v ON_ERROR_STOP=1 -v month="$away" -v server=archive "$TTMEM_STORE" -f "$examples/move-month.sql" >/dev/null 2>moved
  same "rows that are missing there keep the month here" "3 r" "$? $(sql "SELECT relkind FROM pg_class WHERE oid = to_regclass('ttmem_runs_$away')")"
  psql -X -q "$second" -c "INSERT INTO h$number.ttmem_ranks_$away (run_id, op_rank, name) SELECT max(run_id), 3, '3' FROM h$number.ttmem_ranks_$away"
  psql -X -q -v ON_ERROR_STOP=1 -v month="$away" -v server=archive "$TTMEM_STORE" -f "$examples/move-month.sql" >/dev/null
  same "a month is moved" "0 f" "$? $(sql "SELECT relkind FROM pg_class WHERE oid = to_regclass('ttmem_runs_$away')")"
  same "and is read with the others" "$all" "$("$ttmem" history list --limit 0 --json)"
  same "also by a user that only reads" "$all" "$("$ttmem" history list --limit 0 --json --store "${TTMEM_STORE/ttmem@/viewer@}")"

  second_server_away
  # it comes back
  postgres_restart "$work/pg2" 2>/dev/null || postgres_launch "$work/pg2"
  same "nothing is lost" "$all" "$("$ttmem" history list --limit 0 --json)"

  # it goes away in the middle: after the first runs of its month were asked for
  sql "INSERT INTO ttmem_runs_$away SELECT 1000000 + run_id * 1000 + n, added, content || n, name, model, git_commit, branch, host, job, chip, source, ops, has_ops, has_lifetimes, has_leaks, month FROM ttmem_runs_$away, generate_series(1, 200) n;
    INSERT INTO ttmem_run_ids (run_id, month) SELECT run_id, month FROM ttmem_runs_$away ON CONFLICT DO NOTHING" >/dev/null
  same "there are many in it" True "$(json "$(count) > 61" <<<'{}')"
  "$ttmem" history export -o exported.jsonl 2>problem &
  pid=$!
  until [ "$(psql -X -q -t -A "$second" -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'postgres_fdw'")" -gt 0 ]; do kill -0 $pid 2>/dev/null || break; done
  kill -STOP $pid
  postgres_kill "$work/pg2"
  kill -CONT $pid
  wait $pid
  same "an export that loses the server ends with what it lacks" 4 $?
  contains "and names it" "without ${away:0:4}-${away:4}, which is on the server archive" "$(cat problem)"
  same "all other runs are in it" "$(json 'len([r for r in d["runs"] if not r["added"].startswith("'"${away:0:4}-${away:4}"'")])' <<<"$all")" \
    "$(python3 -c 'import json, sys; print(len([1 for line in open("exported.jsonl") if not json.loads(line)["added"].startswith(sys.argv[1])]))' "${away:0:4}-${away:4}")"
  # months that are over go from a second server too, when it is there
  "$ttmem" history prune --older-than 1d --quiet 2>problem
  status=$?
  contains "a month that cannot be removed is told" archive "$(cat problem)"
  same "as something that could not be written" 5 $status
  # a run of that month is added again: as one that is in no month, and the removal leaves it alone
  id=$("$ttmem" history add b.log --quiet)
  "$ttmem" history prune "$id" --quiet
  sql "INSERT INTO ttmem_run_ids (run_id, month) VALUES ($((16#$id)), $away)" >/dev/null
  left=$(sql "SELECT count(*) FROM ttmem_run_ids WHERE month = $away")
  same "a run of a month that is being removed can be added again" "$id 0" "$("$ttmem" history add b.log --quiet) $?"
  same "and is there" 1 "$("$ttmem" history list --limit 0 --json | grep -c "\"$id\"")"
  postgres_launch "$work/pg2"
  same "a removal that ends an earlier one counts its runs" "ttmem: $((left - 1)) runs removed" "$("$ttmem" history prune --older-than 1d 2>&1)"
  same "and leaves what was added since" 1 "$("$ttmem" history list --limit 0 --json | grep -c "\"$id\"")"
  same "and goes the next time" "0 0" "$(psql -X -q -t -A "$second" -c "SELECT count(*) FROM h$number.ttmem_runs_$away") $(sql "SELECT count(*) FROM pg_class WHERE relname LIKE 'ttmem_%\_$away' AND relnamespace = 'h$number'::regnamespace")"
  postgres_stop "$work/pg2"
}

second_server_away() {
  local here_count
  postgres_kill "$work/pg2"
  here_count=$(json 'len([r for r in d["runs"] if not r["added"].startswith("'"${away:0:4}-${away:4}"'")])' <<<"$all")
  text=$("$ttmem" history list --limit 0 --json 2>problem)
  same "the other months answer" "4 $here_count ['${away:0:4}-${away:4}']" "$? $(json '"%d %s" % (len(d["runs"]), d["missing_months"])' <<<"$text")"
  contains "and the missing one is named" "without ${away:0:4}-${away:4}, which is on the server archive" "$(cat problem)"
  text=$("$ttmem" history list --limit 5 --json 2>&1)
  same "a list that does not need it is whole" "0 5 []" "$? $(json '"%d %s" % (len(d["runs"]), d["missing_months"])' <<<"$text")"
  for command in 'regressions --json' plot export 'export --format csv' 'export --format prometheus'; do
    # shellcheck disable=SC2086
    text=$("$ttmem" history $command 2>&1 >answer)
    same "$command answers without it" "4 1" "$? $([ -s answer ] && grep -c 'without 20' <<<"$text")"
  done
  text=$("$ttmem" history show "$(json '[r["id"] for r in d["runs"] if r["added"].startswith("'"${away:0:4}-${away:4}"'")][0]' <<<"$all")" 2>&1)
  status=$?
  same "a run of that month" 4 $status
  contains "is of a month that is missing" "the run is of ${away:0:4}-${away:4}, a month on the server archive" "$text"
  same "a branch whose newest run is known" a "$("$ttmem" history show branch:topic --json | json 'd["model"]')"
  "$ttmem" history show branch:nowhere >/dev/null 2>&1
  same "a branch that could be there" 4 $?
  "$ttmem" history add b.log --quiet >added
  same "runs are added" 0 $?
  text=$("$ttmem" history prune --keep 3 --model m --quiet 2>&1)
  same "what counts the runs of all months removes none" "4 $((here_count + 1))" "$? $("$ttmem" history list --limit 0 --json 2>/dev/null | json 'len(d["runs"])')"
  "$ttmem" history prune "$(cat added)" --quiet
  "$ttmem" serve "$work/cwd" --port 0 --quiet >served 2>&1 &
  pid=$!
  until [ -s served ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
  contains "and the page of trends tells it" "without ${away:0:4}-${away:4}" "$(python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1] + "trends").read().decode())' "$(grep -o 'http://[^ ]*/' served | head -1)")"
  kill $pid
  wait $pid 2>/dev/null
}
