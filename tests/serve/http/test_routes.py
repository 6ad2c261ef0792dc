"""The routes of a real service: verdicts as `validate` gives them, bad input, and nothing hidden in any answer."""

import contextlib
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra web is not installed")

import httpx

import repairlab as rl
from tests.serve.http.conftest import BROKEN, FIXED, MARK, Running

DIFF = (
    "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -7 +7 @@\n-        return sum(self.prices[:-1])\n+        return sum(self.prices)\n"
)
COBOL = b'{"problem": {"language": "cobol", "program": "", "cases": [{"input": "", "expected": ""}]}, "file": ""}'
LEVELS = {"PLAUSIBLE": 1.0, "WRONG": 0.2, "UNAPPLICABLE": 0.0, "UNCOMPILABLE": 0.1}


@pytest.mark.parametrize(
    ("candidate", "verdict"),
    [
        ({"function": FIXED}, "PLAUSIBLE"),
        ({"patch": DIFF}, "PLAUSIBLE"),
        ({"text": f"Sure!\n```python\n{FIXED}```\n"}, "PLAUSIBLE"),
        ({"answer": f"```python\n    {FIXED}```", "strategy": "zero-shot"}, "PLAUSIBLE"),
        ({"answer": "```python\nreturn sum(self.prices)\n```", "strategy": "infill-line"}, "PLAUSIBLE"),
        ({"edits": [{"path": "shop/cart.py", "text": "class Cart: pass\n"}]}, "WRONG"),
        ({"function": BROKEN}, "WRONG"),
        ({"function": "def total(self):\n        return (\n"}, "UNCOMPILABLE"),
        ({"answer": "I am sorry, I cannot help."}, "UNAPPLICABLE"),
        ({"patch": "--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n"}, "UNAPPLICABLE"),
        ({"edits": [{"path": "../../etc/passwd", "text": "x"}]}, "UNAPPLICABLE"),
    ],
)
def test_a_candidate_of_any_form_gets_its_verdict_and_reward(service: Running, candidate: Any, verdict: str) -> None:
    answer = service.validate(bug="tiny/shop", **candidate).json()
    assert answer["verdict"] == verdict and answer["reward"] == LEVELS[verdict]
    assert answer["n_tests"] == 2 and (answer["passed"] == 2) == (verdict == "PLAUSIBLE")


def test_the_same_request_again_is_known(service: Running) -> None:
    body = {"bug": "sum", "function": "def total(numbers):\n    return sum(numbers) + 7\n"}
    first, second = (service.validate(**body).json() for _ in range(2))
    assert second["cached"] and {**first, "cached": True} == second


def test_many_candidates_are_answered_in_order_or_streamed_as_they_are_done(service: Running) -> None:
    body: dict[str, Any] = {"bug": "shop", "candidates": [{"function": BROKEN}, {"bug": "sum", "text": "?"}, {"function": FIXED}]}
    listed = service.validate(**body).json()["outcomes"]
    assert [answer["verdict"] for answer in listed] == ["WRONG", "UNAPPLICABLE", "PLAUSIBLE"]
    streamed = service.validate(**body, stream=True)
    assert streamed.headers["content-type"].startswith("application/x-ndjson")
    lines = [json.loads(line) for line in streamed.text.splitlines()]
    assert {line["index"]: line["verdict"] for line in lines} == {0: "WRONG", 1: "UNAPPLICABLE", 2: "PLAUSIBLE"}


def test_a_judge_problem_comes_with_the_request(service: Running) -> None:
    problem = {
        "language": "python",
        "program": "print(float(input()))\n",
        "cases": [{"input": "1\n", "expected": "0.5\n"}, {"input": "3\n", "expected": "1.5\n"}],
        "checker": {"kind": "float", "absolute": 0.01},
        "limits": {"cpu_s": 1.0},
    }
    programs = ["print(float(input()) / 2 + 0.001)\n", "print(0.5)\n", "while True: pass\n", "print(\n"]
    found = service.validate(problem=problem, candidates=[{"file": text} for text in programs], policy="full").json()["outcomes"]
    assert [answer["verdict"] for answer in found] == ["PLAUSIBLE", "WRONG", "TIMEOUT", "UNCOMPILABLE"]
    assert found[1]["tests"][1]["id"] == "2" and "1.5" in found[1]["tests"][1]["message"]  # who asks knows what is expected


def test_a_checker_may_be_a_program(service: Running) -> None:
    checker = "import sys\nsys.exit(0 if open(sys.argv[2]).read().strip() in ('a', 'b') else 1)\n"
    problem = {
        "language": "python",
        "program": "print('c')\n",
        "cases": [{"input": "", "expected": "a\n"}],
        "checker": {"kind": "program", "language": "python", "files": {"checker.py": checker}},
    }
    found = service.validate(problem=problem, candidates=[{"file": "print('b')\n"}, {"file": "print('d')\n"}]).json()["outcomes"]
    assert [answer["verdict"] for answer in found] == ["PLAUSIBLE", "WRONG"]


def test_rewards_come_from_a_service_by_its_url(service: Running, tokens: dict[str, tuple[str, str]]) -> None:
    completions: list[Any] = [
        FIXED,
        BROKEN,
        None,
        [],
        "\ud800",
        "x" * 3_000_000,
        [{"role": "assistant", "content": f"```\n{FIXED}```"}],
    ]
    for strategy in (None, "zero-shot"):
        with rl.Reward("tiny", url=service.url, token=tokens["alice"][0], strategy=strategy) as reward:
            found = reward(completions=completions, bug=["shop"] * len(completions))
            assert found == [1.0, 0.2, 0.0, 0.0, 0.0, 0.0, 1.0]
            assert reward.compute_score("tiny", FIXED, "tiny/shop") == 1.0
    rows = reward_rows(service, tokens["alice"][0])
    assert [row["bug"] for row in rows] == ["shop", "sum"] and rows[1]["prompt"][0]["role"] == "system"


def reward_rows(service: Running, token: str) -> list[dict[str, Any]]:
    with rl.Reward("tiny", url=service.url, token=token) as reward:
        return reward.rows()


def test_a_scale_and_a_policy_shape_the_reward(service: Running) -> None:
    scale = {"plausible": 10.0, "failing": 0.0, "triggers_pass": 4.0, "share": 1.0}
    broken = service.validate(bug="shop", function=BROKEN, policy="full", scale=scale).json()
    assert broken["passed"] == 1 and broken["reward"] == 2.0
    same = "def total(self):\n        return sum(self.prices[:-1])\n"
    assert service.validate(bug="shop", function=same, scale={"failing": 0.5}).json()["reward"] == 0.0
    assert service.validate(bug="shop", function=FIXED, scale={"least_similarity": 0.99}).json()["reward"] == 0.2


def test_a_deadline_leaves_what_is_not_done_undecided(service: Running) -> None:
    slow = "import time\ntime.sleep(20)\n"
    problem = {"language": "python", "program": slow, "cases": [{"input": "", "expected": "\n"}]}
    found = service.validate(problem=problem, file=slow + "#\n", deadline_s=0.3).json()
    assert found["verdict"] == "UNDECIDED" and found["reward"] is None and "deadline of 0.3 s" in found["message"]


def test_who_goes_away_leaves_nothing_in_the_queue(service: Running) -> None:
    slow = "import time\ntime.sleep({})\n"
    problem = {"language": "python", "program": slow, "cases": [{"input": "", "expected": "\n"}]}
    body = {"problem": problem, "candidates": [{"file": slow.format(10 + number)} for number in range(20)]}
    with pytest.raises(httpx.ReadTimeout):
        service.client.post("/v1/validate", json=body, timeout=0.7)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        numbers = dict(re.findall(r"^(repairlab_\w+) (\S+)$", service.client.get("/metrics").text, re.MULTILINE))
        if numbers["repairlab_queue_waiting"] == "0" and numbers["repairlab_running"] == "0":
            return
        time.sleep(0.2)
    pytest.fail(f"still at work: {numbers}")


def test_a_job_is_done_beside_and_belongs_to_its_client(service: Running, tokens: dict[str, tuple[str, str]]) -> None:
    body = {"bug": "shop", "candidates": [{"function": FIXED}, {"function": BROKEN}, {"text": "no"}]}
    posted = service.client.post("/v1/jobs", json=body)
    assert posted.status_code == 202
    job = posted.json()["id"]
    assert service.client.post("/v1/jobs", json=body).json()["id"] == job
    end = time.monotonic() + 60
    while (found := service.client.get(f"/v1/jobs/{job}").json())["state"] != "done" and time.monotonic() < end:
        time.sleep(0.1)
    assert [answer["verdict"] for answer in found["outcomes"]] == ["PLAUSIBLE", "WRONG", "UNAPPLICABLE"]
    page = service.client.get(f"/v1/jobs/{job}?after=0&limit=1").json()
    assert [answer["index"] for answer in page["outcomes"]] == [1] and page["next"] == 1
    assert job in [item["id"] for item in service.client.get("/v1/jobs").json()["jobs"]]
    with service.client_with(tokens["bob"][0]) as bob:
        assert bob.get(f"/v1/jobs/{job}").status_code == 404
    assert service.client.delete(f"/v1/jobs/{job}").json()["state"] == "done"


def test_wrong_tokens_are_refused_and_some_only_read(service: Running, tokens: dict[str, tuple[str, str]]) -> None:
    for token in (None, "rl-wrong"):
        with service.client_with(token) as stranger:
            refused = stranger.post("/v1/validate", json={"bug": "shop", "function": FIXED})
            assert refused.status_code == 401 and refused.headers["www-authenticate"] == "Bearer"
            assert stranger.get("/v1/bugs/shop").status_code == stranger.get("/metrics").status_code == 401
            assert stranger.get("/v1/health").json()["status"] == "ok"
    with service.client_with(tokens["bob"][0]) as bob:
        assert bob.get("/v1/bugs/shop").json()["path"] == "shop/cart.py"
        assert bob.post("/v1/validate", json={"bug": "shop", "function": FIXED}).status_code == 403
        assert bob.post("/run_code", json={"code": "", "language": "python"}).status_code == 403


@pytest.mark.parametrize(
    ("path", "content", "status", "message"),
    [
        ("/v1/validate", b'{"bug": "shop", ', 400, "not valid JSON"),
        ("/v1/validate", b"[1]", 400, "object"),
        ("/v1/validate", b"\xff\xfe", 400, "not valid JSON"),
        ("/v1/validate", b"[" * 100_000, 400, "not valid JSON"),
        ("/v1/validate", b"{}", 400, "say which bug"),
        ("/v1/validate", b'{"bug": "shop"}', 400, "found none"),
        ("/v1/validate", b'{"bug": "shop", "function": "a", "file": "b"}', 400, "function, file"),
        ("/v1/validate", b'{"bug": "shop", "functoin": "a"}', 400, "functoin"),
        ("/v1/validate", b'{"bug": "shpo", "function": "a"}', 404, "Did you mean 'shop'"),
        ("/v1/validate", b'{"bug": "tyni/shop", "function": "a"}', 404, "unknown benchmark 'tyni'"),
        ("/v1/validate", b'{"bug": "../../etc/passwd", "function": "a"}', 404, "unknown benchmark"),
        ("/v1/validate", b'{"bug": "shop", "answer": "a", "strategy": "zero"}', 400, "unknown strategy 'zero'"),
        ("/v1/validate", b'{"bug": "shop", "file": "a", "policy": "all"}', 400, "policy"),
        ("/v1/validate", b'{"bug": "shop", "candidates": [{"text": "?"}], "text": "?"}', 400, "not both"),
        ("/v1/validate", json.dumps({"bug": "shop", "candidates": [{"text": "?"}] * 300}).encode(), 413, "300 candidates"),
        ("/v1/validate", json.dumps({"bug": "shop", "answer": "x" * 2_000_000}).encode(), 413, "larger than 1 MB"),
        ("/v1/validate", COBOL, 400, "unknown language 'cobol'"),
        ("/v1/jobs", b'{"bug": "shpo", "function": "a"}', 404, "Did you mean 'shop'"),
        ("/run_code", b'{"code": "1", "language": "cobol"}', 422, "cobol"),
        ("/run_code", b'{"code": "1", "language": "python", "files": {"../x": ""}}', 400, "not a path inside"),
        ("/run_code", b'{"code": "1", "language": "python", "files": {"x": "?"}}', 400, "base64"),
        ("/run_code", b'{"code": "1", "language": "python", "run_timeout": 1e9}', 400, "run_timeout"),
        ("/build_patch", b'{"bug_id": "shop", "llm_response": "x"}', 400, "project@sha"),
        ("/build_patch", b'{"bug_id": "tiny@shpo", "llm_response": "x"}', 404, "not found"),
        ("/build_patch", b'{"bug_id": "tiny@shop", "llm_response": "I will not."}', 400, "no code"),
        ("/fix", b'{"bug_id": "tiny@shop", "patch_path": "/etc/passwd"}', 404, "no such patch"),
        ("/reproduce", b'{"bug_id": "tiny@x"}', 404, "not found"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_one_message(service: Running, path: str, content: bytes, status: int, message: str) -> None:
    answer = service.client.post(path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == status and message in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/bugs/shpo", 404),
        ("/v1/bugs/tiny/shpo", 404),
        ("/v1/bugs/shop?strategy=x", 400),
        ("/v1/bugs/shop?localisation=x", 400),
        ("/v1/bugs/sum?strategy=completion", 200),
        ("/v1/bugs/shop?strategy=verdict", 409),
        ("/v1/bugs/shop?localisation=none&strategy=edit", 409),
        ("/v1/bugs/shop?localisation=none&strategy=localise", 409),
        ("/v1/bugs/shop?localisation=none&context=1", 200),
        ("/v1/benchmarks/x", 404),
        ("/v1/jobs/x", 404),
        ("/v1/jobs/x?after=y", 404),
        ("/get_defect/x@y", 404),
        ("/status/%%%", 404),
        ("/nowhere", 404),
        ("/v1/validate", 404),
    ],
)
def test_what_is_not_there_is_told(service: Running, path: str, status: int) -> None:
    assert service.client.get(path).status_code == status


def routes_of(service: Running) -> Iterator[tuple[str, str, bool]]:
    """Yield method, address and whether there is a body, of every route that the service describes."""
    for path, methods in service.client.get("/openapi.json").json()["paths"].items():
        for method, described in methods.items():
            yield method.upper(), re.sub(r"\{[^}]*\}", "x", path), "requestBody" in described


def test_no_route_but_health_and_docs_answers_strangers(service: Running) -> None:
    asked = list(routes_of(service))
    assert len(asked) > 15
    with service.client_with("rl-wrong") as stranger:
        open_to_all = {path for method, path, _ in asked if stranger.request(method, path).status_code != 401}
    assert open_to_all == {"/v1/health", "/docs", "/health"}


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b'{"bug": ', 400, "bad_request"),
        (b"\xff\xfe{}", 400, "bad_request"),
        (b"null", 400, "bad_request"),
        (b"[" * 50_000, 400, "bad_request"),
        (b'"' + b"x" * 2_000_000 + b'"', 413, "too_large"),
    ],
)
def test_every_route_with_a_body_refuses_what_it_cannot_read(service: Running, content: bytes, status: int, code: str) -> None:
    asked = [(method, path) for method, path, has_body in routes_of(service) if has_body]
    assert len(asked) >= 5
    for method, path in asked:
        answer = service.client.request(method, path, content=content, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), path


def test_a_body_of_fifty_megabytes_is_refused_and_the_server_goes_on(service: Running) -> None:
    body = b'{"bug": "shop", "text": "' + b"x" * 50_000_000 + b'"}'
    with contextlib.suppress(httpx.WriteError, httpx.ReadError):  # the connection may be closed while we write
        assert service.client.post("/v1/validate", content=body, headers={"Content-Type": "application/json"}).status_code == 413
    assert service.validate(bug="shop", function=FIXED).json()["verdict"] == "PLAUSIBLE"


def test_the_very_same_request_is_counted_and_refused_as_any_other(service: Running) -> None:
    body: dict[str, Any] = {"candidates": [{"bug": "shop", "function": FIXED}, {"bug": "shop", "text": "nothing at all"}]}
    answers = [service.validate(**body).json() for _ in range(2)]
    before = _known(service)
    assert [service.validate(**body).json() for _ in range(3)] == [answers[1]] * 3
    assert [_known(service)[name] - before[name] for name in ("PLAUSIBLE", "UNAPPLICABLE")] == [3, 3]
    with service.client_with(None) as stranger:
        assert stranger.post("/v1/validate", json=body).status_code == 401


def _known(service: Running) -> dict[str, int]:
    text = service.client.get("/metrics").text
    return {name: int(n) for name, n in re.findall(r'verdicts_total\{cached="yes",verdict="(\w+)"\} (\d+)', text)}


def test_a_body_without_a_length_is_cut_off_and_other_types_are_refused(service: Running) -> None:
    def endless() -> Any:
        for _ in range(100):
            yield b" " * 100_000

    headers = {"Content-Type": "application/json"}
    with contextlib.suppress(httpx.WriteError):  # the connection may be closed while we write
        assert service.client.post("/v1/validate", content=endless(), headers=headers).status_code == 413
    assert service.client.post("/v1/validate", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert service.client.get("/v1/health").status_code == 200


def test_nothing_hidden_is_in_any_answer_of_any_route(service: Running) -> None:
    heard: list[str] = []
    routes: set[str] = set()

    def hear(response: httpx.Response) -> None:
        response.read()
        heard.append(response.text + str(response.headers))

    client = httpx.Client(base_url=service.url, headers=service.client.headers, timeout=60, event_hooks={"response": [hear]})
    known = client.get("/openapi.json").json()["paths"]

    def ask(method: str, route: str, path: str = "", **more: Any) -> httpx.Response:
        routes.add(f"{method} {route}")
        return client.request(method, path or route, **more)

    wrong: list[Any] = [
        {"bug": "shop", "function": text}
        for text in (BROKEN, FIXED, "def total(self):\n        return (\n", "def total(self):\n        raise ValueError(self)\n")
    ]
    wrong += [{"bug": "sum", "function": f"def total(numbers):\n    {text}\n"} for text in ("return 3", "return 1 / 0", "return (")]
    wrong += [{"bug": "shop", "edits": [{"path": "tests/test_cart.py", "text": ""}]}, {"bug": "shop", "text": "no"}]
    for policy in ("first-failure", "full"):
        for stream in (True, False):
            ask("POST", "/v1/validate", json={"candidates": wrong, "policy": policy, "stream": stream, "confirm": 1})
    job = ask("POST", "/v1/jobs", json={"candidates": wrong}).json()["id"]
    ask("GET", "/v1/jobs")
    for bug in ("shop", "sum"):
        for query in ("", "?context=1", "?strategy=zero-shot", "?strategy=infill-line&localisation=line", "?strategy=conversation"):
            ask("GET", "/v1/bugs/{bug}", f"/v1/bugs/{bug}{query}")
        ask("GET", "/get_defect/{bug_id}", f"/get_defect/tiny@{bug}")
        handles = [ask("POST", "/reproduce", json={"bug_id": f"tiny@{bug}"}).json()["handle"]]
        built = ask(
            "POST", "/build_patch", json={"bug_id": f"tiny@{bug}", "llm_response": "```python\ndef total(x):\n    pass\n```"}
        )
        fix = {"bug_id": f"tiny@{bug}", "patch_path": built.json()["fix_p"]}
        handles += [ask("POST", route, json=fix).json()["handle"] for route in ("/fix", "/fix2")]
        for handle in handles:
            end = time.monotonic() + 60
            while ask("GET", "/status/{handle}", f"/status/{handle}").json()["status"] == "running" and time.monotonic() < end:
                time.sleep(0.1)
    ask("GET", "/v1/jobs/{job_id}", f"/v1/jobs/{job}")
    ask("DELETE", "/v1/jobs/{job_id}", f"/v1/jobs/{job}")
    ask("POST", "/run_code", json={"code": "import os\nprint(os.environ, os.listdir('/'))", "language": "python"})
    for path in ("/v1/benchmarks", "/v1/health", "/metrics", "/docs", "/list_defects_bugid", "/list_defects_ids", "/projects"):
        ask("GET", path)
    ask("GET", "/v1/benchmarks/{name}", "/v1/benchmarks/tiny")
    ask("GET", "/health")
    ask("GET", "/reset")
    assert routes == {f"{method.upper()} {path}" for path, methods in known.items() for method in methods}
    assert len(heard) > 40 and "WRONG" in "".join(heard) and "PLAUSIBLE" in "".join(heard)
    client.close()
    assert not [text for text in heard if MARK in text or "repairlab-test-" in text or "Traceback" in text]
