#!/bin/sh
# display.sh PROGRAM [ARGUMENT…]: runs it under a display and a session bus of its own, with settings of its
# own. 77 (skipped) where something that this needs is not installed.
set -u
for tool in xvfb-run dbus-run-session xdotool; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool" && exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data" XDG_CACHE_HOME="$work/cache"
export XDG_RUNTIME_DIR="$work/run" HOME="$work"
mkdir -p "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME"
mkdir -m 700 "$XDG_RUNTIME_DIR"
export GTK_A11Y=none GSETTINGS_BACKEND=memory GIO_USE_VFS=local GTK_USE_PORTAL=0 LC_ALL=C.UTF-8
export GSK_RENDERER="${GSK_RENDERER:-cairo}" G_DEBUG=fatal-warnings
xvfb-run -a -n "$((100 + $$ % 50000))" -s "-screen 0 ${SCREEN:-1280x800}x24" dbus-run-session -- "$@"
