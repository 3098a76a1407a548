#!/bin/sh
# check_scripts.sh ROOT: every shell script parses, and shellcheck, where it is there, finds nothing.
set -u
cd -- "$1" || exit 1

status=0
for script in bootstrap .ci/run $(find tests cmake -name '*.sh' | LC_ALL=C sort); do
    sh -n "$script" || status=1
    if command -v shellcheck >/dev/null 2>&1; then
        shellcheck "$script" || status=1
    fi
done
exit "$status"
