"""Starting, stopping, killing and starving a service: nothing that was taken on is lost."""

import os
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra web is not installed")

import httpx

from repairlab.cli.main import run
from repairlab.sandbox.sandbox import Sandbox
from tests.serve.http.conftest import BROKEN, FIXED, Running, running

SLOW = "import time\ntime.sleep({})\nprint({})\n"


def problem(seconds: float) -> dict[str, Any]:
    return {"language": "python", "program": SLOW.format(seconds, 0), "cases": [{"input": "", "expected": "1\n"}]}


def workers_of(process_id: int) -> list[int]:
    """Return the processes whose parent's parent is the service: its workers are forks of the one that forks."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
        except OSError:
            continue
    return [pid for pid, parent in parents.items() if parents.get(parent) == process_id]


def test_requests_that_go_on_are_finished_after_sigterm_and_new_ones_refused(sandbox: Sandbox, tiny: Path, tmp_path: Path) -> None:
    with running(tiny, "--state", tmp_path / "state") as service:
        found: list[httpx.Response] = []
        body = {"problem": problem(1.5), "file": SLOW.format(1.5, 1)}
        asking = threading.Thread(target=lambda: found.append(service.client.post("/v1/validate", json=body)))
        with httpx.Client(base_url=service.url) as other:
            asking.start()
            end = time.monotonic() + 60
            while "repairlab_running 1" not in other.get("/metrics").text and time.monotonic() < end:
                time.sleep(0.05)
            service.process.send_signal(signal.SIGTERM)
            asking.join(60)
        assert found[0].json()["verdict"] == "PLAUSIBLE"
        assert service.process.wait(60) == 0


def test_a_job_goes_on_after_the_server_was_killed(sandbox: Sandbox, tiny: Path, tmp_path: Path) -> None:
    files = [SLOW.format(0.1, number % 2) for number in range(12)]
    files = [f"{text}# {number}\nx{number} = {number}\n" for number, text in enumerate(files)]
    body = {"problem": problem(0.1), "candidates": [{"file": text} for text in files]}
    options = (tiny, "--state", tmp_path / "state", "--no-cache")
    with running(*options) as service:
        job = service.client.post("/v1/jobs", json=body).json()["id"]
        end = time.monotonic() + 60
        while service.client.get(f"/v1/jobs/{job}?limit=0").json()["done"] < 2 and time.monotonic() < end:
            time.sleep(0.02)
        service.process.kill()
        service.process.wait(60)
    with running(*options) as service:
        end = time.monotonic() + 60
        while (found := service.client.get(f"/v1/jobs/{job}").json())["state"] != "done" and time.monotonic() < end:
            time.sleep(0.1)
    assert [answer["verdict"] for answer in found["outcomes"]] == ["WRONG", "PLAUSIBLE"] * 6


def test_a_worker_that_is_killed_costs_nobody_a_verdict(sandbox: Sandbox, tiny: Path, tmp_path: Path) -> None:
    with running(tiny, "--state", tmp_path / "state", "--no-cache") as service:
        assert service.validate(bug="shop", function=FIXED).json()["verdict"] == "PLAUSIBLE"
        for pid in workers_of(service.process.pid):
            os.kill(pid, signal.SIGKILL)
        assert service.validate(bug="shop", function=FIXED).json()["verdict"] == "PLAUSIBLE"


def test_a_full_queue_and_a_rate_are_429_with_a_time_to_wait(sandbox: Sandbox, tiny: Path, tmp_path: Path) -> None:
    with running(tiny, "--state", tmp_path / "state", "--queue", 4, "--rate", 3, "--drain", 1) as service:
        body: dict[str, Any] = {"problem": problem(30), "candidates": [{"file": SLOW.format(30 + n, n)} for n in range(3)]}
        full = service.client.post("/v1/validate", json=body)
        assert full.status_code == 429 and full.json()["error"]["code"] == "queue_full" and int(full.headers["retry-after"]) >= 1
        many = {"bug": "sum", "candidates": [{"text": "?"}] * 30}
        refused = service.client.post("/v1/validate", json=many)
        assert refused.status_code == 429 and refused.json()["error"]["code"] in ("rate_limit", "queue_full")
        assert service.client.get("/v1/health").status_code == 200


def test_a_benchmark_that_vanished_is_told_without_its_path(sandbox: Sandbox, tiny: Path, tmp_path: Path) -> None:
    with running(tiny, "--state", tmp_path / "state") as service:
        assert service.validate(bug="sum", text="?").json()["verdict"] == "UNAPPLICABLE"
        tiny.rename(tmp_path / "gone")
        for answer in (service.validate(bug="shop", function=FIXED), service.client.get("/v1/bugs/shop")):
            assert answer.status_code == 503 and str(tmp_path) not in answer.text
        known = service.validate(bug="sum", function="def total(numbers):\n    return sum(numbers) - 1\n").json()
        assert known["verdict"] == "UNDECIDED" and str(tmp_path) not in str(known)
        (tmp_path / "gone").rename(tiny)
        assert service.validate(bug="shop", function=BROKEN).json()["verdict"] == "WRONG"


def test_a_full_disk_refuses_jobs_and_goes_on(sandbox: Sandbox, tiny: Path, tmp_path: Path) -> None:
    with running(tiny, "--state", tmp_path / "state", file_size=1_500_000) as service:
        body = {"bug": "shop", "text": "x" * 3_000_000}
        refused = service.client.post("/v1/jobs", json=body)
        assert refused.status_code == 507 and str(tmp_path) not in refused.text
        assert service.validate(bug="shop", function=FIXED).json()["verdict"] == "PLAUSIBLE"
        assert service.client.post("/v1/jobs", json={"bug": "shop", "text": "x"}).status_code == 202


def test_without_tokens_only_this_machine_is_answered_by_its_own_name(sandbox: Sandbox, tiny: Path, tmp_path: Path) -> None:
    with running(tiny, "--state", tmp_path / "state") as service:
        for host in ("evil.example", "127.0.0.1.evil.example"):
            assert service.client.get("/v1/benchmarks", headers={"Host": host}).status_code == 403
        port = service.url.rpartition(":")[2]
        assert service.client.get("/v1/benchmarks", headers={"Host": f"localhost:{port}"}).status_code == 200
        assert service.client.get("/v1/benchmarks", headers={"Host": f"[::1]:{port}"}).status_code == 200
        job = service.client.post("/v1/jobs", json={"bug": "shop", "text": "?"}).json()["id"]
        assert httpx.get(f"{service.url}/v1/jobs/{job}").status_code == 200  # by another connection


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert run(["serve", *map(str, arguments)]) == 2
    return capsys.readouterr().err


def test_what_cannot_be_served_is_told_at_once(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "name at least one benchmark" in told(capsys)
    assert "Did you mean 'starter'?" in told(capsys, "strater", "--port", 0)
    assert "there are no tokens" in told(capsys, tiny, "--host", "0.0.0.0")
    assert "does not exist" in told(capsys, tiny, "--tokens", tmp_path / "none")
    assert "--queue is 0" in told(capsys, tiny, "--queue", 0)
    assert "--rate is -1" in told(capsys, tiny, "--rate", -1)
    assert "unknown localisation 'word'" in told(capsys, tiny, "--localisation", "word")
    assert "--port is 99999" in told(capsys, tiny, "--port", 99999)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in told(capsys, tiny, "--port", port)


def test_a_new_token_is_shown_once_and_its_line_is_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--new-token", "carol", "--read-only"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("carol:") and printed.out.endswith(" read\n") and "rl-" in printed.err
    assert run(["serve", "--new-token", "a b"]) == 2


def test_a_client_by_url_needs_the_right_token(sandbox: Sandbox, service: Running) -> None:
    from repairlab.core.errors import UserError  # noqa: PLC0415
    from repairlab.runs.remote_judge import RemoteJudge  # noqa: PLC0415

    stranger = RemoteJudge(service.url, token="rl-wrong")
    with pytest.raises(UserError, match="401: a valid token is needed"):
        stranger.bugs("tiny")
    stranger.close()
