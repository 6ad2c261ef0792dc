"""The guides to extensions tell the truth: their code is that of a package that works, their commands are run."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.test_outside_package import KINDS, PACKAGE, ended, installed, repairlab  # noqa: F401  # pytest finds fixtures here

PAGES = sorted((Path(__file__).parent.parent / "docs" / "guides").glob("extend-*.md"))
_CODE = re.compile(r'^```python title="(\S+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOML = re.compile(r"^```toml\n(\[project\.entry-points.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_kind_has_a_page_with_its_entry_point() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert len(PAGES) == 4
    assert [kind for kind in KINDS if f'[project.entry-points."repairlab.{kind}"]' not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_on_a_page_is_that_of_the_package(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, code in _CODE.findall(text):
        assert code == (PACKAGE / name).read_text(encoding="utf-8")
    for entry in _TOML.findall(text):
        assert entry in (PACKAGE / "pyproject.toml").read_text(encoding="utf-8") + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_on_a_page_say_what_the_page_says(page: Path, installed: Path, tmp_path: Path) -> None:  # noqa: F811
    shutil.copy(PACKAGE / "my_repairer.py", tmp_path)
    for block in _CONSOLE.findall(page.read_text(encoding="utf-8")):
        for command, *expected in (part.splitlines() for part in block.removeprefix("$ ").split("\n$ ")):
            program, *arguments = shlex.split(command)
            assert program == "repairlab"
            done = repairlab(*arguments, path=installed, cwd=tmp_path)
            said = " ".join((done.stdout + done.stderr).split())
            assert [line for line in expected if " ".join(line.split()) not in said] == []
