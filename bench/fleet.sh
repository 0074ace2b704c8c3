# SPDX-License-Identifier: Apache-2.0
# A day of a fleet in PostgreSQL: 1,000 runs of 64 ranks, a row per run and rank, and 10 runs of 64 ranks with 1,000 ops each, added from
# their logs; then 100,000 runs of 64 ranks. Stored, listed, searched for regressions, drawn.
# shellcheck disable=SC2154 # ttmem, genlog, size and the functions come from bench/run
source tests/history/postgres.sh
fleet_folder=$(mktemp -d)
chmod 755 "$fleet_folder"
fleet_numbers() { # fleet_numbers FIRST LAST: a run a minute, with the month it belongs to
  echo "CREATE TEMP TABLE numbers AS SELECT n, added, to_char(to_timestamp(added / 1000000) AT TIME ZONE 'utc', 'YYYYMM')::bigint AS month
  FROM (SELECT n, 1700000000000000 + n * 60000000 AS added FROM generate_series($1::bigint, $2::bigint) n) m;"
}
fleet_months() { # fleet_months LAST: the months of the runs up to LAST, made by ttmem itself
  (fleet_numbers 1 "$1"
    echo "INSERT INTO ttmem_runs SELECT 1000000000 + month, min(added), '', 'm', 'm', '', '', '', '', '', '', 0, 0, 0, 0 FROM numbers GROUP BY month;") | psql -X -q "$postgres_url" -v ON_ERROR_STOP=1
  "$ttmem" history prune --older-than 9000d --quiet
  psql -X -q "$postgres_url" -c 'DELETE FROM ttmem_runs WHERE run_id > 1000000000 AND ops = 0' -c 'DELETE FROM ttmem_run_ids i WHERE NOT EXISTS (SELECT 1 FROM ttmem_runs r WHERE r.run_id = i.run_id)'
}
fleet_fill() { # fleet_fill FIRST LAST: runs with five measures, two pools and 64 ranks
  fleet_numbers "$1" "$2"
  cat <<SQL
INSERT INTO ttmem_run_ids SELECT n, month FROM numbers;
INSERT INTO ttmem_runs SELECT n, added, 'c' || n, 'm', 'm' || (n % 10), 'commit' || n, 'main', 'h', '', '', '', 1000, 0, 0, 0, month FROM numbers;
INSERT INTO ttmem_measures (run_id, measure, value, whole, model, branch, added, month) SELECT n, m.name, 104857600 + (n * 7919 % 1000) * 100, 1073741824, 'm' || (n % 10), 'main', added, month
  FROM numbers CROSS JOIN (SELECT 'dram.peak' AS name UNION ALL SELECT 'l1.peak' UNION ALL SELECT 'failures' UNION ALL SELECT 'ops' UNION ALL SELECT 'dram.spread') m;
INSERT INTO ttmem_pools (run_id, pool, banks, total, peak, peak_rank, line, free_seen, largest_free, gap, month) SELECT n, p, 12, 1022169, 100000, 0, 1, 1 + CASE n % 100 WHEN 0 THEN 2 ELSE 0 END, 0, 0, month
  FROM numbers CROSS JOIN generate_series(0, 1) p;
INSERT INTO ttmem_ranks (run_id, op_rank, name, month) SELECT n, r, '1,' || r, month FROM numbers CROSS JOIN generate_series(0, 63) r;
INSERT INTO ttmem_rank_peaks (run_id, op_rank, pool, peak, total, month) SELECT n, r, 0, 100000 + (n * 31 + r) % 1000, 1022169, month FROM numbers CROSS JOIN generate_series(0, 63) r;
SQL
}
fleet_get() { # fleet_get PORT PATH: an answer, without a program that takes longer to start than it
  exec 8<>"/dev/tcp/127.0.0.1/$1" && printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$2" >&8 && cat <&8
  exec 8<&-
}
fleet_rows() { # fleet_rows WHAT
  local serving port
  rm -f "$fleet_folder/address"
  row "$1: list" "$(best_ms "$ttmem" history list)" 200 ms
  row "$1: regressions of a model" "$(best_ms "$ttmem" history regressions --model m7)" 200 ms
  row "$1: regressions of all" "$(best_ms "$ttmem" history regressions)" 200 ms
  "$ttmem" serve "$fleet_folder" --port 0 --quiet >"$fleet_folder/address" &
  serving=$!
  until grep -qE '[0-9]+/' "$fleet_folder/address" 2>/dev/null; do sleep 0.05; done
  port=$(head -1 "$fleet_folder/address" | grep -oE '[0-9]+/' | tr -d /)
  row "$1: /trends" "$(best_ms fleet_get "$port" /trends)" 200 ms
  grep -q '"points"' "$bench_folder/output" || row "$1: /trends shows runs" 1 0 ''
  kill "$serving"
}

if postgres_start "$fleet_folder/pg"; then
  export TTMEM_STORE=$postgres_url
  mkdir -p "$fleet_folder/ranks"
  for ((r = 0; r < 64; r++)); do "$genlog" -o "$fleet_folder/ranks/rank.$r.log" --ops 1000 --seed "$r" 2>/dev/null; done
  start=${EPOCHREALTIME/./}
  for ((n = 0; n < 10; n++)); do "$ttmem" history add "$fleet_folder/ranks" --ops --quiet --label "n=$n" >/dev/null; done
  row "fleet: 10 runs of 64 x 1,000 ops added, each" $(((${EPOCHREALTIME/./} - start) / 10000)) 5000 ms
  fleet_months 100000
  fleet_fill 1 1000 | psql -X -q "$postgres_url" -v ON_ERROR_STOP=1 >/dev/null
  psql -X -q "$postgres_url" -c 'VACUUM ANALYZE'
  fleet_rows 'a day of a fleet'
  if [ "$size" = 1G ]; then
    fleet_fill 1001 100000 | psql -X -q "$postgres_url" -v ON_ERROR_STOP=1 >/dev/null
    psql -X -q "$postgres_url" -c 'VACUUM ANALYZE'
    fleet_rows '100,000 runs of 64 ranks'
    start=${EPOCHREALTIME/./}
    "$ttmem" history prune --older-than 9000d --quiet
    row '100,000 runs of 64 ranks: prune that finds nothing' $(((${EPOCHREALTIME/./} - start) / 1000)) 1000 ms
    start=${EPOCHREALTIME/./}
    "$ttmem" history prune --older-than "$(((${EPOCHSECONDS} - 1701388800) / 86400))d" --quiet # what was added before December 2023
    row '100,000 runs of 64 ranks: prune of the first month' $(((${EPOCHREALTIME/./} - start) / 1000)) 5000 ms
  fi
  postgres_stop "$fleet_folder/pg"
fi
unset TTMEM_STORE
rm -rf "$fleet_folder"
