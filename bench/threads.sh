# SPDX-License-Identifier: Apache-2.0
# Rows of many threads. One thread at a time folds what all of them parse: while that takes an eighth of the time of parsing, or less, eight
# threads are not held up by it. Times of 2, 4 and 8 threads are measured where a machine has the cores.
read -r fold_ms parse_ms < <(for _ in 1 2 3 4 5; do build/bench_fold "$main_log"; done | sort -n | head -1)
row "the fold alone, on one thread, time of parsing" "$(ratio "$fold_ms" "$parse_ms")" 0.13 x
threads_1=$(best_ms env TTMEM_THREADS=1 "$ttmem" summary "$main_log")
for threads in 2 4 8; do
  [ "$(nproc)" -ge "$threads" ] || continue
  row "summary with $threads threads, time of one thread" "$(ratio "$(best_ms env "TTMEM_THREADS=$threads" "$ttmem" summary "$main_log")" "$threads_1")" \
    "$(awk "BEGIN {printf \"%.2f\", 1.2 / $threads + 0.05}")" x
done
