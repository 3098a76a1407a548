#!/bin/sh
# check_headers.sh ROOT COMPILER [FLAG…]: every header compiles alone as C17, and twice in a row. Those of the
# window are left out where there is no GTK.
set -u
cd -- "$1" || exit 1
compiler=$2
shift 2

gtk=$(pkg-config --cflags gtk4 2>/dev/null | sed 's/-I/-isystem /g')
status=0
for header in $(find core kernels scenarios probe viewer -name '*.h' 2>/dev/null | LC_ALL=C sort); do
    flags=
    case $header in
    viewer/layout/*) ;;
    viewer/*)
        [ -n "$gtk" ] || continue
        flags=$gtk
        ;;
    esac
    # The flags are words.
    # shellcheck disable=SC2086
    printf '#include "%s"\n#include "%s"\nextern int gp_not_empty;\n' "$header" "$header" |
        "$compiler" -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            -I . $flags "$@" -x c - || {
        printf '%s does not compile alone: include what it uses\n' "$header"
        status=1
    }
done
exit "$status"
