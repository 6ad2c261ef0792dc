"""Codeflaws: pairs of C programs with cases as files."""

import gzip
import re
from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

pytestmark = pytest.mark.imports

PROGRAM = '#include <stdio.h>\nint main() {{ long long n; scanf("%I64d", &n); printf("%I64d\\n", {}); return 0; }}\n'
FOLDER = "1-A-bug-10-11"
FILES = {
    f"{FOLDER}/1-A-10.c": PROGRAM.format("n + 1"),
    f"{FOLDER}/1-A-11.c": PROGRAM.format("2 * n"),
    f"{FOLDER}/input-pos1": "1\n",
    f"{FOLDER}/output-pos1": "2\n",
    f"{FOLDER}/input-neg1": "5000000000\n",
    f"{FOLDER}/output-neg1": "10000000000\n",
    f"{FOLDER}/heldout-input-pos1": "4\n",
    f"{FOLDER}/heldout-output-pos1": "8\n",
    f"{FOLDER}/Makefile": "",
}


@pytest.mark.timeout(300)
def test_a_pair_is_healthy(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    made = importing.run("codeflaws")
    assert made.notes == (f"{FOLDER}: %I64d became %lld",)
    assert [case.id for case in importing.benchmark[0].oracle.cases] == ["heldout-pos1", "neg1", "pos1"]
    assert importing.problems(machine) == {FOLDER: ()}


@pytest.mark.timeout(300)
def test_programs_are_built_as_c_of_their_time(importing: Any, machine: Machine) -> None:
    old_style = '#include <stdio.h>\n#include <stdlib.h>\nmain() {{ char n[20]; gets(n); printf("%lld\\n", {}); exit(0); }}\n'
    programs = {"1-A-10.c": old_style.format("atoll(n) + 1"), "1-A-11.c": old_style.format("2 * atoll(n)")}
    importing.write({**FILES, **{f"{FOLDER}/{name}": text for name, text in programs.items()}})
    importing.run("codeflaws", machine=machine)
    assert {"-std=c99", "-O0"} < set(importing.benchmark[0].oracle.build.flags)
    assert importing.problems(machine) == {FOLDER: ()}


@pytest.mark.timeout(300)
def test_cases_that_the_right_program_fails_are_left_out(importing: Any, machine: Machine) -> None:
    cut = {f"{FOLDER}/heldout-input-pos2": "12...", f"{FOLDER}/heldout-output-pos2": "246"}
    importing.write({**FILES, **cut})
    made = importing.run("codeflaws", machine=machine)
    assert "1 case left out, which the right program does not pass: heldout-pos2 (WRONG: token 1 is '24'" in made.notes[1]
    assert [case.id for case in importing.benchmark[0].oracle.cases] == ["heldout-pos1", "neg1", "pos1"]


@pytest.mark.timeout(300)
def test_a_right_program_that_loops_is_not_waited_for_again_and_again(importing: Any, machine: Machine) -> None:
    loop = "2 * n; while (n == 12) {}"
    program = '#include <stdio.h>\nint main() {{ long long n; scanf("%lld", &n); n = {}; printf("%lld\\n", n); return 0; }}\n'
    cut = {
        f"{FOLDER}/heldout-{kind}-a{number}": text for number in range(12) for kind, text in (("input", "6 1..."), ("output", "12"))
    }
    programs = {f"{FOLDER}/1-A-10.c": program.format("n + 1"), f"{FOLDER}/1-A-11.c": program.format(loop)}
    importing.write({**FILES, **cut, **programs, f"{FOLDER}/input-neg1": "50\n", f"{FOLDER}/output-neg1": "100\n"})
    made = importing.run("codeflaws", machine=machine)
    assert [case.id for case in importing.benchmark[0].oracle.cases] == ["heldout-pos1", "neg1", "pos1"]
    tried, not_tried = made.notes
    late = ", ".join(f"heldout-a{number} (TIMEOUT: cpu limit reached)" for number in (0, 1, 10, 11, 2))
    assert tried == f"{FOLDER}: 5 cases left out, which the right program does not pass: {late}"
    assert not_tried.startswith(
        f"{FOLDER}: 7 cases left out, not run after 5 that took the right program too long: heldout-a3 (6 characters)"
    )


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"1-A-11.c": PROGRAM.format("3 * n")},
            "the right program is not accepted here (3 of 3 cases, the first: heldout-pos1: WRONG",
        ),
        (
            {"1-A-11.c": "int main( {"},
            "the right program is not accepted here (3 of 3 cases, the first: heldout-pos1: UNCOMPILABLE",
        ),
        ({"1-A-10.c": PROGRAM.format("n + n")}, "the wrong program passes every case (3)"),
    ],
)
def test_a_pair_that_shows_nothing_is_dropped(importing: Any, machine: Machine, changes: dict[str, str], reason: str) -> None:
    importing.write({**FILES, **{f"{FOLDER}/{name}": text for name, text in changes.items()}})
    with pytest.raises(UserError, match=re.escape(reason)):
        importing.run("codeflaws", machine=machine)


@pytest.mark.timeout(300)
def test_a_wrong_program_that_does_not_compile_is_a_bug(importing: Any, machine: Machine) -> None:
    importing.write({**FILES, f"{FOLDER}/1-A-10.c": "int main( {"})
    assert importing.run("codeflaws", machine=machine).bugs == (FOLDER,)


@pytest.mark.timeout(300)
def test_a_case_without_its_output_is_left_out_with_its_name(importing: Any, machine: Machine) -> None:
    importing.write({path: text for path, text in FILES.items() if not path.endswith("/output-pos1")})
    made = importing.run("codeflaws", machine=machine)
    assert re.fullmatch(rf"{FOLDER}: case pos1 left out: \S+/output-pos1 is missing", made.notes[1])
    assert [case.id for case in importing.benchmark[0].oracle.cases] == ["heldout-pos1", "neg1"]


def test_a_pair_without_outputs_is_dropped(importing: Any) -> None:
    importing.write({path: text for path, text in FILES.items() if "output-" not in path})
    with pytest.raises(UserError, match=r"output-pos1 is missing"):
        importing.run("codeflaws")


@pytest.mark.timeout(300)
def test_files_may_be_packed(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    for path in list(importing.source.rglob("*-*")):
        if path.is_file():
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    importing.run("codeflaws", machine=machine)
    assert [case.id for case in importing.benchmark[0].oracle.cases] == ["heldout-pos1", "neg1", "pos1"]


def test_other_folders_are_no_pairs(importing: Any) -> None:
    importing.write({"src/a.c": ""})
    with pytest.raises(UserError, match="no folder named like"):
        importing.run("codeflaws")
