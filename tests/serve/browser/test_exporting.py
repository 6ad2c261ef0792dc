"""An exported site is whole: every link leads to a file of it, relative, and nothing needs a server."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import UserError
from repairlab.serve.browser.open_runs import Workbench
from tests.study.conftest import MakeRun

pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")

from repairlab.serve.browser.exporting import export_site, file_of


def test_every_link_of_a_site_leads_to_a_file_of_it(benchmark: Path, make_run: MakeRun, tmp_path: Path) -> None:
    digest = open_benchmark(str(benchmark)).digest
    runs = [make_run(name, n=2, bugs=3, digest=digest, benchmark=str(benchmark)) for name in ("chat", "templates")]
    bench = Workbench(tmp_path / "cache")
    bench.open([*map(str, runs)])
    n = export_site(bench, tmp_path / "site")
    bench.close()
    site = tmp_path / "site"
    pages = list(site.rglob("*.html"))
    assert len(pages) == n > 40
    for page in pages:
        html = page.read_text(encoding="utf-8")
        assert "/rate/" not in html and "hx-get" not in html and str(tmp_path) not in html
        for found in re.findall(r'(?:href|src)="([^"#]+)"', html):
            link = unescape(found)
            if not link.startswith("data:"):
                assert "//" not in link and (page.parent / unquote(link)).resolve().is_relative_to(site.resolve())
                assert (page.parent / unquote(link)).is_file(), (page, link)


def test_runs_over_different_bugs_are_exported_with_the_reason_why_they_cannot_be_compared(
    benchmark: Path, make_run: MakeRun, tmp_path: Path
) -> None:
    digest = open_benchmark(str(benchmark)).digest
    runs = [make_run(name, n=1, bugs=bugs, digest=digest, benchmark=str(benchmark)) for name, bugs in (("a", 2), ("b", 3))]
    bench = Workbench(tmp_path / "cache")
    bench.open([*map(str, runs)])
    export_site(bench, tmp_path / "site")
    bench.close()
    assert "the runs have different bugs" in (tmp_path / "site" / "compare" / "a" / "b.html").read_text(encoding="utf-8")


def test_a_folder_that_holds_something_is_not_touched(make_run: MakeRun, tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "cache")
    bench.open([str(make_run("a", n=1, bugs=1))])
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="not an empty folder"):
        export_site(bench, tmp_path / "site")
    bench.close()


def test_odd_names_become_names_of_files() -> None:
    assert ".." not in file_of("/run/a/bug/..%2F..%2Fetc").split("/")
    assert file_of("/run/a/bug/x%3Ay%20z/3") == "run/a/bug/x~3ay~20z/3.html"
