"""What parts that propose fixes promise: repairers, strategies of prompts, and representations of code for networks."""

import dataclasses
import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.writing import toml
from repairlab.cli.contracts.selftest import Check, NotTried, SelfTestContext, attempt
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.model import Prompt
from repairlab.core.option import settings_of
from repairlab.core.pair import Pair, PairForm, PairSet
from repairlab.core.problem import Problem, Visibility, shown
from repairlab.core.record import to_data
from repairlab.languages.facts import names
from repairlab.learning.pairs.of_bugs import pairs_of_bugs
from repairlab.learning.representations.code import LAYOUT, same_fix, split
from repairlab.learning.representations.representation import Encoded, Representation, Sample, Unrepresentable
from repairlab.learning.representations.samples import sample_of_pair
from repairlab.learning.representations.table import representation
from repairlab.repairers.llm.factory import preview
from repairlab.repairers.llm.prompts.table import strategy
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.repairers.repairer import Example, RepairContext, RepairerFactory
from repairlab.repairers.table import factory, make_settings

N = 30
"""Candidates that are asked for."""


def repairer_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a repairer."""
    made = factory(name)
    yield attempt("it knows its name", lambda: "" if made.name == name else f"it calls itself {made.name!r}")
    yield attempt("its settings describe themselves", lambda: _described(made))
    yield attempt("its settings survive an experiment file", lambda: _survive(made, context))
    for problem in starter_problems():
        title = f"it proposes valid candidates for {problem.id}"
        yield attempt(title, lambda: _proposes(made, problem, context))  # noqa: B023  # called at once


def starter_problems() -> tuple[Problem, ...]:
    """Return a problem in each language, as repairers see them by default."""
    first = {bug.problem.language: bug.problem for bug in reversed(list(open_benchmark("starter")))}
    return tuple(shown(problem, Visibility()) for problem in first.values())


def wrong_with(candidates: list[Candidate], problem: Problem, name: str) -> str:
    """Say what is wrong with what a repairer proposed for a problem: ranks, origins, and edits that do not apply."""
    if [candidate.rank for candidate in candidates] != list(range(1, len(candidates) + 1)):
        return "ranks are not 1, 2, 3 …"
    texts = problem.files
    for candidate in candidates:
        if candidate.bug_id != problem.id or candidate.origin.repairer != name:
            return f"candidate {candidate.rank} is of bug {candidate.bug_id!r} and repairer {candidate.origin.repairer!r}"
        if not candidate.edits and candidate.problem is None:
            return f"candidate {candidate.rank} has neither edits nor a problem"
        for edit in candidate.edits:
            if edit.span is not None and (
                edit.path not in texts or not 0 <= edit.span.start <= edit.span.end <= len(texts[edit.path])
            ):
                return f"candidate {candidate.rank} edits a place that {edit.path} does not have"
        apply_edits(
            candidate.edits, {path: text for path, text in texts.items() if path in {edit.path for edit in candidate.edits}}
        )
    return ""


def _described(made: RepairerFactory) -> str:
    bare = [
        f"{kind.__name__}.{item.name}"
        for kind in (made.settings, made.access)
        for item in settings_of(kind)
        if not item.option.help
    ]
    return f"no help text: {', '.join(bare)}" if bare else ""


def _survive(made: RepairerFactory, context: SelfTestContext) -> str:
    settings = _settings(made, context)
    again = make_settings(made.settings, tomllib.loads(toml(to_data(settings))), made.name)
    return "" if again == settings else f"{settings} became {again}"


def _settings(made: RepairerFactory, context: SelfTestContext) -> object:
    missing = [item.name for item in settings_of(made.settings) if item.is_required and item.name not in context.settings]
    if missing:
        raise NotTried(f"it needs {', '.join(missing)}: give them with --config FILE, in the table [{made.name}]")
    settings: object = make_settings(made.settings, context.settings, made.name)
    return settings


def _proposes(made: RepairerFactory, problem: Problem, context: SelfTestContext) -> str:
    settings = _settings(made, context)
    if made.unfit and (reason := made.unfit(settings, 0)(problem)) is not None:
        raise NotTried(f"it cannot work on it: {reason}")
    drawn = [_draw(made, settings, problem, context) for _ in range(2 if made.is_deterministic else 1)]
    if drawn[0] != drawn[-1]:
        return "it proposed something else when it was asked again; say is_deterministic=False if it must"
    return wrong_with(drawn[0], problem, made.name)


def _draw(made: RepairerFactory, settings: object, problem: Problem, context: SelfTestContext) -> list[Candidate]:
    opening = RepairContext(
        settings=settings,
        access=made.access(),
        n=N,
        seed=0,
        folder=context.folder,
        cache=context.machine.cache,
        append=_append,
        notify=lambda text: None,  # noqa: ARG005
        keep=lambda prompt, *answers: None,  # noqa: ARG005
    )
    with made.open(opening) as repairer:
        return [dataclasses.replace(candidate) for candidate in islice(repairer.propose(problem, ()), N)]


def _append(path: Path, body: bytes) -> None:
    with path.open("ab") as file:
        file.write(body + b"\n")


_EXAMPLE = Example(
    id="example", language="c", title="Sum", description="It is too small.", buggy="return a;", fixed="return a + b;"
)


def strategy_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a strategy."""
    del context
    yield attempt("it knows its name", lambda: "" if strategy(name).name == name else f"it calls itself {strategy(name).name!r}")
    yield attempt("it says what it needs", lambda: _needs(name))
    yield attempt("it makes a prompt", lambda: _makes(name))


def _problems(name: str) -> list[Problem]:
    """Return problems whose place is shown, or is not where the strategy looks for it."""
    bugs = list(open_benchmark("starter"))
    some = [bug.problem for bug in bugs[:: max(1, len(bugs) // 12)]]
    placed = [shown(problem, Visibility(error=True)) for problem in some]
    if any(strategy(name).needs(problem) is None for problem in placed):
        return placed
    return [shown(problem, Visibility(localisation="none", error=True)) for problem in some]


def _needs(name: str) -> str:
    answers = [strategy(name).needs(problem) for problem in _problems(name)]
    if any(answer is not None and not answer.strip() for answer in answers):
        return "it needs something and does not say what"
    return "" if None in answers else f"it can ask about no bug of the built-in benchmark: {answers[0]}"


def _makes(name: str) -> str:
    settings = LlmSettings(model="none/none", strategy=name)
    for problem in (item for item in _problems(name) if strategy(name).needs(item) is None):
        asked = [preview(settings, problem, seed=0, examples=(_EXAMPLE,)) for _ in range(2)]
        if asked[0] != asked[1]:
            return f"it asked two things about {problem.id}"
        if not any(_texts(prompt) for prompt in asked[0]):
            return f"it asks nothing about {problem.id}"
    return ""


def _texts(prompt: Prompt) -> str:
    return "".join(message.content for message in prompt.messages) + (prompt.text or "")


_TEXTS = ("", " ", "\n", "return a;", "x = [1, 'a'", "} else {", '"open', "\x00\udc80 é", "<START_BUG>", "def f():\n    return 1\n")
_WORDS = ("", "<unk>", "end", "modify", "@0", "@99999", "copy", "VAR_1", "$STRING$", "CaMeL", "<DELETE>", "0", "-1", "x", "(", "\n")
_Represented = tuple[Sample, str, Encoded, tuple[str, ...]]


def representation_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a representation on the bugs of the built-in benchmark and on odd samples."""
    del context
    made = representation(name)
    found: list[_Represented] = []
    yield attempt("it represents bugs", lambda: found.extend(_represented(made)))
    yield attempt("it is pure", lambda: _is_pure(made, found))
    yield attempt("what it represents can be recovered", lambda: _recovers(made, found))
    yield attempt("it takes any sample", lambda: _takes(made))
    yield attempt("it reads whatever a network writes", lambda: _reads(made, found))


_N_BUGS = 3
"""Of each language."""


def sample_pairs() -> Iterator[tuple[PairSet, Pair]]:
    """Yield bugs of the built-in benchmark as whole programs, and the lines that their fixes change as lists of tokens."""
    seen: Counter[str] = Counter()
    for language, pair in pairs_of_bugs(open_benchmark("starter")):
        seen[language] += 1
        if seen[language] > _N_BUGS:
            continue
        yield pair_facts(language, "program"), dataclasses.replace(pair, verdict=pair.verdict or "WRONG")
        sample, fixed = sample_of_pair(pair, pair_facts(language, "program"), "line")
        texts = [" ".join(split(language, text)) for text in (sample.buggy, fixed)]
        if all(texts) and not any(mark in text for text in texts for mark in LAYOUT.values()):
            yield pair_facts(language, "expression"), Pair(id=f"{pair.id}-line", buggy=texts[0], fixed=texts[1], verdict="WRONG")


def pair_facts(language: str, form: PairForm) -> PairSet:
    """Return what is said of a set for trials."""
    return PairSet(name="trial", version="1", licence="MIT", description="", language=language, form=form, abstract=False)


def _represented(made: Representation) -> Iterator[_Represented]:
    for facts, pair in sample_pairs():
        if made.languages is not None and facts.language not in made.languages:
            continue
        try:
            sample, fixed = sample_of_pair(pair, facts, made.unit)
            yield (sample, fixed, *made.target(sample, fixed))
        except Unrepresentable:
            continue


def _is_pure(made: Representation, found: Sequence[_Represented]) -> str:
    for sample, fixed, encoded, written in found:
        if made.encode(sample) != made.encode(sample) or made.target(sample, fixed) != (encoded, written):
            return "the same sample gave different tokens"
        if (encoded.source, encoded.context) != (made.encode(sample).source, made.encode(sample).context):
            return "a sample reads differently when its fix is known"
    return ""


def _recovers(made: Representation, found: Sequence[_Represented]) -> str:
    for sample, fixed, _, written in found:
        if not any(same_fix(sample, text, fixed) for text in made.recover(made.encode(sample), written)):
            return f"the fix {fixed!r} of {sample.buggy!r} is not recovered from {' '.join(written)!r}"
    if not found:
        raise NotTried("it represents no bug of the built-in benchmark")
    return ""


def _takes(made: Representation) -> str:
    for language in names() if made.languages is None else made.languages:
        for text in _TEXTS:
            for sample in (
                Sample(language=language, buggy=text, verdict="WRONG"),
                Sample(language=language, buggy=text, method=f"{text}\n{text}", start=len(text) + 1, verdict="WRONG"),
                Sample(language=language, buggy="", method=text, start=0, file=f"{text};{text}", method_start=0),
            ):
                for fixed in ("", "a = b", text):
                    try:
                        made.target(sample, fixed)
                    except Unrepresentable as reason:
                        if not str(reason):
                            return "an Unrepresentable has no reason"
    return ""


def _reads(made: Representation, found: Sequence[_Represented]) -> str:
    draw = random.Random(16)
    for _, _, encoded, written in found:
        for _ in range(3):
            tokens = [*written, *draw.sample(_WORDS, 3)]
            draw.shuffle(tokens)
            for odd in ((), tuple(tokens), written[:-1], (*written, draw.choice(_WORDS))):
                texts = made.recover(encoded, odd)
                if not isinstance(texts, tuple) or not all(isinstance(text, str) for text in texts):
                    return f"it returned {texts!r} for {odd!r}, no tuple of texts"
    return ""
