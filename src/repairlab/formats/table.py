"""All formats by name; a module is loaded when it is asked for."""

from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.formats.format import Format
from repairlab.formats.reading import look
from repairlab.registry import Parts, lacking

_ABOUT = {
    "repairlab": "JSON Lines of bug with function, file, patch or edits: our own form.",
    "swebench": "SWE-bench's predictions: instance_id, model_name_or_path, model_patch.",
    "swebench-report": "SWE-bench's report: which instances are resolved (to write only; `rescore` reads it).",
    "evalplus": "Samples of HumanEval and EvalPlus: task_id with completion or solution, or a folder TASK_ID/N.py.",
    "repairbench": "RepairBench's records: identifier, generation, evaluation.",
    "nl2fix": "NL2Fix's candidates by method, or its -validated.jsonl with verdicts.",
    "npr4j-patches": "NPR4J's .patches: methods by bug and rank.",
    "npr4j-patchinfo": "NPR4J's .patchinfo.json with whole patched files, or a folder of them.",
    "npr4j-results": "NPR4J's all_result.json: plausible candidates by system and rank (to write only).",
    "fixeval": "FixEval's generation.json: programs by submission, with counts of cases.",
    "defects4c": "Defects4C's whole patched files, MD5@COMMIT___FILE in a folder.",
    "clm": "lin-tan/clm's *_validate.json or *_output.json: lines or functions by bug, with verdicts.",
    "diffs": "Unified diffs in a folder: BUG/N.diff or BUG.diff.",
}
_MODULES = {"repairlab": "own"}

FORMATS: Parts[Format] = Parts(
    "formats",
    "format",
    {name: f"repairlab.formats.{_MODULES.get(name, name.replace('-', '_'))}" for name in _ABOUT},
    about=_ABOUT,
    check=lacking("recognises", "read", "write"),
)


def recognise(path: Path) -> str:
    """Return the name of the format that a file or folder obviously has; a file that has none is taken for our own."""
    sight = look(path)
    found = [name for name, form in FORMATS.working() if form.recognises(sight)]
    if len(found) > 1:
        raise UserError(f"{path} may be any of {', '.join(found)}; say which with --format")
    if not found and path.is_dir():
        raise UserError(f"{path} is a folder in no format that is known. Known: {', '.join(FORMATS)}; say which with --format")
    return found[0] if found else "repairlab"
