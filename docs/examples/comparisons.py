"""Write a benchmark of small bugs of one family: a comparison is not what the issue asks for.

Run: python docs/examples/comparisons.py FOLDER    (`grpo.py` does so by itself, unless it asks a service)
"""

import sys
from pathlib import Path

OPERATORS = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least", "==": "exactly", "!=": "anything but"}
THINGS = ("age", "cost", "height", "price", "score", "weight")
PROGRAM = """\
def kept({thing}s, limit):
    return [{thing} for {thing} in {thing}s if {thing} {operator} limit]


limit, *numbers = map(int, input().split())
print(*kept(numbers, limit))
"""
NUMBERS = ((5, (4, 5, 6)), (3, (9, 3, 1, 2, 3)))
"""What each program is tried on: a limit, and numbers that no two comparisons treat alike."""


def write(folder: Path) -> Path:
    """Write a bug for each comparison and thing; each has another wrong comparison in turn."""
    texts = {"benchmark.toml": 'schema = 1\nname = "comparisons"\nversion = "1.0.0"\nlicence = "MIT"\ndescription = "example"\n'}
    for number, thing in enumerate(THINGS):
        for place, right in enumerate(OPERATORS):
            others = [operator for operator in OPERATORS if operator != right]
            for path, text in bug(thing, right, others[(number + place) % len(others)]).items():
                texts[f"bugs/{thing}-{place}/{path}"] = text
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def right_of(bug_id: str) -> str:
    """Return the comparison that a bug should have."""
    return list(OPERATORS)[int(bug_id.rpartition("-")[2])]


def bug(thing: str, right: str, wrong: str) -> dict[str, str]:
    """Return the files of one bug."""
    buggy, fixed = (PROGRAM.format(thing=thing, operator=operator) for operator in (wrong, right))
    head, old, *_ = buggy.splitlines()
    files = {
        "bug.toml": 'schema = 1\nlanguage = "python"\npath = "main.py"\ntarget = "kept"\n[test]\nframework = "stdio"\n',
        "issue.md": f"The wrong {thing}s are kept\n\nKeep each {thing} that is {OPERATORS[right]} the limit.\n",
        "buggy/main.py": buggy,
        "fix.patch": f"--- a/main.py\n+++ b/main.py\n@@ -1,2 +1,2 @@\n {head}\n-{old}\n+{fixed.splitlines()[1]}\n",
    }
    for number, (limit, numbers) in enumerate(NUMBERS, start=1):
        kept = [item for item in numbers if eval(f"{item} {right} {limit}")]  # our own operators
        files[f"cases/{number}.in"] = " ".join(map(str, (limit, *numbers))) + "\n"
        files[f"cases/{number}.out"] = " ".join(map(str, kept)) + "\n"
    return files


if __name__ == "__main__":
    write(Path(sys.argv[1]))
