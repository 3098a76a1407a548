#!/bin/sh
# test_export.sh ROOT VIEWER: pictures are drawn without a display, and say what they show; what cannot
# be drawn is said, with the exit codes of gpuprobe.
set -u
sample=$1/data/samples/h200-mixed.gpuprobe
viewer=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset DISPLAY WAYLAND_DISPLAY
export XDG_CONFIG_HOME="$work" XDG_CACHE_HOME="$work" XDG_DATA_HOME="$work"
export GIO_USE_VFS=local GSETTINGS_BACKEND=memory
status=0

# expect CODE WORDS ARGUMENTS…: how the viewer ends, and what it says.
expect() {
    code=$1
    words=$2
    shift 2
    "$viewer" "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    if [ "$got" -ne "$code" ] || { [ -n "$words" ] && ! grep -qF -- "$words" "$work/out"; }; then
        printf 'gpuprobe-viewer %s\n  ends with %s, not %s, or does not say "%s":\n' "$*" "$got" "$code" "$words"
        cat "$work/out"
        status=1
    fi
}

draws() { # OUT ARGUMENTS…
    out=$1
    shift
    expect 0 '' --export "$work/$out" "$@" "$sample"
    [ -s "$work/$out" ] || { echo "$out is empty" && status=1; }
}

draws a.png --cell round-robin/4
draws a.svg --cell mixed/round-robin/4 --width 800
draws a.pdf --cell round-robin/4 --height 400
for word in '<svg' '<image'; do
    grep -qF "$word" "$work/a.svg" || { echo "a.svg has no $word" && status=1; }
done
head -c 5 "$work/a.pdf" | grep -q '%PDF-' || { echo 'a.pdf is no PDF' && status=1; }
if command -v pdftotext >/dev/null 2>&1; then
    pdftotext "$work/a.pdf" "$work/a.txt"
    for word in fma-1 upload download 'NVIDIA H200' measured 'stream 3' round-robin; do
        grep -qF "$word" "$work/a.txt" || { echo "the PDF does not say $word" && status=1; }
    done
fi

expect 2 '.png, .svg or .pdf' --export "$work/a.gif" "$sample"
expect 2 'draws one recording' --export "$work/a.png"
expect 1 'round-robin/32' --export "$work/a.png" --cell nobody/7 "$sample"
expect 1 'cannot be read' --export "$work/a.png" "$work/gone.gpuprobe"
printf 'not a recording, whatever its name is' >"$work/text.gpuprobe"
expect 5 'not a SQLite database' --export "$work/a.png" "$work/text.gpuprobe"
expect 1 'cannot be written' --export "$work/none/a.png" "$sample"
expect 0 'gpuprobe-viewer ' --version
expect 0 '--export' --help
exit "$status"
