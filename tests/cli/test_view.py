"""The verb `view`: what it prints, and what it refuses."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from repairlab.cli.main import run
from tests.study.conftest import MakeRun, make_run

__all__ = ["make_run"]

pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")


IMPATIENT = "import repairlab.serve.browser.app as serving; serving.PATIENCE_S = 1; from repairlab.cli.main import main; main()"


def start(*arguments: str, cache: Path, program: tuple[str, ...] = ("-m", "repairlab")) -> "subprocess.Popen[str]":
    command = [sys.executable, *program, "view", *arguments, "--no-browser"]
    env = {**os.environ, "REPAIRLAB_CACHE": str(cache)}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_it_serves_until_it_is_stopped(make_run: MakeRun, tmp_path: Path) -> None:
    with start(str(make_run("a", n=1, bugs=1)), "--port", "0", cache=tmp_path / "cache") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Viewing at http://127.0.0.1:")
        assert httpx.get(line.split()[-1], timeout=30).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) in (0, 130)


def test_on_another_address_the_printed_one_has_a_token(make_run: MakeRun, tmp_path: Path) -> None:
    with start(str(make_run("a", n=1, bugs=1)), "--port", "0", "--host", "0.0.0.0", cache=tmp_path / "cache") as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        port = url.rpartition(":")[2].partition("/")[0]
        assert "?token=" in url and httpx.get(f"http://127.0.0.1:{port}/", timeout=30).status_code == 403
        process.terminate()


def test_who_sends_no_whole_head_is_hung_up_on(make_run: MakeRun, tmp_path: Path) -> None:
    run_folder = str(make_run("a", n=1, bugs=1))
    with start(run_folder, "--port", "0", cache=tmp_path / "cache", program=("-c", IMPATIENT)) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        port = int(url.rpartition(":")[2].partition("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(b"GET / HT")
            assert b" 408 " in connection.recv(1000)
        assert httpx.get(url, timeout=30).status_code == 200
        process.terminate()


def test_a_port_in_use_is_said(make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert run(["view", str(make_run("a", n=1, bugs=1)), "--port", port, "--no-browser"]) == 2
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-thing"], "neither a run folder"),
        (["starter", "--port", "99999"], "ports go from 0 to 65535"),
        (["starter", "--host", "no.such.host.invalid", "--port", "0"], "cannot listen on no.such.host.invalid"),
    ],
)
def test_what_cannot_be_shown_is_refused(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["view", *arguments, "--no-browser"]) == 2
    assert words in capsys.readouterr().err
