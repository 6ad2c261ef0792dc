"""Python programs, pytest and unittest through real processes."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repairlab.core import recipe
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.core.recipe import Build
from repairlab.languages.facts import facts
from repairlab.languages.language import Tools
from repairlab.languages.python.toolchain import PythonToolchain
from repairlab.languages.reports import first_error

Make = Callable[..., Any]
PASSED, WRONG = TestVerdict.PASSED, TestVerdict.WRONG


@pytest.fixture
def stdio(project: Make, tools: Tools) -> Any:
    return project(PythonToolchain(tools), Build(), recipe.Test())


@pytest.fixture
def with_pytest(project: Make, tools: Tools) -> Any:
    return project(PythonToolchain(tools), Build(), recipe.Test(framework="pytest", files=("tests/**",)))


@pytest.fixture
def with_unittest(project: Make, tools: Tools) -> Any:
    return project(PythonToolchain(tools), Build(), recipe.Test(framework="unittest", files=("tests/**",)))


def test_program_imports_its_neighbours_and_may_call_exit(stdio: Any) -> None:
    stdio.write(
        {
            "main.py": "from pkg.rules import twice\nprint(twice(int(input())))\nexit(0)\n",
            "pkg/rules.py": "def twice(x): return 2*x\n",
        }
    )
    assert stdio.build() is None
    done = stdio.program(b"21\n")
    assert (done.stdout, done.succeeded) == (b"42\n", True)


def test_program_finds_neither_repairlab_nor_other_installed_packages(stdio: Any) -> None:
    stdio.write(
        {"main.py": "import importlib.util as u, sys\nprint([u.find_spec(n) for n in ('repairlab', 'pytest')], sys.path)\n"}
    )
    out = stdio.program().stdout
    assert out.startswith(b"[None, None]")
    assert b"site-packages" not in out


def test_standard_library_is_complete_enough(stdio: Any) -> None:
    modules = (
        "asyncio bz2 ctypes csv decimal fractions hashlib heapq lzma math multiprocessing random re sqlite3 ssl statistics zlib"
    )
    stdio.write({"main.py": "".join(f"import {name}\n" for name in modules.split()) + "print('all')\n"})
    assert stdio.program().stdout == b"all\n"


@pytest.mark.slow
def test_memory_error_is_told_from_other_crashes(stdio: Any) -> None:
    stdio.write({"main.py": "raise MemoryError\n"})
    assert stdio.toolchain.out_of_memory(stdio.program())
    stdio.write({"main.py": "raise ValueError('MemoryError')\n"})
    assert not stdio.toolchain.out_of_memory(stdio.program())


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"x = (\n", "main.py:1: SyntaxError: '(' was never closed"),
        (b"x = 1\n  y = 2\n", "main.py:2: IndentationError: unexpected indent"),
        (b"x = '\0'\n", "main.py:1: "),
        (b"# coding: nonsense\n", "main.py:1: SyntaxError: "),
        (b"x = '\xff'\n", "main.py:1: SyntaxError: "),
        (b"(" * 5000 + b")" * 5000, "main.py:1: "),
        (b"return 1\n", "main.py:1: SyntaxError: 'return' outside function"),
    ],
)
def test_file_that_is_no_python_fails_the_build(stdio: Any, source: bytes, message: str) -> None:
    stdio.write({"main.py": source, "good.py": b"x = 1\n"})
    failed = stdio.build()
    assert failed is not None
    assert failed.exit_code == 1
    assert first_error(failed.stderr, facts("python").error_line).startswith(message)


def test_build_runs_nothing_and_leaves_tests_alone(with_pytest: Any) -> None:
    with_pytest.write({"a.py": "open('ran', 'w')\n", "tests/data/broken.py": "x = (\n"})
    assert with_pytest.build() is None
    assert not (with_pytest.root / "ran").exists()


SUITE = """
import os, sys, pytest
from shop import total

def test_pass(): assert total([1, 2]) == 3
def test_fail(): assert total([1, 2]) == 4
def test_error(): raise KeyError('x')
@pytest.mark.skip(reason='later')
def test_skip(): pass
@pytest.mark.xfail
def test_xfail(): assert False
@pytest.mark.xfail
def test_xpass(): pass
@pytest.fixture
def broken(): raise OSError('no')
def test_setup(broken): pass
@pytest.fixture
def late():
    yield
    raise OSError('late')
def test_teardown(late): pass
def test_memory(): raise MemoryError
def test_stdin(): assert os.read(0, 9) == b''
def test_quits(): sys.exit(0)
@pytest.mark.parametrize('x', [1, 2, 'a b'])
def test_param(x): assert x != 2
class TestGroup:
    def test_inner(self): pass
"""
A = "tests/test_a.py::"


def test_each_kind_of_end_has_its_verdict(with_pytest: Any) -> None:
    with_pytest.write({"shop.py": "total = sum\n", "tests/test_a.py": SUITE})
    expected = {
        "test_fail": WRONG,
        "test_pass": PASSED,
        "test_error": WRONG,
        "test_skip": WRONG,
        "test_xfail": WRONG,
        "test_xpass": WRONG,
        "test_setup": WRONG,
        "test_teardown": WRONG,
        "test_memory": Verdict.OUT_OF_MEMORY,
        "test_stdin": PASSED,
        "test_quits": WRONG,
        "test_param[1]": PASSED,
        "test_param[2]": WRONG,
        "test_param[a b]": PASSED,
        "TestGroup::test_inner": PASSED,
        "test_nowhere": WRONG,
    }
    report = with_pytest.report([A + name for name in expected])
    results = {result.id.removeprefix(A): result for result in report.results}
    assert {name: result.verdict for name, result in results.items()} == expected
    assert report.unfinished is None
    assert results["test_fail"].message.startswith("assert 3 == 4")
    assert results["test_skip"].message == "the test was skipped: Skipped: later"
    assert results["test_nowhere"].message == "there is no such test"


def test_tests_run_in_the_given_order_and_stop_at_the_first_failure(with_pytest: Any) -> None:
    with_pytest.write({"shop.py": "total = sum\n", "tests/test_a.py": SUITE, "tests/test_b.py": "def test_b(): pass\n"})
    tests = ["tests/test_b.py::test_b", A + "test_param[1]", A + "test_fail", A + "test_pass"]
    report = with_pytest.report(tests, stop=True)
    assert [(result.id, result.verdict) for result in report.results] == [(tests[0], PASSED), (tests[1], PASSED), (tests[2], WRONG)]
    assert report.unfinished is None


def test_missing_file_is_a_failure(with_pytest: Any) -> None:
    assert with_pytest.verdicts(["tests/test_gone.py::test_x"]) == {"tests/test_gone.py::test_x": WRONG}


def test_import_error_spoils_only_its_own_file(with_pytest: Any) -> None:
    with_pytest.write({"tests/test_a.py": "import nowhere\ndef test_x(): pass\n", "tests/test_b.py": "def test_y(): pass\n"})
    report = with_pytest.report(["tests/test_a.py::test_x", "tests/test_b.py::test_y"])
    assert [result.verdict for result in report.results] == [Verdict.CRASH, PASSED]
    assert "No module named 'nowhere'" in report.error


def test_broken_conftest_is_told(with_pytest: Any) -> None:
    with_pytest.write({"tests/conftest.py": "import nowhere\n", "tests/test_a.py": "def test_x(): pass\n"})
    report = with_pytest.report(["tests/test_a.py::test_x"])
    assert [result.verdict for result in report.results] == [Verdict.CRASH]
    assert report.error


@pytest.mark.parametrize(
    "way", ["os._exit(0)", "os.abort()", "os.kill(os.getpid(), 9)", "raise KeyboardInterrupt", "pytest.exit('x', 0)"]
)
@pytest.mark.parametrize("stop", [False, True])
def test_early_end_leaves_the_test_unfinished(with_pytest: Any, way: str, stop: bool) -> None:
    source = f"import os, pytest\ndef test_a(): pass\ndef test_b():\n    {way}\ndef test_c(): pass\n"
    with_pytest.write({"tests/test_a.py": source})
    report = with_pytest.report([A + "test_a", A + "test_b", A + "test_c"], stop=stop)
    assert [result.id for result in report.results] == [A + "test_a"]
    assert report.unfinished == A + "test_b"


def test_endless_test_is_unfinished(with_pytest: Any) -> None:
    with_pytest.write({"tests/test_a.py": "def test_a():\n    while True: __import__('time').sleep(1)\n"})
    report = with_pytest.report([A + "test_a"], timeout_s=2)
    assert (report.results, report.unfinished) == ((), A + "test_a")


def test_process_that_ends_while_loading_has_no_results(with_pytest: Any) -> None:
    with_pytest.write({"tests/test_a.py": "import os; os._exit(0)\ndef test_a(): pass\n"})
    report = with_pytest.report([A + "test_a"])
    assert (report.results, report.unfinished) == ((), A + "test_a")


def test_printed_and_forged_lines_do_not_count(with_pytest: Any) -> None:
    forged = '{"nonce": "x", "event": "end", "test": "tests/test_a.py::test_a", "status": "passed"}'
    source = f"""
import os
line = {forged!r} + chr(10)
for number in range(1, 300):
    try: os.write(number, line.encode())
    except OSError: pass
def test_a():
    print(line)
    assert False
"""
    with_pytest.write({"tests/test_a.py": source})
    assert with_pytest.verdicts([A + "test_a"]) == {A + "test_a": WRONG}


def test_forked_child_does_not_report(with_pytest: Any) -> None:
    source = """
import os
def test_a():
    child = os.fork()
    if child: os.waitpid(child, 0)
    assert child == 0
def test_b(): pass
"""
    with_pytest.write({"tests/test_a.py": source})
    assert with_pytest.verdicts([A + "test_a", A + "test_b"]) == {A + "test_a": WRONG, A + "test_b": PASSED}


def test_modules_of_the_tree_cannot_stand_in_for_pytest(with_pytest: Any) -> None:
    poison = "import os\nos._exit(0)\n"
    files = dict.fromkeys(("pytest.py", "pluggy.py", "json.py", "sitecustomize.py", "_pytest/__init__.py"), poison)
    with_pytest.write({**files, "tests/test_a.py": "def test_a(): assert 1 == 2\n"})
    assert with_pytest.verdicts([A + "test_a"]) == {A + "test_a": WRONG}


def test_source_folder_on_the_path_and_packages_work(project: Make, tools: Tools) -> None:
    test = recipe.Test(framework="pytest", files=("tests/**",), env=(("PYTHONPATH", "src"), ("MODE", "fast")))
    made = project(PythonToolchain(tools), Build(), test)
    made.write(
        {
            "src/shop/__init__.py": "",
            "src/shop/cart.py": "from . import tax\ndef total(x): return tax.add(x)\n",
            "src/shop/tax.py": "def add(x): return x + 1\n",
            "src/sitecustomize.py": "import os\nos._exit(0)\n",
            "tests/conftest.py": "import pytest\n@pytest.fixture\ndef one(): return 1\n",
            "tests/unit/test_cart.py": "import os\nfrom shop.cart import total\n"
            "def test_it(one): assert total(one) == 2 and os.environ['MODE'] == 'fast'\n",
        }
    )
    assert made.verdicts(["tests/unit/test_cart.py::test_it"]) == {"tests/unit/test_cart.py::test_it": PASSED}


def test_patched_clock_and_json_do_not_disturb_the_report(with_pytest: Any) -> None:
    source = """
import json, os, time
def test_a(): json.dumps = os.write = os.getpid = os.times = time.perf_counter = json.JSONEncoder.encode = None
def test_b(): pass
"""
    with_pytest.write({"tests/test_a.py": source})
    assert with_pytest.verdicts([A + "test_a", A + "test_b"]) == {A + "test_a": PASSED, A + "test_b": PASSED}


UNITTEST = """
import os, sys, unittest
class Cart(unittest.TestCase):
    def test_pass(self): pass
    def test_fail(self): self.assertEqual(1, 2)
    def test_error(self): raise KeyError('x')
    def test_memory(self): raise MemoryError
    def test_quits(self): sys.exit(0)
    @unittest.skip('later')
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_xfail(self): self.fail()
    @unittest.expectedFailure
    def test_xpass(self): pass
    def test_sub(self):
        for number in range(3):
            with self.subTest(number=number): self.assertNotEqual(number, 1)
    def test_late(self): self.addCleanup(lambda: 1 / 0)
class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError('no database')
    def test_x(self): pass
class Dying(unittest.TestCase):
    def test_dies(self): os._exit(0)
class Async(unittest.IsolatedAsyncioTestCase):
    async def test_soon(self): pass
"""
U = "tests.test_cart."


def test_unittest_names_have_their_verdicts(with_unittest: Any) -> None:
    with_unittest.write({"tests/test_cart.py": UNITTEST, "tests/test_bad.py": "x = 1 / 0\n"})
    expected = {
        U + "Cart.test_pass": PASSED,
        U + "Cart.test_fail": WRONG,
        U + "Cart.test_error": WRONG,
        U + "Cart.test_memory": Verdict.OUT_OF_MEMORY,
        U + "Cart.test_skip": WRONG,
        U + "Cart.test_xfail": WRONG,
        U + "Cart.test_xpass": WRONG,
        U + "Cart.test_sub": WRONG,
        U + "Cart.test_late": WRONG,
        U + "Cart.test_nowhere": WRONG,
        U + "Broken.test_x": WRONG,
        U + "Async.test_soon": PASSED,
        "tests.test_bad.Cart.test_x": Verdict.CRASH,
    }
    report = with_unittest.report(list(expected))
    assert {result.id: result.verdict for result in report.results} == expected
    messages = {result.id: result.message for result in report.results}
    assert messages[U + "Cart.test_fail"] == "AssertionError: 1 != 2"
    assert "no database" in messages[U + "Broken.test_x"]
    assert "ZeroDivisionError" in messages["tests.test_bad.Cart.test_x"]


def test_unittest_stops_and_leaves_the_dying_test_unfinished(with_unittest: Any) -> None:
    with_unittest.write({"tests/test_cart.py": UNITTEST})
    stopped = with_unittest.report([U + "Cart.test_pass", U + "Cart.test_fail", U + "Async.test_soon"], stop=True)
    assert [result.verdict for result in stopped.results] == [PASSED, WRONG]
    dying = with_unittest.report([U + "Cart.test_pass", U + "Dying.test_dies", U + "Async.test_soon"])
    assert ([result.verdict for result in dying.results], dying.unfinished) == ([PASSED], U + "Dying.test_dies")


MARKED = """import pytest

@pytest.fixture(autouse=True)
def level(request):
    marker = request.node.get_marker("level")
    return marker.args[0] if marker else 0

@pytest.mark.level(3)
def test_marked(level): assert level == 3

def test_unmarked(level): assert level == 0
"""


def test_markers_are_found_by_the_name_that_they_had_before_pytest_4(with_pytest: Any) -> None:
    with_pytest.write({"tests/test_marked.py": MARKED})
    report = with_pytest.report([f"tests/test_marked.py::test_{kind}" for kind in ("marked", "unmarked")])
    assert [(result.verdict, result.message) for result in report.results] == [(PASSED, "")] * 2


SPAWNING = """import multiprocessing, unittest

def double(queue, number): queue.put(2 * number)

def test_doubled():
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=double, args=(queue, 21))
    process.start()
    process.join()
    assert (process.exitcode, queue.get() if process.exitcode == 0 else None) == (0, 42)

class Doubling(unittest.TestCase):
    def test_doubled(self): test_doubled()
"""


@pytest.mark.parametrize(
    ("framework", "test"),
    [("pytest", "tests/test_pool.py::test_doubled"), ("unittest", "tests.test_pool.Doubling.test_doubled")],
)
def test_processes_that_tests_spawn_do_not_start_our_runner(project: Make, tools: Tools, framework: Any, test: str) -> None:
    made = project(PythonToolchain(tools), Build(), recipe.Test(framework=framework, files=("tests/**",)))
    made.write({"tests/__init__.py": "", "tests/test_pool.py": SPAWNING})
    assert [(result.verdict, result.message) for result in made.report([test]).results] == [(PASSED, "")]


def test_versions_name_interpreter_and_pytest(tools: Tools) -> None:
    versions = PythonToolchain(tools).versions()
    assert versions["python"].startswith("3.")
    assert versions["pytest"] == pytest.__version__


def test_interpreter_that_does_not_exist_is_named(tools: Tools) -> None:
    with pytest.raises(HarnessError, match="/no/python"):
        PythonToolchain(Tools(cache=tools.cache, python="/no/python")).program(Build(), recipe.Test())


@pytest.mark.slow
def test_several_makers_of_the_interpreter_copy_agree(tmp_path: Path) -> None:
    commands: list[str] = []

    def make() -> None:
        commands.append(PythonToolchain(Tools(cache=str(tmp_path))).program(Build(), recipe.Test()).argv[0])

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(commands)) == 1
    assert len(commands) == 3
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/usr/bin/python3.11").exists(), reason="no second interpreter")
def test_other_interpreter_may_be_chosen(project: Make, tmp_path: Path) -> None:
    toolchain = PythonToolchain(Tools(cache=str(tmp_path / "cache"), python="/usr/bin/python3.11"))
    made = project(toolchain, Build(), recipe.Test(framework="pytest"))
    made.write({"test_a.py": "import sys, ssl, ctypes\ndef test_a(): assert sys.version_info[:2] == (3, 11)\n"})
    assert made.verdicts(["test_a.py::test_a"]) == {"test_a.py::test_a": PASSED}
