# SPDX-License-Identifier: Apache-2.0
# Capturing a child that prints as fast as it can, against `cat > file` for the same bytes. The log goes away each time.
capture_folder=$bench_folder/capture
captured() { rm -rf "$capture_folder"; "$ttmem" run -q --log-only --output-dir "$capture_folder" -- "$@" >/dev/null; }
written() { rm -rf "$capture_folder"; mkdir -p "$capture_folder"; "$@" | cat >"$capture_folder/log"; }
row "run, a log of $size, time of cat > file" "$(ratio "$(best_ms captured cat "$main_log")" "$(best_ms written cat "$main_log")")" 1.5 x
row "run, $size of zeros, time of cat > file" "$(ratio "$(best_ms captured head -c "$size" /dev/zero)" "$(best_ms written head -c "$size" /dev/zero)")" 1.5 x
row "run, $size of short lines, time of cat > file" \
  "$(ratio "$(best_ms captured sh -c "yes a short line | head -c $size")" "$(best_ms written sh -c "yes a short line | head -c $size")")" 1.5 x
row "run, anonymous memory" "$(mib "$(peak_anonymous_kib "$ttmem" run -q --log-only --quiet-child --output-dir "$capture_folder" -- cat "$main_log")")" 64 MiB
rm -rf "$capture_folder"
