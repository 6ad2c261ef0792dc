"""The representations by name: built-in ones, and those that other packages register; training and `pairs represent` call it.

An entry is a class (or function) that takes settings by name, all with defaults, and gives a `Representation`.
"""

import inspect
from collections.abc import Mapping
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.registry import Parts, lacking
from repairlab.representations.representation import Representation

REPRESENTATIONS: Parts[Any] = Parts(
    "representations",
    "representation",
    {
        "tokens": "repairlab.representations.tokens:Tokens",
        "tufano": "repairlab.representations.tufano:Tufano",
        "sequencer": "repairlab.representations.sequencer:Sequencer",
        "coconut": "repairlab.representations.coconut:Coconut",
        "edits": "repairlab.representations.edits:Edits",
        "recoder": "repairlab.representations.recoder:Recoder",
        "line": "repairlab.representations.line:Line",
        "line-context": "repairlab.representations.line_context:LineContext",
        "method-marked": "repairlab.representations.method_marked:MethodMarked",
        "program": "repairlab.representations.program:Program",
        "program-verdict": "repairlab.representations.program:ProgramWithVerdict",
        "instruction": "repairlab.representations.instruction:Instruction",
    },
    check=lacking("encode", "target", "recover", callable_too=True),
)


def representation(name: str, settings: Mapping[str, Any] | None = None) -> Representation:
    """Return a representation with these settings; UserError when it has no such setting."""
    entry = REPRESENTATIONS[name]
    known = [parameter for parameter in inspect.signature(entry).parameters if parameter not in ("args", "kwargs")]
    for setting in settings or {}:
        if setting not in known:
            if not known:
                raise UserError(f"the representation {name} has no settings, so no {setting!r}")
            raise unknown(f"setting of the representation {name}", setting, known)
    made: Representation = entry(**(settings or {}))
    return made
