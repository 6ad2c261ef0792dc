"""Which package versions a Python project gets: uv's answer, locked once with hashes."""

import contextlib
import functools
import re
from collections.abc import Iterable, Mapping

from repairlab.core.errors import UserError
from repairlab.core.record import digest, record
from repairlab.languages.python.environments import UvError, canonical, is_pinned, lines_file, not_built, run_uv, sources
from repairlab.languages.python.interpreters import choose

_TITLE = "# A locked environment of Python packages of repairlab; its name is a digest of this text."
_OLDEST_PYTEST = "pytest>=5"
_WITH_PYTEST = (
    "atomicwrites",
    "attrs",
    "importlib-metadata",
    "more-itertools",
    "packaging",
    "pathlib2",
    "pluggy",
    "py",
    "six",
    "wcwidth",
)
"""pytest's dependencies, in versions that suit its own; other versions may need fewer, and name them."""
_MOST_RELAXED = 12
"""How many packages may turn out to need another version before we give up."""


@record
class Requested:
    """What a project wants of its environment."""

    python: str
    """Release or path of the interpreter."""
    requirements: tuple[str, ...]
    """In pip's form; those with `==` override what other packages say."""
    optional: tuple[str, ...] = ()
    """Packages to install if possible."""
    beside: tuple[str, ...] = ()
    """Versions on the same list that nothing is known to need: they apply to dependencies; otherwise only wheels are used."""
    before: str = ""
    """A date: packages published later are not used, even to build packages."""
    wheels: str = ""
    """Folder to take packages from; empty means uv's configured index."""
    relax: bool = False
    """Whether a version that cannot be built here may be replaced by the next one that has a wheel."""
    unbuilt: tuple[str, ...] = ()
    """Packages known not to build: they need a wheel."""
    brings_pytest: bool = True
    """Whether pytest is one of the packages; not so for a project that is pytest."""


@record
class Locked:
    """An environment, ready to be written beside a benchmark."""

    name: str
    text: str
    notes: tuple[str, ...] = ()
    """Which versions differ from the requested ones."""


def lock(requested: Requested) -> Locked:
    """Resolve requirements to versions and hashes; a UserError says why that is impossible."""
    resolver = _Resolver(requested)
    asked = _by_name(requested.requirements)
    optional = {name: line for name, line in _by_name(requested.optional).items() if name not in asked}
    beside = {name: line for name, line in _by_name(requested.beside).items() if name not in asked}
    # From a folder of packages everything is allowed: nothing in it takes long to find or build.
    taken = [name for name in beside if requested.wheels or name in optional]
    optional |= {name: beside.pop(name) for name in taken}
    if requested.brings_pytest:
        asked.setdefault("pytest", optional.pop("pytest", beside.pop("pytest", _OLDEST_PYTEST)))
    if _is_older_pytest(asked.get("pytest", "")):
        resolver.notes.append(_replace_pytest(asked, optional, beside))
    resolver.hold(beside | optional | asked)
    resolved = resolver.resolve(asked)
    asked, resolved = resolver.add(asked, optional, resolved)
    spare = {name: line for name, line in beside.items() if not _has(resolved, name)}
    wheels = resolver.wheels_of(spare)
    release = resolver.interpreter.release
    left = [line for name, line in optional.items() if name not in asked]
    unneeded = [line for name, line in spare.items() if not _has(wheels, name)]
    resolver.notes += [f"left out, cannot be had for Python {release}: {', '.join(left)}"] if left else []
    told = f"left out, no wheel for Python {release} and nothing known to need them: {', '.join(unneeded)}"
    resolver.notes += [told] if unneeded else []
    head = [_TITLE, f"# python = {release}"]
    head += [f"# before = {requested.before}"] if requested.before and not requested.wheels else []
    head.append(f"# plugins of = {' '.join(sorted(asked))}")
    text = "\n".join([*head, resolved.strip(), *([wheels.strip()] if wheels else [])]) + "\n"
    return Locked(name=f"python{release}-{digest(text)}", text=text, notes=tuple(resolver.notes))


def _replace_pytest(asked: dict[str, str], optional: dict[str, str], beside: dict[str, str]) -> str:
    """Ask for a pytest that can load our reporter, and for what goes with it; return what to report."""
    old, asked["pytest"] = asked["pytest"], f"{_OLDEST_PYTEST},<6"
    for name in sorted(asked.keys() | optional.keys() | beside.keys()):
        if name in _WITH_PYTEST:
            asked.pop(name, None)
            beside.pop(name, None)
            optional[name] = name
        elif name.startswith("pytest-"):
            (asked if name in asked else optional)[name] = name
    return f"{old} is older than our reporter needs: {asked['pytest']} instead, and what goes with it"


def _has(lock_text: str, name: str) -> bool:
    return re.search(rf"^{re.escape(name)}==", lock_text, re.MULTILINE) is not None


def _by_name(lines: Iterable[str]) -> dict[str, str]:
    return {name: line for line in lines if (name := canonical(line))}


def _apart(group: dict[str, str], message: str) -> list[dict[str, str]]:
    """Return what to try of packages that cannot be had together: those that the message does not name, then the others alone.

    >>> _apart({"numpy": "numpy", "keras": "keras>2", "nose": "nose"}, "you require keras>2")
    [{'numpy': 'numpy', 'nose': 'nose'}, {'keras': 'keras>2'}]
    """
    if len(group) == 1:
        return []
    named = group.keys() & set(map(canonical, re.findall(r"[\w.-]+", message))) or group.keys()
    together = {name: line for name, line in group.items() if name not in named}
    return [*([together] if together else []), *({name: group[name]} for name in sorted(named))]


def _is_older_pytest(line: str) -> bool:
    found = re.search(r"(?:==|<=?|~=)\s*(\d+)", line)
    return found is not None and int(found[1]) < (6 if "<" in found[0] and "=" not in found[0] else 5)


class _Resolver:
    """Asks uv which versions go together, and learns from its answers what is unavailable."""

    def __init__(self, requested: Requested) -> None:
        self.requested = requested
        self.interpreter = choose(requested.python)
        self.notes: list[str] = []
        self.wheels_only = list(requested.unbuilt)
        self._pins: dict[str, str] = {}
        self._dateless: list[str] = []

    def hold(self, lines: Mapping[str, str]) -> None:
        """Have the versions that are named hold, whoever asks for the packages."""
        self._pins = {name: line for name, line in lines.items() if is_pinned(line)}
        for name in self.requested.unbuilt if self.requested.relax else ():
            self._relax(name)

    def resolve(self, asked: Mapping[str, str]) -> str:
        """Return the lock of what is asked for.

        Versions hold even against what packages say of each other, but then the extras that these ask for are lost.
        """
        before = list(self.notes), list(self.wheels_only), list(self._dateless), dict(self._pins)
        with contextlib.suppress(UserError):
            return self._resolved(asked, "--constraints")
        self.notes, self.wheels_only, self._dateless, self._pins = before
        return self._resolved(asked, "--override")

    def _resolved(self, asked: Mapping[str, str], holding: str) -> str:
        first: UvError | None = None
        while True:
            try:
                return self._compile(asked, holding)
            except UvError as error:
                first = first or error
                name, anew = next(iter(not_built(error.output)), _not_published(error.output)), _published_anew(error.output)
                if anew and anew not in self._dateless:
                    self._dateless.append(anew)
                    self._note(f"{anew}: the index has no release from before {self.requested.before}, so a later one is taken")
                elif name and name not in self.wheels_only and len(self.wheels_only) < _MOST_RELAXED:
                    self.wheels_only.append(name)
                    if self.requested.relax:
                        self._relax(name)
                else:
                    raise UserError(f"its packages cannot be had for Python {self.interpreter.release}: {first.reason}") from None

    def add(self, asked: dict[str, str], more: Mapping[str, str], resolved: str) -> tuple[dict[str, str], str]:
        """Return the requirements with as many optional packages as possible, and their lock."""
        pending = [dict(more)] if more else []
        while pending:
            trial = asked | pending.pop(0)
            try:
                resolved = self.resolve(trial)
            except UserError as error:
                pending = [*_apart({name: line for name, line in trial.items() if name not in asked}, str(error)), *pending]
            else:
                asked = trial
        return asked, resolved

    def wheels_of(self, lines: Mapping[str, str]) -> str:
        """Return the lock of those pinned packages that have a wheel for this interpreter and machine, without what they need."""
        known = _without_wheels(str(self.interpreter.executable))
        left = {name: line for name, line in lines.items() if line not in known}
        while left:
            try:
                return self._uv_compile(left.values(), "--generate-hashes", "--no-deps", "--only-binary", ":all:", dateless=left)
            except UvError as error:
                named = set(map(canonical, re.findall(r"[\w.-]+(?===)|(?<=versions of )[\w.-]+", error.output)))
                without = left.keys() & named
                if not without:
                    break
                known |= {left[name] for name in without}
                left = {name: line for name, line in left.items() if name not in without}
        return ""

    def _relax(self, name: str) -> None:
        """Replace an unavailable version by the next one with a wheel, if any."""
        line = self._pins.get(name)
        if line is None:
            return
        with contextlib.suppress(UvError):
            later = line.replace("==", ">=")
            found = self._uv_compile([later], "--no-deps", "--resolution", "lowest-direct", "--only-binary", name, dateless=[name])
            self._pins[name] = found.strip() or line
            self._note(f"{line} cannot be had here: {self._pins[name]}, the next version that has a wheel, instead")

    def _compile(self, asked: Mapping[str, str], holding: str) -> str:
        only = [part for name in self.wheels_only for part in ("--only-binary", name)]
        dateless = (*self._pins, *self._dateless, *(self.wheels_only if self.requested.relax else ()))
        lines = [self._pins.get(name, line) for name, line in asked.items()]
        with lines_file(self._pins.values()) as pins:
            return self._uv_compile(lines, "--generate-hashes", holding, str(pins), *only, dateless=dateless)

    def _uv_compile(self, lines: Iterable[str], *options: str, dateless: Iterable[str]) -> str:
        python = ("--python", str(self.interpreter.executable))
        places = sources(self.requested.wheels, self.requested.before, dateless)
        return run_uv("pip", "compile", "-", *python, "--no-header", "--no-annotate", *options, *places, given="\n".join(lines))

    def _note(self, text: str) -> None:
        self.notes += [text] if text not in self.notes else []


def _published_anew(message: str) -> str:
    """Return a package of which the index has nothing so old: somebody asks for it, so it was withdrawn and published again."""
    found = re.search(r"there are no versions of ([\w.-]+) (?:and|or|,)", message)
    return canonical(found[1]) if found and f"`{found[1]}` was filtered by `exclude-newer`" in message else ""


@functools.cache
def _without_wheels(interpreter: str) -> set[str]:  # noqa: ARG001  # pins of one interpreter are not those of another
    """Return the pins known to have no wheel for an interpreter, to be added to: bugs of a project share most of a list."""
    return set()


def _not_published(message: str) -> str:
    """Return a pinned package of which the index has no such version, none for this machine, or none that uv can read."""
    found = re.search(r"([\w.-]+)==[^\s,]+ has (?:no (?:usable )?wheels|a non-PEP 625)|there is no version of ([\w.-]+)==", message)
    return canonical(found[1] or found[2]) if found else ""
