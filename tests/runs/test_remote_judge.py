"""A service that is not there, goes away or comes back, as a client by URL sees it."""

import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

import repairlab as rl
from repairlab.runs.remote_judge import RemoteJudge


class _Service(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b'{"bugs": ["shop", "sum"], "prompt": "?"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # its name there
        pass


@contextmanager
def serving(port: int) -> Iterator[None]:
    server = HTTPServer(("127.0.0.1", port), _Service)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def port() -> int:
    """Return a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        found: int = nobody.getsockname()[1]
    return found


def test_a_service_that_never_answered_is_an_error_at_once(port: int) -> None:
    url = f"http://127.0.0.1:{port}"
    with rl.Reward("starter", url=url) as reward, pytest.raises(rl.HarnessError) as error:
        reward(completions=["x"], bug=["python-version-order"])
    assert f"no service answers at {url}" in str(error.value)
    assert "repairlab serve BENCHMARK" in str(error.value) and "url=" in str(error.value)


def test_an_address_that_accepts_and_says_nothing_is_an_error(port: int) -> None:
    with socket.create_server(("127.0.0.1", port)):
        judge = RemoteJudge(f"http://127.0.0.1:{port}")
        with pytest.raises(rl.HarnessError, match=r"no service answers at .*: timed out"):
            judge.bugs("tiny")
        judge.close()


def test_a_service_that_answered_may_go_away_and_come_back(port: int) -> None:
    judge = RemoteJudge(f"http://127.0.0.1:{port}")
    with serving(port):
        assert judge.bugs("tiny") == ["shop", "sum"]
    again = serving(port)
    told: list[str] = []

    def restart(message: Warning | str, *args: object, **more: object) -> None:
        told.append(str(message))
        again.__enter__()

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = restart
            assert judge.bugs("tiny") == ["shop", "sum"]
    finally:
        again.__exit__(None, None, None)
        judge.close()
    assert len(told) == 1 and "is away" in told[0] and "trying again for 600 s" in told[0]


def test_patience_ends(port: int) -> None:
    with rl.Reward("starter", url=f"http://127.0.0.1:{port}", patience=0.6) as reward:
        with serving(port):
            assert [row["bug"] for row in reward.rows()] == ["shop", "sum"]
        with pytest.warns(UserWarning, match="trying again for 0.6 s"), pytest.raises(rl.HarnessError, match="patience=SECONDS"):
            reward(completions=["x"], bug=["python-version-order"])


@pytest.mark.parametrize(
    ("url", "patience", "message"),
    [
        ("localhost:8400", 1.0, "such as http://localhost:8400"),
        ("http://localhost:84000x", 1.0, "write an address such as"),
        ("http://localhost:8400", -1.0, "patience is -1: .*seconds.* 0 or more"),
    ],
)
def test_a_wrong_address_or_patience_is_an_error(url: str, patience: float, message: str) -> None:
    with pytest.raises(rl.UserError, match=message):
        rl.Reward("starter", url=url, patience=patience)
