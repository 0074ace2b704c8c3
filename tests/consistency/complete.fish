# What the fish script offers: complete.fish TTMEM prints one line for each wrong answer.
set -gx PATH (path dirname $argv[1]) $PATH 2>/dev/null; or set -gx PATH (dirname $argv[1]) $PATH
$argv[1] completion fish | source

function expect # expect ANSWER COMMANDLINE
    set -l got (complete -C $argv[2] | string replace -r '\t.*' '' | sort -u | string join ' ')
    test "$got" = "$argv[1]"; or echo "fish completion of \"$argv[2]\": expected \"$argv[1]\", got \"$got\""
end

set -l folder (mktemp -d)
cd $folder; and mkdir -p home/reports/resnet logs; and touch plain.log
set -gx TTMEM_HOME $folder/home

expect summary 'ttmem summ'
expect 'log report scan simulate' 'ttmem cb '
expect --json 'ttmem summary plain.log --j'
expect 'dram l1' 'ttmem live plain.log --pool '
expect plain.log 'ttmem summary pl'
expect logs/ 'ttmem analyze plain.log --output-dir l'
expect resnet 'ttmem view re'
expect n150 'ttmem graph --simulate n15'
expect '--log --log-only' 'tt-memory-profiler --log'
expect --against 'code_memory_analyzer --ag'
expect --max-tokens 'ttmem --llm --max'
expect 'bash fish zsh' 'ttmem completion '
cd /; and rm -r $folder
