"""The table of docs/results/assessment.md, on judgements of our own."""

from scripts.assessment_figures import Judged, table


def test_rules_are_compared_with_people() -> None:
    def judged(rule: str, *proposed: str, is_correct: bool = True) -> Judged:
        return Judged(tool="T", bug="Math-1", is_correct=is_correct, rule=rule, proposed=proposed)

    found = [judged("R3", "R3"), judged("R3"), judged("R8", "R3"), judged("", "R3", is_correct=False), judged("", is_correct=False)]
    rows = list(table(found))[2:]
    assert rows == [
        "| R3 | 3 | 67 % (2 of 3) | 2 | 50 % (1 of 2) | 50 % (1 of 2) |",
        "| R8 | 0 | – | 1 | – | 0 % (0 of 1) |",
        "| any rule | 3 | 67 % (2 of 3) | | | 67 % (2 of 3) |",
        "| none | 2 | 50 % (1 of 2) | | | |",
    ]
