import shutil
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.core.errors import UserError
from repairlab.formats.reading import BugIndex
from tests.formats.conftest import COMMIT


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        ("Csv-4", "Csv-4"),
        ("Csv_4", "Csv-4"),
        ("csv 4", "Csv-4"),
        ("tiny/Csv-4", "Csv-4"),
        ("defects4j<SEP>Csv-4", "Csv-4"),
        ("defects4j_SEP_Csv-4", "Csv-4"),
        ("d4j_Csv_4", "Csv-4"),
        ("Csv_4_src/main/java/demo/GCD.java_13_15", "Csv-4"),
        ("Csv_4_src/main/java/demo/My_Gcd.java_13-15", "Csv-4"),
        ("GCD", "gcd"),
        ("QuixBugs GCD", "gcd"),
        ("quixbugs/gcd", "gcd"),
        ("HumanEval/half", "half"),
    ],
)
def test_a_bug_is_found_by_the_names_that_others_have_for_it(benchmark: Benchmark, name: str, bug: str) -> None:
    assert BugIndex(benchmark).find(name).id == bug


@pytest.mark.parametrize("name", ["Csv-5", "Csv", "4", "", "Csv-44", "xCsv-4", "other-Csv-4"])
def test_other_names_find_nothing(benchmark: Benchmark, name: str) -> None:
    with pytest.raises(UserError, match="unknown bug of tiny"):
        BugIndex(benchmark).find(name)


def test_a_fix_is_found_by_its_commit(benchmark: Benchmark) -> None:
    index = BugIndex(benchmark)
    assert index.of_commit(COMMIT).id == index.of_commit(COMMIT[:8].upper()).id == "half"
    with pytest.raises(UserError, match="unknown commit"):
        index.of_commit("0" * 40)


def test_a_name_that_may_mean_several_bugs_is_refused(mixed: Path) -> None:
    shutil.copytree(mixed / "bugs/gcd", mixed / "bugs/Gcd")
    with pytest.raises(UserError, match="may mean any of Gcd, gcd"):
        BugIndex(open_benchmark(mixed)).find("GCD")
