"""Reports of Defects4J bugs as coinse/libro stores them: a JSON file per bug, its description in HTML.

Only the title and the description are read, as plain text: what came later says how the bug was fixed.
"""

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

from repairlab.building.importers.defects4j_bug import Issue
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json

_PLACES = ("data/Defects4J/bug_report", "bug_report", ".")


class Reports(Mapping[str, Issue]):
    """Issues by bug id such as `Csv-1`, each read on demand."""

    def __init__(self, folder: Path) -> None:
        """Take a checkout of libro, or its folder of reports."""
        found = [sorted((folder / place).glob("[A-Z]*-[0-9]*.json")) for place in _PLACES]
        self._files = {path.stem: path for path in next(filter(None, found), [])}
        if not self._files:
            raise UserError(
                f"{folder} is no checkout of coinse/libro: it has no reports such as data/Defects4J/bug_report/Csv-1.json"
            )

    def __getitem__(self, bug_id: str) -> Issue:
        path = self._files[bug_id]
        data = read_json(path)
        if not isinstance(data, dict):
            raise UserError(f"{path} should hold a JSON object with a title and a description")
        title = " ".join(html_text(field(data, "title", str, str(path))).split())
        return Issue(title=title, description=html_text(data["description"]) if data.get("description") else "")

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


_BLOCKS = frozenset(
    {"p", "div", "pre", "ul", "ol", "li", "table", "tr", "blockquote", "section", "article", "hr", "dl", "dt", "dd"}
    | {f"h{level}" for level in range(1, 7)}
)
_HIDDEN = frozenset({"script", "style", "template", "svg"})


def html_text(html: str) -> str:
    r"""Return the text of HTML.

    >>> html_text("<p>Names &amp; dates:</p><ul><li>one</li><li>two</li></ul><pre>if (a)\n    b();</pre>")
    'Names & dates:\n\n- one\n- two\n\nif (a)\n    b();'
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = [line.rstrip() for line in "".join(reader.parts).replace("\xa0", " ").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


class _Reader(HTMLParser):
    """Collects text; white space counts only in `pre`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._n_pre = self._n_hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._n_hidden += tag in _HIDDEN
        if tag == "br":
            self.parts.append("\n")
        elif tag == "li":
            self._begin_line()
            self.parts.append("- ")
        elif tag in ("td", "th") and not "".join(self.parts[-2:]).endswith("\n"):
            self.parts.append(" ")
        elif tag in _BLOCKS:
            self._begin_line(empty=tag != "tr")
        self._n_pre += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        self._n_hidden -= tag in _HIDDEN and self._n_hidden > 0
        self._n_pre -= tag == "pre" and self._n_pre > 0
        if tag in _BLOCKS:
            self._begin_line(empty=tag not in ("tr", "li"))

    def handle_data(self, data: str) -> None:
        if self._n_hidden:
            return
        if not self._n_pre:
            data = re.sub(r"\s+", " ", data)
            data = data.lstrip(" ") if not self.parts or self.parts[-1].endswith(("\n", " ")) else data
        self.parts.append(data)

    def _begin_line(self, *, empty: bool = False) -> None:
        """End the previous line, if any, and perhaps leave an empty one; never between a list's bullet and its item."""
        text = "".join(self.parts[-3:])
        if text.strip() and not text.endswith("- "):
            ends = len(text) - len(text.rstrip("\n"))
            self.parts.append("\n" * max(0, 1 + empty - ends))
