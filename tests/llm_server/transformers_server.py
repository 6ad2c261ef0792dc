"""The tiny model for transformers, and `transformers serve`: a second server, which ignores what llama.cpp honours."""

import importlib.util
import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from tests.llm_server.llama_server import Endpoint
from tests.llm_server.tiny_model import CONTEXT, END, FENCES, HIDDEN, N_HEADS, N_LAYERS, SPECIAL, TEMPLATE, WIDTH, tiny_parts

_LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_NAMES = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_UNTIL_EOF = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
from transformers.cli.transformers import main
main()
"""
"""Runs the command line of transformers, and ends when standard input does: when whoever started it dies."""


def why_not(*packages: str) -> str | None:
    """Return what is missing to run transformers, or None."""
    missing = [package for package in ("torch", "transformers", *packages) if importlib.util.find_spec(package) is None]
    return f"{', '.join(missing)} not installed; get all with: make test-hf" if missing else None


def make_tiny_transformers(folder: Path) -> Path:
    """Write the tiny model into a folder in the form that transformers loads, and return it."""
    torch, transformers, tokenizers = (import_module(name) for name in ("torch", "transformers", "tokenizers"))
    parts = tiny_parts()
    vocabulary = {token: number for number, token in enumerate(parts.tokenizer.tokens)}
    words = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=list(parts.tokenizer.merges)))
    words.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = tokenizers.decoders.ByteLevel()
    words.add_special_tokens(list(SPECIAL))
    words.add_tokens(list(FENCES.values()))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, eos_token=END, chat_template=TEMPLATE)
    tokenizer.save_pretrained(folder)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=WIDTH,
        intermediate_size=HIDDEN,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        max_position_embeddings=CONTEXT,
        rms_norm_eps=1e-5,
        bos_token_id=vocabulary[END],
        eos_token_id=vocabulary[END],
        tie_word_embeddings=False,
    )
    network = transformers.LlamaForCausalLM(config)
    network.load_state_dict({_name(name): torch.from_numpy(tensor.copy()) for name, tensor in parts.tensors.items()})
    network.generation_config.do_sample = True  # without it the server is greedy, whatever temperature is asked for
    network.save_pretrained(folder)
    return folder


def _name(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    _, layer, part, kind = name.split(".")
    return f"model.layers.{layer}.{_LAYER_NAMES[part]}.{kind}"


@contextmanager
def serve(folder: Path, *, start_s: float = 180) -> Iterator[Endpoint]:
    """Run `transformers serve` on loopback for as long as the block runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", _UNTIL_EOF, "serve", str(folder)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        base_url = f"http://127.0.0.1:{port}/v1"
        deadline = time.monotonic() + start_s
        while not _is_healthy(base_url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"`transformers serve` did not start (exit code {process.poll()}); run by hand: {command}")
            time.sleep(0.2)
        yield Endpoint(base_url=base_url, model=str(folder))
    finally:
        process.kill()
        process.communicate()


def _is_healthy(base_url: str) -> bool:
    try:
        with urllib.request.urlopen(base_url.removesuffix("/v1") + "/health", timeout=5) as answer:
            return bool(json.load(answer).get("status") == "ok")
    except (OSError, ValueError):
        return False
