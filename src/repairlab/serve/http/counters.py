"""What happened so far, in Prometheus' text form."""

from collections.abc import Mapping

_BUCKETS_S = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 600.0)
_HELP = {
    "repairlab_requests_total": "Requests by route and status.",
    "repairlab_verdicts_total": "Verdicts by name, and whether they were known.",
    "repairlab_refusals_total": "Requests that were refused, by reason.",
    "repairlab_request_seconds": "How long requests took.",
}
Labels = tuple[tuple[str, str], ...]


class Counters:
    """Numbers that only grow; those of the moment are given when they are asked for."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[Labels, float]] = {}
        self._durations: dict[str, list[float]] = {}

    def add(self, name: str, n: float = 1, **labels: str) -> None:
        """Count something."""
        found = self._counts.setdefault(name, {})
        key = tuple(sorted(labels.items()))
        found[key] = found.get(key, 0) + n

    def took(self, route: str, seconds: float) -> None:
        """Count a request by its duration."""
        buckets = self._durations.setdefault(route, [0.0] * (len(_BUCKETS_S) + 2))
        for place, limit in enumerate(_BUCKETS_S):
            buckets[place] += seconds <= limit
        buckets[-2] += 1
        buckets[-1] += seconds

    def text(self, now: Mapping[str, float]) -> str:
        """Return all numbers, with those of this moment."""
        lines = []
        for name, found in sorted(self._counts.items()):
            lines += [f"# HELP {name} {_HELP.get(name, name)}", f"# TYPE {name} counter"]
            lines += [f"{name}{_labels(key)} {value:g}" for key, value in sorted(found.items())]
        name = "repairlab_request_seconds"
        if self._durations:
            lines += [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} histogram"]
        for route, buckets in sorted(self._durations.items()):
            limits = [*(f"{limit:g}" for limit in _BUCKETS_S), "+Inf"]
            counts = zip(limits, buckets[:-1], strict=True)
            lines += [f"{name}_bucket{_labels((('le', limit), ('route', route)))} {n:g}" for limit, n in counts]
            lines += [f"{name}_sum{_labels((('route', route),))} {buckets[-1]:.6g}"]
            lines += [f"{name}_count{_labels((('route', route),))} {buckets[-2]:g}"]
        for gauge, value in sorted(now.items()):
            lines += [f"# TYPE {gauge} gauge", f"{gauge} {value:g}"]
        return "\n".join(lines) + "\n"


def _labels(labels: Labels) -> str:
    """Write labels, of which none holds a quote or a line break: they are routes, numbers and words of ours."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
