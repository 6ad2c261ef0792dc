"""List wording that STYLE asks us to avoid, in the documentation and in docstrings; fail when there is more than before.

.venv/bin/python scripts/prose.py              # counts by kind
.venv/bin/python scripts/prose.py --list docs  # every place below a folder or file
.venv/bin/python scripts/prose.py --check      # exit 1 when a count is above scripts/prose.json
.venv/bin/python scripts/prose.py --accept     # write today's counts, which may only fall
"""

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BOUNDS = ROOT / "scripts" / "prose.json"
LONGEST = 30
"""Words of a sentence that is not called long."""
AVOIDED = {
    "is no": r"\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|better\b|different\b|matter\b)[a-z]+",
    "of its own": r"\bof (?:its|their|his|her|our|your|one's|somebody's) own\b",
    "of which": r"\b(?:of|in|from|by|with|on|for) which\b",
    "such that": r"\bsuch that\b",
    "that it can be said": r"\b(?:can|may|could) be (?:said|told|had)\b",
    "what … is": r"(?:^|[.:;] )[Ww]hat [^.,;:]{3,60} (?:is|are|was|were) (?!not\b)",
    "whoever": r"\b(?:whoever|whatever|somebody|nobody|anybody)\b",
    "called by": r"\b(?:[Cc]alled|[Uu]sed|[Mm]ade|[Aa]sked|[Ff]illed) by (?:the verb )?`",
}
OUTSIDE_RESULTS = {"a date": r"\b20[12]\d-[01]\d-[0-3]\d\b", "a machine": r"\b(?:aarch64|quiet cores?|busy machine)\b"}


class Passage(NamedTuple):
    """A paragraph, and where it begins."""

    path: Path
    line: int
    text: str


class Found(NamedTuple):
    """One place to mend."""

    path: Path
    line: int
    kind: str
    text: str


def of_markdown(path: Path) -> Iterator[Passage]:
    """Yield the paragraphs, list items and table cells of a page, without its code."""
    text = re.sub(
        r"^(```|~~~).*?^\1", lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.M | re.S
    )
    start, lines = 1, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        begins = re.match(r"\s*(?:[-*#|>]|\d+\.) ?", line)
        if lines and (begins or not line.strip()):
            yield Passage(path, start, " ".join(lines))
            lines = []
        if line.strip():
            start = start if lines else number
            lines.append(line.strip())


def of_python(path: Path) -> Iterator[Passage]:
    """Yield the docstrings of a file and the strings below its fields."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            text = re.sub(r"^\s*(?:>>>|\.\.\.).*$", "", node.value.value, flags=re.M)
            for part in re.split(r"\n\s*\n", text):
                yield Passage(path, node.lineno, " ".join(part.split()))


def passages(root: Path) -> Iterator[Passage]:
    """Yield all prose below a folder, or of one file."""
    for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
        if path.suffix == ".md" and path.name != "CHANGELOG.md":
            yield from of_markdown(path)
        elif path.suffix == ".py" and "benchmarks/data" not in path.as_posix():
            yield from of_python(path)


def findings(passage: Passage) -> Iterator[Found]:
    """Yield what is to be mended in a passage."""
    plain = re.sub(r"`[^`]*`|\]\([^)]*\)|\|", lambda found: "x" if found[0][0] == "`" else " ", passage.text)
    avoided = AVOIDED if passage.path.is_relative_to(ROOT / "docs" / "results") else AVOIDED | OUTSIDE_RESULTS
    for kind, pattern in avoided.items():
        source = passage.text if kind == "called by" else plain
        for found in re.finditer(pattern, source):
            yield Found(passage.path, passage.line, kind, source[max(0, found.start() - 30) : found.end() + 30].strip())
    for sentence in re.split(r"(?<=[.!?;:])\s+", plain):
        if len(sentence.split()) > LONGEST:
            yield Found(passage.path, passage.line, "long sentence", sentence[:90])


def main() -> int:
    """Print counts or places, and compare with the bounds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "README.md", ROOT / "docs", ROOT / "src" / "repairlab"])
    parser.add_argument("--list", action="store_true", help="print every place")
    parser.add_argument("--check", action="store_true", help="exit 1 when a count has grown")
    parser.add_argument("--accept", action="store_true", help="write the counts as the new bounds")
    options = parser.parse_args()
    found = [item for path in options.paths for passage in passages(path.resolve()) for item in findings(passage)]
    if options.list:
        for item in found:
            print(f"{item.path.relative_to(ROOT)}:{item.line}: {item.kind}: {item.text}")
    counts = Counter(f"{'code' if item.path.suffix == '.py' else 'docs'}: {item.kind}" for item in found)
    bounds = json.loads(BOUNDS.read_text(encoding="utf-8")) if BOUNDS.exists() else {}
    grown = {kind: n for kind, n in counts.items() if n > bounds.get(kind, 0)}
    if options.accept:
        BOUNDS.write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n", encoding="utf-8")
    for kind, n in sorted(counts.items()):
        print(f"{n:6} {kind}{f' (at most {bounds.get(kind, 0)})' if options.check and kind in grown else ''}")
    return 1 if options.check and grown else 0


if __name__ == "__main__":
    sys.exit(main())
