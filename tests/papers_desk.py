"""What the words of the page of the four papers stand for: small data, real where it can be, and runs made of them once."""

import io
import json
import shutil
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import repairlab
from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.labels_file import FoundLabel, write_labels
from repairlab.cli.main import run
from tests.builders import write_files
from tests.building.mining.test_pairing import contest, table
from tests.repairers.llm.answering import Asked, Said, Server, answering, chat
from tests.study.assessment.test_bug_project import fill

STARTER = Path(repairlab.__file__).parent / "benchmarks" / "data" / "starter"
BUGS = ("python-island-count", "python-text-wrap", "python-config-merge")
DOMAIN = 'name = "domain"\nquestion = "The project is"\n[labels]\ntools = "a tool"\ngames = "a game"\n'
GITHUB = [{"full_name": "acme/shop", "stargazers_count": 320, "license": {"spdx_id": "MIT"}, "fork": False}]
ISSUES = {"issues": [{"key": "CSV-1", "fields": {"summary": "Names are forgotten", "description": "Only I am greeted."}}]}
_JUDGED = ("-k", "1,2", "--policy", "full")
RUNS = {
    "RUN": ["--repairer", "templates", "-n", "4", *_JUDGED],
    "COOL": ["--repairer", "llm", "-n", "2", *_JUDGED, "--temperature", "0.2"],
    "HOT": ["--repairer", "llm", "-n", "2", *_JUDGED, "--temperature", "0.8"],
    "TALK": ["--repairer", "llm", "--strategy", "conversation", "--feedback", "message", "--attempts", "1", "--turns", "2"],
    "CHANGED": ["--repairer", "templates", "-n", "4", *_JUDGED, "--perturb", "rename"],
}
"""The runs that `RUN…` stands for, and how each is made."""


def said_by(words: list[str], folder: Path) -> str:
    """Run a command in a folder and return what it said."""
    with chdir(folder), redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
        code = run(words)
    assert code == 0, said.getvalue()
    return said.getvalue()


def _fixes(bug_id: str) -> tuple[str, str]:
    """Return the function of a bug before and after its fix."""
    target = open_benchmark("starter").bug(bug_id).problem.target.text
    lines = (STARTER / "bugs" / bug_id / "fix.patch").read_text(encoding="utf-8").splitlines()[2:]
    old, new = ("".join(f"{line[1:]}\n" for line in lines if line.startswith((" ", sign))) for sign in "-+")
    return target, target.replace(old.strip("\n"), new.strip("\n"))


@contextmanager
def small_model() -> Iterator[Server]:
    """Run a server that answers every other time with the fix of the function it is asked about, and embeds texts by letters."""
    fixes = dict(_fixes(bug_id) for bug_id in BUGS)
    n_asked = 0

    def answer(asked: Asked) -> Said:
        nonlocal n_asked
        if asked.path.endswith("/models"):
            return Said(body={"object": "list", "data": [{"id": "small", "object": "model"}]})
        if asked.path.endswith("/embeddings"):
            vectors = [[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz_"] for text in asked.body["input"]]
            return Said(body={"data": [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]})
        prompt = json.dumps(asked.body)
        head = next((text for text in fixes if json.dumps(text.partition("\n")[0])[1:-1] in prompt), None)
        texts = []
        for _ in range(asked.body.get("n", 1)):
            n_asked += 1
            texts.append("I cannot." if head is None else f"```python\n{fixes[head] if n_asked % 2 else head}\n```")
        if not asked.path.endswith("/chat/completions"):
            bodies = [text.strip("`").partition("\n")[2].partition("\n")[2] for text in texts]
            return Said(body={"choices": [{"index": i, "text": text, "finish_reason": "stop"} for i, text in enumerate(bodies)]})
        return Said(body=chat(*texts))

    with answering(answer) as server:
        yield server


def lay_out(desk: Path, url: str) -> None:
    """Make everything that the page's commands read of ours; this takes seconds."""
    shutil.copytree(
        STARTER, desk / "BENCHMARK", ignore=lambda folder, names: set(names) - set(BUGS) if folder.endswith("bugs") else ()
    )
    for path in desk.glob("BENCHMARK/bugs/*/bug.toml"):
        path.write_text(f'{path.read_text(encoding="utf-8")}repository = "https://example.org/acme/tools"\n', encoding="utf-8")
    write_labels(
        desk / "BENCHMARK" / "labels.jsonl", [FoundLabel(bug=name, rule="domain", values=("tools",), by="people") for name in BUGS]
    )
    known = {"domain.toml": DOMAIN, "github.json": json.dumps(GITHUB), "issues.json": json.dumps(ISSUES), "JARS/README.md": ""}
    write_files(desk, known)
    table(desk / "submissions.csv", contest(12))
    said_by(["pairs", "make", "submissions.csv", "--to", "SET", "--shares", "train=0.6,valid=0.2,test=0.2"], desk)
    train = desk / "SET" / "train.jsonl"
    first, _, rest = train.read_text(encoding="utf-8").partition("\n")
    train.write_text(
        f"{json.dumps(json.loads(first) | {'repository': 'https://example.org/acme/tools'})}\n{rest}", encoding="utf-8"
    )
    tests = [json.loads(line) for line in (desk / "SET" / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    predictions = [json.dumps({"id": pair["id"], "predictions": [pair["fixed"], pair["buggy"]]}) for pair in tests]
    (desk / "out.jsonl").write_text("".join(f"{line}\n" for line in predictions), encoding="utf-8")
    for name, options in RUNS.items():
        model = ["--model", "vllm/small", "--base-url", url] if "llm" in options else []
        said_by(["run", "BENCHMARK", *options, *model, "--to", name], desk)
    for name in ("RUN", "COOL"):
        said_by(["assess", name, "--inputs", "0"], desk)
    said_by(["rank", "COOL", "--by", "majority"], desk)
    said_by(["label", "BENCHMARK", "--to", "labels.jsonl", "--types", "labels.csv"], desk)
    begin = ["label", "BENCHMARK", "--taxonomy", "category", "--raters", "ada,ben"]
    for name, more in {"one": ["--share", "0.5"], "two": ["--after", "one"]}.items():
        said_by([*begin, *more, "--to", name], desk)
        sheets = [desk / name / "sheets" / f"{rater}.csv" for rater in ("ada", "ben")]
        for sheet in sheets:
            fill(sheet, **dict.fromkeys(BUGS, "A.1"))
        said_by(["label", "BENCHMARK", "--to", name, *(word for sheet in sheets for word in ("--take", str(sheet)))], desk)
