"""Clients' requests, as records that check themselves (unknown keys are refused), and why a request is refused."""

import json
import math
from collections.abc import Iterator
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from repairlab.core.errors import UserError
from repairlab.core.outcome import Policy, Strength
from repairlab.core.problem import Localisation
from repairlab.core.storage.checking import plain_error
from repairlab.formats.patch_forms import KEYS, key_of
from repairlab.metrics.reward import RewardScale
from repairlab.repairers.llm.prompts.table import STRATEGIES
from repairlab.runs.patch import Patch

M = TypeVar("M", bound=BaseModel)


class _Request(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)  # JSON has no such numbers, in requests or answers


class _Strict(_Request):
    model_config = ConfigDict(extra="forbid", strict=True)  # text is not a number; clients of other services may be laxer


class SpanEntry(_Strict):
    """Characters of the buggy file: `start` included, `end` excluded."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class EditEntry(_Strict):
    """The new text of a file, or of a part of it."""

    path: str
    text: str | None
    span: SpanEntry | None = None


class CandidateEntry(_Strict):
    """One candidate: one of `function`, `file`, `patch`, `edits`, `answer` and `text`, which is recognised."""

    bug: str | None = Field(default=None, description="BENCHMARK/BUG, or BUG where only one benchmark has it.")
    function: str | None = Field(default=None, description="The new text of the function to fix.")
    file: str | None = Field(default=None, description="The new text of the file to fix.")
    patch: str | None = Field(default=None, description="A unified diff.")
    edits: list[EditEntry] | None = None
    answer: str | None = Field(default=None, description="What a model said.")
    text: str | None = Field(default=None, description="Any of these; the form is recognised.")
    strategy: str | None = Field(default=None, description="The strategy that asked for the answer.")
    localisation: Localisation = "line"

    def as_patch(self) -> Patch:
        """Return the proposed patch."""
        given = {name: getattr(self, name) for name in KEYS if getattr(self, name) is not None}
        try:
            name = key_of(given)
        except UserError as error:
            raise bad_request(str(error)) from None
        if self.strategy is not None and name != "answer":
            raise bad_request(f"strategy says how an answer is read, but this candidate is given as {name}")
        if self.strategy is not None and self.strategy not in STRATEGIES:
            raise bad_request(f"unknown strategy {self.strategy[:100]!r}. Known: {', '.join(STRATEGIES)}")
        plain: Any = [edit.model_dump() for edit in self.edits or ()] if name == "edits" else given[name]
        return Patch(text=plain, form=KEYS[name], strategy=self.strategy, localisation=self.localisation)


class CaseEntry(_Strict):
    """One run of a program."""

    input: str
    expected: str
    id: str | None = Field(default=None, max_length=100)


class CheckerEntry(_Strict):
    """How outputs are compared; `program` is a checker of testlib's kind."""

    kind: Literal["tokens", "lines", "exact", "float", "unordered", "program"] = "tokens"
    absolute: float = Field(default=1e-6, ge=0)
    relative: float = Field(default=1e-6, ge=0, lt=1)
    language: str | None = None
    files: dict[str, str] = {}


class LimitsEntry(_Strict):
    """Resources of one run."""

    cpu_s: float = Field(default=10.0, gt=0, le=60)
    wall_s: float = Field(default=30.0, gt=0, le=180)
    memory_mb: int = Field(default=512, ge=16, le=4096)
    output_mb: float = Field(default=16.0, gt=0, le=64)


class InlineProblem(_Strict):
    """A judge problem that comes with the request."""

    language: str
    program: str = Field(description="The program to fix; candidates are versions of it.")
    cases: list[CaseEntry] = Field(min_length=1, max_length=1000)
    checker: CheckerEntry = CheckerEntry()
    limits: LimitsEntry = LimitsEntry()


class ScaleEntry(_Strict):
    """The reward of each level; see `repairlab.RewardScale`."""

    unapplicable: float = RewardScale().unapplicable
    uncompilable: float = RewardScale().uncompilable
    failing: float = RewardScale().failing
    triggers_pass: float = RewardScale().triggers_pass
    plausible: float = RewardScale().plausible
    share: float = RewardScale().share
    least_similarity: float = RewardScale().least_similarity


class ValidateRequest(CandidateEntry):
    """One candidate, or several in `candidates`; `bug` then holds for those that name none."""

    candidates: list[CandidateEntry] | None = None
    problem: InlineProblem | None = None
    policy: Policy = "first-failure"
    confirm: int = Field(default=0, ge=0, le=10)
    min_strength: Strength = "unchecked"
    scale: ScaleEntry | None = None
    deadline_s: float | None = Field(default=None, gt=0)
    stream: bool = Field(default=False, description="Answer in lines of JSON, each as soon as it is known.")

    def entries(self) -> Iterator[tuple[str | None, Patch]]:
        """Yield each proposed patch with its bug; None: the given problem."""
        for entry in [self] if self.candidates is None else self.candidates:
            bug = entry.bug or self.bug
            if (bug is None) == (self.problem is None):
                raise bad_request("say which bug a candidate is for, by `bug` or by `problem`, and not by both")
            yield bug, entry.as_patch()
        if self.candidates is not None and any(getattr(self, name) is not None for name in KEYS):
            raise bad_request("give one candidate, or several in `candidates`, not both")


class RunCodeRequest(_Request):
    """SandboxFusion's request; unknown keys are ignored, as there."""

    code: str
    language: str
    stdin: str | None = None
    compile_timeout: float = Field(default=10.0, gt=0, le=300)
    run_timeout: float = Field(default=10.0, gt=0, le=300)
    memory_limit_MB: int = Field(default=-1, le=8192)  # noqa: N815  # SandboxFusion's name
    files: dict[str, str | None] = {}
    fetch_files: list[str] = Field(default=[], max_length=100)


class BuildPatchRequest(_Request):
    """Defects4C's request for a patched file."""

    bug_id: str
    llm_response: str
    method: str = "prefix"
    generate_diff: bool = True
    persist_flag: bool = False


class FixRequest(_Request):
    """Defects4C's request to judge a patched file."""

    bug_id: str
    patch_path: str


class ReproduceRequest(_Request):
    """Defects4C's request to show that a bug fails, and passes when it is fixed."""

    bug_id: str
    is_force_cleanup: bool = True


def parse(model: type[M], body: bytes) -> M:
    """Return the content of a body; a refusal names the wrong key."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise bad_request(str(plain_error(model, error, _json(body), "the request"))) from None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


class RequestRefused(Exception):  # noqa: N818  # an answer, not a failure
    """An answer with a status of 400 or more; it names no path, key or line of ours."""

    def __init__(self, status: int, code: str, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.headers = {} if retry_after_s is None else {"Retry-After": str(max(1, math.ceil(retry_after_s)))}
        if status == 401:
            self.headers["WWW-Authenticate"] = "Bearer"

    @property
    def data(self) -> dict[str, object]:
        """Return the body of the answer; `detail` is for clients of other services, which look there."""
        return {"error": {"code": self.code, "message": self.message}, "detail": self.message}


def bad_request(message: str) -> RequestRefused:
    """Return the refusal of a request that makes no sense."""
    return RequestRefused(400, "bad_request", message)
