"""Draw pictures as SVG, for the page and for files. Texts in them are hostile: names of models and bugs are anybody's."""

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from repairlab.report.papers.picture import Picture
from repairlab.report.text import visible


def draw(picture: Picture) -> Markup:
    """Return a picture as an SVG element that can stand in a page or alone in a file."""
    pages = Environment(
        loader=PackageLoader("repairlab.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    pages.filters["visible"] = visible
    return Markup(pages.get_template("picture.svg").render(picture=picture))  # the template escapes all texts
