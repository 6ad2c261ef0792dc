"""The routes of Defects4C's own service, for its clients. Added to the application by `app`.

A bug is called `PROJECT@COMMIT` as there, or `BENCHMARK@BUG` where it comes from elsewhere. Unlike there, a patch that fails is
`FAILED` with return code 1, the second answer is that of the first time, and no log shows a test.
"""

import asyncio
import base64
import hashlib
import json
import random
import re
from pathlib import PurePosixPath
from typing import Any

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import digest, to_data
from repairlab.metrics.reward import RewardScale
from repairlab.runs.patch import Patch, candidate_of_patch
from repairlab.serve.http.clients import ServiceClient
from repairlab.serve.http.jobs import Job
from repairlab.serve.http.requests import BuildPatchRequest, FixRequest, ReproduceRequest, RequestRefused, parse
from repairlab.serve.http.routes import Routes
from repairlab.serve.http.served_bugs import ServedBenchmarks, messages
from repairlab.serve.http.service import AskedPatch, AskedPatches
from repairlab.study.diffs import diff_text
from repairlab.validation.apply import changed_files

_STRATEGY = "infill-function"
_TEMPERATURE = 0.01
_FOLDER = "/patches"
"""What the names of patched files begin with; there is no such folder."""
_REPRODUCE = "reproduce"


class Defects4cError(RequestRefused):
    """A refusal in Defects4C's form."""

    @property
    def data(self) -> dict[str, object]:
        """Return the body of the answer."""
        return {**super().data, "detail": {"error_code": self.code, "message": self.message}}


class DefectNames:
    """Bugs by the names that Defects4C's clients have for them."""

    def __init__(self, benchmarks: ServedBenchmarks) -> None:
        self._places: dict[str, str] = {}
        for name, opened in benchmarks.all.items():
            for bug_id in opened.ids:
                self._places[bug_id if "@" in bug_id else f"{name}@{bug_id}"] = f"{name}/{bug_id}"

    @property
    def all(self) -> list[str]:
        """All names."""
        return sorted(self._places)

    def place(self, name: str) -> str:
        """Return BENCHMARK/BUG; a commit may be longer than ours."""
        if name in self._places:
            return self._places[name]
        project, at, commit = name.partition("@")
        if not at or not project or not commit:
            raise Defects4cError(400, "err_invalid_bug_id_format", "Bug ID must be in format 'project@sha'")
        is_commit = re.fullmatch("[0-9a-fA-F]+", commit) is not None
        found = [place for known, place in self._places.items() if is_commit and "@" in known and name.startswith(known)]
        if len(found) != 1:
            raise Defects4cError(404, "err_record_not_found", f"Defect {name[:200]!r} not found; {len(self._places)} are available")
        return found[0]


class Defects4cRoutes:
    """Prompts, patches and their verdicts, as clients of Defects4C ask for them."""

    def __init__(self, routes: Routes) -> None:
        self._access, self._service, self._jobs = routes.access, routes.service, routes.jobs
        self._names = DefectNames(routes.service.benchmarks)
        self._jobs.kinds[_REPRODUCE] = self._reproduce

    async def list_bug_ids(self, _request: Any, _client: ServiceClient) -> Any:
        """List all bugs (Defects4C)."""
        names = self._names.all
        return {"status": "success", "total_count": len(names), "defects": names, "sample_defects": names[:5]}

    async def list_ids(self, _request: Any, _client: ServiceClient) -> Any:
        """List all bugs (Defects4C)."""
        names = self._names.all
        return {"status": "success", "total_count": len(names), "defect_ids": names, "sample_ids": names[:5]}

    async def projects(self, _request: Any, _client: ServiceClient) -> Any:
        """List all projects (Defects4C)."""
        return {"projects": sorted({name.partition("@")[0] for name in self._names.all})}

    async def health(self, _request: Any, _client: ServiceClient) -> Any:
        """Say that the server lives (Defects4C)."""
        return {"status": "ok"}

    async def get_defect(self, request: Any, _client: ServiceClient) -> Any:
        """Show a bug with its prompt (Defects4C)."""
        return await asyncio.to_thread(self._defect, request.path_params["bug_id"])

    async def reset(self, _request: Any, _client: ServiceClient) -> Any:
        """Show any bug with its prompt (Defects4C)."""
        return await asyncio.to_thread(self._defect, random.choice(self._names.all))

    def _defect(self, name: str) -> dict[str, Any]:
        benchmarks = self._service.benchmarks
        bug = benchmarks.bug(self._names.place(name))
        problem = benchmarks.problem(bug, None)
        prompt = messages(problem, _STRATEGY)
        entry = {"idx": name, "bug_id": name, "temperature": _TEMPERATURE, "prompt": prompt}
        guidance = {
            "src_path": problem.path,
            "language": problem.language,
            "func_start_byte": problem.target.span.start,
            "func_end_byte": problem.target.span.end,
        }
        return {
            "status": "success",
            "defect_id": name,
            "bug_id": name,
            "sha_id": name.partition("@")[2],
            "prompt_data": entry,
            "additional_info": {
                "guidance": guidance,
                "has_source_content": True,
                "source_content_length": len(problem.source),
            },
            "total_defects_available": len(self._names.all),
        }

    async def build_patch(self, request: Any, client: ServiceClient) -> Any:
        """Make a patched file of a model's answer (Defects4C)."""
        self._access.charge(client, 1)
        wanted = parse(BuildPatchRequest, await self._access.body(request))
        return await asyncio.to_thread(self._built, wanted)

    def _built(self, wanted: BuildPatchRequest) -> dict[str, Any]:
        bug = self._service.benchmarks.bug(self._names.place(wanted.bug_id))
        candidate = candidate_of_patch(_read_as(wanted), bug)
        changed = _changed(candidate, bug)
        text = json.dumps(changed, sort_keys=True)
        # Theirs is over the text in lower case, so that two patches may have one name.
        md5 = hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
        project, _, commit = wanted.bug_id.partition("@")
        path = f"{_FOLDER}/{project}/{md5}@{commit}___{PurePosixPath(bug.problem.path).name}"
        self._jobs.store.put_patch(path, wanted.bug_id, text)
        return {
            "success": True,
            "md5_hash": md5,
            "patch_content": diff_text(bug.problem.files, changed),
            "bug_id": wanted.bug_id,
            "sha": commit,
            "fix_p": path,
            "fix_p_diff": f"{path}.patch" if wanted.generate_diff else None,
            "func_start_byte": bug.problem.target.span.start,
            "func_end_byte": bug.problem.target.span.end,
            "content": candidate.edits[0].text,
            "error": None,
            "error_code": None,
        }

    async def fix(self, request: Any, client: ServiceClient) -> Any:
        """Judge a patched file; GET /status/{handle} tells what came of it (Defects4C)."""
        wanted = parse(FixRequest, await self._access.body(request))
        self._access.charge(client, 1)
        place = self._names.place(wanted.bug_id)
        text = self._jobs.store.patch(wanted.patch_path.removesuffix(".patch"), wanted.bug_id)
        if text is None:
            raise Defects4cError(404, "err_patch_not_found", "there is no such patch of this bug; make it with /build_patch")
        md5 = PurePosixPath(wanted.patch_path).name.partition("@")[0]
        key = f"patch_{wanted.bug_id.partition('@')[2]}_{md5}.log"
        edits = [{"path": path, "text": new} for path, new in json.loads(text).items()]
        body = json.dumps({"bug": place, "edits": edits}).encode()
        self._jobs.add(client.name, "validate", body, 1, name=_job_name(client, key))
        return {"handle": base64.b64encode(key.encode()).decode(), "redis_key": key}

    async def reproduce(self, request: Any, client: ServiceClient) -> Any:
        """Show that a bug fails, and passes when it is fixed (Defects4C)."""
        wanted = parse(ReproduceRequest, await self._access.body(request))
        self._access.charge(client, 2)
        place = self._names.place(wanted.bug_id)
        key = f"{_REPRODUCE}_{wanted.bug_id}"
        job = _job_name(client, key)
        known = self._jobs.store.get(job)
        if known is not None and known.state != "running" and wanted.is_force_cleanup:
            self._jobs.store.remove(job)
        self._jobs.add(client.name, _REPRODUCE, place.encode(), 2, name=job)
        return {"handle": base64.b64encode(key.encode()).decode()}

    async def _reproduce(self, job: Job, done: dict[int, str]) -> None:
        """Judge the buggy tree and the reference fix; only their verdicts are stored."""
        opened = await self._service.opened(job.body.decode(), policy="full")
        texts: tuple[list[Any], list[Any]] = ([], [to_data(edit) for edit in opened.bug.oracle.reference])
        asked = AskedPatches(
            patches=tuple(AskedPatch(opened=opened, patch=Patch(text=text, form="edits")) for text in texts),
            scale=RewardScale(),
            deadline_s=float("inf"),
        )
        pending = self._service.begin(f"{job.client} (jobs)", asked)
        async for place, value in self._service.answers(pending):
            if place not in done:
                kept: dict[str, Any] = {key: value[key] for key in ("bug", "verdict", "code", "passed", "n_tests") if key in value}
                await self._jobs.keep(job, place, kept)

    async def status(self, request: Any, client: ServiceClient) -> Any:
        """Tell what came of /fix or /reproduce (Defects4C)."""
        handle = request.path_params["handle"]
        try:
            key = base64.b64decode(handle, validate=True).decode("utf-8")
        except ValueError:
            raise Defects4cError(404, "err_record_not_found", "Handle not found") from None
        job = self._jobs.store.get(_job_name(client, key))
        if job is None:
            raise Defects4cError(404, "err_record_not_found", "Handle not found")
        answers = [json.loads(value) for _, value in self._jobs.store.answers(job.id)]
        head = {"redis_key": key, "handle": handle, "cached": bool(answers and answers[-1].get("cached"))}
        if len(answers) < job.n:
            return {**head, "status": "running"}
        return {**head, **(_reproduced(answers) if job.kind == _REPRODUCE else _fixed(answers[0]))}


def _job_name(client: ServiceClient, key: str) -> str:
    return digest("defects4c", client.name, key)


def _read_as(wanted: BuildPatchRequest) -> Patch:
    if wanted.method.lower() in ("diff", "inline+meta"):
        return Patch(text=wanted.llm_response, form="diff")
    return Patch(text=wanted.llm_response, form=None)


def _changed(candidate: Candidate, bug: Bug) -> dict[str, str | None]:
    try:
        changed = changed_files(candidate, bug)
    except UserError as error:
        raise Defects4cError(400, "err_extract_code_fail", str(error)) from None
    except HarnessError:
        raise Defects4cError(503, "err_src_content_not_cached", "the bug cannot be read any more") from None
    if not changed:
        raise Defects4cError(400, "err_no_patch_content_identified", "the answer changes nothing that counts")
    return changed


def _fixed(answer: dict[str, Any]) -> dict[str, Any]:
    verdict = answer["verdict"]
    is_fixed = verdict == Verdict.PLAUSIBLE
    told = f"{verdict}: {answer.get('passed', 0)} of {answer.get('n_tests', 0)} tests passed" if "n_tests" in answer else verdict
    if verdict == Verdict.UNDECIDED:
        return {"status": "failed", "return_code": -1, "fix_status": "", "fix_log": "", "fix_msg": "", "error": answer["message"]}
    return {
        "status": "completed",
        "return_code": 0 if is_fixed else 1,
        "fix_status": "success" if is_fixed else "FAILED",
        "fix_log": told,
        "fix_msg": answer.get("message", ""),
        "error": "" if is_fixed else told,
        "verdict": verdict,
    }


def _reproduced(answers: list[dict[str, Any]]) -> dict[str, Any]:
    buggy, fixed = (answer["verdict"] for answer in answers)
    is_good = fixed == Verdict.PLAUSIBLE and buggy not in (Verdict.PLAUSIBLE, Verdict.UNDECIDED)
    told = f"the buggy tree is {buggy}, the fixed one {fixed}"
    return {"status": "completed" if is_good else "failed", "return_code": 0 if is_good else 1, "result": told, "error": ""}


def add_routes(routes: Routes) -> None:
    """Add the routes."""
    own = Defects4cRoutes(routes)
    routes.add("GET", "/list_defects_bugid", own.list_bug_ids, "read")
    routes.add("GET", "/list_defects_ids", own.list_ids, "read")
    routes.add("GET", "/projects", own.projects, "read")
    routes.add("GET", "/health", own.health, "open")
    routes.add("GET", "/get_defect/{bug_id:path}", own.get_defect, "read")
    routes.add("GET", "/reset", own.reset, "read")
    routes.add("POST", "/build_patch", own.build_patch, "write", body=BuildPatchRequest)
    routes.add("POST", "/fix", own.fix, "write", body=FixRequest)
    routes.add("POST", "/fix2", own.fix, "write", body=FixRequest)
    routes.add("POST", "/reproduce", own.reproduce, "write", body=ReproduceRequest)
    routes.add("GET", "/status/{handle:path}", own.status, "read")
