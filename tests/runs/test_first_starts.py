"""Repairers that are set up wrongly: the run stops early, says why, and asks again; weak repairers are scored."""

import http.server
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.candidate import Edit
from repairlab.repairers.baselines import Copy
from repairlab.repairers.repairer import RepairerFactory
from repairlab.runs.first_starts import FIRST, FirstStarts
from repairlab.runs.integrity import SEAL
from repairlab.runs.samples import read_samples
from repairlab.runs.store import BugEnd, Store
from tests import builders

N = FIRST + 3
FIX = "sed -i 's/result = 1/result = 0/' main.py"
CODE = "```python\ndef total(numbers):\n    return sum(numbers)\n```"
PROSE = "I am sorry, but I cannot help with that."
ASK = """\
import json, os, urllib.request
body = json.dumps({"messages": [{"role": "user", "content": "?"}]}).encode()
urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)).read()
"""


@pytest.fixture
def many(tiny: Path) -> Path:
    """Return the folder of a benchmark of equal bugs, each with its number in a file."""
    shutil.rmtree(tiny / "bugs/shop")
    for number in range(N):
        shutil.copytree(tiny / "bugs/sum", tiny / f"bugs/sum-{number}")
        (tiny / f"bugs/sum-{number}/buggy/number").write_text(str(number))
        (tiny / f"bugs/sum-{number}/issue.md").write_text(f"Sum {number} is too large\n\nIt is.\n")
    shutil.rmtree(tiny / "bugs/sum")
    return tiny


@pytest.fixture
def here(tmp_path: Path, sandbox: object, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@contextmanager
def serving(answer: Callable[[str], str], *, status: int = 200) -> Iterator[str]:
    """Run a server of a model that answers a request by its text."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer(asked)}}
            body = {"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def do_GET(self) -> None:
            self.send_response(404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def command(line: str, *options: str) -> tuple[str, ...]:
    return ("--command", line, *options)


def model(address: str) -> tuple[str, ...]:
    return ("--model", "llamacpp/x", "--base-url", address, "--no-answer-cache", "--repairer", "llm", "--retries", "0")


def need_ports(options: tuple[str, ...], request: pytest.FixtureRequest) -> None:
    """Skip the test where a program could not reach its model."""
    if {"--command", "--model"} <= set(options):
        request.getfixturevalue("networked")


@pytest.mark.parametrize(
    ("options", "script", "code", "message"),
    [
        pytest.param(command("no-such-program --fast"), "", 2, "no-such-program, which is not on this machine", id="program"),
        pytest.param(command("python3 SCRIPT"), "print()", 2, "--mount", id="script-not-shown"),
        pytest.param(
            command("python3 agent.py"), "print()", 2, "HERE/agent.py in the command and add --mount", id="script-by-name"
        ),
        pytest.param(command("SCRIPT", "--mount", "SCRIPT"), "#!/bin/sh\n", 2, "chmod a+rx", id="not-executable"),
        pytest.param(command("python3 /opt/no-such-agent.py"), "", 3, "can't open file", id="no-script"),
        pytest.param(command("cd . && no-such-program"), "", 3, "no-such-program: not found", id="program-in-shell-code"),
        pytest.param(command("python3 SCRIPT", "--mount", "SCRIPT"), "def f(:\n", 3, "SyntaxError", id="syntax-error"),
        pytest.param(
            command("python3 SCRIPT", "--mount", "SCRIPT"), "import os.nothing\n", 3, "No module named", id="import-error"
        ),
        pytest.param(command("echo no key; exit 1"), "", 3, "    no key\n", id="exit-code"),
        pytest.param(command("kill -9 $$"), "", 3, "signal 9", id="signal"),
        pytest.param(command("sleep 1000", "--call-timeout", "0.2"), "", 3, "time limit", id="time-out"),
        pytest.param(command("echo done"), "", 3, "exited with code 0", id="nothing-done"),
        pytest.param(command("true", "--candidates-from", "stdout"), "", 3, "no unified diff", id="no-diff"),
        pytest.param(command("true", "--model", "llamacpp/x"), "", 3, "exited with code 0", id="model-not-asked"),
    ],
)
def test_a_program_that_cannot_work_stops_the_run(  # noqa: PLR0917  # fixtures
    options: tuple[str, ...],
    script: str,
    code: int,
    message: str,
    many: Path,
    here: Path,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    need_ports(options, request)
    (here / "agent.py").write_text(script)
    own = [option.replace("SCRIPT", str(here / "agent.py")) for option in options]
    assert run(["run", str(many), *own, "-n", "1", "-j", "1", "--to", "ran"]) == code
    said = capsys.readouterr().err
    assert message.replace("HERE", str(here)) in said
    if code == 2:
        assert not Path("ran").exists()
    else:
        assert f"first {FIRST} of {N} bugs" in said
        assert "--mount" in said
        assert "repairlab run --resume ran" in said
        assert all(item.ended == "unfinished" for item in read_samples(Store(Path("ran"))))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(lambda asked: PROSE, "the model refuses", id="prose"),
        pytest.param(lambda asked: "", "(nothing)", id="empty"),
        pytest.param(lambda asked: "Sum [" + asked[-20:], "the function is not in the answer", id="gibberish"),
    ],
)
def test_a_model_whose_every_answer_is_unusable_stops_the_run(
    answer: Callable[[str], str], message: str, many: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(answer) as address:
        assert run(["run", str(many), *model(address), "-n", "1", "--concurrency", "1", "--to", "ran"]) == 3
    said = capsys.readouterr().err
    assert message in said
    assert f"first {FIRST} of {N} bugs" in said
    assert "--strategy" in said


def test_a_server_that_refuses_stops_the_run(many: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda asked: "", status=500) as address:
        assert run(["run", str(many), *model(address), "-n", "1", "--to", "ran"]) == 3
    assert "500" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(command(FIX), id="healthy"),
        pytest.param(command("test $(cat number) -ge 3 || exit 1; " + FIX, "-j", "1"), id="weak-at-first"),
        pytest.param(command("exit $(cat number)"), id="different-ends"),
        pytest.param(command("exit 1", "--keep-going"), id="as-it-is"),
        pytest.param(command("echo >> main.py; exit 1"), id="changes-before-it-fails"),
        pytest.param(command(f"python3 -c '{ASK}'", "--model", "llamacpp/x", "--base-url", "ADDRESS"), id="asks-and-gives-up"),
        pytest.param(
            command(f"python3 -c '{ASK * 2}'", "--model", "llamacpp/x", "--base-url", "ADDRESS", "--turn-limit", "1"),
            id="uses-up-its-requests",
        ),
        pytest.param(("--repairer", "templates", "-i", "sum-[12]"), id="templates"),
        pytest.param(("--repairer", "copy"), id="copy"),
        pytest.param((*model("ADDRESS"), "--concurrency", "1"), id="weak-model"),
        pytest.param((*model("ADDRESS"), "--concurrency", "50"), id="weak-model-all-bugs-at-once"),
    ],
)
def test_a_weak_repairer_is_scored(options: tuple[str, ...], many: Path, here: Path, request: pytest.FixtureRequest) -> None:
    need_ports(options, request)
    with serving(lambda asked: CODE if f"Sum {FIRST - 1} " in asked else PROSE) as address:
        own = [option.replace("ADDRESS", address) for option in options]
        assert run(["run", str(many), *own, "-n", "1", "--to", "ran"]) == 0
    assert all(item.ended != "unfinished" for item in read_samples(Store(Path("ran"))))
    assert Path("ran", SEAL).exists()


@pytest.mark.parametrize("n_bugs", [1, FIRST - 1])
def test_a_short_run_in_which_all_bugs_fail_says_so_at_its_end(
    n_bugs: int, many: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["run", str(many), *command("exit 7"), "-n", "2", "--limit", str(n_bugs), "--to", "ran"]) == 3
    assert "exited with code 7" in capsys.readouterr().err
    assert run(["score", "ran"]) == 2


@pytest.mark.parametrize("again", ["resumed", "other-command"])
def test_the_bugs_are_asked_again_once_the_cause_is_mended(
    again: str, many: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = here / "agent.sh"
    agent.write_text("exit 1\n")
    begin = ["run", str(many), "-n", "2", "--to", "ran", "--mount", str(agent), "--command"]
    assert run([*begin, f"sh {agent}"]) == 3
    agent.write_text(FIX if again == "resumed" else "exit 1\n")
    assert run(["run", "--resume", "ran"] if again == "resumed" else [*begin, FIX]) == 0
    samples = read_samples(Store(Path("ran")))
    assert [[verdict.value for verdict in item.verdicts] for item in samples] == [["PLAUSIBLE"] * 2] * N
    assert len(list(Store(Path("ran")).candidates())) == 2 * N
    capsys.readouterr()
    assert run(["score", "ran", "--json"]) == 0
    assert '"value": 1.0' in capsys.readouterr().out


def test_what_a_finished_run_found_is_never_asked_again(many: Path, here: Path) -> None:
    assert run(["run", str(many), *command("exit 1", "--keep-going"), "-n", "1", "--to", "ran"]) == 0
    before = Path("ran/candidates.jsonl").read_bytes()
    assert run(["run", "--resume", "ran"]) == 0
    assert Path("ran/candidates.jsonl").read_bytes() == before
    assert run(["run", str(many), *command("exit 2"), "-n", "1", "--to", "ran"]) == 2


@pytest.mark.parametrize(
    ("bugs", "n_ended", "may_begin"),
    [
        pytest.param(["x"] * (FIRST - 1), 0, True, id="too-few"),
        pytest.param(["x"] * FIRST, 0, False, id="alike"),
        pytest.param(["xx"] * FIRST, 0, False, id="all-candidates-alike"),
        pytest.param(["x"] * (FIRST - 1) + ["y"], FIRST, True, id="another-way"),
        pytest.param(["x"] * FIRST + [""], FIRST + 1, True, id="one-without-candidates"),
        pytest.param(["", "x", "x"], 3, True, id="first-without-candidates"),
        pytest.param(["x"] * FIRST + ["x+"], FIRST + 1, True, id="one-under-way-is-healthy"),
        pytest.param(["xy"], 1, True, id="two-ways-in-one-bug"),
    ],
)
def test_bugs_are_finished_once_they_count(bugs: list[str], n_ended: int, may_begin: bool, tmp_path: Path) -> None:
    store = Store(tmp_path)
    factory = RepairerFactory(
        name="mine",
        about="",
        open=lambda context: nullcontext(Copy()),
        failure=lambda candidate: candidate.problem,
    )
    watch = FirstStarts(store, factory)
    for number, drawn in enumerate(bugs):
        for rank, way in enumerate(drawn, start=1):
            edits = (Edit(path="a", text=""),) if way == "+" else ()
            problem = None if edits else way
            store.append(builders.candidate(str(number), *edits, rank=rank, problem=problem, repairer="mine"))
        watch.take(str(number))
        watch.end(BugEnd(bug_id=str(number), ended="asked"))
    assert len(list(store.ends())) == n_ended
    assert watch.may_begin is may_begin
    assert (watch.failure(len(bugs)) is None) == (n_ended > 0)
