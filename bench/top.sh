# SPDX-License-Identifier: Apache-2.0
# Rows of top: processor time for 32 devices at 10 samples a second, as a share of one core.
top_writer=$PWD/build/segment_writer
if [ -x "$top_writer" ]; then
  top_folder=$(mktemp -d)
  "$top_writer" --many 32 "$top_folder" >/dev/null &
  top_pid=$!
  for _ in $(seq 100); do
    [ "$(find "$top_folder" -name 'tt_device_*_memory' | wc -l)" -eq 32 ] && break
    sleep 0.05
  done
  top_samples=100
  top_cpu=$(TIMEFORMAT='%U %S'; { time "$ttmem" top --shm "$top_folder" --json --interval 0.1 --count $top_samples >/dev/null 2>&1; } 2>&1)
  row "top: 32 devices, 10 samples a second, share of a core" \
    "$(awk -v samples=$top_samples '{printf "%.2f", ($1 + $2) * 100 / (samples / 10)}' <<<"$top_cpu")" 1.0 '%'
  kill "$top_pid" 2>/dev/null
  wait "$top_pid" 2>/dev/null
  rm -rf "$top_folder"
fi
