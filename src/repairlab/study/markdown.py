"""Markdown of issues and answers as HTML: headings, lists, code, emphasis. Every text is escaped, and no link leads anywhere."""

import re
from collections.abc import Callable, Iterator

from markupsafe import Markup, escape

from repairlab.study.diffs import clip, visible

_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)\s*([\w+#.-]*)[^`]*$")
_ITEM = re.compile(r"^\s{0,6}(?:[-*+]|\d{1,3}[.)])\s+(.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)#*\s*$")
_INLINE = re.compile(r"(`+)(.+?)\1|\*\*(\S.*?)\*\*|(?<![\w*])\*(\S[^*]*?)\*(?![\w*])|!?\[([^\]\n]*)\]\(([^)\s]*)\)", re.S)
_MOST = 100_000


def render(text: str) -> Markup:
    r"""Return a text as HTML of paragraphs, lists and blocks of code.

    >>> render("# Totals <b>\n- one `x < y`\n- **two**")
    Markup('<p><b>Totals &lt;b&gt;</b></p><ul><li>one <code>x &lt; y</code></li><li><b>two</b></li></ul>')
    """
    shown = visible(text[:_MOST])
    rest = f"\n\n… {len(text) - _MOST:,} more characters …" if len(text) > _MOST else ""
    return Markup("").join(_blocks(f"{shown}{rest}".split("\n")))


def _blocks(lines: list[str]) -> Iterator[Markup]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if fence := _FENCE.match(line):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip().startswith(fence[1])), len(lines))
            yield Markup('<pre class="plain" tabindex="0">{}</pre>').format(clip("\n".join(lines[at + 1 : end])))
            at = end + 1
        elif heading := _HEADING.match(line):
            yield Markup("<p><b>{}</b></p>").format(_inline(heading[1].strip()))
            at += 1
        elif _ITEM.match(line):
            end = _end(lines, at, lambda text: bool(_ITEM.match(text)) or text.startswith("  "))
            items = "\n".join(f"\0{found[1]}" if (found := _ITEM.match(text)) else text for text in lines[at:end]).split("\0")[1:]
            yield Markup("<ul>{}</ul>").format(
                Markup("").join(Markup("<li>{}</li>").format(_inline(item.strip())) for item in items)
            )
            at = end
        elif not line.strip():
            at += 1
        else:
            end = _end(lines, at, _is_paragraph)
            yield Markup('<p class="lines">{}</p>').format(_inline("\n".join(lines[at:end])))
            at = end


def _is_paragraph(line: str) -> bool:
    return bool(line.strip()) and not (_FENCE.match(line) or _ITEM.match(line) or _HEADING.match(line))


def _end(lines: list[str], start: int, goes_on: Callable[[str], bool]) -> int:
    """Return the number of the first line behind a block."""
    return next((number for number in range(start + 1, len(lines)) if not goes_on(lines[number])), len(lines))


def _inline(text: str) -> Markup:
    made, end = Markup(""), 0
    for found in _INLINE.finditer(text):
        made += escape(text[end : found.start()])
        _, code, strong, stressed, name, address = found.groups()
        if code is not None:
            made += Markup("<code>{}</code>").format(code.strip())
        elif strong is not None:
            made += Markup("<b>{}</b>").format(strong)
        elif stressed is not None:
            made += Markup("<i>{}</i>").format(stressed)
        else:
            made += Markup('{} <span class="soft">({})</span>').format(name, address)
        end = found.end()
    return made + escape(text[end:])
