"""What is represented is recovered, equal in tokens: on bugs of all languages, on drawn code, on published pairs."""

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.pair import Pair, PairForm, PairSet
from repairlab.languages.facts import names
from repairlab.learning.pairs.of_bugs import pairs_of_bugs
from repairlab.learning.pairs.representing import RepresentedPairs, represent_pairs
from repairlab.learning.representations.code import join, same_code, same_fix, split
from repairlab.learning.representations.representation import Sample, Unrepresentable
from repairlab.learning.representations.samples import put_back, sample_of_pair
from repairlab.learning.representations.table import REPRESENTATIONS, representation
from tests.published import DATA

PUBLISHED = DATA / "pairs"
SEED = 16
SIZES = (30, pytest.param(300, marks=pytest.mark.published))
LINE_BASED = ("sequencer", "coconut", "edits", "line", "line-context", "method-marked")


def facts(language: str, form: PairForm) -> PairSet:
    return PairSet(name="trial", version="1", licence="MIT", description="", language=language, form=form, abstract=False)


@pytest.fixture(scope="module")
def starter() -> list[tuple[str, Pair]]:
    return list(pairs_of_bugs(open_benchmark("starter")))


@pytest.mark.parametrize("name", [name for name in REPRESENTATIONS if name not in ("tokens", "program-verdict")])
def test_every_represented_starter_bug_is_recovered(name: str, starter: list[tuple[str, Pair]]) -> None:
    made = representation(name)
    found = [
        represent_pairs([pair for of, pair in starter if of == language], facts(language, "program"), made)
        for language in dict.fromkeys(language for language, _ in starter)
    ]
    assert {item for part in found for item in part.lost} == set()
    assert sum(part.pairs for part in found) == len(starter) >= 60
    least = {"tufano": 0.5, "edits": 0.6, "recoder": 0.8, "line": 0.8, "coconut": 0.85}.get(name, 1.0)
    assert sum(part.represented for part in found) >= least * len(starter)
    assert all(part.represented for part in found), "no bug of a language"


def test_what_is_put_back_is_the_fixed_function(starter: list[tuple[str, Pair]]) -> None:
    for language, pair in starter:
        sample, fixed = sample_of_pair(pair, facts(language, "program"), "line")
        widened, whole = sample_of_pair(pair, facts(language, "program"), "method")
        assert same_code(language, put_back(sample, fixed), whole) and put_back(widened, whole) == whole
        assert sample.method is not None and sample.start is not None and sample.method.startswith(sample.buggy, sample.start)
        rest = len(pair.buggy) - (sample.method_start or 0) - len(sample.method)
        again = pair.buggy[: sample.method_start] + put_back(sample, fixed) + pair.buggy[len(pair.buggy) - rest :]
        assert same_code(language, again, pair.fixed)


@pytest.mark.parametrize("language", ["python", "java", "c", "cpp", "javascript", "go"])
def test_joining_the_words_of_a_program_gives_the_same_program(language: str, starter: list[tuple[str, Pair]]) -> None:
    assert language in names()
    for text in (text for of, pair in starter if of == language for text in (pair.buggy, pair.fixed)):
        assert split(language, join(language, split(language, text))) == split(language, text)


NAMES = st.from_regex(r"[a-zA-Z_$][a-zA-Z0-9_$]{0,12}", fullmatch=True)
LITERALS = st.sampled_from(["0", "1", "7", "64", "1.5f", "0x1F", '"a b"', '""', "'c'", '"\\"x"'])
ATOMS = NAMES | LITERALS
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", ">=", "==", ">>", ">>>", "&&", "-", "!="]), inner).map(" ".join),
        st.tuples(NAMES, inner).map(lambda parts: f"{parts[0]}({parts[1]})"),
        inner.map(lambda part: f"({part})"),
        st.tuples(NAMES, NAMES).map(lambda parts: f"{parts[0]}.{parts[1]}()"),
        st.tuples(NAMES, inner).map(lambda parts: f"{parts[0]}[{parts[1]}]"),
    ),
    max_leaves=6,
)
STATEMENTS = st.one_of(
    st.tuples(NAMES, EXPRESSIONS).map(lambda parts: f"{parts[0]} = {parts[1]};"),
    EXPRESSIONS.map(lambda part: f"return {part};"),
    st.tuples(EXPRESSIONS, NAMES).map(lambda parts: f"if ({parts[0]}) {{\n        {parts[1]}();\n    }}"),
    NAMES.map(lambda part: f"List<List<{part}>> x = new A<>(); // why"),
)
METHODS = st.lists(STATEMENTS, min_size=1, max_size=4).map(lambda lines: "\n    ".join(["void f(int a) {", *lines]) + "\n}\n")


@settings(max_examples=15, deadline=None)
@given(buggy=METHODS, fixed=METHODS)
def test_drawn_methods_are_recovered_by_every_representation(buggy: str, fixed: str) -> None:
    pair = Pair(id="drawn", buggy=buggy, fixed=fixed, context=f"class A {{\n    int size = 0;\n{buggy}}}\n", verdict="WRONG")
    for name in REPRESENTATIONS:
        made = representation(name)
        try:
            sample, wanted = sample_of_pair(pair, facts("java", "method"), made.unit)
            encoded, written = made.target(sample, wanted)
        except Unrepresentable:
            continue
        assert (encoded.source, encoded.context) == (made.encode(sample).source, made.encode(sample).context)
        assert any(same_fix(sample, text, wanted) for text in made.recover(made.encode(sample), written)), name


@settings(max_examples=60, deadline=None)
@given(buggy=EXPRESSIONS, fixed=EXPRESSIONS, language=st.sampled_from(["java", "c", "cpp", "python", "javascript", "go"]))
def test_drawn_expressions_are_recovered_in_every_language(buggy: str, fixed: str, language: str) -> None:
    for name in LINE_BASED:
        made = representation(name)
        sample = Sample(language=language, buggy=buggy)
        try:
            _, written = made.target(sample, fixed)
        except Unrepresentable:
            continue
        assert any(same_fix(sample, text, fixed) for text in made.recover(made.encode(sample), written)), name


def published(name: str, n: int) -> Iterator[tuple[PairForm, Pair]]:
    if name == "codrep":
        with gzip.open(PUBLISHED / "codrep/codrep_pairs.jsonl.gz", "rt", encoding="utf-8") as file:
            lines = random.Random(SEED).sample(list(file), n)
        for number, entry in enumerate(map(json.loads, lines)):
            before = "".join(f"{line}\n" for line in entry["before"])
            context = before + "\n".join([entry["buggy"], *entry["after"]])
            yield "line", Pair(id=str(number), buggy=entry["buggy"], fixed=entry["fixed"], context=context, start=len(before))
        return
    folder, files = {
        "tufano_icse19": ("tufano_icse19_reviews/all/small", ("test/buggy.txt", "test/fixed.txt")),
        "manysstubs4j": ("msr2021_manysstubs4j/unique/large", ("src-test.txt", "tgt-test.txt")),
    }[name]
    texts = [(PUBLISHED / folder / file).read_text(encoding="utf-8").split("\n") for file in files]
    rows = [(one.strip(), two.strip()) for one, two in zip(*texts, strict=True) if one.strip() != two.strip()]
    for number, (buggy, fixed) in enumerate(random.Random(SEED).sample(rows, n)):
        yield ("method" if name == "tufano_icse19" else "expression"), Pair(id=str(number), buggy=buggy, fixed=fixed)


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", ["tufano_icse19", "codrep", "manysstubs4j"])
def test_published_pairs_are_recovered(name: str, n: int, capsys: pytest.CaptureFixture[str]) -> None:
    if not PUBLISHED.is_dir():
        pytest.skip("the published pairs are not at hand (../shared/data/pairs)")
    pairs = list(published(name, n))
    found: dict[str, RepresentedPairs] = {}
    for way in REPRESENTATIONS:
        found[way] = represent_pairs([pair for _, pair in pairs], facts("java", pairs[0][0]), representation(way))
        assert found[way].lost == (), way
        with capsys.disabled():
            part = found[way]
            print(f"\n{name} {way}: {part.represented}/{part.pairs} represented, {part.recovered} recovered", part.reasons)  # noqa: T201
    assert Counter(item.pairs for item in found.values()) == {n: len(found)}
    assert found["tokens"].represented == found["program"].represented == found["instruction"].represented == n


@pytest.mark.slow
@pytest.mark.parametrize("n", (10, pytest.param(40, marks=pytest.mark.published)))
@pytest.mark.parametrize(
    ("language", "file"), [("python", "python"), ("java", "java"), ("cpp", "cpp"), ("go", "go"), ("javascript", "js")]
)
def test_functions_of_humanevalfix_are_recovered(language: str, file: str, n: int) -> None:
    path = DATA / f"humanevalfix/humanevalpack_{file}.jsonl"
    if not path.is_file():
        pytest.skip("HumanEvalFix is not at hand (../shared/data/humanevalfix)")
    entries = random.Random(SEED).sample([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()], n)
    pairs = [
        Pair(
            id=entry["task_id"],
            buggy=entry["declaration"] + entry["buggy_solution"],
            fixed=entry["declaration"] + entry["canonical_solution"],
        )
        for entry in entries
    ]
    for way in REPRESENTATIONS:
        found = represent_pairs(pairs, facts(language, "program"), representation(way))
        assert found.lost == (), way
        if way in ("sequencer", "recoder", "line-context", "method-marked", "instruction", "program"):
            assert found.represented >= 0.95 * n, way
