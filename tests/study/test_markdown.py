"""Markdown of strangers becomes safe HTML."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.study.markdown import render
from tests.study.conftest import HOSTILE

ALLOWED = {"p", "b", "i", "code", "pre", "ul", "li", "span"}


class Seen(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@given(st.text(alphabet="ab <>&\"'`*_#-~[](){}!\n\0\u202e\t1.") | st.text())
def test_no_text_becomes_an_element_of_its_own_or_a_link(text: str) -> None:
    seen = Seen(render(text))
    assert seen.tags <= ALLOWED and seen.attributes <= {"class", "tabindex"} and seen.open == []


@pytest.mark.parametrize("around", ["{}", "**{}**", "`{}`", "- {}", "# {}", "```\n{}\n```", "[{}](javascript:alert(1))", "> {}"])
def test_hostile_markdown_stays_text(around: str) -> None:
    html = render(around.format(HOSTILE))
    assert "<script" not in html and "<img" not in html and "href" not in html and "\u202e" not in html
    assert "&lt;script&gt;" in html


def test_an_issue_is_laid_out() -> None:
    html = render("# Steps\n\n1. call `f(x)`\n2. see **9**,\n   not 10\n\n```python\nprint('<b>')\n```\nThanks!")
    assert html.startswith("<p><b>Steps</b></p><ul><li>call <code>f(x)</code></li><li>see <b>9</b>,\n   not 10</li></ul>")
    assert '<pre class="plain" tabindex="0">print(&#39;&lt;b&gt;&#39;)</pre>' in html and html.endswith(
        '<p class="lines">Thanks!</p>'
    )
