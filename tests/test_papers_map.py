"""The map of the four papers: every command on it exists as it stands there, and is executed on small data."""

import fcntl
import json
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Container, Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from repairlab.building.importers.table import IMPORTERS
from repairlab.building.mining.settings import PRESETS
from repairlab.cli.main import VERBS
from repairlab.learning.training.settings import load_system, system_names
from repairlab.repairers.llm.prompts.table import STRATEGIES
from repairlab.sandbox.sandbox import Sandbox
from repairlab.study.papers.table import TABLES
from repairlab.study.ranking.rankers import ORDERS
from tests.builders import write_files
from tests.building.importers.conftest import defects4j  # noqa: F401  # pytest finds fixtures here
from tests.building.importers.test_defects4c import checkout  # noqa: F401
from tests.building.importers.test_fixeval import FILES, PYTHON
from tests.building.importers.test_java_branches import bears, bugs_jar  # noqa: F401
from tests.building.importers.test_nl2fix import GREETER, entry
from tests.building.importers.test_nl2fix import write as write_dataset
from tests.building.mining.conftest import history, shop  # noqa: F401
from tests.building.mining.test_pairing import table
from tests.papers_desk import BUGS, lay_out, said_by, small_model
from tests.published import DATA

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "how-it-works" / "papers.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
COMMANDS = [shlex.split(text) for text in dict.fromkeys(re.findall(r"`(repairlab [^`]+)`", "\n".join(ROWS)))]
PAPERS = {"NL2Fix": (6, 6), "NPR4J": (12, 9), "Defects4C": (12, 3), "FixEval": (4, 8)}
"""Papers, with the numbers of their tables and figures."""
NAMES: dict[str, Container[object]] = {"--only": TABLES, "--strategy": STRATEGIES, "--by": ORDERS, "--preset": PRESETS}
"""Options whose values are names of parts."""
SWAPS = [
    (f"p{task}", f"u{user}", "Python", time, verdict, f"n{task} = int(input())\nprint(n{task} * {user} {sign} {task})\n")
    for task in range(12)
    for user in range(3)
    for time, verdict, sign in ((1, "WA", "-"), (2, "AC", "+"))
]
"""Submissions that are fixed by another operator, so that every network can learn from their pairs."""
COMMON = ("--to", "--repairer", "--model", "--show", "--clones", "--libs", "--tables", "--pairs", "--against", "--language")
"""Options that do not tell commands of a verb from each other."""
CHEAP = ("prompt", "train")
each_command = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


@lru_cache
def told(*verb: str) -> str:
    return said_by([*verb, "--help"], ROOT)


def values(words: list[str], option: str) -> list[str]:
    return [value for word, value in pairwise(words) if word == option]


def test_every_row_has_a_command_and_every_paper_rows() -> None:
    rows = [row for row in ROWS if not row.startswith(("| part |", "| --- |"))]
    assert [row for row in rows if "`repairlab " not in row] == []
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    assert [name for name in PAPERS if not any(part.startswith(name) and part.count("`repairlab ") >= 5 for part in sections)] == []


def numbers_named(text: str, kind: str) -> set[int]:
    """Return which tables or figures a text names: "tables 2, 3", "figures 5 to 7", "figure 4b"."""
    found: set[int] = set()
    for group in re.findall(rf"\b{kind}s? (\d+[ab]?(?:(?:, | and | to )\d+[ab]?)*)", text, re.IGNORECASE):
        for part in re.split(", | and ", re.sub("[ab]", "", group.replace(" and ", ", "))):
            first, _, last = part.partition(" to ")
            found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_and_figure_of_a_paper_is_on_its_page(paper: str) -> None:
    section = next(" ".join(part.split()) for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:] if part.startswith(paper))
    for kind, last in zip(("table", "figure"), PAPERS[paper], strict=True):
        assert set(range(1, last + 1)) - numbers_named(section, kind) == set(), kind


def test_every_row_says_how_it_was_checked() -> None:
    cells = [row.rstrip(" |").rpartition(" | ")[2] for row in ROWS if not row.startswith(("| part |", "| --- |"))]
    assert [cell for cell in cells if not cell.startswith(("test: ", "recomputed: ", "run on "))] == []
    assert [path for cell in cells for path in re.findall(r"`(tests/[^`]+)`", cell) if not (ROOT / path).is_file()] == []


def test_the_tests_of_a_row_speak_of_its_commands() -> None:
    """Each command that is set apart by an option or a name has one of these in a test that its row cites."""
    missed = []
    for row in ROWS:
        cited = re.findall(r"`(tests/[^`]+)`", row)
        said = "\n".join((ROOT / path).read_text(encoding="utf-8") for path in cited).replace("_", "-")
        for text in re.findall(r"`(repairlab [^`]+)`", row) if cited and str(Path(__file__).name) not in row else ():
            words = shlex.split(text)
            names = [value for option in (*NAMES, "--perturb") for value in values(words, option)]
            names = names or [word.removeprefix("--") for word in words if word.startswith("--") and word not in COMMON]
            missed += [f"{text}: {name}" for name in names[:1] if not all(part in said for part in name.split(","))]
    assert missed == []


@each_command
def test_verbs_options_and_names_exist(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert words[1] in VERBS
    help_text = told(*(words[1:3] if words[1] == "pairs" else words[1:2]))
    assert [word for word in words if word.startswith("--") and not re.search(rf"{word}\b", help_text)] == []
    for option, known in NAMES.items():
        assert [value for value in values(words, option) if value not in known] == []
    if words[1] == "import":
        assert words[2] in IMPORTERS
    if words[1] == "train" and words[2] in system_names():
        load_system(words[2])
    assert [path for path in values(words, "--table") if not (ROOT / path).exists()] == []


def study_text(words: list[str]) -> str:
    """Return the study file that a command names, or nothing."""
    return (ROOT / words[2]).read_text(encoding="utf-8") if words[1] == "study" else ""


def needs_model(words: list[str]) -> bool:
    """Whether a command needs a trained network, which is trained here where torch is installed."""
    return "MODEL" in words or '"models/' in study_text(words)


def needs_torch(words: list[str]) -> bool:
    return needs_model(words) or "train = {" in study_text(words)


def is_slow(words: list[str]) -> bool:
    """Whether a command takes many seconds, as those that mine, import, train or run a study do."""
    return words[1] in ("mine", "import", "study") or "DIR" in " ".join(words) or needs_model(words)


def is_published(words: list[str]) -> bool:
    return "--table" in words


@pytest.fixture(scope="session")
def model_server() -> Iterator[str]:
    """Run the scripted language model."""
    with small_model() as server:
        yield server.base_url


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory, model_server: str, sandbox: Sandbox) -> Path:
    """Lay out what commands read, once for all processes of the tests."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "papers-desk"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "two").is_dir():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            lay_out(folder, model_server)
    return folder


def sources_of(words: list[str], place: Path, request: pytest.FixtureRequest) -> None:
    """Put what a command imports, mines or runs beside the rest."""

    def link(**paths: Path) -> None:
        for name, path in paths.items():
            (place / name).symlink_to(path)

    match words[1:3]:
        case ["import", "defects4j" | "nl2fix"]:
            small = request.getfixturevalue("defects4j")
            link(DEFECTS4J=small.checkout, CLONES=small.clones)
            write_dataset(place, {f"Csv_1_{GREETER}_5_7": entry()})
        case ["import", "defects4c"]:
            checkout = request.getfixturevalue("checkout")
            link(DEFECTS4C=checkout, CLONES=checkout.parent / "clones")
        case ["import", "bears" | "bugs-jar" as name]:
            link(CLONE=request.getfixturevalue(name.replace("-", "_")))
        case ["import", "quixbugs"]:
            programs = (DATA / "quixbugs" / "quixbugs.jsonl").read_text(encoding="utf-8").splitlines()
            (place / "quixbugs.jsonl").write_text("".join(f"{line}\n" for line in programs if '"gcd"' in line), encoding="utf-8")
        case ["import", "fixeval"]:
            write_files(place, {**FILES, "split.jsonl": json.dumps([PYTHON])})
        case ["mine", *_]:
            shop = request.getfixturevalue("shop")
            shop.git("remote", "add", "origin", "https://example.org/acme/shop.git")
            shop.git("filter-branch", "--msg-filter", "sed '1s/^Fix the total.*/& (issue #12)/'")
            fix = shop.git("log", "--format=%H", "--grep=Fix the total")
            (place / "cves.csv").write_text(
                f"cve,url\nCVE-2020-12345,https://example.org/acme/shop/commit/{fix}\n", encoding="utf-8"
            )
            link(CLONES=shop.folder)
        case ["study", file]:
            write_files(place, {file: shrunk(study_text(words), request.getfixturevalue("model_server"))})
            if "train = {" in study_text(words):
                table(place / "swaps.csv", SWAPS)
                shares = ["--keep-near", "--shares", "train=0.6,valid=0.2,test=0.2"]
                said_by(["pairs", "make", "swaps.csv", "--to", "PAIRS", *shares], place)
            (place / "benchmarks").mkdir()
            for folder in tomllib.loads(study_text(words))["study"]["benchmarks"]:
                (place / folder).symlink_to(place / "BENCHMARK")
        case _ if "DIR" in " ".join(words):
            link(DIR=DATA, experiments=ROOT / "experiments")


def small_training(found: re.Match[str]) -> str:
    """Return how a study trains the small twin of a system, for two steps."""
    changes = [*re.findall(r'"(training[^"]*)"', found[0]), "training.max_steps=2"]
    return f'train = {{ system = "{found[1]}", preset = "small", pairs = "PAIRS", device = "cpu", set = {json.dumps(changes)} }}'


def shrunk(study: str, url: str) -> str:
    """Return a study file with few candidates, whose language model is the scripted one and whose networks are small."""
    study = re.sub(r'train = \{ system = "([^"]+)".*\}', small_training, study).replace("beam = 300", "beam = 2")
    study = re.sub(r'(benchmarks = \["[^"]+").*\]', r"\1]", study)
    study = re.sub(r"^n = .*", "n = 2", re.sub(r"^k = .*", "k = [1]", study, flags=re.MULTILINE), flags=re.MULTILINE)
    study = study.replace("attempts = 10", "attempts = 1").replace("\n[settings]\n", f'\n[settings]\ninclude = ["{BUGS[1]}"]\n')
    return re.sub(r'"models/[^"]+"', '"MODEL"', study).replace("llm = { model", f'llm = {{ base_url = "{url}", model')


def filled(words: list[str], url: str) -> list[str]:
    """Return a command with small things in the places of words that stand for the reader's own."""
    runs = (
        ["RUN", "CHANGED"]
        if "robustness" in words
        else ["RUN", "COOL"]
        if words[1] == "rescore"
        else ["RUN", "COOL", "HOT", "TALK"]
    )
    own = {"RUN…": runs, "CLONES…": ["CLONES"], "EMBEDDER": ["vllm/small"], "WITH": ["COOL"], "WITHOUT": ["HOT"]}
    if words[1] == "rank" or "ranking" in words:
        own["RUN"] = ["COOL"]
    made = [word for given in words[1:] for word in own.get(given, [given])]
    if "llm" in words:
        made += ["--model", "vllm/small", "--base-url", url]
    if "EMBEDDER" in words and "llm" not in words:
        made += ["--base-url", url]
    return made


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, id=" ".join(words), marks=[pytest.mark.slow] if is_slow(words) else [])
        for words in COMMANDS
        if not is_published(words)
    ],
)
def test_every_command_runs_on_small_data(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    place = tmp_path / "place"
    if words[1] in CHEAP and "--costs" not in words:
        place.mkdir()
        assert said_by(words[1:], place).strip()
        return
    if ("DIR" in " ".join(words) or "quixbugs.jsonl" in words) and not DATA.is_dir():
        pytest.skip(f"the published data are not here: {DATA}")
    if needs_torch(words):
        pytest.importorskip("torch", reason="needs the extra: make test-train")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2020-01-02T03:04:05Z")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-02T03:04:05Z")
    shutil.copytree(request.getfixturevalue("desk"), place)
    given = filled(words, request.getfixturevalue("model_server"))
    outputs = [place / name for option in ("--to", "--figures") for name in values(given, option)]
    for path in outputs:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    sources_of(words, place, request)
    if needs_model(words):
        train = ["train", "sequencer", "--preset", "small", "--pairs", "SET", "--to", "MODEL", "--device", "cpu"]
        said_by([*train, "--set", "training.max_steps=3", "--set", "network.width=16"], place)
    assert said_by(given, place).strip()
    assert [path.name for path in outputs if not path.exists()] == []


def test_every_published_table_is_below_the_folder_that_the_page_names() -> None:
    files = {path.stem for path in (ROOT / "experiments").glob("*.toml")}
    assert {f"npr4j-table-{number}" for number in (6, 7, 8, 9, 10, 11)} | {"npr4j-totals", "npr4j-ensembles"} <= files


@pytest.mark.published
@pytest.mark.parametrize("words", [words for words in COMMANDS if words[1] == "rescore" and "--table" in words], ids=" ".join)
def test_published_tables_come_out(words: list[str]) -> None:
    if not DATA.is_dir():
        pytest.skip(f"the published data are not here: {DATA}")
    said_by([str(DATA) if word == "DIR" else word for word in words[1:]], ROOT)
