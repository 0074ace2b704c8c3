# What the bash script offers: complete.bash TTMEM prints one line for each wrong answer.
source <("$1" completion bash)

offered() { # offered WORD...: what is offered for the last word
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _ttmem
  printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd' '
}
expect() { # expect ANSWER WORD...
  local answer=$1 got
  shift
  got=$(offered "$@")
  [ "$got" = "$answer" ] || printf 'bash completion of "%s": expected "%s", got "%s"\n' "$*" "$answer" "$got"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" && mkdir -p home/reports/resnet home/reports/decoder logs && touch 'a b.log' plain.log
export TTMEM_HOME=$folder/home

expect 'summary' ttmem summ
expect 'cb' ttmem cb
expect '--help log report scan simulate' ttmem cb ''
expect '--json' ttmem summary plain.log --j
expect 'dram l1' ttmem live plain.log --pool ''
expect 'dram' ttmem live plain.log --pool = dr
expect 'l1' ttmem live plain.log --pool=l1x --pool l
expect 'a b.log decoder home logs plain.log resnet' ttmem summary --quiet ''
expect 'a b.log' ttmem summary a
expect 'logs' ttmem analyze plain.log --output-dir l
expect 'plain.log' ttmem summary plain.log -o pl
expect 'resnet' ttmem view re
expect 'blackhole' ttmem cb simulate --device bla
expect 'n150' ttmem graph --simulate n15
expect '--log --log-only' tt-memory-profiler --log
expect '' ttmem run --name ''
expect 'plain.log' ttmem run --name x script.py --name pl
expect '--against' /usr/bin/code_memory_analyzer --ag
expect '--max-tokens' ttmem --llm --logfile x --max
expect 'bash fish zsh' ttmem completion ''
expect '' ttmem serve --port ''
