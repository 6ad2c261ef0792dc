"""Call one function of a tree with many arguments and say what came of each call; runs inside the sandbox, called by nobody else.

Standard input: JSON with `path`, `name` and `calls` (argument tuples as Python literals). Standard output: a line of JSON per call.
"""

import ast
import importlib
import itertools
import json
import os
import re
import sys
import types

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_MOST = 100_000


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # what the function prints is no answer
    function = getattr(_module(request["path"]), request["name"])
    for literal in request["calls"]:
        arguments = ast.literal_eval(literal)
        try:
            result = function(*arguments)
            if isinstance(result, types.GeneratorType):
                result = [*itertools.islice(result, _MOST)]
            answer = ["returned", _text(result), _text(arguments)]
        except BaseException as error:  # whatever it raises is what came of the call
            answer = ["raised", type(error).__name__, ""]
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _module(path: str) -> types.ModuleType:
    """Import a file by the name that the packages around it give it."""
    folder, file = os.path.split(os.path.abspath(path))  # noqa: PTH100
    names = [file.removesuffix(".py")]
    while os.path.exists(os.path.join(folder, "__init__.py")):  # noqa: PTH110, PTH118
        folder, name = os.path.split(folder)
        names.insert(0, name)
    sys.path.insert(0, folder)
    if names[-1] == "__init__":
        names.pop()
    return importlib.import_module(".".join(names))


def _text(value: object) -> str:
    return _ADDRESS.sub("", repr(value))[:_MOST]


if __name__ == "__main__":
    main()
