#!/bin/sh
# What only a GPU can show, in one run: the tests labelled gpu, compute-sanitizer over every kernel,
# batch (twice) and mixed measured, the naive recorder beside ours, and the PTX path. Ends with a short
# table. Needs a built bin folder, python3 and compute-sanitizer; nothing else of the tree.
#
#   tests/gpu/check.sh [BIN [OUT]]      BIN: build/release/bin, OUT: where recordings go (default: .)
set -u
bin=${1:-build/release/bin}
out=${2:-.}
here=$(dirname "$0")
failed=0

step() { # NAME COMMAND …: runs it with its output in OUT/NAME.log, tells how it ended
    name=$1
    shift
    begin=$(date +%s)
    "$@" >"$out/$name.log" 2>&1
    code=$?
    end=$(date +%s)
    if [ "$code" -eq 0 ]; then
        verdict=ok
    elif [ "$code" -eq 77 ]; then
        verdict=skipped
    else
        verdict="FAILED ($code)"
        failed=1
        tail -n 25 "$out/$name.log"
    fi
    printf '%-28s %s, %d s\n' "$name" "$verdict" "$((end - begin))"
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader
step cuda "$bin/test_cuda_gpu"
step kernels "$bin/test_kernels_launch" cuda
step kernels-ptx "$bin/test_kernels_launch" cuda:0,ptx
step scenarios "$bin/test_scenarios_cuda" cuda default
if command -v compute-sanitizer >/dev/null 2>&1; then
    step memcheck compute-sanitizer --tool memcheck --error-exitcode 9 "$bin/test_kernels_launch" cuda
    step racecheck compute-sanitizer --tool racecheck --error-exitcode 9 "$bin/test_kernels_launch" cuda
else
    echo "memcheck, racecheck             skipped: no compute-sanitizer here"
fi
step bench "$bin/bench_device" cuda
step doctor "$bin/gpuprobe" doctor
step batch-1 "$bin/gpuprobe" --scenario batch -d cuda -o "$out/batch-1.gpuprobe" --force
step batch-2 "$bin/gpuprobe" --scenario batch -d cuda -o "$out/batch-2.gpuprobe" --force
step mixed "$bin/gpuprobe" --scenario mixed -d cuda -o "$out/mixed.gpuprobe" --force
step mixed-events "$bin/gpuprobe" --scenario mixed -d cuda --trace events -s 1,4,8 -r 5 \
    -o "$out/mixed-events.gpuprobe" --force
step blocks "$bin/gpuprobe" --scenario small,saturate,mixed -d cuda -p round-robin -s 4 -r 5 \
    --trace blocks -o "$out/blocks.gpuprobe" --force
step blocks-check "$bin/gpuprobe" check "$out/blocks.gpuprobe"
step batch-ptx "$bin/gpuprobe" --scenario batch -d cuda:0,ptx -s 1,4 -r 5 -o "$out/batch-ptx.gpuprobe" \
    --force
step policies "$bin/gpuprobe" --scenario batch,mixed --set chunk_kib=4096 -d cuda -p all -r 5 \
    -o "$out/policies.gpuprobe" --force
step graphs "$bin/gpuprobe" --scenario batch,mixed --set chunk_kib=4096 -d cuda -p all --submit graph -r 5 \
    -o "$out/graphs.gpuprobe" --force
for mode in event-poll host-func flag blocking-event spin-then-block; do
    step "completion-$mode" "$bin/gpuprobe" --scenario batch -d cuda -p round-robin -s 8 -r 9 \
        --completion "$mode" -o "$out/completion.gpuprobe" --force
    grep 'round-robin   ' "$out/completion-$mode.log"
done
if command -v compute-sanitizer >/dev/null 2>&1; then
    step memcheck-program compute-sanitizer --tool memcheck --error-exitcode 9 "$bin/gpuprobe" \
        --scenario batch,mixed -d cuda -p all -s 4 --submit streams,graph -r 1 \
        --set batches=8,chunks=8 -o "$out/memcheck.gpuprobe" --force
fi
cat "$out/bench.log" "$out/doctor.log" "$out/batch-1.log" "$out/mixed.log" "$out/graphs.log"
step figures python3 "$here/figures.py" "$out"
cat "$out/figures.log"
exit "$failed"
