"""What `repairlab locate` prints, and what it refuses."""

import json
from pathlib import Path

import pytest

from repairlab.cli.main import run


def located(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(["locate", *arguments]) == code
    captured = capsys.readouterr()
    return captured.out if code == 0 else captured.err


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path))


def test_the_places_of_one_bug(capsys: pytest.CaptureFixture[str]) -> None:
    out = located(capsys, "starter", "go-booking-merge", "-j", "1")
    assert "calendar/merge.go:24" in out and "Merge" in out and "6 of 6 tests were run, 2 failed" in out
    found = json.loads(located(capsys, "starter", "go-booking-merge", "--metric", "dstar", "--json"))
    assert (found["metric"], found["lines"][0]["line"], found["lines"][0]["rank"]) == ("dstar", 24, 1.5)


def test_the_scores_of_a_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("starter", "-i", "c-b*", "-i", "c-roman*", "-j", "1")
    assert "1 of 2 bugs located" in located(capsys, *arguments)
    found = json.loads(located(capsys, *arguments, "--metric", "ochiai", "--json"))
    assert [(result["level"], len(result["ranks"])) for result in found["results"]] == [("line", 1), ("function", 1)]
    assert [bool(bug["problem"]) for bug in found["bugs"]] == [False, True]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("starter", "--metric", "ochai"), "Did you mean 'ochiai'?"),
        (("starter", "go-booking-merg"), "Did you mean 'go-booking-merge'?"),
        (("starter", "go-booking-merge", "--limit", "3"), "leave one of them out"),
        (("starter", "c-roman-no-build"), "does not build"),
        (("starter", "--limit", "0"), "--limit"),
        (("nowhere",), "nowhere"),
    ],
)
def test_wrong_input_is_explained(arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in located(capsys, *arguments, code=2)
