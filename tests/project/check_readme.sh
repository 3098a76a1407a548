#!/bin/sh
# check_readme.sh ROOT: each sqlite3 command of the README, as it stands there, answers with at least
# one row on every sample recording. 77 (skipped) without the sqlite3 program or a sample.
set -u
root=$(cd -- "$1" && pwd) || exit 1

samples=$(find "$root/data/samples" -name '*.gpuprobe' 2>/dev/null | LC_ALL=C sort)
if [ -z "$samples" ]; then
    echo 'skipped: no recording in data/samples'
    exit 77
fi
if ! command -v sqlite3 >/dev/null 2>&1; then
    echo 'skipped: no sqlite3 program'
    exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd -- "$work" || exit 1

# Each ```sh block that begins with sqlite3 becomes one script.
awk '
    /^```sh$/ { block = 1; next }
    /^```/ { block = 0; name = ""; next }
    block == 1 { if ($0 ~ /^sqlite3 /) { name = sprintf("query-%02d.sh", ++count) } block = 2 }
    name != "" { print > name }
' "$root/README.md"

status=0
for script in query-*.sh; do
    if [ ! -e "$script" ]; then
        echo 'README.md has no sqlite3 command'
        exit 1
    fi
    printf '%s\n' "$samples" >samples
    while read -r sample; do
        cp "$sample" batch-001.gpuprobe
        rows=$(sh "$script" </dev/null 2>&1) && [ -n "$rows" ] && continue
        printf 'on %s this answers nothing or fails:\n%s\n%s\n' "$sample" "$(cat "$script")" "$rows"
        status=1
    done <samples
done
exit "$status"
