#!/bin/sh
# check_ptx.sh ROOT SCRATCH: the PTX kept in kernels/ptx is what clang 14 makes of the kernels today. 77
# (skipped) where it is not installed: other versions write other PTX.
set -u
scratch=$2
cd -- "$1" || exit 1

for compiler in clang-14 clang none; do
    "$compiler" --version 2>/dev/null | grep -q 'version 14\.' && break
done
if [ "$compiler" = none ]; then
    echo 'skipped: no clang 14'
    exit 77
fi
# The flags are several words.
# shellcheck disable=SC2046
"$compiler" $(cat kernels/ptx/flags) -o "$scratch/kernels.ptx" kernels/all.cu || exit 1
if ! cmp "$scratch/kernels.ptx" kernels/ptx/kernels.ptx; then
    echo "a kernel changed and the kept PTX did not; make it anew:"
    echo "    $compiler \$(cat kernels/ptx/flags) -o kernels/ptx/kernels.ptx kernels/all.cu"
    exit 1
fi
