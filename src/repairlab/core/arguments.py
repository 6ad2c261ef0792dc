"""Check calls of the API: names of options, and values by their annotations; errors name the function and what it accepts."""

import functools
import inspect
import re
import reprlib
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, Unpack, get_args, get_origin, get_type_hints

from repairlab.core.errors import UserError, unknown

P = ParamSpec("P")
T = TypeVar("T")
_TEXTS = (str, bytes, bytearray, Mapping)
"""Types that are iterable but that callers mean as one thing."""
_WORDS: dict[Any, str] = {int: "a whole number", float: "a number", bool: "True or False", str: "text", type(None): "None"}


def checked(more: Callable[[Mapping[str, Any]], Iterable[str]] | None = None) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that refuses options a function does not have, and values that its annotations do not allow.

    `more` returns the names of further options, given the arguments. A text in `Annotated` says what to write.

    >>> @checked()
    ... def double(number: int, *, times: int = 2) -> int:
    ...     return number * times
    >>> double(3, tmies=3)
    Traceback (most recent call last):
    repairlab.core.errors.UserError: double(): unknown option 'tmies'. Did you mean 'times'? Known: number, times.
    >>> double("3")
    Traceback (most recent call last):
    repairlab.core.errors.UserError: double(): number is '3'; write a whole number
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        check = _CallCheck(function, more)

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            check(args, kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


class _CallCheck:
    def __init__(self, function: Callable[..., Any], more: Callable[[Mapping[str, Any]], Iterable[str]] | None) -> None:
        self._function, self._more = function, more
        self._name = re.sub(r"\.__\w+__$", "", function.__qualname__) + "()"
        self._parameters = inspect.signature(function).parameters

    @functools.cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self._function, include_extras=True)

    @functools.cached_property
    def _options(self) -> dict[str, Any] | None:
        """The options of `**options: Unpack[…]`, with their types."""
        for parameter in self._parameters.values():
            hint = self._hints.get(parameter.name)
            if parameter.kind is parameter.VAR_KEYWORD and get_origin(hint) is Unpack:
                return get_type_hints(get_args(hint)[0], include_extras=True)
        return None

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        given = dict(zip(self._parameters, args, strict=False)) | kwargs
        self._check_names(kwargs, given)
        for name, value in given.items():
            parameter = self._parameters.get(name)
            if parameter is None:
                check_value(self._name, name, value, (self._options or {}).get(name, self._extra))
            elif parameter.kind is not parameter.VAR_POSITIONAL:
                check_value(self._name, name, value, self._hints.get(name, Any))
        for place, parameter in enumerate(self._parameters.values()):
            if parameter.kind is parameter.VAR_POSITIONAL:
                for value in args[place:]:
                    check_value(self._name, parameter.name, value, self._hints.get(parameter.name, Any))

    @functools.cached_property
    def _extra(self) -> Any:
        """The type of what `**more` takes, where the options have no names of their own."""
        found = [parameter.name for parameter in self._parameters.values() if parameter.kind is parameter.VAR_KEYWORD]
        return self._hints.get(found[0], Any) if found and self._options is None else Any

    def _check_names(self, kwargs: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        is_open = any(parameter.kind is parameter.VAR_KEYWORD for parameter in self._parameters.values())
        if is_open and self._options is None and self._more is None:
            return
        named = [name for name, parameter in self._parameters.items() if parameter.kind not in _VARIADIC and name != "self"]
        known = {*named, *(self._options or {})}
        if self._more is not None and not known >= set(kwargs):
            known |= set(self._more(given))
        for name in kwargs:
            if name not in known:
                raise UserError(f"{self._name}: {unknown('option', name, known)}")


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def check_value(function: str, name: str, value: object, hint: Any) -> None:
    """Raise UserError if a value is not what an annotation allows; a text is not a list of texts.

    >>> check_value("run()", "policy", "ful", Literal["full", "first-failure"])
    Traceback (most recent call last):
    repairlab.core.errors.UserError: run(): unknown policy 'ful'. Did you mean 'full'? Known: first-failure, full.
    """
    if _fits(value, hint):
        return
    choices = _choices(hint)
    if choices and isinstance(value, str):
        raise UserError(f"{function}: {unknown(name.replace('_', ' '), value, choices)}")
    raise UserError(f"{function}: {name} is {reprlib.repr(value)}; write {_described(hint)}")


def _fits(value: object, hint: Any) -> bool:  # noqa: PLR0911  # a table
    origin, parts = get_origin(hint), get_args(hint)
    if hint in (Any, object) or isinstance(hint, TypeVar):
        return True
    if origin is Annotated:
        return _fits(value, parts[0])
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if origin is tuple:
        if parts[-1] is Ellipsis:
            return isinstance(value, Collection) and not isinstance(value, _TEXTS) and all(_fits(item, parts[0]) for item in value)
        return isinstance(value, list | tuple) and len(value) == len(parts) and all(map(_fits, value, parts))
    if origin in (Iterable, Sequence):
        is_list = not isinstance(value, _TEXTS) and (isinstance(value, Iterable) or hasattr(type(value), "__getitem__"))
        return is_list and (origin is Iterable or all(_fits(item, parts[0]) for item in value))  # type: ignore[attr-defined]  # it is
    if origin is Callable:
        return callable(value)
    if hint in (int, float):
        return isinstance(value, Integral if hint is int else Real) and not isinstance(value, bool)
    if getattr(hint, "_is_protocol", False):
        return all(hasattr(value, name) for name, part in vars(hint).items() if inspect.isfunction(part) and name[0] != "_")
    return isinstance(value, origin or hint)


def _choices(hint: Any) -> tuple[str, ...]:
    """Return the texts that an annotation allows, if it allows only these and None."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        parts = [part for part in get_args(hint) if part is not type(None)]
        return _choices(parts[0]) if len(parts) == 1 else ()
    return ()


def _described(hint: Any) -> str:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return str(parts[1])
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(_described, parts)))
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin in (Iterable, Sequence, tuple):
        return "a list"
    if origin is Callable:
        return "a function"
    kind = origin or hint
    return _WORDS.get(kind) or {"Path": "a path", "PathLike": "a path", "Mapping": "a dict"}.get(
        kind.__name__, f"an object of type {kind.__name__}"
    )
