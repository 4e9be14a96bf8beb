# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # the scripts set `log`, and read `wrong`
# For the scripts of this folder that run one step after another: they include this file by `.`, and set `log`
# to the path of a file.
wrong=0

# Runs a command, and prints the outcome and the seconds under the name $1. If the command is skipped (exit status 77),
# prints its last line; if it fails, prints the end of its output, sets `wrong`, and returns 1.
step() {
    local name=$1 begin=$SECONDS status=0
    shift
    "$@" >"$log" 2>&1 || status=$?
    if [ $status -eq 0 ]; then
        echo "$name: right, $((SECONDS - begin)) s"
    elif [ $status -eq 77 ]; then
        echo "$name: $(tail -n 1 "$log")"
    else
        echo "$name: WRONG"
        tail -n 40 "$log"
        wrong=1
        return 1
    fi
}
