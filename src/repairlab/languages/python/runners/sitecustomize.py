"""Turns an interpreter that is about to run a program into a fork server. `site` finds it in the library of our copy.

No code of the program has run yet, so each fork runs it as a new process would. Our own runners load more before they stop.

Most of a fork's cost is the interpreter's shutdown. A fork whose program ended normally skips it where nobody can tell: when no
finaliser, callback, thread or open file is left that could still do something. Only the program's objects are searched for these:
all others are frozen until then.
"""

import _warnings
import atexit
import gc
import os
import sys
from _frozen_importlib import BuiltinImporter
from _frozen_importlib_external import SourceFileLoader, SourceLoader
from _thread import _count as count_threads
from _warnings import filters
from _weakref import ref
from builtins import Exception, all, any, filter, frozenset, issubclass, len, map, next, set, str, type, vars  # noqa: UP029  # the program's may change
from gc import freeze, get_objects, unfreeze
from os import _exit
from sys import getrefcount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import CodeType

_MANY = 20000
"""To free more objects than this takes a time of its own, and may overflow the stack."""
_FINALISER = "__del__"
_HARMLESS = """
    _ast _bisect _blake2 _collections _contextvars _csv _datetime _decimal _functools _heapq _json _locale _md5 _opcode _operator
    _random _sha1 _sha2 _sha256 _sha3 _sha512 _sre _statistics _string _struct _suggestions _typing array atexit binascii cmath
    errno gc itertools math unicodedata zlib
"""
"""Modules in C whose objects do nothing at their end."""


class _Leaving:
    """The last function that runs before an interpreter takes itself apart."""

    def __init__(self) -> None:
        self._streams, self._modules = (sys.stdout, sys.stderr), frozenset((*sys.modules, *_HARMLESS.split()))
        classes = [thing for thing in get_objects() if issubclass(type(thing), type)]
        self._silent = [vars(kind) for kind in classes if _FINALISER not in vars(kind)]
        self._known = frozenset(kind for kind in classes if _ends_silently(kind))
        self._metaclasses = frozenset(kind for kind in self._known if issubclass(kind, type))
        self._references = frozenset(kind for kind in self._known if issubclass(kind, ref))
        self._hook = sys.excepthook
        self.n_references = 0
        self.script_ended = bool  # false, until a fork knows better
        self.added_modules: Callable[[], list[str] | None] = list

    def __call__(self) -> None:
        try:
            code = self._exit_code() if self.script_ended() else None
            if code is not None and self._is_unnoticed():
                for stream in self._streams:
                    stream.flush()
                _exit(code)
        except Exception:  # the program has changed what is used here, or the interpreter will meet the same and say so
            pass
        unfreeze()

    def _exit_code(self) -> int | None:
        """Return the exit code of a script that came to its end or raised; none when that is not sure."""
        if sys.excepthook is not self._hook:
            return None
        raised = vars(sys).get("last_type")
        if raised is None:
            return 0 if vars(sys).keys().isdisjoint(("last_value", "last_exc", "last_traceback")) else None
        return 1 if issubclass(raised, Exception) else None

    def _is_unnoticed(self) -> bool:
        """Return whether nothing would happen from now on but that memory is freed."""
        objects = get_objects()
        kinds = set(map(type, objects))
        new = kinds - self._known  # to look at the others costs a page for each, and they are as they were
        metaclasses = kinds & self._metaclasses | {kind for kind in new if issubclass(kind, type)}
        references = kinds & self._references | {kind for kind in new if issubclass(kind, ref)}
        added = self.added_modules()
        return (
            len(objects) < _MANY
            and sys.stdout is self._streams[0]
            and sys.stderr is self._streams[1]
            and count_threads() == 0
            and all(map(self._is_harmless, (sys.modules.keys() if added is None else set(added)) - self._modules))
            and not self._has_finalisers_added()
            and all(map(_ends_silently, new))
            and (not metaclasses or all(_ends_silently(thing) for thing in objects if type(thing) in metaclasses))
            and (not references or all(_calls_nobody(thing) for thing in objects if type(thing) in references))
        )

    def _has_finalisers_added(self) -> bool:
        """Return whether a class that was there before has got a finaliser: then its dict refers to the name."""
        if _COUNTS_REFERENCES and getrefcount(_FINALISER) == self.n_references:
            return False
        return any(_FINALISER in attributes for attributes in self._silent)

    def _is_harmless(self, name: str) -> bool:
        module = sys.modules[name]
        return type(module) is type(sys) and str(vars(module).get("__file__")).endswith(".py")


def _ends_silently(kind: type) -> bool:
    # `hasattr` might ask the program.
    return not any(_FINALISER in type.__dict__["__dict__"].__get__(parent) for parent in type.__dict__["__mro__"].__get__(kind))


def _calls_nobody(reference: "ref[object]") -> bool:
    callback = reference.__callback__
    kind: type = type(callback)
    return callback is None or (kind is type(len) and callback.__name__ == "_destroy")  # as abstract classes have


def _prepare(filename: str) -> "CodeType":
    """Compile a script, and what it may import beside it, without running any of it; raises when there is even a warning."""
    folder = filename.rpartition("/")[0]
    leaving.n_references = getrefcount(_FINALISER)  # before the program's own code can refer to it
    filters.insert(0, ("error", None, Warning, None, 0))
    _use_filters()
    try:
        code: CodeType = compile(read_kept(filename), filename, "exec", dont_inherit=True)
        if b"__pycache__" not in read_kept(folder).split(b"\0"):  # whose files might come before ours
            _compile_named(code, folder)
    finally:
        del filters[0]
        _use_filters()
    names = vars(sys.modules["__main__"])
    names["__file__"], names["__cached__"] = filename, None
    names["__loader__"] = SourceFileLoader("__main__", filename)
    for path in codes:
        name = path[len(folder) + 1 : -3]
        spec = next(filter(None, (way.find_spec(name, None) for way in sys.meta_path)), None)
        if (
            spec and spec.origin == path and type(spec.loader) is SourceFileLoader and spec.cached
        ):  # which is found out when asked for
            specs[name] = spec
    keep_modules()
    freeze()
    return code


def _use_filters() -> None:
    """Have the interpreter use the filters as they are now, as `warnings` does."""
    if hasattr(_warnings, "_filters_mutated"):
        _warnings._filters_mutated()
        return
    _warnings._acquire_lock()  # type: ignore[attr-defined]  # since Python 3.14
    try:
        _warnings._filters_mutated_lock_held()  # type: ignore[attr-defined]
    finally:
        _warnings._release_lock()  # type: ignore[attr-defined]


def _compile_named(code: "CodeType", folder: str) -> None:
    """Compile the files of a folder that a code names, and what those name."""
    for name in code.co_names:
        path = f"{folder}/{name}.py"
        if path in codes:
            continue
        try:
            source = read_kept(path)
            codes[path] = (source, compile(source, path, "exec", dont_inherit=True, optimize=-1))
        except (OSError, SyntaxError, ValueError, Warning):
            continue
        _compile_named(codes[path][1], folder)


def _are_names_counted() -> bool:
    """Return whether the name of finalisers counts who refers to it; in later interpreters it is immortal."""
    before = getrefcount(_FINALISER)
    names = {_FINALISER: None}
    return getrefcount(_FINALISER) == before + len(names)


_COUNTS_REFERENCES = _are_names_counted()

if not sys.orig_argv[-1].startswith(sys.prefix):
    leaving = _Leaving()
    atexit.register(leaving)
    compile("", "", "exec")  # its first call makes hundreds of classes, and the import of a module makes that call
    try:
        import _zygote  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        os.environ.pop("REPAIRLAB_FORK_SERVER", None)
    leaving.script_ended = vars(sys).pop("script_ended", bool)
    leaving.added_modules = vars(sys).pop("added_modules", list)
    vars(sys).pop("serve_forks", None)
    read_kept, keep_modules = vars(sys).pop("read_kept", None), vars(sys).pop("keep_modules", None)
    codes: "dict[str, tuple[bytes, CodeType]]" = {}
    specs: "dict[str, ModuleSpec]" = {}
    if serve_imports := vars(sys).pop("serve_imports", None):
        BuiltinImporter.find_spec, SourceLoader.get_code = serve_imports(  # type: ignore[method-assign]
            codes, specs, BuiltinImporter.find_spec, SourceLoader.get_code
        )
    if serve_script := vars(sys).pop("serve_script", None):
        serve_script(_prepare)
    gc.collect()
    gc.freeze()
    del sys.modules["atexit"], sys.modules["gc"]

# To the program there is no such module.
raise ImportError("no module named 'sitecustomize'", name="sitecustomize")
