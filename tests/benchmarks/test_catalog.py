import dataclasses
import os
import pickle
import shutil
import zlib
from pathlib import Path

import pytest

from repairlab.benchmarks.bug_files import state_of
from repairlab.benchmarks.catalog import FILE, MOST_KEPT, SETTLED_S, Benchmark, open_benchmark
from repairlab.core.bug import Bug, Case
from repairlab.core.errors import HarnessError, UserError


def bugs_of(folder: Path, cache: Path, *, settled_s: float = -1.0) -> Benchmark:
    return Benchmark(folder, cache, settled_s=settled_s)


def read(folder: Path, cache: Path, name: str) -> Bug:
    """Return a bug, from the index if that has it."""
    return bugs_of(folder, cache).bug(name)


def indexed(folder: Path, cache: Path, name: str) -> Bug | None:
    """Return a bug as the index has it; none when its folder must be read again."""
    bugs = bugs_of(folder, cache)
    return bugs._look_up(bugs._key(bugs._folders[name]), bugs._folders[name], state_of(bugs._folders[name]))


def test_a_bug_that_was_read_comes_from_the_index_and_is_the_same(tiny: Path, tmp_path: Path) -> None:
    for name in ("sum", "shop"):
        first = read(tiny, tmp_path, name)
        known = indexed(tiny, tmp_path, name)
        assert known is not None and known == first and known.digest == first.digest
        assert list(known.problem.context) == list(first.problem.context)


@pytest.mark.parametrize(
    "path", ["bug.toml", "issue.md", "fix.patch", "buggy/shop/__init__.py", "buggy/shop/cart.py", "buggy/new.py"]
)
def test_any_file_that_changed_has_the_bug_read_again(tiny: Path, tmp_path: Path, path: str) -> None:
    before = read(tiny, tmp_path, "shop").digest
    file = tiny / "bugs/shop" / path
    text = file.read_text() if file.exists() else ""
    file.write_text(text + "\n")
    assert indexed(tiny, tmp_path, "shop") is None
    found = read(tiny, tmp_path, "shop")
    assert found == open_benchmark(str(tiny)).bug("shop")
    assert (found.digest == before) == (path in ("bug.toml", "issue.md", "fix.patch"))


def test_a_file_of_the_same_size_and_time_is_noticed(tiny: Path, tmp_path: Path) -> None:
    file = tiny / "bugs/shop/issue.md"
    before, times = read(tiny, tmp_path, "shop"), file.stat()
    file.write_text(file.read_text().replace("Total", "Totul"))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (before.problem.title, read(tiny, tmp_path, "shop").problem.title) == (
        "Total ignores the last item",
        "Totul ignores the last item",
    )


def test_a_bug_that_changed_a_moment_ago_is_not_kept(tiny: Path, tmp_path: Path) -> None:
    bugs = bugs_of(tiny, tmp_path, settled_s=SETTLED_S)
    assert bugs[0].id == "shop"
    assert indexed(tiny, tmp_path, "shop") is None


def test_a_damaged_index_costs_time_and_nothing_else(tiny: Path, tmp_path: Path) -> None:
    before = read(tiny, tmp_path, "shop")
    for content in (b"", b"no database", (tmp_path / FILE).read_bytes()[:5000]):
        (tmp_path / FILE).write_bytes(content)
        assert read(tiny, tmp_path, "shop") == before


def test_a_tree_that_changes_under_an_open_benchmark_is_an_error(tiny: Path) -> None:
    bug = open_benchmark(str(tiny)).bug("shop")
    (tiny / "bugs/shop/buggy/shop/__init__.py").write_text("changed = True\n")
    with pytest.raises(HarnessError, match="has changed since its benchmark was opened"):
        list(bug.problem.context)
    shutil.rmtree(tiny)
    with pytest.raises(HarnessError, match="has changed since its benchmark was opened"):
        list(bug.problem.context)


def test_a_bug_behind_links_is_read_each_time(tiny: Path, tmp_path: Path) -> None:
    (tiny / "bugs/sum/cases").rename(tmp_path / "cases")
    (tiny / "bugs/sum/cases").symlink_to(tmp_path / "cases")
    before = read(tiny, tmp_path, "sum").digest
    (tmp_path / "cases/01.in").write_text("2 1\n")
    assert read(tiny, tmp_path, "sum").digest != before


def test_a_bug_that_vanished_or_lost_a_file_is_named(tiny: Path, tmp_path: Path) -> None:
    bugs = bugs_of(tiny, tmp_path)
    (tiny / "bugs/shop/fix.patch").unlink()
    with pytest.raises(UserError, match=r"shop/fix\.patch is missing"):
        bugs[0]
    (tiny / "bugs/shop").rename(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"shop/bug\.toml is missing"):
        bugs[0]


def test_only_the_bugs_asked_for_are_read(tiny: Path) -> None:
    (tiny / "bugs/sum/bug.toml").write_text("broken")
    benchmark = open_benchmark(str(tiny))
    assert benchmark.ids == ("shop", "sum") and len(benchmark) == 2
    assert [bug.id for bug in benchmark.select(("sh*",))] == ["shop"]
    with pytest.raises(UserError, match="not valid TOML"):
        benchmark.digest  # noqa: B018


def test_a_bug_that_was_asked_for_is_kept_and_the_digest_reads_none(tiny: Path, tmp_path: Path) -> None:
    bugs = bugs_of(tiny, tmp_path)
    assert bugs[0] is bugs[0]
    assert bugs.digest == bugs_of(tiny, tmp_path).digest
    (tiny / "bugs/shop/fix.patch").write_text("broken")
    kept = bugs[0]
    again = Benchmark(tiny, tmp_path)
    again._kept["shop"] = kept
    assert again.digest == bugs.digest, "of bugs that are kept, and of entries of the index"


def test_memory_holds_the_last_bugs_alone(tiny: Path, tmp_path: Path) -> None:
    for number in range(MOST_KEPT):
        shutil.copytree(tiny / "bugs/sum", tiny / f"bugs/sum-{number}")
    bugs = bugs_of(tiny, tmp_path)
    first, second = bugs[0], bugs[1]
    assert len(list(bugs[2:])) == MOST_KEPT
    assert bugs[MOST_KEPT + 1] is bugs[MOST_KEPT + 1]
    assert bugs[0] is not first and bugs[1] is not second
    assert (bugs[0], bugs[1]) == (first, second)


def test_equal_bugs_read_from_two_places_are_equal(tiny: Path, tmp_path: Path) -> None:
    assert list(bugs_of(tiny, tmp_path)) == list(bugs_of(tiny, tmp_path))


def test_benchmarks_and_bugs_can_be_sent_to_other_processes(tiny: Path) -> None:
    benchmark = open_benchmark(str(tiny))
    assert list(pickle.loads(pickle.dumps(benchmark))) == list(benchmark)
    bug = benchmark.bug("shop")
    assert pickle.loads(pickle.dumps(bug)).digest == bug.digest


@pytest.fixture
def read_paths(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return what lists the files that are read from now on."""
    paths: list[Path] = []
    read_bytes = Path.read_bytes

    def listed(path: Path) -> bytes:
        paths.append(path)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", listed)
    return paths


def test_opening_and_listing_reads_no_case(tiny: Path, tmp_path: Path, read_paths: list[Path]) -> None:
    first = read(tiny, tmp_path, "sum").digest
    read_paths.clear()
    bug = indexed(tiny, tmp_path, "sum")
    assert bug is not None
    assert (len(bug.oracle.cases), bug.oracle.case_ids, bug.digest) == (2, ("01", "02"), first)
    assert not [path for path in read_paths if path.suffix in (".in", ".out")]


def test_the_index_holds_no_text_of_a_case(tiny: Path, tmp_path: Path) -> None:
    (tiny / "bugs/sum/cases/01.in").write_text("1 2 98765\n")
    read(tiny, tmp_path, "sum")
    ((value,),) = bugs_of(tiny, tmp_path)._database.rows("SELECT value FROM bugs")
    assert b'"01"' in zlib.decompress(value) and b"98765" not in zlib.decompress(value)


def test_a_bug_with_cases_on_disk_has_the_digest_of_one_that_holds_them(tiny: Path, tmp_path: Path) -> None:
    cases = (Case(id="01", input="1 2\n", expected="3\n"), Case(id="02", input="5\n", expected="5\n"))
    for bug in (read(tiny, tmp_path, "sum"), indexed(tiny, tmp_path, "sum")):
        assert bug is not None
        held = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=cases))
        assert bug.digest == held.digest
        assert bug == held and held == bug


@pytest.mark.parametrize(("path", "text"), [("01.in", "1 3\n"), ("02.out", "6\n"), ("03.in", "1\n")])
def test_a_case_that_changed_between_two_openings_is_seen(tiny: Path, tmp_path: Path, path: str, text: str) -> None:
    before = read(tiny, tmp_path, "sum")
    list(before.oracle.cases)
    file = tiny / "bugs/sum/cases" / path
    times = file.stat() if file.exists() else None
    file.write_text(text)
    if times:
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    else:
        file.with_suffix(".out").write_text("1\n")
    after = read(tiny, tmp_path, "sum")
    assert after.digest != before.digest
    assert text in [text for case in after.oracle.cases for text in (case.input, case.expected)]


def test_an_excluded_case_is_left_out_of_the_index_too(tiny: Path, tmp_path: Path) -> None:
    toml = tiny / "bugs/sum/bug.toml"
    toml.write_text(toml.read_text().replace('framework = "stdio"', 'framework = "stdio"\nexcluded = ["01"]'))
    for bug in (read(tiny, tmp_path, "sum"), indexed(tiny, tmp_path, "sum")):
        assert bug is not None and bug.oracle.case_ids == ("02",)


def test_bugs_are_found_with_and_without_the_name_of_their_benchmark(tiny: Path) -> None:
    benchmark = open_benchmark(tiny)
    shop, total = benchmark
    assert benchmark.bug("sum") is benchmark.bug("tiny/sum") is total
    assert benchmark.select() == (shop, total)
    assert benchmark.select(("tiny/s*",), limit=1) == (shop,)
    assert benchmark.select(("sum", "sh*")) == (shop, total)


@pytest.mark.parametrize(
    ("patterns", "limit", "message"),
    [(("smu",), None, "unknown bug of tiny 'smu'"), (("sum", "f*"), None, r"'f\*'"), ((), 0, "--limit is 0")],
)
def test_what_matches_nothing_does_not_shrink_a_run(tiny: Path, patterns: tuple[str, ...], limit: int | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        open_benchmark(tiny).select(patterns, limit=limit)


def test_an_unknown_bug_is_an_error(tiny: Path) -> None:
    with pytest.raises(UserError, match=r"unknown bug of tiny 'smu'.*sum"):
        open_benchmark(tiny).bug("smu")


def test_a_part_has_the_digest_of_the_whole_and_shares_its_bugs(tiny: Path) -> None:
    benchmark = open_benchmark(tiny)
    part = benchmark.filter("su*")[:1]
    assert part.whole is benchmark and part.digest == benchmark.digest
    assert part.ids == ("sum",) and part[0] is benchmark["sum"] and part.select() == (benchmark["sum"],)
    with pytest.raises(UserError, match="unknown bug of tiny 'shop'"):
        part["shop"]
