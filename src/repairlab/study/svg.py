"""Draw pictures as SVG, for the page and for files. Texts in them are hostile: names of models and bugs are anybody's."""

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from repairlab.core.figure import Figure
from repairlab.study.text import visible


def draw(figure: Figure) -> Markup:
    """Return a figure as an SVG element that can stand in a page or alone in a file."""
    pages = Environment(
        loader=PackageLoader("repairlab.study"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    pages.filters["visible"] = visible
    return Markup(pages.get_template("figure.svg").render(figure=figure))  # the template escapes all texts
