"""Prompts and answers in the run folder: complete, once each, and without secrets."""

import base64
import json
import os
import zlib
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.model import Message, Prompt
from repairlab.core.record import digest
from repairlab.repairers.llm.client.cached_model import RecordedModel
from repairlab.repairers.llm.client.model import Sampling, ScriptedModel
from repairlab.runs.integrity import require_intact
from repairlab.runs.store import Store, TranscriptEntry
from repairlab.runs.transcripts import Transcripts, TranscriptWriter
from repairlab.sandbox.sandbox import Sandbox
from tests.repairers.llm.answering import Asked, Said, answering, chat

FIX = "```python\ndef total(numbers):\n    return sum(numbers)\n```"
KEY = "key-planted-7f3a9c51e2"
MARKER = "environment-planted-0b44"


def chat_prompt(*texts: str) -> Prompt:
    return Prompt(messages=tuple(Message(role="user", content=text) for text in texts))


def test_prompts_and_answers_come_back_as_they_were(tmp_path: Path) -> None:
    store = Store(tmp_path)
    prompts = [
        Prompt(messages=(Message(role="system", content="é \ud800"), Message(role="user", content=""))),
        Prompt(text="def f():", suffix="\n    return x"),
        Prompt(text="alone"),
    ]
    model = RecordedModel(ScriptedModel(["one \ud800", "two"]), TranscriptWriter(store).keep)
    for prompt in prompts:
        model.complete(prompt, Sampling(), n=2)
    found = Transcripts(store)
    assert [found.prompt(digest(prompt)) for prompt in prompts] == prompts
    assert [found.text(digest(text)) for text in ("one \ud800", "two")] == ["one \ud800", "two"]
    assert (found.prompt("0" * 16), found.text("0" * 16), found.prompt(None)) == (None, None, None)


def test_every_text_is_stored_once_even_by_a_run_that_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path)
    long = "the same question " * 500
    for _ in range(2):
        model = RecordedModel(ScriptedModel([FIX]), TranscriptWriter(store).keep)
        model.complete(chat_prompt(long), Sampling(), n=50)
        model.complete(chat_prompt(long, FIX, "again"), Sampling())
    entries = [entry for _, entry in store.scan(TranscriptEntry)]
    assert sorted(entry.kind for entry in entries) == ["prompt", "prompt", "text", "text", "text"]
    assert (tmp_path / "transcripts.jsonl").stat().st_size < len(long) / 4


def everything(folder: Path) -> bytes:
    """Return all bytes of a run folder, and what is compressed in it."""
    found = b""
    for path in folder.rglob("*"):
        if path.is_file():
            found += path.read_bytes()
    for _, entry in Store(folder).scan(TranscriptEntry):
        found += zlib.decompress(base64.b64decode(entry.data))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False])
def test_a_run_holds_its_transcripts_and_no_secret(
    tiny: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kept: bool
) -> None:
    monkeypatch.setenv("VLLM_API_KEY", KEY)
    monkeypatch.setenv("SOME_OTHER_TOKEN", MARKER)
    spelt = "".join(f"\\u{ord(letter):04x}" for letter in KEY)  # JSON that does not hold the key as it is

    def echo(asked: Asked) -> Said:
        if asked.method == "GET":
            return Said(body={"data": [{"id": "big", "max_model_len": 8000}]})
        said = f"{FIX}\n{asked.headers} SPELT"
        return Said(body=json.dumps(chat(said)).replace("SPELT", spelt).encode())

    to = tmp_path / "run"
    with answering(echo) as server:
        command = ["run", str(tiny), "--model", "vllm/big", "--base-url", server.base_url, "-n", "1", "--to", str(to)]
        assert run([*command, "--no-answer-cache", *([] if kept else ["--no-transcripts"])]) == 0
        assert any(KEY in str(asked.headers) for asked in server.asked), "the server did get the key"
    require_intact(Store(to))
    content = everything(to)
    assert KEY.encode() not in content and MARKER.encode() not in content
    assert (to / "transcripts.jsonl").exists() is kept
    assert os.environ["VLLM_API_KEY"] == KEY
    capsys.readouterr()
    assert run(["show", str(to), "sum", "1"]) == 0
    printed = capsys.readouterr().out
    if kept:
        assert b"Sum is one too large" in content and b"'Authorization': 'Bearer ***'" in content
        assert "── prompt ──\n" in printed and "return sum(numbers)\n```" in printed
    else:
        assert "the transcript is not kept in this run folder" in printed
