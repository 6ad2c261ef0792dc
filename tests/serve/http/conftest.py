"""A service as a process of its own, for all tests that ask one."""

import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from repairlab.sandbox.sandbox import Sandbox
from repairlab.serve.http.clients import new_token
from tests.conftest import write_tiny

MARK = "M4RKER"
"""Stands in tests, expected outputs and fixes, and must never come out of a service."""
FIXED = "def total(self):\n        return sum(self.prices)\n"
BROKEN = "def total(self):\n        return sum(self.prices[:-2])\n"


class Running:
    """A service that runs, and a client of it."""

    def __init__(self, process: "subprocess.Popen[str]", *, token: str | None) -> None:
        self.process = process
        self.said: list[str] = []
        self._ready = threading.Event()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        assert self._ready.wait(120), f"the service does not start: {''.join(self.said)}"
        found = re.search(r"Serving on (\S+);", "".join(self.said))
        assert found, "".join(self.said)
        self.url = found[1]
        self.client = self.client_with(token)

    def client_with(self, token: str | None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=120)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if "Serving on" in line:
                self._ready.set()
        self._ready.set()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self._listener.join(60)
        assert self.process.stderr is not None
        self.process.stderr.close()
        if hasattr(self, "client"):
            self.client.close()

    def validate(self, **body: Any) -> httpx.Response:
        return self.client.post("/v1/validate", json=body)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def running(
    *arguments: object, token: str | None = None, cache: Path | None = None, file_size: int | None = None, **more: str
) -> Iterator[Running]:
    """Run a service until the end of the block."""
    command = [sys.executable, "-m", "repairlab", "serve", *map(str, arguments), "--port", "0", "-j", "2"]
    environment = {**os.environ, **({"REPAIRLAB_CACHE": str(cache)} if cache else {}), **more}

    def limit() -> None:
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=limit)  # noqa: PLW1509
    found = Running(process, token=token)
    try:
        yield found
    finally:
        found.close()


def write_marked(folder: Path) -> Path:
    """Write the tiny benchmark, with marks in all that must stay hidden."""
    write_tiny(folder)
    changes = {
        "bugs/sum/cases/01.out": ("3\n", f"3\n{MARK}\n"),
        "bugs/shop/fix.patch": ("+        return sum(self.prices)\n", f"+        return sum(self.prices)  # {MARK}\n"),
        "bugs/shop/bug.toml": ("::test_total", f"::test_total_{MARK}"),
        "bugs/shop/buggy/tests/test_cart.py": (
            "def test_total():\n    assert Cart([1, 2]).total() == 3\n",
            f"def test_total_{MARK}():\n    print('{MARK}')\n    assert Cart([1, 2]).total() == 3, '{MARK}'\n",
        ),
    }
    for path, (old, new) in changes.items():
        text = (folder / path).read_text(encoding="utf-8")
        assert old in text
        (folder / path).write_text(text.replace(old, new), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def tokens() -> dict[str, tuple[str, str]]:
    return {"alice": new_token("alice"), "bob": new_token("bob", is_read_only=True)}


@pytest.fixture(scope="session")
def service(sandbox: Sandbox, tokens: dict[str, tuple[str, str]]) -> Iterator[Running]:
    """Serve the marked benchmark, to Alice."""
    del sandbox  # skips where there is none
    with tempfile.TemporaryDirectory(prefix="repairlab-test-", ignore_cleanup_errors=True) as folder:
        file = Path(folder, "tokens")
        file.write_text("\n".join(line for _, line in tokens.values()) + "\n", encoding="utf-8")
        bench = write_marked(Path(folder, "tiny"))
        options = ("--tokens", file, "--state", Path(folder, "state"), "--body-mb", "1")
        with running(bench, *options, token=tokens["alice"][0]) as found:
            yield found
