#!/bin/sh
# test_bootstrap.sh ROOT: bootstrap's decisions, on a machine made of fakes: its PATH holds a few real
# commands and our own cc, cmake, ninja, pkg-config, ctest, apt-get, sudo and id, which write down how
# they were called. What Debian's packages really do is CI's to show.
# shellcheck disable=SC2016,SC2317 # dollars for the fakes; functions that expect calls
set -u
root=$(cd -- "$1" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

fake() { # NAME, its text on stdin
    { printf '#!/bin/sh\nwork="%s"\nprintf "%%s %%s\\n" %s "$*" >>"$work/calls"\n' "$work" "$1"; cat; } \
        >"$work/fakes/$1"
    chmod +x "$work/fakes/$1"
}

# machine UID TOOL…: a fresh tree in a folder with a space, and the tools that are there.
machine() {
    rm -rf "${work:?}"/*
    tree="$work/a tree"
    mkdir -p "$tree" "$work/bin" "$work/fakes" "$work/elsewhere"
    cp "$root/bootstrap" "$tree/"
    for tool in sh cat dirname env grep mkdir sed tail getconf; do
        ln -s "$(command -v "$tool")" "$work/bin/$tool"
    done
    : >"$work/calls"
    : >"$work/headers"
    fake id <<END
echo $1
END
    # A header is there when its name is in the list.
    fake cc <<'END'
while read -r line; do
    grep -qF "$line" "$work/headers" || { echo "no $line"; exit 1; }
done
END
    fake ninja </dev/null
    fake pkg-config <<'END'
grep -q "${2%% *}" "$work/headers"
END
    fake ctest <<'END'
echo 'ctest ran'
END
    fake cmake <<'END'
case $1 in
--version) cat "$work/cmake-version" ;;
-S)
    mkdir -p "$2/build/release/bin"
    echo 'text of the configuration'
    : >"$2/build/release/build.ninja"
    case $* in *-DBUILD_TESTING=ON*) tests=ON ;; *) tests=OFF ;; esac
    echo "BUILD_TESTING:BOOL=$tests" >"$2/build/release/CMakeCache.txt"
    ;;
--build)
    echo 'text of the build'
    [ ! -e "$work/broken" ] || exit 1
    {
        echo '#!/bin/sh'
        echo 'echo "result of: $*"; echo "in: $PWD" >&2; exit 3'
    } >"$2/bin/gpuprobe"
    /bin/chmod +x "$2/bin/gpuprobe"
    if grep -q gtk4 "$work/headers"; then
        echo 'echo "viewer of: $*"' >"$2/bin/gpuprobe-viewer"
        /bin/chmod +x "$2/bin/gpuprobe-viewer"
    fi
    ;;
esac
END
    echo 'cmake version 3.25.1' >"$work/cmake-version"
    # What a package brings appears when it is installed.
    fake apt-get <<'END'
echo "$1 text of apt-get"
[ ! -e "$work/broken-apt" ] || exit 100
for package in "$@"; do
    case $package in
    gcc) cp "$work/fakes/cc" "$work/bin/" ;;
    ninja-build) cp "$work/fakes/ninja" "$work/bin/" ;;
    cmake | pkg-config) cp "$work/fakes/$package" "$work/bin/" ;;
    libc6-dev) echo '#include <stdio.h>' >>"$work/headers" ;;
    libsqlite3-dev) echo '#include <sqlite3.h>' >>"$work/headers" ;;
    libjansson-dev) echo '#include <jansson.h>' >>"$work/headers" ;;
    zlib1g-dev) echo '#include <zlib.h>' >>"$work/headers" ;;
    libcmocka-dev) echo 'cmocka' >>"$work/headers" ;;
    libgtk-4-dev) echo 'gtk4' >>"$work/headers" ;;
    esac
done
END
    sed -i 's|cp "|/bin/cp "|' "$work/fakes/apt-get"
    # sudo that needs no password.
    fake sudo <<'END'
[ "$1" = -n ] || exit 1
shift
"$@"
END
    shift
    for tool in id "$@"; do
        cp "$work/fakes/$tool" "$work/bin/"
    done
}

libraries() {
    for name in stdio sqlite3 jansson zlib; do echo "#include <$name.h>"; done >>"$work/headers"
}

# start ARGUMENTS…: from another folder; leaves stdout in out, stderr in err, the status in code.
start() {
    : >"$work/calls"
    code=0
    (cd "$work/elsewhere" && PATH="$work/bin" "$tree/bootstrap" "$@") \
        >"$work/out" 2>"$work/err" </dev/null || code=$?
}

expect() { # WHAT COMMAND…
    what=$1
    shift
    "$@" && return
    printf '%s\n  status %s\n--- stdout\n%s\n--- stderr\n%s\n--- calls\n%s\n' \
        "$what" "$code" "$(cat "$work/out")" "$(cat "$work/err")" "$(cat "$work/calls")"
    status=1
}
says() { grep -qF -- "$2" "$work/$1"; }
is_empty() { [ ! -s "$work/$1" ]; }
never() { ! grep -q "^$1" "$work/calls"; }
code_is() { [ "$code" -eq "$1" ]; }

# Everything is there: no apt-get, only the program's words on stdout, its status, the caller's folder.
machine 0 cc cmake ctest ninja apt-get sudo
libraries
start --scenario 'two words'
expect 'the status is gpuprobe'\''s' code_is 3
expect 'gpuprobe gets the arguments' says out 'result of: --scenario two words'
expect 'nothing else is on stdout' [ "$(wc -l <"$work/out")" -eq 1 ]
expect 'gpuprobe runs where the caller is' says err "in: $work/elsewhere"
expect 'nothing is installed' never apt-get
expect 'without tests' says calls '-DBUILD_TESTING=OFF'
start --scenario batch
expect 'the second start does not configure' never 'cmake -S'
expect 'the second start is quiet' [ "$(cat "$work/err")" = "in: $work/elsewhere" ]

# The tests, in a folder that was built without them.
start test -L unit
expect 'the tests'\'' packages are installed' says calls 'install -y --no-install-recommends pkg-config libcmocka-dev'
expect 'the folder is configured again, with tests' says calls '-DBUILD_TESTING=ON'
expect 'ctest gets its arguments' says calls '-L unit'
expect 'the status is ctest'\''s' code_is 0
start test
expect 'the second time nothing is configured' never 'cmake -S'
expect 'nor installed' never apt-get
start --scenario batch
expect 'a run keeps the tests configured' never 'cmake -S'
start build
expect 'build installs what the viewer needs' says calls 'recommends libgtk-4-dev'
expect 'and looks again what there is' says calls 'cmake '
expect 'build is quiet on stdout' is_empty out
expect 'build succeeds' code_is 0
start view 'a file'
expect 'view opens the file' says out 'viewer of: a file'
expect 'nothing is installed twice' never apt-get
expect 'nor configured' never 'cmake -S'

# A bare machine, as root.
machine 0 apt-get
start --scenario batch
expect 'a bare machine gets all of it' says calls \
    'install -y --no-install-recommends gcc cmake ninja-build libc6-dev libsqlite3-dev libjansson-dev zlib1g-dev'
expect 'and runs' says out 'result of: --scenario batch'
expect 'apt-get does not write to stdout' [ "$(wc -l <"$work/out")" -eq 1 ]

# Some of it missing, as a user with a sudo that asks nothing.
machine 1000 cc ninja apt-get sudo
libraries
sed -i '/jansson/d' "$work/headers"
start --scenario batch
expect 'only what is missing, by sudo' says calls \
    'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get'
expect 'only what is missing' says calls '--no-install-recommends cmake libjansson-dev'
expect 'it runs' code_is 3

# No right to install: the line to run, and nothing else.
machine 1000 cc ninja apt-get
libraries
start --scenario batch
expect 'without root and sudo it ends with 1' code_is 1
expect 'it says the line to run' grep -qxF \
    'apt-get update && apt-get install -y --no-install-recommends cmake' "$work/err"
expect 'nothing was tried' never apt-get
expect 'nothing is on stdout' is_empty out

# Not Debian.
machine 0 cc ninja
libraries
start --scenario batch
expect 'without apt-get it names the packages' says err "Debian's packages): cmake"
expect 'and ends when a tool is missing' code_is 1
machine 0 cc cmake ninja
start --scenario batch
expect 'and goes on when the tools are there' says out 'result of'

# What fails is shown.
machine 0 cc cmake ninja apt-get
libraries
: >"$work/broken"
start --scenario batch
expect 'a failed build ends with 1' code_is 1
expect 'its output is shown' says err 'text of the build'
expect 'and nothing is on stdout' is_empty out
machine 0 cc ninja apt-get
: >"$work/broken-apt"
start --scenario batch
expect 'a failed installation ends with 1' code_is 1
expect 'its output is shown' says err 'text of apt-get'
machine 0 cc cmake ninja
libraries
echo 'cmake version 3.22.1' >"$work/cmake-version"
start --scenario batch
expect 'an old cmake is refused' says err '3.25 or newer'
expect 'with 1' code_is 1

# Help needs nothing and builds nothing.
machine 1000
start help
expect 'help succeeds' code_is 0
expect 'help is on stdout' says out '--scenario batch'
expect 'help builds nothing' [ ! -e "$tree/build" ]
start
expect 'no arguments: usage' code_is 2
exit "$status"
