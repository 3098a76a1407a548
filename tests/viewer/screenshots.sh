#!/bin/sh
# screenshots.sh VIEWER SAMPLES TEN_MILLION OUT: the pictures of data/screenshots, taken of the real window.
# TEN_MILLION is what bench_viewer records (bench_viewer 10000000 FILE). Run it under display.sh:
#   sh tests/viewer/display.sh sh tests/viewer/screenshots.sh build/release/bin/gpuprobe-viewer data/samples FILE OUT
set -eu
viewer=$1
samples=$2
ten_million=$3
out=$4

# open FILE…: starts the viewer and waits for its window.
open() {
    "$viewer" "$@" 2>/dev/null &
    process=$!
    window=$(timeout 60 xdotool search --sync --onlyvisible --pid "$process" | tail -n 1)
    xdotool windowfocus "$window"
}

# take NAME SECONDS: waits for what is to be seen, takes the picture, ends the viewer.
take() {
    sleep "$2"
    import -window "$window" "$out/$1.png"
    # Its colours are few: a palette is a third as large.
    convert "$out/$1.png" +dither -colors 256 -define png:compression-level=9 "PNG8:$out/$1.png"
    kill "$process"
    wait "$process" || true
}

# click X Y: in the window.
click() {
    xdotool mousemove --window "$window" "$(($1 - 5))" "$2"
    sleep 0.2
    xdotool mousemove --window "$window" "$1" "$2"
    sleep 0.2
    xdotool mousedown 1
    sleep 0.1
    xdotool mouseup 1
    sleep 0.5
}

keys() {
    for key in "$@"; do
        xdotool key "$key"
        sleep 0.2
    done
}

mkdir -p "$out"
mixed=$samples/h200-mixed.gpuprobe

open --cell round-robin/4 "$mixed"
sleep 3
keys w w w w w w Right Right Down Down
xdotool mousemove --window "$window" 700 480
take timeline 2

open "$mixed"
xdotool mousemove --window "$window" 700 700
take matrix 4

open --cell round-robin/4 "$mixed"
sleep 3
keys w w w w w w
click 578 619
take causes 2

GTK_THEME=Adwaita:dark
export GTK_THEME
open --cell round-robin/4 "$mixed"
sleep 3
keys w w w w w w Right Right Down Down
take dark 2
unset GTK_THEME

open "$ten_million"
xdotool mousemove --window "$window" 700 480
take ten-million-loading 3

open "$ten_million"
xdotool mousemove --window "$window" 700 480
take ten-million 40

open "$ten_million"
sleep 5
xdotool mousemove --window "$window" 700 700
keys Right f s s s
take ten-million-close 3

# Its name is seen, and shall tell nothing of this machine.
cut=/tmp/truncated.gpuprobe
cp "$mixed" "$cut"
truncate -s 30000 "$cut"
open "$cut"
take truncated 2
rm "$cut"
