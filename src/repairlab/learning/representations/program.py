"""`program` and `program-verdict`: whole programs, as text (FixEval). The table of representations loads them."""

from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable


class WholeProgram:
    """The whole program as it stands, and the fixed one."""

    name = "program"
    languages: frozenset[str] | None = None
    unit: Unit = "program"

    def encode(self, sample: Sample) -> Encoded:
        """Return the program."""
        return Encoded(source=(sample.buggy,))

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return both programs."""
        return self.encode(sample), (fixed,)

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the text as it is."""
        del encoded
        return ("".join(written),)


class ProgramWithVerdict(WholeProgram):
    """The whole program and what the judge said of it, and the fixed program."""

    name = "program-verdict"

    def encode(self, sample: Sample) -> Encoded:
        """Return the program followed by the verdict in the judge's words."""
        if not sample.verdict:
            raise Unrepresentable("no verdict of a judge is known")
        return Encoded(source=(f"{sample.buggy} verdict: {sample.verdict}",))
