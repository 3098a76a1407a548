#!/bin/sh
# check_format.sh ROOT: clang-format 14 would change nothing. 77 (skipped) where it is not installed:
# other versions lay out differently.
set -u
cd -- "$1" || exit 1

for formatter in clang-format-14 clang-format none; do
    "$formatter" --version 2>/dev/null | grep -q 'version 14\.' && break
done
if [ "$formatter" = none ]; then
    echo 'skipped: no clang-format 14'
    exit 77
fi
find . \( -path ./build -o -path ./.git \) -prune -o -type f \( -name '*.[ch]' -o -name '*.cu' \) -print |
    LC_ALL=C sort | xargs -d '\n' "$formatter" --dry-run --Werror
