"""The representations by name: built-in ones, and those that other packages register.

An entry is a class (or function) that takes settings by name, all with defaults, and gives a `Representation`.
"""

import inspect
import json
from collections.abc import Iterable, Mapping
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.core.storage.checking import checked
from repairlab.learning.representations.representation import Representation
from repairlab.registry import Parts, lacking

REPRESENTATIONS: Parts[Any] = Parts(
    "representations",
    "representation",
    {
        "tokens": "repairlab.learning.representations.text:PlainTokens",
        "tufano": "repairlab.learning.representations.tufano:TufanoAbstraction",
        "sequencer": "repairlab.learning.representations.sequencer:SequencerContext",
        "coconut": "repairlab.learning.representations.coconut:CoconutSubtokens",
        "edits": "repairlab.learning.representations.text:TokenEdits",
        "recoder": "repairlab.learning.representations.recoder:RecoderTree",
        "line": "repairlab.learning.representations.text:BuggyLine",
        "line-context": "repairlab.learning.representations.text:LineInContext",
        "method-marked": "repairlab.learning.representations.text:MarkedMethod",
        "program": "repairlab.learning.representations.text:WholeProgram",
        "program-verdict": "repairlab.learning.representations.text:ProgramWithVerdict",
        "instruction": "repairlab.learning.representations.text:FixInstruction",
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
