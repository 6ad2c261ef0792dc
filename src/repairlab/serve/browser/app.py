"""The browser's side: addresses, what fills the pages, and what protects them; served until somebody stops it.

Nothing in a page runs but our own script: every text is escaped, and the headers allow no other. Nothing is loaded from outside.
"""

import re
import secrets
import sys
import webbrowser
from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from typing import Annotated, Any, Protocol
from urllib.parse import quote, urlencode, urlsplit

import uvicorn
from fastapi import FastAPI, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.installation import VERSION
from repairlab.core.record import record
from repairlab.serve.browser import bug_pages, leaderboard_pages, run_pages, searching
from repairlab.serve.browser.open_runs import NotReadyError, Workbench
from repairlab.serve.browser.page import Page
from repairlab.serve.browser.rating_desk import RatingDesk
from repairlab.serve.browser.rating_pages import add_leading, add_rating
from repairlab.serve.http.clients import LOOPBACK
from repairlab.serve.http.connections import address_of, is_loopback, listen, server_config
from repairlab.study.page_templates import VERDICTS, environment

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none at all, browsers would not say where a form was sent from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STATIC = {"htmx.min.js": "text/javascript", "view.js": "text/javascript", "view.css": "text/css"}
_COOKIE = "repairlab_view"
_MAX_BODY = 64 << 20
"""Of sheets; forms are smaller."""

Link = Callable[..., str]


class Linking(Protocol):
    """What knows how a page leads to others when there is no server."""

    def link_from(self, here: str) -> Link:
        """Return what makes links on a page."""

    def plan_from(self, here: str) -> bug_pages.Plan:
        """Return what makes links on a page to others that other pages lead to."""


@record
class ViewAccess:
    """Who may see what. Raters' pages need a rater's token and nothing else."""

    hosts: tuple[str, ...]
    """Names under which the server may be asked, so that no other site can have a browser read from it; empty: any."""
    token: str = ""
    """What the reading pages need; empty: they are for everybody who can reach the server, which is this machine alone."""


def address(path: str, **query: object) -> str:
    """Return the address of a page.

    >>> address("/run/a b", page=2, verdict="")
    '/run/a%20b?page=2'
    """
    asked = {key: value for key, value in query.items() if value not in ("", None)}
    return quote(path, safe="/~") + (f"?{urlencode(asked)}" if asked else "")


_SHARED = {"view.css": "style.css", "view.js": "shared.js"}
"""What the report has, too, and stands before our own."""


def static_file(name: str) -> str:
    """Return a file that pages load."""
    own = (resources.files("repairlab.serve.browser") / "static" / name).read_text(encoding="utf-8")
    report = resources.files("repairlab.study") / "templates"
    return (report / _SHARED[name]).read_text(encoding="utf-8") + own if name in _SHARED else own


class Renderer:
    """Makes HTML of pages; `link` says where a page leads to."""

    def __init__(self, bench: Workbench, *, is_static: bool = False) -> None:
        self._bench, self._is_static = bench, is_static
        self._templates = environment("repairlab.serve.browser")

    def __call__(self, page: Page, here: str, link: Link = address) -> str:
        """Return the HTML of a page at a path."""
        values: Mapping[str, Any] = {
            "bench": self._bench,
            "here": here,
            "link": link,
            "is_static": self._is_static,
            "verdict_texts": VERDICTS,
            "version": VERSION,
            **page.values,
        }
        html = self._templates.get_template(page.template).render(values)
        return html.encode("utf-8", "replace").decode("utf-8")  # lone surrogates of hostile candidates cannot be sent


def make_app(bench: Workbench, access: ViewAccess, *, site: Linking | None = None) -> FastAPI:
    """Return the application over what is open; with a `site`, links are those between its files."""
    app = FastAPI(title="repairlab view", openapi_url=None, docs_url=None, redoc_url=None)
    render = Renderer(bench, is_static=site is not None)

    @app.middleware("http")
    async def protect(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = _refusal(request, access) or await call_next(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def apologise(request: Request, message: str, status: int, headers: dict[str, str] | None = None) -> Response:
        page = Page(template="error.html", values={"message": message, "status": status})
        return HTMLResponse(render(page, request.url.path), status_code=status, headers=headers)

    @app.exception_handler(UserError)
    def fail(request: Request, error: UserError) -> Response:
        if isinstance(error, NotReadyError):
            return apologise(request, str(error), 503, {"Refresh": "1", "Retry-After": "1"})
        is_unknown = str(error).startswith("unknown ") or " has no candidate " in str(error)
        return apologise(request, str(error), 404 if is_unknown else 400)

    @app.exception_handler(HarnessError)
    def fail_here(request: Request, error: HarnessError) -> Response:
        return apologise(request, str(error), 503)

    @app.exception_handler(404)
    def missing(request: Request, _error: Exception) -> Response:
        return apologise(request, f"there is no page {request.url.path}", 404)

    def show(request: Request, page: Page) -> HTMLResponse:
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return HTMLResponse(render(page, request.url.path, site.link_from(here) if site else address))

    def plan_from(request: Request) -> bug_pages.Plan:
        return site.plan_from(request.url.path) if site else address

    add_reading(app, bench, show, plan_from)
    if site is None:
        desk = RatingDesk(bench)
        app.router.on_shutdown.append(desk.close)
        add_leading(app, desk, show)
        add_rating(app, desk, show)
    return app


def add_reading(
    app: FastAPI,
    bench: Workbench,
    show: Callable[[Request, Page], HTMLResponse],
    plan_from: Callable[[Request], bug_pages.Plan],
) -> None:
    """Give the application the pages that show runs and benchmarks."""
    Number = Annotated[int, Query(ge=1, le=10**9)]  # noqa: N806  # a type

    @app.get("/")
    def leaderboard(request: Request, benchmark: str = "", language: str = "", label: str = "") -> Response:
        if not bench.runs:
            return RedirectResponse(address(f"/benchmark/{next(iter(bench.benchmarks))}"))
        return show(request, leaderboard_pages.leaderboard_page(bench, benchmark=benchmark, language=language, label=label))

    @app.get("/run/{slug}")
    def run(request: Request, slug: str, page: Number = 1) -> Response:
        return show(request, run_pages.run_page(bench, slug, page=page))

    @app.get("/run/{slug}/live")
    def live(request: Request, slug: str) -> Response:
        return show(request, run_pages.live_page(bench, slug))

    @app.get("/run/{slug}/state")
    def state(slug: str) -> Response:
        return JSONResponse(run_pages.state(bench, slug))

    @app.get("/run/{slug}/candidates")
    def candidates(request: Request, slug: str, verdict: str = "", page: Number = 1) -> Response:
        return show(request, run_pages.candidates_page(bench, slug, verdict=verdict, page=page))

    @app.get("/run/{slug}/bug/{bug_id}")
    def bug_of_run(request: Request, slug: str, bug_id: str, verdict: str = "", page: Number = 1) -> Response:
        return show(request, run_pages.candidates_page(bench, slug, bug_id, verdict=verdict, page=page))

    @app.get("/run/{slug}/bug/{bug_id}/{rank}")
    def candidate(
        request: Request, slug: str, bug_id: str, rank: Annotated[int, Path(ge=1, le=10**9)], against: str = ""
    ) -> Response:
        return show(request, bug_pages.candidate_page(bench, slug, bug_id, rank, against=against))

    @app.get("/benchmark/{slug}")
    def benchmark(request: Request, slug: str, page: Number = 1) -> Response:
        return show(request, bug_pages.benchmark_page(bench, slug, plan_from(request), page=page))

    @app.get("/benchmark/{slug}/{bug_id}")
    def bug(request: Request, slug: str, bug_id: str) -> Response:
        return show(request, bug_pages.bug_page(bench, slug, bug_id))

    @app.get("/compare")
    def compare_choice(request: Request) -> Response:
        return show(request, leaderboard_pages.compare_choice_page(bench))

    @app.get("/compare/{a}/{b}")
    def compare(request: Request, a: str, b: str, k: Number = 1) -> Response:
        return show(request, leaderboard_pages.compare_page(bench, a, b, plan_from(request), k=k))

    @app.get("/beside/{a}/{b}/{bug_id}")
    def beside(a: str, b: str, bug_id: str) -> Response:
        return RedirectResponse(leaderboard_pages.beside_page(bench, a, b, bug_id), status_code=303)

    @app.get("/overlap")
    def overlap(request: Request) -> Response:
        return show(request, leaderboard_pages.overlap_page(bench))

    @app.get("/search")
    def search(request: Request, q: Annotated[str, Query(max_length=1000)] = "") -> Response:
        return show(request, searching.search_page(bench, query=q))

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in _STATIC:
            return PlainTextResponse("no such file", status_code=404)
        return Response(static_file(name), media_type=_STATIC[name])


def _refusal(request: Request, access: ViewAccess) -> Response | None:
    """Return why a request is not answered; none when it is."""
    host = (request.headers.get("host") or "").rsplit(":", 1)[0].strip("[]").lower()
    if access.hosts and host not in access.hosts:
        return PlainTextResponse("this address is not served here", status_code=421)
    length = request.headers.get("content-length", "0")
    if not re.fullmatch("[0-9]{1,9}", length) or int(length) > _MAX_BODY or "transfer-encoding" in request.headers:
        return PlainTextResponse("the request is too large", status_code=413)
    origin = request.headers.get("origin")
    if request.method not in ("GET", "HEAD") and origin and urlsplit(origin).netloc != request.headers.get("host"):
        return PlainTextResponse("another site may not write here", status_code=403)
    path = request.url.path
    if not access.token or path.startswith(("/rate/", "/static/")):
        return None
    given = request.query_params.get("token", "")
    if given and _is_same(given, access.token):
        response = RedirectResponse(path, status_code=303)
        response.set_cookie(_COOKIE, access.token, httponly=True, samesite="strict")
        return response
    if _is_same(request.cookies.get(_COOKIE, ""), access.token):
        return None
    return PlainTextResponse("a token is needed: open the address that `repairlab view` printed", status_code=403)


def _is_same(given: str, token: str) -> bool:
    """Compare a token in a time that tells nothing of it."""
    return secrets.compare_digest(given.encode("utf-8", "surrogatepass"), token.encode())


PATIENCE_S = 30.0
"""How long a browser may take to send the head of a request."""


def serve(bench: Workbench, *, host: str, port: int, opens_browser: bool, started: Callable[[str], None]) -> None:
    """Listen, say where, and answer until Ctrl-C."""
    listening = listen(host, port)
    is_local = is_loopback(host)
    access = ViewAccess(hosts=LOOPBACK if is_local else (), token="" if is_local else secrets.token_urlsafe(18))
    url = f"{address_of(listening)}/" + (f"?token={access.token}" if access.token else "")
    server = uvicorn.Server(server_config(make_app(bench, access), PATIENCE_S))
    bench.start()
    started(url)
    sys.stdout.flush()
    if opens_browser:
        webbrowser.open(url)
    with listening:
        server.run(sockets=[listening])
