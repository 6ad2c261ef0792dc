"""Precompiled headers of the C++ standard library, for the one file that candidates change; `reuse` calls it.

What is precompiled is what the preprocessor reads first in that file, as long as it is nothing but headers of the standard library.
The file itself stays as it is and includes them again, which adds nothing: those headers may be included any number of times. So
a compilation means what it would mean without. Made from the system's headers alone, one serves all bugs: a cache keeps them.
"""

import contextlib
import functools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from repairlab.core.record import digest
from repairlab.languages import host

_KEPT = 32
"""Precompiled headers in the cache, of some 25 MB each; those that were used last stay."""
_NAMES = (
    # C++17
    "algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath codecvt"
    " complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque"
    " exception execution filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream"
    " iterator limits list locale map memory memory_resource mutex new numeric optional ostream queue random ratio regex"
    " scoped_allocator set shared_mutex sstream stack stdexcept streambuf string string_view system_error thread tuple type_traits"
    " typeindex typeinfo unordered_map unordered_set utility valarray variant vector"
    # C++20
    " barrier bit compare concepts coroutine latch numbers ranges semaphore source_location span stop_token version"
    # C
    " assert.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stddef.h stdint.h"
    " stdio.h stdlib.h string.h time.h uchar.h wchar.h wctype.h"
    # gcc's header with all of them, which programs in competitions use
    " bits/stdc++.h"
)
_STANDARD = frozenset(_NAMES.split())

_PLAIN_FLAG = re.compile(
    r"-(?:[Ogm][\w=.-]*|std=[\w+]+|[DU]\w+(?:=\w*)?|W[\w-]*|f(?!plugin|dump|pch|profile)[\w=-]+|pthread|pedantic)"
)
"""Flags that mean the same for a header as for the file that includes it, and that make the compiler load or write nothing."""
_NO_MEANING = re.compile(r"(?>[ \t\r\n\f\v]+|//[^\n]*|/\*(?>[^*]+|\*(?!/))*\*/)*")
_FIRST_LINE = re.compile(
    r"""\#[ \t]*
    (?: include[ \t]*<(?P<standard>[^>\n]+)>
      | include[ \t]*"(?P<local>[\w.+-]+(?:/[\w.+-]+)*)"
      # It must look like a guard: what another macro means to the headers below it is not known here.
      | ifndef[ \t]+(?P<guard>[A-Z]\w*_(?:|H|HH|HPP|HXX|INCLUDED))[ \t]*\r?\n[ \t]*\#[ \t]*define[ \t]+(?P=guard)
      | pragma[ \t]+once )
    [ \t]*(?=[\r\n]|//|/\*|\Z)""",
    re.VERBOSE | re.ASCII,
)
_JOINED = re.compile(r"^.*(?:\\[ \t\r]*$|\?\?)", re.MULTILINE)
"""A line that goes on in the next one, or may do so by a trigraph."""


def first_includes(path: str, read: Callable[[str], str | None], folders: Sequence[str]) -> str:
    r"""Return the standard headers that a source includes before anything else, as lines; `read` gives the texts of files, if any.

    Headers of the tree that come first are followed, since a source often begins with its own one.

    >>> first_includes("a.cpp", {"a.cpp": '#include "a.hpp"', "a.hpp": "#pragma once\n#include <map>\nint x;"}.get, ())
    '#include <map>\n'
    """
    names: list[str] = []
    seen: list[str] = []
    local: str | None = path
    while local is not None and local not in seen:
        seen.append(local)
        included = _follow(read(local) or "", names, is_header=len(seen) > 1)
        places = (str(PurePosixPath(folder, included)) for folder in (str(PurePosixPath(local).parent), *folders))
        local = next((place for place in places if included and read(place) is not None), None)
    return "".join(f"#include <{name}>\n" for name in dict.fromkeys(names))


def _follow(text: str, names: list[str], *, is_header: bool) -> str:
    """Collect standard headers up to the first line that is something else; return the header of the tree which that includes."""
    joined = _JOINED.search(text)
    text = text[: joined.start()] if joined else text
    at = 0
    while True:
        skipped = _NO_MEANING.match(text, at)
        found = _FIRST_LINE.match(text, skipped.end() if skipped else at)
        if found is None:
            return ""
        at = found.end()
        if found["local"]:
            return "" if ".." in found["local"].split("/") else found["local"]
        if found["standard"] in _STANDARD:
            names.append(found["standard"])
        elif found["standard"] or not is_header:
            return ""


def possible(flags: Sequence[str], folders: Sequence[str], files: Sequence[str]) -> bool:
    """Return whether standard headers are the system's own under these flags, given the files of a tree and its header folders."""
    roots = [PurePosixPath(folder) for folder in folders]
    inside = (PurePosixPath(path).relative_to(root) for path in files for root in roots if PurePosixPath(path).is_relative_to(root))
    return all(map(_PLAIN_FLAG.fullmatch, flags)) and not any(
        (system / path).exists() for path in inside for system in _system_folders()
    )


@functools.lru_cache(maxsize=1)
def _system_folders() -> tuple[Path, ...]:
    """Return where the compiler looks for headers by itself."""
    done = subprocess.run(["g++", "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=False)
    listed = done.stderr.partition("#include <...> search starts here:")[2].partition("End of search list.")[0]
    return tuple(Path(line.strip()) for line in listed.splitlines() if line.strip())


def precompiled(includes: str, flags: Sequence[str], cache: Path) -> bytes:
    """Return the header with these lines, compiled with these flags; nothing when they do not compile."""
    # Not its content but the time of a file tells that the package with the C library's headers is another one.
    times = [path.stat().st_mtime_ns for path in (Path("/usr/include/features.h"), *_system_folders()) if path.exists()]
    folder = cache / "headers" / digest(host.version("g++"), times, list(flags), includes)
    with host.made_once(folder) as scratch:
        if scratch is not None:
            (scratch / "first.hpp").write_text(includes, encoding="utf-8")
            argv = ["g++", *flags, "-x", "c++-header", "first.hpp", "-o", "first.hpp.gch"]
            subprocess.run(argv, cwd=scratch, env={"PATH": host.SANDBOX_PATH}, capture_output=True, check=False)
    try:
        os.utime(folder)
        content = (folder / "first.hpp.gch").read_bytes()
    except FileNotFoundError:  # it did not compile, or another process has just deleted it
        return b""
    _forget_oldest(folder.parent)
    return content


def _forget_oldest(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # others may do the same at the same time
        entries = sorted(
            (path for path in folder.iterdir() if not path.name.startswith(".")), key=lambda path: path.stat().st_mtime
        )
        for path in entries[:-_KEPT]:
            shutil.rmtree(path, ignore_errors=True)
