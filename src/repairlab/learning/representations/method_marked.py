"""`method-marked`: the method with the buggy line between marks, as text (CodeT5-ft, UniXcoder-ft). The table loads it."""

from repairlab.core.text import Span
from repairlab.learning.representations.code import flat, indent_of, indented, outdented
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable

BUG, BUG_END, FIX, FIX_END = "<BUGS>", "<BUGE>", "<FIXS>", "<FIXE>"


class MarkedMethod:
    """The method with `<BUGS> line <BUGE>` in place, and `<FIXS> line <FIXE>`."""

    name = "method-marked"
    languages: frozenset[str] | None = None
    unit: Unit = "line"

    def encode(self, sample: Sample) -> Encoded:
        """Return the method on one line where layout does not count."""
        if sample.method is None or sample.start is None:
            raise Unrepresentable("no function is known around the bug")
        span = Span(start=sample.start, end=sample.start + len(sample.buggy))
        text = flat(sample.language, sample.method, marks=[(span, BUG, BUG_END)])
        return Encoded(source=(text,), memory={"indent": indent_of(sample)})

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return the marked method and the marked fix."""
        encoded = self.encode(sample)
        return encoded, (f"{FIX} {flat(sample.language, outdented(fixed, encoded.memory['indent']))} {FIX_END}",)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return what stands between the marks; tokenizers may have left them out."""
        text = "".join(written).strip().removeprefix(FIX).removesuffix(FIX_END).strip()
        return () if FIX in text or FIX_END in text else (indented(text, encoded.memory["indent"]),)
