"""llama.cpp's server on loopback, in a process of its own: what the tests of language models talk to.

By hand, with any GGUF file, an open model by name, or the tiny model: `python -m tests.llm_server.llama_server MODEL --port 8080`.
"""

import argparse
import importlib
import importlib.util
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repairlab.core.record import record
from tests.llm_server.downloads import MODELS, fetch
from tests.llm_server.tiny_model import make_tiny_model

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "xllamacpp"
_START_S = 60.0


@record
class Endpoint:
    """A running server of the OpenAI kind."""

    base_url: str
    """With `/v1` at its end."""
    model: str


def is_available() -> bool:
    """Return whether the wheel with llama.cpp is installed."""
    return importlib.util.find_spec(PACKAGE) is not None


@contextmanager
def serve(
    model: Path, *, slots: int = 4, context: int = 8192, threads: int = 1, embeddings: bool = False, key: str | None = None
) -> Iterator[Endpoint]:
    """Run a server for as long as the block runs; it also ends when this process dies."""
    command = [sys.executable, "-m", "tests.llm_server.llama_server", str(model), "--until-eof", "--exact"]
    command += ["--slots", str(slots), "--context", str(context), "--threads", str(threads)]
    command += ["--embeddings"] if embeddings else []
    command += ["--key", key] if key else []
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield _await(process, time.monotonic() + _START_S)
    finally:
        process.kill()
        process.communicate()


def _await(process: subprocess.Popen[bytes], deadline: float) -> Endpoint:
    """Return where a server listens, once it says so and is healthy."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], deadline - time.monotonic())
    line = process.stdout.readline() if ready else b""
    if not line:
        raise RuntimeError(f"llama.cpp's server did not start (exit code {process.poll()}); run by hand: {process.args!r}")
    endpoint = Endpoint(**json.loads(line))
    while not _is_healthy(endpoint):
        if time.monotonic() > deadline:
            raise RuntimeError(f"llama.cpp's server at {endpoint.base_url} does not become healthy")
        time.sleep(0.05)
    return endpoint


def _is_healthy(endpoint: Endpoint) -> bool:
    try:
        with urllib.request.urlopen(endpoint.base_url.removesuffix("/v1") + "/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _main() -> None:
    parser = argparse.ArgumentParser(description="Serve a GGUF model by llama.cpp on loopback.")
    parser.add_argument("model", nargs="?", default="tiny", help=f"a GGUF file, {', '.join(MODELS)}, or tiny")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--slots", type=int, default=4, help="requests answered at the same time; also the largest n")
    parser.add_argument("--context", type=int, default=8192, help="tokens of a prompt and its answer")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--key", help="refuse requests without this key")
    parser.add_argument("--exact", action="store_true", help="almost always the same answers however requests meet, but slower")
    parser.add_argument("--embeddings", action="store_true", help="offer embeddings, too, at some cost of memory")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input does")
    options = parser.parse_args()
    if options.until_eof:
        threading.Thread(target=_end_with_input, daemon=True).start()
    if options.model == "tiny":
        options.exact = options.embeddings = True
        with tempfile.TemporaryDirectory() as folder:
            _server = _start(make_tiny_model(Path(folder)), options)
    else:
        _server = _start(fetch(MODELS[options.model]) if options.model in MODELS else Path(options.model), options)
    threading.Event().wait()


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


def _start(model: Path, options: argparse.Namespace) -> object:
    """Load a model, say where it is served, and return the server, which runs until it is forgotten."""
    if not model.is_file():
        sys.exit(f"no such model: {model}")
    llama = importlib.import_module(PACKAGE)
    params = llama.CommonParams()
    params.model.path = str(model)
    params.model_alias = {model.stem}
    params.port = options.port
    params.n_parallel = options.slots
    params.n_ctx = options.slots * options.context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    if options.embeddings:
        params.embedding = True
        params.pooling_type = llama.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
        params.n_batch = params.n_ubatch = options.context  # a text to embed must fit into one batch
    if options.exact:
        params.cache_prompt = False
        params.cache_type_k = params.cache_type_v = llama.ggml_type.GGML_TYPE_F32
        params.flash_attn_type = llama.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.api_keys = [options.key] if options.key else []
    params.verbosity = 0
    server = llama.Server(params)
    sys.stdout.write(json.dumps({"base_url": f"{server.listening_address}/v1", "model": model.stem}) + "\n")
    sys.stdout.flush()
    return server


if __name__ == "__main__":
    _main()
