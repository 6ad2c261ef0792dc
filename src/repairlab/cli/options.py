"""Options and arguments that several verbs share, messages about run folders, and the model to ask."""

import dataclasses
import inspect
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from repairlab.cli.output import say
from repairlab.cli.record_options import RecordOption, options_of, values_for, with_options
from repairlab.core.errors import HarnessError, UserError, unknown
from repairlab.core.model import Access
from repairlab.languages.language import default_cache
from repairlab.repairers.llm.client.model import ChatModel, Embedder
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.integrity import has_checks
from repairlab.runs.samples import open_bugs, why_none_decided
from repairlab.runs.store import Store
from repairlab.validation.machine import COURSE, VERDICTS, Machine, local_machine

K = TypeVar("K", bound=str)

Include = Annotated[
    list[str] | None,
    typer.Option("--include", "-i", help="Only bugs whose id matches this shell pattern; repeatable."),
]
Limit = Annotated[int | None, typer.Option("--limit", help="Use at most this many bugs.")]
Repair = Annotated[
    bool, typer.Option("--repair", help="Move damaged files of the run aside and rerun what is missing.", rich_help_panel=COURSE)
]
Libraries = Annotated[Path | None, typer.Option("--libs", help="Folder with jars or wheels that projects need.")]
Interpreter = Annotated[
    str | None, typer.Option("--python", help="Interpreter for Python projects: a release, e.g. 3.9, or a path.")
]
SortRepeats = Annotated[int, typer.Option("--repeat", min=1, help="How often tests run on each tree to be sorted.")]
MinStrength = Annotated[
    str | None,
    typer.Option(
        "--min-strength",
        help="The weakest pass that counts: blind, checked or unchecked; a weaker one is UNDECIDED. [default: unchecked]",
        rich_help_panel=VERDICTS,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def on_machine(*names: str, **usual: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb options for these fields of `Machine`, `usual` ones with another default; it gets the machine as `here`."""
    found = options_of("machine", "settings", Machine, (*names, *usual))
    options = tuple(_with_default(item, usual) for item in found)
    flags = {item.name for item in options}

    def add(function: Callable[..., None]) -> Callable[..., None]:
        def verb(**values: Any) -> None:
            given: dict[str, Any] = {**usual, **values_for("machine", options, values).settings}
            here = local_machine(cache=given.pop("use_verdicts", True), **given)
            function(**{name: value for name, value in values.items() if name not in flags}, here=here)

        signature = inspect.signature(function, eval_str=True)
        own = [item for name, item in signature.parameters.items() if name != "here"]
        verb.__doc__, verb.__signature__ = function.__doc__, signature.replace(parameters=own)  # type: ignore[attr-defined]  # inspect looks for this name
        return with_options(verb, options, grouped=False)

    return add


def _with_default(item: RecordOption, usual: Mapping[str, int]) -> RecordOption:
    place = item.places[0]
    setting = dataclasses.replace(place.setting, default=usual.get(place.setting.name, place.setting.default))
    return dataclasses.replace(item, places=(dataclasses.replace(place, setting=setting),))


def one_of(kind: str, text: str, known: Iterable[K]) -> K:
    """Return the name that a text matches."""
    names = list(known)
    if (found := next((name for name in names if name == text), None)) is None:
        raise unknown(kind, text, filter(None, names))
    return found


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Read a list of whole numbers such as 1,5,10."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} is {text!r}: write whole numbers separated by commas, such as 1,5,10") from None


def need(flag: str, given: Mapping[str, object]) -> None:
    """Refuse given options that only work together with `flag`, which is missing."""
    if wrong := [name for name, value in given.items() if value]:
        raise UserError(f"{', '.join(wrong)} goes with {flag} only; add {flag}, or leave {', '.join(wrong)} out")


Runs = Annotated[list[Path], typer.Argument(help="Run folders.")]
Partial = Annotated[bool, typer.Option("--partial", help="Use the finished bugs of unfinished runs.")]


def warn_unchecked(folders: Sequence[Path]) -> None:
    """Name runs that predate checks on lines, in which damage cannot be noticed."""
    bare = [str(folder) for folder in folders if (folder / "run.json").is_file() and not has_checks(folder)]
    if bare:
        say(f"made before lines had checks, so damage would not be noticed: {', '.join(bare)}")


def finished(folders: Sequence[Path]) -> list[Path]:
    """Return the finished runs, and name the others; a single folder is never skipped."""
    if len(folders) == 1:
        return list(folders)
    found = []
    for folder in folders:
        store = Store(folder)
        n_open, n = len(open_bugs(store)), len(store.manifest().bug_ids)
        if n_open:
            say(f"{folder} is skipped: {n_open} of {n} bugs are unfinished (--partial takes the others)")
        else:
            found.append(folder)
    if not found:
        raise UserError("none of these runs is finished; go on with: repairlab run --resume DIR, or add --partial")
    return found


def require_decided(folders: Sequence[Path]) -> None:
    """Raise a HarnessError that names finished runs without a decided candidate, and how to continue them."""
    said = []
    for folder in folders:
        if why := why_none_decided(Store(folder)):
            place = shlex.quote(str(folder))
            is_given = Store(folder).manifest().experiment.repairer == "file"
            again = f"validate BENCHMARK CANDIDATES --to {place}" if is_given else f"run --resume {place}"
            said.append(f"{why}; see: repairlab doctor; `repairlab {again}` judges them again")
    if said:
        raise HarnessError("\n".join(said))


@contextmanager
def asked_embedder(name: str | None, base_url: str | None, access: Access | None = None) -> Iterator[Embedder | None]:
    """Give the open embedding model; None if none is named."""
    if name is None:
        yield None
        return
    from repairlab.repairers.llm.client.open import open_embedder  # noqa: PLC0415  # loads httpx

    with open_embedder(name, access or Access(), base_url=base_url, cache=default_cache(), notify=say) as embedder:
        yield embedder


@contextmanager
def asked_model(name: str | None, base_url: str | None) -> Iterator[ChatModel | None]:
    """Give the open model, which answers deterministically; None if none is named."""
    if name is None:
        if base_url:
            raise UserError(f"--base-url {base_url} is given without --model")
        yield None
        return
    from repairlab.repairers.llm.client.open import open_model  # noqa: PLC0415  # loads httpx

    settings = LlmSettings(model=name, base_url=base_url, temperature=0.0)
    with open_model(settings, Access(), cache=default_cache(), notify=say) as opened:
        yield opened
