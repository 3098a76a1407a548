#!/bin/sh
# check_contracts.sh ROOT: every function declared in a header has a comment directly before it, or
# before the group of lines without a gap that it stands in.
set -u
cd -- "$1" || exit 1

# shellcheck disable=SC2016 # the dollars are awk's
find core kernels scenarios probe viewer -name '*.h' 2>/dev/null | LC_ALL=C sort | xargs awk '
    FNR == 1 { covered = 0; inside = 0; depth = 0 }
    inside { if (index($0, "*/")) { inside = 0; covered = 1 } next }
    /^[[:space:]]*\/\*/ { if (index($0, "*/")) covered = 1; else inside = 1; next }
    /^[[:space:]]*$/ { if (depth == 0) covered = 0; next }
    depth == 0 && /^[a-z].*[ *]gp_[a-z0-9_]*\(/ && !/^typedef/ && !covered {
        match($0, /gp_[a-z0-9_]*\(/)
        printf "%s:%d: %s) has no contract comment: units, ownership, thread, errors\n",
            FILENAME, FNR, substr($0, RSTART, RLENGTH)
        bad = 1
    }
    {
        line = $0
        opened = gsub(/{/, "", line)
        closed = gsub(/}/, "", line)
        depth += opened - closed
        if (closed && depth == 0) covered = 0
    }
    END { exit bad }
'
