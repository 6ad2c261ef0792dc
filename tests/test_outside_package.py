"""A package outside of the tree adds a part of every kind; all of them are used for real, in processes of their own."""

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).parent / "outside_package"
KINDS = {
    "languages": "shell",
    "repairers": "swapper",
    "importers": "scripts",
    "formats": "tsv",
    "metrics": "first is right",
    "strategies": "terse",
    "sandboxes": "best",
    "tables": "sizes",
    "representations": "characters",
}


def write_dist_info(folder: Path, name: str, version: str, points: dict[str, dict[str, str]]) -> None:
    """Write what an installed distribution leaves for others to find."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    sections = (f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in found.items()) for group, found in points.items())
    (info / "entry_points.txt").write_text("\n".join(sections))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the package is installed as its pyproject.toml says."""
    folder = tmp_path_factory.mktemp("site")
    project: dict[str, Any] = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    write_dist_info(folder, project["name"], project["version"], project["entry-points"])
    (folder / "shellkit").symlink_to(PACKAGE / "shellkit")
    return folder


FORKING = """
import json, os, sys
from importlib import import_module
from repairlab.cli.main import run
for verb in ("import", "run", "doctor", "report"):
    import_module(f"repairlab.cli.{verb}")
for line in sys.stdin:
    path, cwd, out, err, arguments = json.loads(line)
    if not (pid := os.fork()):
        sys.path.insert(0, path)
        os.chdir(cwd)
        for number, name in ((0, os.devnull), (1, out), (2, err)):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), number)
        try:
            code = run(arguments)
        finally:
            sys.stdout.flush()
        sys.exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
"""Forks a process for every command, of code that is loaded once, before any part of another package is."""


@cache
def forking() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", FORKING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    """End the process that forks."""
    yield
    if forking.cache_info().currsize:
        forking().communicate()
        forking.cache_clear()


def repairlab(*arguments: str, path: Path, cwd: Path, code: int | None = 0) -> subprocess.CompletedProcess[str]:
    process = forking()
    assert process.stdin and process.stdout
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process.stdin.write(json.dumps([str(path), str(cwd), str(out), str(err), arguments]) + "\n")
        process.stdin.flush()
        exit_code = int(process.stdout.readline())
        done = subprocess.CompletedProcess(arguments, exit_code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def test_all_parts_are_listed_with_where_they_come_from(installed: Path, tmp_path: Path) -> None:
    found = json.loads(repairlab("doctor", "--parts", "--json", path=installed, cwd=tmp_path).stdout)
    ours = {item["kind"]: item for item in found if item["source"] == "repairlab-shellkit 2.1"}
    assert {kind: item["name"] for kind, item in ours.items()} == KINDS
    assert all(item["works"] and item["about"] for item in ours.values())
    assert sum(item["source"] == "built in" for item in found) > 60


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_part_passes_the_self_test_of_its_kind(installed: Path, tmp_path: Path, kind: str) -> None:
    done = repairlab("doctor", "--try", f"{kind}/{KINDS[kind]}", "--json", path=installed, cwd=tmp_path)
    checks = json.loads(done.stdout)["checks"]
    assert len(checks) >= 2
    assert not [check for check in checks if check["problem"] or check["not_tried"]]


@pytest.mark.slow
def test_the_whole_line_goes_through_parts_of_the_package(installed: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    script = '# Sum\nadd() {\n    echo $(($1 - $2))\n}\n\nread -r one two\nadd "$one" "$two"\n'
    for name, text in {"add.sh": script, "add.fixed.sh": script.replace("-", "+", 1).replace("read +r", "read -r")}.items():
        (source / name).write_text(text)
    (source / "add.in").write_text("5 3\n")
    (source / "add.out").write_text("8\n")
    repairlab("import", "scripts", "source", "--to", "bench", path=installed, cwd=tmp_path)
    repairlab("check", "bench", path=installed, cwd=tmp_path)

    wrong = repairlab("run", "bench", "--repairer", "templates", "--swap", "-=+", path=installed, cwd=tmp_path, code=2)
    assert "--swap is an option of --repairer swapper, not of templates" in wrong.stderr
    wrong = repairlab("run", "bench", "--swap", "x", path=installed, cwd=tmp_path, code=2)
    assert "--swap is 'x': write OLD=NEW" in wrong.stderr
    assert "Options of swapper" in repairlab("run", "--help", path=installed, cwd=tmp_path).stdout

    done = repairlab("run", "bench", "--swap", "-=+", "-n", "2", "-k", "1", "--json", path=installed, cwd=tmp_path)
    scores = {item["metric"]: item["value"] for item in json.loads(done.stdout)["scores"]}
    assert scores["first is right"] == scores["fixed"] == 1.0
    run = tmp_path / "runs" / "bench-swapper"
    assert json.loads((run / "run.json").read_text())["experiment"]["settings"] == {"swaps": ["-=+"], "backwards": False}

    config = str(run / "experiment.toml")
    again = repairlab("run", "--config", config, "--to", "again", "--json", path=installed, cwd=tmp_path)
    assert {item["metric"]: item["value"] for item in json.loads(again.stdout)["scores"]} == scores
    assert (tmp_path / "again/candidates.jsonl").read_text().count("\n") == (run / "candidates.jsonl").read_text().count("\n")
    changed = repairlab("run", "--config", config, "--backwards", "--to", "again", path=installed, cwd=tmp_path, code=2)
    assert "holds a run with other settings: settings" in changed.stderr

    repairlab("publish", "again", "bench", "--format", "tsv", "--to", "made.tsv", path=installed, cwd=tmp_path)
    given = repairlab("validate", "bench", "made.tsv", "--json", path=installed, cwd=tmp_path)
    assert [item["verdict"] for item in json.loads(given.stdout)["outcomes"]][:1] == ["PLAUSIBLE"]
    tables = repairlab("report", "--tables", "again", "--only", "sizes", "--json", path=installed, cwd=tmp_path)
    assert json.loads(tables.stdout)["tables"][0]["rows"] == [["swapper", 1]]
    prompt = repairlab("prompt", "bench/add", "--strategy", "terse", path=installed, cwd=tmp_path)
    assert "Fix this function:" in prompt.stdout
    # Without the package, the run can still be read.
    scored = repairlab("score", "again", "--json", path=tmp_path, cwd=tmp_path)
    assert "first is right" not in scored.stdout


@pytest.mark.slow
def test_a_broken_package_is_named_and_harms_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "broken.py").parent.mkdir()
    (folder / "broken.py").write_text("class Copy:\n    name = 'copy'\n    propose = None\n\n\nNUMBER = 3\n")
    (folder / "absent.py").write_text("import nothing_of_this_name\n")
    points = {
        "repairlab.repairers": {"mine": "absent:Mine", "copy": "broken:Copy", "number": "broken:NUMBER"},
        "repairlab.metrics": {"gone": "broken:GONE"},
        "repairlab.languages": {"odd": "broken:Copy"},
    }
    write_dist_info(folder, "broken-kit", "0.3", points)
    done = repairlab("doctor", "--parts", "--json", path=folder, cwd=tmp_path, code=1)
    problems = {(item["kind"], item["name"]): item["problem"] for item in json.loads(done.stdout) if not item["works"]}
    assert {key: text.rpartition(": ")[2] for key, text in problems.items()} == {
        ("repairers", "mine"): "No module named 'nothing_of_this_name'",
        ("repairers", "copy"): "a repairer that is built in has the same name",
        ("repairers", "number"): "it has no 'name' and no 'propose'",
        ("metrics", "gone"): "module 'broken' has no attribute 'GONE'",
        ("languages", "odd"): "it has no 'facts' and no 'toolchain' and no 'test_bodies'",
    }
    assert "the repairer mine of broken-kit 0.3 (absent:Mine) cannot be used" in problems["repairers", "mine"]
    chosen = repairlab("run", "starter", "--repairer", "mine", path=folder, cwd=tmp_path, code=2)
    assert "the repairer mine of broken-kit 0.3" in chosen.stderr
    assert "--temperature" in repairlab("run", "--help", path=folder, cwd=tmp_path).stdout
    assert repairlab("prompt", "starter/python-version-order", path=folder, cwd=tmp_path).stdout
