"""Opens models and embedders by name, ready to use: key checked, retried, priced, kept.

How to use what it returns::

    ledger = Ledger(run_folder / "requests.jsonl", limit_usd=access.cost_limit_usd)
    with open_model(settings, access, cache=cache_folder, ledger=ledger, notify=print_warning) as model:
        with asking_for(problem.id):                    # from ledger.py: books the requests under the bug
            answers = model.complete(prompt, sampling, first=0, n=10)

A model serves any number of threads at once, but one process only: a worker opens its own. `asking_for` is a block around the
call of the model in the thread that makes it, never around a `yield`. Models that are not opened here (`ScriptedModel`) ignore it.

This module loads httpx: import it where a model is opened, not where the command line starts.
"""

import json
import threading
from collections.abc import Callable
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.repairers.ledger import Ledger
from repairlab.repairers.llm.client.answer_file import AnswerFile
from repairlab.repairers.llm.client.cached_model import CachedEmbedder, CachedModel, Keeping
from repairlab.repairers.llm.client.http import Client
from repairlab.repairers.llm.client.in_process import HF, LOCAL, InProcessModel, LocalEmbedder
from repairlab.repairers.llm.client.providers import FREE, Endpoint, Price, Prices, endpoint, key_of, thinking
from repairlab.repairers.llm.client.served import ServedEmbedder, ServedModel, Terms
from repairlab.repairers.llm.settings import LlmSettings

Notify = Callable[[str], None]


def open_model(
    settings: LlmSettings, access: Access, *, cache: Path, ledger: Ledger | None = None, notify: Notify = lambda _: None
) -> CachedModel:
    """Open the model of a run; what cannot work (unknown provider, no key, no price under a cost limit) is a UserError now.

    `cache` is the folder in which answers are kept; `notify` takes warnings, each once. Close what is returned, or use it in a
    `with` block.
    """
    access.check()
    notify = _Once(notify)
    if settings.model.startswith(HF):
        thinking("hf", settings.effort)
        inner = InProcessModel(settings.model, context_window=settings.context_window)
        free = Terms(price=FREE, ledger=ledger, notify=notify)
        return CachedModel(inner, _keeping(access, cache, free), context_window=settings.context_window)
    place = endpoint(settings.model, base_url=settings.base_url)
    thinking(place.provider, settings.effort)
    terms = Terms(price=price_of(place, access, notify=notify), ledger=ledger, notify=notify, effort=settings.effort)
    window = settings.context_window or (_prices(access).context_of(place.name) if place.needs_key else None)
    model = ServedModel(_client(place, access), terms, concurrency=access.concurrency)
    return CachedModel(model, _keeping(access, cache, terms, place), context_window=window)


def open_embedder(
    name: str,
    access: Access,
    *,
    cache: Path,
    base_url: str | None = None,
    ledger: Ledger | None = None,
    notify: Notify = lambda _: None,
) -> CachedEmbedder:
    """Open an embedding model, `PROVIDER/MODEL` or `local/NAME`, under the same rules."""
    access.check()
    notify = _Once(notify)
    if name.startswith(LOCAL):
        return CachedEmbedder(LocalEmbedder(name), _keeping(access, cache, Terms(price=FREE, ledger=ledger, notify=notify)))
    place = endpoint(name, base_url=base_url)
    terms = Terms(price=price_of(place, access, answers=False, notify=notify), ledger=ledger, notify=notify)
    return CachedEmbedder(ServedEmbedder(_client(place, access), terms), _keeping(access, cache, terms, place))


def price_of(
    place: Endpoint, access: Access, *, is_limited: bool = False, answers: bool = True, notify: Notify = lambda _: None
) -> Price | None:
    """Return the price of a model; None if unknown, which is a UserError if there is a cost limit."""
    found = _prices(access).of(place.name)
    if found is not None and (found.has_answers or not answers):
        return found
    if is_limited or access.cost_limit_usd is not None:
        raise UserError(f"the price of {place.name} is not known, so a cost limit cannot be kept. {_how_to_price(place, access)}")
    if place.needs_key and not access.offline:  # somebody sells it
        notify(f"the price of {place.name} is not known, so the cost will be unknown. {_how_to_price(place, access)}")
    return None


def _client(place: Endpoint, access: Access) -> Client:
    return Client(place, access, key=None if access.offline else key_of(place))


def _keeping(access: Access, cache: Path, terms: Terms, place: Endpoint | None = None) -> Keeping:
    file = AnswerFile(cache, price=terms.price, notify=terms.notify) if access.use_cache else None
    scope = " ".join(filter(None, (place.base_url if place else "", terms.effort)))
    return Keeping(file=file, scope=scope, offline=access.offline, ledger=terms.ledger)


def _prices(access: Access) -> Prices:
    return Prices(Path(access.prices) if access.prices else None)


def _how_to_price(place: Endpoint, access: Access) -> str:
    where = f"Add it to {access.prices}" if access.prices else "Write it to a file and add --prices FILE"
    amount, free = ("…", "") if place.needs_key else ("0", "; 0 if the server is free")
    line = f"{json.dumps(place.name, ensure_ascii=False)} = {{ input = {amount}, output = {amount} }}"
    return f"{where} (dollars per million tokens{free}):\n[models]\n{line}"


class _Once:
    """Passes each text on once."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, text: str) -> None:
        """Tell, unless it was told before."""
        with self._lock:
            if text in self._told:
                return
            self._told.add(text)
        self._notify(text)
