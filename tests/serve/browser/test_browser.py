"""The real server in a real browser: every page, keys, narrow and wide, dark and light; raters at once; a killed server."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.candidate import Edit
from repairlab.core.outcome import Verdict
from repairlab.runs.store import Store
from repairlab.study.assessment.store import FILE, AssessmentStore
from tests.study.conftest import BUGS, SOURCES, MakeRun, _maker

pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")
pytest.importorskip("playwright", reason="needs a browser: make test-serve")

from tests import builders
from tests.serve.browser.test_annotation import make_tasks

axe = pytest.importorskip("axe_playwright_python.base", reason="needs the rules of axe: make test-serve")


if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: apt-get install chromium")]
SHOTS = os.environ.get("REPAIRLAB_SCREENSHOTS")


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def served(runs: list[Path], cache: Path, *, port: int = 0) -> "Iterator[tuple[str, subprocess.Popen[str]]]":
    command = [sys.executable, "-m", "repairlab", "view", *map(str, runs), "--port", str(port), "--no-browser"]
    env = {**os.environ, "REPAIRLAB_CACHE": str(cache)}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        try:
            assert found is not None, process.stderr and process.stderr.read()
            yield found[0].rstrip("/"), process
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def folder(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    make = _maker(tmp_path_factory.mktemp("browser"))
    digest = open_benchmark(str(benchmark)).digest
    made = make("chat", n=6, bugs=6, strength=0.6, digest=digest, benchmark=str(benchmark), model="acme/large-2")
    make("templates", n=6, bugs=6, strength=0.2, digest=digest, benchmark=str(benchmark))
    make_tasks(made)
    return made.parent


@pytest.fixture(scope="module")
def site(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served([folder / "chat", folder / "templates"], tmp_path_factory.mktemp("cache")) as (url, _):
        for name in ("chat", "templates"):
            deadline = time.monotonic() + 60
            while httpx.get(f"{url}/run/{name}/state").json()["is_behind"]:
                assert time.monotonic() < deadline, f"{name} is not read"
                time.sleep(0.1)
        yield url


@pytest.fixture
def tokens(folder: Path) -> dict[str, str]:
    return tokens_of(folder / "chat")


def tokens_of(folder: Path) -> dict[str, str]:
    store = AssessmentStore(folder / FILE)
    store.prepare_desk()
    found = store.tokens()
    store.close()
    return found


@contextmanager
def opened(chromium: "Browser", width: int = 1400, **more: Any) -> "Iterator[Page]":
    """Open a page on which nothing may go wrong: no error of a script, no request to elsewhere, no dialog."""
    context = chromium.new_context(viewport={"width": width, "height": 900}, **more)
    page = context.new_page()
    wrong: list[str] = []

    def refuse(dialog: Any) -> None:
        wrong.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", refuse)
    page.on(
        "request",
        lambda asked: wrong.append(asked.url) if not asked.url.startswith(("http://127.0.0.1", "data:", "file:")) else None,
    )
    page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    try:
        yield page
        assert wrong == []
    finally:
        context.close()


PAGES = {
    "leaderboard": "/",
    "run": "/run/chat",
    "candidates": "/run/chat/candidates",
    "bug-of-run": f"/run/chat/bug/{BUGS[0]}",
    "candidate": f"/run/chat/bug/{BUGS[0]}/1",
    "benchmark": "/benchmark/toy",
    "bug": f"/benchmark/toy/{BUGS[0]}",
    "compare-choice": "/compare",
    "compare": "/compare/chat/templates",
    "overlap": "/overlap",
    "search": "/search?q=SIGSEGV",
    "annotation": "/annotation",
    "error": "/run/nobody",
    "rate": "/rate/{ada}",
}


FILES = {
    "report": "report.html",
    "site": "index.html",
    "board": "toy-1.0.0.html",
    "entry": "toy-1.0.0/bug-1.html",
    "submit": "submit.html",
}
"""Pages that work from disk."""
SCREENS = [(width, scheme) for width in (1400, 420) for scheme in ("light", "dark")]


@pytest.fixture(scope="module")
def written(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("written")
    runs = [str(folder / "chat"), str(folder / "templates")]
    assert run(["report", *runs, "-o", str(to / "report.html")]) == 0
    assert run(["site", *runs, "--to", str(to), "--candidates", "first"]) == 0
    return to


@pytest.mark.parametrize("name", [*PAGES, *FILES])
def test_every_page_is_accessible_and_fits_narrow_and_wide_screens(
    chromium: "Browser", site: str, written: Path, tokens: dict[str, str], name: str
) -> None:
    address = (written / FILES[name]).as_uri() if name in FILES else site + PAGES[name].format(**tokens)
    for width, scheme in SCREENS:
        with opened(chromium, width, color_scheme=scheme) as page:
            page.goto(address, wait_until="load")
            if name == "rate":
                wait_for_task(page)
            look_at(page, f"{name}-{width}-{scheme}")


def look_at(page: "Page", name: str) -> None:
    """Assert that a page has one title, fits, and breaks no rule of axe; keep its picture where that is wanted."""
    assert page.locator("h1").count() == 1
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} pixels stick out of {name}"
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)
    page.evaluate((Path(axe.__file__ or "").parent / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({preload: false}).then((all) => all.violations)")  # it would fetch style sheets
    assert [(item["id"], item["nodes"][0]["html"][:200], item["nodes"][0]["failureSummary"]) for item in found] == []


def test_the_leaderboard_is_sorted_by_a_click(chromium: "Browser", site: str) -> None:
    with opened(chromium) as page:
        page.goto(site)
        names = page.locator("table.sortable tbody th a")
        first = names.all_inner_texts()
        page.get_by_role("button", name="pass@1").click()
        assert names.all_inner_texts() == first[::-1]
        assert page.locator("th[aria-sort=ascending]").count() == 1
        page.get_by_role("button", name="pass@1").click()
        assert names.all_inner_texts() == first


def test_the_solve_matrix_is_narrowed_sorted_and_downloaded(chromium: "Browser", site: str) -> None:
    with opened(chromium) as page:
        page.goto(f"{site}/benchmark/toy")
        rows = page.locator("table.matrix tbody tr")
        assert rows.count() == 6  # of twelve bugs, those that were run
        page.get_by_label("that no system was run on").check()
        assert rows.count() == 12
        page.get_by_label("Solved by").select_option(label="chat · acme/large-2")
        by_chat = rows.count()
        page.get_by_label("and not by").select_option(label="templates")
        assert 0 < rows.count() < by_chat
        page.get_by_label("Name contains").fill(rows.first.locator("th a").inner_text())
        assert rows.count() == 1
        with page.expect_download() as got:
            page.get_by_role("button", name="Download matrix as CSV").click()
        assert got.value.path().read_text(encoding="utf-8").startswith("bug,title,language,chat · acme/large-2,templates\n")
        rows.first.locator("a.v-plausible").press("Enter")
        page.get_by_role("heading", level=1).wait_for()
        assert page.locator(".badge.v-plausible").first.is_visible()


def test_everything_is_reached_by_keys(chromium: "Browser", site: str) -> None:
    with opened(chromium) as page:
        page.goto(f"{site}/run/chat/bug/{BUGS[0]}")
        page.locator("table.rows tbody tr").nth(1).wait_for(timeout=60_000)  # until the run is read the page asks again by itself
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/bug/{BUGS[0]}/2")
        page.keyboard.press("n")
        page.wait_for_url(f"**/bug/{BUGS[0]}/3")
        page.keyboard.press("p")
        page.wait_for_url(f"**/bug/{BUGS[0]}/2")
        assert page.locator(".diff-split").first.is_visible() or page.locator(".diff-split").count() == 0
        page.keyboard.press("s")
        assert not page.locator(".diff-split").first.is_visible() and page.locator(".diff-unified").first.is_visible()
        page.keyboard.press("s")
        page.keyboard.press("u")
        page.wait_for_url(f"**/bug/{BUGS[0]}")
        page.keyboard.press("?")
        assert page.get_by_role("dialog").is_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("/")
        page.keyboard.type("SIGSEGV")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=SIGSEGV")


def test_tabs_of_a_candidate_keep_their_address_and_go_by_keys(chromium: "Browser", site: str) -> None:
    with opened(chromium) as page:
        page.goto(f"{site}/run/chat/bug/{BUGS[0]}/1")
        page.locator("#diff").wait_for(timeout=60_000)
        assert not page.locator("#tests").is_visible()
        page.keyboard.press("2")
        page.wait_for_url("**/1#tests")
        assert page.locator("#tests").is_visible() and not page.locator("#diff").is_visible()
        page.reload()
        assert page.locator("#tests").is_visible() and page.locator("nav.tabs a[aria-current]").inner_text().startswith("Tests")
        page.keyboard.press("4")
        assert page.locator("#metadata").is_visible()
    with opened(chromium, java_script_enabled=False) as page:
        page.goto(f"{site}/run/chat/bug/{BUGS[0]}/1")
        assert all(page.locator(name).is_visible() for name in ("#diff", "#tests", "#transcript", "#metadata"))
        page.goto(f"{site}/benchmark/toy")
        assert page.locator("table.matrix tbody tr").count() == 12 and page.locator("table.matrix a.cell").count() == 12


def test_two_systems_are_compared_and_their_candidates_shown_side_by_side(chromium: "Browser", site: str) -> None:
    with opened(chromium) as page:
        page.goto(f"{site}/compare/chat/templates")
        page.get_by_label("Solved by").select_option(label="chat · acme/large-2")
        page.get_by_label("and not by").select_option(label="templates")
        with page.expect_download() as got:
            page.get_by_role("button", name="Download settings as LaTeX").click()
        assert "\\toprule" in got.value.path().read_text(encoding="utf-8")
        with page.expect_download() as got:
            page.get_by_role("button", name="as SVG").first.click()
        assert got.value.path().read_text(encoding="utf-8").startswith("<svg xmlns")
        page.locator("table.matrix tbody th a").first.click()
        page.get_by_role("heading", name=re.compile("Against templates #")).wait_for()
        page.get_by_label("Against").select_option("fix")
        page.get_by_role("heading", name="Against the developer's fix").wait_for()


def test_a_run_is_followed_while_it_goes_on(chromium: "Browser", make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("live", n=2, bugs=3, unfinished=1)
    with served([folder], tmp_path / "cache") as (url, _), opened(chromium) as page:
        page.goto(f"{url}/run/live")
        page.get_by_text("2 of 3 bugs are done").wait_for()
        candidate = builders.candidate(BUGS[2], Edit(path="main.c", text="new"), rank=50, repairer="live")
        store = Store(folder)
        store.append(candidate)
        judged = builders.outcome(Verdict.WRONG, candidate, n_tests=1)
        store.append(judged)
        page.get_by_role("link", name=f"{BUGS[2]} #50").wait_for(timeout=20_000)


def test_two_raters_at_once_by_keys_alone(chromium: "Browser", site: str, tokens: dict[str, str], folder: Path) -> None:
    store = AssessmentStore(folder / "chat" / FILE)
    n = {rater: store.progress(rater)[0] for rater in tokens}
    with opened(chromium) as one, opened(chromium) as other:
        for rater, page in (("ada", one), ("ben", other)):
            page.goto(f"{site}/rate/{tokens[rater]}")
            wait_for_task(page)
        for number in range(max(n.values())):
            for rater, page in (("ada", one), ("ben", other)):
                if number >= n[rater]:
                    continue
                page.keyboard.press("1" if rater == "ada" or number % 2 else "2")
                if rater == "ada":
                    page.keyboard.press("i")
                page.keyboard.press("n")
                page.keyboard.type(f"note {number}")
                page.keyboard.press("Escape")
                with page.expect_navigation():
                    page.keyboard.press("Enter")
        one.get_by_text("Nothing left to do").wait_for()
        other.get_by_text("Nothing left to do").wait_for()
    ratings = store.ratings()
    assert len(ratings) == sum(n.values())
    assert {(item.label, item.rules) for item in ratings if item.rater == "ada"} == {("correct", ("R7",))}
    assert {item.label for item in ratings if item.rater == "ben"} == {"correct", "overfitting"}
    assert all(item.note.startswith("note ") for item in ratings)
    store.close()


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (420, 800)])
def test_a_rater_judges_many_patches_without_scrolling_for_the_form(
    chromium: "Browser", benchmark: Path, make_run: MakeRun, tmp_path: Path, width: int, height: int
) -> None:
    digest = open_benchmark(str(benchmark)).digest
    folder = make_run("chat", n=1, bugs=1, digest=digest, benchmark=str(benchmark))
    path, source = SOURCES["python"]
    for number in range(30):
        candidate = builders.candidate(BUGS[0], Edit(path=path, text=f"{source}# {number}\n"), rank=2 + number, repairer="chat")
        Store(folder).append(candidate)
        Store(folder).append(builders.outcome(Verdict.PLAUSIBLE, candidate, n_tests=2))
    make_tasks(folder)
    store = AssessmentStore(folder / FILE)
    n = store.progress("ada")[0]
    with served([folder], tmp_path / "cache") as (url, _), opened(chromium, width) as page:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{url}/rate/{tokens_of(folder)['ada']}")
        wait_for_task(page)
        for _ in range(n):
            for part in (*page.locator(".answers:visible label").all(), page.get_by_role("button", name="Save, next task")):
                box = part.bounding_box()
                assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height
                assert box["x"] >= 0 and box["x"] + box["width"] <= width
            assert page.evaluate("window.scrollY") == 0 and not page.locator("input[name=rule]").first.is_visible()
            page.keyboard.press("1")
            with page.expect_navigation():
                page.keyboard.press("Enter")
        page.get_by_text("Nothing left to do").wait_for()
    assert n >= 30 and len(store.ratings()) == n
    store.close()


def test_the_site_is_searched_and_narrowed_from_disk(chromium: "Browser", folder: Path, tmp_path: Path) -> None:
    runs = [folder / "chat", folder / "templates"]
    (runs[0] / "submission.toml").write_text('by = "Ada"\nopen = true\n', encoding="utf-8")
    assert run(["site", *map(str, runs), "--to", str(tmp_path), "--candidates", "first"]) == 0
    for width in (1400, 420):
        with opened(chromium, width) as page:
            page.goto((tmp_path / "index.html").as_uri())
            page.get_by_role("link", name="toy 1.0.0").click()
            rows = page.locator("#board tbody tr:visible")
            assert rows.count() == 2
            page.get_by_label("Access").select_option("open")
            assert rows.count() == 1 and "Ada" in rows.first.inner_text()
            page.get_by_label("Access").select_option("")
            page.get_by_label("Search").fill("templates")
            assert rows.count() == 1
            page.get_by_label("Search").fill("")
            page.locator("#matrix").scroll_into_view_if_needed()
            page.locator("#board-matrix table.matrix").wait_for()
            page.locator("#choices").get_by_label("Language").select_option(label="Python")
            page.get_by_text("fixed bugs are those among 2 bugs").wait_for()
            assert {row.split(" of ")[1] for row in page.locator("#board tbody td:nth-child(5)").all_inner_texts()} == {"2"}
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
            page.locator("#board-matrix a.cell").first.click()
            page.get_by_role("heading", name="Reference fix").wait_for()


def test_a_rater_labels_bugs_by_keys_alone(chromium: "Browser", benchmark: Path, tmp_path: Path) -> None:
    folder = tmp_path / "labels"
    assert run(["label", str(benchmark), "--taxonomy", "category", "--raters", "ada", "--to", str(folder), "-i", f"{BUGS[0]}"]) == 0
    with served([folder], tmp_path / "cache") as (site, _), opened(chromium, 420) as page:
        page.goto(f"{site}/rate/{tokens_of(folder)['ada']}", wait_until="load")
        wait_for_task(page)
        look_at(page, "label-420-light")
        page.keyboard.press("6")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        page.get_by_text("Nothing left to do").wait_for()
    store = AssessmentStore(folder / FILE)
    assert [item.label for item in store.ratings()] == ["C.1"]
    store.close()


def test_a_rater_loses_nothing_when_the_server_is_killed(
    chromium: "Browser", benchmark: Path, make_run: MakeRun, tmp_path: Path
) -> None:
    digest = open_benchmark(str(benchmark)).digest
    folder = make_run("chat", n=6, bugs=4, strength=0.6, digest=digest, benchmark=str(benchmark))
    make_tasks(folder)
    port = free_port()
    with served([folder], tmp_path / "cache", port=port) as (url, process), opened(chromium) as page:
        token = tokens_of(folder)["ada"]
        page.goto(f"{url}/rate/{token}")
        wait_for_task(page)
        page.keyboard.press("2")
        page.locator("#note").fill("before the server died")
        page.get_by_text("Saved.").wait_for()
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.locator("#note").fill("while the server was dead")
        page.get_by_text("Not saved yet").wait_for()
        with served([folder], tmp_path / "cache", port=port):
            page.get_by_text("Saved.").wait_for(timeout=20_000)
            page.reload()
            wait_for_task(page)
            assert page.locator("#note").input_value() == "while the server was dead"
            assert page.locator("input[value=overfitting]").is_checked()
            with page.expect_navigation():
                page.keyboard.press("Enter")
    store = AssessmentStore(folder / FILE)
    assert [(item.label, item.note) for item in store.ratings()] == [("overfitting", "while the server was dead")]
    store.close()


def test_what_a_closed_laptop_had_kept_is_sent_later(
    chromium: "Browser", benchmark: Path, make_run: MakeRun, tmp_path: Path
) -> None:
    digest = open_benchmark(str(benchmark)).digest
    folder = make_run("chat", n=6, bugs=4, strength=0.6, digest=digest, benchmark=str(benchmark))
    make_tasks(folder)
    with served([folder], tmp_path / "cache") as (url, _), opened(chromium) as page:
        page.goto(f"{url}/rate/{tokens_of(folder)['ada']}")
        wait_for_task(page)
        page.context.set_offline(True)
        page.locator("#note").fill("on a train")
        page.get_by_text("Not saved yet").wait_for()
        task = page.url
        page.goto("about:blank")
        page.context.set_offline(False)
        page.goto(task)
        page.get_by_text("Saved.").wait_for()
        assert page.locator("#note").input_value() == "on a train"


def wait_for_task(page: "Page") -> None:
    """Wait until the run is read; until then the page asks again by itself."""
    page.locator("#note").wait_for(timeout=60_000)


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def test_hostile_pages_run_nothing(chromium: "Browser", site: str, folder: Path) -> None:
    store = Store(folder / "chat")
    hostile = next(item for item in store.candidates() if item.edits and "<script>" in (item.edits[0].text or ""))
    with opened(chromium) as page:
        for place in (
            f"/run/chat/bug/{hostile.bug_id}/{hostile.rank}",
            "/run/chat/candidates",
            "/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
        ):
            page.goto(site + place)
            time.sleep(0.2)
            assert page.locator("img").count() == 0


def test_the_exported_site_works_from_disk(chromium: "Browser", folder: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "repairlab",
        "view",
        str(folder / "chat"),
        str(folder / "templates"),
        "--export",
        str(tmp_path / "site"),
    ]
    env = {**os.environ, "REPAIRLAB_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with opened(chromium) as page:
        page.goto((tmp_path / "site/index.html").as_uri())
        page.get_by_role("link", name="chat · acme/large-2").first.click()
        page.locator(f"a[href$='bug/{BUGS[0]}.html']").first.click()
        page.wait_for_url(f"**/bug/{BUGS[0]}.html")  # keys are for the page that is there
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/bug/{BUGS[0]}/1.html")
        assert page.get_by_text("Against the buggy code").count() <= 1 and page.locator("h1").count() == 1
        page.get_by_role("link", name="Tests").click()
        assert page.locator("#tests").is_visible() and not page.locator("#diff").is_visible()


def test_pages_are_read_by_many_at_once(site: str) -> None:

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda place: httpx.get(site + place, timeout=60).status_code, ["/", "/run/chat", "/overlap"] * 6))
    assert set(answers) == {200}
