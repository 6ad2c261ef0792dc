"""Programs of others down the whole line: the commands of the guide to agents, a jar that prints diffs, resuming, the report."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.outcome import Verdict
from repairlab.runs.integrity import SEAL
from repairlab.runs.store import Store

ROOT = Path(__file__).parent.parent
FIX = "sed -i 's/result = 1/result = 0/' main.py"
JAR = """\
public class Main {
    static void diff(String line) {
        System.out.println("--- a/main.py\\n+++ b/main.py\\n@@ -2 +2 @@\\n-    result = 1\\n+    result = " + line);
    }
    public static void main(String[] arguments) {
        System.out.println("searching " + new java.io.File(arguments[0], "main.py").length());
        diff("2"); diff("0"); diff("0 if True else 1");
        System.err.println("done");
    }
}
"""


def verdicts(folder: Path) -> dict[tuple[str, int], Verdict]:
    judged = {outcome.candidate_id: outcome.verdict for outcome in Store(folder).outcomes()}
    return {(candidate.bug_id, candidate.rank): judged[candidate.id] for candidate in Store(folder).candidates()}


@pytest.fixture
def here(tmp_path: Path, sandbox: object, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_commands_of_the_page_do_what_it_says(here: Path) -> None:
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / "docs/guides/agents.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == 2
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for block in blocks:
        done = subprocess.run(["sh", "-ec", block], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert verdicts(here / "runs/script") == {("python-version-order", 1): Verdict.PLAUSIBLE}
    assert sorted(verdicts(here / "runs/diffs").items()) == [
        (("python-version-order", 1), Verdict.WRONG),
        (("python-version-order", 2), Verdict.PLAUSIBLE),
    ]


@pytest.mark.slow
def test_a_jar_that_prints_diffs_gives_several_candidates(here: Path, tiny: Path) -> None:
    (here / "Main.java").write_text(JAR)
    subprocess.run(["javac", "-d", "classes", "Main.java"], check=True)
    subprocess.run(["jar", "--create", "--file", "apr.jar", "--main-class", "Main", "-C", "classes", "."], check=True)
    command = ["run", str(tiny), "-i", "sum", "--preset", "diffs", "--program", "apr.jar", "-n", "5", "--to", "ran"]
    assert run(command) == 0
    assert sorted(verdicts(here / "ran").items()) == [
        (("sum", 1), Verdict.WRONG),
        (("sum", 2), Verdict.PLAUSIBLE),
        (("sum", 3), Verdict.PLAUSIBLE),
    ]


@pytest.mark.slow
def test_a_resumed_run_starts_the_program_for_what_is_missing_only(here: Path, tiny: Path) -> None:
    command = ["run", str(tiny), "--command", FIX, "-n", "3", "--to", "ran", "-j", "1"]
    assert run(command) == 0
    whole = verdicts(here / "ran")
    assert len(whole) == 6
    for name in ("bugs.jsonl", SEAL):
        (here / "ran" / name).unlink()
    lines = (here / "ran/candidates.jsonl").read_bytes().splitlines(keepends=True)
    (here / "ran/candidates.jsonl").write_bytes(b"".join(lines[:4]))
    assert run(["run", "--resume", "ran", "--repair"]) == 0
    assert verdicts(here / "ran") == whole
    kept = (here / "ran/candidates.jsonl").read_bytes().splitlines(keepends=True)
    assert kept[:4] == lines[:4]


@pytest.mark.slow
def test_the_report_shows_what_the_program_was_told_and_said(here: Path, tiny: Path) -> None:
    said = "a-word-of-the-agent"
    assert run(["run", str(tiny), "-i", "sum", "--command", f"echo {said}; {FIX}", "-n", "1", "--to", "ran"]) == 0
    assert run(["report", "ran", "--output", "page.html"]) == 0
    page = (here / "page.html").read_text(encoding="utf-8")
    assert said in page
    assert "Sum is one too large" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--repairer", "command"), "needs a program"),
        (("--repairer", "templates", "--command", "true"), "--repairer command"),
        (("--repairer", "templates", "--show-tests"), "--show-tests"),
        (("--preset", "script"), "--program"),
        (("--command", "true", "--program", "x"), "--preset"),
        (("--command", "true", "--candidates-from", "stdin"), "stdout"),
        (("--command", "true", "--allow-address", "localhost"), "HOST:PORT"),
        (("--command", "true", "--token-limit", "5"), "--model"),
        (("--command", "true", "--model", "nobody/x"), "provider"),
        (("--command", "true", "--temperature", "1", "--model", "llamacpp/x"), "temperature"),
        (("--command", "true", "--mount", "/"), "hidden"),
    ],
)
def test_what_cannot_work_says_why(
    options: tuple[str, ...], message: str, tiny: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["run", str(tiny), *options, "--to", "ran"]) == 2
    assert message in capsys.readouterr().err
