"""The table of languages, and the conversion of offsets that all of them rely on."""

import os
from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.languages.facts import facts, names
from repairlab.languages.language import Tools, default_cache, language, language_of_path
from repairlab.languages.parser import Parsed


@pytest.mark.parametrize("name", names())
def test_language_knows_itself_and_its_files(name: str) -> None:
    made = language(name, Tools(cache="unused"))
    assert made.facts == facts(name)
    assert made.facts.name == name
    assert {language_of_path(f"a/b{extension}") for extension in made.facts.extensions} == {name}


@pytest.mark.parametrize("name", names())
def test_self_test_program_is_well_formed(name: str) -> None:
    syntax, program = language(name).syntax, facts(name).self_test
    assert not syntax.has_errors(program)
    assert syntax.strip_comments(program) == program


def test_unknown_language_is_told_with_what_is_known() -> None:
    with pytest.raises(UserError, match="Known: c, cpp, go, java, javascript, python"):
        language("pyhton")


def test_other_files_have_no_language() -> None:
    assert [language_of_path(path) for path in ("README.md", "Makefile", "a.class", ".py")] == [None] * 4


def test_cache_folder_is_decided_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPAIRLAB_CACHE", "/x/own")
    assert default_cache() == Path("/x/own")
    monkeypatch.delenv("REPAIRLAB_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x/cache")
    assert default_cache() == Path("/x/cache/repairlab")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/x/home")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert default_cache() == Path("/x/home/.cache/repairlab")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert default_cache() == Path("/var/cache/repairlab")


@pytest.mark.parametrize("name", names())
def test_tool_chain_is_made_once_and_on_demand(name: str, tmp_path: Path) -> None:
    made = language(name, Tools(cache=str(tmp_path)))
    assert made.toolchain is made.toolchain


@pytest.mark.parametrize("source", ["", "plain", "é", "aé😀b\ud800c", "😀" * 3 + "x"])
def test_byte_offsets_become_character_offsets(source: str) -> None:
    parsed = Parsed("python", source)
    for offset in range(len(source) + 1):
        assert parsed.offset(len(source[:offset].encode("utf-8", "surrogatepass"))) == offset
