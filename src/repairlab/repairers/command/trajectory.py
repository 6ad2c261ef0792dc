"""What an agent and its model said to each other, as one trajectory in Harbor's Agent Trajectory Interchange Format (ATIF).

https://www.harborframework.com/docs/agents/trajectory-format
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from repairlab.core.record import digest, record
from repairlab.repairers.command.dialects.exchange import Data, ModelAnswer, ModelRequest, OfferedTool, ToolCall, Turn

SCHEMA = "ATIF-v1.7"


@record
class Exchange:
    """One request of an agent and its answer."""

    asked: ModelRequest
    answer: ModelAnswer | None
    """None if no answer came."""
    client: str = ""
    """The agent's name for itself: its `User-Agent`."""
    at: str
    """Time of the request, in ISO 8601."""
    seconds: float
    cost_usd: float | None


def trajectory(exchanges: Sequence[Exchange], *, session: str, agent: str, model: str | None, ended: str) -> str:
    """Return the trajectory of one start as JSON, and in words how it ended; empty when nothing was asked.

    Each request repeats its conversation so far: what was there before, as often as before, is left out. Results of tools are
    observations of the step that called them.
    """
    steps = _Steps()
    for exchange in exchanges:
        steps.add(exchange)
    if not steps.found:
        return ""
    answers = [exchange.answer for exchange in exchanges if exchange.answer]
    costs = [exchange.cost_usd for exchange in exchanges]
    totals = {
        "total_prompt_tokens": sum(answer.tokens_in or 0 for answer in answers),
        "total_completion_tokens": sum(answer.tokens_out or 0 for answer in answers),
        "total_cached_tokens": sum(answer.tokens_cached for answer in answers),
        "total_cost_usd": None if None in costs else sum(filter(None, costs)),
        "total_steps": len(steps.found),
    }
    tools = {tool.name: tool for exchange in exchanges for tool in exchange.asked.tools}
    about = {
        "name": agent,
        "version": _version(agent, exchanges[0].client),
        "model_name": model,
        "tool_definitions": [_definition(tool) for tool in tools.values()] or None,
    }
    data = {
        "schema_version": SCHEMA,
        "session_id": session,
        "agent": _known(about),
        "steps": steps.found,
        "final_metrics": _known(totals),
        "extra": {"ended": ended, "client": exchanges[0].client},
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


class _Steps:
    """The steps so far, and the conversation they cover."""

    def __init__(self) -> None:
        self.found: list[Data] = []
        self._seen: set[tuple[str, int]] = set()
        self._callers: dict[str, Data] = {}

    def add(self, exchange: Exchange) -> None:
        """Add what is new in a request, then its answer."""
        counts: Counter[str] = Counter()
        asked = exchange.asked.turns
        marked = [(turn, self._is_new(turn, counts)) for turn in asked]
        opens = all(turn.role in ("system", "user") for turn in asked) and any(is_new for _, is_new in marked[:1])
        for turn, is_new in marked:
            if is_new or opens:
                self._turn(turn, exchange.at)
        if answer := exchange.answer:
            self._is_new(answer.turn, counts)
            metrics = {
                "prompt_tokens": answer.tokens_in,
                "completion_tokens": answer.tokens_out,
                "cached_tokens": answer.tokens_cached or None,
                "cost_usd": exchange.cost_usd,
                "extra": {"seconds": round(exchange.seconds, 3)},
            }
            self._agent(answer.turn, exchange.at, {"metrics": _known(metrics), "llm_call_count": 1})

    def _is_new(self, turn: Turn, counts: Counter[str]) -> bool:
        name = digest(turn.role, turn.text.strip(), turn.call_id, [(call.name, call.values) for call in turn.calls])
        counts[name] += 1
        key = (name, counts[name])
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new

    def _turn(self, turn: Turn, at: str) -> None:
        if turn.role == "assistant":
            self._agent(turn, at, {})
        elif turn.role == "tool":
            self._result(turn, at)
        else:
            self._step({"timestamp": at, "source": turn.role, "message": turn.text})

    def _agent(self, turn: Turn, at: str, more: Data) -> None:
        calls = [_call(call) for call in turn.calls] or None
        step = {"timestamp": at, "source": "agent", "message": turn.text, "reasoning_content": turn.thinking or None}
        made = self._step(_known(step | {"tool_calls": calls}) | more)
        self._callers |= {call.id: made for call in turn.calls}

    def _result(self, turn: Turn, at: str) -> None:
        caller = self._callers.get(turn.call_id)
        if caller is None:
            self._step({"timestamp": at, "source": "user", "message": turn.text})
        else:
            results = caller.setdefault("observation", {"results": []})["results"]
            results.append({"source_call_id": turn.call_id, "content": turn.text})

    def _step(self, data: Data) -> Data:
        made = {"step_id": len(self.found) + 1} | data
        self.found.append(made)
        return made


def _call(call: ToolCall) -> Data:
    return {"tool_call_id": call.id, "function_name": call.name, "arguments": call.values}


def _definition(tool: OfferedTool) -> Data:
    function = {"name": tool.name, "description": tool.about, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _version(agent: str, client: str) -> str:
    """Return the version that an agent names; many give that of a library instead.

    >>> _version("claude-code", "claude-cli/2.1.197 (external, sdk-cli)"), _version("aider", "OpenAI/Python 2.20.0")
    ('2.1.197', 'unknown')
    """
    found = re.match(r"[\w.-]*/v?(\d[\w.+-]*)", client)
    return found[1] if found and client.lower().startswith(agent.partition("-")[0]) else "unknown"


def _known(data: dict[str, Any]) -> Data:
    return {name: value for name, value in data.items() if value is not None}
