"""How the fields of a settings record are described to users: a help text each, and the command-line option that sets it.

A field is described by `Annotated[float, Option("0 is greedy.")]`, or by the bare help text.
"""

import dataclasses
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """The description of one field for users."""

    help: str
    flag: str = ""
    """The option, if it is not the field's name; a flag named `--no-…` makes the field false."""
    short: tuple[str, Any, str] | None = None
    """A second option that stands for one value: its name, the value and its help text."""
    letter: str = ""
    """A letter for the option, such as -j."""
    section: str = ""
    """The section of help that lists it."""
    usual: str = ""
    """What happens without the option, if the field's default does not say."""
    is_file: bool = False
    """Whether the option names a file whose text is the value."""
    may_change: bool = False
    """Whether a run may continue with another value, because it only says where something is."""
    example: str = ""
    """What to write, for a required field."""


@record
class Setting:
    """One field of a settings record."""

    name: str
    kind: Any
    """Its type, without None."""
    default: Any
    """`dataclasses.MISSING` if required."""
    option: Option

    @property
    def flag(self) -> str:
        """Return the option that sets it."""
        if self.option.flag:
            return self.option.flag
        return f"--{'no-' if self.default is True else ''}{self.name.replace('_', '-')}"

    @property
    def choices(self) -> tuple[Any, ...]:
        """Return the possible values, if they can be listed."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def is_required(self) -> bool:
        """Return whether it is required."""
        return self.default is dataclasses.MISSING


def settings_of(kind: type) -> tuple[Setting, ...]:
    """Return the fields of a settings record in their order.

    >>> @record
    ... class Settings:
    ...     depth: Annotated[int | None, "How far to look."] = 3
    >>> [(setting.flag, setting.kind, setting.option.help) for setting in settings_of(Settings)]
    [('--depth', <class 'int'>, 'How far to look.')]
    """
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        Setting(name=field.name, kind=_kind(hints[field.name]), default=_default(field), option=_option(hints[field.name]))
        for field in dataclasses.fields(kind)
    )


def check_names(kind: type, given: dict[str, Any], where: str) -> None:
    """Refuse unknown and missing settings of a record, and impossible values."""
    settings = {setting.name: setting for setting in settings_of(kind)}
    for name, value in given.items():
        if name not in settings:
            raise UserError(f"{where}: {unknown('setting', name, settings)}")
        choices = settings[name].choices
        if choices and value is not None and value not in choices:
            raise unknown(name.replace("_", " "), str(value), map(str, choices))
    for setting in settings.values():
        if setting.is_required and setting.name not in given:
            raise UserError(f"{where} needs {setting.name}. For example: {setting.option.example or setting.flag + ' …'}")


def _kind(hint: Any) -> Any:
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, types.UnionType):
        left = [part for part in get_args(hint) if part is not type(None)]
        return _kind(left[0]) if len(left) == 1 else hint
    return hint


def _option(hint: Any) -> Option:
    for extra in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
        if isinstance(extra, Option):
            return extra
        if isinstance(extra, str):
            return Option(extra)
    return Option("")


def _default(field: "dataclasses.Field[Any]") -> Any:
    return field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
