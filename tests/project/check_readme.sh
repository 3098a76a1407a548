#!/bin/sh
# check_readme.sh ROOT: each sqlite3 command of the README, as it stands there, answers with at least
# one row on every sample recording; and what the README says of claims is what the sample of the
# verdict says. 77 (skipped) without the sqlite3 program or a sample.
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

# Claims: each row of the table has the answer and the interval of a claim of its own in the sample,
# to the digits that it is written with, and the sentence below has the counts.
verdict=$root/data/samples/h200-verdict.gpuprobe
[ -e "$verdict" ] || exit "$status"
sqlite3 -separator ' ' "$verdict" "
    SELECT replace(replace(answer, 'does-not-hold', 'fails'), 'cannot-tell', 'unknown'),
           json_extract(evidence, '\$.median'), json_extract(evidence, '\$.lo'), json_extract(evidence, '\$.hi')
    FROM verdict" >claims || exit 1
awk '
    function digits(text) { return index(text, ".") ? length(text) - index(text, ".") : 0 }
    function rounded(value, like) { return sprintf("%." digits(like) "f", value) }
    function complain(why) { printf "README.md:%d: %s:\n%s\n", FNR, why, $0; bad = 1 }
    FILENAME == "claims" { answer[NR] = $1; median[NR] = $2; lo[NR] = $3; hi[NR] = $4; count[$1]++; claims = NR; next }
    /^\| claim \| answer \|/ { table = 1; next }
    !/^\|/ { table = 0 }
    table && !/^\|-/ {
        split($0, part, "|")
        word = part[3] ~ /does not hold/ ? "fails" : part[3] ~ /cannot be told/ ? "unknown" : "holds"
        interval = part[4]
        sub(/\).*/, "", interval)
        before = interval
        sub(/.*\(/, "", interval)
        split(interval, end, " – ")
        sub(/\(.*/, "", before)
        words = split(before, figure, " ")
        found = 0
        for (i = 1; i <= claims && !found; i++) {
            right = !used[i] && answer[i] == word && rounded(lo[i], end[1]) == end[1] && rounded(hi[i], end[2]) == end[2]
            for (w = 1; right && w <= words; w++) found += figure[w] ~ /^[0-9.]+$/ && rounded(median[i], figure[w]) == figure[w]
            used[i] += found
        }
        rows++
        if (!found) complain("no claim of data/samples/h200-verdict.gpuprobe has this answer and these figures")
    }
    /^Of all [0-9]+ claims / {
        counted = 1
        if ($3 != claims || $5 != count["holds"] || $8 != count["fails"] || $12 != count["unknown"])
            complain("the sample has " claims ": " count["holds"] " hold, " count["fails"] " do not, " count["unknown"] " cannot be told")
    }
    END {
        if (rows < 15 || !counted) { print "README.md has no table of claims, or not how many there are"; bad = 1 }
        exit bad
    }' claims "$root/README.md" || status=1
exit "$status"
