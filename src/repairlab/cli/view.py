"""`repairlab view`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json, warn_unchecked
from repairlab.cli.output import count, print_json, say, write
from repairlab.core.installation import require
from repairlab.languages.language import default_cache


def view(
    what: Annotated[list[str], typer.Argument(help="Run folders, finished or not, and benchmarks by name or folder.")],
    host: Annotated[str, typer.Option("--host", help="Address to listen on; any but this machine's needs a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0: any free one.")] = 8765,
    export: Annotated[Path | None, typer.Option("--export", help="Write all pages to this new folder instead.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    json: Json = False,
) -> None:
    """Browse runs and benchmarks in a web browser."""
    require("repairlab view", "web", ("fastapi", "uvicorn"))
    from repairlab.serve.browser.open_runs import Workbench  # noqa: PLC0415  # needs the extra, as those below

    warn_unchecked([Path(item) for item in what])
    bench = Workbench(default_cache())
    try:
        bench.open(what)
        if export is not None:
            from repairlab.serve.browser.exporting import export_site  # noqa: PLC0415

            n = export_site(bench, export)
            if json:
                print_json({"site": str(export), "pages": n})
            else:
                write(f"{count(n, 'page')} written to {export}; begin with {export / 'index.html'}")
            return

        from repairlab.serve.browser.app import serve  # noqa: PLC0415

        def started(url: str) -> None:
            if json:
                print_json({"url": url})
            else:
                write(f"Viewing at {url}")
            say("Ctrl-C stops")

        serve(bench, host=host, port=port, opens_browser=not no_browser, started=started)
    finally:
        bench.close()
