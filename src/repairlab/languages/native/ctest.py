"""Shell scripts that run one test of a CMake project alone, and find out at build time which tests can be.

Starting `ctest` takes far longer than most tests. A test that is just a program, its arguments and a folder is therefore run
directly, as `ctest` would: its exit code is the result. For all else (properties, fixtures, included lists, odd quoting) there is
`ctest` itself. Which tests are so is looked up once, when the tree is built.
"""

from pathlib import Path

DIRECT = "<direct/>"
"""Stands in the report when the process itself was the test."""
_PLANS = ".alone"
"""The folder below the tests' own, with a file for each test that does not need `ctest`."""

_LOOK_UP = (Path(__file__).parent / "ctest-plans.awk").read_text(encoding="utf-8")
# What a ninja build knows of its tests is as old as its manifest: CMake writes both.
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
    """Return the command line that builds and then finds out which tests of the folder do not need `ctest`."""
    return ("/bin/sh", "-c", _BUILD.replace("@plans@", _PLANS).replace("@look_up@", _LOOK_UP), "sh", folder, *argv)


def testing(folder: str, name: str, otherwise: str, *arguments: str) -> tuple[str, ...]:
    """Return the command line that runs a test by its name; `otherwise` is a script for the folder $1 and the arguments from $3."""
    script = _TEST.replace("@plans@", _PLANS).replace("@direct@", DIRECT)
    plan = name.replace("%", "%25").replace("/", "%2F") + ".sh"
    return ("/bin/sh", "-c", script + otherwise, "sh", folder, plan, *arguments)
