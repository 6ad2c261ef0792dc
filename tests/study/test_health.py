import dataclasses
from collections.abc import Callable
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.health import Flips, Health, make_card, write_card
from repairlab.core.outcome import Verdict
from repairlab.study.page import make_report

SOUND = Health(bug_id="sound", problems=(), flaky=(), buggy_verdict=Verdict.WRONG, repeats=3, cpu_s=0.1, limit_share=0.91)
SICK = dataclasses.replace(
    SOUND,
    bug_id="<b>sick</b>",
    problems=("the buggy tree passes every test",),
    flaky=("tests::x",),
    flips=(Flips(test="tests::x", tree="fixed", runs=6, flips=2, verdicts={"PLAUSIBLE": 4, "WRONG": 2}, cause="order"),),
    limit_share=0.1,
)


def test_a_report_shows_the_health_card_of_the_run_or_its_benchmark(benchmark: Path, make_run: Callable[..., Path]) -> None:
    opened = open_benchmark(str(benchmark))
    run = make_run("templates", digest=opened.digest, benchmark=str(benchmark))
    assert 'id="health"' not in make_report([run]).html
    card = make_card(opened, [SOUND, SICK], {"gcc": "12"}, repeats=3)
    for folder in (run, benchmark):
        path = folder / "health.json"
        write_card(path, card)
        html = make_report([run]).html
        path.unlink()
        assert "1 of 2 bugs checked (12 in the benchmark), each 3 times" in html
        assert "<code>sound</code>: 91.0 % of the CPU limit" in html
        assert "<code>tests::x</code> is flaky on the fixed tree: 2 of 6 runs differ, by order" in html
        assert "&lt;b&gt;sick&lt;/b&gt;" in html and "<b>sick</b>" not in html


def test_a_card_of_another_version_or_a_broken_one_is_left_out_and_named(benchmark: Path, make_run: Callable[..., Path]) -> None:
    opened = open_benchmark(str(benchmark))
    run = make_run("templates", benchmark=str(benchmark))
    write_card(run / "health.json", make_card(opened, [SOUND], {}, repeats=1))
    html = make_report([run]).html
    assert f"is of toy 1.0.0 #{opened.digest}, not of #feedfacefeedface" in html and "bugs checked" not in html
    (run / "health.json").write_text("{")
    assert "health.json is not valid JSON" in make_report([run]).html
