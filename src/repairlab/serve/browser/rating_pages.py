"""Pages of raters, each behind a token of their own, and of whoever leads the assessment."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse

from repairlab.core.errors import UserError
from repairlab.serve.browser.bug_pages import diff_values
from repairlab.serve.browser.page import Page
from repairlab.serve.browser.rating_desk import (
    RULE_KEYS,
    Item,
    NoSuchRaterError,
    RatingDesk,
    RatingForm,
    Seat,
    label_keys,
    now,
    read_form,
)
from repairlab.study.assessment.labels import latest
from repairlab.study.assessment.sheets import disagreement_sheet, read_ratings, read_rulings, sheet

_SHOWN = 200
_MOST_FIELDS = 200


def _task_values(desk: RatingDesk, slug: str, item: Item, form: RatingForm) -> dict[str, object]:
    """Return what every form about a task needs."""
    scheme = desk.scheme(slug)
    keys = label_keys(scheme)
    return {
        "bug": item.bug,
        "task": item.task,
        "form": form,
        "question": scheme.question,
        "labels": [(label, text, keys[label]) for label, text in scheme.labels.items()],
        "rules": [(rule, text, RULE_KEYS[rule]) for rule, text in scheme.rules.items()],
        "fix": diff_values(item.bug, item.bug.fix)["against"][:1],
        "evidence": desk.evidence(slug, item.task),
        "n_equal": desk.n_equal(slug, item.task),
        "has_candidate": item.candidate is not None,
        "against": diff_values(item.bug, item.candidate)["against"] if item.candidate else [],
    }


def rater_page(desk: RatingDesk, seat: Seat, task: str, *, problem: str = "") -> Page:
    """Show one task to a rater."""
    item = desk.item(seat.slug, desk.task_of(seat, task))
    n, n_done = desk.store(seat.slug).progress(seat.rater)
    values = {
        "seat": seat,
        "n": n,
        "n_done": n_done,
        "problem": problem,
        **_task_values(desk, seat.slug, item, desk.form(seat, task)),
    }
    return Page(template="rate.html", values=values)


def done_page(desk: RatingDesk, seat: Seat) -> Page:
    """Say that nothing is left to do."""
    n, n_done = desk.store(seat.slug).progress(seat.rater)
    return Page(template="rated.html", values={"seat": seat, "n": n, "n_done": n_done})


def annotation_page(desk: RatingDesk) -> Page:
    """Show where the assessments stand: raters, agreement, disagreements."""
    parts = []
    for slug in desk.slugs:
        store = desk.store(slug)
        seats = [(seat, *store.progress(seat.rater)) for seat in desk.seats(slug)]
        questions = store.open_tasks()
        parts.append((desk.place(slug), seats, desk.agreement(slug), questions[:_SHOWN], len(questions)))
    return Page(template="annotation.html", values={"parts": parts})


def settle_page(desk: RatingDesk, slug: str, task: str, *, problem: str = "", form: RatingForm | None = None) -> Page:
    """Show a disagreement: what was said, without names."""
    item = desk.item(slug, desk.task(slug, task))
    said = latest(rating for rating in desk.store(slug).ratings() if rating.task == task).get(task, {})
    questions = desk.store(slug).open_tasks()
    following = questions[(questions.index(task) + 1) % len(questions)] if task in questions and len(questions) > 1 else None
    values = {
        "run": desk.place(slug),
        "said": sorted(said.values(), key=lambda rating: (rating.label, rating.note)),
        "problem": problem,
        "following": following,
        **_task_values(desk, slug, item, form or RatingForm()),
    }
    return Page(template="settle.html", values=values)


def add_rating(app: FastAPI, desk: RatingDesk, show: Callable[[Request, Page], HTMLResponse]) -> None:
    """Give the application the pages of raters."""

    @app.exception_handler(NoSuchRaterError)
    def refuse(request: Request, error: NoSuchRaterError) -> Response:
        del request
        return PlainTextResponse(str(error), status_code=403)

    @app.get("/rate/{token}")
    def begin(request: Request, token: str, after: str = "") -> Response:
        seat = desk.seat(token)
        task = desk.store(seat.slug).next_task(seat.rater, after=after)
        return RedirectResponse(f"/rate/{token}/task/{task}", status_code=303) if task else show(request, done_page(desk, seat))

    @app.get("/rate/{token}/task/{task}")
    def one(request: Request, token: str, task: str) -> Response:
        return show(request, rater_page(desk, desk.seat(token), task))

    @app.post("/rate/{token}/task/{task}/draft")
    async def draft(request: Request, token: str, task: str) -> Response:
        fields = await _fields(request)

        def keep() -> None:
            seat = desk.seat(token)
            desk.draft(seat, task, read_form(fields, desk.scheme(seat.slug)))

        await run_in_threadpool(keep)
        return Response(status_code=204)

    @app.post("/rate/{token}/task/{task}")
    async def rate(request: Request, token: str, task: str) -> Response:
        fields = await _fields(request)

        def take() -> Response:
            seat = desk.seat(token)
            try:
                desk.rate(seat, task, read_form(fields, desk.scheme(seat.slug)))
            except UserError as error:
                answer = show(request, rater_page(desk, seat, task, problem=str(error)))
                answer.status_code = 400
                return answer
            return RedirectResponse(f"/rate/{token}?after={task}", status_code=303)

        return await run_in_threadpool(take)

    @app.post("/rate/{token}/undo")
    def undo(token: str) -> Response:
        task = desk.undo(desk.seat(token))
        return RedirectResponse(f"/rate/{token}/task/{task}" if task else f"/rate/{token}", status_code=303)

    @app.get("/rate/{token}/sheet.csv")
    def own_sheet(token: str) -> Response:
        return _sheet_of(desk, desk.seat(token))


def add_leading(app: FastAPI, desk: RatingDesk, show: Callable[[Request, Page], HTMLResponse]) -> None:
    """Give the application the pages of whoever leads the assessment."""

    @app.get("/annotation")
    def annotation(request: Request) -> Response:
        return show(request, annotation_page(desk))

    @app.get("/annotation/{slug}/task/{task}")
    def disagreement(request: Request, slug: str, task: str) -> Response:
        return show(request, settle_page(desk, slug, task))

    @app.post("/annotation/{slug}/task/{task}")
    async def settle(request: Request, slug: str, task: str) -> Response:
        fields = await _fields(request)

        def take() -> Response:
            form = read_form(fields, desk.scheme(slug))
            try:
                desk.settle(slug, task, (fields.get("judge") or [""])[0], form)
            except UserError as error:
                answer = show(request, settle_page(desk, slug, task, problem=str(error), form=form))
                answer.status_code = 400
                return answer
            left = desk.store(slug).open_tasks()
            return RedirectResponse(f"/annotation/{slug}/task/{left[0]}" if left else "/annotation", status_code=303)

        return await run_in_threadpool(take)

    @app.get("/annotation/{slug}/disagreements.csv")
    def differing(slug: str) -> Response:
        questions = desk.open_questions(slug)
        views = {label.task: desk.view(desk.item(slug, desk.task(slug, label.task))) for label in questions}
        return _csv(disagreement_sheet(questions, views))

    @app.get("/annotation/{slug}/rater/{rater}.csv")
    def sheet_of(slug: str, rater: str) -> Response:
        return _sheet_of(desk, _seat(desk, slug, rater))

    @app.put("/annotation/{slug}/rater/{rater}.csv")
    async def take_sheet(request: Request, slug: str, rater: str) -> Response:
        body = await request.body()

        def take() -> Response:
            seat, store = _seat(desk, slug, rater), desk.store(slug)
            names, scheme = _names(desk, slug), desk.scheme(slug)
            found = _from_file(body, lambda path: store.add_ratings(read_ratings(path, seat.rater, names, now(), scheme)))
            return PlainTextResponse(f"{found} new ratings")

        return await run_in_threadpool(take)

    @app.put("/annotation/{slug}/disagreements.csv")
    async def take_rulings(request: Request, slug: str, judge: str = "adjudicator") -> Response:
        body = await request.body()

        def take() -> Response:
            store, names, scheme = desk.store(slug), _names(desk, slug), desk.scheme(slug)
            found = _from_file(body, lambda path: store.add_rulings(read_rulings(path, judge, names, now(), scheme)))
            return PlainTextResponse(f"{found} new rulings")

        return await run_in_threadpool(take)


def _names(desk: RatingDesk, slug: str) -> list[str]:
    return [task.id for task in desk.store(slug).tasks()]


def _from_file(body: bytes, read: Callable[[Path], int]) -> int:
    with tempfile.TemporaryDirectory(prefix="repairlab-") as folder:
        path = Path(folder) / "sheet.csv"
        path.write_bytes(body)
        return read(path)


def _seat(desk: RatingDesk, slug: str, rater: str) -> Seat:
    for seat in desk.seats(slug):
        if seat.rater == rater:
            return seat
    raise UserError(f"unknown rater {rater!r}")


def _sheet_of(desk: RatingDesk, seat: Seat) -> Response:
    store = desk.store(seat.slug)
    tasks = store.assignments().get(seat.rater, [])
    views = [desk.view(desk.item(seat.slug, desk.task(seat.slug, task))) for task in tasks]
    said = {task: by_rater[seat.rater] for task, by_rater in latest(store.ratings()).items() if seat.rater in by_rater}
    return _csv(sheet(views, said))


def _csv(text: str) -> Response:
    return Response(text.encode("utf-8", "replace"), media_type="text/csv; charset=utf-8")


async def _fields(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form; what is no form has none."""
    try:
        return parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise UserError(f"the form has more than {_MOST_FIELDS} fields; none of ours has so many") from None
