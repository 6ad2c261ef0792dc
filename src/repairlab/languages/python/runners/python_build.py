"""Checks that Python files compile to bytecode, without running them. Starts inside the sandbox; stdin has NUL-separated paths."""

import contextlib
import os
import sys
import warnings
from pathlib import Path


def problem(path: str) -> str:
    """Return why a file does not compile, as `path:line: message`, or an empty text."""
    try:
        compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{path}:{error.lineno or 1}: {type(error).__name__}: {error.msg}"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return f"{path}:1: {type(error).__name__}: {str(error) or 'too deeply nested'}"
    return ""


def main() -> None:
    """Check every file; exit code 1 when one fails."""
    warnings.simplefilter("ignore")
    compile("", "", "exec")  # the first call takes longest
    with contextlib.suppress(ImportError):
        import _zygote  # type: ignore[import-not-found]  # noqa: F401, PLC0415
    if serve_forks := vars(sys).get("serve_forks"):
        serve_forks()  # returns in forks of a fork server
    paths = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\0")
    problems = [text for text in (problem(path) for path in paths if path) if text]
    sys.stderr.write("".join(f"{text}\n" for text in problems))
    sys.stderr.flush()
    os._exit(1 if problems else 0)  # nothing is left to do, and an interpreter takes time to shut down


if __name__ == "__main__":
    main()
