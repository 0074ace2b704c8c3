# SPDX-License-Identifier: Apache-2.0
# Rows of many threads. What has to happen in order, the fold, is done by one thread at a time: while parsing takes n times as long, up to
# n threads share the work. Times of 4 and 8 threads are measured where a machine has the cores.
fold_of() { # fold_of LOG: milliseconds of folding and of parsing, the best of three
  local i
  for i in 1 2 3; do "$PWD/build/bench_fold" "$1"; done | sort -n | head -1
}
read -r fold_ms parse_ms < <(fold_of "$main_log")
row "the fold alone, on one thread, time of grep" "$(ratio "$fold_ms" "$grep_ms")" 0.2 x
row "threads that it can keep up with: parsing, time of the fold" "$(ratio "$parse_ms" "$fold_ms")" 8 at-least
threads_1=$(best_ms env TTMEM_THREADS=1 "$ttmem" summary "$main_log")
for threads in 2 4 8; do
  [ "$(nproc)" -ge "$threads" ] || continue
  row "summary with $threads threads, time of 1 thread" "$(ratio "$(best_ms env TTMEM_THREADS=$threads "$ttmem" summary "$main_log")" "$threads_1")" \
    "$(awk "BEGIN {printf \"%.2f\", 1.25 / $threads + 0.05}")" x
done
