"""Parts by name: ours and those of others, loaded when asked for, and what is told of those that do not work."""

from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.registry import BUILT_IN, KINDS, PartError, Parts, lacking, parts_of
from tests.test_architecture import loaded_by
from tests.test_outside_package import write_dist_info


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parts[str]:
    """Return a kind with a part of ours, and two packages that bring others."""
    (tmp_path / "brought_parts.py").write_text("FINE = 'mine'\nNONE = 3\n")
    write_dist_info(tmp_path, "one", "1.0", {"repairlab.things": {"fine": "brought_parts:FINE", "bad": "brought_parts:NONE"}})
    write_dist_info(tmp_path, "two", "2.0", {"repairlab.things": {"ours": "brought_parts:FINE", "absent": "no_such_module"}})
    monkeypatch.syspath_prepend(tmp_path)
    return Parts("things", "thing", {"ours": "repairlab.core.record:SCHEMA_VERSION.real.__doc__"}, check=lacking("upper"))


def test_parts_of_others_are_found_behind_ours(parts: Parts[str]) -> None:
    assert list(parts) == ["ours", "absent", "bad", "fine"]
    assert (parts["fine"], len(parts), "fine" in parts, "none" in parts) == ("mine", 4, True, False)
    assert [(part.name, part.source) for part in parts.of_others()] == [
        ("absent", "two 2.0"),
        ("bad", "one 1.0"),
        ("fine", "one 1.0"),
    ]
    assert [name for name, _ in parts.working()] == ["ours", "fine"]


def test_what_does_not_work_is_told_by_name_and_source(parts: Parts[str]) -> None:
    with pytest.raises(PartError, match=r"the thing bad of one 1.0 \(brought_parts:NONE\) cannot be used: it has no 'upper'"):
        parts["bad"]
    with pytest.raises(PartError, match=r"the thing absent of two 2.0 .*ModuleNotFoundError: No module named 'no_such_module'"):
        parts["absent"]
    with pytest.raises(UserError, match=r"unknown thing 'fien'.*Did you mean 'fine'"):
        parts["fien"]
    assert (parts.about("bad"), parts.about("ours")) == ("", (parts["ours"].__doc__ or "").partition("\n")[0].removesuffix("."))


def test_ours_win_and_the_clash_is_reported(parts: Parts[str]) -> None:
    problems = [(item.part.name, item.part.source, item.problem) for item in parts.findings()]
    assert ("ours", BUILT_IN, "") in problems
    assert ("ours", "two 2.0", "never used: a thing that is built in has the same name") in problems
    assert len(problems) == 5


def test_a_mistake_of_our_own_is_not_hidden() -> None:
    with pytest.raises(ModuleNotFoundError):
        Parts[object]("things", "thing", {"ours": "no_such_module"}, check=lacking())["ours"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_of_ours_loads_and_says_what_it_is(kind: str) -> None:
    findings = list(parts_of(kind).findings())
    assert findings
    assert [item.part.name for item in findings if item.problem or not item.about] == []
    assert parts_of(kind).group == f"repairlab.{kind}"


def test_an_unknown_kind_is_told() -> None:
    with pytest.raises(UserError, match=r"unknown kind of part 'language'.*Did you mean 'languages'"):
        parts_of("language")


def test_names_are_known_without_loading_a_part() -> None:
    modules = loaded_by("from repairlab.repairers.table import names; print(*names())")
    assert "repairlab.registry" in modules
    assert not [
        name for name in modules if name.startswith(("repairlab.repairers.llm", "repairlab.repairers.templates", "tree_sitter"))
    ]
