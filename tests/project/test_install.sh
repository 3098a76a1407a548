#!/bin/sh
# test_install.sh ROOT BUILD COMPILER FLAGS: what is installed can be used from outside the tree: a
# program that knows only pkg-config compiles against the library and runs, and so do the examples. FLAGS are those of the
# sanitizer that the library was built with, or empty.
set -eu
root=$(cd "$1" && pwd)
build=$2
compiler=$3
flags=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

DESTDIR="$work/stage" cmake --install "$build" --prefix /usr >"$work/log" || {
    cat "$work/log"
    exit 1
}
# As a package would be unpacked somewhere else.
mv "$work/stage/usr" "$work/a place"
cd "$work"
PKG_CONFIG_PATH=$(find "$work/a place" -type d -name pkgconfig)
export PKG_CONFIG_PATH

cat >main.c <<'EOT'
#include <stdio.h>

#include "core/device/device.h"
#include "core/dispatch.h"

int main(void)
{
    struct gp_error err = {0};

    (void)gp_fail(&err, GP_ENOTFOUND, "as it should");
    puts(gp_error_name(err.code));
    return 0;
}
EOT
# pkg-config escapes the space of the path for the shell.
eval "'$compiler' -std=c17 -Wall -Werror $flags main.c -o main $(pkg-config --static --cflags --libs gpuprobe-core)"
[ "$(./main)" = GP_ENOTFOUND ]

examples='a place/share/doc/gpuprobe/examples'
for example in core/examples/user_program.c core/examples/policy_longest_apart.c scenarios/examples/scenario_triple.c; do
    cmp "$root/$example" "$examples/${example##*/}"
done
# The examples, as they are installed: a program that awaits futures, a policy and a scenario for the program that is installed.
eval "'$compiler' -std=c17 -Wall -Werror $flags '$examples/user_program.c' -o user $(pkg-config --static --cflags --libs gpuprobe-core)"
./user model:h200 | grep -q '^6 requests came back'
eval "'$compiler' -std=c17 -Wall -Werror -fPIC -shared $flags '$examples/policy_longest_apart.c' -o longest-apart.so $(pkg-config --static --cflags --libs gpuprobe-core)"
eval "'$compiler' -std=c17 -Wall -Werror -fPIC -shared $flags '$examples/scenario_triple.c' -o triple.so $(pkg-config --static --cflags --libs gpuprobe-core)"
if [ -e "$work/a place/bin/gpuprobe" ]; then
    "$work/a place/bin/gpuprobe" --scenario batch -d model -s 4 -r 1 -p ./longest-apart.so >out
    grep -q longest-apart out
    "$work/a place/bin/gpuprobe" --scenario ./triple.so -d model -s 4 -r 1 >out
    grep -q '^triple (' out
    grep -q verified out
fi

for header in $(cd "$work/a place/include/gpuprobe" && find core scenarios -name '*.h'); do
    case $header in core/device/*/*) echo "$header is no header for others" && exit 1 ;; esac
done
if [ -e "$build/bin/gpuprobe" ]; then
    for file in bin/gpuprobe share/man/man1/gpuprobe.1; do
        [ -e "$work/a place/$file" ] || { echo "$file is not installed" && exit 1; }
    done
fi
if [ -e "$build/bin/gpuprobe-viewer" ]; then
    for file in bin/gpuprobe-viewer share/man/man1/gpuprobe-viewer.1 \
        share/applications/org.gpuprobe.Viewer.desktop share/mime/packages/org.gpuprobe.Viewer.xml \
        share/icons/hicolor/scalable/apps/org.gpuprobe.Viewer.svg \
        share/gpuprobe/samples/h200-batch.gpuprobe; do
        [ -e "$work/a place/$file" ] || { echo "$file is not installed" && exit 1; }
    done
    # The desktop knows the type by its name in both files, and the icon by the program's.
    share="$work/a place/share"
    desktop=$share/applications/org.gpuprobe.Viewer.desktop
    type=$(sed -n 's/.*<mime-type type="\([^"]*\)".*/\1/p' "$share/mime/packages/org.gpuprobe.Viewer.xml")
    for line in "MimeType=$type;" Icon=org.gpuprobe.Viewer Type=Application 'Exec=gpuprobe-viewer %'; do
        grep -qF "$line" "$desktop" || { echo "$desktop lacks $line" && exit 1; }
    done
    if command -v desktop-file-validate >/dev/null; then
        desktop-file-validate "$desktop"
    fi
    if command -v update-mime-database >/dev/null; then
        update-mime-database "$share/mime"
        grep -qF '*.gpuprobe' "$share/mime/globs"
    fi
    if command -v xmllint >/dev/null; then
        xmllint --noout "$share/icons/hicolor/scalable/apps/org.gpuprobe.Viewer.svg"
    fi
    if command -v man >/dev/null; then
        LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l "$share/man/man1/gpuprobe-viewer.1" >page 2>warnings
        [ ! -s warnings ] || { cat warnings && exit 1; }
    fi
fi
