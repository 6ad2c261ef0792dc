import dataclasses
import os
import random
import re
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import cast

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.health import Health, go_on, make_card, read_card, write_card
from repairlab.building.amending import exclude, store_error
from repairlab.building.check import check_bug, check_bugs
from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.core.execution import Command, Execution, Limits
from repairlab.core.outcome import Verdict
from repairlab.sandbox.sandbox import FakeSandbox, Sandbox, exited
from repairlab.validation.machine import Machine


def test_a_sound_benchmark_is_healthy(tiny: Path, machine: Machine) -> None:
    found: list[Health] = []
    check_bugs(list(open_benchmark(str(tiny))), machine, found.append, repeats=2)
    assert sorted((card.bug_id, card.healthy, card.buggy_verdict) for card in found) == [
        ("shop", True, Verdict.WRONG),
        ("sum", True, Verdict.WRONG),
    ]


class Deadly(str):
    """Ends the worker that it is sent to."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Callable[[int], object], tuple[int]]:
        return os._exit, (9,)


def test_a_bug_over_which_workers_die_does_not_end_the_check(tiny: Path, machine: Machine) -> None:
    found: list[Health] = []
    shop, total = open_benchmark(str(tiny)).bug("shop"), open_benchmark(str(tiny)).bug("sum")
    deadly = dataclasses.replace(shop, tree=dataclasses.replace(shop.tree, source=Deadly(shop.tree.source)))
    check_bugs([deadly, total], machine, found.append, counter_tests=False)
    by_name = {health.bug_id: health for health in found}
    assert by_name["sum"].healthy
    assert (by_name["shop"].healthy, by_name["shop"].undecided) == (False, True)
    assert by_name["shop"].problems == (
        "the check could not be finished: a worker process ended with exit code 9, 3 times over the same work",
    )


def test_what_is_raised_over_one_bug_does_not_end_the_check(tiny: Path, machine: Machine) -> None:
    found: list[Health] = []
    shop, total = open_benchmark(str(tiny)).bug("shop"), open_benchmark(str(tiny)).bug("sum")
    odd = dataclasses.replace(shop, oracle=dataclasses.replace(shop.oracle, limits=cast(Limits, None)))
    check_bugs([odd, total], machine, found.append, counter_tests=False)
    by_name = {health.bug_id: health for health in found}
    assert by_name["sum"].healthy
    assert by_name["shop"].undecided
    assert by_name["shop"].problems[0].startswith("the check could not be finished: AttributeError: ")


def test_counter_tests_are_looked_for_unless_told_otherwise(tiny: Path, sandbox: Sandbox) -> None:
    opened = open_benchmark(str(tiny))
    whole, short = (check_bug(opened.bug("shop"), sandbox, counter_tests=looked_for) for looked_for in (True, False))
    assert (whole.healthy, whole.unguarded, short.healthy, short.unguarded) == (True, (), True, None)
    cards = [make_card(opened, [health], {}, repeats=1) for health in (whole, short)]
    assert [card.n_tests for card in cards] == [whole.n_tests, 0]


def check(tiny: Path, bug: str, sandbox: Sandbox) -> str:
    return "\n".join(check_bug(open_benchmark(str(tiny)).bug(bug), sandbox, counter_tests=False).problems)


def test_a_reference_fix_that_fails_is_reported(tiny: Path, sandbox: Sandbox) -> None:
    (tiny / "bugs/sum/cases/02.out").write_text("7\n")
    assert "the reference fix fails 1 of 2 tests (02: token 1 is '5', expected '7')" in check(tiny, "sum", sandbox)


def test_a_bug_that_is_none_is_reported(tiny: Path, sandbox: Sandbox) -> None:
    for name, text in (("01", "4\n"), ("02", "6\n")):
        (tiny / f"bugs/sum/cases/{name}.out").write_text(text)
    assert "the buggy tree passes every test" in check(tiny, "sum", sandbox)


def test_a_wrong_verdict_on_record_is_reported(tiny: Path, sandbox: Sandbox) -> None:
    facts = tiny / "bugs/sum/bug.toml"
    facts.write_text(facts.read_text().replace('"WRONG"', '"CRASH"'))
    assert "is WRONG, not CRASH as its record says" in check(tiny, "sum", sandbox)


def test_trigger_and_regression_tests_must_be_what_they_are_called(tiny: Path, sandbox: Sandbox) -> None:
    facts = tiny / "bugs/shop/bug.toml"
    text = facts.read_text().replace("test_total", "test_X").replace("test_empty", "test_total").replace("test_X", "test_empty")
    facts.write_text(text)
    problems = check(tiny, "shop", sandbox)
    assert "trigger test tests/test_cart.py::test_empty passes on the buggy tree" in problems
    assert "regression test tests/test_cart.py::test_total fails on the buggy tree" in problems


def rewrite_tests(tiny: Path, body: str) -> None:
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(tests.read_text().replace("    assert Cart([]).total() == 0", f"    {body}"))


class Tossing:
    """The real sandbox, which tells every command how a coin fell: chance for tests, yet the same each time."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.name = sandbox.name
        self.reside, self.slot = sandbox.reside, sandbox.slot
        self._sandbox = sandbox
        self._coin = random.Random(2)

    def run(self, command: Command, tree: Path) -> Execution:
        fell = self._coin.choice(("head", "tail"))
        return self._sandbox.run(dataclasses.replace(command, env=(*command.env, ("COIN", fell))), tree)


CHANCE = "import os\n    assert os.environ['COIN'] == 'head'"
ALONE = "import shop\n    assert not hasattr(shop, 'seen')"


@pytest.mark.slow
def test_a_test_that_flips_is_flaky(tiny: Path, sandbox: Sandbox) -> None:
    rewrite_tests(tiny, CHANCE)
    card = check_bug(open_benchmark(str(tiny)).bug("shop"), Tossing(sandbox), repeats=6)
    assert card.flaky == ("tests/test_cart.py::test_empty",) and not card.healthy
    assert {flip.cause for flip in card.flips} == {"chance"}
    for flip in card.flips:
        assert flip.runs == 6 == sum(flip.verdicts.values())
        assert flip.flips == min(flip.verdicts.values()) > 0


@pytest.mark.slow
def test_a_test_that_depends_on_others_is_flaky(tiny: Path, sandbox: Sandbox) -> None:
    rewrite_tests(tiny, ALONE)
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(f"{tests.read_text()}\n\ndef test_marks():\n    import shop\n    shop.seen = 1\n")
    facts = tiny / "bugs/shop/bug.toml"
    facts.write_text(facts.read_text().replace("regression = [", 'regression = ["tests/test_cart.py::test_marks", '))
    bug = open_benchmark(str(tiny)).bug("shop")
    assert check_bug(bug, sandbox).flaky == ()
    once = check_bug(bug, sandbox, repeats=3)
    assert [(flip.test, flip.tree, flip.cause) for flip in once.flips] == [
        ("tests/test_cart.py::test_empty", "buggy", "order or chance"),
        ("tests/test_cart.py::test_empty", "fixed", "order or chance"),
    ]
    twice = check_bug(bug, sandbox, repeats=6)
    assert {(flip.cause, flip.runs, flip.flips) for flip in twice.flips} == {("order", 6, 2)}
    assert dict(twice.flips[1].verdicts) == {"PASSED": 4, "WRONG": 2}


def test_cases_are_repeated_in_other_orders_too(tiny: Path, sandbox: Sandbox) -> None:
    card = check_bug(open_benchmark(str(tiny)).bug("sum"), sandbox, repeats=3, counter_tests=False)
    assert card.healthy and card.flips == () and 0 < card.limit_share < 1


@pytest.mark.slow
def test_a_flaky_test_is_excluded_by_name_in_bug_toml_alone(tiny: Path, sandbox: Sandbox) -> None:
    rewrite_tests(tiny, CHANCE)
    bug = open_benchmark(str(tiny)).bug("shop")
    facts = tiny / "bugs/shop/bug.toml"
    before = facts.read_text()
    exclude(bug, ("tests/test_cart.py::test_empty",))
    assert facts.read_text() == before.replace("[test]\n", '[test]\nexcluded = ["tests/test_cart.py::test_empty"]\n')
    again = open_benchmark(str(tiny)).bug("shop")
    assert (again.oracle.regression, again.oracle.excluded) == ((), ("tests/test_cart.py::test_empty",))
    assert check_bug(again, sandbox, repeats=3).excluded == ("tests/test_cart.py::test_empty",)


@pytest.mark.parametrize(
    "old", ['excluded = ["02"]', "excluded = []  # none yet", 'excluded = [\n  "02", # [odd] "one"\n]', "excluded=[ '02' ]"]
)
def test_an_exclusion_that_is_there_is_extended(tiny: Path, old: str) -> None:
    facts = tiny / "bugs/sum/bug.toml"
    (tiny / "bugs/sum/cases/03.in").write_text("1\n")
    (tiny / "bugs/sum/cases/03.out").write_text("1\n")
    facts.write_text(facts.read_text().replace('framework = "stdio"\n', f'{old}\nframework = "stdio" # [test]\n'))
    bug = open_benchmark(str(tiny)).bug("sum")
    exclude(bug, ("01",))
    assert open_benchmark(str(tiny)).bug("sum").oracle.excluded == (*bug.oracle.excluded, "01")
    assert 'framework = "stdio" # [test]\n' in facts.read_text()


def test_first_failing_messages_are_stored_once_and_change_no_digest(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, facts = open_benchmark(str(tiny)), tiny / "bugs/sum/bug.toml"
    text = facts.read_text()
    assert run(["check", str(tiny), "--store-errors", "--no-counter-tests"]) == 0
    assert "2 first failing messages stored" in capsys.readouterr().err
    stored = {bug.id: str(bug.problem.error) for bug in open_benchmark(str(tiny))}
    assert stored["sum"] == "01: token 1 is '4', expected '3'"
    assert stored["shop"].startswith("tests/test_cart.py::test_total: assert 1 == 3")
    assert open_benchmark(str(tiny)).digest == before.digest
    assert facts.read_text().replace(f'error = "{stored["sum"]}"\n', "") == text
    assert run(["check", str(tiny), "--store-errors", "--no-counter-tests", "-i", "sum"]) == 0
    assert "0 first failing messages stored" in capsys.readouterr().err


def test_time_limits_come_down_to_what_the_reference_fix_leaves_room_for(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = tiny / "bugs/shop/bug.toml"
    shop.write_text(shop.read_text() + "\n[limits]\n# own\ncpu_s = 60\nwall_s = 240\nmemory_mb = 300\n")
    assert run(["check", str(tiny), "--store-limits", "--no-counter-tests"]) == 0
    assert "2 time limits lowered" in capsys.readouterr().err
    limits = {bug.id: bug.oracle.limits for bug in open_benchmark(str(tiny))}
    assert (limits["sum"].cpu_s, limits["sum"].wall_s) == (1.0, 5.0)
    assert 1.0 <= limits["shop"].cpu_s < 60.0
    assert (limits["shop"].wall_s < 240.0, limits["shop"].memory_mb) == (True, 300)
    assert re.search(r"# 5 times the reference fix's \d+\.\d+ s", shop.read_text())
    assert run(["check", str(tiny), "--store-limits", "--no-counter-tests", "-i", "sum"]) == 0
    assert "0 time limits lowered" in capsys.readouterr().err


def test_a_message_of_any_text_can_be_stored(tiny: Path) -> None:
    message = 'said "no" \\ [test]\n\ttwice: \x7f “…”'
    store_error(open_benchmark(str(tiny)).bug("sum"), message)
    assert open_benchmark(str(tiny)).bug("sum").problem.error == message


def test_every_starter_bug_has_the_message_that_its_buggy_tree_gives() -> None:
    bugs = open_benchmark("starter")
    assert [bug.id for bug in bugs if not bug.problem.error] == []
    named = [bug for bug in bugs if bug.oracle.trigger and "error: " not in str(bug.problem.error)]
    assert [bug.id for bug in named if not str(bug.problem.error).startswith(bug.oracle.trigger)] == []
    assert [bug.id for bug in bugs if "/work/" in str(bug.problem.error) or "/tmp/" in str(bug.problem.error)] == []
    for bug in bugs:
        patch = (Path(bug.tree.source).parent / "fix.patch").read_text(encoding="utf-8").splitlines()
        added = [line[1:].strip() for line in patch if line.startswith("+") and not line.startswith("+++")]
        assert [line for line in added if len(line) >= 8 and line in str(bug.problem.error)] == []


def test_an_exclusion_that_cannot_be_written_is_one_clear_error(tiny: Path) -> None:
    facts = tiny / "bugs/sum/bug.toml"
    bug = open_benchmark(str(tiny)).bug("sum")
    with pytest.raises(UserError, match="leave the bug out of the benchmark"):
        exclude(bug, ("01", "02"))
    text = facts.read_text()
    for other in (text.replace("[test]\n", "[ test ]\n"), text.replace("[test]\n", "").replace("framework", "test.framework")):
        facts.write_text(other)
        with pytest.raises(UserError, match=r'write this under \[test\] yourself: excluded = \["01"\]'):
            exclude(bug, ("01",))
        assert facts.read_text() == other


def test_tests_that_fail_with_the_fix_are_named_and_can_be_excluded(tiny: Path, sandbox: Sandbox) -> None:
    (tiny / "bugs/sum/cases/02.out").write_text("7\n")
    (tiny / "bugs/sum/cases/02.in").write_text("1 1\n")
    bug = open_benchmark(str(tiny)).bug("sum")
    sick = check_bug(bug, sandbox, counter_tests=False)
    assert (sick.failing, sick.digest) == (("02",), bug.digest)
    exclude(bug, sick.failing)
    again = open_benchmark(str(tiny)).bug("sum")
    assert check_bug(again, sandbox, counter_tests=False).healthy and again.digest != bug.digest


def test_a_bug_that_could_not_be_validated_is_undecided(tiny: Path, sandbox: Sandbox) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    broken = FakeSandbox(lambda _: exited(127))
    assert not check_bug(bug, sandbox, counter_tests=False).undecided
    assert check_bug(bug, broken, counter_tests=False).undecided


def test_a_regression_test_that_fails_on_the_buggy_tree_can_be_excluded(tiny: Path, sandbox: Sandbox) -> None:
    facts = tiny / "bugs/shop/bug.toml"
    text = facts.read_text()
    (name,) = open_benchmark(str(tiny)).bug("shop").oracle.trigger
    twin = name + "_too"
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    function = name.rpartition("::")[2]
    tests.write_text(tests.read_text() + f"\n\ndef {function}_too():\n    {function}()\n")
    facts.write_text(text.replace("regression = [", f'regression = ["{twin}", '))
    bug = open_benchmark(str(tiny)).bug("shop")
    sick = check_bug(bug, sandbox, counter_tests=False)
    assert (sick.failing, sick.problems) == ((twin,), (f"regression test {twin} fails on the buggy tree",))
    exclude(bug, sick.failing)
    assert check_bug(open_benchmark(str(tiny)).bug("shop"), sandbox, counter_tests=False).healthy


def test_a_health_card_survives_its_file(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    rewrite_tests(tiny, CHANCE)
    benchmark = open_benchmark(str(tiny))
    card = make_card(benchmark, [check_bug(bug, Tossing(sandbox), repeats=2) for bug in benchmark], {"python": "3"}, repeats=2)
    write_card(tmp_path / "health.json", card)
    assert read_card(tmp_path / "health.json") == card
    assert (card.n_in_benchmark, card.n_bugs, card.digest) == (2, 2, benchmark.digest)
    for text, message in (("{", "not valid JSON"), ('{"schema": 9}', "no health card"), ('{"schema": 1}', "benchmark")):
        (tmp_path / "health.json").write_text(text)
        with pytest.raises(UserError, match=message):
            read_card(tmp_path / "health.json")
    with pytest.raises(UserError, match="cannot write the health card"):
        write_card(tmp_path / "nowhere" / "health.json", card)
    with pytest.raises(UserError, match="cannot read the health card"):
        read_card(tmp_path / "nowhere")


def test_a_card_speaks_for_bugs_that_have_not_changed(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    benchmark, path = open_benchmark(str(tiny)), tmp_path / "card.json"
    card = make_card(
        benchmark, [check_bug(bug, sandbox, counter_tests=False) for bug in benchmark], {"python": "3", "gcc": "12"}, repeats=1
    )
    write_card(path, card)
    again = go_on(path, benchmark, {"python": "3"}, repeats=1)
    assert (again.bugs, again.environment) == (card.bugs, {"python": "3", "gcc": "12"})
    with pytest.raises(UserError, match="say --repeat 1"):
        go_on(path, benchmark, {"python": "3"}, repeats=2)
    with pytest.raises(UserError, match=r"another python \(3, now 4\)"):
        go_on(path, benchmark, {"python": "4"}, repeats=1)
    other = copy(benchmark)
    other.name = "other"
    with pytest.raises(UserError, match="card of the benchmark tiny, not of other"):
        go_on(path, other, {}, repeats=1)
    (tiny / "bugs/sum/cases/02.out").write_text("7\n")
    assert [bug.bug_id for bug in go_on(path, open_benchmark(str(tiny)), {}, repeats=1).bugs] == ["shop"]
    write_card(path, make_card(benchmark, [dataclasses.replace(bug, undecided=True) for bug in card.bugs], {}, repeats=1))
    assert go_on(path, benchmark, {}, repeats=1).bugs == ()


def misspell(tiny: Path, old: str, new: str) -> None:
    facts = tiny / "bugs/shop/bug.toml"
    facts.write_text(facts.read_text().replace(f'{old}"', f'{new}"'))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("test_cart.py::test_total", "test_cart.py::test_totl"),
        ("test_cart.py::test_empty", "test_cart.py::test_emtpy"),
        ("test_cart.py::test_total", "test_crat.py::test_total"),
    ],
)
def test_a_name_that_no_tree_has_is_taken_for_a_typo(tiny: Path, sandbox: Sandbox, old: str, new: str) -> None:
    misspell(tiny, old, new)
    sick = check_bug(open_benchmark(str(tiny)).bug("shop"), sandbox, counter_tests=False)
    said = f"bug.toml names a test that does not exist: tests/{new}. Did you mean tests/{old}?"
    assert (sick.healthy, sick.absent, sick.failing, sick.problems) == (False, (f"tests/{new}",), (), (said,))


def test_a_name_like_no_other_comes_without_a_suggestion(tiny: Path, sandbox: Sandbox) -> None:
    misspell(tiny, "tests/test_cart.py::test_total", "qqq/zz.py::xxx")
    sick = check_bug(open_benchmark(str(tiny)).bug("shop"), sandbox, counter_tests=False)
    assert sick.problems == ("bug.toml names a test that does not exist: qqq/zz.py::xxx",)


def test_what_fails_beside_a_typo_is_still_told(tiny: Path, sandbox: Sandbox) -> None:
    misspell(tiny, "test_total", "test_totl")
    rewrite_tests(tiny, "assert Cart([]).total() == 7")
    sick = check_bug(open_benchmark(str(tiny)).bug("shop"), sandbox, counter_tests=False)
    assert sick.failing == ("tests/test_cart.py::test_empty",)
    assert sick.problems[1] == "regression test tests/test_cart.py::test_empty fails on the buggy tree"
    assert sick.problems[2].startswith("the reference fix fails 1 of 2 tests (tests/test_cart.py::test_empty: ")


def test_no_exclusion_is_advised_or_written_for_a_typo(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for old, new in (("test_total", "test_totl"), ("test_empty", "test_emtpy")):
        misspell(tiny, old, new)
    facts = (tiny / "bugs/shop/bug.toml").read_text()
    assert run(["check", str(tiny), "-i", "shop", "--exclude-failing", "--no-counter-tests"]) == 1
    told = capsys.readouterr()
    assert "bug shop: bug.toml names a test that does not exist: tests/test_cart.py::test_totl. Did you mean" in told.out
    assert "exclude" not in told.out + told.err and "leave it out" not in told.out
    assert (tiny / "bugs/shop/bug.toml").read_text() == facts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "old", "new", "advice"),
    [
        ("go-choose-alias", "choose::TestTeamsOfFour", "choose::TestTeamsOfFur", ". Did you mean choose::TestTeamsOfFour?"),
        ("javascript-once-listener", "test/emitter.test.js::all who were there are counted", "test/emitter.test.js::all", ""),
    ],
)
def test_a_test_that_is_silently_passed_over_on_both_trees_does_not_exist(
    name: str, old: str, new: str, advice: str, sandbox: Sandbox
) -> None:
    bug = open_benchmark("starter").bug(name)
    trigger = tuple(new if test == old else test for test in bug.oracle.trigger)
    sick = check_bug(dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, trigger=trigger)), sandbox)
    assert (sick.absent, sick.failing) == ((new,), ())
    assert sick.problems == (f"bug.toml names a test that does not exist: {new}{advice}",)
