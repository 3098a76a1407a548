#!/bin/sh
# drive.sh ROOT VIEWER HERE PART: the real window under a display and a session bus of its own. What is done
# with it is in drive.py; a warning of GTK's or a leak of ours fails it too. 77 (skipped) where
# something that this needs is not installed.
set -u
root=$1
viewer=$2
here=$3
part=$4

launcher=/usr/libexec/at-spi-bus-launcher
[ -x "$launcher" ] || { echo 'skipped: no at-spi-bus-launcher' && exit 77; }
# The system's own python has the bindings.
python=/usr/bin/python3
"$python" -c 'import gi; gi.require_version("Atspi", "2.0")' 2>/dev/null ||
    { echo 'skipped: no python3-pyatspi' && exit 77; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Warnings do not end it: what it said is looked through below.
export GTK_A11Y=atspi NO_AT_BRIDGE=0 G_DEBUG=
# Whole stacks, for the suppressions of a build with the address sanitizer.
export ASAN_OPTIONS=fast_unwind_on_malloc=0 LSAN_OPTIONS="suppressions=$here/lsan.supp:print_suppressions=0"

# The inner shell's variables are its own.
# shellcheck disable=SC2016
timeout 240 sh "$here/display.sh" sh -c '
    "$1" --launch-immediately 2>/dev/null &
    launcher=$!
    sleep 1
    "$2" "$3" "$4" "$5" "$6" "$7"
    status=$?
    kill "$launcher"
    exit "$status"
' sh "$launcher" "$python" "$here/drive.py" "$viewer" "$root/data/samples" "$work" "$part"
status=$?
[ "$status" -ne 77 ] || exit 77
[ "$status" -eq 0 ] || { echo 'what the window said:' && cat "$work/messages" && exit 1; }

if grep -E 'WARNING|CRITICAL|ERROR:|runtime error' "$work/messages"; then
    echo 'the window complained'
    exit 1
fi
