"""The drawing of the rooms is that of the code, and reads from top to bottom."""

from scripts.rooms import DRAWING, ROOT, arrows, drawing, reduced, rows

PACKAGE = ROOT / "src" / "repairlab"


def test_the_committed_drawing_is_current_and_has_every_room_once_above_those_that_it_imports() -> None:
    found = arrows(PACKAGE)
    assert DRAWING.read_text(encoding="utf-8") == drawing(found), "run: python scripts/rooms.py"
    row_of = {room: row for row, line in enumerate(rows(found)) for room in line}
    there = [path.stem for path in PACKAGE.iterdir() if not path.name.startswith("_") and path.suffix in ("", ".py")]
    assert sorted(row_of) == sorted(there)
    assert all(row_of[room] < row_of[target] for room, targets in found.items() for target in targets)


def test_an_arrow_that_follows_from_others_is_left_out() -> None:
    given = {"a": frozenset({"b", "c"}), "b": frozenset({"c"}), "c": frozenset[str]()}
    assert reduced(given) == {"a": {"b"}, "b": {"c"}, "c": frozenset()}
