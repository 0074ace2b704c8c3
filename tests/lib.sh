# SPDX-License-Identifier: Apache-2.0
# Counting for the test scripts. A script that is run by another leaves its counts in $COUNTS_FILE for add_counts.

# A shim that looks for the interpreter at every start takes longer than the interpreter.
case $(command -v python3) in
  */shims/*) PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH ;;
esac
passed=0 failed=0 skipped=0
: "${COUNTS_FILE:=$(mktemp)}"
export COUNTS_FILE

pass() { passed=$((passed + 1)); }
pass_many() { passed=$((passed + $1)); }
fail() {
  failed=$((failed + 1))
  printf 'FAILED: %s\n' "$1"
}
skip_many() {
  [ "$1" -gt 0 ] || return 0
  skipped=$((skipped + $1))
  printf 'skipped %s: %s\n' "$1" "$2"
}
leave_counts() { printf '%s %s %s\n' "$passed" "$failed" "$skipped" >"$COUNTS_FILE"; }
add_counts() {
  local p f s
  read -r p f s <"$COUNTS_FILE"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}
finish() {
  rm -f "$COUNTS_FILE"
  printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ] && exit 0
  exit 1
}
