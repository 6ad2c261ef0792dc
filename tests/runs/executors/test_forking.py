import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

import pytest

from repairlab.runs.executors.forking import ForkServer, fork, start_server, wait_for


def answer(question: str, pipe: Connection) -> None:
    pipe.send((question, os.environ.get("QUESTION"), str(Path.cwd()), "repairlab.runs.worker" in sys.modules))


def die(number: int, pipe: Connection) -> None:
    os.kill(os.getpid(), number)


def fail(pipe: Connection) -> None:
    raise ZeroDivisionError


def ask(question: str) -> object:
    ours, theirs = Pipe()
    with theirs:
        pid = fork(answer, (question,), theirs)
    with ours:
        said = ours.recv()
    assert wait_for(pid) == 0
    return said


def test_a_fork_has_the_environment_and_folder_of_now_and_all_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_server()
    monkeypatch.setenv("QUESTION", "6 × 7")
    monkeypatch.chdir(tmp_path)
    assert ask("42") == ("42", "6 × 7", str(tmp_path), True)


def test_a_folder_that_was_deleted_does_not_keep_anybody_from_working(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert ask("42") == ("42", None, "/", True)


def test_modules_of_the_current_folder_are_not_taken_for_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("secrets", "bisect", "pickle", "py", "packaging"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('the module of a user')")
    monkeypatch.chdir(tmp_path)
    server = ForkServer()
    ours, theirs = Pipe()
    with ours, theirs:
        server.fork(answer, ("42",), theirs)
        assert ours.poll(30) and ours.recv()[0] == "42"
    server.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_how_a_fork_ended_is_told(number: signal.Signals) -> None:
    for function, arguments, code in ((die, (int(number),), -number), (fail, (), 1)):
        ours, theirs = Pipe()
        with ours, theirs:
            assert wait_for(fork(function, arguments, theirs)) == code


def test_a_server_that_was_killed_is_started_anew() -> None:
    ours, theirs = Pipe()
    with theirs:
        pid = fork(answer, ("first",), theirs)
    server = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    os.kill(server, signal.SIGKILL)
    with ours:
        assert wait_for(pid) < 0
    assert ask("second") == ("second", None, str(Path.cwd()), True)


def test_threads_may_fork_at_the_same_time() -> None:
    questions = [str(number) for number in range(12)]
    with ThreadPoolExecutor(6) as threads:
        assert [said[0] for said in threads.map(ask, questions)] == questions  # type: ignore[index]  # what `answer` sends


def test_a_server_ends_although_another_process_has_inherited_its_socket() -> None:
    server = ForkServer()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[server._socket.fileno()]) as other:
        server.close()
        assert other.poll() is None
