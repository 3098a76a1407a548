#!/bin/sh
# check_files.sh ROOT: no file holds a path of somebody's machine, a package mirror or a note to do
# later, and no source file outgrows 600 lines. Works without git.
set -u
cd -- "$1" || exit 1

# The brackets keep this file from finding itself. What is packed in a picture says nothing.
forbidden='(^|[^A-Za-z0-9_.])[/](home|work|farm|root)/|deb[.]debian[.]org|archive[.]ubuntu[.]com|pypi[.]org|registry[.]npmjs|snapshot[.]debian'
# Three letters come about by chance in a recording.
notes='TO[D]O|FIX[M]E|X[X]X'

status=0
find . \( -path ./build -o -path ./.git \) -prune -o -type f ! -name '*.png' -print | LC_ALL=C sort |
    xargs -d '\n' grep -aEnH "$forbidden" | cut -c 1-200 | grep . && status=1
find . \( -path ./build -o -path ./.git \) -prune -o -type f ! -name '*.png' ! -name '*.gpuprobe' -print |
    LC_ALL=C sort | xargs -d '\n' grep -aEnH "$notes" | cut -c 1-200 | grep . && status=1

find . \( -path ./build -o -path ./.git \) -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt \) -print |
    LC_ALL=C sort | xargs -d '\n' wc -l | awk '
        $2 != "total" && $1 > 600 { print $2 ": " $1 " lines: is it one idea?"; bad = 1 }
        END { exit bad }' || status=1
exit "$status"
