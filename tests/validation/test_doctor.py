"""What `doctor` says of languages and verdicts, and what is said of a machine without a sandbox."""

import shutil
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Execution
from repairlab.languages import host
from repairlab.languages.java import resident
from repairlab.sandbox.sandbox import FakeSandbox, exited
from repairlab.validation import preflight
from repairlab.validation.cache import VerdictCache
from repairlab.validation.preflight import GREETING, diagnose, self_test
from tests.validation.test_cache import OUTCOME


def test_a_machine_is_looked_over_from_the_sandbox_to_each_language(own_cache: Path, sandbox: object) -> None:
    kept = VerdictCache(own_cache)
    kept.put("k", OUTCOME)
    kept.close()
    found = {finding.name: finding for finding in diagnose(own_cache)}
    assert found["python"].ok and found["python"].detail.startswith("builds and runs a program (")
    assert found["verdict cache"].detail.startswith("1 verdict, ")
    assert {"java", "c", "cpp", "javascript", "go"} <= found.keys()


def test_an_empty_cache_is_said_to_be_empty(tmp_path: Path) -> None:
    assert preflight._verdicts(tmp_path).detail == "empty"


@pytest.mark.parametrize(
    ("name", "answer", "says"),
    [
        ("python", exited(stdout=GREETING), ""),
        ("python", exited(stdout=b"hello"), "the self-test printed b'hello'"),
        ("c", exited(1, stderr=b"no stdio.h"), "the self-test does not build: no stdio.h"),
    ],
)
def test_a_self_test_says_what_went_wrong(name: str, answer: Execution, says: str) -> None:
    def run(command: Command) -> Execution:
        return answer

    assert self_test(name, FakeSandbox(run)).startswith(says)


@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler")
def test_a_jdk_without_a_module_that_our_servers_need_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    javac = tmp_path / "javac"
    javac.write_text('#!/bin/sh\nexec javac --limit-modules java.base,java.management,jdk.compiler "$@"\n')
    javac.chmod(0o755)
    servers = resident.servers
    monkeypatch.setattr(resident, "servers", lambda *_: servers(str(javac), str(tmp_path)))
    finding = preflight._diagnose_language("java", FakeSandbox(lambda _: exited(stdout=GREETING)))
    assert (finding.ok, finding.detail) == (False, "its tools are not all there")
    assert "error: package com.sun.management" in finding.remedy and "a JDK with all of its modules" in finding.remedy


def test_a_language_that_does_not_work_is_no_reason_to_stop() -> None:
    finding = preflight._diagnose_language("python", FakeSandbox(lambda _: exited(stdout=b"?")))
    assert (finding.ok, finding.detail) == (False, "the self-test printed b'?', not b'repairlab\\n'")


def test_without_a_sandbox_no_language_is_tried(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    launcher, *_, last = (finding for finding in diagnose(tmp_path / "file") if finding.name in ("launcher", "languages"))
    assert "cannot keep programs of the sandbox in" in launcher.detail
    assert (last.name, last.ok, last.detail) == ("languages", False, "not tried: languages need a sandbox that works")


def test_tools_that_are_missing_are_named_with_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "SANDBOX_PATH", "/nowhere")
    host.is_installed.cache_clear()
    try:
        finding = preflight._diagnose_language("go", FakeSandbox(lambda _: exited()))
    finally:
        host.is_installed.cache_clear()
    assert (finding.ok, finding.detail) == (False, "its tools are not all there")
    assert "apt install golang-go" in finding.remedy
