"""`instruction`: an instruction with the buggy function, for language models (Defects4C). The table of representations loads it."""

import re

from repairlab.languages.facts import facts
from repairlab.representations.representation import Encoded, Sample, Unit

_BLOCK = re.compile(r"^(`{3,})[^\n`]*\n(.*?)(?:\n\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


class FixInstruction:
    """What to do in words, the buggy function in a fenced block, and the fixed function in one."""

    name = "instruction"
    languages: frozenset[str] | None = None
    unit: Unit = "method"

    def encode(self, sample: Sample) -> Encoded:
        """Return the instruction; a description of the bug is part of it."""
        stated = facts(sample.language)
        about = f"\n{sample.description.strip()}\n" if sample.description.strip() else ""
        text = f"Fix the bug in this {stated.title} function. Answer with the fixed function alone.\n{about}\n"
        return Encoded(source=(text + _fenced(sample.buggy, sample.language),))

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the instruction and the fixed function in a fenced block."""
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
