import importlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import ALIASES, GROUPS, VERBS, run
from repairlab.core.errors import Interrupted
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import Sandbox


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    """Run a command, check its exit code and return what it printed."""
    assert run(list(arguments)) == code, capsys.readouterr().err
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_answers_help_with_the_text_of_the_table(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, verb, "--help")
    assert VERBS[verb] in " ".join(out.split())


def test_help_lists_at_most_30_verbs_in_five_groups_with_short_texts(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "--help")[0].splitlines()
    assert [line[:-1] for line in lines if line.endswith(":")] == list(GROUPS)
    assert [line.split()[0] for line in lines if line.startswith("  ")] == list(VERBS)
    assert len(GROUPS) == 5 and len(VERBS) <= 30 and max(map(len, lines)) <= 80
    assert not ALIASES.keys() & VERBS.keys()


@pytest.mark.parametrize("old", ALIASES)
def test_an_old_verb_names_the_new_form_and_does_the_same(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    form = ALIASES[old]
    for arguments in (["--help"], ["--wrokers", "3"]):
        code = 0 if arguments == ["--help"] else 2
        out, err = said(capsys, old, *arguments, code=code)
        note, _, rest = err.partition("\n")
        assert note == f"repairlab {old} is now: repairlab {' '.join(form)} (the next release drops the old name)"
        assert (out, rest) == said(capsys, *form, *arguments, code=code)


def test_help_shows_arguments_values_and_defaults_in_one_form(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in VERBS:
        usage, _, text = said(capsys, verb, "--help-all")[0].partition("\n")
        assert re.search(r"[{}]|\[[a-z]|\.{4}", usage) is None, usage
        options = " ".join(text.partition("Options:")[2].split())
        assert re.findall(r".{30}(?:<|; by default|\(default|\[default: [^\]]*\]\.|[^.)] \[default|\[x>=)", options) == []


def test_help_explains_all_options_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    short, whole = (said(capsys, "run", option)[0] for option in ("--help", "--help-all"))
    flags = re.findall(r"--[a-z][a-z-]+", whole)
    assert [flag for flag in flags if flag not in short] == [], "each is at least named"
    assert len(short.splitlines()) < 70 and len(whole.splitlines()) > 150
    assert "--temperature X" in whole and "--temperature X" not in short
    assert said(capsys, "list", "--help") == said(capsys, "list", "--help-all")


def test_a_verb_answers_the_short_option_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "list", "-h") == said(capsys, "list", "--help")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_no_file_takes_the_place_of_a_stream_that_was_closed(closed: str) -> None:
    """Else what is printed, by us or by a child, would go to a cache."""
    code = "import os, sys; from repairlab.cli.main import open_closed_streams; open_closed_streams(); os._exit(os.open('/', 0))"
    assert subprocess.run(["/bin/sh", "-c", f'"{sys.executable}" -c "{code}" {closed}'], check=False).returncode > 2


def test_help_and_version_answer() -> None:
    for arguments in (["--help"], []):
        done = subprocess.run([sys.executable, "-m", "repairlab", *arguments], capture_output=True, text=True, check=True)
        assert all(verb in done.stdout for verb in VERBS)
    assert subprocess.run([sys.executable, "-m", "repairlab", "--version"], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rum"], "unknown verb 'rum'"),
        (["--fast"], "unknown option '--fast'"),
        (["list", "startr"], "Did you mean 'starter'"),
        (["list", "starter/none"], "unknown bug of starter 'none'"),
        (["run", "starter", "--repairer", "templatse"], "Did you mean 'templates'"),
        (["run", "starter"], "no repairer is named"),
        (["run"], "no benchmark is named"),
        (["run", "starter", "--repairer", "copy", "-k", "one"], "whole numbers separated by commas"),
        (["run", "starter", "--repairer", "copy", "-j", "0"], "at least 1 worker"),
        (["run", "starter", "--repairer", "copy", "-i", "cobol-*"], "unknown bug of starter 'cobol-*'"),
        (["run", "starter", "--repairer", "copy", "--sandbox", "magic"], "unknown sandbox 'magic'"),
        (["list", "starter/c-lap-time-mean", "--limit", "2"], "is one bug"),
        (["list", "--about"], "need a benchmark"),
        (["doctor", "starter"], "repairlab doctor --try starter"),
        (["doctor", "--parts", "--try"], "choose one"),
        (["doctor", "--agents", "--parts"], "--parts and --agents are both given"),
        (["doctor", "--parts", "sandbxes"], "Did you mean 'sandboxes'"),
        (["doctor", "--try"], "--try needs a part"),
        (["doctor", "--sandbox", "docker"], "--sandbox goes with --try only"),
        (["report", "r", "--only", "t", "--format", "csv"], "--only, --format goes with --tables only"),
        (["report", "r", "--tables", "-k", "1"], "-k goes with the HTML report"),
        (["publish", "starter", "--strategy", "s"], "--strategy goes with --task only"),
        (["publish", "--task", "--to", "x"], "--task needs a benchmark"),
        (["publish", "starter", "other", "--task", "--to", "x"], "leave other out"),
        (["publish", "starter", "--harbor", "x", "--format", "clm"], "--format has no use for --harbor"),
        (["publish", "starter", "other", "--to", "x"], "candidates need --format"),
        (["score", "--compare", "r"], "only one run is given"),
        (["score", "--compare", "a", "b", "-k", "1,5"], "a comparison is at one k"),
        (["run", "--resume", "nowhere"], "no run folder"),
        (["score", "nowhere"], "no run folder"),
        (["work", "test", "-w", "/"], "no working copy"),
        (["list", "starter", "--limit", "0"], "at least 1 bug"),
        (["run", "starter", "--repairer", "copy", "--limit", "-1"], "at least 1 bug"),
        (["check", "starter", "--repeat", "0"], "needs at least 1"),
        (["check", "starter", "--resume"], "--resume needs --card FILE"),
        (["work", "checkout", "starter/c-lap-time-mean", "/etc/passwd"], "not an empty folder"),
        (["run", "--experiment", "/"], "cannot read the experiment file"),
        (["run", "starter", "--repairer", "copy", "--isolation", "wram"], "Did you mean 'warm'"),
        (["run", "starter", "--repairer", "copy", "--confirm", "-1"], "how often a failing test is run again"),
        (["run", "starter", "--repairer", "copy", "--recheck", "-1"], "--recheck is -1"),
    ],
)
def test_bad_input_is_one_clear_message_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, err = said(capsys, *arguments, code=2)
    assert message in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_flag_of_a_verb_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--wrokers" in said(capsys, "list", "--wrokers", "3", code=2)[1]


def test_list_prints_benchmarks_their_bugs_and_one_bug(capsys: pytest.CaptureFixture[str], tiny: Path) -> None:
    assert "starter" in said(capsys, "list")[0]
    assert json.loads(said(capsys, "list", "--json")[0])[0]["name"] == "starter"
    counted = said(capsys, "list", "starter", "--limit", "1")[0]
    assert "location" in counted and "domain" not in counted, "a label that no bug has is left out"
    assert [bug["id"] for bug in json.loads(said(capsys, "list", str(tiny), "--json")[0])] == ["shop", "sum"]
    assert "Sum is one too large" in said(capsys, "list", str(tiny))[0]
    assert json.loads(said(capsys, "list", str(tiny), "--about", "--json")[0])["n_bugs"] == 2
    assert "2 bugs" in said(capsys, "list", str(tiny), "--about")[0]
    assert "printed as 4" in said(capsys, "list", f"{tiny}/sum")[0]
    assert json.loads(said(capsys, "list", f"{tiny}/sum", "--json")[0])["properties"]["tests.all"] == ["01", "02"]


def test_work_checks_out_compiles_tests_and_exports_as_in_defects4j(
    capsys: pytest.CaptureFixture[str], tiny: Path, tmp_path: Path, sandbox: Sandbox
) -> None:
    copy = tmp_path / "copy"
    said(capsys, "work", "checkout", f"{tiny}/shop", str(copy))
    said(capsys, "work", "compile", "-w", str(copy))
    out, _ = said(capsys, "work", "test", "-w", str(copy), code=1)
    assert out == "Failing tests: 1\n  - tests/test_cart.py::test_total\n"
    assert (copy / "failing_tests").read_text().startswith("--- tests/test_cart.py::test_total\n")
    assert said(capsys, "work", "test", "-w", str(copy), "-t", "tests/test_cart.py::test_empty")[0] == "Failing tests: 0\n"
    assert "unknown test of shop" in said(capsys, "work", "test", "-w", str(copy), "-t", "test_none", code=2)[1]
    assert said(capsys, "work", "export", "-w", str(copy / "shop"), "-p", "tests.trigger")[0] == "tests/test_cart.py::test_total\n"
    said(capsys, "work", "export", "-w", str(copy), "-p", "classes.modified", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out").read_text() == "shop/cart.py\n"
    assert "unknown property" in said(capsys, "work", "export", "-w", str(copy), "-p", "tests.triger", code=2)[1]
    assert "not an empty folder" in said(capsys, "work", "checkout", f"{tiny}/shop", str(copy), code=2)[1]
    (copy / "shop" / "cart.py").write_text("class Cart(:\n")
    assert "failed" in said(capsys, "work", "compile", "-w", str(copy), code=1)[1]
    assert json.loads(said(capsys, "work", "test", "-w", str(copy), "--json", code=1)[0])["build_error"]


def test_a_fixed_working_copy_passes_and_one_without_tests_has_none(
    capsys: pytest.CaptureFixture[str], tiny: Path, tmp_path: Path, sandbox: Sandbox
) -> None:
    said(capsys, "work", "checkout", f"{tiny}/sum", str(tmp_path / "fixed"), "--fixed")
    assert said(capsys, "work", "test", "-w", str(tmp_path / "fixed"), "-r")[0] == "Failing tests: 0\n"
    said(capsys, "work", "checkout", f"{tiny}/shop", str(tmp_path / "bare"), "--no-tests")
    assert not list((tmp_path / "bare").rglob("test_*.py"))


def test_check_tells_healthy_from_sick(capsys: pytest.CaptureFixture[str], tiny: Path, sandbox: Sandbox) -> None:
    assert "2 of 2 bugs healthy" in said(capsys, "check", str(tiny), "-j", "2")[0]
    (tiny / "bugs/sum/cases/02.out").write_text("7\n")
    assert json.loads(said(capsys, "check", str(tiny), "-i", "sum", "--json", code=1)[0])["n_healthy"] == 0


@pytest.mark.parametrize("verb", [["audit"], ["publish", "--no-parquet", "--to", "out"]], ids=["audit", "publish"])
def test_the_command_that_makes_a_health_card_works_when_it_is_pasted(
    capsys: pytest.CaptureFixture[str],
    tiny: Path,
    sandbox: Sandbox,
    verb: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    tiny = tiny.rename(tmp_path / "my bench")
    command = said(capsys, verb[0], tiny.name, *verb[1:])[1].split("Make one with: ")[1].splitlines()[0].partition(";")[0]
    assert shlex.split(command) == ["repairlab", "check", "my bench"], "on one line"
    said(capsys, *shlex.split(command)[1:])
    verb = [*verb[:-1], "again"] if "--to" in verb else verb
    assert "health card" not in said(capsys, verb[0], tiny.name, *verb[1:])[1]


def test_a_built_in_benchmark_has_its_health_card_elsewhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = " ".join(said(capsys, "audit", "starter")[1].split())
    check, audit = told.split("Make one with: ")[1].split(" && ")
    said(capsys, *shlex.split(check)[1:], "-i", "python-version-order", "--no-counter-tests")
    out = said(capsys, *shlex.split(audit)[1:])[0]
    assert "75 warnings" in out, "of one bug the card knows"


def test_a_check_of_a_part_leaves_the_health_card_of_the_whole(
    capsys: pytest.CaptureFixture[str], tiny: Path, sandbox: Sandbox
) -> None:
    said(capsys, "check", str(tiny), "--no-counter-tests")
    whole = (tiny / "health.json").read_text()
    said(capsys, "check", str(tiny), "--no-counter-tests", "-i", "sum")
    assert (tiny / "health.json").read_text() == whole


def test_a_bug_is_described_with_the_strength_of_its_last_check(
    capsys: pytest.CaptureFixture[str], tiny: Path, sandbox: Sandbox
) -> None:
    assert "strength" not in said(capsys, "list", f"{tiny}/shop")[0]
    said(capsys, "check", str(tiny))
    assert "strength of a pass: blind" in said(capsys, "list", f"{tiny}/shop")[0]
    assert json.loads(said(capsys, "list", f"{tiny}/shop", "--json")[0])["strength"] == "blind"
    (tiny / "bugs/shop/issue.md").write_text("Another title\n")
    assert "strength" not in said(capsys, "list", f"{tiny}/shop")[0], "the check was of another bug"


def test_a_check_goes_on_with_its_card(
    capsys: pytest.CaptureFixture[str], tiny: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = str(tmp_path / "card.json")
    said(capsys, "check", str(tiny), "--no-counter-tests", "--card", card)
    (tiny / "bugs/shop/issue.md").write_text("Another title\n")
    monkeypatch.setattr(importlib.import_module("repairlab.cli.check"), "check_bugs", interrupted)
    told = said(capsys, "check", str(tiny), "--no-counter-tests", "--card", card, "--resume", code=130)[1]
    assert "Stopped after 1 of 2 bugs; this is what they showed; go on with the same command and --resume" in " ".join(told.split())
    monkeypatch.undo()
    (tiny / "bugs/sum/cases/02.out").write_text("7\n")
    out, err = said(capsys, "check", str(tiny), "--no-counter-tests", "--card", card, "--resume", "--exclude-failing", code=1)
    assert 'bug sum: exclude by name under [test] in bug.toml: excluded = ["02"]' in out
    assert "bug sum: 1 test excluded in its bug.toml; check again" in err
    assert "2 of 2 bugs healthy" in said(capsys, "check", str(tiny), "--no-counter-tests", "--card", card, "--resume")[0]
    (tiny / "bugs/sum/cases/01.out").write_text("7\n")
    assert (
        "nothing that shows the bug would be left"
        in said(capsys, "check", str(tiny), "-i", "sum", "--no-counter-tests", "--exclude-failing", code=1)[1]
    )


def test_what_flips_for_one_mined_bug_is_excluded_from_all_of_its_project(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    alone = tests.read_text().replace("    assert Cart([]).total() == 0", "    import shop\n    assert not hasattr(shop, 'seen')")
    tests.write_text(f"{alone}\n\ndef test_marks():\n    import shop\n    shop.seen = 1\n")
    facts = tiny / "bugs/shop/bug.toml"
    facts.write_text(facts.read_text().replace("regression = [", 'regression = ["tests/test_cart.py::test_marks", '))
    for name in ("shop@1", "shop@2", "other@1"):
        shutil.copytree(tiny / "bugs/shop", tiny / "bugs" / name)
    said(capsys, "check", str(tiny), "-i", "shop@1", "--repeat", "3", "--no-counter-tests", "--exclude-flaky", code=1)
    excluded = {bug.id: bug.oracle.excluded for bug in open_benchmark(str(tiny)) if bug.oracle.excluded}
    assert excluded == dict.fromkeys(("shop@1", "shop@2"), ("tests/test_cart.py::test_empty",))


def interrupted(*_arguments: object, **_options: object) -> None:
    raise Interrupted("stopped")


def test_a_run_ends_with_scores_and_a_report(
    capsys: pytest.CaptureFixture[str], tiny: Path, tmp_path: Path, sandbox: Sandbox
) -> None:
    for name in ("copy", "reference"):
        out, _ = said(
            capsys, "run", str(tiny), "--repairer", name, "-n", "1", "-k", "1", "--no-cache", "--to", str(tmp_path / name), "--json"
        )
        scores = {(score["metric"], score["k"]): score["value"] for score in json.loads(out)["scores"]}
        assert scores["pass@k", 1] == (name == "reference")
    out, _ = said(capsys, "score", "--compare", str(tmp_path / "copy"), str(tmp_path / "reference"), "--json")
    assert json.loads(out)
    said(capsys, "report", str(tmp_path / "copy"), str(tmp_path / "reference"), "-o", str(tmp_path / "r.html"))
    assert "Sum is one too large" in (tmp_path / "r.html").read_text()


def test_validate_judges_a_file_and_counts_what_it_could_not_read(
    capsys: pytest.CaptureFixture[str], tiny: Path, tmp_path: Path, sandbox: Sandbox
) -> None:
    file = tmp_path / "mine.jsonl"
    good = {"bug": "sum", "function": "def total(numbers):\n    return sum(numbers)"}
    file.write_text("\n".join([json.dumps(good), "{", json.dumps({"bug": "sum", "file": "print("})]))
    out, err = said(capsys, "validate", str(tiny), str(file), "--no-cache", "--to", str(tmp_path / "run"), "--json")
    answer = json.loads(out)
    assert [item["verdict"] for item in answer["outcomes"]] == ["PLAUSIBLE", "UNCOMPILABLE"]
    assert answer["n_unreadable"] == 1 and "line 2" in err


def test_how_verdicts_were_made_is_recorded(
    capsys: pytest.CaptureFixture[str],
    tiny: Path,
    tmp_path: Path,
    own_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    sandbox: Sandbox,
) -> None:
    monkeypatch.setenv("REPAIRLAB_CACHE", str(own_cache))
    for name in ("first", "second"):
        isolation = ("--isolation", "process", "--recheck", "0", "--to", str(tmp_path / name))
        said(capsys, "run", str(tiny), "-i", "sum", "--repairer", "copy", "-n", "1", *isolation)
    assert Store(tmp_path / "first").manifest().isolation == "process"
    outcomes = [outcome for name in ("first", "second") for outcome in Store(tmp_path / name).outcomes()]
    assert [outcome.isolation for outcome in outcomes] == [f"{sandbox.name}/process"] * 2
    assert [outcome.cached for outcome in outcomes] == [False, True]
