# SPDX-License-Identifier: Apache-2.0
# Folders of Inspector, against grep of the same bytes; its memory by the bound that docs/inspector.md gives; and the sampler of
# host memory, as a share of one core beside 20 processes.
geninspector=$PWD/build/geninspector
inspector_folder=$bench_folder/inspector-$size
# 1,180,000 buffers print 1 GiB
inspector_count=1180000
[ "$size" = 64M ] && inspector_count=74000
[ -f "$inspector_folder/truth" ] || { "$geninspector" -o "$inspector_folder" --allocations $inspector_count --live 400 >"$inspector_folder.truth" && mv "$inspector_folder.truth" "$inspector_folder/truth"; }
inspector_events=$(grep -o '"entries":[0-9]*' "$inspector_folder/truth" | cut -d: -f2)
grepped() { LC_ALL=C grep -c mesh_buffer "$inspector_folder/mesh_buffers_log.yaml" | cat; }
inspector_grep_ms=$(best_ms grepped)
row "Inspector files read into buffers, time of grep" "$(ratio "$(best_ms "$geninspector" --read "$inspector_folder")" "$inspector_grep_ms")" 3.0 x
row "info of Inspector files (no replay), time of grep" "$(ratio "$(best_ms "$ttmem" info "$inspector_folder")" "$inspector_grep_ms")" 3.5 x
row "summary of Inspector files, time of grep" "$(ratio "$(best_ms "$ttmem" summary "$inspector_folder")" "$inspector_grep_ms")" 7.5 x
row "summary of Inspector files, anonymous memory" "$(mib "$(peak_anonymous_kib "$ttmem" summary "$inspector_folder")")" \
  $((16 + (400 * 200 + inspector_events * 48) / 1048576)) MiB

# Processor time with the sampler and without it, over the same ten seconds.
sampled() {
  python3 - "$ttmem" "$bench_folder/sampled" "$@" <<'PY'
import resource, shutil, subprocess, sys
shutil.rmtree(sys.argv[2], ignore_errors=True)
command = "for i in $(seq 19); do sleep 10 & done; sleep 10; wait"
subprocess.run([sys.argv[1], "run", "-q", "--log-only", "--quiet-child", "--output-dir", sys.argv[2], *sys.argv[3:], "--", "sh", "-c", command])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
PY
}
row "run, sampling 20 processes, share of a core" "$(awk "BEGIN {d = ($(sampled) - $(sampled --no-host)) * 10; printf \"%.2f\", (d > 0 ? d : 0)}")" 0.5 %
