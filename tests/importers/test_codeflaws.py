"""Codeflaws: pairs of C programs with cases as files."""

from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.runs.pool import Machine

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
    assert [case.id for case in importing.benchmark.bugs[0].oracle.cases] == ["heldout-pos1", "neg1", "pos1"]
    assert importing.problems(machine) == {FOLDER: ()}


def test_a_missing_output_drops_the_pair_with_its_name(importing: Any) -> None:
    importing.write({path: text for path, text in FILES.items() if not path.endswith("/output-neg1")})
    with pytest.raises(UserError, match="output-neg1 is missing"):
        importing.run("codeflaws")


def test_other_folders_are_no_pairs(importing: Any) -> None:
    importing.write({"src/a.c": ""})
    with pytest.raises(UserError, match="no folder named like"):
        importing.run("codeflaws")
