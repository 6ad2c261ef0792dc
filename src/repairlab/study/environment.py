"""How templates of pages are filled: what is escaped, and which words and numbers they may use. For the report and `view`."""

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from repairlab.core.score import Score
from repairlab.core.table import shown
from repairlab.languages.facts import title
from repairlab.metrics.table import is_share
from repairlab.study.evidence import words_on_tests
from repairlab.study.svg import draw
from repairlab.study.text import clip, visible


def environment(package: str) -> Environment:
    """Return what fills the templates of a package, which may use those of the report; everything is escaped."""
    pages = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, "repairlab.study"))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(visible=visible, clip=clip, percent=_percent, number=_number, language=title)
    pages.filters.update(shown=shown, draw=draw, tests=words_on_tests)
    pages.globals["tail"] = lambda text: clip(text, tail=True)
    return pages


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _number(score: Score | None) -> str:
    if score is None:
        return "–"
    return _percent(score.value) if is_share(score.metric) else f"{score.value:.1f}"
