#!/bin/sh
# Runs each test and compares what it prints with its CHECK line.
[ "$1" = -v ] && shift
failed=0
count=0
total=$#
for test; do
    count=$((count + 1))
    expected=$(sed -n 's/^# CHECK: //p' "$test")
    if [ "$(build/calc $(sed -n 's/^# RUN: calc //p' "$test"))" = "$expected" ]; then
        echo "PASS: calc :: ${test#tests/} ($count of $total)"
    else
        echo "FAIL: calc :: ${test#tests/} ($count of $total)"
        failed=1
    fi
done
exit $failed
