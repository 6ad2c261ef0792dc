"""What every representation promises: it is pure, takes any sample, and gives back the fixed code of all that it represents."""

import dataclasses
import random
from collections import Counter
from collections.abc import Iterator, Sequence

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.contracts.check import Check, NotTried, SelfTestContext, attempt
from repairlab.core.pair import Pair, PairForm, PairSet
from repairlab.languages.facts import names
from repairlab.learning.pairs.of_bugs import pairs_of_bugs
from repairlab.learning.representations.code import LAYOUT, same_fix, split
from repairlab.learning.representations.representation import Encoded, Representation, Sample, Unrepresentable
from repairlab.learning.representations.samples import sample_of_pair
from repairlab.learning.representations.table import representation

_TEXTS = ("", " ", "\n", "return a;", "x = [1, 'a'", "} else {", '"open', "\x00\udc80 é", "<START_BUG>", "def f():\n    return 1\n")
_WORDS = ("", "<unk>", "end", "modify", "@0", "@99999", "copy", "VAR_1", "$STRING$", "CaMeL", "<DELETE>", "0", "-1", "x", "(", "\n")
_Represented = tuple[Sample, str, Encoded, tuple[str, ...]]


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
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
