"""Command-line options made from settings records, so that no verb needs a parameter for each setting."""

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from repairlab.core.errors import UserError
from repairlab.core.option import Setting, settings_of
from repairlab.core.record import record
from repairlab.registry import PartError
from repairlab.repairers.plain import short_name
from repairlab.repairers.table import REPAIRERS, factory

_COMMON = 3
_SIMPLE = (str, int, float, bool)


@record
class OptionTarget:
    """What an option sets: a field of one of the two records of a repairer."""

    owner: str
    """Name of the repairer."""
    part: str
    """`settings` or `access`."""
    setting: Setting
    short: bool = False
    """Whether the option stands for one value of the field."""


@record
class RecordOption:
    """One option, which several repairers may have."""

    flag: str
    places: tuple[OptionTarget, ...]

    @property
    def name(self) -> str:
        """Return the name of the parameter that takes it."""
        return "own_" + self.flag.lstrip("-").replace("-", "_")

    @property
    def owners(self) -> tuple[str, ...]:
        """Return the repairers that have it."""
        return tuple(dict.fromkeys(place.owner for place in self.places))

    @property
    def is_common(self) -> bool:
        """Whether enough repairers have it to list it beside `--repairer`."""
        return len(self.owners) >= _COMMON


@record
class OwnValues:
    """The command line's settings for one repairer."""

    settings: Mapping[str, Any]
    access: Mapping[str, Any]


def repairer_options(taken: Iterable[str] = (), *, reference: str | None = None) -> tuple[RecordOption, ...]:
    """Return the options of all repairers; one whose name the verb itself has gets that of the repairer before it.

    A repairer of a file, named by its reference, has options, too.
    """
    places: dict[str, list[OptionTarget]] = {}
    for name in (*REPAIRERS, *([reference] if reference else [])):
        try:
            made = factory(name)
            found = [*_places(name, "settings", made.settings), *_places(name, "access", made.access)]
        except (PartError, TypeError, NameError):  # broken, and `repairlab doctor --parts` says so; the others still work
            continue
        for flag, place in found:
            places.setdefault(flag if flag not in set(taken) else f"--{short_name(name)}-{flag.lstrip('-')}", []).append(place)
    return tuple(RecordOption(flag=flag, places=tuple(found)) for flag, found in places.items())


def options_of(owner: str, part: str, kind: type, names: Sequence[str]) -> tuple[RecordOption, ...]:
    """Return the options of some fields of one record."""
    found = [(flag, place) for flag, place in _places(owner, part, kind) if place.setting.name in names and not place.short]
    return tuple(RecordOption(flag=flag, places=(place,)) for flag, place in found)


def with_options(function: Callable[..., None], options: Sequence[RecordOption], *, grouped: bool = True) -> Callable[..., None]:
    """Return the function of a verb with further options, whose values arrive as keyword arguments."""

    def verb(**values: Any) -> None:
        function(**values)

    signature = inspect.signature(function, eval_str=True)
    own = [item.replace(kind=item.KEYWORD_ONLY) for item in signature.parameters.values() if item.kind is not item.VAR_KEYWORD]
    at = next((place for place, item in enumerate(own, start=1) if item.name == "repairer"), len(own))
    made = [_parameter(item, grouped=grouped) for item in sorted(options, key=lambda item: not item.is_common)]
    n_common = sum(item.is_common for item in options)
    verb.__doc__, verb.__annotations__ = function.__doc__, {}
    verb.__signature__ = inspect.Signature([*own[:at], *made[:n_common], *own[at:], *made[n_common:]])  # type: ignore[attr-defined]  # inspect looks for this name
    return verb


def owner_of(options: Sequence[RecordOption], values: Mapping[str, Any]) -> str | None:
    """Return the repairer implied by the given options if none is named: the first that has all of them."""
    used = [item for item in options if _is_given(values.get(item.name))]
    if not used:
        return None
    found = next((name for name in REPAIRERS if all(name in item.owners for item in used)), None)
    if found is None:
        said = ", ".join(f"{item.flag} is of {' or '.join(item.owners)}" for item in used)
        raise UserError(f"no repairer has all of these options: {said}; leave some out")
    return found


def values_for(repairer: str, options: Sequence[RecordOption], values: Mapping[str, Any]) -> OwnValues:
    """Return the settings for this repairer; for an option it lacks, a UserError names those that have it."""
    made: dict[str, dict[str, Any]] = {"settings": {}, "access": {}}
    flags: dict[tuple[str, str], str] = {}
    for item in options:
        value = values.get(item.name)
        if not _is_given(value):
            continue
        place = next((place for place in item.places if place.owner == repairer), None)
        if place is None:
            raise UserError(f"{item.flag} is an option of --repairer {' or '.join(item.owners)}, not of {repairer}")
        name, given = place.setting.name, _value(place, value)
        earlier = flags.setdefault((place.part, name), item.flag)
        if earlier != item.flag and made[place.part][name] != given:
            short, long, said = (item.flag, earlier, made[place.part][name]) if place.short else (earlier, item.flag, given)
            raise UserError(f"{short} is another way to set {name}, but {long} is {said}: leave one of the two out")
        made[place.part][name] = given
    return OwnValues(**made)


def _places(owner: str, part: str, kind: type) -> list[tuple[str, OptionTarget]]:
    found = []
    for setting in settings_of(kind):
        if not _simple(setting):
            continue
        found.append((setting.flag, OptionTarget(owner=owner, part=part, setting=setting)))
        if setting.option.short:
            found.append((setting.option.short[0], OptionTarget(owner=owner, part=part, setting=setting, short=True)))
    return found


def _simple(setting: Setting) -> bool:
    """Whether an option can set a field; others need an experiment file."""
    if get_origin(setting.kind) is tuple:
        return get_args(setting.kind) in ((str, ...), (int, ...), (float, ...))
    return setting.kind in _SIMPLE or bool(setting.choices)


def _parameter(item: RecordOption, *, grouped: bool) -> inspect.Parameter:
    kinds = {_option_kind(place) for place in item.places}
    kind: Any = kinds.pop() if len(kinds) == 1 else str  # each repairer's record converts it
    names = [short_name(name) for name in item.owners]
    owners = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    said = item.places[0].setting.option
    panel = said.section or (f"Options of {owners}" if grouped and not item.is_common else None)
    option = typer.Option(item.flag, *filter(None, [said.letter]), help=_help(item.places[0]), rich_help_panel=panel)
    return inspect.Parameter(item.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option])


def _option_kind(place: OptionTarget) -> Any:
    setting = place.setting
    if place.short or setting.kind is bool:
        return bool
    if setting.option.is_file:
        return Path
    if get_origin(setting.kind) is tuple:
        return list[get_args(setting.kind)[0]]  # type: ignore[misc]  # a type that is known at run time only
    return setting.kind if setting.kind in _SIMPLE else str


def _help(place: OptionTarget) -> str:
    setting, option = place.setting, place.setting.option
    if place.short and option.short:
        return option.short[2]
    default = option.usual or setting.default
    if default is dataclasses.MISSING or default is None or default in ((), "") or isinstance(default, bool):
        return option.help
    shown = f"{default:g}" if isinstance(default, float) else default
    return f"{option.help.removesuffix('.')}. [default: {shown}]"


def _is_given(value: Any) -> bool:
    return value is not None and value != [] and value is not False


def _value(place: OptionTarget, value: Any) -> Any:
    setting, option = place.setting, place.setting.option
    if place.short and option.short:
        return option.short[1]
    if setting.kind is bool:
        return not setting.flag.startswith("--no-")
    if option.is_file:
        return _text_of(Path(value), setting.name)
    if setting.kind in (int, float) and isinstance(value, str):  # an option that other repairers have with another type
        try:
            return setting.kind(value)
        except ValueError:
            raise UserError(f"{setting.flag} is {value!r}, but it must be a {'whole ' * (setting.kind is int)}number") from None
    return tuple(value) if isinstance(value, list) else value


def _text_of(path: Path, name: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UserError(f"cannot read the {name} file {path}: {reason}") from None
