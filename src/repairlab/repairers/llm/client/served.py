"""Models and embedders behind an OpenAI-compatible server."""

import concurrent.futures
import contextvars
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from repairlab.core.amounts import total_cost
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.model import Prompt
from repairlab.core.record import digest, record
from repairlab.repairers.ledger import Kind, Ledger, Request, current_bug
from repairlab.repairers.llm.client.complaints import ServerQuirks
from repairlab.repairers.llm.client.http import Client, HttpReply, Rejected
from repairlab.repairers.llm.client.model import Completion, Keep, Sampling, Unanswerable, estimate_tokens
from repairlab.repairers.llm.client.providers import Price, cost_of, thinking
from repairlab.repairers.llm.client.replies import (
    Answered,
    count_tokens,
    cut,
    read_choices,
    read_infill,
    read_vectors,
    usage_of,
)
from repairlab.repairers.repairer import Unreachable

_BATCH = 64
"""Texts in one request for embeddings."""
_WINDOW_NAMES = ("max_model_len", "context_length", "context_window", "max_context_length")
"""What servers call the context window in their list of models."""


@record
class Terms:
    """What asking a model costs, and who is told."""

    price: Price | None = None
    """None if unknown."""
    ledger: Ledger | None = None
    notify: Callable[[str], None] = lambda _: None
    """Takes warnings, each once."""
    effort: str | None = None
    """How much the model should think: a word, or a number of tokens."""


@record
class _Ask:
    """One request: answers `first` … `first + n - 1`."""

    prompt: Prompt
    sampling: Sampling
    first: int
    n: int


class ServedModel:
    """A model on a server."""

    def __init__(self, client: Client, terms: Terms, *, concurrency: int = 8) -> None:
        """Take the connection to the server."""
        self.name = client.endpoint.name
        self._client = client
        self._terms = terms
        self._habits = ServerQuirks(lambda text: terms.notify(f"{self.name}: {text}"))
        self._facts: dict[str, Any] | None = None
        self._facts_lock = threading.Lock()
        self._pool = concurrent.futures.ThreadPoolExecutor(max(concurrency, 1), thread_name_prefix="model")

    def close(self) -> None:
        """End all connections; requests under way fail."""
        self._client.close()
        self._pool.shutdown(wait=False, cancel_futures=True)  # a connection being opened cannot be told, and need not be waited for

    @property
    def context_window(self) -> int | None:
        """Return what the server reports, asking it once."""
        facts = self._model_facts()
        said = [facts.get(name) for name in _WINDOW_NAMES]
        if facts.get("owned_by") == "llamacpp":
            said += [self._slot_window, (facts.get("meta") or {}).get("n_ctx_train")]
        return next((int(value) for value in said if isinstance(value, int | float) and value > 0), None)

    def count_tokens(self, text: str) -> int:
        """Estimate: one token for three bytes."""
        return estimate_tokens(text)

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Request all answers, in as few requests as the server allows, several of them at a time."""
        found = dict(self.answers(prompt, sampling, range(first, first + n), lambda _, answer: answer))
        return tuple(found[number] for number in sorted(found))

    def answers(self, prompt: Prompt, sampling: Sampling, numbers: Sequence[int], keep: Keep) -> Iterator[tuple[int, Completion]]:
        """Yield the answers of these numbers as they arrive; when one fails, those under way still arrive first."""
        failure: BaseException | None = None
        under_way = {self._start(ask, keep): ask for ask in self._asks(prompt, sampling, numbers)}
        while under_way:
            done, _ = concurrent.futures.wait(under_way, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                ask = under_way.pop(future)
                error = _stopped(self.name) if future.cancelled() else future.exception()
                if error is not None:
                    failure = failure or error
                    for other in under_way:
                        other.cancel()
                    continue
                got = future.result()
                yield from enumerate(got, ask.first)
                rest = range(ask.first + len(got), ask.first + ask.n)
                if failure is None:
                    under_way |= {self._start(more, keep): more for more in self._asks(prompt, sampling, rest)}
        if failure is not None:
            raise failure

    def _start(self, ask: _Ask, keep: Keep) -> concurrent.futures.Future[list[Completion]]:
        try:
            return self._pool.submit(contextvars.copy_context().run, self._request, ask, keep)
        except RuntimeError:  # the pool accepts nothing any more
            raise _stopped(self.name) from None

    def _asks(self, prompt: Prompt, sampling: Sampling, numbers: Sequence[int]) -> Iterator[_Ask]:
        """Group consecutive numbers into requests."""
        most = 1 if self._kind(prompt) == "infill" else self._habits.most
        start = 0
        for end in range(1, len(numbers) + 1):
            if end == len(numbers) or end - start == most or numbers[end] != numbers[end - 1] + 1:
                yield _Ask(prompt=prompt, sampling=sampling, first=numbers[start], n=end - start)
                start = end

    def _request(self, ask: _Ask, keep: Keep) -> list[Completion]:
        """Send one request in the form that the server accepts, store and book it; fewer answers than requested may come back."""
        kind = self._kind(ask.prompt)
        while True:
            n = min(ask.n, self._habits.most)
            path, payload = self._payload(kind, ask, n)
            payload = self._habits.shape(payload)
            if self._terms.ledger:
                self._terms.ledger.check()
            try:
                reply = self._client.post(path, payload, functools.partial(self._read, kind, ask))
            except Rejected as rejected:
                if self._habits.learn(rejected.words, payload):
                    continue
                error = _about_suffix(self.name, rejected) if ask.prompt.suffix is not None else rejected
                self._book(kind, ask, problem=str(error))
                raise error from None
            except (Unanswerable, UserError, HarnessError) as error:
                self._book(kind, ask, problem=str(error))
                raise
            self._habits.saw(asked=n, got=len(reply.value.choices))
            made = self._made(ask, reply.value)
            kept = [keep(number, answer) for number, answer in enumerate(made[:n], ask.first)]
            self._book(kind, ask, made=made, reply=reply)
            return kept

    def _read(self, kind: Kind, ask: _Ask, data: dict[str, Any]) -> Answered:
        """Read a reply; a useless one is booked with the tokens that it names before the retry."""
        try:
            return read_infill(data) if kind == "infill" else read_choices(data)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as nonsense:
            ledger, (tokens_in, tokens_out) = self._terms.ledger, usage_of(data)
            if ledger and (tokens_in or tokens_out):
                cost_usd = cost_of(self._terms.price, tokens_in or 0, tokens_out or 0)
                made = Completion(text="", finish="stop", tokens_in=tokens_in or 0, tokens_out=tokens_out or 0, cost_usd=cost_usd)
                self._book(kind, ask, made=[made], problem=f"its answer makes no sense: {nonsense}")
                ledger.check()
            raise

    def _made(self, ask: _Ask, answered: Answered) -> list[Completion]:
        estimate = estimate_tokens("".join([*(message.content for message in ask.prompt.messages), ask.prompt.text or ""]))
        made = []
        counts = count_tokens(answered, estimate, ask.sampling)
        for choice, (tokens_in, tokens_out) in list(zip(answered.choices, counts, strict=True)):
            kept = cut(choice, tokens_out, ask.sampling)
            made.append(
                Completion(
                    text=self._client.without_key(kept.text),  # JSON can spell it in ways that the raw body does not show
                    finish=kept.finish,
                    tokens_in=tokens_in,
                    tokens_out=tokens_out,
                    cost_usd=cost_of(self._terms.price, tokens_in, tokens_out),
                    logprob=kept.logprob,
                    thinking=self._client.without_key(kept.thinking),
                )
            )
        return made

    def _book(
        self,
        kind: Kind,
        ask: _Ask,
        *,
        made: Sequence[Completion] = (),
        reply: HttpReply[Answered] | None = None,
        problem: str | None = None,
    ) -> None:
        if self._terms.ledger is None:
            return
        self._terms.ledger.add(
            Request(
                bug_id=current_bug(),
                model=self.name,
                kind=kind,
                prompt=digest(ask.prompt),
                first=ask.first,
                n=len(made),
                tokens_in=sum(answer.tokens_in for answer in made),
                tokens_out=sum(answer.tokens_out for answer in made),
                cost_usd=total_cost(answer.cost_usd for answer in made),
                seconds=round(reply.seconds, 3) if reply else 0.0,
                retries=reply.retries if reply else 0,
                problem=problem,
            )
        )

    def _kind(self, prompt: Prompt) -> Kind:
        if prompt.messages:
            return "chat"
        return "infill" if prompt.suffix is not None and self._is_llamacpp() else "completion"

    def _payload(self, kind: Kind, ask: _Ask, n: int) -> tuple[str, dict[str, Any]]:
        """Return path and body of a request, before adapting it to the server."""
        prompt, sampling = ask.prompt, ask.sampling
        shared = {"temperature": sampling.temperature, "top_p": sampling.top_p, "seed": sampling.seed + ask.first}
        if sampling.stop:
            shared["stop"] = [stop for stop in sampling.stop if stop]  # type: ignore[assignment]  # JSON of any shape
        if kind == "infill":
            body = {
                "input_prefix": prompt.text or "",
                "input_suffix": prompt.suffix,
                "prompt": "",
                "n_predict": sampling.max_tokens,
            }
            return self._root("/infill"), {**shared, **body, **({"n_probs": 1} if sampling.logprobs else {})}
        payload = {"model": self._client.endpoint.model, "max_tokens": sampling.max_tokens, **shared}
        if n > 1:
            payload["n"] = n
        if kind == "chat":
            payload["messages"] = [{"role": message.role, "content": message.content} for message in prompt.messages]
            payload |= thinking(self._client.endpoint.provider, self._terms.effort)
            return "/chat/completions", {**payload, **({"logprobs": True} if sampling.logprobs else {})}
        payload["prompt"] = prompt.text or ""
        if prompt.suffix is not None:
            payload["suffix"] = prompt.suffix
        return "/completions", {**payload, **({"logprobs": 1} if sampling.logprobs else {})}

    def _root(self, path: str) -> str:
        return self._client.endpoint.base_url.removesuffix("/v1") + path

    def _is_llamacpp(self) -> bool:
        return self._client.endpoint.provider == "llamacpp" or self._model_facts().get("owned_by") == "llamacpp"

    def _model_facts(self) -> dict[str, Any]:
        """Ask the server, once, about the model."""
        with self._facts_lock:
            if self._facts is None:
                try:
                    models = self._client.models()
                except Rejected:
                    models = []  # not every server has such a list
                named = [model for model in models if model.get("id") == self._client.endpoint.model]
                self._facts = (named or (models if len(models) == 1 else []) or [{}])[0]
            return self._facts

    @functools.cached_property
    def _slot_window(self) -> Any:
        """Ask llama.cpp for the context of one slot, which can be far smaller than the model's."""
        try:
            return self._client.get(self._root("/props"), lambda data: data["default_generation_settings"]["n_ctx"]).value
        except (Rejected, HarnessError):
            return None


class ServedEmbedder:
    """An embedding model on a server."""

    def __init__(self, client: Client, terms: Terms) -> None:
        """Take the connection to the server."""
        self.name = client.endpoint.name
        self._client = client
        self._terms = terms

    def close(self) -> None:
        """End all connections."""
        self._client.close()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text, requested in batches."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _BATCH):
            vectors += self._batch(texts[start : start + _BATCH])
        return vectors

    def _batch(self, texts: Sequence[str]) -> list[list[float]]:
        if self._terms.ledger:
            self._terms.ledger.check()
        payload = {"model": self._client.endpoint.model, "input": list(texts), "encoding_format": "float"}
        reply = self._client.post("/embeddings", payload, lambda data: read_vectors(data, len(texts)))
        vectors, counted = reply.value
        tokens = counted if counted is not None else sum(map(estimate_tokens, texts))
        if self._terms.ledger:
            self._terms.ledger.add(
                Request(
                    bug_id=current_bug(),
                    model=self.name,
                    kind="embedding",
                    prompt=digest(list(texts)),
                    n=len(vectors),
                    tokens_in=tokens,
                    cost_usd=cost_of(self._terms.price, tokens, 0),
                    seconds=round(reply.seconds, 3),
                    retries=reply.retries,
                )
            )
        return vectors


def _stopped(name: str) -> Unreachable:
    return Unreachable(f"{name} was not asked: the run is being stopped")


def _about_suffix(name: str, rejected: Rejected) -> UserError:
    return UserError(
        f"{name} does not fill in the middle, or not with a suffix: {rejected}. "
        "Use a strategy without infilling by completion, or a server that offers it"
    )
