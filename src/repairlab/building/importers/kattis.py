"""Problem packages in Kattis' form: a submission that is not accepted is a bug, an accepted one its fix.

Output validators become checkers of ours. A validator is called as `validator input answer feedback_folder [flags] < output` and
says 42 for right and 43 for wrong; a checker is called as `checker input output answer` and says 0 and 1. Whatever else a validator
does is a crash: 134. What keeps it from being called at all is our failure: 70. One that talks with the program is used as it is:
our interactive checkers are called as Kattis' are.
"""

import ast
import difflib
import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, added_text, bugs_of, chosen, need_sources
from repairlab.building.importers.kattis_package import DEFAULT_TIME_S, Package, Submission, is_package, read_package
from repairlab.building.importers.small_programs import (
    EXTENSIONS,
    Cases,
    JudgedProgram,
    folders_of,
    judged_bug,
    limits_of,
    pick_language,
    safe_id,
)
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.outcome import Verdict
from repairlab.core.record import record

_VERDICTS = {
    "wrong_answer": Verdict.WRONG,
    "time_limit_exceeded": Verdict.TIMEOUT,
    "run_time_error": Verdict.CRASH,
    "runtime_error": Verdict.CRASH,
    "memory_limit_exceeded": Verdict.OUT_OF_MEMORY,
    "output_limit_exceeded": Verdict.OUTPUT_LIMIT,
    "compile_error": Verdict.UNCOMPILABLE,
    "compiler_error": Verdict.UNCOMPILABLE,
}
_ACCEPTED = ("accepted", "slow_accepted")
_MEMORY_MB = 2048
_OUTPUT_MB = 8.0


@record
class _Pair:
    package: Package
    submission: Submission


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a package, or at a folder of packages."""
    root = need_sources(list(sources), ("a problem package, or a folder of them",))[0]
    folders = [root] if is_package(root) else [folder for folder in folders_of(root) if is_package(folder)]
    if not folders:
        raise UserError(f"{root} is no problem package and holds none: no problem.yaml was found in it or in the folders in it")
    pairs: dict[str, _Pair] = {}
    broken: list[Dropped] = []
    for folder in folders:
        try:
            package = read_package(folder)
        except UserError as error:
            broken.append(Dropped(id=safe_id(folder.name), reason=str(error)))
            continue
        broken += [
            Dropped(id=safe_id(package.name, "case", name), reason=f"this case is left out: {reason}")
            for name, reason in package.incomplete
        ]
        for submission in package.submissions:
            if submission.folder != "accepted":
                name = safe_id(package.name, submission.folder, submission.name)
                pairs[name] = _Pair(package=package, submission=submission)
    asked = pick_language(settings, ("python", "java", "c", "cpp"))
    ids = chosen([name for name, pair in pairs.items() if asked in (None, pair.submission.language)], settings)
    licences = sorted({pairs[name].package.licence for name in ids})
    return Import(
        name="kattis" if len(folders) > 1 else safe_id("kattis", folders[0].resolve().name),
        version="1.0.0",
        licence=", ".join(licences) or "unknown",
        description=f"Rejected submissions of {len(folders)} problem package{'s' if len(folders) > 1 else ''} in Kattis' form",
        n_bugs=len(ids) + len(broken),
        bugs=chain(broken, bugs_of(ids, lambda name: _bug(name, pairs[name].package, pairs[name].submission))),
    )


def _bug(name: str, package: Package, wrong: Submission) -> ImportedBug | Dropped:
    if wrong.problem:
        raise UserError(wrong.problem)
    if wrong.folder in _ACCEPTED:
        raise UserError("it is accepted, if slowly")
    judge = judging(package)
    right = _nearest(package, wrong)
    verdict = _VERDICTS.get(wrong.folder)
    if verdict is Verdict.CRASH and "memory" in package.limits:
        verdict = None  # Kattis also calls it a run-time error when a program needs more memory than the problem allows
    notes = () if package.time_s else (f"the package has no time limit; {DEFAULT_TIME_S:g} s are used",)
    if verdict is None:
        notes = (*notes, f"the folder {wrong.folder} does not say which verdict it gets")
    limits = limits_of(package.time_s or DEFAULT_TIME_S, int(package.limits.get("memory", _MEMORY_MB)))
    return judged_bug(
        JudgedProgram(
            id=name,
            language=wrong.language or "",
            buggy=wrong.text,
            fixed=right.text,
            cases=package.cases,
            title=f"{package.title}: the program is not accepted",
            description=package.statement,
            verdict=verdict,
            test=judge.test,
            limits={**limits, "output_mb": float(package.limits.get("output", _OUTPUT_MB))},
            facts={**judge.facts, "origin": {"licence": package.licence}},
            checker=judge.files,
            proof="none",  # packages test the judge, too: `check` reports where it disagrees
            notes=notes,
        )
    )


def _nearest(package: Package, wrong: Submission) -> Submission:
    """Return the accepted program in the same language that resembles the wrong one most."""
    accepted = [item for item in package.submissions if item.folder == "accepted" and item.language == wrong.language]
    usable = [item for item in accepted if not item.problem and not (item.language == "python" and _is_python_2(item.text))]
    if not usable:
        raise UserError(f"there is no accepted program in {wrong.language}, so that its fix is not known")
    lines = wrong.text.splitlines()
    return max(usable, key=lambda item: difflib.SequenceMatcher(None, lines, item.text.splitlines(), autojunk=False).ratio())


def _is_python_2(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return True
    return "python2" in text.partition("\n")[0]


_TOLERANCES = {
    "float_tolerance": ("absolute", "relative"),
    "float_absolute_tolerance": ("absolute",),
    "float_relative_tolerance": ("relative",),
}
_LETTER = re.compile(rb"[A-Za-z]")
_VALIDATOR_FOLDER = "validator"
_WRAPPED_MAIN = "-Wl,--wrap=main"
_NATIVE = added_text("kattis-native.c")
_PYTHON = added_text("kattis-python.py.in")
_DEFAULT = added_text("kattis-default.py.in")


@record
class Judging:
    """How outputs are judged: more for bug.toml, and the sources of a checker program."""

    test: Mapping[str, Any]
    facts: Mapping[str, Any]
    files: Mapping[str, bytes]


def judging(package: Package) -> Judging:
    """Return the checker of a package; a UserError says why there is none."""
    for kind in ("multi-pass", "submit-answer"):
        if kind in package.kinds:
            raise UserError(f"the problem is {kind}, which is not possible here")
    place = _validator(package)
    if place is None and "interactive" in package.kinds:
        raise UserError(f"the problem is interactive, but {package.folder} has no validator that could talk with a program")
    return _default(package) if place is None else _custom(package, place)


def _validator(package: Package) -> Path | None:
    old, new = package.folder / "output_validators", package.folder / "output_validator"
    if new.is_dir():
        return new
    if not package.kinds & {"custom", "interactive"}:
        return None
    if not old.is_dir():
        raise UserError(f"{old} is missing, though problem.yaml says that validation is custom")
    found = folders_of(old) or sorted(path for path in old.iterdir() if path.suffix in EXTENSIONS)
    if len(found) != 1:
        raise UserError(f"{old} holds {len(found)} validators; exactly one can be used")
    return found[0]


def _custom(package: Package, place: Path) -> Judging:
    files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    root = place.parent if place.is_file() else place
    languages = {EXTENSIONS[path.suffix] for path in files if path.suffix in EXTENSIONS}
    if any(path.name in ("build", "run") for path in files):
        raise UserError(f"the validator {place} has scripts of its own to build or run it")
    language = "cpp" if languages == {"c", "cpp"} else languages.pop() if len(languages) == 1 else None
    if language not in ("c", "cpp", "python"):
        raise UserError(f"the validator {place} is not in C, C++ or Python alone")
    sources = {f"{_VALIDATOR_FOLDER}/{path.relative_to(root).as_posix()}": read_text(path).encode() for path in files}
    table: dict[str, Any]
    limits = {
        "cpu_s": float(package.limits.get("validation_time", 60)),
        "wall_s": 4.0 * float(package.limits.get("validation_time", 60)),
        "memory_mb": int(package.limits.get("validation_memory", 1024)),
    }
    if "interactive" in package.kinds:
        table = {"language": language, "interactive": True, "arguments": list(package.flags), "limits": limits}
        table |= {"program": _script(place, list(sources))} if language == "python" else {"flags": ["-O2"]}
        return Judging(test={"checker": "program"}, facts={"checker": table}, files=sources)
    if language == "python":
        wrapper = _PYTHON.replace("@FLAGS@", repr(list(package.flags))).replace("@SCRIPT@", _script(place, list(sources)))
        sources["checker.py"] = wrapper.encode()
        table = {"language": "python", "limits": limits}
    else:
        flags = "".join(json.dumps(flag) + ", " for flag in package.flags)
        sources["checker.c"] = _NATIVE.replace("@FLAGS@", flags).encode()
        table = {"language": language, "flags": ["-O2", _WRAPPED_MAIN], "limits": limits}
    return Judging(test={"checker": "program"}, facts={"checker": table}, files=sources)


def _script(place: Path, paths: list[str]) -> str:
    scripts = [path for path in paths if path.endswith(".py")]
    for name in ("__main__.py", "main.py", "validate.py", "validator.py"):
        if f"{_VALIDATOR_FOLDER}/{name}" in scripts:
            return f"{_VALIDATOR_FOLDER}/{name}"
    if len(scripts) != 1:
        raise UserError(f"the validator {place} has {len(scripts)} scripts, and which one to start is not clear")
    return scripts[0]


def _default(package: Package) -> Judging:
    settings = _read_flags(package)
    tolerances = {key: value for key, value in settings.items() if key in ("absolute", "relative")}
    plain = settings.get("case_sensitive") or not has_letters(package.cases)
    if plain and not settings.get("space_change_sensitive"):
        test = {"checker": "float", "absolute": 0.0, "relative": 0.0, **tolerances} if tolerances else {"checker": "tokens"}
        return Judging(test=test, facts={}, files={})
    values = (
        bool(settings.get("case_sensitive")),
        bool(settings.get("space_change_sensitive")),
        tolerances.get("absolute"),
        tolerances.get("relative"),
    )
    script = _DEFAULT.replace("@SETTINGS@", repr(values).strip("()"))
    return Judging(test={"checker": "program"}, facts={"checker": {"language": "python"}}, files={"checker.py": script.encode()})


def has_letters(cases: Cases) -> bool:
    """Return whether an answer has letters: without any, comparing case changes nothing."""
    return any(_LETTER.search(expected) for _, expected in cases.values())


def _read_flags(package: Package) -> dict[str, float | bool]:
    settings: dict[str, float | bool] = {}
    flags = list(package.flags)
    while flags:
        flag = flags.pop(0)
        if flag in ("case_sensitive", "space_change_sensitive"):
            settings[flag] = True
        elif flag in _TOLERANCES and flags:
            try:
                value = float(flags.pop(0))
            except ValueError:
                value = -1.0
            if not 0 <= value < 1:
                raise UserError(f"{package.folder}: the validator flag {flag} needs a number from 0 to 1")
            settings |= dict.fromkeys(_TOLERANCES[flag], value)
        else:
            raise UserError(f"{package.folder}: the default validator has no flag {flag!r}")
    return settings
