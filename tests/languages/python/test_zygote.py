"""Forks of a warm interpreter against new processes: whatever a program does, both must show the same."""

import dataclasses
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from repairlab.core import recipe
from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.core.recipe import Build
from repairlab.languages.language import Report, Tools
from repairlab.languages.python.interpreters import ask, home_of, libraries
from repairlab.languages.python.toolchain import PythonToolchain
from repairlab.sandbox.process import landlock_version
from repairlab.sandbox.sandbox import Runner, Sandbox
from tests.conftest import without_places

LIMITS = Limits(cpu_s=10, wall_s=60, memory_mb=512)
PYTEST = recipe.Test(framework="pytest", files=("tests/**",))
UNITTEST = recipe.Test(framework="unittest", files=("tests/**",))


class Both:
    """A tree over which commands run as new processes, and as forks."""

    def __init__(self, tree: Path, sandbox: Sandbox, slot: Runner, toolchain: PythonToolchain) -> None:
        self.tree, self.toolchain, self.slot, self._sandbox = tree, toolchain, slot, sandbox

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run(self, command: Command) -> tuple[Execution, Execution]:
        """Return what came of a new process, and of a fork."""
        assert command.forks
        command = command.under(LIMITS)
        return self._sandbox.run(command, self.tree), self.slot.run(command, self.tree)

    def program(self, source: str, stdin: bytes = b"") -> tuple[Execution, Execution]:
        self.write({"main.py": source})
        return self.run(dataclasses.replace(self.toolchain.program(Build(), recipe.Test()), stdin=stdin))

    def reports(self, test: recipe.Test, tests: Sequence[str]) -> tuple[Report, Report]:
        found = []
        for number in range(2):  # every command has a nonce of its own
            (batch,) = self.toolchain.batches(Build(), test, tests, stop=False)
            found.append(self.toolchain.report(test, batch, self.run(batch.command)[number]))
        return found[0], found[1]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox, tools: Tools) -> Iterator[Both]:
    tree = tmp_path_factory.mktemp("tree")
    with sandbox.slot(tree) as slot:
        yield Both(tree, sandbox, slot, PythonToolchain(tools))


@pytest.fixture
def both(pair: Both) -> Both:
    """Return an empty tree; its fork servers stay from test to test."""
    for path in pair.tree.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return pair


def seen(execution: Execution) -> tuple[object, ...]:
    output = (without_places(text.decode("latin-1")) for text in (execution.stdout, execution.stderr, execution.report))
    return *output, execution.ending, execution.exit_code, execution.signal


PROBE = """
import os, sys
print(sorted(os.listdir("/proc/self/fd")), open("/proc/self/environ").read().replace(chr(0), " ").split(), dict(os.environ))
print(sys.argv, sys.orig_argv, sys.path, sys.flags, sorted(sys.modules), sys.meta_path, sorted(sys.path_importer_cache))
print({name: type(value) for name, value in globals().items()}, __file__, __name__, __spec__)
for s in (sys.stdin, sys.stdout, sys.stderr):
    print(s.name, s.mode, s.encoding, s.errors, s.line_buffering, s.write_through, s.isatty(), s.fileno(), s.seekable())
print(sys.stdin.tell(), input(), sys.stdin.readline(), sys.stdin.buffer.tell(), sys.stdin.read())
sys.stdin.seek(0)
print(sys.stdin.buffer.read())
import ctypes, gc, resource, signal, threading, warnings
print([signal.getsignal(number) for number in range(1, 32)], signal.pthread_sigmask(0, []))
print(threading.main_thread() is threading.current_thread(), threading.main_thread().native_id == os.getpid())
print(os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid(), os.umask(0o22), os.getcwd(), os.nice(0))
print([resource.getrlimit(number) for number in range(16) if number != resource.RLIMIT_NPROC])
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))  # PR_GET_DUMPABLE
print(sys.getrecursionlimit(), warnings.filters, gc.get_threshold(), gc.isenabled(), hash("text"))
os.write(3, b"report")
sys.stderr.write("error\\n")
"""


def test_a_program_finds_the_same_surroundings(both: Both) -> None:
    poison = "print('of the tree')\n"
    both.write({"sitecustomize.py": poison, "usercustomize.py": poison, "_zygote.py": poison})
    fresh, forked = both.program(PROBE, b"one\ntwo\nthree\nfour")
    assert fresh.succeeded, fresh.stderr
    assert b"of the tree" not in fresh.stdout
    assert without_places(forked.stdout.decode()).splitlines() == without_places(fresh.stdout.decode()).splitlines()
    assert seen(forked) == seen(fresh)


def test_a_fork_is_one(both: Both) -> None:
    fresh, forked = both.program("import os\nprint(os.getppid())\n")
    assert forked.stdout != fresh.stdout


@pytest.mark.skipif(landlock_version() < 6, reason="before Linux 6.12 a fork is kept from its own server alone")
def test_a_fork_can_signal_nobody_but_its_own_processes(both: Both) -> None:
    code = """
import os, subprocess
child = subprocess.Popen(["sleep", "60"])
def reach(pid):
    try: os.kill(pid, 0)
    except OSError: return False
    return True
print([pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if reach(pid)] == [os.getpid(), child.pid])
os.mkdir(os.environ["TMPDIR"] + "/one"), os.mkdir(os.environ["TMPDIR"] + "/two")
open(os.environ["TMPDIR"] + "/one/file", "w").close()
os.rename(os.environ["TMPDIR"] + "/one/file", os.environ["TMPDIR"] + "/two/file")
"""
    _, forked = both.program(code)
    assert (forked.stdout, forked.stderr) == (b"True\n", b"")


ENDS = {
    "falls off the end": "print('x', end='')",
    "exit code": "import sys\nprint('x')\nsys.exit(7)",
    "exit text": "raise SystemExit('text')",
    "exit zero": "print('x')\nexit(0)",
    "exit without __file__": "import sys\ndel __file__\nprint('x')\nsys.exit(0)",
    "exit code without __file__": "import sys\ndel __file__\nprint('x')\nsys.exit(3)",
    "exit code of a function": "import sys\ndef f(): sys.exit(4)\nprint('x')\nf()",
    "hook that forgets": "import sys\ndef f(*_): del sys.last_type, sys.last_value\nsys.excepthook = f\n1 / 0",
    "exception": "print('x')\n1 / 0",
    "exception in an exception": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    print('x')\n    {}['y']",
    "exception of its own": "class E(Exception):\n    def __str__(self): return 'own'\nraise E",
    "exception with a finaliser": "class D:\n    def __del__(self): print('del')\ndef f():\n    d = D()\n    1 / 0\nf()",
    "exception that is none": "class E(BaseException): pass\nprint('x')\nraise E",
    "own hook": "import sys\nsys.excepthook = lambda *_: print('hook')\n1 / 0",
    "interrupt": "raise KeyboardInterrupt",
    "at once": "import os\nprint('lost')\nos._exit(3)",
    "signal": "import os\nos.kill(os.getpid(), 11)",
    "finaliser": "class D:\n    def __del__(self): print('del')\nd = D()",
    "finaliser in a cycle": "class D:\n    def __del__(self): print('del')\nd = D()\nd.d = d\ndel d",
    "finaliser in a module": "import os\nclass D:\n    def __del__(self): print('del')\nos.d = D()\ndel D",
    "finaliser without a dictionary": "class D:\n    __slots__ = ()\n    def __del__(self): print('del')\nd = D()",
    "finaliser of a library's class": "import os\nos._Environ.__del__ = lambda self: print('del')",
    "inherited finaliser": "class D:\n    def __del__(self): print('del')\nclass E(D): pass\nd = E()\ndel D, E",
    "generator": "def g():\n    try: yield\n    finally: print('finally')\nit = g()\nnext(it)",
    "coroutine": "async def f(): pass\nc = f()",
    "weak reference": "import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, lambda _: print('gone'))",
    "weak reference to print": "import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, print)\nprint(1)",
    "finalize": "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'finalised')",
    "atexit": "import atexit\natexit.register(print, 'last')\natexit.register(print, 'first')",
    "atexit raises": "import atexit\natexit.register(lambda: 1 / 0)\nprint('x')",
    "atexit registers": "import atexit\natexit.register(lambda: atexit.register(print, 'late'))",
    "atexit cleared": "import atexit\natexit._clear()\nprint('x')",
    "atexit run": "import atexit\natexit.register(print, 'a')\natexit._run_exitfuncs()\nprint('x')",
    "file on descriptor 1": "import os\nf = os.fdopen(1, 'w', closefd=False)\nf.write('unflushed')",
    "wrapped output": "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, write_through=False)\nprint('x')",
    "replaced output": "import io, sys\nsys.stdout = io.StringIO()\nprint('x')\nsys.__stdout__.write('original')",
    "own output": "import sys\nclass Out:\n    def write(self, s): sys.__stdout__.write(s)\nsys.stdout = Out()\nprint('x')",
    "closed output": "import sys\nprint('x')\nsys.stdout.close()",
    "closed descriptor": "import os\nprint('x')\nos.close(1)",
    "buffer": "import sys\nsys.stdout.buffer.write(b'x')\nsys.stdout.write('y')",
    "bytes in memory": "import io, os, sys\ninput = io.BytesIO(os.read(0, 99)).readline\nprint(input())",
    "thread": "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()",
    "daemon thread": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\nprint('x')",
    "low thread": "import _thread, time\n_thread.start_new_thread(time.sleep, (9,))\nprint('x')",
    "C library": "import ctypes\nctypes.CDLL(None).printf(b'from C')",
    "odd modules": "import sys\nsys.modules['a'] = None\nsys.modules['b'] = 3\nprint('x')",
    "changed builtins": "import builtins\nbuiltins.all = lambda *_: True\nbuiltins.map = None\nprint('x')",
    "odd classes": "class M(type):\n    def __getattr__(c, n): print(n)\nclass A(metaclass=M): pass\nprint('x')",
    "many objects": "x = None\nfor _ in range(300000): x = [x]\nprint('x')",
    "usual imports": "import bisect, collections, functools, heapq, itertools, math, random, re, string\nprint(math.pi)",
    "child": "import os\nif os.fork(): print('parent', os.wait()[1])\nelse: print('child')",
    "child that exits": "import os, sys\nif os.fork(): print('parent', os.wait()[1])\nelse: sys.exit(5)",
    "multiprocessing": "import multiprocessing as m\nif __name__ == '__main__':\n    p = m.Process(target=print, args=('x',))\n"
    "    p.start()\n    p.join()\n    print(p.exitcode)",
    "syntax error": "print('x'",
    "deep recursion": "def f(n): return f(n + 1)\nf(0)",
    "collection": "import gc\nclass D:\n    def __del__(self): print('del')\nd = D()\nd.d = d\ndel d\nprint(gc.collect())",
}


@pytest.mark.parametrize("source", ENDS.values(), ids=ENDS)
def test_a_program_ends_in_the_same_way(both: Both, source: str) -> None:
    fresh, forked = both.program(source, b"line\n")
    assert seen(forked) == seen(fresh)


def _without_places(text: bytes, tree: Path) -> bytes:
    return re.sub(rb"0x[0-9a-f]+", b"0x", text.replace(os.fsencode(tree), b"/work").replace(b"/tree/", b"/work/"))


@pytest.mark.parametrize("source", ENDS.values(), ids=ENDS)
def test_a_program_ends_as_in_an_interpreter_that_is_not_ours(both: Both, source: str) -> None:
    _, forked = both.program(source, b"line\n")
    fixed = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    plain = subprocess.run([sys.executable, "main.py"], cwd=both.tree, env=fixed, input=b"line\n", capture_output=True, check=False)
    assert _without_places(forked.stdout, both.tree) == _without_places(plain.stdout, both.tree)
    assert _without_places(forked.stderr, both.tree) == _without_places(plain.stderr, both.tree)
    assert (forked.exit_code if forked.signal is None else -forked.signal) == plain.returncode


def test_a_script_and_what_it_imports_are_read_anew(both: Both) -> None:
    main = "try:\n    import helper\nexcept ImportError:\n    helper = None\nprint(helper and helper.x)\n"
    for files, printed in (
        ({}, "None"),
        ({"helper.py": "x = 1\n"}, "1"),
        ({"helper.py": "x = 2\n"}, "2"),
        ({"helper.py": "import other\nx = other.x\n", "other.py": "x = 3\n"}, "3"),
        ({"other.py": "x = 4\n"}, "4"),
    ):
        both.write(files)
        for _ in range(2):
            assert both.program(main)[1].stdout.decode() == f"{printed}\n"
    both.write({"other.py": "raise ValueError\n"})
    assert b"ValueError" in both.program(main)[1].stderr


IMPORTS = {
    "twice": "import helper, sys\ndel sys.modules['helper']\none = helper\nimport helper\nprint(one is helper, one.x, helper.x)",
    "another folder first": "import sys\nsys.path.insert(0, 'other')\nimport helper\nprint(helper.x, helper.__file__)",
    "another finder": (
        "import sys\nclass Finder:\n    def find_spec(self, name, path=None, target=None): print('asked for', name)\n"
        "sys.meta_path.insert(1, Finder())\nimport helper\nprint(helper.x)"
    ),
    "no finder": "import sys\nsys.meta_path.clear()\ntry:\n    import helper\nexcept ImportError as error: print(error)",
    "what a module knows of itself": "import helper\nprint(helper.__spec__, helper.__file__, helper.__cached__, helper.__loader__)",
    "by name": "import importlib.util\nprint(importlib.import_module('helper').x, importlib.util.find_spec('helper'))",
    "an error": "try:\n    import broken\nexcept Exception:\n    import traceback\n    traceback.print_exc()",
    "what hooks hear": (
        "import sys\nsys.addaudithook(lambda event, arguments: event == 'compile' and print(event, arguments))\nimport helper"
    ),
}


@pytest.mark.parametrize("source", IMPORTS.values(), ids=IMPORTS)
def test_imports_go_the_same_way(both: Both, source: str) -> None:
    both.write({"helper.py": "x = 1\n", "broken.py": "x = 1\nx / 0\n", "other/helper.py": "x = 2\n"})
    fresh, forked = both.program(source)
    assert seen(forked) == seen(fresh) and fresh.exit_code == 0
    plain = subprocess.run([sys.executable, "-B", "main.py"], cwd=both.tree, capture_output=True, text=True, check=False)
    addresses = re.compile(r"0x[0-9a-f]+|/[\w/.-]*/(?=\w+\.py)|/[\w/.-]*/(?=__pycache__)")
    assert addresses.sub("", forked.stdout.decode()) == addresses.sub("", plain.stdout)


def test_warnings_of_the_compiler_are_said_in_every_run(both: Both) -> None:
    for _ in range(2):
        fresh, forked = both.program("print(1 is 1)\n")
        assert b"SyntaxWarning" in fresh.stderr
        assert seen(forked) == seen(fresh)


def test_a_script_that_takes_long_to_compile_meets_the_limit_of_a_run(both: Both) -> None:
    both.write({"main.py": f"x = {'+'.join(['(lambda: 0)'] * 400_000)}\n"})
    command = dataclasses.replace(both.toolchain.program(Build(), recipe.Test()), forks=True)
    limits = dataclasses.replace(LIMITS, cpu_s=0.5)
    assert both.slot.run(command.under(limits), both.tree).ending in (Ending.CPU_LIMIT, Ending.MEMORY_LIMIT, Ending.SIGNALLED)
    assert both.program("print('alive')\n")[1].stdout == b"alive\n"


def test_a_script_in_a_folder_runs_in_the_same_way(both: Both) -> None:
    both.write({"app/__main__.py": "import helper, sys\nprint(sys.path[0], helper.x)\n", "app/helper.py": "x = 1\n"})
    fresh, forked = both.run(both.toolchain.program(Build(), recipe.Test(program="app")))
    assert fresh.succeeded
    assert seen(forked) == seen(fresh)


def test_forks_of_one_server_do_not_meet(both: Both) -> None:
    source = (
        "import builtins, os, sys\nprint(hasattr(builtins, 'mark'), os.environ.get('MARK'), 'json' in sys.modules, os.umask(0))\n"
    )
    source += "builtins.mark = os.environ['MARK'] = 'x'\nimport json\nos.nice(5)\nprint(os.nice(0))\nos.chdir('/')\n"
    first, again = both.program(source)[1], both.program(source)[1]
    assert first.succeeded
    assert seen(first) == seen(again)


def test_a_fork_can_neither_read_nor_signal_its_server(both: Both) -> None:
    source = """
import os, signal
server = os.getppid()
def attempt(what, *arguments):
    try: what(*arguments)
    except OSError as error: print(type(error).__name__)
    else: print("done")
attempt(open, f"/proc/{server}/mem", "r+b")
attempt(open, f"/proc/{server}/environ")
attempt(os.listdir, f"/proc/{server}/fd")
for number in (0, signal.SIGKILL, signal.SIGSTOP):
    attempt(os.kill, server, number)
attempt(os.kill, -server, signal.SIGKILL)
"""
    _, forked = both.program(source)
    assert forked.ending is Ending.EXITED
    assert b"done" not in forked.stdout
    assert both.program("print('alive')\n")[1].stdout == b"alive\n"


def test_build_check_is_the_same(both: Both) -> None:
    for source in ("x = 1\n", "x = (\n"):
        both.write({"a.py": source, "b.py": ""})
        (command,) = both.toolchain.build(Build(), recipe.Test(), ["a.py", "b.py"])
        fresh, forked = both.run(command)
        assert seen(forked) == seen(fresh)


SURROUNDINGS = """
import os, sys
files = sorted(map(int, os.listdir("/proc/self/fd")))  # the last one is the report's, at a random number
assert False, (sorted(sys.modules), sys.path, sys.argv, dict(os.environ), os.getcwd(), files[:5])
"""
TESTS = """
import sys, unittest
from shop import total

class Case(unittest.TestCase):
    def test_method(self): self.assertEqual(total([]), 1)
    def test_good(self): self.assertEqual(total([]), 0)
    def test_exit(self): sys.exit(1)
"""
PYTEST_TESTS = """
import pytest

def test_pass(tmp_path, capsys, monkeypatch, one): assert total([one, 2]) == 3
def test_fail(): assert total([1, 2]) == 4, "message"
@pytest.mark.parametrize("x", [1, 2])
def test_param(x): assert x != 2
"""
CONFTEST = "import pytest\n@pytest.fixture\ndef one(): return 1\n"


def facts(report: Report) -> list[tuple[object, ...]]:
    told = [(result.id, result.verdict, without_places(result.message)) for result in report.results]
    return [*told, (report.unfinished, without_places(report.error))]


def test_suites_of_pytest_have_the_same_results(both: Both) -> None:
    both.write({"shop.py": "total = sum\n", "tests/test_a.py": TESTS + PYTEST_TESTS, "tests/conftest.py": CONFTEST})
    names = ["test_pass", "test_fail", "test_param[1]", "test_param[2]", "Case::test_method", "Case::test_good", "test_nowhere"]
    for _ in range(2):
        fresh, forked = both.reports(PYTEST, [f"tests/test_a.py::{name}" for name in names])
        assert [result.verdict.name for result in fresh.results].count("PASSED") == 3
        assert facts(forked) == facts(fresh)


def test_suites_of_unittest_have_the_same_results(both: Both) -> None:
    both.write({"shop.py": "total = sum\n", "tests/test_a.py": TESTS})
    fresh, forked = both.reports(UNITTEST, [f"tests.test_a.Case.test_{name}" for name in ("method", "good", "exit", "nowhere")])
    assert [result.verdict.name for result in fresh.results].count("PASSED") == 1
    assert facts(forked) == facts(fresh)


@pytest.mark.parametrize(("test", "name"), [(PYTEST, "tests/test_a.py::test_x"), (UNITTEST, "tests.test_a.test_x")])
def test_code_under_test_finds_the_same_surroundings(both: Both, test: recipe.Test, name: str) -> None:
    both.write({"tests/__init__.py": "", "tests/test_a.py": SURROUNDINGS})
    fresh, forked = both.reports(test, [name])
    assert "AssertionError" in fresh.error
    assert facts(forked) == facts(fresh)


def test_forks_of_a_server_that_got_ready_for_a_file_that_cannot_be_loaded_say_the_same(
    tmp_path: Path, sandbox: Sandbox, tools: Tools
) -> None:
    with sandbox.slot(tmp_path) as slot:
        alone = Both(tmp_path, sandbox, slot, PythonToolchain(tools))
        alone.write({"tests/__init__.py": "", "tests/test_a.py": "import a_package_that_is_missing\n"})
        fresh, forked = alone.reports(PYTEST, ["tests/test_a.py::test_x"])
    assert fresh.error.startswith("tests/test_a.py: ModuleNotFoundError: No module named 'a_package_that_is_missing'\n")
    assert facts(forked) == facts(fresh)


def test_a_candidate_is_read_anew_by_every_fork(both: Both) -> None:
    both.write({"tests/test_a.py": TESTS})
    for source, verdict in (("total = sum\n", "PASSED"), ("total = str\n", "WRONG"), ("total = sum\n", "PASSED")):
        both.write({"shop.py": source})
        _, forked = both.reports(PYTEST, ["tests/test_a.py::Case::test_good"])
        assert [result.verdict.name for result in forked.results] == [verdict]


PLAIN = """
import collections, decimal, logging, statistics, sys, unittest, warnings
import pytest
from rules import total
@pytest.fixture
def one():
    yield 1
    assert total([1]) == 1
@pytest.fixture
def late():
    yield 2
    raise OSError("late")
def test_pass(one): assert total([one, 2]) == 3 and statistics.mean([1, 3]) == 2
def test_fail(one):
    print("said")
    assert total([one, 2]) == decimal.Decimal(4)
def test_setup(late, missing): pass
def test_teardown(late): pass
def test_both(late): assert False
def test_skip(): pytest.skip("not now")
def test_xfail(): pytest.xfail("known")
def test_warns(): warnings.warn("old", DeprecationWarning)
def test_logs(caplog): logging.warning("x"); assert "x" in caplog.text
def test_prints(capsys): print("x"); assert capsys.readouterr().out == "x\\n"
def test_asks(request): assert request.node.name == "test_asks"
def test_basic(): logging.basicConfig(); assert logging.getLogger().handlers
def test_leaves(): raise SystemExit(0)
@pytest.mark.skip
def test_marked(): pass
@pytest.mark.parametrize("x", [1, 2])
class TestMany:
    def test_param(self, x): assert x != 2
class Case(unittest.TestCase):
    def test_method(self): self.assertEqual(total([]), 0)
"""
SETTINGS = {
    "none": {},
    "path": {"pytest.ini": "[pytest]\npythonpath = .\naddopts = -ra --strict-markers\n"},
    "errors": {"pytest.ini": "[pytest]\nfilterwarnings = error\n"},
    "own warning": {"pytest.ini": "[pytest]\nfilterwarnings = error::rules.Old\n"},
    "own plugin": {
        "pytest.ini": "[pytest]\naddopts = -p plugin\n",
        "plugin.py": "import rules\ndef pytest_runtest_call(): print(1)\n",
    },
    "conftest": {"tests/conftest.py": "import rules, pytest\n@pytest.fixture(autouse=True)\ndef two(): rules.total([])\n"},
    "log file": {"pytest.ini": "[pytest]\nlog_file = here.log\n"},
    "unknown option": {"pytest.ini": "[pytest]\naddopts = --unknown\n"},
    "setup only": {"pytest.ini": "[pytest]\naddopts = --setup-only\n"},
    "other folder": {"tests/pytest.ini": "[pytest]\npython_functions = nothing_*\n"},
}


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_whatever_pytest_is_told_its_results_are_the_same(
    tmp_path: Path, sandbox: Sandbox, tools: Tools, settings: dict[str, str]
) -> None:
    rules = "class Old(Warning): pass\ndef total(xs): return sum(xs)\n"
    functions = [line.split("(")[0].removeprefix("def ") for line in PLAIN.splitlines() if line.startswith("def test")]
    names = [*functions, "TestMany::test_param[1]", "TestMany::test_param[2]", "Case::test_method", "test_nothing"]
    with sandbox.slot(tmp_path) as slot:
        both = Both(tmp_path, sandbox, slot, PythonToolchain(tools))
        both.write({"rules.py": rules, "tests/test_a.py": PLAIN, **settings})
        new, forked = both.reports(PYTEST, [f"tests/test_a.py::{name}" for name in names])
        alone = [_alone(both.toolchain.loading(), slot, tmp_path, f"tests/test_a.py::{name}") for name in names]
    assert facts(new) == facts(forked)
    assert len(new.results) == len(names)
    verdicts = {result.id: result.verdict for result in new.results}
    assert {result.id: result.verdict for report in alone for result in report.results} == verdicts


LOADED = """import os, threading
import pytest
with open("/proc/self/stat") as file: loaded_by = file.read().split()[0]
@pytest.fixture(scope="session")
def seen(): return []
def test_a(seen): seen.append(1); assert (seen, loaded_by == str(os.getpid())) == ([1], {own})
def test_b(seen): seen.append(1); assert (seen, loaded_by == str(os.getpid())) == ([1], {own})
"""


@pytest.mark.parametrize("conftest", [False, True])
def test_single_tests_can_find_their_file_loaded_and_nothing_run(
    tmp_path: Path, sandbox: Sandbox, tools: Tools, conftest: bool
) -> None:
    assert _passes_alone(LOADED.format(own=False), tmp_path, sandbox, tools, conftest=conftest)


@pytest.mark.parametrize(
    "line",
    ["threading.Thread(target=threading.Event().wait, daemon=True).start()", "opened = open(__file__)"],
    ids=["thread", "file"],
)
def test_a_file_that_has_what_a_fork_lacks_is_loaded_by_each_test(
    tmp_path: Path, sandbox: Sandbox, tools: Tools, line: str
) -> None:
    assert _passes_alone(f"{LOADED.format(own=True)}\n{line}\n", tmp_path, sandbox, tools, conftest=False)


def _alone(toolchain: PythonToolchain, slot: Runner, tree: Path, name: str) -> Report:
    (batch,) = toolchain.batches(Build(), PYTEST, [name], stop=False)
    return toolchain.report(PYTEST, batch, slot.run(batch.command.under(LIMITS), tree))


def _passes_alone(text: str, tree: Path, sandbox: Sandbox, tools: Tools, *, conftest: bool) -> bool:
    (tree / "test_it.py").write_text(text)
    if conftest:
        (tree / "conftest.py").write_text("import pytest\n@pytest.fixture\ndef one(): return 1\n")
    with sandbox.slot(tree) as slot:
        reports = [_alone(PythonToolchain(tools).loading(), slot, tree, f"test_it.py::{name}") for name in ("test_a", "test_b")]
    passed = [result.passed for report in reports for result in report.results]
    return passed == [True, True]


@pytest.mark.parametrize("path", ["conftest.py", "sub/pyproject.toml", "decimal.py", "src/json/tool.py"])
def test_a_candidate_that_pytest_or_the_library_would_see_first_is_not_forked(tools: Tools, path: str) -> None:
    shared = PythonToolchain(tools).shared(Build(), tree=Path(), changing="a.py", tests=["tests/test_a.py::test_x"])
    shared.prepare(PYTEST, ["a.py", "random.py", "tests/test_a.py"])

    def forks(changed: dict[str, str | None]) -> bool:
        (batch,) = shared.toolchain(changed).batches(Build(), PYTEST, ["tests/test_a.py::test_x"], stop=False)
        return batch.command.forks

    assert forks({"a.py": "", "random.py": "", "b.py": ""})
    assert not forks({"a.py": "", path: ""})
    assert not forks({"a.py": "import sys\nprint(sys.modules)\n"})


def test_the_file_that_candidates_change_is_compiled_by_their_own_test_processes(tools: Tools) -> None:
    shared = PythonToolchain(tools).shared(Build(), tree=Path(), changing="a.py")
    (command,) = shared.prepare(PYTEST, ["a.py", "b.py", "tests/test_a.py"])
    (batch,) = shared.toolchain({"b.py": ""}).batches(Build(), PYTEST, ["tests/test_a.py::test_x"], stop=False)
    assert command.stdin == b"b.py"
    assert json.loads(batch.command.stdin)["build"] == ["a.py", "b.py"]
    assert not shared.prepare(PYTEST, ["a.py", "tests/test_a.py"])


@pytest.mark.parametrize("variable", ["PYTHONPATH", "PYTHONSAFEPATH", "LD_PRELOAD"])
def test_a_program_that_may_load_files_of_the_tree_first_is_not_forked(tools: Tools, variable: str) -> None:
    toolchain = PythonToolchain(tools)
    assert not toolchain.program(Build(), recipe.Test(env=((variable, "src"),))).forks
    assert toolchain.program(Build(), recipe.Test(env=(("MODE", "fast"),))).forks


def test_tests_in_an_environment_are_forked_when_all_is_loaded_not_when_the_interpreter_starts(
    tmp_path: Path, tools: Tools
) -> None:
    interpreter, cache = ask(sys.executable), Path(tools.cache)
    python = home_of(interpreter, cache, bare=True) / "bin" / f"python{interpreter.release}"
    subprocess.run([python, "-m", "venv", "--without-pip", tmp_path / "environment"], check=True)
    runner = home_of(interpreter, cache) / "runners/python_unittest.py"
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    (tmp_path / "tree").mkdir()
    script = f"exec {tmp_path}/environment/bin/python -s {runner} 3>/dev/null 4<&0 </dev/null"
    command = ["/bin/sh", "-c", script]
    env = {**dict(libraries(python.parent.parent)), "REPAIRLAB_FORK_SERVER": "4"}
    with ours, theirs, subprocess.Popen(command, cwd=tmp_path / "tree", env=env, stdin=theirs.fileno()) as server:
        theirs.close()
        said = ours.recv(16)
        server.kill()
    assert said == b"trees"


@pytest.mark.slow
def test_without_a_compiler_nothing_is_forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ldd").symlink_to(shutil.which("ldd") or "")
    monkeypatch.setenv("PATH", os.fspath(tmp_path / "bin"))
    assert not PythonToolchain(Tools(cache=str(tmp_path / "cache"))).program(Build(), recipe.Test()).forks


@pytest.mark.slow
@pytest.mark.parametrize("python", ["/usr/bin/python3", "/usr/bin/python3.12", "/usr/bin/python3.13"])
def test_other_interpreters_fork_in_the_same_way(tmp_path: Path, sandbox: Sandbox, python: str) -> None:
    if not Path(python).exists():
        pytest.skip(f"{python} is not installed")
    toolchain = PythonToolchain(Tools(cache=str(tmp_path / "cache"), python=python))
    (tmp_path / "tree").mkdir()
    with sandbox.slot(tmp_path / "tree") as slot:
        pair = Both(tmp_path / "tree", sandbox, slot, toolchain)
        for source in (PROBE, *ENDS.values()):
            fresh, forked = pair.program(source, b"one\ntwo\n")
            assert seen(forked) == seen(fresh)
