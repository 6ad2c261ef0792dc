"""A validator in threads, in processes that are forked or spawned, and at the end of all of these: nothing is left behind.

Each case is a program of its own, started by one that inherits all its orphans, so that whatever is left can be counted.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repairlab.sandbox.sandbox import Sandbox

ROOT = Path(__file__).parent.parent
REAPER = """\
import ctypes, os, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1)  # orphans below this process become children of it
code = subprocess.run(sys.argv[1:]).returncode
def left():
    listed = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "stat=,args="], capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if not line.startswith("Z") and "ps --ppid" not in line]
end = time.monotonic() + 60
while left() and time.monotonic() < end:
    time.sleep(0.1)  # they are ending
print("left:", left())
sys.exit(code)
"""
HEAD = """\
import gc, multiprocessing, os, subprocess, sys, threading
import repairlab as rl

FIXED = "def total(self):\\n        return sum(self.prices)\\n"
WRONG = "def total(self):\\n        return 4\\n"

def codes(outcomes):
    return " ".join(outcome.verdict.code for outcome in outcomes)

def below_me():
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,args="], capture_output=True, text=True).stdout.splitlines()
    rows = [(int(pid), int(parent)) for pid, parent, args in (line.split(None, 2) for line in listed) if "ps -e" not in args]
    found, last = set(), {os.getpid()}
    while last:
        last = {pid for pid, parent in rows if parent in last}
        found |= last
    return found

def judge(validator, patches):
    print(codes(validator.map(patches, workers=1)), flush=True)

def open_validator():
    return rl.Validator(rl.load(sys.argv[1])["shop"], cache=False, workers=2)

if __name__ == "__main__":
"""
CASES = {
    "all ways to use one": (
        """\
    with open_validator() as validator:
        judge(validator, [FIXED])
        before = below_me()

        found = {}
        def work(number):
            found[number] = codes(validator.map([WRONG, FIXED], workers=1))
        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("threads:", sorted(found.values()), flush=True)

        for method in ("fork", "spawn"):
            child = multiprocessing.get_context(method).Process(target=judge, args=(validator, [WRONG, FIXED]))
            child.start()
            child.join()
            print(method, child.exitcode, flush=True)

        pid = os.fork()
        if pid == 0:
            del validator
            gc.collect()
            sys.exit()  # with all that is done at the end of a process, which must not harm the parent's
        print("fork that does nothing:", os.waitpid(pid, 0)[1], before <= below_me(), flush=True)

        for worker in validator._pool._by_process[os.getpid()]._idle:
            os.kill(worker.pid, 9)
        judge(validator, [WRONG])

        threading.Timer(0.3, lambda: os.kill(os.getpid(), 2)).start()
        try:
            while True:
                validator.validate(WRONG)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        judge(validator, [FIXED])
""",
        "AC\nthreads: ['WA AC', 'WA AC']\nWA AC\nfork 0\nWA AC\nspawn 0\nfork that does nothing: 0 True\nWA\ninterrupted\nAC",
    ),
    "forks that outlive it, then garbage, then an exception": (
        """\
    with open_validator() as validator:
        judge(validator, [FIXED])
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(write)
            os.read(read, 1)  # until the parent has closed its own
            sys.exit()
    print("closed", flush=True)
    os.close(write)
    os.waitpid(pid, 0)

    judge(open_validator(), [FIXED])
    gc.collect()
    for thread in threading.enumerate():
        if thread is not threading.main_thread(): thread.join()
    print("children:", len(below_me()), flush=True)  # the one that starts workers, for the next

    validator = open_validator()
    judge(validator, [FIXED])
    raise SystemExit(1 // 0)
""",
        "AC\nclosed\nAC\nchildren: 1\nAC",
    ),
    "a pool of forks, as of a data loader, none of them closed": (
        """\
    validator = open_validator()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(codes(pool.map(validator.validate, [WRONG, FIXED, WRONG, FIXED], chunksize=2)))
        pool.close()
        pool.join()
""",
        "WA AC WA AC",
    ),
    "killed": (
        """\
    validator = open_validator()
    judge(validator, [FIXED])
    os.kill(os.getpid(), 9)
""",
        "AC",
    ),
}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for the temporary files of all programs: a sandbox is proved anew in each."""
    made = tmp_path_factory.mktemp("scratch")
    for folder in (made, *made.parents[:2]):
        folder.chmod(folder.stat().st_mode | 0o055)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_validator_works_and_leaves_no_process_behind(
    case: str, tiny: Path, tmp_path: Path, scratch: Path, sandbox: Sandbox
) -> None:
    program, said = CASES[case]
    script = tmp_path / "program.py"
    script.write_text(HEAD + program, encoding="utf-8")
    for left in scratch.iterdir():  # by one that was killed
        shutil.rmtree(left, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-c", REAPER, sys.executable, str(script), str(tiny)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(scratch)},
    )
    assert done.stdout == f"{said}\nleft: []\n", done.stderr
    if case != "killed":  # what that leaves is removed by the next run
        assert [path.name for path in scratch.iterdir()] == []
