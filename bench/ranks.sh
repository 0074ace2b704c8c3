# SPDX-License-Identifier: Apache-2.0
# Several files as one run, and many ranks; sourced by bench/run.
# shellcheck disable=SC2154 # size, main_log and the functions come from there
files=64 each=$(($(stat -c %s "$main_log") / 64))
ranks_folder=$bench_folder/ranks-$size
if [ ! -f "$ranks_folder/rank.$((files - 1)).log" ]; then
  mkdir -p "$ranks_folder"
  for ((r = 0; r < files; r++)); do "$genlog" -o "$ranks_folder/rank.$r.log" --bytes "$each" --ansi --seed 1 || exit 1; done
fi
cat "$ranks_folder"/rank.*.log >/dev/null
row "summary of $files files, time of one of that size" "$(ratio "$(best_ms "$ttmem" summary "$ranks_folder")" "$(best_ms "$ttmem" summary "$main_log")")" 1.2 x
rank_records=$("$ttmem" summary "$ranks_folder" --json | grep -m1 -o '"records": *[0-9]*' | grep -o '[0-9]*')
row "summary of $files files, anonymous memory" "$(mib "$(peak_anonymous_kib "$ttmem" summary "$ranks_folder")")" $((64 + rank_records * 300 / 1048576)) MiB
