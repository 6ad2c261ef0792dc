"""The repairer `llm` as the table lists it: what its settings mean to a run, and how it is opened.

No client is loaded before that.
"""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.model import Access, Prompt
from repairlab.core.problem import Problem
from repairlab.repairers.llm.settings import CONVERSATION, LlmSettings
from repairlab.repairers.repairer import AskEstimate, Example, ExampleSource, RepairContext, Repairer, RepairerFactory, SamplingPlan


@contextmanager
def _open(context: RepairContext) -> Iterator[Repairer]:
    # Imported only now: most runs need no model, and clients take a while to load.
    from repairlab.repairers.ledger import FILE, Ledger  # noqa: PLC0415
    from repairlab.repairers.llm.client.cached_model import RecordedModel  # noqa: PLC0415
    from repairlab.repairers.llm.client.model import ChatModel  # noqa: PLC0415
    from repairlab.repairers.llm.client.open import open_embedder, open_model  # noqa: PLC0415
    from repairlab.repairers.llm.client.providers import Prices  # noqa: PLC0415
    from repairlab.repairers.llm.repairer import AT_ONCE, Llm  # noqa: PLC0415

    settings: LlmSettings = context.settings
    access: Access = context.access
    prices = Prices(Path(access.prices) if access.prices else None)
    ledger = Ledger(context.folder / FILE, limit_usd=access.cost_limit_usd, prices=prices, append=context.append)
    with ExitStack() as stack:
        opened = open_model(settings, access, cache=context.cache, ledger=ledger, notify=context.notify)
        model: ChatModel = stack.enter_context(opened)
        if access.transcripts:
            model = RecordedModel(model, context.keep)
        embedder = None
        if settings.embedding_model is not None and context.examples:
            embedder = stack.enter_context(
                open_embedder(
                    settings.embedding_model,
                    access,
                    cache=context.cache,
                    base_url=settings.base_url,
                    ledger=ledger,
                    notify=context.notify,
                )
            )
        yield Llm(
            settings,
            model,
            n=context.n,
            seed=context.seed,
            examples=context.examples,
            embedder=embedder,
            at_once=1 if context.one_by_one else AT_ONCE,
        )


def _plan(settings: LlmSettings, asked: SamplingPlan, feedback: str) -> SamplingPlan:
    """Give a conversation as many candidates and rounds as it has tries; it ends at the first plausible candidate."""
    if settings.strategy != CONVERSATION:
        return asked
    if feedback == "none":
        raise UserError(
            "a conversation tells the model how its candidates failed, and by default tests stay hidden. "
            "Allow it with --feedback message (verdict and first failing message) or --feedback verdict"
        )
    if asked.n not in (None, settings.tries):
        tries = f"{settings.attempts} attempts × {settings.turns} turns = {settings.tries} candidates"
        raise UserError(f"-n is {asked.n}, but a conversation has {tries}: use --attempts and --turns")
    stop = True if asked.stop_when_fixed is None else asked.stop_when_fixed
    return SamplingPlan(n=settings.tries, rounds=settings.tries, stop_when_fixed=stop)


def _examples(settings: LlmSettings) -> ExampleSource | None:
    return ExampleSource(benchmark=settings.examples, split=settings.split) if settings.strategy == "few-shot" else None


def _check(settings: LlmSettings, access: Access, cache: Path) -> None:
    """Raise UserError if the model cannot work: unknown provider, no key, no price under a cost limit."""
    from repairlab.repairers.llm.client.open import open_embedder, open_model  # noqa: PLC0415  # as above

    open_model(settings, access, cache=cache).close()
    if settings.embedding_model is not None and _examples(settings):
        open_embedder(settings.embedding_model, access, cache=cache, base_url=settings.base_url).close()


def _unfit(settings: LlmSettings, seed: int) -> Callable[[Problem], str | None]:
    """Return a function that says why the strategy cannot ask about a problem, without asking anything."""
    from repairlab.repairers.llm.client.model import ScriptedModel  # noqa: PLC0415  # as above
    from repairlab.repairers.llm.repairer import Llm  # noqa: PLC0415

    return Llm(settings, ScriptedModel(()), n=1, seed=seed).needs


def _estimate(settings: LlmSettings, n: int, examples: tuple[Example, ...]) -> Callable[[Problem], AskEstimate]:
    """Return a function that says how much is asked about a problem, assuming answers of full length."""
    from repairlab.repairers.llm.client.model import estimate_tokens  # noqa: PLC0415  # as above

    plain = dataclasses.replace(settings, selection="random") if settings.selection == "embedding" else settings  # asks nobody

    def estimate(problem: Problem) -> AskEstimate:
        asked = _asked(plain, problem, seed=0, examples=examples)
        tokens = [
            estimate_tokens("".join([*(message.content for message in prompt.messages), prompt.text or "", prompt.suffix or ""]))
            for prompt in asked
        ]
        answers = n if settings.temperature else 1
        if settings.strategy == CONVERSATION:
            # Equal questions to a greedy model are asked once, and its attempts are all alike.
            tokens, answers = tokens * settings.turns, settings.attempts if settings.temperature else 1
        return AskEstimate(
            requests=answers * len(tokens),
            tokens_in=answers * sum(size + turn * settings.max_tokens for turn, size in enumerate(tokens)),
            tokens_out=answers * len(tokens) * settings.max_tokens,
        )

    return estimate


def preview(settings: LlmSettings, problem: Problem, *, seed: int, examples: tuple[Example, ...]) -> tuple[Prompt, ...]:
    """Return what a model would be asked about a problem, later turns as if it had answered with three dots.

    Of questions that stand for themselves all are returned, as if it had chosen the first places that it saw.
    """
    asked = _asked(settings, problem, seed=seed, examples=examples)
    return tuple(asked if len({prompt.messages[:2] for prompt in asked}) > 1 else asked[-1:])


def _asked(settings: LlmSettings, problem: Problem, *, seed: int, examples: tuple[Example, ...]) -> list[Prompt]:
    """Return the prompt of each turn."""
    from repairlab.repairers.llm.client.model import ScriptedModel  # noqa: PLC0415  # as above
    from repairlab.repairers.llm.prompts.strategies import narrowing  # noqa: PLC0415
    from repairlab.repairers.llm.prompts.table import strategy  # noqa: PLC0415
    from repairlab.repairers.llm.repairer import Llm  # noqa: PLC0415

    looks = narrowing(strategy(settings.strategy)) is not None
    model = ScriptedModel(lambda prompt, number: prompt.messages[-1].content if looks else "…")  # noqa: ARG005
    llm = Llm(settings, model, n=1, seed=seed, examples=examples)
    if reason := llm.needs(problem):
        raise UserError(f"the strategy {settings.strategy} cannot ask about it: {reason}")
    for _ in llm.propose(problem, ()):
        pass
    return model.asked


FACTORY = RepairerFactory(
    name="llm",
    about="Asks a language model for fixes, with one of the strategies",
    open=_open,
    settings=LlmSettings,
    access=Access,
    plan=_plan,
    examples=_examples,
    check=_check,
    unfit=_unfit,
    estimate=_estimate,
    label=lambda settings: (settings.strategy, settings.model),
    asks_model=lambda settings: True,  # noqa: ARG005
    advice=(
        "Common causes: a --strategy that the model cannot follow, too small a --max-tokens, or a wrong chat template in the "
        "server. Answers are cached: once the server is fixed, add --no-answer-cache to ask it again."
    ),
    is_deterministic=False,
    waits=True,
    finds_place=True,
    reads_tests=True,
    concurrency=lambda access: access.concurrency,
)
