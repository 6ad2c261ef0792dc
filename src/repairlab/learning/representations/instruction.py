"""`instruction`: an instruction with the buggy code, for language models (Defects4C). The table of representations loads it."""

import re
from typing import Literal

from repairlab.languages.facts import facts
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable

_BLOCK = re.compile(r"^(`{3,})[^\n`]*\n(.*?)(?:\n\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


class FixInstruction:
    """What to do in words, the buggy code in a fenced block, and the fixed code in one."""

    name = "instruction"
    languages: frozenset[str] | None = None

    def __init__(self, *, unit: Literal["method", "program"] = "method", verdict: bool = False) -> None:
        """Take whether a function or a whole program is shown and written, and whether the judge's verdict is told."""
        self.unit: Unit = unit
        self._verdict = verdict

    def encode(self, sample: Sample) -> Encoded:
        """Return the instruction; a description of the bug is part of it."""
        if self._verdict and not sample.verdict:
            raise Unrepresentable("no verdict of a judge is known")
        what = "function" if self.unit == "method" else "program"
        told = [f"The judge said: {sample.verdict}"] if self._verdict else []
        about = [text for text in (sample.description.strip(), *told) if text]
        head = f"Fix the bug in this {facts(sample.language).title} {what}. Answer with the fixed {what} alone."
        return Encoded(source=("\n\n".join([head, *about, _fenced(sample.buggy, sample.language)]),))

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the instruction and the fixed code in a fenced block."""
        return self.encode(sample), (_fenced(fixed, sample.language),)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the first fenced block, or all of the text without one."""
        del encoded
        text = "".join(written)
        found = _BLOCK.search(text)
        code = found[2] if found else text.strip()
        return (code,) if code.strip() else ()


def _fenced(code: str, language: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
    return f"{fence}{facts(language).fences[0]}\n{code}\n{fence}\n"
