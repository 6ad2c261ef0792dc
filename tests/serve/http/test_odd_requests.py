"""Requests that no client of good will sends: each has one clear answer, and the service goes on."""

import json
import socket
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("fastapi", reason="the extra web is not installed")

from repairlab.sandbox.sandbox import Sandbox
from tests.serve.http.conftest import FIXED, Running, running
from tests.serve.http.test_routes import routes_of

PROBLEM: dict[str, Any] = {"language": "python", "program": "print(1)\n", "cases": [{"input": "", "expected": "2\n"}]}


def raw(service: Running, content: bytes, *, patience_s: float = 30) -> bytes:
    """Send bytes and return what comes back until the connection ends, or nothing more comes."""
    place = urlsplit(service.url)
    with socket.create_connection((place.hostname, place.port), timeout=patience_s) as connection:
        heard = b""
        try:
            connection.sendall(content)
            while part := connection.recv(65536):
                heard += part
        except (TimeoutError, ConnectionError):
            pass
        return heard


def head(service: Running, method: str, path: str, *more: str) -> bytes:
    """Return the head of a request, which ends the connection."""
    token = service.client.headers["authorization"]
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: {token}", "Connection: close", *more]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize(
    "body",
    [
        '{"bug": "shop", "text": "?", "scale": {"unapplicable": VALUE}}',
        '{"bug": "shop", "text": "?", "deadline_s": VALUE}',
        '{"problem": {"language": "python", "program": "", "cases": [{"input": "", "expected": ""}], '
        '"checker": {"kind": "float", "absolute": VALUE}}, "file": "1"}',
    ],
)
def test_numbers_that_are_none_are_refused(service: Running, body: str, value: str) -> None:
    answer = service.client.post(
        "/v1/validate", content=body.replace("VALUE", value).encode(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "bad_request"


@pytest.mark.parametrize(
    "query", ["limit=-1", "after=-2", "after=99999999999999999999", "limit=x", f"limit={'9' * 5000}", "after=1.5"]
)
def test_a_page_of_a_job_that_cannot_be_is_refused(service: Running, query: str) -> None:
    job = service.client.post("/v1/jobs", json={"bug": "shop", "text": "?"}).json()["id"]
    answer = service.client.get(f"/v1/jobs/{job}?{query}")
    assert answer.status_code == 400 and "whole number" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "name", ["%00", "shop%00", "%ff%fe", "%F0%9F%90%9B", "é", "..%2f..", "%2e%2e/%2e%2e", "a" * 5000, "%0d%0aX: 1", "{}"]
)
def test_names_of_any_characters_are_unknown_on_every_route(service: Running, name: str) -> None:
    asked = [(method, path) for method, path, _ in routes_of(service) if "/x" in path]
    assert len(asked) >= 5
    for method, path in asked:
        answer = service.client.request(method, path.replace("/x", f"/{name}"))
        assert answer.status_code in (400, 404) and answer.json()["error"]["message"], path


@pytest.mark.parametrize(
    "name", ["\0", "shop\0", "\U0001f41b", "\u202eshop", "shop ", "/", "//", "tiny/", "tiny/../tiny/shop", "a" * 100_000]
)
def test_ids_of_any_characters_in_a_body_are_unknown(service: Running, name: str) -> None:
    for path, body in (
        ("/v1/validate", {"bug": name, "text": "?"}),
        ("/v1/jobs", {"bug": name, "text": "?"}),
        ("/build_patch", {"bug_id": f"tiny@{name}", "llm_response": FIXED}),
        ("/fix", {"bug_id": f"tiny@{name}", "patch_path": name}),
        ("/reproduce", {"bug_id": f"tiny@{name}"}),
    ):
        answer = service.client.post(path, json=body)
        assert answer.status_code == 404 and len(answer.text) < 5000, (path, answer.text[:300])


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "TRACE"])
def test_other_methods_are_unknown_on_every_route(service: Running, method: str) -> None:
    for path in {path for _, path, _ in routes_of(service)}:
        answer = service.client.request(method, path)
        assert answer.status_code in (404, 405) and "Traceback" not in answer.text, path


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"]
)
def test_every_route_with_a_body_wants_json(service: Running, kind: str) -> None:
    for method, path, has_body in routes_of(service):
        if has_body:
            answer = service.client.request(method, path, content=b"{}", headers={"Content-Type": kind})
            assert (answer.status_code, answer.json()["error"]["code"]) == (415, "no_json"), path


@pytest.mark.parametrize(
    ("candidate", "verdict"),
    [
        ({"patch": "--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -0,0 +1 @@\n+x\n"}, "UNAPPLICABLE"),
        ({"patch": "--- /dev/null\n+++ /etc/x\n@@ -0,0 +1 @@\n+x\n"}, "UNAPPLICABLE"),
        ({"edits": [{"path": "../x.py", "text": "x"}]}, "UNAPPLICABLE"),
        ({"edits": [{"path": "/etc/passwd", "text": "x"}]}, "UNAPPLICABLE"),
        ({"edits": [{"path": "shop/\0.py", "text": "x"}]}, "UNAPPLICABLE"),
        ({"edits": [{"path": "", "text": "x"}]}, "UNAPPLICABLE"),
        ({"edits": [{"path": "shop/cart.py/x.py", "text": "x"}]}, "UNAPPLICABLE"),
        ({"edits": [{"path": "x" * 5000, "text": "x"}]}, "UNAPPLICABLE"),
        ({"edits": [{"path": "shop", "text": "x"}]}, "UNAPPLICABLE"),
        ({"edits": [{"path": "shop/cart.py", "text": "x", "span": {"start": 5, "end": 2}}]}, "UNAPPLICABLE"),
        ({"edits": [{"path": "shop/cart.py", "text": "x", "span": {"start": 0, "end": 10**18}}]}, "UNAPPLICABLE"),
        ({"edits": []}, "WRONG"),
        ({"edits": [{"path": "shop/cart.py", "text": None}]}, "CRASH"),
        ({"function": "\0"}, "UNCOMPILABLE"),
        ({"file": ""}, "UNAPPLICABLE"),
        ({"text": "\u0000\u202e\U0001f41b"}, "UNAPPLICABLE"),
    ],
)  # fmt: skip
def test_candidates_that_make_no_sense_have_a_verdict(service: Running, candidate: dict[str, Any], verdict: str) -> None:
    answer = service.validate(bug="shop", **candidate)
    assert answer.status_code == 200, answer.text
    assert answer.json()["verdict"] == verdict, answer.json()["message"]


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        ({"cases": []}, 400),
        ({"cases": [{"input": "", "expected": "", "id": "a"}] * 2}, 400),
        ({"cases": [{"input": "", "expected": "", "id": "../../x\0"}]}, 200),
        ({"checker": {"kind": "program", "language": "python", "files": {"../checker.py": ""}}}, 400),
        ({"checker": {"kind": "program", "language": "python", "files": {"a": "", "a/b": ""}}}, 400),
        ({"checker": {"kind": "program", "language": "python"}}, 400),
        ({"checker": {"kind": "tokens", "files": {"x": ""}}}, 400),
        ({"limits": {"cpu_s": 0}}, 400),
        ({"limits": {"memory_mb": 10**9}}, 400),
        ({"language": "../python"}, 400),
        ({"language": "java", "program": f"public class {'x' * 300} {{}}"}, 400),
    ],
)
def test_problems_that_make_no_sense_are_refused(service: Running, problem: dict[str, Any], status: int) -> None:
    answer = service.validate(problem={**PROBLEM, **problem}, file="print(2)\n")
    assert answer.status_code == status, answer.text
    assert status == 400 or answer.json()["verdict"] == "WRONG"


@pytest.mark.parametrize(
    "more",
    [
        {"files": {"a": "", "a/b": ""}},
        {"files": {"main.py/x": ""}},
        {"files": {"x" * 300: ""}},
        {"files": {"x\0": ""}},
        {"fetch_files": ["x" * 5000]},
        {"fetch_files": ["x\0"]},
        {"fetch_files": ["main.py/x"]},
    ],
)
def test_files_that_cannot_be_are_the_fault_of_the_request(service: Running, more: dict[str, Any]) -> None:
    answer = service.client.post("/run_code", json={"code": "print(1)", "language": "python", **more})
    assert answer.status_code == 400 or answer.json()["status"] == "Success", answer.text


def test_a_handle_that_is_no_handle_is_not_found(service: Running) -> None:
    for handle in ("é", "%00", "////", "AAAA", "/w==", "a" * 5000):
        assert service.client.get(f"/status/{handle}").status_code == 404, handle


def test_keys_that_come_twice_count_once(service: Running) -> None:
    assert service.client.get("/v1/bugs/shop?localisation=x&localisation=line").status_code in (200, 400)
    body = b'{"bug": "nobody", "bug": "shop", "text": "?"}'
    answer = service.client.post("/v1/validate", content=body, headers={"Content-Type": "application/json"})
    assert answer.json()["verdict"] == "UNAPPLICABLE"


def test_what_is_no_http_is_refused_and_an_upgrade_is_none(service: Running) -> None:
    assert b" 400 " in raw(service, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 100).split(b"\r\n")[0]
    upgrade = (
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    )
    asked = head(service, "GET", "/v1/validate", *upgrade).replace(b"Connection: close\r\n", b"")
    assert b" 404 " in raw(service, asked, patience_s=5).split(b"\r\n")[0]
    both = head(
        service, "POST", "/v1/validate", "Content-Length: 5", "Transfer-Encoding: chunked", "Content-Type: application/json"
    )
    assert b" 400 " in raw(service, both + b"0\r\n\r\n").split(b"\r\n")[0]
    assert b" 400 " in raw(service, head(service, "POST", "/v1/validate", "Content-Length: -5")).split(b"\r\n")[0]
    assert service.client.get("/v1/health").status_code == 200


def test_a_body_in_chunks_is_read(service: Running) -> None:
    body = json.dumps({"bug": "shop", "text": "?"}).encode()
    asked = head(service, "POST", "/v1/validate", "Transfer-Encoding: chunked", "Content-Type: application/json")
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    assert b"UNAPPLICABLE" in raw(service, asked + chunks + b"0\r\n\r\n")
    assert raw(service, asked + b"zz\r\n" + body, patience_s=5).split(b" ")[1:2] in ([], [b"400"])


def test_a_head_without_end_is_refused_and_costs_no_memory(service: Running) -> None:
    huge = head(service, "GET", "/v1/benchmarks", "X: " + "x" * 1_000_000)
    many = head(service, "GET", "/v1/benchmarks", *(f"X{number}: {'x' * 100}" for number in range(20_000)))
    for asked in (huge, many, b"GET /" + b"x" * 1_000_000):
        heard = raw(service, asked)  # the connection may be closed while we write
        assert heard == b"" or b" 431 " in heard.split(b"\r\n")[0]
    assert service.client.get("/v1/health", headers={"X": "x" * 50_000}).status_code == 200


def test_who_sends_nothing_for_long_is_hung_up_on(sandbox: Sandbox, tiny: Path, tmp_path: Path) -> None:
    with running(tiny, "--state", tmp_path / "state", "--patience", 1) as service:
        for begun in (
            b"",
            b"GET /v1/bench",
            b"POST /v1/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        ):
            heard = raw(service, begun, patience_s=60)
            assert heard == b"" or b" 408 " in heard.split(b"\r\n")[0]
        slow = {**PROBLEM, "program": "import time\ntime.sleep(2)\nprint(1)\n"}  # the service itself may take its time
        found = service.client.post("/v1/validate", json={"problem": slow, "file": slow["program"].replace("print(1)", "print(2)")})
        assert found.json()["verdict"] == "PLAUSIBLE"
        time.sleep(1.5)  # and a connection may rest between requests
        assert service.client.get("/v1/health").status_code == 200
