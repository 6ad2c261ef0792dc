"""Every page, found by following links: it answers, is well formed, escapes what candidates say, and leads to others."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.model import Message, Prompt
from repairlab.core.record import digest
from repairlab.runs.store import Store
from repairlab.runs.transcripts import TranscriptWriter
from repairlab.serve.browser.leaderboard_pages import leaderboard_page
from repairlab.serve.browser.open_runs import Workbench
from repairlab.study.comparison import compare_runs
from repairlab.study.leaderboard import leaderboard
from repairlab.study.scores import scores_of
from tests.serve.browser.conftest import Browser
from tests.study.conftest import HOSTILE, MakeRun

pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")

from repairlab.serve.browser.app import ViewAccess, make_app

_VOID = {"meta", "link", "br", "input", "img", "hr", "col"}


class Read(HTMLParser):
    """What a page holds; an element that is not closed, or that nobody wrote, is an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.scripts: list[str] = []
        self.words: list[str] = []
        self.handlers: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "script" and found.get("type") != "application/json":
            self.scripts.append(found.get("src") or "inline")
        self.handlers += [name for name in found if name.startswith("on") or (name.startswith("hx-") and name == "hx-on")]
        self.links += [value for name in ("href", "hx-get", "src") if (value := found.get(name))]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open.pop() == tag, (tag, self._open)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def crawl(browser: Browser, start: str = "/", *, most: int = 10**6) -> Iterator[tuple[str, Read]]:
    seen, left = {start}, [start]
    while left and len(seen) <= most:
        place = left.pop(0)
        answer = browser.get(place, follow_redirects=True)
        assert answer.status_code == 200, (place, answer.text)
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        page = Read(answer.text if "<html" in answer.text else f"<div>{answer.text}</div>")
        yield place, page
        for link in page.links:
            assert link.startswith(("/", "#", "data:,")), link
            if link.startswith("/") and link not in seen:
                seen.add(link)
                left.append(link)


@pytest.fixture(scope="module")
def small(make_small: Workbench) -> Browser:
    return Browser(make_app(make_small, ViewAccess(hosts=("localhost",))))


@pytest.fixture(scope="module")
def make_small(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Two runs of few candidates, one of them unfinished, so that every page can be looked at."""
    from repairlab.benchmarks.catalog import open_benchmark  # noqa: PLC0415
    from tests.study.conftest import _maker  # noqa: PLC0415

    make = _maker(tmp_path_factory.mktemp("small"))
    digest = open_benchmark(str(benchmark)).digest
    runs = [
        make("chat", n=3, bugs=4, digest=digest, benchmark=str(benchmark), model="acme/large-2"),
        make("templates", n=2, bugs=4, unfinished=1, digest=digest, benchmark=str(benchmark)),
    ]
    made = Workbench(tmp_path_factory.mktemp("cache"))
    made.open([*map(str, runs)])
    made.open_all()
    made.catch_up()
    yield made
    made.close()


def test_every_page_answers_is_well_formed_and_runs_no_script_of_a_candidate(small: Browser) -> None:
    pages = dict(crawl(small))
    assert len(pages) > 60
    for place, page in pages.items():
        assert not page.handlers, place
        assert set(page.scripts) <= {"/static/htmx.min.js", "/static/view.js"}, place
    everything = " ".join(page.text for page in pages.values())
    assert "<script>alert('owned')</script>" in everything  # as text
    assert "{{ 7 * 7 }}" in everything and "⟦U+202E⟧" in everything


def test_headers_allow_nothing_but_our_own_script(browser: Browser) -> None:
    for place in ("/", "/nowhere", "/run/chat/state", "/static/view.css"):
        headers = browser.get(place).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy and "unsafe-eval" not in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"


def test_the_leaderboard_is_that_of_the_report(browser: Browser, bench: Workbench, three_runs: list[Path]) -> None:
    page = Read(browser.get("/").text).text
    board = leaderboard([(run.name, scores_of(run.folder)) for run in bench.runs.values()])
    names = [row.system for row in board.rows]
    assert [page.index(name) for name in names] == sorted(page.index(name) for name in names)
    for row in board.rows:
        assert row.score is not None and f"{100 * row.score.value:.1f} %" in page
        assert f"{100 * row.score.low:.1f} % – {100 * row.score.high:.1f} %" in page


def test_the_leaderboard_is_narrowed_to_a_language_or_label(browser: Browser) -> None:
    everything, python = Read(browser.get("/").text).text, Read(browser.get("/?language=python").text).text
    assert "/ 12" in everything and "/ 3" in python and "/ 12" not in python
    assert "/ 12" in Read(browser.get("/?label=difficulty%3Deasy").text).text
    nothing = browser.get("/?label=difficulty%3Dhard")
    assert nothing.status_code == 200 and "Not ranked" in nothing.text
    assert browser.get("/?benchmark=cafe").status_code == 400


@pytest.mark.parametrize("wanted", [{"language": "python"}, {"label": "difficulty=easy"}, {"label": "difficulty=hard"}, {}])
def test_a_filter_holds_for_the_bars_as_for_the_table(wanted: dict[str, str], bench: Workbench) -> None:
    values = leaderboard_page(bench, **wanted).values
    n_candidates = {
        row.system: row.other("plausible rate").n_samples + row.other("plausible rate").n_undecided
        for row in values["board"].rows
        if row.other("plausible rate")
    }
    assert {bar.name: bar.n for bar in values["bars"]} == n_candidates
    assert len(n_candidates) == (0 if wanted == {"label": "difficulty=hard"} else 3)


def test_rows_that_cannot_be_compared_are_not_ranked(make_run: MakeRun, tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "cache")
    bench.open([str(make_run("a", n=5)), str(make_run("b", n=5)), str(make_run("c", n=4))])
    bench.catch_up()
    page = Read(Browser(make_app(bench, ViewAccess(hosts=()))).get("/").text).text
    assert re.search(r"Group [AB]: n: 4 Group|Group [AB]: n: 4 All", page)
    bench.close()


def test_two_systems_are_compared_as_by_the_verb(browser: Browser, three_runs: list[Path]) -> None:
    found = compare_runs(three_runs[1], three_runs[0], k=5)
    page = Read(browser.get("/compare/chat/templates?k=5").text).text
    assert found.summary in page and f"p = {found.overlap.p_value:.4f}" in page
    assert all(bug in page for bug in found.overlap.only_a)


def test_a_candidate_is_shown_against_the_buggy_code_the_fix_and_other_candidates(browser: Browser, bench: Workbench) -> None:
    run = bench.run("chat")
    for verdict in ("PLAUSIBLE", "WRONG"):
        found = next(item for item in run.index.page(n=1000) if item.verdict == verdict)
        path = f"/run/chat/bug/{found.bug_id}/{found.rank}"
        page = Read(browser.get(path).text).text
        assert "Against the buggy code" in page and "Against the developer's fix" not in page
        equal = re.search("Identical to the developer's fix|Equal to the developer's fix but for white space", page)
        assert bool(equal) == (verdict == "PLAUSIBLE")
        assert ("02 <b>bold</b>" in page.partition("Passed")[0]) == (verdict == "WRONG")
        assert "Against the developer's fix" in Read(browser.get(f"{path}?against=fix").text).text
        other = next(item for item in bench.run("neural").index.page(bug_id=found.bug_id, n=20) if item.verdict != "UNAPPLICABLE")
        assert f"Against neural #{other.rank}" in Read(browser.get(f"{path}?against=neural/{other.rank}").text).text
    for wrong, words in (("nobody/1", "unknown run"), ("neural/x", "against fix or RUN/RANK"), ("neural/999", "no candidate")):
        assert words in Read(browser.get(f"{path}?against={wrong}").text).text


def test_a_bug_shows_issue_code_fault_and_all_systems(browser: Browser, bug_ids: tuple[str, ...]) -> None:
    html = browser.get(f"/benchmark/toy/{bug_ids[0]}").text
    page = Read(html).text
    assert "Expected 10 & <b>not</b> 9." in page and "The developer's fix" in page
    assert re.search(r'<tr id="L3" class="faulty', html) and '<span class="k">for</span>' in html
    for system in ("templates", "chat · acme/large-2", "neural"):
        assert system in page


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("ROUNDED twice", "Totals are rounded twice"),
        ("SIGSEGV in answer", "SIGSEGV in answer"),
        ("alert('owned')", "alert('owned')"),
        ("no such text anywhere", "none"),
        ("é\ud800", "none"),
    ],
)
def test_search_finds_texts_of_bugs_and_records(browser: Browser, query: str, words: str) -> None:
    answer = browser.get("/search", params={"q": query.encode("utf-8", "replace").decode()})
    assert answer.status_code == 200 and words in Read(answer.text).text


def test_search_shows_the_field_that_has_the_text_and_nothing_of_how_records_are_written(browser: Browser) -> None:
    assert "outcome: message" in Read(browser.get("/search?q=SIGSEGV+in+answer").text).text
    assert "#" not in Read(browser.get("/search", params={"q": '"candidate_id":'}).text).text.partition("Candidates 0")[2]
    assert "Candidates 0" in Read(browser.get("/search?q=peak_mb").text).text


def test_equal_candidates_of_a_bug_stand_in_one_row(browser: Browser, bench: Workbench, bug_ids: tuple[str, ...]) -> None:
    places = bench.run("chat").index.page(bug_id=bug_ids[0], n=50)
    page = Read(browser.get(f"/run/chat/bug/{bug_ids[0]}").text).text
    times = Counter(place.candidate_id for place in places)
    assert len(times) < len(places) and f"×{max(times.values())}" in page
    assert sum(f"#{place.rank} " in page for place in places) == len(times)


def test_search_finds_a_candidate_by_its_id(browser: Browser, bench: Workbench) -> None:
    place = bench.run("chat").index.page(n=1)[0]
    assert f"{place.bug_id} #{place.rank}" in Read(browser.get(f"/search?q={place.candidate_id}").text).text


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nowhere", 404, "there is no page"),
        ("/run/chta", 404, "Did you mean 'chat'?"),
        ("/run/chat/bug/nope", 404, "unknown bug"),
        ("/run/chat/bug/python-totals-are-rounded-twice/99999", 404, "no candidate of rank 99999"),
        ("/run/chat/candidates?page=100000", 400, "there is no page 100000"),
        ("/run/chat/candidates?verdict=GOOD", 404, "unknown verdict"),
        ("/compare/chat/nobody", 404, "unknown run"),
        ("/benchmark/toy/nope", 404, "unknown bug"),
        ("/benchmark/nope", 404, "unknown benchmark"),
        ("/static/..%2fapp.py", 404, ""),
    ],
)
def test_what_is_not_there_gets_one_clear_message(browser: Browser, path: str, status: int, words: str) -> None:
    answer = browser.get(path)
    assert answer.status_code == status and words in (Read(answer.text).text if "<html" in answer.text else answer.text)
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("path", ["/run/chat/candidates?page=x", "/run/chat?page=-1", "/run/chat/bug/a/b"])
def test_numbers_that_are_none_are_refused(browser: Browser, path: str) -> None:
    assert browser.get(path).status_code in (400, 404, 422)


def test_another_site_cannot_read_through_a_browser(bench: Workbench) -> None:
    app = make_app(bench, ViewAccess(hosts=("localhost", "127.0.0.1")))
    assert Browser(app, base_url="http://evil.example").get("/").status_code == 421
    assert Browser(app, base_url="http://127.0.0.1:8765").get("/").status_code == 200


def test_off_this_machine_pages_need_the_token(bench: Workbench) -> None:
    visitor = Browser(make_app(bench, ViewAccess(hosts=(), token="secret-one")), base_url="http://lab.example")
    assert visitor.get("/").status_code == 403 and visitor.get("/?token=wrong").status_code == 403
    answer = visitor.get("/?token=secret-one")
    assert (
        answer.status_code == 303
        and "HttpOnly" in answer.headers["set-cookie"]
        and "SameSite=strict" in answer.headers["set-cookie"]
    )
    assert visitor.get("/").status_code == 200


def test_a_run_whose_benchmark_vanished_is_still_shown(make_run: MakeRun, tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "cache")
    bench.open([str(make_run("lost", n=2, bugs=2, benchmark="no-such-benchmark"))])
    bench.catch_up()
    pages = dict(crawl(Browser(make_app(bench, ViewAccess(hosts=())))))
    assert "cannot be opened" in pages["/run/lost"].text and len(pages) > 8
    bench.close()


def test_an_index_that_cannot_be_written_is_said(make_run: MakeRun, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder", encoding="utf-8")
    bench = Workbench(tmp_path / "cache")
    bench.open([str(make_run("a", n=1, bugs=1))])
    answer = Browser(make_app(bench, ViewAccess(hosts=()))).get("/")
    assert answer.status_code == 400 and "cannot be used" in Read(answer.text).text


def test_pages_follow_a_run_that_is_still_being_read(make_run: MakeRun, tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "cache")
    bench.open([str(make_run("slow", n=5))])
    browser = Browser(make_app(bench, ViewAccess(hosts=())))
    first = Read(browser.get("/run/slow").text)
    assert "still being read: 0.0 % so far" in first.text and "/run/slow/live" in first.links
    assert browser.get("/run/slow/state").json()["is_behind"] and "this page follows" in browser.get("/").text
    bench.catch_up()
    assert "still being read" not in browser.get("/run/slow").text and not browser.get("/run/slow/state").json()["is_behind"]
    bench.close()


def test_a_candidate_that_is_not_read_yet_is_asked_for_again(make_run: MakeRun, tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "cache")
    bench.open([str(make_run("slow", n=2, bugs=1))])
    answer = Browser(make_app(bench, ViewAccess(hosts=()))).get(f"/run/slow/bug/{bench.run('slow').index.manifest.bug_ids[0]}/1")
    assert answer.status_code == 503 and answer.headers["refresh"] == "1" and "not read yet" in answer.text
    bench.close()


def test_the_whole_conversation_is_shown_and_found(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("talk", n=1, bugs=1)
    store = Store(folder)
    prompt = Prompt(
        messages=(Message(role="system", content="You fix bugs."), Message(role="user", content="What of <b>this</b>?"))
    )
    TranscriptWriter(store).keep(prompt, "Take the loop one further <script>alert(2)</script>")
    answer = digest("Take the loop one further <script>alert(2)</script>")
    origin = Origin(
        repairer="llm", model="acme/m", prompt=digest(prompt), answer=answer, tokens_in=1200, tokens_out=34, cost_usd=0.0123
    )
    bug_id = store.manifest().bug_ids[0]
    store.append(Candidate(bug_id=bug_id, edits=(Edit(path="main.py", text="x"),), rank=2, origin=origin))
    bench = Workbench(tmp_path / "cache")
    bench.open([str(folder)])
    bench.catch_up()
    browser = Browser(make_app(bench, ViewAccess(hosts=())))
    page = Read(browser.get(f"/run/talk/bug/{bug_id}/2").text)
    for words in (
        "You fix bugs.",
        "What of <b>this</b>?",
        "<script>alert(2)</script>",
        "1,200 prompt tokens, 34 completion tokens",
        "$0.012",
    ):
        assert words in page.text
    found = Read(browser.get("/search?q=one+further").text).text
    assert f"{bug_id} #2" in found and "conversation" in found
    assert f"{bug_id} #2" in Read(browser.get("/search?q=You+fix+bugs").text).text  # what was asked is found, too
    bench.close()


def test_the_steps_of_an_agent_are_shown_and_what_it_printed_is_folded(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("agent", n=1, bugs=1)
    store = Store(folder)
    call = {"tool_call_id": "1", "function_name": "bash", "arguments": {"command": "ls"}}
    step = {"step_id": 1, "source": "agent", "message": "I look.", "tool_calls": [call]}
    step["observation"] = {"results": [{"source_call_id": "1", "content": "main.py <b>"}]}
    texts = (json.dumps({"steps": [step]}), "$ agent\n# printed, not Markdown")
    TranscriptWriter(store).keep(Prompt(messages=(Message(role="user", content="Fix it."),)), *texts)
    origin = Origin(repairer="command", answer=digest(texts[1]), settings=(("trajectory", digest(texts[0])),))
    bug_id = store.manifest().bug_ids[0]
    store.append(Candidate(bug_id=bug_id, edits=(Edit(path="main.py", text="x"),), rank=2, origin=origin))
    bench = Workbench(tmp_path / "cache")
    bench.open([str(folder)])
    bench.catch_up()
    html = Browser(make_app(bench, ViewAccess(hosts=()))).get(f"/run/agent/bug/{bug_id}/2").text
    for words in ("<details><summary>output of the program", "# printed, not Markdown</pre>", "main.py &lt;b&gt;", "I look."):
        assert words in html, words
    bench.close()


def test_hostile_text_is_the_same_hostile_text(bench: Workbench) -> None:
    """Pages are tested with what the synthetic candidates hold; it must hold all that could run."""
    assert (
        "<script>" in HOSTILE
        and "onerror=" in HOSTILE
        and any(HOSTILE in (item.answer or "") for item in Store(bench.run("chat").folder).candidates())
    )
