"""The help of a verb: what most people need first, then its other options in sections."""

from textwrap import wrap
from typing import TYPE_CHECKING

from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter  # typer brings its own copy

_MANY = 20
"""A verb with more options explains only those without a section, unless `--help-all` asks for the others."""


class SectionedCommand(TyperCommand):
    """A command whose options are listed by the panel that they name."""

    def format_options(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write arguments, then options section by section."""
        first: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        others: dict[str, list[tuple[str, str]]] = {}
        flags: dict[str, list[str]] = {}
        for parameter in self.get_params(ctx):
            shown, section = parameter.get_help_record(ctx), getattr(parameter, "rich_help_panel", None)
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
