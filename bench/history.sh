# SPDX-License-Identifier: Apache-2.0
# Rows of diff and history: 100,000 ops against 100,000, a million op rows added, lists and trends over 100,000 runs, in SQLite and in
# PostgreSQL on a socket of this machine.
source tests/history/postgres.sh
compared=(--ops 2000 --warmup 49)
diff_a=$(log diff-a "${compared[@]}")
diff_b=$(log diff-b "${compared[@]}" --change extra-op)
row "diff of 100,000 ops against 100,000" "$(best_ms "$ttmem" diff "$diff_a" "$diff_b")" 5000 ms

history_ops=$([ "$size" = 1G ] && echo 1000000 || echo 100000)
history_log=$(log "ops-$history_ops" --level none --const-eval 0 --modules none --ops 10000 --warmup $((history_ops / 10000 - 1)))
history_folder=$(mktemp -d)
chmod 755 "$history_folder"

# Shortest of three adds of a run that is not there yet; what reading the log takes is measured by an add without ops.
history_add_ms() { # history_add_ms [--ops]
  local best='' start ms i
  for i in 1 2 3; do
    "$ttmem" history prune --keep 0 --quiet 2>/dev/null
    start=${EPOCHREALTIME/./}
    "$ttmem" history add "$history_log" --quiet --label "round=$RANDOM$RANDOM" "$@" >/dev/null || return 1
    ms=$(((${EPOCHREALTIME/./} - start) / 1000))
    if [ -z "$best" ] || [ "$ms" -lt "$best" ]; then best=$ms; fi
  done
  echo "$best"
}

history_rows() { # history_rows STORE SQL-COMMAND...
  local name=$1 plain with_ops
  shift
  plain=$(history_add_ms)
  with_ops=$(history_add_ms --ops)
  row "history in $name: $history_ops op rows added" $((with_ops > plain ? with_ops - plain : 0)) $((history_ops * 4 / 1000)) ms
  "$ttmem" history prune --keep 0 --quiet
  "$@" >/dev/null
  row "history in $name: list over 100,000 runs" "$(best_ms "$ttmem" history list)" 200 ms
  row "history in $name: regressions over 100,000 runs" "$(best_ms "$ttmem" history regressions --model m7)" 200 ms
  row "history in $name: regressions of all models" "$(best_ms "$ttmem" history regressions)" 200 ms
}

fill="INSERT INTO ttmem_runs SELECT n, 1700000000000000 + n * 60000000, 'c' || n, 'm', 'm' || (n % 10), 'commit' || n, 'main', 'h', '', '', '', 1000, 0, 0, 0 FROM numbers;
INSERT INTO ttmem_measures SELECT n, m.name, 104857600 + (n * 7919 % 1000) * 100 + CASE WHEN n > 70000 THEN 10485760 ELSE 0 END, 1073741824, 'm' || (n % 10), 'main', 1700000000000000 + n * 60000000
  FROM numbers CROSS JOIN (SELECT 'dram.peak' AS name UNION ALL SELECT 'l1.peak' UNION ALL SELECT 'failures' UNION ALL SELECT 'ops' UNION ALL SELECT 'dram.largest_free') m;"
export TTMEM_STORE="$history_folder/history.db"
history_rows SQLite sqlite3 "$TTMEM_STORE" "CREATE TEMP TABLE numbers AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000) SELECT n FROM c; $fill"
if postgres_start "$history_folder/pg"; then
  export TTMEM_STORE=$postgres_url
  history_rows PostgreSQL psql -X -q "$postgres_url" -c "CREATE TEMP TABLE numbers AS SELECT generate_series(1, 100000)::bigint AS n; $fill" \
    -c "INSERT INTO ttmem_run_ids SELECT run_id, 0 FROM ttmem_runs_0" -c "VACUUM ANALYZE"
  postgres_stop "$history_folder/pg"
fi
unset TTMEM_STORE
rm -rf "$history_folder"
