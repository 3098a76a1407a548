#!/bin/sh
# test_checks.sh ROOT: the checks of this folder find what they are there to find. Each case makes a
# tree with one fault and names the words that the check must say about it.
set -u
checks=$(cd -- "$1/tests/project" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

status=0
# case_of CHECK FILE 'WORDS' (the file's text on stdin): expects a failure that says WORDS, or, with
# WORDS empty, success.
case_of() {
    tree="$work/a tree"
    rm -rf "$tree"
    mkdir -p "$tree/core/device" "$tree/kernels" "$tree/probe" "$tree/scenarios" "$tree/tests"
    mkdir -p "$tree/$(dirname "$2")"
    cat >"$tree/$2"
    if output=$(sh "$checks/check_$1.sh" "$tree" ${4+"$4"} 2>&1); then
        [ -z "$3" ] && return
        printf 'check_%s accepts, in %s:\n%s\n' "$1" "$2" "$(cat "$tree/$2")"
        status=1
    elif [ -z "$3" ] || ! printf '%s' "$output" | grep -qF -- "$3"; then
        printf 'check_%s, on %s, should say "%s" and says:\n%s\n' "$1" "$2" "$3" "$output"
        status=1
    fi
}

printf '#include <stdlib.h>\n#include "core/b.h"\n' | case_of layers core/a.c ''
printf '#include <sqlite3.h>\n' | case_of layers core/a.c 'core/a.c:1: includes <sqlite3.h>'
printf '\n  # include <nvtx3/nvToolsExt.h>\n' | case_of layers core/a.h 'core/a.h:2: includes <nvtx3'
printf '#include "probe/record.h"\n' | case_of layers core/device/a.c 'a library of its own'
printf '#include "kernels/kernels.h"\n' | case_of layers core/a.c 'a library of its own'
printf '#include "scenarios/scenario.h"\n' | case_of layers kernels/a.cu 'kernels/a.cu:1: includes'
printf '#include "core/device/device.h"\n' | case_of layers kernels/a.c 'does not run anything'
printf '#include "probe/record.h"\n' | case_of layers scenarios/a.c 'not its matter'
printf '#include <gtk/gtk.h>\n' | case_of layers probe/a.c 'only the viewer has a display'
printf '#include "viewer/layout.h"\n' | case_of layers probe/a.c 'must not need the viewer'
printf '#include "viewer/layout/rows.h"\n#include <gtk/gtk.h>\n' | case_of layers viewer/window/a.c ''
printf '#include "viewer/window.h"\n' | case_of layers viewer/layout/a.c 'must not need a window'
printf '#include <cairo.h>\n' | case_of layers viewer/layout/a.c 'without a display'
printf 'int a;\n' | case_of layers strange/a.c 'no rule'
printf 'int a(void)\n{\n    return fopen("x", "r") != 0;\n}\n' | case_of layers core/a.c 'core/a.c:3: return fopen'
printf 'void *a(void) { return malloc(1); }\n' | case_of layers core/a.c 'gp_alloc'
printf 'void a(void) { abort(); }\n' | case_of layers core/a.c 'to the program'
printf '/* printf(1)\n free(2) */ // exit(3)\nint a = sizeof "puts(4)"; /* */ int b = gp_free(a) + x.free(a) + snprintf(a);\n' |
    case_of layers core/a.c ''
printf 'void *a(void) { return malloc(1); }\n' | case_of layers core/memory.c ''

printf '#include <stdint.h>\nuint8_t gp_a(void);\n' | case_of headers core/a.h '' cc
printf 'uint8_t gp_a(void);\n' | case_of headers core/a.h 'core/a.h does not compile alone' cc
printf 'struct gp_a { int a; };\n' | case_of headers core/a.h 'core/a.h does not compile alone' cc

printf '/* It is so. */\nint gp_a(void);\nint gp_b(void);\n' | case_of contracts core/a.h ''
printf '/* It\n * is so. */\nint gp_a(void);\n\nstruct b *gp_b(int c,\n    int d);\n' |
    case_of contracts core/a.h 'core/a.h:5: gp_b() has no contract'
printf '/* It is so. */\nstruct gp_a {\n    int (*b)(void);\n};\nint gp_c(void);\n' |
    case_of contracts core/a.h 'core/a.h:5: gp_c()'
printf 'struct gp_a {\n\n    int (*gp_b)(void);\n};\n' | case_of contracts core/a.h ''

printf 'nothing to see\n' | case_of files data/a.txt ''
printf 'see %shome/someone/x\n' / | case_of files data/a.txt 'data/a.txt:1:'
printf 'a \000 binary\n%swork/x\n' / | case_of files data/a.bin 'a.bin'
printf '/* %sDO: more */\n' TO | case_of files core/a.c 'core/a.c:1:'
awk 'BEGIN { while (i++ < 601) print "int a;" }' | case_of files core/a.c '601 lines'

printf 'if true; then\n' | case_of scripts bootstrap 'bootstrap'
exit "$status"
