"""The help of a verb with its options in sections: its own first, then those of each repairer."""

from typing import TYPE_CHECKING

from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter  # typer brings its own copy


class SectionedCommand(TyperCommand):
    """A command whose options are listed by the panel that they name."""

    def format_options(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write arguments, then options section by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            shown = parameter.get_help_record(ctx)
            if shown is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                sections.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(shown)
        for name in sorted(sections, key=lambda name: name not in ("Arguments", "Options")):
            with formatter.section(name):
                formatter.write_dl(sections[name])
