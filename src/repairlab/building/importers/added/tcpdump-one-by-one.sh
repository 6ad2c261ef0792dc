#!/bin/sh
# Runs tests of TESTLIST by their names and compares what is printed, as TESTonce does for one; --list names all.
cd "$(dirname "$0")" || exit 1
if [ "$1" = --list ]; then
    exec awk '!/^#/ && NF > 2 { print $1 }' TESTLIST
fi
mkdir -p NEW
awk 'BEGIN { for (i = 2; i < ARGC; i++) { wanted[i] = ARGV[i]; ARGV[i] = "" } }
    !/^#/ && NF > 2 && !($1 in line) { line[$1] = $0 }
    END { for (i = 2; i < ARGC; i++) print wanted[i] in line ? line[wanted[i]] : wanted[i] }' TESTLIST "$@" | {
    failed=0
    while read -r name input output options; do
        : >"NEW/$name"
        if [ "$input" ]; then
            eval "../tcpdump -n -t -r $input $options" >"NEW/$name" 2>"NEW/$name.err" </dev/null 3>&-
            code=$?
            if [ "$code" -gt 128 ]; then
                printf 'EXIT CODE %08x\n' "$((code - 128))" >>"NEW/$name"
            elif [ "$code" -gt 0 ]; then
                printf 'EXIT CODE %08x\n' "$((code * 256))" >>"NEW/$name"
            fi
        fi
        if [ "$input" ] && cmp -s "$output" "NEW/$name"; then
            echo "$name: passed"
        else
            echo "$name: FAILED"
            failed=1
            [ "$output" ] && diff "$output" "NEW/$name" | head -n 20 >&2
            [ "$input" ] && grep -m 1 "^SUMMARY: AddressSanitizer" "NEW/$name.err" >&2
        fi
    done
    exit "$failed"
}
