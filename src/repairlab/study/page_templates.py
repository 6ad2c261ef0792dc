"""How pages are filled: templates that escape all texts, and what verdicts and metrics mean in one sentence each."""

import re

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from repairlab.core.amounts import duration, price
from repairlab.core.figure import Figure
from repairlab.core.outcome import Verdict
from repairlab.core.table import shown
from repairlab.languages.facts import title
from repairlab.study.charts import draw
from repairlab.study.diffs import clip, visible
from repairlab.study.markdown import render
from repairlab.study.scores import number


def environment(package: str) -> Environment:
    """Return what fills a package's templates, which may use those of the report; everything is escaped."""
    pages = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, "repairlab.study"))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(visible=visible, clip=clip, percent=_percent, number=number, language=title)
    pages.filters.update(shown=shown, draw=_picture, markdown=render, duration=duration, price=price, when=_when)
    pages.globals["tail"] = lambda text: clip(text, tail=True)
    return pages


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _picture(figure: Figure) -> Markup:
    """Return a figure that stays legible on a narrow screen, where it scrolls."""
    about = visible(figure.title)
    return Markup('<div class="scroll" tabindex="0" role="region" aria-label="{}, picture">{}</div>').format(about, draw(figure))


def _when(moment: str) -> Markup:
    """Return a moment in few characters; a script turns it into local time."""
    short = re.sub(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$", r"\1 \2", visible(moment))
    return Markup('<time datetime="{}">{}</time>').format(visible(moment), short)


VERDICTS: dict[Verdict, str] = {
    Verdict.PLAUSIBLE: "Builds, and every trigger test and every regression test (or case) passes.",
    Verdict.PRESENTATION: "The answer is equal but for white space, where the case is strict about it.",
    Verdict.WRONG: "At least one test or case fails on its answer.",
    Verdict.TIMEOUT: "Ran into the CPU or wall time limit.",
    Verdict.OUT_OF_MEMORY: "Ran into the memory limit.",
    Verdict.OUTPUT_LIMIT: "Wrote more than allowed.",
    Verdict.CRASH: "The program or test process died: a signal, an exit code that is not due, an uncaught exception.",
    Verdict.UNCOMPILABLE: "The build rejects it (Python: it does not compile to bytecode).",
    Verdict.UNAPPLICABLE: "The edit does not apply, or nothing usable could be read from the answer.",
    Verdict.UNDECIDED: "The harness itself failed. Never counted as wrong: left out of every score and counted beside it.",
}
"""From best to worst; a bug's best verdict is the first of these that one of its candidates has."""

METRICS: dict[str, str] = {
    "pass@k": "Chance that at least one of k candidates, drawn at random from the n of a bug, is plausible: the unbiased estimator "
    "1 − C(n−c, k) / C(n, k), averaged over bugs (Chen et al. 2021). Where a repairer ran out of proposals, n is "
    "what it proposed and k is capped at it.",
    "r.pass@k": "Share of bugs with a plausible candidate among the first k of a ranking made afterwards (repairlab rank), "
    "whose name is in square brackets (NL2Fix §4.4).",
    "top@k": "Share of bugs with a plausible candidate among the first k, as the repairer ranked them.",
    "TCA@k": "Test case average: mean share of tests that a bug's first k candidates pass, averaged over bugs (FixEval, eq. 1).",
    "fixed": "Share of bugs with at least one plausible candidate.",
    "plausible rate": "Share of plausible ones among a bug's candidates, averaged over bugs.",
    "compile rate": "Share of a bug's candidates that build, averaged over bugs; one that does not apply does not build.",
    "apply rate": "Share of a bug's candidates that could be read and applied, averaged over bugs.",
    "duplicate rate": "Share of a bug's candidates that repeat an earlier one, averaged over bugs.",
    "mean first rank": "Mean rank of the first plausible candidate over the bugs that have one.",
    "median first rank": "Median rank of the first plausible candidate over the bugs that have one.",
}
