# SPDX-License-Identifier: Apache-2.0
# Loading the main log from Python against ttmem summary of it.
TTMEM_RUN_LIBRARY=$(dirname "$(realpath "$ttmem")")/libttmem_run.so
export TTMEM_RUN_LIBRARY
load='import sys, ttmem; ttmem.load(sys.argv[1]).peak("dram")'
row "loading from Python, time of summary" "$(ratio "$(best_ms env PYTHONPATH=python /usr/bin/python3 -c "$load" "$main_log")" "$summary_ms")" 1.2 x
