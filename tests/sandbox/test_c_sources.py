"""The C programs of the sandbox read clean under strict warnings and clang's analyzer, and run clean under sanitizers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import repairlab

PACKAGE = Path(repairlab.__file__).parent
LAUNCHER = sorted((PACKAGE / "sandbox/launcher").glob("*.c"))
SOURCES = [
    *LAUNCHER,
    PACKAGE / "sandbox/breakout.c",
    PACKAGE / "sandbox/gate.c",
    *sorted((PACKAGE / "languages/python/zygote").glob("*.c")),
]
SANITIZERS = "-g -fsanitize=address,undefined -fno-sanitize-recover=all"
NO_LEAKS = """const char *__asan_default_options(void);
__attribute__((weak)) const char *__asan_default_options(void) { return "detect_leaks=0"; }
"""
"""What a process has when it ends is no leak, and the search for leaks hangs where a process may not trace itself."""
ESSENTIALS = """
    did_to_its_tree or forks_of_a_server or three_channels or busy_loop or closed_to_us or sleeping_fork or filling_the
    or fork_bomb_is or before_and_after or breaks_out or whole_tree_dies
    or its_input_and_its_channels or forks_are_as_good or a_run_that_is_stopped or put_back_before_the_next
"""


def test_there_is_something_to_read() -> None:
    assert len(LAUNCHER) > 8
    assert max(len(source.read_text().splitlines()) for source in SOURCES) < 400


def test_the_compiler_has_nothing_to_say(tmp_path: Path) -> None:
    for source in SOURCES:
        argv = [
            "gcc",
            "-O2",
            "-fPIC",
            "-Wall",
            "-Wextra",
            "-Wconversion",
            "-Werror",
            "-c",
            str(source),
            "-o",
            str(tmp_path / "object"),
        ]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
def test_the_analyzer_has_nothing_to_say(tmp_path: Path) -> None:
    argv = ["clang", "--analyze", "-Xanalyzer", "-analyzer-output=text", *map(str, SOURCES)]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.hostile
def test_the_launcher_runs_clean_under_sanitizers(tmp_path: Path) -> None:
    (tmp_path / "probe.c").write_text("int main(void) { return 0; }\n")
    probe = ["gcc", *SANITIZERS.split(), "-o", str(tmp_path / "probe"), str(tmp_path / "probe.c")]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        pytest.skip("the compiler has no sanitizers")
    (tmp_path / "options.h").write_text(NO_LEAKS)
    files = [
        str(Path(__file__).with_name(f"test_{name}.py"))
        for name in ("contract", "slot", "private", "leftovers", "isolation", "series")
    ]
    wanted = f"({' '.join(ESSENTIALS.split())}) and bubblewrap"
    argv = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-k", wanted, *files]
    environment = os.environ | {"REPAIRLAB_LAUNCHER_FLAGS": f"{SANITIZERS} -include {tmp_path}/options.h"}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
