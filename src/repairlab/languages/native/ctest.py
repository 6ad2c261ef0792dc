"""Shell scripts that run one test of a CMake project alone, and find out at build time which tests can be.

Starting `ctest` takes far longer than most tests. A test that is just a program, its arguments and a folder is therefore run
directly, as `ctest` would: its exit code is the result. For all else (properties, fixtures, included lists, odd quoting) there is
`ctest` itself. Which tests are so is looked up once, when the tree is built.
"""

DIRECT = "<direct/>"
"""Stands in the report when the process itself was the test."""
_PLANS = ".alone"
"""The folder below that of the tests with a file for each that needs no `ctest`."""

# Reads the lists of tests that CMake wrote. For each test it writes a shell command that takes the test's folder and its words as
# arguments, or nothing when there is anything that it does not know for certain.
_LOOK_UP = r"""
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
    folders[n = 1] = ENVIRON["FOLDER"]
    for (i = 1; i <= n; i++) {
        file = folders[i] "/CTestTestfile.cmake"
        while ((got = (getline line < file)) > 0) {
            if (line ~ /^#/ || line == "") continue
            if (line ~ /^subdirs\("[^"\\$;\047]+"\)$/) {
                split(line, words, "\"")
                folders[++n] = words[2] ~ /^\// ? words[2] : folders[i] "/" words[2]
            } else if (line ~ /^add_test\(/ && head(line)) {
                if (who in command || rest !~ /^ "\/[^"\\$;\047]*"( "[^"\\$;\047]*")*\)$/) odd[who]
                command[who] = rest
                place[who] = folders[i]
            } else if (line ~ /^set_tests_properties\(/ && head(line)) {
                if (!known()) odd[who]
                else if (split(rest, words, "\"") == 5) place[who] = words[2]
            } else exit
        }
        if (got < 0) exit
        close(file)
    }
    for (who in command) {
        if (who in odd || length(who) > 80) continue
        name = who
        gsub(/%/, "%25", name)
        gsub(/\//, "%2F", name)
        file = ENVIRON["PLANS"] "/" name ".sh"
        printf "set -- \047%s\047", place[who] > file
        n = split(command[who], words, "\"")
        for (i = 2; i < n; i += 2) printf " \047%s\047", words[i] > file
        print "" > file
        close(file)
    }
}
"""
# What a build made by ninja knows of its tests is as old as its manifest: CMake writes both.
_BUILD = r"""
folder=$1
shift
"$@" || exit
plans=$folder/@plans@
[ -e "$folder/build.ninja" ] && [ "$plans" -nt "$folder/build.ninja" ] && exit
rm -rf "$plans"
mkdir "$plans" 2>/dev/null && FOLDER="$folder" PLANS="$plans" awk '@look_up@'
exit 0
"""
_TEST = r"""
directly() {
    [ -e "$1/CTestCustom.cmake" ] || [ -e "$1/CTestCustom.ctest" ] && return
    [ -e "$1/@plans@/$2" ] && . "$1/@plans@/$2" && [ -x "$2" ] && cd "$1" || return
    shift
    echo '@direct@' >&3
    CTEST_INTERACTIVE_DEBUG_MODE=1 exec "$@" 3>/dev/null </dev/null
}
directly "$1" "$2"
"""


def building(folder: str, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command line that builds and then looks up which tests of the folder need no `ctest`."""
    return ("/bin/sh", "-c", _BUILD.replace("@plans@", _PLANS).replace("@look_up@", _LOOK_UP), "sh", folder, *argv)


def testing(folder: str, name: str, otherwise: str, *arguments: str) -> tuple[str, ...]:
    """Return the command line that runs a test by its name; `otherwise` is a script for the folder $1 and the arguments from $3."""
    script = _TEST.replace("@plans@", _PLANS).replace("@direct@", DIRECT)
    plan = name.replace("%", "%25").replace("/", "%2F") + ".sh"
    return ("/bin/sh", "-c", script + otherwise, "sh", folder, plan, *arguments)
