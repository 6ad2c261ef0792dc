"""One proposed fix, where it came from, and what a repairer remembers of earlier ones."""

from repairlab.core.record import digest, record
from repairlab.core.text import Span


@record
class Edit:
    """A change of one file of the buggy tree."""

    path: str
    text: str | None
    """The new text; None deletes the file."""
    span: Span | None = None
    """What is replaced, in characters of the buggy file; None replaces (or creates) the whole file."""


@record
class Origin:
    """How a candidate was made, complete enough to make it again."""

    repairer: str
    model: str | None = None
    prompt: str | None = None
    """Digest of the prompt."""
    settings: tuple[tuple[str, str], ...] = ()
    """Sampling settings, template names and the like."""
    seed: int | None = None
    attempt: int = 0
    turn: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """None if the model's price is unknown."""
    logprob: float | None = None
    """Sum of the log-probabilities of the answer's tokens."""
    answer: str | None = None
    """Digest of the raw answer; the run's transcripts hold prompt and answer under their digests."""

    def kept(self, name: str) -> str | None:
        """Return the digest of another text in the transcripts: the `trajectory` of an agent, the `thinking` of a model."""
        return dict(self.settings).get(name)


@record
class Candidate:
    """One sample of a repairer for one bug; a multi-file fix is one candidate."""

    bug_id: str
    edits: tuple[Edit, ...]
    rank: int
    """1 for the repairer's first choice; unique per bug in a run."""
    origin: Origin
    problem: str | None = None
    """Why nothing usable could be read from the answer; such a candidate has no edits and is UNAPPLICABLE."""
    answer: str | None = None
    """The raw answer, kept when it could not be read."""

    @property
    def id(self) -> str:
        """Return the content hash of bug and edits: equal proposals have equal ids, whatever their rank."""
        return digest(self.bug_id, self.edits, self.problem, self.answer)


@record
class Attempt:
    """What a repairer remembers of one earlier candidate of a conversation."""

    candidate: Candidate
    feedback: str | None
    """What the policy tells of the outcome; None under hidden tests."""
