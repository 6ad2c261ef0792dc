"""Draw the rooms of the package from their imports: docs/how-it-works/rooms.svg.

A room is a folder or module at the top of `src/repairlab`. It stands below every room that imports it. An arrow means "imports";
one that follows from others is left out, so the drawing changes only when the shape of the package does.

Run: python scripts/rooms.py
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
DRAWING = ROOT / "docs" / "how-it-works" / "rooms.svg"
COLUMN, ROW, WIDTH, HEIGHT = 170, 72, 120, 34
"""Distances between boxes, and the size of one, in pixels."""
Arrows = Mapping[str, frozenset[str]]
_STYLE = """
text { font: 15px sans-serif; text-anchor: middle; fill: #24292f }
rect { fill: #eef2ff; stroke: #4051b5 } path { stroke: #4051b5; fill: none } marker path { fill: #4051b5 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #2b3050; stroke: #9fa8da }
path { stroke: #9fa8da } marker path { fill: #9fa8da } }
"""


def arrows(package: Path) -> Arrows:
    """Return the rooms that each room imports."""
    found: dict[str, set[str]] = {}
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package)
        room = place.parts[0].removesuffix(".py")
        if "data" in place.parts or room.startswith("__"):
            continue
        targets = found.setdefault(room, set())
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("repairlab."):
                targets.add(node.module.split(".")[1])
    return {room: frozenset(targets - {room}) for room, targets in found.items()}


def reduced(given: Arrows) -> Arrows:
    """Leave out arrows that follow from others.

    >>> reduced({"a": frozenset("bc"), "b": frozenset("c"), "c": frozenset()})["a"]
    frozenset({'b'})
    """
    return {room: targets - below(given, targets) for room, targets in given.items()}


def below(given: Arrows, rooms: Iterable[str]) -> frozenset[str]:
    """Return all rooms that can be reached from these by at least one arrow."""
    found: frozenset[str] = frozenset()
    for room in rooms:
        found |= given[room] | below(given, given[room])
    return found


def rows(given: Arrows) -> list[list[str]]:
    """Return the rooms from top to bottom; those of a row do not import each other."""
    placed: dict[str, int] = {}
    while len(placed) < len(given):
        for room in given:
            above = [other for other in given if room in given[other]]
            if room not in placed and all(other in placed for other in above):
                placed[room] = 1 + max((placed[other] for other in above), default=-1)
    return [sorted(room for room in placed if placed[room] == row) for row in range(max(placed.values()) + 1)]


def places(given: Arrows, lines: Sequence[Sequence[str]]) -> dict[str, tuple[float, int]]:
    """Return the middle of each room's box: from the bottom upwards, each above those that it imports."""
    found: dict[str, tuple[float, int]] = {}
    for row, line in reversed(list(enumerate(lines))):
        means = {room: sum(found[other][0] for other in given[room]) / (len(given[room]) or 1) for room in line}
        for column, room in enumerate(sorted(line, key=lambda room: (means[room], room))):
            found[room] = (COLUMN * (1.5 if len(line) == 1 else 0.5 + 2 * column / (len(line) - 1)), ROW * row + 30)
    return found


def drawing(given: Arrows) -> str:
    """Return the drawing as SVG."""
    lines, few = rows(given), reduced(given)
    middle = places(few, lines)
    size = f'viewBox="0 0 {3 * COLUMN} {ROW * len(lines)}" width="{3 * COLUMN}"'
    shapes = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}><title>Rooms and their imports</title><style>{_STYLE}</style>']
    shapes.append('<marker id="tip" refX="9" refY="5" markerWidth="10" markerHeight="10" orient="auto">')
    shapes.append('<path d="M0,1 9,5 0,9z"/></marker>')
    for room, targets in sorted(few.items()):
        (x, y), ends = middle[room], [middle[target] for target in sorted(targets)]
        shapes += [
            f'<path marker-end="url(#tip)" d="M{x:g},{y + HEIGHT / 2:g} {to:g},{down - HEIGHT / 2:g}"/>' for to, down in ends
        ]
    for room, (x, y) in sorted(middle.items()):
        shapes.append(f'<rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>')
        shapes.append(f'<text x="{x:g}" y="{y + 5:g}">{room}</text>')
    return "\n".join([*shapes, "</svg>"]) + "\n"


if __name__ == "__main__":
    DRAWING.write_text(drawing(arrows(ROOT / "src" / "repairlab")), encoding="utf-8")
