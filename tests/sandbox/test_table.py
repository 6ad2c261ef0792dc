"""Choosing a sandbox, what the doctor finds, compiling the launcher, and the fake."""

import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command
from repairlab.sandbox.breakout import TRIALS, try_to_break_out
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.doctor import diagnose
from repairlab.sandbox.launcher import compile_breakout, compile_launcher
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.sandbox import FakeSandbox, Sandbox, exited
from repairlab.sandbox.table import open_sandbox


def test_an_unknown_name_is_refused_with_the_nearest_one(cache: Path) -> None:
    with pytest.raises(UserError, match="Did you mean 'bubblewrap'"):
        open_sandbox("bublewrap", cache=cache)


def test_bubblewrap_is_chosen_where_it_works(bubblewrap: BubblewrapSandbox, cache: Path) -> None:
    chosen = open_sandbox(cache=cache)
    assert chosen.name.removesuffix("+cgroup") == bubblewrap.name
    assert open_sandbox(chosen.name, cache=cache).name == chosen.name


def test_landlock_is_chosen_where_bubblewrap_does_not_work(
    landlock: ProcessSandbox, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_launcher(cache)
    compile_breakout(cache)
    monkeypatch.setenv("PATH", str(tmp_path))
    for allow_unsafe in (False, True):
        assert open_sandbox(cache=cache, allow_unsafe=allow_unsafe).name.removesuffix("+cgroup") == landlock.name


def test_a_proof_is_remembered_until_something_changes(
    bubblewrap: BubblewrapSandbox, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, program = tmp_path / "calls", tmp_path / "bin/bwrap"
    program.parent.mkdir()

    def runs_at_the_next_start(mark: str = "") -> int:
        calls.write_text("")
        if mark:
            program.write_text(f'#!/bin/sh\n# {mark}\necho "$1" >> "{calls}"\nexec {shutil.which("bwrap", path=usual)} "$@"\n')
            program.chmod(0o755)
        opened = open_sandbox("bubblewrap", cache=cache)
        assert isinstance(opened, BubblewrapSandbox)
        assert opened.form == bubblewrap.form
        return sum(line != "--help" for line in calls.read_text().splitlines())

    usual = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{program.parent}:{usual}")
    assert runs_at_the_next_start("first") > 1
    assert runs_at_the_next_start() == 0
    assert runs_at_the_next_start("second") > 1
    assert runs_at_the_next_start() == 0
    long = tmp_path / ("long" * 30)  # too long for the path of a socket
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert runs_at_the_next_start() > 1
    assert try_to_break_out(open_sandbox("bubblewrap", cache=cache), cache)


def test_the_doctor_tries_each_time(bubblewrap: BubblewrapSandbox, cache: Path) -> None:
    open_sandbox(cache=cache)
    tried = [finding.name for finding in diagnose(cache) if finding.name.startswith("bubblewrap: ")]
    assert len(tried) == len(TRIALS)


@pytest.mark.usefixtures("bubblewrap")
def test_an_engine_that_does_not_work_is_not_missed_where_another_back_end_does(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docker").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert [finding for finding in diagnose(cache) if finding.name == "docker" or not finding.ok] == []


def test_the_process_sandbox_needs_consent(cache: Path) -> None:
    with pytest.raises(UserError, match="--allow-unsafe"):
        open_sandbox("process", cache=cache)
    assert open_sandbox("process", cache=cache, allow_unsafe=True).name.removesuffix("+cgroup") == "process"


def test_without_bubblewrap_the_next_step_is_said(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_launcher(cache)
    compile_breakout(cache)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HarnessError, match="apt install bubblewrap"):
        open_sandbox("bubblewrap", cache=cache)
    absent = {finding.name: finding.remedy for finding in diagnose(cache) if not finding.ok}
    assert absent["bubblewrap installed"] == "apt install bubblewrap"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the user")
@pytest.mark.slow
def test_without_any_isolation_nothing_runs_unless_that_risk_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "closed"  # no place for landlock
    closed.mkdir(mode=0o700)
    compile_launcher(closed)
    compile_breakout(closed)
    with tempfile.TemporaryDirectory() as elsewhere:
        Path(elsewhere).chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", elsewhere)
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(
            HarnessError, match=r"no sandbox works on this machine(.|\n)*apt install bubblewrap(.|\n)*REPAIRLAB_CACHE"
        ):
            open_sandbox(cache=closed)
        assert open_sandbox(cache=closed, allow_unsafe=True).name.removesuffix("+cgroup") == "process"


@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_without_a_container_engine_or_its_image_the_next_step_is_said(
    engine: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPAIRLAB_IMAGE", "localhost/nobody-has-this:1")
    if shutil.which(engine):
        with pytest.raises(HarnessError, match=f"REPAIRLAB_IMAGE names. Get it: {engine} pull"):
            open_sandbox(engine, cache=cache)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HarnessError, match="Install it: apt install"):
        open_sandbox(engine, cache=cache)


def test_a_bubblewrap_that_fails_is_no_sandbox(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(HarnessError, match=r"No permissions to create new namespace(.|\n)*sysctl"):
        open_sandbox("bubblewrap", cache=cache)


def test_without_a_compiler_the_next_step_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HarnessError, match="apt install gcc"):
        compile_launcher(tmp_path)


def test_the_launcher_is_compiled_once_and_nothing_else_is_left(tmp_path: Path) -> None:
    first = compile_launcher(tmp_path / "new" / "cache")
    made = first.stat().st_mtime_ns
    assert compile_launcher(tmp_path / "new" / "cache") == first
    assert first.stat().st_mtime_ns == made
    assert list(first.parent.iterdir()) == [first]


def test_a_program_that_many_compile_at_once_is_never_replaced(tmp_path: Path) -> None:
    def compile_it(_: int) -> int:
        return compile_breakout(tmp_path / "cache").stat().st_ino

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(compile_it, range(6)))) == 1


def test_the_doctor_finds_a_working_sandbox_sound(bubblewrap: BubblewrapSandbox, cache: Path) -> None:
    findings = diagnose(cache)
    assert [finding for finding in findings if not finding.ok and finding.needed] == []
    names = {finding.name for finding in findings}
    assert {"bubblewrap: no network", "bubblewrap: no rights", "landlock", "sandbox", "CPU limit"} <= names


def test_the_fake_answers_and_remembers(tmp_path: Path) -> None:
    fake = FakeSandbox(lambda command: exited(3, stdout=command.stdin))
    sandbox: Sandbox = fake
    seen = sandbox.run(Command(argv=("x",), stdin=b"echo"), tmp_path)
    assert (seen.exit_code, seen.stdout) == (3, b"echo")
    assert [command.argv for command in fake.commands] == [("x",)]
