"""Write a set of pairs in other tools' forms, which `import` reads again."""

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from repairlab.core.diff import changed_lines_of
from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import record, to_json
from repairlab.core.storage.folders import new_folder
from repairlab.languages.facts import facts as facts_of
from repairlab.languages.language import language
from repairlab.learning.pairs.pair_files import DROPPED, every_pair, read_head
from repairlab.learning.representations.representation import Unrepresentable
from repairlab.learning.representations.samples import sample_of_pair

EXPORTS: Mapping[str, str] = {
    "codexglue": "SPLIT.buggy-fixed.buggy and .fixed, one text a line.",
    "bfp": "SPLIT/buggy.txt and SPLIT/fixed.txt, one text a line.",
    "parallel": "src-SPLIT.txt and tgt-SPLIT.txt, one text a line.",
    "npr4j-raw": "NPR4J's raw data folder: data.ids and the seven folders of lines, methods, classes and metas.",
    "fixeval-pairs": "FixEval's split files: SPLIT.jsonl, one JSON array of programs as lists of tokens with the verdict.",
}
"""Name and content; the names are those of the importers."""

_LAYOUTS: Mapping[str, Callable[[str], tuple[str, str]]] = {
    "codexglue": lambda split: (f"{split}.buggy-fixed.buggy", f"{split}.buggy-fixed.fixed"),
    "bfp": lambda split: (f"{split}/buggy.txt", f"{split}/fixed.txt"),
    "parallel": lambda split: (f"src-{split}.txt", f"tgt-{split}.txt"),
}
_LAYOUT_TOKENS = {"newline": "NEW_LINE", "indent": "INDENT", "dedent": "DEDENT"}
_FOLDERS = ("buggy_lines", "buggy_methods", "buggy_classes", "fix_lines", "fix_methods", "fix_classes", "metas")


@record
class ExportedPairs:
    """What was written."""

    folder: Path
    splits: dict[str, int]
    dropped: dict[str, int]


def export_pairs(source: Path, form: str, to: Path, *, done: Callable[[], None] = lambda: None) -> ExportedPairs:
    """Write all pairs, or nothing, in another form; what a form cannot hold is dropped, and dropped.jsonl says why."""
    if form not in EXPORTS:
        raise unknown("form", form, EXPORTS)
    facts, _ = read_head(source)
    counts: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    with new_folder(to) as aside, ExitStack() as stack:
        write = _writer(form, facts, aside, stack)
        log = stack.enter_context((aside / DROPPED).open("w", encoding="utf-8"))
        for split, pair in every_pair(source):
            try:
                write(split, pair)
                counts[split] += 1
            except UserError as error:
                dropped[str(error)] += 1
                log.write(to_json({"split": split, "id": pair.id, "reason": str(error)}) + "\n")
            done()
        if not counts:
            raise UserError(f"no pair of {source} can be written as {form}: {next(iter(dropped), 'it is empty')}")
    return ExportedPairs(folder=to, splits=dict(counts), dropped=dict(dropped))


def _writer(form: str, facts: PairSet, folder: Path, stack: ExitStack) -> Callable[[str, Pair], None]:
    files: dict[str, IO[str]] = {}

    def opened(name: str) -> IO[str]:
        if name not in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            files[name] = stack.enter_context((folder / name).open("w", encoding="utf-8"))
        return files[name]

    def append(name: str, line: str) -> None:
        opened(name).write(line + "\n")

    def parallel(split: str, pair: Pair) -> None:
        texts = [_one_line(text, facts.language) for text in (pair.buggy, pair.fixed)]
        for name, text in zip(_LAYOUTS[form](split), texts, strict=True):
            append(name, text)

    def fixeval(split: str, pair: Pair) -> None:
        if pair.verdict is None:
            raise UserError("no verdict of a judge is known")
        texts = {"src": fixeval_tokens(pair.buggy, facts.language), "tgt": fixeval_tokens(pair.fixed, facts.language)}
        name = f"{split}.jsonl"
        is_first = name not in files
        entry = {"src_id": pair.id, "src": texts["src"], "src_verdict": pair.verdict, "tgt": texts["tgt"], "tgt_id": pair.id}
        opened(name).write(("[" if is_first else ",\n") + json.dumps(entry, ensure_ascii=False))
        if is_first:
            stack.callback(files[name].write, "]\n")

    def raw(split: str, pair: Pair) -> None:
        if "/" in pair.id or pair.id.startswith("."):
            raise UserError("the id is no file name")
        for name, text in _raw_texts(split, _as_method(pair, facts)).items():
            (folder / name).mkdir(exist_ok=True)
            suffix = ".java" if name.endswith("_classes") else ".txt"
            (folder / name / f"{pair.id.rpartition('_')[2] if suffix == '.java' else pair.id}{suffix}").write_text(
                text, encoding="utf-8"
            )
        append("data.ids", pair.id)

    return parallel if form in _LAYOUTS else raw if form == "npr4j-raw" else fixeval


def _one_line(text: str, name: str) -> str:
    if "\n" not in text.strip():
        return text.strip()
    if facts_of(name).is_indented:
        raise UserError("a text has several lines, and its layout counts")
    return " ".join(language(name).syntax.strip_comments(text).split())


def fixeval_tokens(text: str, name: str) -> list[str]:
    r"""Return a program as FixEval's list of tokens; blanks within strings are marked.

    >>> fixeval_tokens("if x:\n    print('a b')\n", "python")
    ['if', 'x', ':', 'NEW_LINE', 'INDENT', 'print', '(', "'a▁b'", ')', 'NEW_LINE', 'DEDENT']
    """
    found = []
    for token in language(name).syntax.tokens(text):
        if token.kind == "string":
            marked = token.text.replace(" ", "▁")
            found.append(marked.replace("\n", " STRNEWLINE ").replace("\t", " TABSYMBOL "))
        else:
            found.append(_LAYOUT_TOKENS.get(token.kind, token.text))
    return found


def _as_method(pair: Pair, facts: PairSet) -> Pair:
    """Return a pair of methods, with the file around them where it is known."""
    if facts.form == "method":
        return pair
    try:
        sample, fixed = sample_of_pair(pair, facts, "method")
    except Unrepresentable as reason:
        raise UserError(str(reason)) from None
    if sample.method is None:
        raise UserError("no method is known around it")
    return dataclasses.replace(pair, buggy=sample.buggy, fixed=fixed, context=sample.file or "", start=None)


def _raw_texts(split: str, pair: Pair) -> dict[str, str]:
    """Return the seven texts of NPR4J; classes only if the pair has its class around it."""
    lines = changed_lines_of(pair.buggy, pair.fixed)
    kind = "add" if not lines.old.strip() else "remove" if not lines.new.strip() else "replace"
    meta = (split, pair.id, f"[{lines.first}:{lines.last}]", f"[{lines.new_first}:{lines.new_last}]", pair.repository or "", kind)
    texts = {
        "buggy_lines": lines.old,
        "buggy_methods": pair.buggy,
        "fix_lines": lines.new,
        "fix_methods": pair.fixed,
        "metas": "<sep>".join(meta),
    }
    if pair.context and pair.buggy in pair.context:
        texts |= {"buggy_classes": pair.context, "fix_classes": pair.context.replace(pair.buggy, pair.fixed, 1)}
    return {name: texts[name] for name in _FOLDERS if name in texts}
