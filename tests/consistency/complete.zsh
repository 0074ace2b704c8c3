# Which specifications the zsh script hands to zsh's own functions, which are stood in for here: complete.zsh TTMEM prints one line
# for each wrong answer.
_arguments() { print -rl -- "$@"; }
_describe() { print -rl -- "${(@)${(P)2}}"; }
compadd() { print -rl -- "$@"; }
folder=$(mktemp -d)
$1 completion zsh >$folder/_ttmem
script=$(sed '$d' $folder/_ttmem) # the last line calls it
eval $script
rm -r $folder

expect() { # expect TEXT WORD...: TEXT is among what is offered for the last word
    local text=$1 got
    shift
    words=("$@") CURRENT=$# PREFIX=${@[$#]}
    got=$(_ttmem)
    [[ "$got" == *"$text"* ]] || print -r -- "zsh completion of \"$*\": \"$text\" is not in \"$got\""
}

expect 'summary:Summarize a run' ttmem su
expect 'cb:more commands' ttmem ''
expect 'scan:List L1 buffers' ttmem cb ''
expect '--json[machine-readable output]' ttmem summary x
expect '--pool=[which memory (dram)]:dram|l1:(dram l1)' ttmem live x
expect '--against=[compare with another version of the file or folder\: what was added' ttmem cb scan x
expect '(-o --output)-o+[write there instead of stdout (- is stdout)]:FILE:_files' ttmem info x
expect '--output-dir=[make the run'"'"'s folder there instead of ./logs]:DIR:_files -/' tt-memory-profiler x
expect '1:argument:(bash zsh fish)' ttmem completion ''
expect '*:argument:_ttmem_reports' ttmem view ''
expect '--max-tokens=' ttmem --llm x
expect '--version' ttmem --v
