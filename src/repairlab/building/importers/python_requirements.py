"""What a tree of a Python project says of itself: name, version, requirements, entry points. Read, never run.

Requirements of the tests are those of tox and of the first other place that names any: extras, groups, pip files, `tests_require`.
"""

import ast
import codecs
import configparser
import contextlib
import dataclasses
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from repairlab.core.record import record

_TESTING = ("test", "tests", "testing", "dev", "develop", "development")
_FILES = re.compile(
    r"(?:requirements/|requirements[-_.]|)(?:tests?|testing|dev|develop|ci)(?:[-_.]?(?:requirements|reqs?))?\.(?:txt|in|pip)", re.I
)
_UNPUBLISHED = re.compile(r"==(?:0\.0\.0|.*\.dev\d+.*|.*\+.*)$")
"""Versions that lists of installed packages give for checkouts and for Debian's own parts."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # checked before UTF-16, whose mark is a prefix of it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OPTION = re.compile(r"^(?:-r|--requirement|-c|--constraint)[ =]?\s*(\S+)")


@record
class PythonProject:
    """What a tree says of itself."""

    name: str = ""
    version: str = ""
    requires_python: str = ""
    releases: tuple[str, ...] = ()
    """Python releases that the project claims to support."""
    requirements: tuple[str, ...] = ()
    """Of the packages."""
    testing: tuple[str, ...] = ()
    """Of their tests; some lists name packages that no longer exist."""
    entry_points: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """Lines by group."""
    version_file: str = ""
    """File that a build would write with the version."""
    extensions: bool = False
    """Whether its `setup.py` mentions extension modules."""
    building: tuple[str, ...] = ()
    """What it is built with."""


def read_project(texts: Mapping[str, str]) -> PythonProject:
    """Return what the files at the top of a tree say."""
    pyproject, config, setup = _toml(texts), _ini(texts.get("setup.cfg", "")), _setup_arguments(texts)
    project, metadata, options = pyproject.get("project", {}), config.get("metadata", {}), config.get("options", {})
    poetry = pyproject.get("tool", {}).get("poetry", {})
    classifiers = [*project.get("classifiers", ()), *_lines(metadata.get("classifiers", "")), *_strings(setup.get("classifiers"))]
    requires = [
        *project.get("dependencies", ()),
        *_lines(options.get("install_requires", "")),
        *_strings(setup.get("install_requires")),
        *_poetry(poetry.get("dependencies", {})),
    ]
    wanted = project.get("requires-python") or options.get("python_requires") or setup.get("python_requires")
    return PythonProject(
        name=_first(project.get("name"), poetry.get("name"), metadata.get("name"), setup.get("name")),
        version=_first(project.get("version"), poetry.get("version"), _plain(metadata.get("version")), setup.get("version")),
        requires_python=wanted if isinstance(wanted, str) else "",
        releases=tuple(match[1] for text in classifiers if (match := re.search(r"Python :: (3\.\d+)$", text.strip()))),
        requirements=tuple(dict.fromkeys(map(_clean, requires))),
        testing=tuple(dict.fromkeys(map(_clean, _testing(texts, pyproject, config, setup)))),
        entry_points=_entry_points(project, poetry, config, setup),
        version_file=_version_file(pyproject, texts),
        extensions=re.search(r"\bext_modules\b", texts.get("setup.py", "")) is not None,
        building=tuple(
            map(_clean, (*pyproject.get("build-system", {}).get("requires", ()), *_strings(setup.get("setup_requires"))))
        ),
    )


def decoded(content: bytes) -> str:
    """Return the text of a file for pip: in the encoding that its byte-order mark names, as pip reads it, else in UTF-8.

    >>> decoded("a==1".encode("utf-16")), decoded("a==1".encode("utf-8-sig")), decoded(b"a==1")
    ('a==1', 'a==1', 'a==1')
    """
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    return content.decode(encoding, "replace")


def read_lines(texts: Mapping[str, str], path: str, *, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the requirements of a pip file and of those it includes."""
    for line in re.sub(r"\\\n", " ", texts.get(path, "")).splitlines():
        text = re.sub(r"(^|\s)#.*$", "", line).strip()
        if found := _OPTION.match(text):
            other = str(PurePosixPath(path).parent / found[1])
            if other not in seen and not text.startswith(("-c", "--constraint")):
                yield from read_lines(texts, other, seen=seen | {path})
        elif text and not text.startswith("-"):
            yield _clean(text)


def _clean(line: str) -> str:
    return re.sub(r"\s--hash.*", "", line).strip()


def _testing(texts: Mapping[str, str], pyproject: Any, config: Any, setup: Mapping[str, Any]) -> list[str]:
    """Return the requirements of the tests: those of tox, and of the first other place that names any."""
    extras: dict[str, list[str]] = {
        name: list(lines) for name, lines in pyproject.get("project", {}).get("optional-dependencies", {}).items()
    }
    extras |= {name: _lines(lines) for name, lines in config.get("options.extras_require", {}).items()}
    extras |= {name: _strings(lines) for name, lines in (setup.get("extras_require") or {}).items() if isinstance(name, str)}
    groups = {
        name: [line for line in lines if isinstance(line, str)] for name, lines in pyproject.get("dependency-groups", {}).items()
    }
    poetry = pyproject.get("tool", {}).get("poetry", {})
    groups |= {name: _poetry(group.get("dependencies", {})) for name, group in poetry.get("group", {}).items()}
    groups.setdefault("dev", _poetry(poetry.get("dev-dependencies", {})))
    tox = _ini(texts.get("tox.ini", "")).get("testenv", {})
    by_tox = [*_tox(texts, tox.get("deps", "")), *(line for name in _words(tox.get("extras", "")) for line in extras.get(name, ()))]
    places = (
        *([line for line in extras.get(name, ()) if "[" not in line] for name in _TESTING[:3]),
        *(groups.get(name, []) for name in _TESTING[:3]),
        *(list(read_lines(texts, path)) for path in sorted(texts) if _FILES.fullmatch(path)),
        *([line for line in extras.get(name, ()) if "[" not in line] for name in _TESTING[3:]),
        *(groups.get(name, []) for name in _TESTING[3:]),
        _strings(setup.get("tests_require")),
        list(read_lines(texts, "requirements.txt")),
    )
    return [*by_tox, *next((place for place in places if place), [])]


def _words(text: str) -> list[str]:
    return re.findall(r"[\w.-]+", text)


def _tox(texts: Mapping[str, str], deps: str) -> Iterator[str]:
    """Yield what tox installs in each of its environments; lines for some of them (`py37: x`) are left out."""
    for line in _lines(deps):
        if found := _OPTION.match(line):
            yield from read_lines(texts, found[1].replace("{toxinidir}/", ""))
        elif not re.match(r"[-!\w{},.]*:", line) and "{" not in line:
            yield line


def _entry_points(project: Any, poetry: Any, config: Any, setup: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for group, points in project.get("entry-points", {}).items():
        found[group] = [f"{name} = {value}" for name, value in points.items()]
    for table in (project.get("scripts", {}), poetry.get("scripts", {})):
        found.setdefault("console_scripts", []).extend(
            f"{name} = {value}" for name, value in table.items() if isinstance(value, str)
        )
    for group, text in config.get("options.entry_points", {}).items():
        found.setdefault(group, []).extend(_lines(text))
    given = setup.get("entry_points")
    if isinstance(given, dict):
        for group, lines in given.items():
            found.setdefault(str(group), []).extend(_strings(lines))
    elif isinstance(given, str):
        found |= {group: [f"{name} = {value}" for name, value in points.items()] for group, points in _ini(given).items()}
    return {group: tuple(lines) for group, lines in found.items() if lines}


def _version_file(pyproject: Any, texts: Mapping[str, str]) -> str:
    """Return the file that setuptools_scm or hatch-vcs would write."""
    tool = pyproject.get("tool", {})
    scm = tool.get("setuptools_scm", {})
    hatch = tool.get("hatch", {}).get("build", {}).get("hooks", {}).get("vcs", {})
    named = scm.get("write_to") or scm.get("version_file") or hatch.get("version-file")
    if not named:
        match = re.search(r"""["'](?:write_to|version_file)["']\s*:\s*["']([^"']+)["']""", texts.get("setup.py", ""))
        named = match[1] if match else ""
    return named if isinstance(named, str) and named.endswith(".py") else ""


def _toml(texts: Mapping[str, str]) -> dict[str, Any]:
    with contextlib.suppress(tomllib.TOMLDecodeError):
        return tomllib.loads(texts.get("pyproject.toml", ""))
    return {}


def _ini(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # as the documentation says
    with contextlib.suppress(configparser.Error):
        parser.read_string(text)
    return {section: {name: value or "" for name, value in parser[section].items()} for section in parser.sections()}


def _setup_arguments(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of `setup(…)` as far as they are literals, there, under a name or in a file that it uses."""
    try:
        tree = ast.parse(texts.get("setup.py", ""))
    except (SyntaxError, ValueError):
        return {}
    names: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            names.setdefault(node.targets[0].id, _value(node.value, names, texts))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "setup":
            for argument in node.keywords:
                value = _value(argument.value, names, texts)
                if argument.arg is None and isinstance(value, dict):
                    found |= value
                elif argument.arg is not None and value is not None:
                    found[argument.arg] = value
    return found


def _value(node: ast.AST, names: Mapping[str, Any], texts: Mapping[str, str]) -> Any:
    """Return the value of a literal expression, or the lines of a file that it names; None if it is computed."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        values = [_value(part, names, texts) for part in node.elts]
        return [value for value in values if value is not None]
    if isinstance(node, ast.Dict):
        pairs = [
            (_value(key, names, texts) if key else None, _value(value, names, texts))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return {key: value for key, value in pairs if isinstance(key, str) and value is not None}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        one, other = _value(node.left, names, texts), _value(node.right, names, texts)
        return one + other if type(one) is type(other) and isinstance(one, str | list) else one or other
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)):
        return _formatted(node, names, texts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        given = [(part.arg, _value(part.value, names, texts)) for part in node.keywords]
        spread = [value for name, value in given if name is None and isinstance(value, dict)]
        return {name: value for one in spread for name, value in one.items()} | {name: value for name, value in given if name}
    files = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [
        line for path in files if path in texts and path.endswith((".txt", ".in", ".pip")) for line in read_lines(texts, path)
    ] or None


def _formatted(node: ast.JoinedStr | ast.BinOp, names: Mapping[str, Any], texts: Mapping[str, str]) -> str | None:
    """Return a text with values filled in; only the name of a requirement with an unknown version."""
    if isinstance(node, ast.JoinedStr):
        parts = [_value(part.value if isinstance(part, ast.FormattedValue) else part, names, texts) for part in node.values]
        form, made = str(parts[0]) if parts else "", None if None in parts else "".join(map(str, parts))
    else:
        form, value = _value(node.left, names, texts), _value(node.right, names, texts)
        if not isinstance(form, str):
            return None
        made = None
        with contextlib.suppress(TypeError, ValueError):
            made = None if value is None else form % (tuple(value) if isinstance(value, list) else value)
    name = re.match(r"[A-Za-z0-9][\w.-]*(?=\s*[<>=!~])", form)
    return made if made is not None else name[0] if name else None


def _strings(value: Any) -> list[str]:
    parts = value.splitlines() if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    return [part.strip() for part in parts if isinstance(part, str) and part.strip()]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def _plain(version: str | None) -> str:
    return "" if version is None or ":" in version else version


def _first(*values: Any) -> str:
    return next((value for value in values if isinstance(value, str) and value), "")


def _poetry(table: Mapping[str, Any]) -> list[str]:
    """Return requirements in poetry's form as pip writes them."""
    found = []
    for name, value in table.items():
        wanted = value.get("version", "*") if isinstance(value, dict) else value
        if name.lower() == "python" or not isinstance(wanted, str) or (isinstance(value, dict) and value.get("optional")):
            continue
        found.append(f"{name}{','.join(_range(part.strip()) for part in wanted.split(',')) if wanted != '*' else ''}")
    return found


def _range(wanted: str) -> str:
    """Return poetry's `^1.2` and `~1.2` as ranges of pip's.

    >>> _range("^1.2"), _range("~1.2.3"), _range(">=2")
    ('>=1.2,<2', '>=1.2.3,<1.3', '>=2')
    """
    numbers = re.findall(r"\d+", wanted)
    if wanted[:1] == "^" and numbers:
        at = next((n for n, number in enumerate(numbers) if number != "0"), len(numbers) - 1)
        return f">={wanted[1:]},<{'.'.join([*numbers[:at], str(int(numbers[at]) + 1)])}"
    if wanted[:1] == "~" and wanted[:2] != "~=" and numbers:
        at = min(1, len(numbers) - 1)
        return f">={wanted[1:]},<{'.'.join([*numbers[:at], str(int(numbers[at]) + 1)])}"
    return wanted if wanted[:1] in "<>=!~" else f"=={wanted}"


def metadata_files(project: PythonProject, version: str) -> dict[str, bytes]:
    """Return the files from which Python learns a project's name, version and entry points without an installation."""
    folder = f"{re.sub(r'[^A-Za-z0-9.]+', '_', project.name)}-{version}.dist-info"
    head = f"Metadata-Version: 2.1\nName: {project.name}\nVersion: {version}\n"
    points = "\n".join(f"[{group}]\n" + "".join(f"{line}\n" for line in lines) for group, lines in project.entry_points.items())
    files = {"METADATA": head, "entry_points.txt": points, "INSTALLER": "repairlab\n"}
    return {f"{folder}/{name}": text.encode() for name, text in files.items() if text}


def foreign(requirements: Iterable[str], *projects: str) -> Iterator[str]:
    """Yield the requirements that an index can answer: not the project itself, addresses, or what was never published."""
    own = {re.sub(r"[-_.]+", "-", project).lower() for project in projects}
    for line in requirements:
        name = re.match(r"[A-Za-z0-9][\w.-]*", line)
        if name and "://" not in line and not _UNPUBLISHED.search(line) and re.sub(r"[-_.]+", "-", name[0]).lower() not in own:
            yield line
