"""Trajectories of agents as pages show them; `repairlab show --trajectory` has them whole."""

import json
from typing import Any

from repairlab.core.amounts import count, dollars
from repairlab.core.record import record


@record
class TrajectoryStep:
    """One step, in words."""

    number: int
    source: str
    title: str
    """Number, source and what it cost."""
    text: str


def steps_of(trajectory: str | None) -> tuple[TrajectoryStep, ...]:
    """Return the steps of a trajectory in the ATIF format; none when it is not kept."""
    return tuple(map(_step, json.loads(trajectory)["steps"])) if trajectory else ()


def _step(data: dict[str, Any]) -> TrajectoryStep:
    parts = [f"(thinking) {data['reasoning_content']}"] if data.get("reasoning_content") else []
    parts += [data["message"]] if data["message"] else []
    results = {item["source_call_id"]: item["content"] for item in data.get("observation", {}).get("results", ())}
    for call in data.get("tool_calls", ()):
        given = call["arguments"]
        said = next(iter(given.values())) if len(given) == 1 else given
        parts.append(f"→ {call['function_name']}: {said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)}")
        if call["tool_call_id"] in results:
            parts.append("\n".join(f"  {line}" for line in results[call["tool_call_id"]].split("\n")))
    title = ", ".join((f"step {data['step_id']}, {data['source']}", *_amounts(data.get("metrics", {}))))
    return TrajectoryStep(number=data["step_id"], source=data["source"], title=title, text="\n".join(parts))


def _amounts(metrics: dict[str, Any]) -> list[str]:
    said = []
    if (tokens := metrics.get("prompt_tokens")) is not None:
        cached = f" ({metrics['cached_tokens']:,} cached)" if metrics.get("cached_tokens") else ""
        said.append(f"{count(tokens, 'token')} in{cached}, {metrics.get('completion_tokens') or 0:,} out")
    if metrics.get("cost_usd"):
        said.append(f"${dollars(metrics['cost_usd'])}")
    if "seconds" in metrics.get("extra", {}):
        said.append(f"{metrics['extra']['seconds']:.1f} s")
    return said
