"""Requests as the clients of SandboxFusion and Defects4C send them."""

import json
import time
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra web is not installed")

from tests.serve.http.conftest import FIXED, Running


def run_code(service: Running, code: str, *, stdin: str = "", language: str = "python", timeout: float = 10, **more: Any) -> Any:
    """Ask as verl's `call_sandbox_api` does."""
    payload = {"compile_timeout": timeout, "run_timeout": timeout, "code": code, "stdin": stdin, "language": language}
    body = json.dumps({**payload, "files": {}, "fetch_files": [], **more})
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    answer = service.client.post("/run_code", content=body, headers=headers)
    assert answer.status_code == 200
    return answer.json()


def test_a_program_that_works_is_a_success_with_what_it_wrote(service: Running) -> None:
    found = run_code(service, "print(sum(map(int, input().split())))", stdin="1 2 3\n")
    assert found["status"] == "Success" and found["compile_result"] is None
    assert found["run_result"]["status"] == "Finished" and found["run_result"]["return_code"] == 0
    assert found["run_result"]["stdout"] == "6\n" and found["run_result"]["stderr"] == ""


def test_failures_are_told_apart_as_verl_does(service: Running) -> None:
    crash = run_code(service, "import sys\nsys.exit(3)")
    assert crash["status"] == "Failed" and (crash["run_result"]["status"], crash["run_result"]["return_code"]) == ("Finished", 3)
    error = run_code(service, "print(1 / 0)")
    assert error["status"] == "Failed" and "ZeroDivisionError" in error["run_result"]["stderr"]
    late = run_code(service, "while True: pass", timeout=1)
    assert late["status"] == "Failed" and late["run_result"]["status"] == "TimeLimitExceeded"
    syntax = run_code(service, "print(")
    assert syntax["status"] == "Failed" and "SyntaxError" in syntax["run_result"]["stderr"]


def test_compiled_languages_have_a_compile_result(service: Running) -> None:
    code = '#include <cstdio>\nint main() { int a; scanf("%d", &a); printf("%d", a + 1); }'
    good = run_code(service, code, stdin="4", language="cpp")
    assert good["compile_result"]["return_code"] == 0 and good["run_result"]["stdout"] == "5"
    bad = run_code(service, "int main() { return x; }", language="cpp")
    assert bad["status"] == "Failed" and bad["compile_result"]["return_code"] != 0 and bad["run_result"] is None


def test_files_go_in_and_come_out_in_base64_and_links_do_not(service: Running) -> None:
    code = "import os\nopen('out.txt', 'w').write(open('in.txt').read()[::-1])\nos.symlink('/etc/passwd', 'link')\n"
    found = run_code(service, code, files={"in.txt": "YWJj"}, fetch_files=["out.txt", "link", "none"])
    assert found["files"] == {"out.txt": "Y2Jh"}


def test_a_program_has_neither_network_nor_the_host(service: Running) -> None:
    code = (
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', PORT), 1)\n    print('yes')\nexcept OSError: print('no')\n"
    )
    assert run_code(service, code.replace("PORT", service.url.rpartition(":")[2]))["run_result"]["stdout"] == "no\n"


def test_a_client_of_defects4c_goes_from_the_list_to_the_verdict(service: Running) -> None:
    client = service.client
    listed = client.get("/list_defects_bugid").json()
    assert listed["status"] == "success" and "tiny@shop" in listed["defects"] and listed["total_count"] == 2
    defect = client.get("/get_defect/tiny@shop").json()
    assert defect["status"] == "success" and [part["role"] for part in defect["prompt_data"]["prompt"]] == ["system", "user"]
    assert isinstance(defect["prompt_data"]["temperature"], float)
    for answer, status in ((FIXED, "success"), ("def total(self):\n        return 7\n", "FAILED")):
        payload = {"bug_id": "tiny@shop", "llm_response": f"Here:\n```c\n    {answer}```\n", "method": "direct"}
        patch = client.post("/build_patch", json={**payload, "generate_diff": True, "persist_flag": True}).json()
        assert patch["success"] and patch["patch_content"].startswith("--- a/shop/cart.py")
        handle = client.post("/fix2", json={"bug_id": "tiny@shop", "patch_path": patch["fix_p"]}).json()["handle"]
        found = await_status(service, handle)
        assert found["status"] == "completed" and found["fix_status"] == status
        assert found["return_code"] == (0 if status == "success" else 1)
        assert await_status(service, handle) == found


def test_a_bug_is_reproduced(service: Running) -> None:
    handle = service.client.post("/reproduce", json={"bug_id": "tiny@sum", "is_force_cleanup": True}).json()["handle"]
    found = await_status(service, handle)
    # The marks make one expected output wrong, so that the fix fails, too.
    assert found["status"] == "failed" and found["result"] == "the buggy tree is WRONG, the fixed one WRONG"
    handle = service.client.post("/reproduce", json={"bug_id": "tiny@shop"}).json()["handle"]
    assert await_status(service, handle)["return_code"] == 0


def await_status(service: Running, handle: str) -> Any:
    end = time.monotonic() + 60
    while (found := service.client.get(f"/status/{handle}").json())["status"] == "running" and time.monotonic() < end:
        time.sleep(0.1)
    return found
