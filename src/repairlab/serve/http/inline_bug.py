"""Make a bug of a judge problem that comes with a request."""

from pathlib import Path

from repairlab.benchmarks.catalog import find_target
from repairlab.core.bug import Bug, Labels, Provenance, Tree
from repairlab.core.errors import unknown
from repairlab.core.execution import Limits
from repairlab.core.oracle import Case, Checker, CheckerProgram, Oracle
from repairlab.core.problem import Problem, SourceFile
from repairlab.core.recipe import Test
from repairlab.core.record import digest
from repairlab.languages.facts import facts, names
from repairlab.serve.http.code_runner import program_place
from repairlab.serve.http.http_error import bad_request
from repairlab.serve.http.requests import CheckerEntry, InlineProblem
from repairlab.validation.paths import check_path, check_together

BENCHMARK = "inline"


def inline_bug(problem: InlineProblem, folder: Path) -> Bug:
    """Return the bug, whose tree lies below a folder from now on."""
    if problem.language not in names():
        raise bad_request(str(unknown("language", problem.language[:100], names())))
    stated = facts(problem.language)
    path, start = program_place(problem.language, problem.program)
    content = digest(problem.language, path, problem.program)
    tree = folder / content
    if not tree.is_dir():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(problem.program.encode("utf-8", "surrogatepass"))
    target, bare = find_target(problem.language, problem.program, None)
    checker = Checker(kind=problem.checker.kind, absolute=problem.checker.absolute, relative=problem.checker.relative)
    cases = tuple(
        Case(id=case.id or str(number), input=case.input, expected=case.expected, checker=checker)
        for number, case in enumerate(problem.cases, start=1)
    )
    if len({case.id for case in cases}) < len(cases):
        raise bad_request("problem.cases: two cases have the same id")
    return Bug(
        problem=Problem(
            id=f"inline-{content}",
            benchmark=BENCHMARK,
            language=problem.language,
            title="",
            description="",
            path=path,
            source=problem.program,
            target=target,
            target_without_comments=bare,
        ),
        oracle=Oracle(
            reference=(),
            build=stated.build,
            test=Test(framework="stdio", program=start),
            limits=Limits(**problem.limits.model_dump()),
            cases=cases,
            checker=_checker(problem.checker),
        ),
        tree=Tree(source=str(tree), digest=content),
        origin=Provenance(),
        labels=Labels(),
    )


def _checker(entry: CheckerEntry) -> CheckerProgram | None:
    if (entry.kind == "program") != bool(entry.files):
        raise bad_request("problem.checker: `files` are the sources of a checker of the kind `program`, which needs them")
    if entry.kind != "program":
        return None
    if entry.language not in names() or not facts(entry.language).can_check:
        possible = [name for name in names() if facts(name).can_check]
        raise bad_request(str(unknown("language of a checker", str(entry.language)[:100], possible)))
    for path in entry.files:
        check_path(path)
    check_together(entry.files)
    start = facts(entry.language).checker
    sources = tuple(SourceFile(path=path, text=text) for path, text in sorted(entry.files.items()))
    return CheckerProgram(language=entry.language, files=sources, program=start.program if start else "")
