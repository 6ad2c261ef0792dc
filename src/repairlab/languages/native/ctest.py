"""The shell script that runs one test of a CMake project alone; `frameworks` calls it.

Starting `ctest` takes far longer than most tests. A test that is just a program, its arguments and a folder is therefore run
directly, as `ctest` would: its exit code is the result. For all else (properties, fixtures, included lists, odd quoting) there is
`ctest` itself.
"""

DIRECT = "<direct/>"
"""Stands in the report when the process itself was the test."""

# Reads the lists of tests that CMake wrote, and prints a shell command that takes the test's folder and its words as arguments, or
# nothing when there is anything that it does not know for certain. WORD takes the place of a last word that is the test's name.
_PLAN = r"""
function head(line,  at) {
    sub(/^[a-z_]+\(/, "", line)
    if (line ~ /^\[=\[/) {
        at = index(line, "]=] ")
        who = substr(line, 4, at - 4)
        rest = substr(line, at + 3)
        return at > 0
    }
    if (match(line, /^"[^"\\$;\047]+"/)) { # since CMake 4
        who = substr(line, 2, RLENGTH - 2)
        rest = substr(line, RLENGTH + 1)
        return 1
    }
    at = index(line, " ")
    who = substr(line, 1, at - 1)
    rest = substr(line, at)
    return at > 0 && who ~ /^[A-Za-z0-9_.+\/:-]+$/
}
function known() {
    return rest ~ /^ PROPERTIES +(WORKING_DIRECTORY "[^"\\$;\047]*" )?_BACKTRACE_TRIPLES "[^"]*"\)$/
}
BEGIN {
    name = ENVIRON["NAME"]
    folders[n = 1] = ENVIRON["FOLDER"]
    for (i = 1; i <= n; i++) {
        file = folders[i] "/CTestTestfile.cmake"
        while ((got = (getline line < file)) > 0) {
            if (line ~ /^#/ || line == "") continue
            if (line ~ /^subdirs\("[^"\\$;\047]+"\)$/) {
                split(line, words, "\"")
                folders[++n] = words[2] ~ /^\// ? words[2] : folders[i] "/" words[2]
            } else if (line ~ /^add_test\(/ && head(line)) {
                if (who != name) continue
                if (command != "" || rest !~ /^( "[^"\\$;\047]*")+\)$/) exit
                command = rest
                place = folders[i]
            } else if (line ~ /^set_tests_properties\(/ && head(line)) {
                if (who != name) continue
                if (!known()) exit
                if (split(rest, words, "\"") == 5) place = words[2]
            } else exit
        }
        if (got < 0) exit
    }
    if (command !~ /^ "\//) exit
    n = split(command, words, "\"")
    if (ENVIRON["WORD"] != "") {
        if (words[n - 1] != name) exit
        words[n - 1] = ENVIRON["WORD"]
    }
    printf "set -- \047%s\047", place
    for (i = 2; i < n; i += 2) printf " \047%s\047", words[i]
}
"""
_DIRECTLY = r"""
directly() {
    [ -e "$1/CTestCustom.cmake" ] || [ -e "$1/CTestCustom.ctest" ] && return
    plan=$(FOLDER="$1" NAME="$2" WORD="$3" awk '@plan@')
    [ "$plan" ] && eval "$plan" && [ -x "$2" ] && cd "$1" || return
    shift
    echo '@direct@' >&3
    CTEST_INTERACTIVE_DEBUG_MODE=1 exec "$@" 3>/dev/null </dev/null
}
directly "$1" "$2" "$3"
"""


def script(otherwise: str) -> str:
    """Return a script that runs a test of folder $1 by its name $2, its last argument replaced by $3 if there is one."""
    return _DIRECTLY.replace("@plan@", _PLAN).replace("@direct@", DIRECT) + otherwise
