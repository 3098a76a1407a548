#!/bin/sh
# check_layers.sh ROOT: holds the arrows of the architecture. A folder includes only what it may use,
# and the library in core/ touches neither files nor the C allocator. Works without git.
set -u
cd -- "$1" || exit 1

# uses FOLDER WHAT,… WHY: of the tree, the folder includes only names that begin with one of these. A folder
#     without a rule of its own has that of the folder it lies in.
# bans FOLDER,… HEADERS WHY: no system header that matches the regular expression, in them or below.
# calls FOLDER FUNCTIONS EXCEPT WHY: none of these functions, but in the file EXCEPT.
rules='
uses core core/ core/ is a library of its own: whoever embeds it has nothing else of the tree
uses kernels kernels/,core/kernel.h,core/limits.h kernels/ describes and computes; it does not run anything
uses scenarios scenarios/,kernels/,core/ scenarios/ says what is to be done; how that is scheduled and recorded is not its matter
uses probe probe/,scenarios/,kernels/,core/ probe/ works without a display and must not need the viewer
uses viewer viewer/,probe/,core/ viewer/ shows recordings: it runs nothing
uses viewer/layout viewer/layout/,probe/,core/ viewer/layout/ computes what is seen: it must not need a window

bans core,kernels,scenarios sqlite3[.]h|jansson[.]h|zlib[.]h recordings and JSON are the business of probe/
bans core,kernels,scenarios nvtx3/|nvToolsExt NVTX is a sink of probe/
bans core,kernels,scenarios,probe gtk/|gdk/|glib|gio/|cairo only the viewer has a display
bans viewer/layout gtk/|gdk/|gsk/|glib|gio/|cairo|pango viewer/layout/ is tested and exported from without a display
bans viewer sqlite3[.]h SQL is the business of probe/store
bans scenarios,probe,viewer cuda the driver is reached through core/device only

calls core (fd|fre)?open|fopen|fclose|fread|fwrite|fgets|v?f?printf|f?puts|perror|popen|tmpfile|remove|rename - core/ knows no files and prints nothing: it returns errors and calls sinks
calls core malloc|calloc|realloc|free|strn?dup|aligned_alloc|posix_memalign core/memory.c core/ allocates through gp_alloc, so that any allocation can be made to fail
calls core _?exit|abort|quick_exit - core/ leaves the decision to end the program to the program
'

# Sources of each top-level folder that holds some. The examples are programs of their own.
sources() {
    find . \( -path '*/examples' -o -path ./build -o -path ./tests -o -path ./data -o -path './.*' \) -prune -o \
        -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print | sed 's|^\./||' | LC_ALL=C sort
}

# The files are its input; names with spaces would be split, and there are none such.
# shellcheck disable=SC2046
RULES=$rules awk '
function broken(what, why) {
    printf "%s:%d: %s\n    %s\n", FILENAME, FNR, what, why
    bad = 1
}

# The words of `text` after the first `count`.
function rest(text, count) {
    while (count-- > 0) sub(/^[^ ]+ +/, "", text)
    return text
}

# The line without comments and with texts emptied; `inside` carries an open comment on.
function code(line,    out, token) {
    out = ""
    while (line != "") {
        if (inside) {
            if (!index(line, "*/")) return out
            line = substr(line, index(line, "*/") + 2)
            inside = 0
        } else if (match(line, /"([^"\\]|\\.)*"|\/\*|\/\//)) {
            token = substr(line, RSTART, RLENGTH)
            out = out substr(line, 1, RSTART - 1)
            line = substr(line, RSTART + RLENGTH)
            if (token == "//") return out
            if (token == "/*") inside = 1
            else out = out "\"\""
        } else {
            return out line
        }
    }
    return out
}

# Whether the file lies in one of the folders, or below.
function lies_in(folders,    list, count, i) {
    count = split(folders, list, ",")
    for (i = 1; i <= count; i++) if (index(FILENAME, list[i] "/") == 1) return 1
    return 0
}

function may_use(folder, name,    list, count, i) {
    count = split(uses[folder], list, ",")
    for (i = 1; i <= count; i++) if (index(name, list[i]) == 1) return 1
    return 0
}

BEGIN {
    count = split(ENVIRON["RULES"], lines, "\n")
    for (i = 1; i <= count; i++) {
        split(lines[i], word, " ")
        if (word[1] == "uses") {
            uses[word[2]] = word[3]
            why[word[2]] = rest(lines[i], 3)
        } else if (word[1] == "bans") {
            ban_folders[++bans] = word[2]
            ban_headers[bans] = "^(" word[3] ")"
            ban_why[bans] = rest(lines[i], 3)
        } else if (word[1] == "calls") {
            call_folder[++calls] = word[2]
            call_names[calls] = "(^|[^A-Za-z0-9_>.])(" word[3] ")[ \t]*\\("
            call_except[calls] = word[4]
            call_why[calls] = rest(lines[i], 4)
        }
    }
}

FNR == 1 {
    inside = 0
    folder = FILENAME
    do sub(/\/[^\/]*$/, "", folder); while (!(folder in uses) && folder ~ /\//)
    if (!(folder in uses)) {
        broken("no rule says what " folder "/ may include", "add it to tests/project/check_layers.sh")
        uses[folder] = folder "/"
    }
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    name = $0
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*/, "", name)
    if ($0 ~ /^[^<]*"/) {
        if (!may_use(folder, name)) broken("includes \"" name "\"", why[folder])
    } else {
        for (i = 1; i <= bans; i++)
            if (lies_in(ban_folders[i]) && name ~ ban_headers[i])
                broken("includes <" name ">", ban_why[i])
    }
    next
}

{
    text = code($0)
    for (i = 1; i <= calls; i++)
        if (call_folder[i] == folder && call_except[i] != FILENAME && text ~ call_names[i]) {
            sub(/^[ \t]+/, "", text)
            broken(text, call_why[i])
        }
}

END { exit bad }
' $(sources)
