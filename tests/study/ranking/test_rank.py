"""Rankings of runs: what is left out, what is stored, and what is refused. The runs are written by hand."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.score import Ended
from repairlab.core.text import Span
from repairlab.repairers.llm.client.model import Unanswerable
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.samples import read_samples
from repairlab.runs.store import BugEnd, Store
from repairlab.study.ranking.rank import rank_run
from repairlab.study.ranking.stored import LeftOut, Ranking, RankingRecipe, ranking_files, read_ranking, store_ranking
from tests import builders

P, W, CE, NA, IE = Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE, Verdict.UNDECIDED
BUGGY = "def total(numbers):\n    result = 1\n    for number in numbers:\n        result += number\n    return result"


def with_start(value: str) -> str:
    return BUGGY.replace("result = 1", f"result = {value}")


@dataclasses.dataclass
class Given:
    """One candidate of the bug `sum`."""

    text: str | None
    verdict: Verdict = W
    logprob: float | None = None
    tokens: int = 0
    same_as: int | None = None
    """Index of the candidate whose run decided this one."""


class Letters:
    """Embeds a text as the counts of its characters."""

    name = "test/letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [[float(text.count(chr(code))) for code in range(32, 127)] for text in texts]


WriteRun = Callable[..., Path]


@pytest.fixture
def write_run(tiny: Path, tmp_path: Path) -> WriteRun:
    """Return a function that writes a run with given candidates for the bug `sum`, and none for `shop`."""

    def write(*given: Given, rounds: int = 1, ended: Ended | None = "exhausted", n: int = 10, benchmark: str | None = None) -> Path:
        found = open_benchmark(str(tiny))
        store = Store(tmp_path / "run")
        experiment = Experiment(benchmark=benchmark or str(tiny), repairer="chat", n=n, rounds=rounds, k=(1, 2))
        store.create(
            Manifest(
                experiment=experiment, benchmark_name="tiny", benchmark_version="1.0.0", benchmark_digest=found.digest,
                bug_ids=("shop", "sum"), languages=("python", "python"), repairlab="0", environment={}, environment_digest="0",
                created="2026-01-02T03:04:05+00:00",
            )
        )  # fmt: skip
        span = found.bug("sum").problem.target.span
        ids: list[str] = []
        for rank, item in enumerate(given, start=1):
            candidate = _candidate(item, rank, span)
            ids.append(candidate.id)
            store.append(candidate)
            twin = None if item.same_as is None else ids[item.same_as]
            store.append(builders.outcome(item.verdict, candidate, policy="first-failure", n_tests=2, equivalent_to=twin))
        store.append(BugEnd(bug_id="shop", ended="exhausted"))
        if ended is not None:
            store.append(BugEnd(bug_id="sum", ended=ended))
        return store.folder

    return write


def _candidate(item: Given, rank: int, span: Span) -> Candidate:
    origin = Origin(repairer="chat", logprob=item.logprob, tokens_out=item.tokens)
    if item.text is None:
        return Candidate(bug_id="sum", edits=(), rank=rank, origin=origin, problem="nothing found", answer=f"sorry {rank}")
    return Candidate(bug_id="sum", edits=(Edit(path="main.py", text=item.text, span=span),), rank=rank, origin=origin)


def ranked(folder: Path, order: str, **settings: object) -> Ranking:
    return rank_run(folder, dataclasses.replace(RankingRecipe(order=order), **settings))  # type: ignore[arg-type]  # fields of Recipe


def test_equal_candidates_are_ranked_once_and_the_largest_group_first(write_run: WriteRun) -> None:
    folder = write_run(
        Given(with_start("2")), Given(with_start("0"), P), Given(with_start("3")), Given(with_start(" 0"), P, same_as=1)
    )
    found = ranked(folder, "majority")
    assert found.ranks == {"shop": (), "sum": (2, 1, 3)}
    assert (found.n_candidates, found.n_ranked, found.left_out) == (4, 3, LeftOut(duplicates=1))
    assert ranked(folder, "original").ranks["sum"] == (1, 2, 3)


def test_candidates_without_a_program_and_those_that_change_nothing_are_left_out(write_run: WriteRun) -> None:
    folder = write_run(
        Given(None, NA), Given(BUGGY), Given(with_start("1  # one")), Given(with_start("0"), P), Given("def total(", CE),
        Given(with_start("5"), IE),
    )  # fmt: skip
    found = ranked(folder, "original")
    assert found.ranks["sum"] == (4, 5, 6)
    assert found.left_out == LeftOut(unapplicable=1, unchanged=2)
    assert ranked(folder, "original", keep_unchanged=True).ranks["sum"] == (2, 3, 4, 5, 6)


def test_candidates_that_do_not_build_are_left_out_when_asked_but_never_the_undecided(write_run: WriteRun) -> None:
    folder = write_run(Given("def total(", CE), Given(None, NA), Given(with_start("5"), IE), Given(with_start("0"), P))
    found = ranked(folder, "original", prune_compile=True)
    assert found.ranks["sum"] == (3, 4)
    assert found.left_out == LeftOut(unapplicable=1, unbuilt=1)


def test_an_undecided_candidate_whose_edits_do_not_apply_is_left_out(write_run: WriteRun) -> None:
    folder = write_run(Given(with_start("0"), P))
    store = Store(folder)
    edit = Edit(path="main.py", text="x", span=Span(start=0, end=99_999))
    odd = builders.candidate("sum", edit, rank=2, repairer="chat")
    store.append(odd)
    store.append(builders.outcome(IE, odd, stage="apply", policy="first-failure"))
    found = ranked(folder, "original")
    assert (found.ranks["sum"], found.left_out) == ((1,), LeftOut(unapplicable=1))


def test_log_probabilities_are_those_of_the_likeliest_of_equal_candidates(write_run: WriteRun) -> None:
    folder = write_run(
        Given(with_start("2"), logprob=-3.0, tokens=1), Given(with_start("0"), P, logprob=-9.0, tokens=9),
        Given(with_start("0 "), P, logprob=-2.0, tokens=1, same_as=1), Given(with_start("3"), logprob=-4.0, tokens=40),
        Given(with_start("4")),
    )  # fmt: skip
    assert ranked(folder, "logprob").ranks["sum"] == (2, 1, 4, 5)
    assert ranked(folder, "logprob", per_token=True).ranks["sum"] == (4, 2, 1, 5)


def test_a_run_without_log_probabilities_says_how_to_get_them(write_run: WriteRun) -> None:
    with pytest.raises(UserError, match="no log-probabilities; draw them again with: repairlab run … --logprobs"):
        ranked(write_run(Given(with_start("0"), P)), "logprob")
    folder = write_run(Given(with_start("2"), logprob=-1.0))
    with pytest.raises(UserError, match="no log-probabilities"):
        ranked(folder, "logprob", per_token=True)


def test_similarity_prunes_and_ranks_the_least_similar_first(write_run: WriteRun) -> None:
    far = "def total(numbers):\n    return sum(numbers)"
    folder = write_run(
        Given(far, P),
        Given(with_start("0"), P),
        Given(with_start("0 + 0 + 0")),
        Given(with_start("0 "), P, same_as=1),
        Given("", CE),
    )
    embedder = Letters()
    recipe = RankingRecipe(order="similarity", embedding_model="test/letters")
    found = rank_run(folder, recipe, embedder=embedder)
    assert found.ranks["sum"] == (3, 2)
    assert (found.threshold, found.left_out) == (0.95, LeftOut(dissimilar=1, unembeddable=1, duplicates=1))
    assert len(embedder.asked) == len(set(embedder.asked)) == 4  # the buggy function, too; nothing for the bug without candidates
    every = rank_run(folder, dataclasses.replace(recipe, threshold=-1.0), embedder=Letters())
    assert every.ranks["sum"] == (1, 3, 2)


def test_the_median_is_that_of_all_candidates_of_the_run(write_run: WriteRun) -> None:
    far = "def total(numbers):\n    return sum(numbers)"
    folder = write_run(Given(far, P), Given(with_start("0"), P), Given(with_start("0 + 0 + 0")))
    recipe = RankingRecipe(order="similarity", embedding_model="test/letters", threshold="median")
    found = rank_run(folder, recipe, embedder=Letters())
    assert found.ranks["sum"] == (3, 2)
    assert found.threshold is not None
    assert 0.95 < found.threshold < 1


def test_without_candidates_there_is_no_median_and_nothing_to_rank(write_run: WriteRun) -> None:
    recipe = RankingRecipe(order="similarity", embedding_model="test/letters", threshold="median")
    found = rank_run(write_run(), recipe, embedder=Letters())
    assert (found.ranks, found.threshold) == ({"shop": (), "sum": ()}, 0.95)


def test_buggy_code_that_cannot_be_embedded_names_the_bug(write_run: WriteRun) -> None:
    class Small:
        name = "test/small"

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            raise Unanswerable("too long")

    recipe = RankingRecipe(order="similarity", embedding_model="test/small")
    with pytest.raises(UserError, match="bug sum: the embedding model 'test/small' cannot take the buggy code"):
        rank_run(write_run(Given(with_start("0"))), recipe, embedder=Small())


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (
            RankingRecipe(order="similarty"),
            r"unknown order 'similarty'. Did you mean 'similarity'\? Known: logprob, majority, original, similarity.",
        ),
        (RankingRecipe(order="similarity"), "needs a model that makes embeddings: --embedding-model"),
        (
            RankingRecipe(order="similarity", embedding_model="a/b", threshold=1.5),
            "--threshold is 1.5: a cosine lies between -1 and 1",
        ),
    ],
)
def test_a_recipe_that_cannot_work_is_refused(recipe: RankingRecipe, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        rank_run(tmp_path, recipe)


def test_runs_that_pass_at_k_refuses_are_not_ranked(write_run: WriteRun) -> None:
    with pytest.raises(UserError, match="rank: 1 of 2 bugs are unfinished"):
        ranked(write_run(Given(with_start("0"), P), ended=None), "majority")


def test_conversations_are_not_ranked(write_run: WriteRun) -> None:
    with pytest.raises(UserError, match="depend on each other"):
        ranked(write_run(Given(with_start("0"), P), rounds=3), "majority")


def test_runs_that_stopped_early_are_not_ranked(write_run: WriteRun) -> None:
    with pytest.raises(UserError, match="stopped at the first plausible candidate for 1 of 2 bugs"):
        ranked(write_run(Given(with_start("0"), P), ended="solved"), "majority")


def test_a_ranking_needs_the_benchmark_of_the_run(write_run: WriteRun, tiny: Path) -> None:
    folder = write_run(Given(with_start("0"), P))
    (tiny / "bugs/sum/issue.md").write_text("Another title\n", encoding="utf-8")
    with pytest.raises(UserError, match="a ranking needs the code that the run was made on"):
        ranked(folder, "majority")
    with pytest.raises(UserError, match="cannot be opened: unknown benchmark 'gone'"):
        ranked(write_run(benchmark="gone"), "majority")


def test_a_folder_without_a_run_and_an_odd_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no run folder"):
        ranked(tmp_path, "majority")
    with pytest.raises(UserError, match=r"--name is '\.\./x'"):
        rank_run(tmp_path, RankingRecipe(order="majority"), name="../x")


def test_a_run_with_a_missing_outcome_is_refused(write_run: WriteRun) -> None:
    folder = write_run(Given(with_start("0"), P))
    (folder / "outcomes.jsonl").write_bytes(b"")
    with pytest.raises(UserError, match=r"outcomes\.jsonl, line 1: it is missing"):
        ranked(folder, "majority")


def test_a_stored_ranking_is_read_again_and_the_same_every_time(write_run: WriteRun) -> None:
    folder = write_run(Given(with_start("2")), Given(with_start("0"), P))
    found = ranked(folder, "majority", prune_compile=True)
    path = store_ranking(folder, found)
    assert path == folder / "rankings" / "majority-compile.json"
    first = path.read_bytes()
    assert ranking_files(folder) == [path]
    assert read_ranking(path, read_samples(Store(folder))) == found
    assert store_ranking(folder, ranked(folder, "majority", prune_compile=True)).read_bytes() == first


def test_a_ranking_of_a_run_that_changed_is_refused(write_run: WriteRun) -> None:
    folder = write_run(Given(with_start("2"), IE), Given(with_start("0"), P))
    store = Store(folder)
    path = store_ranking(folder, ranked(folder, "majority"))
    first = next(store.outcomes())
    store.append(dataclasses.replace(first, verdict=W))
    assert read_ranking(path, read_samples(store)).ranks["sum"] == (1, 2)
    store.append(dataclasses.replace(first, verdict=CE))
    with pytest.raises(UserError, match="was made before the run changed; make it again with: repairlab rank"):
        read_ranking(path, read_samples(store))


@pytest.mark.parametrize("ranks", [{"shop": [], "sum": [3]}, {"sum": [1]}, {"shop": [], "sum": [0]}])
def test_a_ranking_with_ranks_that_do_not_exist_is_refused(ranks: dict[str, list[int]], write_run: WriteRun) -> None:
    folder = write_run(Given(with_start("2")), Given(with_start("0"), P))
    path = store_ranking(folder, ranked(folder, "majority"))
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "ranks": ranks}), encoding="utf-8")
    with pytest.raises(UserError, match="was made before the run changed"):
        read_ranking(path, read_samples(Store(folder)))


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 1}'])
def test_a_damaged_ranking_is_one_clear_message(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"odd\.json"):
        read_ranking(path, ())


def test_a_place_that_cannot_be_written_is_one_clear_message(write_run: WriteRun) -> None:
    folder = write_run(Given(with_start("0"), P))
    (folder / "rankings").write_text("in the way", encoding="utf-8")
    with pytest.raises(UserError, match="cannot write"):
        store_ranking(folder, ranked(folder, "majority"))


def test_the_recipe_is_told_in_full() -> None:
    recipe = RankingRecipe(order="similarity", embedding_model="openai/x|y", threshold=0.9, prune_compile=True, keep_unchanged=True)
    assert recipe.text == "similarity,openai/x/y,threshold=0.9,prune=compile,unchanged=kept"
    assert (RankingRecipe(order="logprob", per_token=True).text, RankingRecipe(order="majority").text) == (
        "logprob,per-token",
        "majority",
    )
    assert (recipe.name, RankingRecipe(order="logprob", per_token=True).name) == (
        "similarity-compile-unchanged",
        "logprob-per-token",
    )
