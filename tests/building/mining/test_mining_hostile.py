"""Histories whose tests misbehave, clones that lack something, and a miner that is killed: contained, told, resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from tests.building.mining.conftest import PRICE, TESTS, TOTAL_TEST, History

pytestmark = pytest.mark.slow

FIXED = PRICE.replace("prices[1:]", "prices")
NETWORK = "import socket\n\n\ndef test_network():\n    socket.create_connection(('192.0.2.1', 80), timeout=5)\n"
FORKS = """import os


def test_forks():
    children = []
    try:
        while True:
            child = os.fork()
            if not child:
                import time
                time.sleep(60)
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, 9)
"""
DISK = """def test_disk(tmp_path):
    with open(tmp_path / "large", "wb") as file:
        for _ in range(64_000):
            file.write(bytes(1_000_000))
"""


@pytest.mark.parametrize(
    ("test", "name"), [(NETWORK, "test_network"), (FORKS, "test_forks"), (DISK, "test_disk")], ids=["network", "forks", "disk"]
)
def test_tests_that_misbehave_are_left_out_and_the_fix_is_mined(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str], test: str, name: str
) -> None:
    history.commit("Begin", shop__price_py=PRICE, tests__test_price_py=TESTS)
    history.commit("Fix the total", shop__price_py=FIXED, tests__test_price_py=TOTAL_TEST, tests__test_odd_py=test)
    assert run(["mine", str(history.folder), "--to", str(tmp_path / "bench"), "-j", "1", "--repeat", "1", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    (bug,) = open_benchmark(str(tmp_path / "bench"))
    assert bug.oracle.trigger == ("tests/test_price.py::test_total",)
    assert not [test for test in bug.oracle.regression if "test_odd" in test]
    assert any(f"left out, not passing on the fixed tree each time: tests/test_odd.py::{name}" in note for note in made["notes"])


def test_a_clone_that_lacks_commits_is_refused(shop: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lost = shop.git("rev-parse", "HEAD~2")
    (shop.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    assert run(["mine", str(shop.folder), "--to", str(tmp_path / "bench")]) == 2
    assert lost in capsys.readouterr().err
    assert not (tmp_path / "bench").exists()


def test_of_ten_thousand_commits_every_one_is_counted_and_the_fix_is_found(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit("Begin", shop__price_py=PRICE, tests__test_price_py=TESTS)
    history.commit("Fix the total", shop__price_py=FIXED, tests__test_price_py=TOTAL_TEST)
    who = "A <a@example.org> 1600000000 +0000"
    many = "".join(
        f"commit refs/heads/many\ncommitter {who}\ndata <<.\nNote {n}\n.\n{'from refs/heads/main^0' if not n else ''}\n"
        f"M 644 inline notes.txt\ndata <<.\n{n}\n.\n\n"
        for n in range(9_998)
    )
    subprocess.run(["git", "-C", str(history.folder), "fast-import", "--quiet"], input=many.encode(), check=True)
    history.git("checkout", "-q", "many")
    assert run(["mine", str(history.folder), "--to", str(tmp_path / "bench"), "-j", "1", "--repeat", "1", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [(stage["name"], stage["n"]) for stage in made["funnel"]][:2] == [("commits", 9_999), ("message", 1)]
    assert len(made["bugs"]) == 1


@pytest.mark.slow
def test_a_miner_that_is_killed_goes_on_where_it_was(history: History, tmp_path: Path) -> None:
    history.commit("Begin", shop__price_py=PRICE, tests__test_price_py=TESTS)
    history.commit("Fix the total", shop__price_py=FIXED, tests__test_price_py=TOTAL_TEST)
    slow = "\n\ndef test_slow():\n    import time\n    time.sleep(3)\n\n\ndef test_euro():\n    assert label(3) == '3 €'\n"
    other = {"shop__price_py": FIXED.replace(" EUR", " €"), "tests__test_price_py": TOTAL_TEST.replace(" EUR", " €") + slow}
    history.commit("Fix the sign", **other)
    history.commit(
        "Fix the sign of none", **{**other, "shop__price_py": other["shop__price_py"].replace("{price} €", "{price or 0} €")}
    )
    command = [sys.executable, "-m", "repairlab", "mine", str(history.folder), "--to", str(tmp_path / "bench"), "-j", "1", "--json"]
    partial = tmp_path / "bench.partial"
    miner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while miner.poll() is None and not (partial.exists() and partial.read_bytes().endswith(b"\n")):
        if partial.exists() and len(partial.read_bytes().split(b"\n")) > 1:
            break
        time.sleep(0.1)
    os.kill(miner.pid, signal.SIGKILL)
    miner.wait()
    assert partial.exists() and not (tmp_path / "bench").exists()
    assert list(tmp_path.glob(".bench.repairlab-*")), "whoever is killed cannot tidy up"
    kept = partial.read_bytes()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(kept.split(b"\n")[1])["bug_id"] in json.loads(done.stdout)["bugs"]
    assert len(open_benchmark(str(tmp_path / "bench"))) == 2 and not partial.exists()
    assert not list(tmp_path.glob(".bench.repairlab-*")), "the next one does"


@pytest.mark.slow
def test_a_tree_whose_tests_never_end_costs_little_more_than_one_that_passes(history: History, tmp_path: Path) -> None:
    hanging = PRICE.replace("    return sum(prices[1:])", "    while prices:\n        pass\n    return 0")
    history.commit("Begin", shop__price_py=hanging, tests__test_price_py=TESTS)
    history.commit("Fix endless totals", shop__price_py=FIXED, tests__test_price_py=TOTAL_TEST)
    assert run(["mine", str(history.folder), "--to", str(tmp_path / "bench"), "-j", "1", "--repeat", "1"]) == 0
    (bug,) = open_benchmark(str(tmp_path / "bench"))
    assert bug.oracle.trigger == ("tests/test_price.py::test_total",)
    assert bug.oracle.limits.cpu_s == 5.0  # not the 60 that tests of projects may take
