"""Building trees that have a `configure` script, or can make one; `native` calls it."""

import shlex

from repairlab.core.recipe import Build
from repairlab.languages import host

# Files of a tree come in any order, so what was generated may look older than what it was generated from, and make would generate
# it again. Where nothing was generated, autogen.sh or autoreconf does it.
_GENERATE = """
if [ -f configure ]; then
    find . -name aclocal.m4 -exec touch {} +
    sleep 0.02
    find . \\( -name configure -o -name config.h.in -o -name Makefile.in \\) -exec touch {} +
elif [ -f autogen.sh ]; then
    NOCONFIGURE=1 sh ./autogen.sh
else
    autoreconf -fi
fi
"""
# Makefiles remember where they were made: only a configuration that was made here needs no other.
_SCRIPT = """
configure() {{
    {generate}
    [ -f configure ] && sh ./configure {flags}
}}
{{ grep -qsxF "ac_pwd='$PWD'" config.status && [ -f Makefile ]; }} || configure >&2 || exit 1
exec {make} >&2
"""


def command_line(build: Build, jobs: str) -> tuple[str, ...]:
    """Return the command that configures a tree, unless that was done in the same place, and makes it."""
    make = shlex.join([host.require("make"), jobs, *build.targets])
    script = _SCRIPT.format(generate=_GENERATE.strip(), flags=shlex.join(build.flags), make=make)
    return ("/bin/sh", "-c", script)
