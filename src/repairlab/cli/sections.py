"""The help of a verb: what most people need first, then its other options in sections."""

import re
from textwrap import wrap
from typing import TYPE_CHECKING

from typer._click.exceptions import NoSuchOption  # typer brings its own copy
from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter, Parameter  # typer brings its own copy

_MANY = 20
"""A verb with more options explains only those without a section, unless `--help-all` asks for the others."""
_GUESSED = {
    "--include": "bug bugs filter id ids instance instances instance-ids instance_ids only pattern task tasks task-ids",
    "--to": "folder o out output output-dir output_dir output-path run-dir run-id run_id",
    "--workers": "jobs max-workers max_workers num-workers parallel p procs processes threads",
    "-n": "n-samples num-samples num_samples samples",
}
"""Our options by their names in other tools."""
_PLACEHOLDERS = {"int": "N", "int range": "N", "float": "X", "float range": "X", "path": "PATH"}


def help_record(parameter: "Parameter", ctx: "Context") -> tuple[str, str] | None:
    """Return the name of a parameter with a placeholder for its value, and its help with the default."""
    shown = parameter.get_help_record(ctx)
    if shown is None:
        return None
    name, about = shown
    if parameter.param_type_name == "argument":
        return name.partition(" <")[0].upper(), about.removesuffix("[required]").rstrip()
    return _placed(name), re.sub(r"\s+(\[(?:default: [^\]]*|required)\])$", r" \1", re.sub(r"; x>=\d+|\s*\[x>=\d+\]", "", about))


def _placed(flags: str) -> str:
    """Name the value of an option.

    >>> _placed("-i, --include <list[str]>")
    '-i, --include TEXT...'
    """
    return re.sub(
        r"<(list\[)?([A-Za-z ]+)\]?>", lambda at: _PLACEHOLDERS.get(at[2].lower(), "TEXT") + ("..." if at[1] else ""), flags
    )


class SectionedCommand(TyperCommand):
    """A command whose options are listed by the panel that they name."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Read the command line; an option of another tool is answered with the one that does the same here."""
        try:
            return super().parse_args(ctx, args)
        except NoSuchOption as error:
            guessed = error.option_name.lstrip("-")
            flags = {flag for parameter in self.get_params(ctx) for flag in parameter.opts}
            if named := [ours for ours, theirs in _GUESSED.items() if guessed in theirs.split() and ours in flags]:
                error.possibilities = named
            raise

    def collect_usage_pieces(self, ctx: "Context") -> list[str]:
        """Return the parts of the usage line: required arguments as they are, others in brackets."""
        pieces = " ".join(super().collect_usage_pieces(ctx)).upper()
        return [re.sub(r"(\.{3}\]?)\.{3}", r"\1", re.sub(r"[{}]", "", pieces))]

    def format_options(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write arguments, then options section by section."""
        first: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        others: dict[str, list[tuple[str, str]]] = {}
        flags: dict[str, list[str]] = {}
        for parameter in self.get_params(ctx):
            shown, section = help_record(parameter, ctx), getattr(parameter, "rich_help_panel", None)
            if shown is None:
                continue
            if section is None:
                first["Arguments" if parameter.param_type_name == "argument" else "Options"].append(shown)
                continue
            others.setdefault(section, []).append(shown)
            flags.setdefault(section, []).append("/".join([max(parameter.opts, key=len), *parameter.secondary_opts]))
        is_short = bool(others) and not ctx.find_root().obj and len(first["Options"]) + sum(map(len, others.values())) > _MANY
        for name, rows in {**first, **({} if is_short else others)}.items():
            if rows:
                with formatter.section(name):
                    formatter.write_dl(rows)
        if is_short:
            with formatter.section("More options, explained by --help-all"):
                for name, found in flags.items():
                    text = f"{name}: {', '.join(found)}"
                    lines = wrap(text, formatter.width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
                    formatter.write("".join(f"{line}\n" for line in lines))
