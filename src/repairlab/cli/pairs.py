"""`repairlab pairs`: verbs over sets of bug–fix pairs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.importers.importer import Settings
from repairlab.building.mining.pair_selection import STEPS
from repairlab.building.mining.pairing import PairingSettings, pair_submissions
from repairlab.building.mining.submission_sources import FORMS
from repairlab.cli.mine import draw_funnel
from repairlab.cli.options import Json, on_machine
from repairlab.cli.output import count, data, print_json, print_table, progress_bar, talk
from repairlab.core.diff import unified_diff
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import read_text
from repairlab.core.model import Access
from repairlab.core.pair import Pair
from repairlab.core.record import to_data
from repairlab.languages.language import default_cache
from repairlab.learning.pairs.contamination import DecontaminateSettings, decontaminate_pairs
from repairlab.learning.pairs.duplicates import DedupSettings, dedup_pairs
from repairlab.learning.pairs.exporting import EXPORTS, ExportedPairs, export_pairs
from repairlab.learning.pairs.filtering import FilterSettings, filter_pairs
from repairlab.learning.pairs.of_bugs import take_pairs
from repairlab.learning.pairs.pair_files import DROPPED, Rewritten, every_pair, read_head, read_pairs
from repairlab.learning.pairs.representing import RepresentedPairs, learnt_settings, represent_pairs
from repairlab.learning.pairs.splitting import SPLIT_BY, STRATA, SplitSettings, split_pairs
from repairlab.learning.pairs.statistics import pair_statistics
from repairlab.learning.predictions import match_predictions
from repairlab.learning.representations.table import REPRESENTATIONS, representation, settings_of
from repairlab.metrics.bleu import BLEU_VARIANTS, BleuVariant
from repairlab.metrics.codebleu import CODEBLEU_VARIANTS, CodeBleuVariant
from repairlab.metrics.matching import MatchScores, MatchSettings
from repairlab.metrics.statistics import Distribution
from repairlab.repairers.llm.client.model import Embedder
from repairlab.repairers.llm.client.open import open_embedder
from repairlab.validation.machine import Machine

PairFolder = Annotated[Path, typer.Argument(metavar="SET", help="Folder of a set of pairs.")]
To = Annotated[Path, typer.Option("--to", help="New folder for the result.")]
Near = Annotated[
    float | None,
    typer.Option("--near", help="Jaccard index of token pairs, from 0.5 to 1, above which texts are near repetitions."),
]


@on_machine("workers", "sandbox", "allow_unsafe")
def make(
    submissions: Annotated[Path, typer.Argument(help=f"A folder or file with submissions: {', '.join(FORMS)}.")],
    to: Annotated[Path, typer.Option("--to", help="New folder for the set of pairs.")],
    path: Annotated[
        str, typer.Option("--path", help="; ".join(f"{name}: {about}" for name, about in STEPS.items()) + ".")
    ] = "last",
    problems: Annotated[
        Path | None,
        typer.Option("--problems", help="Folder with the problems' test cases, to prove pairs by running them."),
    ] = None,
    language: Annotated[str | None, typer.Option("--language", help="Only submissions in this language.")] = None,
    keep_near: Annotated[
        bool, typer.Option("--keep-near", help="Keep pairs whose fix nearly repeats an earlier one of the same problem.")
    ] = False,
    max_characters: Annotated[
        int | None, typer.Option("--max-characters", help="Longest program; FixEval uses 6000.", min=1)
    ] = None,
    shares: Annotated[str, typer.Option("--shares", help="Splits and their shares of the pairs.")] = "train=0.8,valid=0.1,test=0.1",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the splits.")] = 0,
    limit: Annotated[int | None, typer.Option("--limit", help="Use at most this many problems.")] = None,
    checker: Annotated[str | None, typer.Option("--checker", help="How outputs are compared; as test.checker in bug.toml.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the set; by default its folder's.")] = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Build bug–fix pairs from submissions: a rejected program and the accepted one after it."""
    steps = next((item for item in STEPS if item == path), None)
    if steps is None:
        raise unknown("path", path, STEPS)
    settings = PairingSettings(
        steps=steps,
        language=language,
        drop_near=not keep_near,
        max_characters=max_characters,
        limit=limit,
        shares=shares_of(shares),
        seed=seed,
        tests=problems,
        judge=Settings(checker=checker),
    )
    with progress_bar() as progress:
        task = progress.add_task("reading submissions", total=None)
        made = pair_submissions(
            submissions,
            name or to.name,
            settings,
            to,
            started=lambda n: progress.update(task, total=n, description="pairs tried"),
            done=lambda _: progress.advance(task),
            machine=here,
        )
    table = draw_funnel(made.stages, to, "Submissions")
    if json:
        print_json(to_data(made) | {"folder": str(to)})
        return
    for note in made.notes:
        talk().print(note, markup=False)
    print_table(table.title, list(table.columns), [list(row) for row in table.rows])
    splits = ", ".join(f"{split} {n}" for split, n in made.splits.items())
    proved = f", {made.n_bugs} proved by running and written as bugs, too" if made.n_bugs else ", none run: there are no tests"
    data().print(f"{count(sum(made.splits.values()), 'pair')} written to {to} ({splits}){proved}", markup=False)
    talk().print(f"Next: repairlab pairs stats {to}", markup=False)


def show(
    pairs: PairFolder,
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    id: Annotated[str | None, typer.Option("--id", help="Only the pair with this id.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="Use at most this many pairs.")] = 5,
    json: Json = False,
) -> None:
    """Show pairs as diffs; with --limit 0, only the head of the set."""
    facts, splits = read_head(pairs)
    if split is not None and split not in splits:
        raise unknown("split", split, splits)
    chosen = (item for item in every_pair(pairs) if split in (None, item[0]) and id in (None, item[1].id))
    found = list(islice(chosen, limit))
    if id is not None and not found:
        raise UserError(f"{pairs} has no pair with the id {id!r}{f' in the split {split!r}' if split else ''}")
    if json:
        shown = [{"split": name, **to_data(pair)} for name, pair in found]
        print_json({"facts": to_data(facts), "splits": splits, "pairs": shown})
        return
    sizes = ", ".join(f"{name} {n}" for name, n in splits.items())
    data().print(f"{facts.name} {facts.version}: {facts.language}, {facts.form}; {sizes}", markup=False)
    for name, pair in found:
        _print_pair(name, pair)


def _print_pair(split: str, pair: Pair) -> None:
    known = {"repository": pair.repository, "commit": pair.commit, "time": pair.time, "verdict": pair.verdict}
    more = "".join(f"  {name} {value}" for name, value in known.items() if value)
    data().print(f"\n{split}/{pair.id}{more}", markup=False)
    diff = unified_diff("text", _lined(pair.buggy), _lined(pair.fixed)).split("\n", 2)[2]
    data().print(diff.rstrip("\n"), markup=False)


def _lined(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def split(
    pairs: PairFolder,
    to: To,
    shares: Annotated[str, typer.Option("--shares", help="Splits and their shares of the pairs.")] = "train=0.8,valid=0.1,test=0.1",
    by: Annotated[
        str, typer.Option("--by", help="random, project (whole repositories), problem (whole tasks) or time (oldest first).")
    ] = "random",
    stratify: Annotated[str, typer.Option("--stratify", help="Spread evenly by edit (kind of edit), length or project.")] = "",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random order.")] = 0,
    json: Json = False,
) -> None:
    """Split a set anew: at random, by project or by time."""
    how = next((item for item in SPLIT_BY if item == by), None)
    if how is None:
        raise unknown("way to split", by, SPLIT_BY)
    stratum = next((item for item in STRATA if item == stratify), None)
    if stratum is None:
        raise unknown("stratum", stratify, [item for item in STRATA if item])
    settings = SplitSettings(shares=shares_of(shares), by=how, stratify=stratum, seed=seed)
    with _bar(pairs, "pairs split") as done:
        made = split_pairs(pairs, to, settings, done=done)
    _print_made(made, as_json=json)


def shares_of(text: str) -> dict[str, float]:
    """Read names of splits and their shares."""
    try:
        found = {name.strip(): float(share) for name, share in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise UserError(f"--shares is {text!r}: write names and shares, such as train=0.8,valid=0.1,test=0.1") from None
    if not all(name and name.replace("-", "").replace("_", "").isalnum() for name in found):
        raise UserError(f"--shares is {text!r}: a split is named by letters, digits, - and _")
    return found


def filter_(
    pairs: PairFolder,
    to: To,
    min_tokens: Annotated[int, typer.Option("--min-tokens", help="Drop pairs with a shorter text.")] = 0,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="Drop pairs with a longer text.")] = None,
    identical: Annotated[
        bool, typer.Option("--identical", help="Drop pairs that differ only in white space and comments.")
    ] = False,
    unparsable: Annotated[bool, typer.Option("--unparsable", help="Drop pairs with a text that does not parse.")] = False,
    one_hunk: Annotated[bool, typer.Option("--one-hunk", help="Drop pairs that change more than one place.")] = False,
    json: Json = False,
) -> None:
    """Drop pairs by length, identity, syntax or number of hunks."""
    settings = FilterSettings(
        min_tokens=min_tokens, max_tokens=max_tokens, identical=identical, unparsable=unparsable, one_hunk=one_hunk
    )
    with _bar(pairs, "pairs looked at") as done:
        made = filter_pairs(pairs, to, settings, done=done)
    _print_made(made, as_json=json)


def dedup(
    pairs: PairFolder,
    to: To,
    near: Near = None,
    keep: Annotated[str, typer.Option("--keep", help="Which split keeps a pair that several contain.")] = "test,valid,train",
    within: Annotated[bool, typer.Option("--within", help="Compare pairs of the same split only.")] = False,
    json: Json = False,
) -> None:
    """Drop pairs that repeat others, exactly or nearly, also across splits."""
    settings = DedupSettings(near=near, keep=tuple(part.strip() for part in keep.split(",")), across=not within)
    with _bar(pairs, "pairs compared") as done:
        made = dedup_pairs(pairs, to, settings, done=done)
    _print_made(made, as_json=json)


def decontaminate(
    pairs: PairFolder,
    to: To,
    against: Annotated[list[str], typer.Option("--against", help="A benchmark; may be given several times.")],
    near: Near = 0.8,
    exact: Annotated[bool, typer.Option("--exact", help="Drop only equal texts, not near ones.")] = False,
    projects: Annotated[
        bool, typer.Option("--projects", help="Also drop pairs of the bugs' repositories, and of others with the same name.")
    ] = False,
    forks: Annotated[
        Path | None, typer.Option("--forks", help="Also drop pairs of these repositories: a file with one OWNER/NAME per line.")
    ] = None,
    embedding_model: Annotated[
        str | None,
        typer.Option("--embedding-model", help="Also compare embeddings: PROVIDER/NAME, or local/NAME for sentence-transformers."),
    ] = None,
    embedding_threshold: Annotated[float, typer.Option("--embedding-threshold", help="Cosine above which texts are alike.")] = 0.95,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Where the embedding model is served.")] = None,
    json: Json = False,
) -> None:
    """Drop pairs that a benchmark contains: exactly, nearly or by embedding."""
    listed = tuple(line.strip() for line in read_text(forks).splitlines() if line.strip()) if forks else ()
    settings = DecontaminateSettings(near=None if exact else near, embedding=embedding_threshold, projects=projects, forks=listed)
    benchmarks = [open_benchmark(name) for name in against]
    with _embedder(embedding_model, base_url) as embedder, _bar(pairs, "pairs compared") as done:
        made = decontaminate_pairs(pairs, to, benchmarks, settings, embedder=embedder, done=done)
    _print_made(made, as_json=json)


@contextmanager
def _embedder(name: str | None, base_url: str | None) -> Iterator[Embedder | None]:
    if name is None:
        yield None
        return
    notify = lambda text: talk().print(text, markup=False)  # noqa: E731
    with open_embedder(name, Access(), base_url=base_url, cache=default_cache(), notify=notify) as embedder:
        yield embedder


def stats(pairs: PairFolder, json: Json = False) -> None:
    """Describe a set: counts, lengths, kinds of edits, overlap between splits."""
    with _bar(pairs, "pairs read") as done:
        found = pair_statistics(pairs, done=done)
    if json:
        print_json(to_data(found))
        return
    facts = found.facts
    rows = [
        (
            item.split,
            item.n,
            _lengths(item.buggy_tokens),
            _lengths(item.fixed_tokens),
            ", ".join(f"{kind} {n}" for kind, n in item.edits.items()),
            item.one_hunk,
            item.repositories,
            item.repeated,
        )
        for item in found.splits
    ]
    columns = ["split", "pairs", "buggy tokens", "fixed tokens", "edits", "one hunk", "repositories", "repeated"]
    print_table(f"{facts.name} {facts.version}: {facts.language}, {facts.form}", columns, rows)
    shared = [(f"{item.other} in {item.one}", item.pairs, item.buggy) for item in found.overlaps]
    if shared:
        print_table("Overlap between splits", ["of", "same pair", "same buggy text"], shared)


def _lengths(spread: Distribution | None) -> str:
    return "–" if spread is None else f"{spread.low:.0f} – {spread.median:.0f} – {spread.high:.0f}, mean {spread.mean:.1f}"


def export(
    pairs: PairFolder,
    form: Annotated[str, typer.Argument(help=f"The form: {', '.join(EXPORTS)}.")],
    to: To,
    json: Json = False,
) -> None:
    """Write a set in another tool's form."""
    with _bar(pairs, "pairs written") as done:
        made = export_pairs(pairs, form, to, done=done)
    _print_made(made, as_json=json)


def take(
    benchmark: Annotated[str, typer.Argument(metavar="BENCH", help="A benchmark.")],
    to: To,
    language: Annotated[str | None, typer.Option("--language", help="Only bugs in this language.")] = None,
    json: Json = False,
) -> None:
    """Make a set from the bugs of a benchmark: whole files before and after the fix."""
    opened = open_benchmark(benchmark)
    with progress_bar() as progress:
        task = progress.add_task("bugs read", total=len(opened))
        made = take_pairs(opened, to, language, done=lambda: progress.advance(task))
    _print_made(made, as_json=json)


def represent(
    pairs: PairFolder,
    name: Annotated[str, typer.Option("--representation", help="Name of the representation.")],
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Use at most this many pairs.")] = None,
    setting: Annotated[list[str] | None, typer.Option("--setting", help="NAME=VALUE for the representation; repeatable.")] = None,
    learn: Annotated[str | None, typer.Option("--learn", help="Learn idioms or a grammar from this split first.")] = None,
    json: Json = False,
) -> None:
    """Show how many pairs a representation can encode and recover."""
    facts, splits = read_head(pairs)
    if split is not None and split not in splits:
        raise unknown("split", split, splits)
    given = settings_of(setting or ())
    made = representation(name, {**(learnt_settings(name, pairs, learn) if learn else {}), **given})
    chosen = (pair for one in ([split] if split else splits) for pair in read_pairs(pairs, one))
    n_pairs = splits[split] if split else sum(splits.values())
    with progress_bar() as progress:
        task = progress.add_task("pairs represented", total=n_pairs if limit is None else min(limit, n_pairs))
        found = represent_pairs(islice(chosen, limit), facts, made, done=lambda: progress.advance(task))
    if json:
        print_json(to_data(found) | {"settings": given, "split": split})
        return
    _print_represented(found)


def _print_represented(found: RepresentedPairs) -> None:
    rows: list[tuple[str, object]] = [
        ("pairs", found.pairs),
        ("represented", _of(found.represented, found.pairs)),
        ("recovered", _of(found.recovered, found.represented)),
        ("recovered first", _of(found.recovered_first, found.represented)),
        (f"read, {found.counted_in}", _lengths(found.source)),
        (f"written, {found.counted_in}", _lengths(found.written)),
    ]
    if found.context:
        rows.insert(5, (f"context, {found.counted_in}", _lengths(found.context)))
    if found.counted_in == "tokens":
        rows += [("different tokens read", found.source_words), ("different tokens written", found.written_words)]
    rows += [(f"not represented: {reason}", n) for reason, n in found.reasons.items()]
    print_table(f"{found.representation}: {REPRESENTATIONS.about(found.representation)}", ["", ""], rows)
    if found.lost:
        talk().print(f"not recovered: {', '.join(found.lost)}", markup=False)


def _of(n: int, total: int) -> str:
    return f"{n} ({n / total:.1%})" if total else str(n)


@contextmanager
def _bar(pairs: Path, what: str) -> Iterator[Callable[[], None]]:
    _, splits = read_head(pairs)
    with progress_bar() as progress:
        task = progress.add_task(what, total=sum(splits.values()))
        yield lambda: progress.advance(task)


def _print_made(made: Rewritten | ExportedPairs, *, as_json: bool) -> None:
    if as_json:
        print_json(to_data(made) | {"folder": str(made.folder)})
        return
    for reason, n in made.dropped.items():
        talk().print(f"dropped {n}: {reason}", markup=False)
    splits = ", ".join(f"{name} {n}" for name, n in made.splits.items())
    n_dropped = sum(made.dropped.values())
    why = f"; {n_dropped} dropped, see {made.folder / DROPPED}" if n_dropped else ""
    data().print(f"{count(sum(made.splits.values()), 'pair')} written to {made.folder}: {splits}{why}", markup=False)


def match(
    predictions: Annotated[
        Path, typer.Argument(help="One prediction per line in the order of the pairs, or *.jsonl with id and prediction(s).")
    ],
    pairs: Annotated[Path, typer.Option("--pairs", help="Folder of the set of pairs.")],
    split: Annotated[str, typer.Option("--split", help="The split that was predicted.")] = "test",
    bleu: Annotated[str, typer.Option("--bleu", help=f"Variant of BLEU: {', '.join(BLEU_VARIANTS)}.")] = "codexglue",
    codebleu: Annotated[
        str, typer.Option("--codebleu", help=f"Variant of CodeBLEU: {', '.join(CODEBLEU_VARIANTS)}.")
    ] = "codexglue",
    copy: Annotated[bool, typer.Option("--copy", help="Also score the buggy texts, the baseline of copying.")] = False,
    json: Json = False,
) -> None:
    """Compare predictions with fixes: exact match, BLEU, CodeBLEU, edit similarity, syntax."""
    facts, splits = read_head(pairs)
    settings = MatchSettings(language=facts.language, bleu=_bleu(bleu), codebleu=_codebleu(codebleu))
    with progress_bar() as progress:
        task = progress.add_task("pairs matched", total=splits.get(split))
        found = match_predictions(predictions, pairs, split, settings, copy=copy, done=lambda: progress.advance(task))
    if json:
        print_json({"pairs": str(pairs), "split": split, "settings": to_data(settings), **to_data(found)})
        return
    columns = ["metric", "predictions", *(["copy"] if found.copied else [])]
    both = [found.scores, *([found.copied] if found.copied else [])]
    print_table(f"{predictions} on {facts.name}, {split}: {count(found.scores.n, 'pair')}", columns, _match_rows(both))
    data().print(f"signature {settings.signature}", markup=False)


def _match_rows(scores: Sequence[MatchScores]) -> list[tuple[str, ...]]:
    named = [_named(item) for item in scores]
    return [(name, *(_percent(item.get(name)) for item in named)) for name in named[0]]


def _named(scores: MatchScores) -> dict[str, float | None]:
    parts = scores.codebleu
    within = {f"exact within {k}": value for k, value in scores.exact_within.items() if k > 1}
    code = {} if parts is None else {"CodeBLEU": parts.value, "  n-grams": parts.ngram, "  weighted": parts.weighted}
    more = {} if parts is None else {"  syntax": parts.syntax, "  data flow": parts.flow}
    return {
        "exact text": scores.exact_text,
        "exact tokens": scores.exact_tokens,
        "exact tree": scores.exact_tree,
        **within,
        "BLEU": scores.bleu,
        **code,
        **more,
        "edit similarity": scores.edit_similarity,
        "well-formed": scores.well_formed,
        "unchanged": scores.unchanged,
        "missing": scores.missing,
    }


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def _bleu(name: str) -> BleuVariant:
    for variant in BLEU_VARIANTS:
        if variant == name:
            return variant
    raise unknown("variant of BLEU", name, BLEU_VARIANTS)


def _codebleu(name: str) -> CodeBleuVariant:
    for variant in CODEBLEU_VARIANTS:
        if variant == name:
            return variant
    raise unknown("variant of CodeBLEU", name, CODEBLEU_VARIANTS)


VERBS: Mapping[str, Callable[..., None]] = {
    "make": make,
    "show": show,
    "split": split,
    "filter": filter_,
    "dedup": dedup,
    "decontaminate": decontaminate,
    "stats": stats,
    "take": take,
    "represent": represent,
    "export": export,
    "match": match,
}
