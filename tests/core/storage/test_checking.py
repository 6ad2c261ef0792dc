"""What people write in files and requests, with a typo: each message names the place, the key, the value and what is possible."""

import json
import re
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import UserError
from repairlab.core.storage.checking import line_of_key, read_toml
from repairlab.learning.training.settings import load_system
from repairlab.repairers.llm.client.providers import Prices
from repairlab.runs.experiment import make_experiment, read_experiment
from repairlab.serve.http.requests import RequestRefused, ValidateRequest, parse
from repairlab.study.published_table import read_tables

JARGON = re.compile(
    r"Extra inputs|Input should|valid (tuple|string|integer|list|dict)|Field required|validation error|pydantic|Unexpected keyword"
    r"|literal_error|instance of|<class|typing\.|unable to parse|dictionary",
    re.IGNORECASE,
)
BUG = """\
schema = 1
language = "python"
path = "main.py"

[build]
tool = "none"

[test]
framework = "stdio"
excluded = []

[limits]
cpu_s = 2.0

[labels]
location = "line"
"""
HEAD = 'schema = 1\nname = "tiny"\nversion = "1"\nlicence = "MIT"\n'
EXPERIMENT = (
    'benchmark = "starter"\nrepairer = "llm"\nn = 10\n[visibility]\nerror = true\n[llm]\nmodel = "a/b"\ntemperature = 0.5\n'
)
REQUEST = '{"bug": "starter/x", "patch": "p", "confirm": 0}'

TYPOS = [
    (
        "bug",
        'language = "python"',
        'lanuage = "python"',
        "bug.toml, line 2: unknown key 'lanuage'. Did you mean 'language'? Known: ",
    ),
    ("bug", 'language = "python"', 'language = "pyton"', "line 2: language: unknown language 'pyton'. Did you mean 'python'?"),
    ("bug", 'language = "python"\n', "", "bug.toml: language is missing; it must be text"),
    ("bug", "schema = 1\n", "", "bug.toml: schema is missing. Begin the file with: schema = 1"),
    ("bug", "schema = 1", "shema = 1", "bug.toml: schema is missing. Did you mean it by 'shema'?"),
    ("bug", "excluded = []", "exclude = []", "line 10: unknown key of [test] 'exclude'. Did you mean 'excluded'? Known: "),
    ("bug", "excluded = []", 'excluded = "01"', "line 10: test.excluded is '01', but it must be a list of texts: write [\"01\"]"),
    ("bug", "excluded = []", "excluded = [1]", 'test.excluded[0] is 1, but it must be text: write "1" in quotes'),
    (
        "bug",
        'framework = "stdio"',
        'framework = "studio"',
        "line 9: test.framework: unknown framework of Python 'studio'. Did you mean 'stdio'?",
    ),
    ("bug", 'framework = "stdio"', 'framework = "junit5"', "line 9: test.framework: unknown framework of Python 'junit5'"),
    ("bug", 'framework = "stdio"', 'language = "c"', "line 9: unknown key of [test] 'language'; it belongs at the top, before"),
    ("bug", "schema = 1", "schema = 1\ntrigger = []", "line 2: unknown key 'trigger'; it belongs in the table [test]"),
    ("bug", "cpu_s = 2.0", 'cpu_s = "2"', "line 13: limits.cpu_s is '2', but it must be a number: write 2 without quotes"),
    ("bug", "cpu_s = 2.0", "cpu_s = -2.0", "line 13: limits.cpu_s is -2.0; it must be more than 0"),
    ("bug", "cpu_s = 2.0", "cpu_s = nan", "line 13: limits.cpu_s is nan; it must be finite"),
    ("bug", "cpu_s = 2.0", "cpu_s = inf", "line 13: limits.cpu_s is inf; it must be finite"),
    ("bug", "cpu_s = 2.0", "memory_mb = 1.5", "line 13: limits.memory_mb is 1.5, but it must be a whole number"),
    ("bug", 'path = "main.py"', "path = 3", 'line 3: path is 3, but it must be text: write "3" in quotes'),
    ("bug", 'path = "main.py"', "path = 2020-01-01", "line 3: path is 2020-01-01, but it must be text"),
    ("bug", "[build]\n", "build = 'none'\n[more]\n", "unknown key 'more'"),
    ("bug", '[build]\ntool = "none"', "build = 'none'", "line 5: build is 'none', but it must be a table"),
    ("bug", 'location = "line"', 'location = "lines"', "line 16: labels.location: unknown value 'lines'. Did you mean 'line'?"),
    ("bug", 'path = "main.py"', 'path = "main.py', "bug.toml is not valid TOML: "),
    ("head", 'name = "tiny"', "name = 1", 'benchmark.toml, line 2: name is 1, but it must be text: write "1" in quotes'),
    ("head", "licence", "license", "benchmark.toml, line 4: unknown key 'license'. Did you mean 'licence'?"),
    ("head", 'version = "1"', "version = 1.0", 'line 3: version is 1.0, but it must be text: write "1.0" in quotes'),
    ("experiment", "n = 10", 'n = "10"', "toml, line 3: n is '10', but it must be a whole number: write 10 without quotes"),
    ("experiment", "n = 10", "nn = 10", "line 3: unknown setting 'nn'. Did you mean 'n'?"),
    ("experiment", "n = 10", "k = 5", "line 3: k is 5, but it must be a list of whole numbers"),
    (
        "experiment",
        "n = 10",
        'policy = "ful"',
        "line 3: policy: unknown value 'ful'. Did you mean 'full'? Known: first-failure, full",
    ),
    ("experiment", "error = true", 'error = "true"', "line 5: visibility.error is 'true', but it must be true or false"),
    ("experiment", "error = true", "eror = true", "line 5: unknown key of [visibility] 'eror'. Did you mean 'error'?"),
    ("experiment", "temperature = 0.5", 'temperature = "0.5"', "line 8: llm.temperature is '0.5', but it must be a number"),
    ("experiment", "temperature", "temprature", "line 8: unknown key of [llm] 'temprature'. Did you mean 'temperature'?"),
    ("request", '"confirm": 0', '"confirm": "0"', "confirm is '0', but it must be a whole number"),
    ("request", '"confirm": 0', '"confirm": 11', "confirm must be 10 or less; it is 11"),
    ("request", '"confirm": 0', '"comfirm": 0', "unknown key 'comfirm'. Did you mean 'confirm'?"),
    ("request", '"patch": "p"', '"patch": 3', "patch is 3, but it must be text"),
    ("request", '"patch": "p"', '"edits": "x"', "edits is 'x', but it must be a list of objects"),
    ("request", '"patch": "p"', '"edits": [{"path": "a"}]', "edits[0].text is missing; it must be text"),
    ("request", '"patch": "p"', '"edits": [{"pth": "a", "text": ""}]', "unknown key of edits[0] 'pth'. Did you mean 'path'?"),
    ("request", '"confirm": 0', '"policy": "all"', "policy: unknown value 'all'. Known: first-failure, full"),
    ("request", '"confirm": 0}', '"confirm": 0', "not valid JSON: "),
    ("request", REQUEST, "[]", "the request: it is [], but it must be an object"),
    ("prices", "input = 1", 'input = "1"', "line 2: models.a/b.input is '1', but it must be a number: write 1 without quotes"),
    ("prices", "input = 1", "inpt = 1", "line 2: unknown key of [models.a/b] 'inpt'. Did you mean 'input'?"),
    ("prices", "input = 1", "input = -1", "line 2: models.a/b.input must be 0 or more; it is -1"),
    ("system", "epochs = 3", 'epochs = "3"', "system.toml, line 4: training.epochs is '3', but it must be a whole number"),
    ("system", "epochs = 3", "epoch = 3", "system.toml, line 4: unknown key of [training] 'epoch'. Did you mean 'epochs'?"),
]


@pytest.mark.parametrize(("file", "right", "wrong", "expected"), TYPOS, ids=[f"{file}: {wrong}" for file, _, wrong, _ in TYPOS])
def test_a_typo_is_told_in_plain_words(file: str, right: str, wrong: str, expected: str, tiny: Path) -> None:
    texts = {
        "bug": BUG,
        "head": HEAD,
        "experiment": EXPERIMENT,
        "request": REQUEST,
        "prices": '[models]\n"a/b" = { input = 1 }\n',
        "system": 'system = "x"\nrepresentation = "tokens"\n[training]\nepochs = 3\n',
    }
    assert right in texts[file]
    text = texts[file].replace(right, wrong)
    with pytest.raises((UserError, RequestRefused)) as refused:
        _read(file, text, tiny)
    assert expected in str(refused.value)
    assert not JARGON.search(str(refused.value))


def _read(file: str, text: str, tiny: Path) -> None:
    if file == "request":
        parse(ValidateRequest, text.encode())
        return
    names = {"bug": "bugs/sum/bug.toml", "head": "benchmark.toml"}
    path = tiny / names.get(file, f"{file}.toml")
    path.write_text(text)
    match file:
        case "experiment":
            make_experiment(read_experiment(path))
        case "prices":
            Prices(path)
        case "system":
            load_system(str(path))
        case _:
            open_benchmark(str(tiny)).bug("sum")


def test_the_right_files_are_read(tiny: Path) -> None:
    (tiny / "bugs/sum/bug.toml").write_text(BUG.replace('tool = "none"\n', ""))
    assert open_benchmark(str(tiny)).bug("sum").oracle.limits.cpu_s == 2.0
    (tiny / "experiment.toml").write_text(EXPERIMENT)
    assert make_experiment(read_experiment(tiny / "experiment.toml")).n == 10
    assert parse(ValidateRequest, REQUEST.encode()).confirm == 0


def test_the_command_line_may_give_what_a_file_leaves_out(tmp_path: Path) -> None:
    file = tmp_path / "experiment.toml"
    file.write_text("n = 3\n[llm]\ntemperature = 1.0\n")
    assert read_experiment(file)["n"] == 3


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a",), 1),
        (("test", "b"), 5),
        (("test", "inner", "c"), 7),
        (("test", "inner", "d e"), 8),
        (("test", "inner", "text"), 9),
        (("test", "gone"), 4),
        (("list", 0, "x"), 14),
        (("list", 1, "y"), 16),
        (("no",), None),
    ],
)
def test_the_line_of_a_key_is_found(path: tuple[str | int, ...], line: int | None) -> None:
    toml = (
        'a = """\ntest = 1\n"""\n[test]\nb = { x = 1 }\n[test.inner]  # c = 1\nc = [\n"d e" = 1\n'
        "text = '''\nc = 1\n[list]\n'''\n[[list]]\nx = 1\n[[list]]\ny = 2\n"
    )
    assert line_of_key(toml, path) == line


def test_published_tables_speak_plainly_too(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('kind = "published-table"\ntitle = 3\n')
    with pytest.raises(UserError, match=re.escape('line 2: title is 3, but it must be text: write "3" in quotes')) as refused:
        read_tables(file)
    assert not JARGON.search(json.dumps(str(refused.value)))


def test_a_file_may_begin_with_the_mark_of_windows_editors(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbfn = 1\r\n")
    assert read_toml(tmp_path / "a.toml") == ({"n": 1}, "n = 1\n")
