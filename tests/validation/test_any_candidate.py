"""Whatever a file of candidates holds, each line ends in a candidate or a message, and each candidate in a text or a UserError."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.diff import apply_edits, edits_of_patch
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.text import Span
from repairlab.formats.table import FORMATS
from repairlab.study.external_candidates import read_external_candidates
from repairlab.validation.apply import LARGEST_GROWTH, MOST_EDITS, changed_files, normal_digest
from tests import builders
from tests.conftest import write_tiny

LINES = tuple(name for name in FORMATS if name not in ("npr4j-results", "swebench-report", "defects4c"))
ODD = [
    "\ud800",
    "\udfff",
    "\0",
    "\r\n",
    "\ufeff",
    "\x85",
    "é",
    "e\u0301",
    "😀",
    "\\",
    "/",
    "..",
    ".git",
    "main.py",
    "MAIN.PY",
    "shop",
    "a" * 300,
]
TEXTS = st.text(st.characters(codec=None), max_size=30) | st.lists(st.sampled_from(ODD), max_size=8).map("".join)
PATHS = TEXTS | st.sampled_from(
    [
        *(
            "main.py",
            "main.py/x",
            "shop",
            "shop/cart.py",
            "shop/cart.py/x",
            "Shop/cart.py",
            "shop/CART.py",
            "new.py",
            "a/" * 400 + "b",
        ),
        *(
            "x" * 5000,
            "é" * 200,
            "loop/x",
            "loop",
            "link/x",
            "con",
            "a\nb",
            " ",
            "-",
            "~",
            "tests/test_cart.py",
            "conftest.py",
            "a:b",
        ),
    ]
)
NUMBERS = st.integers() | st.sampled_from([0, 1, -1, 2**31, 2**63, 2**64, 10**30, 10**400]) | st.floats() | st.booleans()
SPANS = st.fixed_dictionaries({}, optional={"start": NUMBERS, "end": NUMBERS, "more": NUMBERS}) | st.none()
DIFF = st.lists(
    st.sampled_from(
        [
            "--- a/main.py",
            "+++ b/main.py",
            "@@ -1 +1 @@",
            "@@ -1,3 +1,3 @@",
            "@@ -0,0 +1 @@",
            "+x",
            "-x",
            " def total(numbers):",
            "",
        ]
    )
    | st.builds("--- a/{}".format, PATHS)
    | st.builds("+++ b/{}".format, PATHS)
    | st.builds("@@ -{},{} +{} @@".format, NUMBERS, NUMBERS, NUMBERS)
    | TEXTS,
    max_size=12,
).map("\n".join)
VALUES = st.recursive(
    st.none() | NUMBERS | TEXTS | DIFF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["sum", "shop", "SUM", "tiny/sum", "java-" * 2000 + "sum", "x" * 10_000]) | TEXTS
EDITS = st.lists(st.fixed_dictionaries({"path": PATHS, "text": TEXTS | st.none()}, optional={"span": SPANS}), max_size=4)
KEYS = st.sampled_from(
    [
        *(
            "bug",
            "function",
            "file",
            "patch",
            "edits",
            "answer",
            "origin",
            "verdict",
            "problem",
            "model",
            "instance_id",
            "model_patch",
        ),
        *(
            "task_id",
            "solution",
            "completion",
            "identifier",
            "generation",
            "evaluation",
            "patches",
            "src_id",
            "generations",
            "config",
        ),
        *("data", "input", "output", "sum"),
    ]
)
RECORDS = (
    st.fixed_dictionaries({"bug": NAMES, "edits": EDITS})
    | st.fixed_dictionaries({"bug": NAMES, "patch": DIFF})
    | st.fixed_dictionaries({"bug": NAMES, "function": TEXTS})
    | st.fixed_dictionaries({"instance_id": NAMES, "model_patch": DIFF})
    | st.dictionaries(KEYS | TEXTS, VALUES | NAMES, max_size=5)
    | VALUES
)


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Return the tiny benchmark, with links among its files."""
    opened = open_benchmark(str(write_tiny(tmp_path_factory.mktemp("any") / "tiny")))
    for bug in opened:
        Path(bug.tree.source, "loop").symlink_to("loop")
        Path(bug.tree.source, "link").symlink_to("/")
    return opened


def try_out(candidate: Candidate, bug: Bug) -> None:
    """Do all that is done with a candidate before anything runs."""
    for verb in (changed_files, normal_digest):
        try:
            verb(candidate, bug)
        except UserError as error:
            str(error).encode()  # a message can be shown


@pytest.mark.parametrize("name", LINES)
@settings(max_examples=150)
@given(records=st.lists(RECORDS, min_size=1, max_size=3), whole=st.booleans())
@example(records=[{"bug": "sum", "edits": [{"path": "\ud800.py", "text": "x"}]}], whole=False)
@example(records=[{"bug": "sum", "edits": [{"path": "x/" * 3000 + "y", "text": "x"}]}], whole=False)
@example(records=[{"bug": "sum", "patch": "--- a/\0\n+++ b/\0\n@@ -1 +1 @@\n-x\n+y\n"}], whole=False)
@example(records=[{"bug": "sum", "patch": f"--- a/{'x' * 5000}\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n"}], whole=False)
@example(records=[{"bug": "sum", "patch": "--- a/loop\n+++ b/loop\n@@ -1 +1 @@\n-x\n+y\n"}], whole=False)
def test_any_record_is_read_or_named(
    benchmark: Benchmark, tmp_path_factory: pytest.TempPathFactory, name: str, records: list[Any], whole: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text(json.dumps(records) if whole else "\n".join(map(json.dumps, records)))
    try:
        read = read_external_candidates(path, benchmark, name)
    except (UserError, HarnessError) as error:
        str(error).encode()
        return
    for message in read.errors:
        message.encode()
    for bug, candidates in read.candidates.items():
        for candidate in candidates:
            try_out(candidate, benchmark.bug(bug))


@pytest.mark.parametrize("depth", [100, 500, *range(900, 1000, 10)])
@pytest.mark.parametrize(
    "line", ['{{"bug": {}, "file": "x"}}', '{{"bug": "sum", "edits": {}}}', '{{"bug": "sum", "file": "", "origin": {}}}']
)
def test_deep_nesting_is_named(benchmark: Benchmark, tmp_path: Path, line: str, depth: int) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text(line.format("[" * depth + "]" * depth) + '\n{"bug": "sum", "file": "x"}\n')
    assert len(read_external_candidates(path, benchmark).errors) == 1


@settings(max_examples=300)
@given(
    edits=st.lists(
        st.builds(
            lambda path, text, start, size: Edit(
                path=path, text=text, span=None if start is None else Span(start=start, end=start + size)
            ),
            PATHS,
            TEXTS | st.none(),
            st.none() | st.integers(0, 250) | st.just(2**70),
            st.integers(0, 5) | st.just(2**70),
        ),
        max_size=6,
    )
)
def test_any_edits_apply_or_say_why_not(benchmark: Benchmark, edits: list[Edit]) -> None:
    bug = benchmark.bug("sum")
    try_out(builders.candidate(bug, *edits), bug)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("\ud800.py", "half of a surrogate pair"),
        ("x/" * 3000 + "y", "has 6001 bytes"),
        ("shop/cart.py/x", "which is a file"),
        ("shop", "is a folder"),
        ("loop/x", "symbolic link"),
        ("link/etc/x", "symbolic link"),
        ("Shop/new.py", "case does not count"),
        ("shop/CART.py", "case does not count"),
        ("a\nb", "is not a path inside the tree"),
    ],
)
def test_a_path_that_cannot_be_is_unapplicable(benchmark: Benchmark, path: str, message: str) -> None:
    bug = benchmark.bug("shop")
    with pytest.raises(UserError, match=message):
        changed_files(builders.candidate(bug, Edit(path=path, text="")), bug)


def test_files_of_a_candidate_that_clash_are_refused(benchmark: Benchmark) -> None:
    bug = benchmark.bug("shop")
    for paths, message in [(("a", "a/b"), "both a file and a folder"), (("a/B", "a/b"), "case does not count")]:
        edits = tuple(Edit(path=path, text="") for path in paths)
        with pytest.raises(UserError, match=message):
            changed_files(builders.candidate(bug, *edits), bug)


def test_a_candidate_is_bounded(benchmark: Benchmark) -> None:
    bug = benchmark.bug("sum")
    inserted = [Edit(path="main.py", text="#" if at else "x", span=Span(start=0, end=0)) for at in range(MOST_EDITS)]
    origin = Origin(repairer="test")
    assert (
        len(changed_files(Candidate(bug_id="sum", edits=tuple(inserted), rank=1, origin=origin), bug)["main.py"] or "") > MOST_EDITS
    )
    for edits, message in [
        ((*inserted, inserted[0]), "edits; no more"),
        ((Edit(path="main.py", text="#" * 2 * LARGEST_GROWTH),), "of new text"),
    ]:
        with pytest.raises(UserError, match=message):
            changed_files(Candidate(bug_id="sum", edits=edits, rank=1, origin=origin), bug)


def test_many_edits_and_hunks_take_one_walk_through_the_file() -> None:
    """Each one used to copy or search all of the file: minutes."""
    n = 40_000
    source = "same\n" * n
    edits = [Edit(path="x", text="other", span=Span(start=5 * at, end=5 * at + 4)) for at in range(n)]
    assert apply_edits(edits, {"x": source}) == {"x": "other\n" * n}
    files = {f"{at}": "" for at in range(n)}
    assert len(apply_edits([Edit(path=path, text="", span=Span(start=0, end=0)) for path in files], files)) == n
    patch = "--- a/x\n+++ b/x\n" + "".join(f"@@ -{at + 1} +{at + 1} @@\n-same\n+other\n" for at in range(n))
    assert apply_edits(edits_of_patch(patch, {"x": source}), {"x": source}) == {"x": "other\n" * n}
    blank = "\n" * n
    with pytest.raises(UserError, match="does not match"):
        edits_of_patch(f"--- a/x\n+++ b/x\n@@ -1,{n // 2 + 1} +0,0 @@\n" + "-\n" * (n // 2) + "-x\n", {"x": blank})


def test_a_path_of_a_tree_elsewhere_is_not_read(benchmark: Benchmark, tmp_path: Path) -> None:
    bug = benchmark.bug("sum")
    (tmp_path / "x").write_text("secret")
    candidate = builders.candidate("sum", Edit(path=str(tmp_path / "x"), text="", span=Span(start=0, end=1)))
    with pytest.raises(UserError, match="inside the tree"):
        changed_files(candidate, bug)
