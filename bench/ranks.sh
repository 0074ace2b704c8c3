# SPDX-License-Identifier: Apache-2.0
# Several files as one run, and many ranks; sourced by bench/run.
# shellcheck disable=SC2154 # size, main_log and the functions come from there
files=$(($(stat -c %s "$main_log") / 16777216)) each=16777216 # 64 of a main log of 1 GiB
ranks_folder=$bench_folder/ranks-$size
if [ ! -f "$ranks_folder/rank.$((files - 1)).log" ]; then
  mkdir -p "$ranks_folder"
  for ((r = 0; r < files; r++)); do "$genlog" -o "$ranks_folder/rank.$r.log" --bytes "$each" --ansi --seed 1 || exit 1; done
fi
cat "$ranks_folder"/rank.*.log >/dev/null
row "summary of $files files, time of one of that size" "$(ratio "$(best_ms "$ttmem" summary "$ranks_folder")" "$(best_ms "$ttmem" summary "$main_log")")" 1.2 x
rank_records=$("$ttmem" summary "$ranks_folder" --json | grep -m1 -o '"records": *[0-9]*' | grep -o '[0-9]*')
row "summary of $files files, anonymous memory" "$(mib "$(peak_anonymous_kib "$ttmem" summary "$ranks_folder")")" $((64 + rank_records * 300 / 1048576)) MiB

# Many ranks on one page: what memory-only logs tell, as remote ranks of a mesh print it.
page_ranks=256 page_ops=10000
[ "$size" = 1G ] || page_ranks=64 page_ops=1000
page_folder=$bench_folder/ranks-$page_ranks-$page_ops
if [ ! -f "$page_folder/rank.$((page_ranks - 1)).log" ]; then
  mkdir -p "$page_folder"
  for ((r = 0; r < page_ranks; r++)); do
    "$genlog" -o "$page_folder/rank.$r.log" --no-ops --modules none --const-eval 0 --ops $((page_ops / 4)) --warmup 3 --seed $((r % 7 + 1)) || exit 1
  done
fi
"$ttmem" view "$page_folder" -o "$bench_folder/page-ranks.html" >/dev/null
row "page of $page_ranks ranks of $page_ops ops" "$(page_mb "$bench_folder/page-ranks.html")" 25 MB
if command -v node >/dev/null && command -v chromium >/dev/null; then
  read -r _ first_graph _ _ < <(node tests/web/perf.mjs "$bench_folder/page-ranks.html" | tail -1)
  row "page of $page_ranks ranks in Chromium: first graph" "$first_graph" 1500 ms
fi

# 64 ranks of 5,000 ops into PostgreSQL: what the rows of ops take.
source tests/history/postgres.sh
rows_folder=$bench_folder/ranks-64-5000
if [ ! -f "$rows_folder/rank.63.log" ]; then
  mkdir -p "$rows_folder"
  for ((r = 0; r < 64; r++)); do
    "$genlog" -o "$rows_folder/rank.$r.log" --level none --modules none --const-eval 0 --ops 5000 --seed $((r % 3 + 1)) || exit 1
  done
fi
ranks_store=$(mktemp -d)
chmod 755 "$ranks_store"
if postgres_start "$ranks_store/pg"; then
  add_ms() { # add_ms [--ops]: shortest of three, each of a run that is not there yet
    local best='' start ms i
    for i in 1 2 3; do
      start=${EPOCHREALTIME/./}
      TTMEM_STORE=$postgres_url "$ttmem" history add "$rows_folder" --quiet --label "round=$RANDOM$RANDOM" "$@" >/dev/null || return 1
      ms=$(((${EPOCHREALTIME/./} - start) / 1000))
      if [ -z "$best" ] || [ "$ms" -lt "$best" ]; then best=$ms; fi
    done
    echo "$best"
  }
  without=$(add_ms) with=$(add_ms --ops)
  row "history in PostgreSQL: 64 ranks x 5,000 ops, their rows" $((with > without ? with - without : 0)) 2000 ms
  postgres_stop "$ranks_store/pg"
fi
rm -rf "$ranks_store"
