"""Verdicts as rewards of models that learn: what `repairlab.Reward` is. docs/guides/serving.md teaches it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self, TypedDict, Unpack

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.core.arguments import check_value, checked
from repairlab.core.errors import UserError, unknown
from repairlab.core.outcome import Policy, Strength
from repairlab.core.problem import Localisation, Visibility, shown
from repairlab.formats.patch_forms import KEYS, PatchForm, key_of
from repairlab.metrics.reward import RewardScale, reward_of
from repairlab.repairers.llm.factory import preview
from repairlab.repairers.llm.prompts.table import STRATEGIES
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.executors.forking import start_server
from repairlab.runs.patch import Patch
from repairlab.runs.remote_judge import PATIENCE_S, RemoteJudge
from repairlab.runs.validator_pool import ValidatorPool
from repairlab.validation.machine import Isolation, local_machine

_NO_MODEL = "none/none"
_Ids = Annotated[Sequence[object], "a list of ids of bugs, one for each completion"]
_MESSAGE = frozenset({"role", "content", "text"})
"""Keys of a chat message, or of a part of one."""


class RewardOptions(TypedDict, total=False):
    """How completions are read and judged; the last ones are those of a `Validator`, for this machine."""

    strategy: str | None
    """The strategy that asked for the completions; None: they are recognised."""
    localisation: Localisation
    """How precisely it showed the place of the bug."""
    form: PatchForm | None
    """The form of completions, if they need not be recognised."""
    column: str
    """The column of the data set that holds the ids of bugs."""
    policy: Policy | None
    """None: `full` if the scale rewards a share of the tests, else `first-failure`."""
    min_strength: Strength
    """The weakest pass that counts; a weaker one is UNDECIDED."""
    undecided: float | None
    workers: int | None
    isolation: Isolation
    sandbox: str
    allow_unsafe: bool
    cache: Annotated[bool | str | Path, "True, False or a folder"]
    recheck: int


class Reward:
    """Rewards completions by their verdicts: a reward function for TRL, and `compute_score` for verl.

    Verdicts come from this machine, or from a service given by `url`. A bad completion never raises: it gets the lowest reward. An
    undecided one gets the reward `undecided`; None leaves that completion out (TRL).
    """

    @checked()
    def __init__(
        self,
        benchmark: Annotated[Benchmark | str | Path, "the name or folder of a benchmark, or what load() returned"],
        *,
        scale: Annotated[RewardScale | Mapping[str, float] | None, "a RewardScale, or a dict such as {'plausible': 1.0}"] = None,
        url: str | None = None,
        token: str | None = None,
        patience: float = PATIENCE_S,
        **options: Unpack[RewardOptions],
    ) -> None:
        """Take a benchmark, the worth of each level, and the address and token of a service, if one is to be asked.

        A service that never answered is an error within seconds. One that answered before may be away for `patience` seconds.
        """
        if isinstance(benchmark, str) and benchmark.startswith(("http://", "https://")):
            raise UserError(
                f"{benchmark!r} is no benchmark; name one, and give the address as url: Reward('starter', url={benchmark!r})"
            )
        machine: dict[str, Any] = dict(options)
        strategy, localisation = machine.pop("strategy", None), machine.pop("localisation", "line")
        policy = machine.pop("policy", None)
        self._min_strength: Strength = machine.pop("min_strength", "unchecked")
        self.__name__ = "repairlab"  # TRL logs rewards under the name of their function
        self.scale = scale if isinstance(scale, RewardScale) else _scale(scale or {})
        if strategy is not None and strategy not in STRATEGIES:
            raise unknown("strategy", strategy, STRATEGIES)
        self.counts: Counter[str] = Counter()
        """How often each verdict occurred."""
        self._strategy, self._localisation = strategy, localisation
        self._form: PatchForm | None = machine.pop("form", None)
        self._column: str = machine.pop("column", "bug")
        self._undecided: float | None = machine.pop("undecided", None)
        self._policy: Policy = policy or ("full" if self.scale.share else "first-failure")
        self._benchmark = str(benchmark.name if isinstance(benchmark, Benchmark) else benchmark)
        self._remote = RemoteJudge(url, token=token, patience_s=patience) if url is not None else None
        self._local: ValidatorPool | None = None
        if self._remote is None:
            start_server()
            self._bugs = benchmark if isinstance(benchmark, Benchmark) else open_benchmark(benchmark)
            self._local = ValidatorPool(local_machine(**machine))
        elif machine:
            raise UserError(f"{', '.join(sorted(machine))}: with a url it is the service that has such options")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all workers, or the connection."""
        for judge in (self._local, self._remote):
            if judge is not None:
                judge.close()

    @checked()
    def __call__(
        self,
        completions: Annotated[Sequence[object], "a list of completions, such as [completion]"] = (),
        prompts: object = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the rewards of completions in order, as TRL asks for them; the data set's column `bug` has ids."""
        del prompts
        bugs = columns.get(self._column)
        if bugs is None:
            given = ", ".join(sorted(columns)) or "none"
            raise UserError(f"the data set has no column {self._column!r} with the ids of bugs; columns: {given}")
        check_value("Reward()", self._column, bugs, _Ids)
        if len(bugs) != len(completions):
            raise UserError(f"there are {len(completions)} completions, but {len(bugs)} ids in the column {self._column!r}")
        return self.rewards([(str(bug), item) for bug, item in zip(bugs, completions, strict=True)])

    def compute_score(
        self, data_source: str, solution_str: str, ground_truth: str, extra_info: object = None, **more: Any
    ) -> float:
        """Return the reward of one solution, as verl asks for it; the ground truth is the id of a bug."""
        del data_source, extra_info, more
        (reward,) = self.rewards([(str(ground_truth), solution_str)])
        return self.scale.unapplicable if reward is None else reward

    @checked()
    def rewards(
        self, pairs: Annotated[Sequence[tuple[str, object]], "a list of pairs of a bug's id and a completion"]
    ) -> list[float | None]:
        """Return the rewards of completions in order, each for a bug given by its id."""
        patches = [(bug, self._patch(completion)) for bug, completion in pairs]
        found = self._ask_service(patches) if self._remote else self._judge_here(patches)
        self.counts.update(verdict for verdict, _ in found)
        return [self._undecided if reward is None else reward for _, reward in found]

    def rows(self, strategy: str = "zero-shot") -> list[dict[str, Any]]:
        """Return the prompt for each bug, as rows `prompt` and `bug` of a data set."""
        if self._remote is not None:
            names = self._remote.bugs(self._benchmark)
            seen = [self._remote.bug(name, strategy=strategy, localisation=self._localisation) for name in names]
            return [{"prompt": item["prompt"], self._column: name} for name, item in zip(names, seen, strict=True)]
        visibility = Visibility(localisation=self._localisation)
        settings = LlmSettings(strategy=strategy, model=_NO_MODEL)
        rows = []
        for bug in self._bugs:
            asked, *more = preview(settings, shown(bug.problem, visibility), seed=0, examples=())
            if more:
                raise UserError(f"{strategy} asks several questions, each after the answer to the one before: no row can hold them")
            messages = [{"role": message.role, "content": message.content} for message in asked.messages]
            rows.append({"prompt": messages or asked.text, self._column: bug.id})
        return rows

    def _patch(self, completion: object) -> Patch:
        """Return what a completion proposes; a mapping that is not a chat message has one of the keys of a patch."""
        if isinstance(completion, Mapping) and not _MESSAGE.intersection(completion):
            key = key_of(completion, beside=())
            return Patch(text=completion[key], form=KEYS[key])
        return Patch(text=text_of(completion), form=self._form, strategy=self._strategy, localisation=self._localisation)

    def _judge_here(self, patches: Sequence[tuple[str, Patch]]) -> list[tuple[str, float | None]]:
        assert self._local is not None
        judge = self._local
        opened = {
            name: judge.opened(self._bugs[name], policy=self._policy, min_strength=self._min_strength)
            for name in {bug for bug, _ in patches}
        }

        def one(item: tuple[str, Patch]) -> tuple[str, float | None]:
            bug, patch = opened[item[0]], item[1]
            judged = judge.known(bug, patch) or judge.judge(bug, patch)
            return judged.outcome.verdict.value, reward_of(judged.outcome, self.scale, similarity=judged.similarity)

        with ThreadPoolExecutor(judge.machine.workers, thread_name_prefix="repairlab") as pool:
            return list(pool.map(one, patches))

    def _ask_service(self, patches: Sequence[tuple[str, Patch]]) -> list[tuple[str, float | None]]:
        assert self._remote is not None
        named = [(bug if "/" in bug else f"{self._benchmark}/{bug}", patch) for bug, patch in patches]
        answers = self._remote.judge(named, policy=self._policy, min_strength=self._min_strength, scale=self.scale)
        return [(answer["verdict"], answer["reward"]) for answer in answers]


def _scale(values: Mapping[str, float]) -> RewardScale:
    for name, value in values.items():
        if name not in RewardScale.__dataclass_fields__:
            raise unknown("level of the scale", name, RewardScale.__dataclass_fields__)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise UserError(f"scale: {name} is {value!r}; write a number")
    return RewardScale(**values)


def text_of(completion: object) -> str:
    """Return the text of a completion: text, or messages of a chat, whose last one counts; all else is no answer.

    >>> text_of([{"role": "assistant", "content": "def f(): ..."}]), text_of(None)
    ('def f(): ...', '')
    """
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return text_of(completion.get("content", completion.get("text")))
    if isinstance(completion, list | tuple) and completion:
        parts = [item for item in completion if isinstance(item, Mapping) and item.get("type") == "text"]
        return "".join(text_of(part.get("text")) for part in parts) if parts else text_of(completion[-1])
    return ""
