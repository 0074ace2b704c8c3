# SPDX-License-Identifier: Apache-2.0
# Rows of export: what writing adds to reading the log, for a million ops with their memory blocks.
for format in chrome speedscope folded csv sqlite pytorch; do
  export_ms=$(best_ms "$ttmem" export "$main_log" --format "$format" -o "$bench_folder/export.$format")
  writing_ms=$((export_ms > summary_ms ? export_ms - summary_ms : 0))
  row "export $format: writing a million ops" "$((writing_ms * 1000000 / (records ? records : 1)))" 3000 ms
  rm -f "$bench_folder/export.$format"
done
