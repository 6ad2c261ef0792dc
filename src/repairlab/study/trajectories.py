"""Trajectories of agents as pages show them; `repairlab show --trajectory` has them whole."""

import json
from typing import Any

from repairlab.core.amounts import count, duration, price
from repairlab.core.record import record
from repairlab.study.diffs import diff_text

_LONG = 200
"""Length of an argument, in characters, that later calls may repeat with changes."""


@record
class CallShown:
    """An agent's call of a tool, and the result."""

    name: str
    asked: str
    """The arguments; of a long text that an earlier call had, only the difference."""
    observation: str | None
    """None if nothing was kept."""


@record
class TrajectoryStep:
    """One step, in words."""

    number: int
    source: str
    title: str
    """Number, source and what it cost."""
    thinking: str
    message: str
    calls: tuple[CallShown, ...]

    @property
    def text(self) -> str:
        """Return the step as one text."""
        parts = [f"(thinking) {self.thinking}"] if self.thinking else []
        parts += [self.message] if self.message else []
        for call in self.calls:
            parts.append(f"→ {call.name}: {call.asked}")
            parts += ["\n".join(f"  {line}" for line in call.observation.split("\n"))] if call.observation is not None else []
        return "\n".join(parts)


def steps_of(trajectory: str | None) -> tuple[TrajectoryStep, ...]:
    """Return the steps of a trajectory in the ATIF format; None if it was not kept."""
    before: dict[tuple[str, ...], str] = {}
    return tuple(_step(data, before) for data in json.loads(trajectory)["steps"]) if trajectory else ()


def _step(data: dict[str, Any], before: dict[tuple[str, ...], str]) -> TrajectoryStep:
    results = {item["source_call_id"]: item["content"] for item in data.get("observation", {}).get("results", ())}
    return TrajectoryStep(
        number=data["step_id"],
        source=data["source"],
        title=", ".join((f"step {data['step_id']}, {data['source']}", *_amounts(data.get("metrics", {})))),
        thinking=data.get("reasoning_content") or "",
        message=data["message"] or "",
        calls=tuple(
            CallShown(
                name=call["function_name"],
                asked=_asked(call["function_name"], call["arguments"], before),
                observation=results.get(call["tool_call_id"]),
            )
            for call in data.get("tool_calls", ())
        ),
    )


def _asked(name: str, given: dict[str, Any], before: dict[tuple[str, ...], str]) -> str:
    """Return arguments as text; `before` has the long texts that earlier calls gave beside the same short arguments."""
    texts = {key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for key, value in given.items()}
    short = tuple(f"{key}={value}" for key, value in texts.items() if len(value) <= _LONG)
    shown = []
    for key, value in texts.items():
        place = (name, key, *short)
        old = before.get(place) if short and len(value) > _LONG else None
        if len(value) > _LONG:
            before[place] = value
        said = value if old is None else diff_text({key: f"{old}\n"}, {key: f"{value}\n"}) or "(the same text again)"
        shown.append(said if len(texts) == 1 else f"{key}: {said}")
    return "\n".join(shown)


def _amounts(metrics: dict[str, Any]) -> list[str]:
    said = []
    if (tokens := metrics.get("prompt_tokens")) is not None:
        cached = f" ({metrics['cached_tokens']:,} cached)" if metrics.get("cached_tokens") else ""
        said.append(f"{count(tokens, 'prompt token')}{cached}, {count(metrics.get('completion_tokens') or 0, 'completion token')}")
    if metrics.get("cost_usd"):
        said.append(price(metrics["cost_usd"]))
    if "seconds" in metrics.get("extra", {}):
        said.append(duration(metrics["extra"]["seconds"]))
    return said
