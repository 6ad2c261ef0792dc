"""What a server turns out not to take: learnt from its complaints, remembered for all later requests."""

import re
import threading
from collections.abc import Callable
from typing import Any

MOST_AT_ONCE = 32
"""Answers asked for in one request: more are cheaper, but a lost answer costs all of them."""
_MOST_STOPS = 4
"""Stop texts that every service takes."""
_N = re.compile(
    r"""["'`]n["'`]|\bn_cmpl\b|\bn (must|should|cannot|can only|has to|is not|is greater|not supported)|\bn\s*[<>=!]"""
    r"|number of (choices|completions|slots|candidates)|best_of|candidate_?count|(multiple|only one) (choice|candidate|completion)",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not (currently |yet )?support|n't support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|not available|extra (inputs|fields)|cannot (both )?be|only the default|deprecated|forbidden",
    re.IGNORECASE,
)
_OPTIONAL = ("logprobs", "seed", "top_p", "stop", "temperature")
"""What an answer can be had without, in the order in which it is given up."""


class ServerQuirks:
    """Of one model on one server; shared by threads."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify
        self._lock = threading.Lock()
        self._dropped: set[str] = set()
        self._renamed = False
        self._few_stops = False
        self._most = MOST_AT_ONCE

    @property
    def most(self) -> int:
        """Return how many answers to ask for at once."""
        return self._most

    def shape(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Return a request in the form that the server takes."""
        shaped = {name: value for name, value in payload.items() if name not in self._dropped}
        if self._few_stops and "stop" in shaped:
            shaped["stop"] = shaped["stop"][:_MOST_STOPS]
        if self._renamed and "max_tokens" in shaped:
            shaped["max_completion_tokens"] = shaped.pop("max_tokens")
        return shaped

    def saw(self, *, asked: int, got: int) -> None:
        """Note how many answers came back."""
        if got < asked:
            self._at_most(got, f"the server gives {got} of {asked} answers asked for at once; the others are asked for one by one")

    def learn(self, words: str, sent: dict[str, Any]) -> bool:
        """Find out from a complaint what to do without; return whether asking again makes sense."""
        with self._lock:
            n = sent.get("n", 1)
            if n > 1 and (n > self._most or _N.search(words)):
                self._at_most(_fewer(words, n), f"the server does not give {n} answers at once; fewer are asked for")
                return True
            if "max_tokens" in sent and (self._renamed or "max_completion_tokens" in words):
                self._renamed = True
                return True
            known = [name for name in _OPTIONAL if name in sent and name in self._dropped]
            if known:  # another thread was faster
                return True
            return _UNSUPPORTED.search(words) is not None and self._drop_one(words, sent)

    def _drop_one(self, words: str, sent: dict[str, Any]) -> bool:
        for name in _OPTIONAL:
            if name not in sent or not re.search(rf"\b{name}\b", words):
                continue
            if name == "stop" and len(sent["stop"]) > _MOST_STOPS:
                self._few_stops = True
            else:
                self._dropped.add(name)
                self._notify(f"the server does not take {name}; it is left out")
            return True
        return False

    def _at_most(self, most: int, why: str) -> None:
        if most < self._most:
            self._most = most
            self._notify(why)


def _fewer(words: str, n: int) -> int:
    """Return how many answers to try after n were too many: what the server names, or half of them."""
    named = [int(number) for number in re.findall(r"(?:<=|at most|maximum(?: of| is)?) (\d{1,4})\b", words)]
    return max((number for number in named if 0 < number < n), default=max(n // 2, 1))
