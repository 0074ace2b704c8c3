# SPDX-License-Identifier: Apache-2.0
# Loading the main log from Python, as soon as that runs, against ttmem summary of it; a small log is read sooner than anything starts.
# shellcheck disable=SC2154 # ttmem, size, main_log, summary_ms and the functions come from bench/run
TTMEM_RUN_LIBRARY=$(dirname "$(realpath "$ttmem")")/libttmem_run.so
export TTMEM_RUN_LIBRARY
python_load_ms() {
  PYTHONPATH=python /usr/bin/python3 - "$main_log" <<'PY'
import sys, time
import ttmem
times = []
for _ in range(5):
    start = time.monotonic()
    ttmem.load(sys.argv[1]).peak("dram")
    times.append(time.monotonic() - start)
print(round(1000 * min(times)))
PY
}
[ "$size" != 1G ] || row "loading from Python, time of summary" "$(ratio "$(python_load_ms)" "$summary_ms")" 1.2 x
