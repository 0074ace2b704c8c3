# SPDX-License-Identifier: Apache-2.0
# Rows of the start: programs that end at once, against git in the same run. The mean of many runs, taken in turns, so that what else
# the machine does falls on both.
start_runs=100
start_us() { # start_us COMMAND...: of $start_runs runs
  local i begin=${EPOCHREALTIME/./}
  for ((i = 0; i < start_runs; i++)); do "$@" >/dev/null; done
  echo $(((${EPOCHREALTIME/./} - begin) / start_runs))
}
start_git=0 start_version=0 start_summary=0
for _ in 1 2 3; do
  start_git=$((start_git + $(start_us git version)))
  start_version=$((start_version + $(start_us "$ttmem" version)))
  start_summary=$((start_summary + $(start_us "$ttmem" summary examples/transformer_profile.log)))
done
row "start: version, time of git version" "$(ratio "$start_version" "$start_git")" 3.0 x
row "start: summary of the example, time of git version" "$(ratio "$start_summary" "$start_git")" 6.0 x
row "start: shared libraries that version maps" "$(ldd "$ttmem" | grep -c '=> /')" 16 ''
