import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.core.model import Message, Prompt
from repairlab.core.record import digest
from repairlab.repairers.ledger import Ledger, asking_for, read_requests
from repairlab.repairers.llm.client.answer_file import FILE, AnswerFile
from repairlab.repairers.llm.client.cached_model import CachedEmbedder, CachedModel, Keeping
from repairlab.repairers.llm.client.model import Completion, Keep, Sampling, ScriptedModel, Unanswerable
from repairlab.repairers.llm.client.providers import FREE, Price
from repairlab.repairers.repairer import Unreachable

PROMPT = Prompt(messages=(Message(role="user", content="mend this"),))
HOT = Sampling(temperature=0.8)
PRICE = Price(input=1e5, output=1e5)


def as_it_is(_: int, answer: Completion) -> Completion:
    return answer


class Counting:
    """A model whose every answer is new, and which remembers the numbers it was asked for."""

    name = "test/counting"

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.window: int | None = 4096
        self.failure: Exception | None = None
        self.delay_s = 0.0
        self._lock = threading.Lock()

    @property
    def context_window(self) -> int | None:
        if self.failure:
            raise self.failure
        return self.window

    def count_tokens(self, text: str) -> int:
        return len(text)

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        return tuple(answer for _, answer in self.answers(prompt, sampling, range(first, first + n), as_it_is))

    def answers(self, prompt: Prompt, sampling: Sampling, numbers: Sequence[int], keep: Keep) -> Iterator[tuple[int, Completion]]:
        for number in numbers:
            if self.failure:
                raise self.failure
            time.sleep(self.delay_s)
            with self._lock:
                self.numbers.append(number)
                count = len(self.numbers)
            answer = Completion(text=f"{number}.{count}", tokens_in=2, tokens_out=3, cost_usd=0.5, logprob=-1.5)
            yield number, keep(number, answer)


class Measuring:
    name = "test/vectors"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return [[float(len(text)), 0.1] for text in texts]


def kept(model: Counting, folder: Path, *, offline: bool = False, ledger: Ledger | None = None) -> CachedModel:
    return CachedModel(model, Keeping(file=AnswerFile(folder, price=PRICE), scope="here", offline=offline, ledger=ledger))


@settings(max_examples=40)
@given(spans=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), min_size=1, max_size=8))
def test_however_answers_are_split_they_are_the_same_and_asked_once(
    tmp_path_factory: pytest.TempPathFactory, spans: list[tuple[int, int]]
) -> None:
    folder, inner = tmp_path_factory.mktemp("cache"), Counting()
    with kept(inner, folder) as model:
        seen = [model.complete(PROMPT, HOT, first=first, n=n) for first, n in spans]
        whole = model.complete(PROMPT, HOT, first=0, n=20)
    assert seen == [whole[first : first + n] for first, n in spans]
    assert sorted(inner.numbers) == list(range(20))


def test_answers_outlive_the_process_that_asked(tmp_path: Path) -> None:
    with kept(Counting(), tmp_path) as model:
        before = model.complete(PROMPT, HOT, n=3)
    inner = Counting()
    with kept(inner, tmp_path) as model:
        assert model.complete(PROMPT, HOT, n=3) == before
        assert model.complete(PROMPT, HOT, n=5)[:3] == before
    assert inner.numbers == [3, 4]


@pytest.mark.parametrize(
    ("prompt", "sampling", "scope"),
    [
        (Prompt(text="mend this"), HOT, "here"),
        (PROMPT, Sampling(temperature=0.9), "here"),
        (PROMPT, Sampling(temperature=0.8, seed=1), "here"),
        (PROMPT, HOT, "there"),
    ],
)
def test_another_question_has_another_answer(tmp_path: Path, prompt: Prompt, sampling: Sampling, scope: str) -> None:
    inner = Counting()
    with kept(inner, tmp_path) as model:
        model.complete(PROMPT, HOT)
    with CachedModel(inner, Keeping(file=AnswerFile(tmp_path), scope=scope)) as model:
        model.complete(prompt, sampling)
    assert inner.numbers == [0, 0]


@settings(max_examples=40)
@given(text=st.text() | st.just("\ud800 half a pair"), logprob=st.none() | st.floats(max_value=0, allow_nan=False))
def test_any_text_is_kept_as_it_is(tmp_path_factory: pytest.TempPathFactory, text: str, logprob: float | None) -> None:
    answer = Completion(text=text, finish="length", tokens_in=1, tokens_out=2, cost_usd=0.3, logprob=logprob)
    file = AnswerFile(tmp_path_factory.mktemp("cache"), price=PRICE)
    file.keep("key", 7, answer)
    assert file.answers("key", [7]) == {7: answer}
    file.close()


def test_a_greedy_answer_is_asked_for_once_and_copies_cost_nothing(tmp_path: Path) -> None:
    inner = Counting()
    with kept(inner, tmp_path) as model:
        answers = model.complete(PROMPT, Sampling(temperature=0), n=4)
        later = model.complete(PROMPT, Sampling(temperature=0), first=4, n=2)
    assert inner.numbers == [0]
    assert {answer.text for answer in answers + later} == {"0.1"}
    assert [answer.cost_usd for answer in answers + later] == [0.5, 0, 0, 0, 0, 0]
    assert sum(answer.tokens_in + answer.tokens_out for answer in answers + later) == 5


def test_threads_that_want_the_same_ask_once(tmp_path: Path) -> None:
    inner = Counting()
    inner.delay_s = 0.005
    with kept(inner, tmp_path) as model, ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(model.complete, PROMPT, HOT, first=number % 3, n=6) for number in range(16)]
        results = [call.result() for call in calls]
        whole = model.complete(PROMPT, HOT, n=8)
    assert sorted(inner.numbers) == list(range(8))
    assert results == [whole[number % 3 : number % 3 + 6] for number in range(16)]


def test_a_thread_whose_asker_failed_asks_itself(tmp_path: Path) -> None:
    class Once(Counting):
        def answers(
            self, prompt: Prompt, sampling: Sampling, numbers: Sequence[int], keep: Keep
        ) -> Iterator[tuple[int, Completion]]:
            with self._lock:
                first, self.failed = not getattr(self, "failed", False), True
            time.sleep(0.1)
            if first:
                raise Unreachable("down")
            yield from super().answers(prompt, sampling, numbers, keep)

    with kept(Once(), tmp_path) as model, ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(model.complete, PROMPT, HOT) for _ in range(2)]
        assert sorted(type(call.exception()).__name__ for call in calls) == ["NoneType", "Unreachable"]


def test_answers_that_came_before_a_failure_are_kept(tmp_path: Path) -> None:
    class Breaking(Counting):
        def answers(
            self, prompt: Prompt, sampling: Sampling, numbers: Sequence[int], keep: Keep
        ) -> Iterator[tuple[int, Completion]]:
            yield from super().answers(prompt, sampling, numbers[:2], keep)
            raise Unreachable("down")

    with kept(Breaking(), tmp_path) as model, pytest.raises(Unreachable):
        model.complete(PROMPT, HOT, n=5)
    inner = Counting()
    with kept(inner, tmp_path) as model:
        model.complete(PROMPT, HOT, n=5)
    assert inner.numbers == [2, 3, 4]


def test_offline_replays_and_never_asks(tmp_path: Path) -> None:
    with kept(Counting(), tmp_path) as model:
        before = model.complete(PROMPT, HOT, n=2)
        assert model.context_window == 4096
    inner = Counting()
    inner.failure = AssertionError("asked")
    with kept(inner, tmp_path, offline=True) as model:
        assert model.complete(PROMPT, HOT, n=2) == before
        assert model.context_window == 4096
        with pytest.raises(Unreachable, match=r"of test/counting: 1 answer not kept.*--offline"):
            model.complete(PROMPT, HOT, n=3)


def test_what_cannot_be_answered_replays_too_but_is_asked_again_online(tmp_path: Path) -> None:
    inner = Counting()
    inner.failure = Unanswerable("too long")
    with kept(inner, tmp_path) as model, pytest.raises(Unanswerable, match="too long"):
        model.complete(PROMPT, HOT)
    with kept(Counting(), tmp_path, offline=True) as model, pytest.raises(Unanswerable, match="too long"):
        model.complete(PROMPT, HOT)
    with kept(Counting(), tmp_path) as model:
        assert model.complete(PROMPT, HOT)[0].text == "0.1"


def test_the_context_window_is_remembered_when_the_server_is_down(tmp_path: Path) -> None:
    inner = Counting()
    with kept(inner, tmp_path) as model:
        assert model.context_window == 4096
        inner.failure = Unreachable("down")
        assert model.context_window == 4096
    with kept(inner, tmp_path / "other") as model, pytest.raises(Unreachable):
        _ = model.context_window


def test_without_a_file_everything_is_asked_but_greedy_copies(tmp_path: Path) -> None:
    inner = Counting()
    model = CachedModel(inner, Keeping())
    model.complete(PROMPT, HOT, n=2)
    model.complete(PROMPT, HOT, n=2)
    model.complete(PROMPT, Sampling(temperature=0), n=3)
    assert inner.numbers == [0, 1, 0, 1, 0]


def test_a_model_that_hands_out_answers_together_is_asked_for_what_is_missing(tmp_path: Path) -> None:
    inner = ScriptedModel(lambda prompt, number: f"answer {number}")
    ledger = Ledger(tmp_path / "requests.jsonl")
    with CachedModel(inner, Keeping(file=AnswerFile(tmp_path), ledger=ledger)) as model, asking_for("bug-1"):
        model.complete(PROMPT, HOT, first=2, n=1)
        texts = [answer.text for answer in model.complete(PROMPT, HOT, n=12)]
    assert texts == [f"answer {number}" for number in range(12)]
    lines = [(line.bug_id, line.first, line.n, line.from_cache) for line in read_requests(tmp_path / "requests.jsonl")]
    assert [line[1:] for line in lines] == [(2, 1, False), (2, 1, True), (0, 2, False), (3, 8, False), (11, 1, False)]
    assert {line[0] for line in lines} == {"bug-1"}
    assert inner.asked == [PROMPT] * 4


def test_kept_answers_are_booked_without_cost_and_keep_their_own(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "requests.jsonl")
    with kept(Counting(), tmp_path, ledger=ledger) as model, asking_for("bug-1"):
        model.complete(PROMPT, HOT, n=2)
        again = model.complete(PROMPT, HOT, n=2)
    (line,) = read_requests(tmp_path / "requests.jsonl")  # the model itself books what it asks; this one books nothing
    assert (line.bug_id, line.from_cache, line.n, line.cost_usd, line.tokens_in, line.tokens_out) == ("bug-1", True, 2, 0.0, 4, 6)
    assert [answer.cost_usd for answer in again] == [0.5, 0.5]


@pytest.mark.parametrize(("price", "cost"), [(Price(input=1e6, output=0), 2.0), (FREE, 0.0), (None, None)])
def test_a_kept_answer_costs_what_its_tokens_do_now(price: Price | None, cost: float | None, tmp_path: Path) -> None:
    with kept(Counting(), tmp_path) as model:
        model.complete(PROMPT, HOT, n=1)
    with CachedModel(Counting(), Keeping(file=AnswerFile(tmp_path, price=price), scope="here")) as model:
        assert [answer.cost_usd for answer in model.complete(PROMPT, HOT, n=1)] == [cost]


def ask_until_killed(folder: Path, told: multiprocessing.connection.Connection) -> None:
    with kept(Counting(), folder) as model:
        for number in range(100_000):
            told.send(model.complete(PROMPT, HOT, first=number)[0].text)


def test_a_killed_process_loses_no_answer(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe(duplex=False)
    other = spawn.Process(target=ask_until_killed, args=(tmp_path, there))
    other.start()
    there.close()
    texts = [here.recv() for _ in range(50)]
    assert other.pid is not None
    os.kill(other.pid, signal.SIGKILL)
    other.join()
    here.close()
    file = AnswerFile(tmp_path)
    found = file.answers(_key(), range(50))
    file.close()
    assert [found[number].text for number in range(50)] == texts


def _key() -> str:
    return digest("test/counting", "here", PROMPT, HOT)


def ask_all(folder: Path) -> None:
    with kept(Counting(), folder) as model:
        for number in range(60):
            model.complete(PROMPT, HOT, first=number)


def test_processes_share_the_file(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    others = [spawn.Process(target=ask_all, args=(tmp_path,)) for _ in range(3)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0, 0, 0]
    file = AnswerFile(tmp_path)
    assert len(file.answers(_key(), range(60))) == 60
    file.close()


def test_a_process_that_was_slower_gets_the_answer_that_counts(tmp_path: Path) -> None:
    one, two = AnswerFile(tmp_path), AnswerFile(tmp_path)
    assert one.keep("key", 0, Completion(text="first")).text == "first"
    assert two.keep("key", 0, Completion(text="second")).text == "first"
    one.close()
    two.close()


def test_a_damaged_file_is_put_aside_and_told(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"this is no database" * 100)
    told: list[str] = []
    file = AnswerFile(tmp_path, notify=told.append)
    file.keep("key", 0, Completion(text="kept"))
    assert file.answers("key", [0])[0].text == "kept"
    file.close()
    assert len(told) == 1
    assert "was damaged" in told[0]
    assert any("damaged" in path.name for path in tmp_path.iterdir())


def test_a_file_that_cannot_be_made_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, no folder")
    told: list[str] = []
    inner = Counting()
    with CachedModel(inner, Keeping(file=AnswerFile(tmp_path / "taken", notify=told.append))) as model:
        assert [answer.text for answer in model.complete(PROMPT, HOT, n=2)] == ["0.1", "1.2"]
    assert "cannot be used" in told[0]


def test_vectors_are_asked_for_once_per_text_and_come_back_alike(tmp_path: Path) -> None:
    inner = Measuring()
    with CachedEmbedder(inner, Keeping(file=AnswerFile(tmp_path))) as embedder:
        fresh = embedder.embed(["a", "bb", "a"])
    with CachedEmbedder(inner, Keeping(file=AnswerFile(tmp_path))) as embedder:
        assert embedder.embed(["a", "bb", "a", "ccc"])[:3] == fresh
        assert embedder.embed([]) == []
    assert inner.texts == ["a", "bb", "ccc"]
    assert fresh[0] == pytest.approx([1.0, 0.1])


def test_vectors_are_not_asked_for_offline(tmp_path: Path) -> None:
    offline = Keeping(file=AnswerFile(tmp_path), offline=True)
    with CachedEmbedder(Measuring(), offline) as embedder, pytest.raises(Unreachable, match="--offline"):
        embedder.embed(["a"])


def test_the_file_is_the_users_own(tmp_path: Path) -> None:
    AnswerFile(tmp_path).close()
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_what_a_model_thought_is_kept_beside_its_answer(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path)
    thought, plain = Completion(text="x", thinking="hm"), Completion(text="y")
    assert file.keep("k", 0, thought) is thought
    file.keep("k", 1, plain)
    file.keep("k", 0, Completion(text="z", thinking="other"))
    found = file.answers("k", [0, 1])
    assert [(found[number].text, found[number].thinking) for number in (0, 1)] == [("x", "hm"), ("y", "")]
    file.close()
