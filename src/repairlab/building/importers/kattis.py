"""Problem packages in Kattis' form: a submission that is not accepted is a bug, an accepted one its fix."""

import ast
import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings
from repairlab.building.importers.kattis_package import DEFAULT_TIME_S, Package, Submission, is_package, read_package
from repairlab.building.importers.kattis_validators import judging
from repairlab.building.importers.reading import chosen, need_sources
from repairlab.building.importers.small_programs import JudgedProgram, folders_of, judged_bug, limits_of, pick_language, safe_id
from repairlab.core.errors import UserError
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
        bugs=_bugs({name: pairs[name] for name in ids}, broken),
    )


def _bugs(pairs: dict[str, _Pair], broken: Sequence[Dropped]) -> Iterator[ImportedBug | Dropped]:
    yield from broken
    for name, pair in pairs.items():
        try:
            yield _bug(name, pair.package, pair.submission)
        except UserError as error:
            yield Dropped(id=name, reason=str(error))


def _bug(name: str, package: Package, wrong: Submission) -> ImportedBug | Dropped:
    if wrong.problem:
        raise UserError(wrong.problem)
    if wrong.folder in _ACCEPTED:
        raise UserError("it is accepted, if slowly")
    judge = judging(package)
    right = _nearest(package, wrong)
    verdict = _VERDICTS.get(wrong.folder)
    if verdict is Verdict.CRASH and "memory" in package.limits:
        verdict = None  # Kattis calls it a run-time error, too, when a program needs more memory than a problem allows
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
            proof="none",  # packages are a test of the judge, too: `check` tells where it disagrees
            notes=notes,
        )
    )


def _nearest(package: Package, wrong: Submission) -> Submission:
    """Return the accepted program in the same language that is most like the wrong one."""
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
