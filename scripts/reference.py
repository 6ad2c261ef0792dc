"""Generate what the pages of docs/reference repeat of the code.

.venv/bin/python scripts/reference.py            # write it between the marks of each page
.venv/bin/python scripts/reference.py --check    # exit 1 and name the pages that are out of date
"""

import argparse
import ast
import dataclasses
import inspect
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from typer.main import get_command

from repairlab.building.importers.pairs import PAIR_SETS
from repairlab.building.importers.table import SOURCES
from repairlab.cli.main import GROUPS, app_of
from repairlab.cli.sections import help_record
from repairlab.core.problem import Visibility
from repairlab.formats.table import FORMS
from repairlab.languages.facts import LANGUAGES, facts
from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.training.settings import SystemSettings, load_system, system_names
from repairlab.repairers.llm.prompts.table import FORMS as STRATEGY_FORMS
from repairlab.repairers.templates.catalogue import INSERTIONS, PATTERNS, Insertion, Pattern
from repairlab.runs.experiment import Experiment

if TYPE_CHECKING:
    from typer._click import Context, Parameter  # typer brings its own copy of click

DOCS = Path(__file__).resolve().parent.parent / "docs" / "reference"
BEGIN, END = "<!-- Written by scripts/reference.py: begin -->\n", "<!-- end -->\n"
SHARED = 3
"""An option that so many verbs have is explained once."""


class Option(NamedTuple):
    """An option or argument of a verb, as a row of a table."""

    flags: str
    about: str
    section: str
    is_argument: bool

    @property
    def short(self) -> str:
        """Return its longest flag."""
        flags: list[str] = re.findall(r"--?[\w-]+", self.flags)
        return f"`{max(flags, key=len)}`"


def commands() -> Iterator[tuple[str, str, str, list[Option]]]:
    """Yield group, name, help text and options of every verb, and of the verbs of a verb."""
    for group, verbs in GROUPS.items():
        for verb in verbs:
            command = get_command(app_of(verb))
            inner = getattr(command, "commands", {})
            for name, item in inner.items() if inner else [("", command)]:
                context = item.make_context(name or verb, [], resilient_parsing=True)
                found = [option for parameter in item.get_params(context) if (option := option_of(parameter, context))]
                yield group, f"{verb} {name}".strip(), inspect.cleandoc(item.help or ""), found


def option_of(parameter: "Parameter", context: "Context") -> Option | None:
    """Return what help says of a parameter; nothing for --help and what is hidden."""
    shown = help_record(parameter, context)
    if shown is None or shown[0] == "--help":
        return None
    flags, about = shown
    is_argument = parameter.param_type_name == "argument"
    if is_argument:
        flags = f"`{flags}`" if parameter.required else f"`[{flags}]`"
    else:
        flags = " / ".join(f"`{text}`" for text in flags.split(" / "))
    flags = flags.replace("...", "…")
    about = about.removesuffix(" [required]").replace(" [default: ]", "")
    about = re.sub(r" \[default: (?:(\S+)|([^\]]*?))\]$", lambda at: f" Default: {f'`{at[1]}`' if at[1] else at[2]}.", about)
    section = getattr(parameter, "rich_help_panel", None)
    return Option(flags=flags, about=plain(about), section=section or "", is_argument=is_argument)


def plain(text: str) -> str:
    """Keep Markdown from reading a text of the command line as markup."""
    return re.sub(r"(`[^`]*`)|([*<_])", lambda found: found[1] or "\\" + found[2], text)


def cli() -> Iterator[str]:
    """Yield the verbs with their options, and the settings of a run."""
    all_commands = list(commands())
    verbs = {(option, name.split()[0]) for _, name, _, options in all_commands for option in options if not option.is_argument}
    often = Counter(option for option, _ in verbs)
    shared = [
        option for option in dict.fromkeys(option for *_, options in all_commands for option in options) if often[option] >= SHARED
    ]
    yield "## Shared options\n"
    yield from table(("option", "meaning"), [option[:2] for option in shared])
    for group, members in groupby(all_commands, key=lambda item: item[0]):
        yield f"## {group}\n"
        for _, name, text, options in members:
            yield f"### repairlab {name}\n"
            yield re.sub(r"For example: (.+)", r"For example: `\1`", text) + "\n"
            own = [option for option in options if option not in shared]
            arguments = [option.flags.strip("`") for option in own if option.is_argument]
            yield f"```\n{' '.join(['repairlab', name, '[OPTIONS]', *arguments])}\n```\n"
            for section, rows in groupby(sorted(own, key=lambda option: bool(option.section)), key=lambda option: option.section):
                yield from [f"**{section}**\n"] if section else ()
                yield from table(("option", "meaning"), [row[:2] for row in rows])
            common = [option.short for option in options if option in shared]
            yield from [f"[Shared options](#shared-options): {', '.join(common)}.\n"] if common else ()
    yield "## Settings\n"
    yield (
        "Options, experiment files and `run.json` share these names and defaults. Settings of a repairer are named after its "
        "options, with `_` for `-`.\n"
    )
    yield from table(("setting", "meaning", "default"), fields_of(Experiment))
    yield "The table `visibility`:\n"
    yield from table(("key", "meaning", "default"), fields_of(Visibility))


def fields_of(kind: type) -> Iterator[Sequence[str]]:
    """Yield name, docstring and default of the fields of a record."""
    tree = ast.parse(inspect.cleandoc(inspect.getsource(kind))).body[0]
    assert isinstance(tree, ast.ClassDef)
    notes: dict[str, str] = {}
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            is_note = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            notes[node.target.id] = str(after.value.value) if is_note else ""  # type: ignore[union-attr]
    for field in dataclasses.fields(kind):
        default = field.default
        shown = "required" if default is dataclasses.MISSING else "none" if default is None else f"`{default}`"
        shown = {"`True`": "true", "`False`": "false", "`()`": "none"}.get(shown, shown.replace("(", "[").replace(")", "]"))
        yield f"`{field.name}`", " ".join(notes[field.name].split()), "see below" if dataclasses.is_dataclass(default) else shown


def importers() -> Iterator[str]:
    """Yield the importers and what each reads and changes."""
    rows = [[f"[`{name}`](#{name})", source.about, ", ".join(source.languages)] for name, source in SOURCES.items()]
    yield from table(("name", "what to give", "languages"), rows)
    yield "## Bug–fix pairs without tests\n"
    yield "These importers write a set of pairs: see [Train your own](../guides/pairs-and-training.md).\n"
    yield from table(("name", "what to give"), ([f"`{name}`", about] for name, about in PAIR_SETS.items()))
    yield "## Details\n"
    for name, source in SOURCES.items():
        yield f"### {name}\n"
        options = ", ".join(f"`{option}`" for option in source.options)
        yield f"Looks for {source.layout}.{f' Options: {options}.' if options else ''}\n"
        yield from ([f"- {note}" for note in source.notes] + [""] if source.notes else ())


def systems() -> Iterator[str]:
    """Yield the systems that can be trained."""
    loaded = {name: load_system(name) for name in system_names()}
    yield from table(
        ("system", "representation", "network", "tokens: source, target", "batch", "learning rate", "length", "beam"),
        (
            [
                f"[`{name}`](#{name})",
                f"`{system.model.representation}`",
                network(system.model.network),
                f"{system.model.max_source}, {system.model.max_target}",
                str(system.training.batch_pairs * system.training.accumulate),
                f"{system.training.learning_rate:g}",
                length(system),
                str(system.model.decoding.beam),
            ]
            for name, system in loaded.items()
        ),
    )
    yield "*Batch* counts pairs per step of the optimiser. *Length* is the most steps or epochs that a training takes.\n"
    for name in loaded:
        text = files("repairlab.learning.training").joinpath(f"systems/{name}.toml").read_text(encoding="utf-8")
        first, *more = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ")]
        yield f"## {name}\n"
        yield first + "\n"
        yield from [" ".join(more) + "\n"] if more else ()
        if preset := tomllib.loads(text).get("npr4j"):
            told = [f"{key} {value}" for key, value in preset_values(preset) if not key.startswith("search.")]
            yield f"Preset `npr4j`: {', '.join(f'`{item}`' for item in told)}.\n"


def preset_values(table: dict[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the settings of a preset by their whole names."""
    for key, value in table.items():
        yield from preset_values(value, f"{path}{key}.") if isinstance(value, dict) else [(f"{path}{key}", value)]


def network(settings: NetworkSettings) -> str:
    """Return a network in a few words."""
    if settings.pretrained:
        return f"`{settings.pretrained}`{f', LoRA of rank {settings.lora_rank}' if settings.lora_rank else ''}"
    layers = f"{settings.encoder_layers} + {settings.decoder_layers} layers of {settings.width}"
    return f"{settings.kind}, {layers}{', copies' if settings.copy else ''}"


def length(system: SystemSettings) -> str:
    """Return what ends a training that does not stop early."""
    return f"{system.training.max_steps} steps" if system.training.max_steps else f"{system.training.epochs} epochs"


def formats() -> Iterator[str]:
    """Yield the formats of candidates, and what is lost in them."""
    rows = [
        (f"`{name}`", plain(form.about), plain(form.writes), form.cannot or "nothing", plain(form.loses))
        for name, form in FORMS.items()
    ]
    yield from table(("format", "files", "writes", "cannot write", "loses"), rows)


def strategies() -> Iterator[str]:
    """Yield the strategies."""
    rows = [(f"`{name}`", form.shows, form.asks, form.needs, form.after) for name, form in STRATEGY_FORMS.items()]
    yield from table(("strategy", "shows", "asks for", "needs", "after"), rows)


def templates() -> Iterator[str]:
    """Yield the fix patterns, by what they change."""
    yield f"{len(PATTERNS)} patterns change a statement and {len(INSERTIONS)} insert one (*insertion*).\n"
    patterns: list[Pattern | Insertion] = [*PATTERNS, *INSERTIONS]
    for module in sorted({pattern.at.__module__ for pattern in patterns}):
        yield f"## {heading(module)}\n"
        yield (sys.modules[module].__doc__ or "").strip().partition("\n")[0] + "\n"
        rows = []
        for pattern in patterns:
            if pattern.at.__module__ == module:
                name = pattern.name + (" (insertion)" if pattern in INSERTIONS else "")
                rows.append((name, languages_with(pattern.trait), first_line(pattern.at)))
        yield from table(("pattern", "languages", "what it does"), rows)


def heading(module: str) -> str:
    """Return the words of a module's name, languages as people write them.

    >>> heading("patterns.c_and_cpp")
    'C and C++'
    >>> heading("patterns.java_javascript_go")
    'Java, JavaScript, Go'
    """
    titles = {name: facts(name).title for name in LANGUAGES}
    names = module.rpartition(".")[2].split("_")
    words = [titles.get(name, name) for name in names]
    text = (", " if titles.keys() >= set(names) else " ").join(words)
    return text[0].upper() + text[1:]


def languages_with(trait: str) -> str:
    """Return the languages with a trait of `catalogue`."""
    return ", ".join(facts(name).title for name in LANGUAGES if trait in facts(name).traits) if trait else "all"


def first_line(function: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(function) or "").partition("\n")[0]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


PAGES: Mapping[str, Callable[[], Iterator[str]]] = {
    "cli.md": cli,
    "formats.md": formats,
    "importers.md": importers,
    "strategies.md": strategies,
    "systems.md": systems,
    "templates.md": templates,
}
"""Page of docs/reference → what yields the lines between its marks."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or name those that are out of date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is out of date")
    options = parser.parse_args(arguments)
    outdated = []
    for name, lines in PAGES.items():
        path = DOCS / name
        text = path.read_text(encoding="utf-8")
        head, _, rest = text.partition(BEGIN)
        new = f"{head}{BEGIN}\n{chr(10).join(lines()).strip()}\n\n{END}{rest.partition(END)[2]}"
        if new == text:
            continue
        outdated.append(name)
        if not options.check:
            path.write_text(new, encoding="utf-8")
    if options.check and outdated:
        print(f"out of date: {', '.join(outdated)}; run scripts/reference.py", file=sys.stderr)
    return 1 if options.check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
