"""Repairers that are a class, an object or a function: of a package, of a file (`PATH.py:NAME`), or at hand."""

import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.core.problem import Problem
from repairlab.repairers.repairer import NoSettings, RepairContext, Repairer, RepairerFactory

_HOW = "write a class with propose(problem, history), an object of one, or a function of a problem"


def is_reference(name: str) -> bool:
    """Return whether a repairer is named by its file.

    >>> is_reference("my_repairer.py:MyRepairer"), is_reference("templates")
    (True, False)
    """
    return name.partition(":")[0].endswith(".py") or name.rpartition(":")[0].endswith(".py")


def short_name(name: str) -> str:
    """Return the name of a repairer without its file.

    >>> short_name("tools/my_repairer.py:MyRepairer"), short_name("templates")
    ('MyRepairer', 'templates')
    """
    return name.rpartition(":")[2] if is_reference(name) else name


def file_digest(reference: str) -> str:
    """Return the digest of the file of a repairer as it is now."""
    return hashlib.sha256(_read(_split(reference)[0])).hexdigest()[:16]


def load_reference(reference: str) -> RepairerFactory:
    """Import a file and return how the repairer in it is opened; any fault in it is a UserError."""
    path, name = _split(reference)
    found = vars(_module(str(path.absolute()), file_digest(reference), str(path)))
    if name not in found:
        raise UserError(f"{path}: {unknown('repairer', name, [key for key, value in found.items() if _is_defined(value, found)])}")
    value = found[name]
    problem = "" if isinstance(value, RepairerFactory) else what_is_wrong(value, name)
    if problem:
        raise UserError(f"{path}: {problem}")
    return value if isinstance(value, RepairerFactory) else plain_factory(value, name, any_form=True)


def what_is_wrong(value: object, name: str) -> str:
    """Say why a value cannot be a repairer; return nothing if it can."""
    if not hasattr(value, "propose"):
        if not callable(value) or isinstance(value, type):
            return f"{name} has no propose: {_HOW}"
        return "" if _takes(value, 1) else f"{name} must take (problem)"
    if not callable(value.propose):
        return f"{name} has a propose that cannot be called: {_HOW}"
    is_method = isinstance(value, type) and inspect.isfunction(inspect.getattr_static(value, "propose"))
    if not _takes(value.propose, 3 if is_method else 2):
        return f"{name}.propose must take (problem, history)"
    if isinstance(value, type) and not dataclasses.is_dataclass(settings_of_class(value)):
        return f"{name} has Settings that are no record: decorate them with repairlab.core.record.record"
    if isinstance(value, type):
        given = ((),) if settings_of_class(value) is NoSettings else ((None,),)
        try:
            inspect.signature(value).bind(*given[0])
        except TypeError as error:
            return f"{name} cannot be made: {error}. Give it a record `Settings`, or hand over an object of it"
        except ValueError:  # it has no signature to look at
            return ""
    return ""


def _takes(function: Callable[..., Any], n: int) -> bool:
    """Return whether a function can be called with n arguments, as far as its signature tells."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # it has none to look at
        return True
    try:
        signature.bind(*range(n))
    except TypeError:
        return False
    return True


def settings_of_class(value: object) -> type:
    """Return the record of settings that a class names."""
    found: type = getattr(value, "Settings", NoSettings) if isinstance(value, type) else NoSettings
    return found


def plain_factory(value: Any, name: str, *, about: str = "", any_form: bool = False) -> RepairerFactory:
    """Return how a class, an object or a function is opened as a repairer.

    Its method `unfit` says why it cannot work on a problem; `start` gets what it is opened with; `finds_place` is False if it needs
    to be told where the bug is. All three may be missing.
    """
    settings = settings_of_class(value)

    def make(own: Any) -> Any:
        if not isinstance(value, type):
            return value if hasattr(value, "propose") else FunctionRepairer(value, name)
        return value() if settings is NoSettings else value(own)

    @contextmanager
    def open_plain(context: RepairContext) -> Iterator[Repairer]:
        made = make(context.settings)
        if hasattr(made, "start"):
            made.start(context)
        yield made

    def unfit(own: Any, seed: int) -> Callable[[Problem], str | None]:
        del seed
        found: Callable[[Problem], str | None] = make(own).unfit
        return found

    opened: Callable[[RepairContext], AbstractContextManager[Repairer]] = open_plain
    return RepairerFactory(
        name=name,
        about=about,
        open=opened,
        settings=settings,
        unfit=unfit if hasattr(value, "unfit") else None,
        asks_model=lambda own: bool(getattr(value, "asks_model", False)),  # noqa: ARG005
        finds_place=getattr(value, "finds_place", True),
        any_form=any_form,
    )


class FunctionRepairer:
    """A function of a problem as a repairer; in a conversation it goes on after the candidates that it gave."""

    def __init__(self, function: Callable[[Problem], Any], name: str) -> None:
        self._function, self.name = function, name

    def propose(self, problem: Problem, history: tuple[Any, ...]) -> Any:
        """Return what the function returns, without what is in the history."""
        found = self._function(problem)
        if not history:
            return found
        return list(found)[len(history) :]


def _split(reference: str) -> tuple[Path, str]:
    path, _, name = reference.rpartition(":")
    if not path or not name.isidentifier():
        path = path or name
        raise UserError(f"the repairer {reference!r} does not say which part of the file it is: write {path}:NAME")
    return Path(path), name


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read the file of the repairer, {path}: {error.strerror}") from None


@functools.lru_cache(maxsize=32)
def _module(path: str, digest: str, said: str) -> Any:
    """Import a file once for each content; the modules beside it can be imported, too."""
    name = f"repairlab_file_{digest}_{hashlib.sha256(path.encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # records and pickles look for it there
    folder = str(Path(path).parent)
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        place = f"{said}:{line}" if line else said
        raise UserError(f"{place} cannot be imported: {type(error).__name__}: {error}") from None
    return module


def _is_defined(value: object, where: dict[str, Any]) -> bool:
    """Return whether a value looks like a repairer that this file defines."""
    if isinstance(value, RepairerFactory):
        return True
    own = getattr(value, "__module__", None) == where["__name__"]
    return own and (inspect.isfunction(value) or callable(getattr(value, "propose", None)))
