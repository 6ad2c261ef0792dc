"""Import bug–fix pairs without tests into a set of repairlab's form.

Reads parallel text files, NPR4J's raw folders and records, CodRep's one-line fixes, and FixEval's splits.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from repairlab.building.importers.fixeval import fixeval_language, program_of, tokens_of
from repairlab.building.importers.importer import need_sources
from repairlab.core.amounts import count
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import field, read_json, read_json_lines, read_text
from repairlab.core.pair import Pair, PairForm, PairSet
from repairlab.core.record import record
from repairlab.core.storage.folders import new_folder
from repairlab.learning.pairs.pair_files import PairWriter

PAIR_SETS = {
    "codexglue": "A folder of CodeXGLUE's code refinement (small or medium): SPLIT.buggy-fixed.buggy and .fixed.",
    "bfp": "A folder of BFP (small or medium): SPLIT/buggy.txt and SPLIT/fixed.txt.",
    "parallel": "A folder with src-SPLIT.txt and tgt-SPLIT.txt, one text a line.",
    "npr4j-raw": "NPR4J's raw data folder: data.ids, buggy_methods/, fix_methods/, metas/ and so on.",
    "codrep": "CodRep's folder Datasets, or one DatasetN of it (Tasks/, Solutions/), or JSON Lines with before and after.",
    "fixeval-pairs": "A split file of FixEval, or a folder of them (SPLIT.jsonl): whole programs and what the judge said.",
    "npr4j-records": "NPR4J's mined records: a JSON file of one or several; then, for classes, the folder of mined files.",
}
"""Name and what to give as SOURCE."""

_RECORDS, _MINED = "npr4j-records", "the folder with COMMIT/P_dir/… that the records name"
_KNOWN_SPLITS = ("train", "valid", "test")
_OURS = ("dropped.jsonl", "made.jsonl")
_FIXEVAL_SPLITS = {"train": "train", "valid": "valid", "val": "valid", "test": "test", "eval": "eval"}
"""The 500 programs of FixEval's `eval` are drawn from `test`; all other files are for training."""
_SPLITS = {"val": "valid", "eval": "valid", "validation": "valid", "dev": "valid"}
_LAYOUTS = {
    "codexglue": ("*.buggy-fixed.buggy", lambda path: (path.name.split(".")[0], path.with_suffix(".fixed"))),
    "bfp": ("*/buggy.txt", lambda path: (path.parent.name, path.with_name("fixed.txt"))),
    "parallel": ("src-*.txt", lambda path: (path.stem.removeprefix("src-"), path.with_name(f"tgt-{path.stem[4:]}.txt"))),
}
_PLACEHOLDER = re.compile(r"\b(?:VAR|METHOD|TYPE|STRING)_\d+\b")
_META = "<sep>"


@record
class PairSource:
    """What a source holds."""

    facts: PairSet
    pairs: Iterator[tuple[str, Pair]]
    """Split and pair."""


@record
class ImportedPairs:
    """The result of an import."""

    folder: Path
    splits: dict[str, int]
    unchanged: int
    """Pairs left out because they fix nothing."""
    repeated: int
    """Pairs left out because their split already has them."""
    alone: int | None
    """Pairs without the class around their method; None if the source has no classes."""


def import_pairs(
    name: str, sources: Sequence[Path], folder: Path, done: Callable[[], None], *, limit: int | None = None
) -> ImportedPairs:
    """Read pairs and write all of them, or nothing, to a new folder; `limit` applies to each split."""
    with new_folder(folder) as aside, ExitStack() as stack:
        found = open_pairs(name, sources)
        writer = PairWriter(aside, stack)
        unchanged = alone = 0
        for split, pair in found.pairs:
            if limit is not None and writer.counts.get(split, 0) >= limit:
                continue
            if pair.buggy == pair.fixed:
                unchanged += 1
            else:
                writer.add(split, pair)
                alone += not pair.context
            done()
        if not writer.counts:
            raise UserError(f"no pair could be imported from {sources[0]}")
        stack.close()
        writer.finish(found.facts)
    has_classes = name in (_RECORDS, "npr4j-raw")
    return ImportedPairs(
        folder=folder, splits=writer.counts, unchanged=unchanged, repeated=writer.repeated, alone=alone if has_classes else None
    )


def open_pairs(name: str, sources: Sequence[Path]) -> PairSource:
    """Look at a source of pairs; they are read while they are iterated over."""
    if name not in PAIR_SETS:
        raise unknown("importer", name, PAIR_SETS)
    source, *files = need_sources(
        list(sources), (PAIR_SETS[name], *([_MINED] if name == _RECORDS else [])), optional=name == _RECORDS
    )
    if name in _LAYOUTS:
        return _open_parallel(name, source)
    if name == "fixeval-pairs":
        return _open_fixeval(source)
    read, form = _JAVA[name]
    pairs = _records(source, files[0]) if files else read(source)
    facts = PairSet(
        name=name, version="1", licence="none stated", description=PAIR_SETS[name], language="java", form=form, abstract=False
    )
    return PairSource(facts=facts, pairs=pairs)


def _open_parallel(name: str, folder: Path) -> PairSource:
    pattern, locate = _LAYOUTS[name]
    found = sorted(folder.glob(pattern)) if folder.is_dir() else []
    if not found:
        raise UserError(f"{folder} holds no file {pattern}; it should be: {PAIR_SETS[name]}")
    facts = PairSet(
        name=f"{name}-{folder.name}",
        version="1",
        licence="see its source",
        description=PAIR_SETS[name],
        language="java",
        form="expression" if name == "parallel" else "method",
        abstract=any(_PLACEHOLDER.search(read_text(path)[:20_000]) for path in found),
    )
    return PairSource(facts=facts, pairs=_parallel(found, locate))


def _parallel(files: list[Path], locate: Callable[[Path], tuple[str, Path]]) -> Iterator[tuple[str, Pair]]:
    for buggy_file in files:
        split, fixed_file = locate(buggy_file)
        split = _SPLITS.get(split, split)
        # Unicode line breaks (U+2028 and others) are text here: only "\n" ends a line.
        buggy, fixed = (read_text(path).removesuffix("\n").split("\n") for path in (buggy_file, fixed_file))
        if len(buggy) != len(fixed):
            raise UserError(
                f"{fixed_file} has {len(fixed)} lines and {buggy_file} {len(buggy)}; each line is the fix of the same line there"
            )
        for number, (before, after) in enumerate(zip(buggy, fixed, strict=True), start=1):
            yield split, Pair(id=f"{split}-{number}", buggy=before.strip(), fixed=after.strip())


def _open_fixeval(source: Path) -> PairSource:
    files = sorted(path for ending in ("jsonl", "json") for path in source.glob(f"*.{ending}")) if source.is_dir() else [source]
    files = [path for path in files if path.name not in _OURS]
    if not files:
        raise UserError(f"{source} holds no file *.jsonl; it should be: {PAIR_SETS['fixeval-pairs']}")
    first = next((entry for path in files for _, entry in read_json_lines(path)), None)
    if first is None:
        raise UserError(f"{files[0]} is empty")
    language = fixeval_language(tokens_of(first, "src", str(files[0])))
    facts = PairSet(
        name="fixeval",
        version="1",
        licence="MIT",
        description=PAIR_SETS["fixeval-pairs"],
        language=language,
        form="program",
        abstract=False,
    )
    return PairSource(facts=facts, pairs=_fixeval(files, language))


def _fixeval(files: list[Path], language: str) -> Iterator[tuple[str, Pair]]:
    for path in files:
        split = _FIXEVAL_SPLITS.get(path.stem, "train")
        for where, entry in read_json_lines(path):
            texts = [tokens_of(entry, name, where) for name in ("src", "tgt")]
            if fixeval_language(texts[0]) != language:
                raise UserError(f"{where}: this program is not in {language} as those before; import each language by itself")
            yield (
                split,
                Pair(
                    id=field(entry, "src_id", str, where),
                    buggy=program_of(language, texts[0]),
                    fixed=program_of(language, texts[1]),
                    verdict=field(entry, "src_verdict", str, where),
                ),
            )


def _raw_folder(folder: Path) -> Iterator[tuple[str, Pair]]:
    """Read NPR4J's layout; a meta file begins with split and id, or with repository and commit, joined by `<sep>`."""
    for name in read_text(folder / "data.ids").split():
        meta = folder / "metas" / f"{name}.txt"
        fields = [part.strip() for part in read_text(meta).split(_META)] if meta.is_file() else []
        split = _SPLITS.get(fields[0], fields[0]) if fields else "train"
        repository: str | None = None
        commit: str | None = None
        if split not in _KNOWN_SPLITS:
            repository, commit, split = split or None, fields[1] if len(fields) > 1 else None, "train"
        buggy, fixed = (read_text(folder / kind / f"{name}.txt") for kind in ("buggy_methods", "fix_methods"))
        # Different scripts store classes with or without a prefix such as d4j_, and as *.java or *.txt.
        places = [
            folder / "buggy_classes" / f"{stem}{end}" for stem in (name, name.rpartition("_")[2]) for end in (".java", ".txt")
        ]
        context = next((path for path in places if path.is_file()), None)
        around = read_text(context, "utf-8") if context else ""
        yield split, Pair(id=name, buggy=buggy, fixed=fixed, context=around, repository=repository, commit=commit)


def _records(path: Path, mined: Path | None = None) -> Iterator[tuple[str, Pair]]:
    """Read records; the class around a method is the commit's file, if that is among the mined ones."""
    mined = (mined or path.parent).resolve()
    whole = read_json(path)
    entries: list[Any] = whole if isinstance(whole, list) else [whole]
    for number, entry in enumerate(entries, start=1):
        where = f"{path}, entry {number}"
        if not isinstance(entry, dict):
            raise UserError(f"{where}: not a JSON object but {type(entry).__name__}")
        methods = field(entry, "method_info", dict, where)
        texts = [
            field(field(methods, side, dict, f"{where}, method_info"), "code", str, f"{where}, method_info.{side}")
            for side in ("buggy", "fix" if "fix" in methods else "fixed")
        ]
        buggy = field(methods, "buggy", dict, where)
        file = mined.joinpath(*str(buggy.get("parent_file") or ".").replace("\\", "/").split("/")).resolve()
        context = read_text(file) if file.is_file() and file.is_relative_to(mined) else ""
        commit = field(entry, "commit_info", dict, where)
        url = str(commit.get("commit_url:") or commit.get("commit_url") or "")  # their keys have a colon
        yield (
            "train",
            Pair(
                id=field(entry, "id", str, where),
                buggy=texts[0],
                fixed=texts[1],
                context=context if texts[0] in context else "",
                repository=commit.get("repo"),
                commit=url.rpartition("/")[2] or None,
            ),
        )


_CODREP_DATASET = re.compile(r"Dataset(\d+)")
_CODREP_TEST = "4"
"""SequenceR's test set: its published targets are those of this dataset."""


def codrep_pairs(source: Path) -> Iterator[tuple[str, Pair]]:
    """Yield split and pair; Dataset4 is `test`, the others are `train`."""
    if source.is_file():
        yield from _codrep_lines(source)
        return
    folders = sorted(path.parent for path in (*source.glob("Tasks"), *source.glob("*/Tasks"), *source.glob("*/*/Tasks")))
    if not folders:
        raise UserError(f"{source} holds no folder Tasks; give CodRep's folder Datasets, or one of its datasets")
    for folder in folders:
        found = _CODREP_DATASET.fullmatch(folder.name)
        for task in sorted((folder / "Tasks").glob("*.txt"), key=lambda path: (len(path.stem), path.stem)):
            yield _codrep_pair(task, read_text(folder / "Solutions" / task.name), found[1] if found else folder.name)


def _codrep_pair(task: Path, solution: str, dataset: str) -> tuple[str, Pair]:
    """Read a task: the new line, an empty one, then the file; its solution is the number of the replaced line."""
    fixed, _, rest = _with_newlines(read_text(task)).partition("\n")
    file = rest.removeprefix("\n")
    lines = file.split("\n")
    number = int(solution) if solution.strip().isdecimal() else 0
    if not 1 <= number <= len(lines):
        raise UserError(f"{task}: its solution says line {solution.strip()!r}, and the file has {count(len(lines), 'line')}")
    return _placed(f"{dataset}-{task.stem}", lines[: number - 1], lines[number - 1], lines[number:], fixed, dataset)


def _codrep_lines(path: Path) -> Iterator[tuple[str, Pair]]:
    open_text = gzip.open if path.suffix == ".gz" else open
    try:
        with open_text(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                where = f"{path}, line {number}"
                entry: Any = json.loads(line)
                if not isinstance(entry, dict):
                    raise UserError(f"{where}: not a JSON object but {type(entry).__name__}")
                buggy, fixed = (field(entry, name, str, where) for name in ("buggy", "fixed"))
                before, after = ([str(text) for text in field(entry, name, list, where)] for name in ("before", "after"))
                dataset = str(field(entry, "ds", int, where))
                yield _placed(f"{dataset}-{field(entry, 'id', int, where)}", before, buggy, after, fixed, dataset)
    except FileNotFoundError:
        raise UserError(f"{path} is missing") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is no file of JSON Lines: {error}") from None


def _placed(name: str, before: list[str], line: str, after: list[str], fixed: str, dataset: str) -> tuple[str, Pair]:
    buggy = line.strip()
    start = sum(len(text) + 1 for text in before) + (line.index(buggy) if buggy else 0)
    context = "\n".join([*before, line, *after])
    split = "test" if dataset == _CODREP_TEST else "train"
    return split, Pair(id=name, buggy=buggy, fixed=fixed.strip(), context=context, start=start)


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")


_JAVA: Mapping[str, tuple[Callable[[Path], Iterator[tuple[str, Pair]]], PairForm]] = {
    "codrep": (codrep_pairs, "line"),
    "npr4j-raw": (_raw_folder, "method"),
    _RECORDS: (_records, "method"),
}
"""Sets of Java code: how each is read and what it holds."""
