"""`repairlab pairs`: verbs that make a set of bug–fix pairs, or a new one of it, and those of pair_reports."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.importers.importer import Settings
from repairlab.building.mining.pair_selection import STEPS
from repairlab.building.mining.pairing import PairingSettings, pair_submissions
from repairlab.building.mining.submission_sources import FORMS
from repairlab.cli.mine import draw_funnel
from repairlab.cli.options import Json, asked_embedder, on_machine, one_of
from repairlab.cli.output import count, print_json, print_table, progress_bar, say, write
from repairlab.cli.pair_reports import PairFolder, match, pair_bar, represent, show, stats
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.record import to_data
from repairlab.learning.pairs.contamination import DecontaminateSettings, decontaminate_pairs
from repairlab.learning.pairs.duplicates import DedupSettings, dedup_pairs
from repairlab.learning.pairs.exporting import EXPORTS, ExportedPairs, export_pairs
from repairlab.learning.pairs.filtering import FilterSettings, filter_pairs
from repairlab.learning.pairs.of_bugs import take_pairs
from repairlab.learning.pairs.pair_files import DROPPED, Rewritten
from repairlab.learning.pairs.splitting import SPLIT_BY, STRATA, SplitSettings, split_pairs
from repairlab.validation.machine import Machine

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
    per_problem: Annotated[
        int | None,
        typer.Option(
            "--per-problem",
            help="Pairs per problem in the last split, with the same mix of verdicts; FixEval: 2.",
            min=1,
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Use at most this many problems.")] = None,
    checker: Annotated[str | None, typer.Option("--checker", help="How outputs are compared; as test.checker in bug.toml.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the set. [default: its folder's]")] = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Build bug–fix pairs from submissions: a rejected program and the accepted one after it."""
    settings = PairingSettings(
        steps=one_of("path", path, STEPS),
        language=language,
        drop_near=not keep_near,
        max_characters=max_characters,
        limit=limit,
        shares=shares_of(shares),
        seed=seed,
        per_problem=per_problem,
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
        say(note)
    print_table(table.title, list(table.columns), [list(row) for row in table.rows])
    splits = ", ".join(f"{split} {n}" for split, n in made.splits.items())
    proved = f", {made.n_bugs} proved by running and written as bugs, too" if made.n_bugs else ", none run: there are no tests"
    write(f"{count(sum(made.splits.values()), 'pair')} written to {to} ({splits}){proved}")
    say(f"Next: repairlab pairs stats {to}")


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
    settings = SplitSettings(
        shares=shares_of(shares), by=one_of("way to split", by, SPLIT_BY), stratify=one_of("stratum", stratify, STRATA), seed=seed
    )
    with pair_bar(pairs, "pairs split") as done:
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
    with pair_bar(pairs, "pairs looked at") as done:
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
    with pair_bar(pairs, "pairs compared") as done:
        made = dedup_pairs(pairs, to, settings, done=done)
    _print_made(made, as_json=json)


def decontaminate(
    pairs: PairFolder,
    to: To,
    against: Annotated[list[str], typer.Option("--against", help="A benchmark; may be given several times.")],
    near: Near = 0.8,
    exact: Annotated[bool, typer.Option("--exact", help="Drop only equal texts, not near ones.")] = False,
    projects: Annotated[
        bool, typer.Option("--projects", help="Also drop pairs from the bugs' repositories and from others of the same name.")
    ] = False,
    forks: Annotated[
        Path | None, typer.Option("--forks", help="Also drop pairs from these repositories: a file with one OWNER/NAME per line.")
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
    with asked_embedder(embedding_model, base_url) as embedder, pair_bar(pairs, "pairs compared") as done:
        made = decontaminate_pairs(pairs, to, benchmarks, settings, embedder=embedder, done=done)
    _print_made(made, as_json=json)


def export(
    pairs: PairFolder,
    form: Annotated[str, typer.Argument(help=f"The form: {', '.join(EXPORTS)}.")],
    to: To,
    json: Json = False,
) -> None:
    """Write a set in another tool's form."""
    with pair_bar(pairs, "pairs written") as done:
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


def _print_made(made: Rewritten | ExportedPairs, *, as_json: bool) -> None:
    if as_json:
        print_json(to_data(made) | {"folder": str(made.folder)})
        return
    for reason, n in made.dropped.items():
        say(f"dropped {n}: {reason}")
    splits = ", ".join(f"{name} {n}" for name, n in made.splits.items())
    n_dropped = sum(made.dropped.values())
    why = f"; {n_dropped} dropped, see {made.folder / DROPPED}" if n_dropped else ""
    write(f"{count(sum(made.splits.values()), 'pair')} written to {made.folder}: {splits}{why}")


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
