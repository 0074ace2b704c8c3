# SPDX-License-Identifier: Apache-2.0
# Rows of the report page: size, time to write it, and how it behaves in Chromium.
page_log=$(log page-20k --bytes 59M)
"$ttmem" view "$page_log" -o "$bench_folder/page-20k.html" >/dev/null
page_records=$(grep -o '"records":[0-9]*' "$bench_folder/page-20k.json" | head -1 | cut -d: -f2)
page_mb() { awk "BEGIN {printf \"%.2f\", $(stat -c %s "$1") / 1048576}"; }
row "page of $page_records ops" "$(page_mb "$bench_folder/page-20k.html")" 2 MB
page_ms=$(best_ms "$ttmem" view "$main_log" -o "$bench_folder/page-main.html")
page_alone_ms=$((page_ms > summary_ms ? page_ms - summary_ms : 0))
row "page of the main log" "$(page_mb "$bench_folder/page-main.html")" 4 MB
row "writing the page, time of grep" "$(ratio "$page_alone_ms" "$grep_ms")" 1.5 x
if command -v node >/dev/null && command -v chromium >/dev/null; then
  read -r _ first_graph frame_ms tab_mb < <(node tests/web/perf.mjs "$bench_folder/page-main.html" | tail -1)
  row "page of the main log in Chromium: first graph" "$first_graph" 1000 ms
  row "page of the main log in Chromium: p95 of what a frame costs, pan, zoom and hover" "$frame_ms" 32 ms
  row "page of the main log in Chromium: memory of the tab" "$tab_mb" 200 MB
fi
