#!/bin/sh
# display.sh PROGRAM [ARGUMENT…]: runs it under a display and a session bus of its own, with settings of its
# own. 77 (skipped) where something that this needs is not installed.
set -u
for tool in Xvfb dbus-run-session xdotool; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool" && exit 77; }
done
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data" XDG_CACHE_HOME="$work/cache"
export XDG_RUNTIME_DIR="$work/run" HOME="$work"
mkdir -p "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME"
mkdir -m 700 "$XDG_RUNTIME_DIR"
export GTK_A11Y="${GTK_A11Y:-none}" GSETTINGS_BACKEND=memory GIO_USE_VFS=local GTK_USE_PORTAL=0
export LC_ALL=C.UTF-8 G_DEBUG="${G_DEBUG-fatal-warnings}"
# Nothing is painted by OpenGL, whose driver leaves memory behind.
export GDK_DEBUG=gl-disable GSK_RENDERER="${GSK_RENDERER:-cairo}"

# The server itself takes a free number: of two tests that look for one at a time, both find the same.
Xvfb -displayfd 3 -screen 0 "${SCREEN:-1280x800}x24" -nolisten tcp -noreset \
    3>"$work/display" 2>"$work/server" &
server=$!
for _ in $(seq 300); do
    [ -s "$work/display" ] || sleep 0.1
done
[ -s "$work/display" ] || { cat "$work/server" && exit 1; }
DISPLAY=:$(cat "$work/display")
export DISPLAY
dbus-run-session -- "$@"
