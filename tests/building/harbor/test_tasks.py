"""Tasks of Harbor: what an agent's image holds, and what the judge of a task says, in containers too where buildah is installed."""

import json
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from repairlab.cli.main import run
from tests.building.harbor.trials import ORACLE, Images, forgery, reward

MARK_FIX, MARK_TEST = "planted_in_the_fix", "planted_in_the_tests"


@pytest.fixture
def tasks(tiny: Path, tmp_path: Path) -> Path:
    """Publish the tiny benchmark with marks in the fixes, the tests and the cases."""
    patch = tiny / "bugs/sum/fix.patch"
    patch.write_text(patch.read_text().replace("+    result = 0", f"+    result = 0  # {MARK_FIX}"))
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(tests.read_text() + f"\n\n# {MARK_TEST}\n")
    assert run(["publish", str(tiny), "--harbor", str(tmp_path / "tasks")]) == 0
    return tmp_path / "tasks"


def test_the_image_holds_nothing_of_tests_or_fixes(tasks: Path) -> None:
    for task in (tasks / "sum", tasks / "shop"):
        seen = [path for part in ("environment", "instruction.md") for path in (task / part, *(task / part).rglob("*"))]
        held = b"".join(path.read_bytes() for path in seen if path.is_file())
        assert MARK_FIX.encode() not in held and MARK_TEST.encode() not in held
        assert not any("test" in path.name for path in seen)
        assert len({path.stat().st_mtime for path in seen if "app" in path.parts}) == 1, "dates tell nothing"
    assert (tasks / "shop/tests/tree/tests/test_cart.py").is_file()


def test_a_task_has_the_files_and_settings_that_harbor_reads(tasks: Path) -> None:
    settings = tomllib.loads((tasks / "shop/task.toml").read_text())
    assert settings["task"]["name"] == "repairlab/tiny-shop" and settings["artifacts"] == ["/app"]
    assert settings["verifier"]["environment_mode"] == "separate" and settings["agent"]["user"] == "agent"
    assert (tasks / "shop/instruction.md").read_text().startswith("# Total ignores the last item\n")
    dockerfile = (tasks / "shop/environment/Dockerfile").read_text()
    assert "python3-pytest" in dockerfile and "COPY --chown=agent:agent app /app\nWORKDIR /app\n" in dockerfile
    for script in ("solution/solve.sh", "tests/test.sh"):
        assert subprocess.run(["bash", "-n", tasks / "shop" / script], check=False).returncode == 0


def verdict(task: Path, app: Path) -> tuple[int, str]:
    """Run the judge of a task as its script does, with the modules that it brings."""
    judge = app.parent / "judge"
    with zipfile.ZipFile(task / "tests/judge.zip") as packed:
        packed.extractall(judge)
    command = [sys.executable, "-I", str(judge), str(app), str(task / "tests")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout.strip()


@pytest.mark.parametrize(("name", "failure"), [("sum", "WRONG: 01: token 1 is '4', expected '3'"), ("shop", "WRONG: tests/")])
def test_the_judge_passes_the_fix_and_nothing_that_edits_tests(tasks: Path, tmp_path: Path, name: str, failure: str) -> None:
    task, app = tasks / name, tmp_path / "app"
    shutil.copytree(task / "environment/app", app)
    code, said = verdict(task, app)
    assert code == 1 and said.startswith(failure)
    work = forgery(task).replace("/logs/", f"{tmp_path}/logs/")
    subprocess.run(["bash", "-c", work], cwd=app, check=True)
    code, said = verdict(task, app)
    assert code == 1 and said.startswith(failure), "its own test files and settings count, not those of the agent"
    shutil.rmtree(app)
    shutil.copytree(task / "environment/app", app)
    with (task / "solution/fix.patch").open() as fix:
        subprocess.run(["patch", "-p1", "-s"], stdin=fix, cwd=app, check=True)
    assert verdict(task, app) == (0, "PLAUSIBLE")


def test_the_judge_needs_nothing_but_the_standard_library(tasks: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tasks / "sum/tests/judge.zip") as packed:
        packed.extractall(tmp_path / "judge")
    script = "import sys; sys.path.insert(0, sys.argv[1])\nimport repairlab.building.harbor.judge as judge\n"
    script += "from repairlab.languages.language import language\nlanguage('python').toolchain; print(judge.__file__)"
    command = [sys.executable, "-I", "-S", "-c", script, str(tmp_path / "judge")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout.strip()) == ("", str(tmp_path / "judge/repairlab/building/harbor/judge.py"))


def test_what_an_agent_links_to_is_not_read(tasks: Path, tmp_path: Path) -> None:
    app = tmp_path / "app"
    shutil.copytree(tasks / "shop/environment/app", app)
    (app / "shop/cart.py").unlink()
    (app / "shop/cart.py").symlink_to(tasks / "shop/tests/bug.json")
    code, said = verdict(tasks / "shop", app)
    assert code == 1 and said.startswith("WRONG"), "the buggy file stands"


def test_bugs_with_packages_that_debian_does_not_have_are_left_out(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tiny / "bugs/shop/bug.toml"
    recipe.write_text(recipe.read_text() + '[build]\nenvironment = "shop"\n')
    (tiny / "environments").mkdir()
    (tiny / "environments/shop.txt").write_text("# python 3.11\n")
    assert run(["publish", str(tiny), "--harbor", str(tmp_path / "tasks"), "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["bugs"] == ["sum"] and "left out shop: its packages" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--harbor", "a", "--to", "b"], "--harbor has no use for --to; leave --to out"),
        (["--harbor", "a", "--context"], "--harbor has no use for --context"),
        ([], "name a new folder: --to for tables, --harbor for tasks of Harbor"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    tiny: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["publish", str(tiny), *arguments]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.skipif(not (shutil.which("buildah") and shutil.which("mmdebstrap")), reason="buildah or mmdebstrap is not installed")
def test_the_oracle_is_rewarded_and_neither_idleness_nor_edits_of_tests(tmp_path: Path) -> None:
    assert run(["publish", "starter", "--harbor", str(tmp_path / "tasks")]) == 0
    images = Images(tmp_path)
    images.need_base()
    for name in ("python-version-order", "c-change-count-leak"):
        task = tmp_path / "tasks" / name
        image = images.build(task)
        for is_shared in (False, True):
            assert reward(images, image, task, ORACLE, shared=is_shared) == ("1", "PLAUSIBLE")
            assert reward(images, image, task, "", shared=is_shared)[0] == "0"
            assert reward(images, image, task, forgery(task), shared=is_shared)[0] == "0"
