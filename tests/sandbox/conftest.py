"""What the tests of all sandboxes share: working back ends, and a tree that an unprivileged user can reach."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.sandbox import Sandbox


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def bubblewrap(cache: Path) -> BubblewrapSandbox:
    try:
        return BubblewrapSandbox.open(cache)
    except HarnessError as error:
        pytest.skip(f"bubblewrap cannot work here: {error}")


@pytest.fixture(params=["bubblewrap", "process"])
def sandbox(request: pytest.FixtureRequest, cache: Path) -> Sandbox:
    if request.param == "process":
        return ProcessSandbox(cache, allow_unsafe=True)
    found: BubblewrapSandbox = request.getfixturevalue("bubblewrap")
    return found


@pytest.fixture
def tree() -> Iterator[Path]:
    """A folder that everybody can enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="tree-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
