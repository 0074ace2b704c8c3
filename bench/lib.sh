# SPDX-License-Identifier: Apache-2.0
# For the scripts of bench/: timing, memory, and the rows of the table.
bench_folder=${BENCH_FOLDER:-$PWD/build/bench}
mkdir -p "$bench_folder"
ttmem=$PWD/build/ttmem
genlog=$PWD/build/genlog
missed=0

# Shortest wall time of three runs, in milliseconds; the first, cold one does not count. Output goes to a file: grep stops at the
# first match when it sees that nobody reads its output.
best_ms() {
  local best='' start end ms i
  for i in 0 1 2 3; do
    start=${EPOCHREALTIME/./}
    "$@" >"$bench_folder/output" 2>&1
    end=${EPOCHREALTIME/./}
    ms=$(((end - start) / 1000))
    [ "$i" -eq 0 ] && continue
    if [ -z "$best" ] || [ "$ms" -lt "$best" ]; then best=$ms; fi
  done
  echo "$best"
}

# Highest anonymous memory of a command, in KiB.
peak_anonymous_kib() {
  local pid max=0 now
  "$@" >/dev/null 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    now=$(awk '/^RssAnon/ {print $2}' "/proc/$pid/status" 2>/dev/null)
    [ -n "$now" ] && [ "$now" -gt "$max" ] && max=$now
    sleep 0.002
  done
  wait "$pid"
  echo "$max"
}

# row NAME MEASURED LIMIT UNIT: numbers may have decimals; MEASURED above LIMIT is marked.
row() {
  local verdict=ok
  if awk "BEGIN {exit !($2 > $3)}"; then
    verdict="OVER"
    missed=$((missed + 1))
  fi
  printf '%-58s %10s  limit %8s %-14s %s\n' "$1" "$2" "$3" "$4" "$verdict"
}

ratio() { awk "BEGIN {printf \"%.2f\", $1 / ($2 ? $2 : 1)}"; }

# A generated log, made once: log NAME OPTIONS...
log() {
  local name=$1
  shift
  [ -f "$bench_folder/$name.log" ] || "$genlog" -o "$bench_folder/$name.log" --truth "$bench_folder/$name.json" "$@" || return 1
  printf '%s' "$bench_folder/$name.log"
}
