#!/bin/sh
# check_needed.sh ROOT PROGRAM: the program asks the loader for the C library and SQLite only. The CUDA
# driver is opened at run time, and jansson and zlib are linked statically.
set -u
needed=$(LC_ALL=C readelf -d "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p') || exit 1

status=0
for library in $needed; do
    case $library in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | ld-linux*.so.* | libsqlite3.so.0) ;;
    *)
        echo "$2 needs $library"
        status=1
        ;;
    esac
done
case $needed in *libc.so*) ;; *) echo "$2: what it needs cannot be read" && status=1 ;; esac
exit "$status"
