"""Generate the pages of docs/reference that repeat what the code says.

.venv/bin/python scripts/reference.py            # write the pages
.venv/bin/python scripts/reference.py --check    # exit 1 and name the pages that are out of date
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from repairlab.building.importers.pairs import PAIR_SETS
from repairlab.building.importers.table import SOURCES
from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.training.settings import SystemSettings, load_system, system_names

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- Written by scripts/reference.py; do not edit. -->"


def importers() -> Iterator[str]:
    """Yield the page of importers."""
    yield "# Importers\n"
    yield (
        "`repairlab import NAME SOURCE… --to DIR` reads the sources below. All importers take `-i`, `--limit`, `--repeat`, `-j` "
        "and `--json`; [Import a benchmark](../guides/import.md) explains them.\n"
    )
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
    """Yield the page of systems that can be trained."""
    yield "# Systems\n"
    yield (
        "`repairlab train SYSTEM` trains one of these networks. `repairlab train SYSTEM --show` prints every setting; "
        "`--preset small` selects a small twin. [Train your own](../guides/pairs-and-training.md) shows the way.\n"
    )
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


def network(settings: NetworkSettings) -> str:
    """Return a network in a few words."""
    if settings.pretrained:
        return f"`{settings.pretrained}`{f', LoRA of rank {settings.lora_rank}' if settings.lora_rank else ''}"
    layers = f"{settings.encoder_layers} + {settings.decoder_layers} layers of {settings.width}"
    return f"{settings.kind}, {layers}{', copies' if settings.copy else ''}"


def length(system: SystemSettings) -> str:
    """Return what ends a training that does not stop early."""
    return f"{system.training.max_steps} steps" if system.training.max_steps else f"{system.training.epochs} epochs"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


PAGES: Mapping[str, Callable[[], Iterator[str]]] = {
    "reference/importers.md": importers,
    "reference/systems.md": systems,
}
"""Page below docs/ → what yields its lines."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or name those that are out of date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is out of date")
    options = parser.parse_args(arguments)
    outdated = []
    for name, lines in PAGES.items():
        path, text = DOCS / name, f"{NOTE}\n\n" + "\n".join(lines()).strip() + "\n"
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        outdated.append(name)
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if options.check and outdated:
        print(f"out of date: {', '.join(outdated)}; run scripts/reference.py", file=sys.stderr)
    return 1 if options.check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
