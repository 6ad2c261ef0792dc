"""The representations by name: built-in ones, and those that other packages register; training and `pairs represent` call it.

An entry is a class (or function) that takes settings by name, all with defaults, and gives a `Representation`.
"""

import inspect
import json
from collections.abc import Iterable, Mapping
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.registry import Parts, lacking
from repairlab.representations.representation import Representation
from repairlab.storage.checking import checked

REPRESENTATIONS: Parts[Any] = Parts(
    "representations",
    "representation",
    {
        "tokens": "repairlab.representations.tokens:PlainTokens",
        "tufano": "repairlab.representations.tufano:TufanoAbstraction",
        "sequencer": "repairlab.representations.sequencer:SequencerContext",
        "coconut": "repairlab.representations.coconut:CoconutSubtokens",
        "edits": "repairlab.representations.edits:TokenEdits",
        "recoder": "repairlab.representations.recoder:RecoderTree",
        "line": "repairlab.representations.line:BuggyLine",
        "line-context": "repairlab.representations.line_context:LineInContext",
        "method-marked": "repairlab.representations.method_marked:MarkedMethod",
        "program": "repairlab.representations.program:WholeProgram",
        "program-verdict": "repairlab.representations.program:ProgramWithVerdict",
        "instruction": "repairlab.representations.instruction:FixInstruction",
    },
    check=lacking("encode", "target", "recover", callable_too=True),
)


def settings_of(given: Iterable[str]) -> dict[str, Any]:
    """Return settings written as NAME=VALUE; a value is JSON where it reads as such, else a text.

    >>> settings_of(["max_tokens=500", "context=true"])
    {'max_tokens': 500, 'context': True}
    """
    made: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise UserError(f"{text!r} is no setting: write NAME=VALUE, such as max_tokens=500")
        try:
            made[name] = json.loads(value)
        except ValueError:
            made[name] = value
    return made


def representation(name: str, settings: Mapping[str, Any] | None = None) -> Representation:
    """Return a representation with these settings; UserError when it has no such setting, or not of this type."""
    entry = REPRESENTATIONS[name]
    known = inspect.signature(entry, eval_str=True).parameters
    given: dict[str, Any] = {}
    for setting, value in (settings or {}).items():
        if setting not in known:
            if not known:
                raise UserError(f"the representation {name} has no settings, so no {setting!r}")
            raise unknown(f"setting of the representation {name}", setting, known)
        kind = known[setting].annotation
        where = f"setting {setting} of the representation {name}"
        given[setting] = checked(Any if kind is inspect.Parameter.empty else kind, value, where)
    made: Representation = entry(**given)
    return made
