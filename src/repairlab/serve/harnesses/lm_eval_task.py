"""Benchmarks as tasks of lm-evaluation-harness: `repairlab publish --task` writes a YAML file that names the functions here."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import to_data
from repairlab.formats.writing import new_file
from repairlab.serve.harnesses.evaluation import Evaluation, EvaluationSettings, open_evaluation

_HERE = "repairlab.serve.harnesses.lm_eval_task"
_SPLIT = "test"


def write_task(settings: EvaluationSettings, folder: Path) -> Path:
    """Write the YAML file of a task into a folder for `--include_path`, and return it; UserError for what cannot be asked there."""
    evaluation = open_evaluation(settings)
    if evaluation.n_turns > 1:
        raise UserError(
            f"the strategy {settings.strategy} asks {evaluation.n_turns} times, and lm-evaluation-harness once; try zero-shot"
        )
    asked = [evaluation.ask(problem) for problem in evaluation.problems()]
    if any(item.opening.suffix is not None for item in asked):
        raise UserError(f"the strategy {settings.strategy} asks for the middle of a text, which lm-evaluation-harness does not")
    stops = sorted({item.sampling.stop for item in asked})
    if len(stops) > 1:
        raise UserError(f"answers of {settings.strategy} end differently by language, and a task has one end: choose one with -i")
    name = f"repairlab_{evaluation.benchmark.name}".replace("-", "_")
    path = folder / f"{name}.yaml"
    sampling = evaluation.sampling
    functions = {"custom_dataset": "documents", "process_results": "results"}
    settled = {
        "task": name,
        "test_split": _SPLIT,
        "output_type": "generate_until",
        "description": "{{system}}",
        "doc_to_text": "question",
        "doc_to_target": "",
        "target_delimiter": "",
        "num_fewshot": 0,
        "metric_list": [{"metric": "plausible", "aggregation": "mean", "higher_is_better": True}],
        "generation_kwargs": {
            "until": list(stops[0]),
            "max_gen_toks": sampling.max_tokens,
            "do_sample": sampling.temperature > 0,
            "temperature": sampling.temperature,
        },
        "metadata": {"version": evaluation.benchmark.version, "digest": evaluation.benchmark.digest, **to_data(settings)},
    }
    with new_file(path) as file:
        file.writelines(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in settled.items())  # JSON is YAML
        file.writelines(f"{key}: !function {_HERE}.{function}\n" for key, function in functions.items())
    return path


def documents(**metadata: Any) -> dict[str, Any]:
    """Return the data set: what is asked about each bug. Called by lm-evaluation-harness with the task's `metadata`."""
    import datasets  # noqa: PLC0415  # comes with lm-evaluation-harness

    settings = _settings(metadata)
    evaluation = open_evaluation(settings)
    digest = metadata.get("digest")
    if digest not in (None, evaluation.benchmark.digest):
        raise UserError(
            f"the task was written for {settings.benchmark} with the digest {digest}, but it is {evaluation.benchmark.digest} now; "
            "write it again with: repairlab publish --task"
        )
    rows = [_row(evaluation, problem) for problem in evaluation.problems()]
    return {_SPLIT: datasets.Dataset.from_list(rows)}


def _settings(values: Mapping[str, Any]) -> EvaluationSettings:
    known = {key: value for key, value in values.items() if key in EvaluationSettings.__dataclass_fields__}
    return EvaluationSettings(**{**known, "include": tuple(known.get("include", ()))})


def _row(evaluation: Evaluation, problem: Any) -> dict[str, Any]:
    opening = evaluation.ask(problem).opening
    said = {message.role: message.content for message in opening.messages}
    return {
        "bug": problem.id,
        "system": said.get("system", ""),
        "question": said.get("user", opening.text),
        "settings": to_data(evaluation.settings),
    }


def results(doc: Mapping[str, Any], answers: Sequence[str | Sequence[str]]) -> dict[str, float]:
    """Return the share of plausible answers about a bug; undecided ones are left out."""
    evaluation = open_evaluation(_settings(doc["settings"]))
    texts = [text for answer in answers for text in ([answer] if isinstance(answer, str) else answer)]
    verdicts = [evaluation.judge(doc["bug"], text).verdict for text in texts]
    decided = [verdict is Verdict.PLAUSIBLE for verdict in verdicts if verdict is not Verdict.UNDECIDED]
    return {"plausible": fmean(decided)} if decided else {}
