"""Programs in workspaces: what they find there, what becomes of what they do, and that nothing else does."""

import http.server
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.core.problem import Visibility, shown
from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.repairer import OverBudget
from repairlab.runs.experiment import Experiment
from repairlab.runs.messages import Task
from repairlab.runs.repairing import open_repairer
from repairlab.runs.store import Store
from repairlab.runs.transcripts import Transcripts
from repairlab.sandbox.process import Fence, ProcessSandbox
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine

SECRET = "SECRET-TOKEN-7731"
"""In every hidden thing of the benchmark."""
SHOWN = Visibility()


@pytest.fixture
def shop(tiny: Path) -> Bug:
    """Return a bug whose tests, fix and neighbours hold a secret."""
    for path in ("bugs/shop/buggy/tests/test_cart.py", "bugs/shop/fix.patch", "bugs/sum/cases/01.out", "bugs/sum/fix.patch"):
        text = (tiny / path).read_text()
        (tiny / path).write_text(text.replace("return sum(self.prices)", f"return sum(self.prices)  # {SECRET}") + f"# {SECRET}\n")
    (tiny / "bugs/shop/buggy/tests/data").mkdir()
    (tiny / "bugs/shop/buggy/tests/data/expected.txt").write_text(SECRET)
    return open_benchmark(str(tiny)).bug("shop")


class Start:
    """Starts programs for a bug and returns their candidates."""

    def __init__(self, bug: Bug, sandbox: Sandbox, machine: Machine, folder: Path) -> None:
        self.bug, self.sandbox, self.machine, self.folder = bug, sandbox, machine, folder
        self.folder.mkdir()

    def __call__(self, command: str, *, n: int = 1, visibility: Visibility = SHOWN, **more: Any) -> list[Candidate]:
        settings = CommandSettings(command=command, **{"wall_s": 120.0, "memory_mb": 512, "disk_mb": 64, **more})
        experiment = Experiment(benchmark="tiny", repairer="command", n=n, visibility=visibility, settings=settings)
        task = Task(
            bug=self.bug,
            experiment=experiment,
            folder=self.folder,
            machine=self.machine,
            environment="",
            tools="",
            given=None,
            candidates={},
            outcomes={},
            given_up={},
        )
        with open_repairer(task, lambda text: None, self.sandbox) as repairer:
            return list(repairer.propose(shown(self.bug.problem, visibility), ()))

    def log(self, candidate: Candidate) -> str:
        return Transcripts(Store(self.folder)).text(candidate.origin.answer) or ""

    def changed(self, candidate: Candidate) -> dict[str, str | None]:
        files = {self.bug.problem.path: self.bug.problem.source, **{file.path: file.text for file in self.bug.problem.context}}
        return apply_edits(candidate.edits, files)


@pytest.fixture
def start(shop: Bug, sandbox: Sandbox, machine: Machine, tmp_path: Path) -> Start:
    return Start(shop, sandbox, machine, tmp_path / "run")


def test_a_program_finds_the_buggy_tree_under_git_without_tests(start: Start) -> None:
    (made,) = start("find . -path ./.git -prune -o -print | sort; git log --format=%s; git status --short; cat ISSUE.md")
    said = start.log(made)
    files = [".", "./.repairlab", "./ISSUE.md", "./check", "./shop", "./shop/__init__.py", "./shop/cart.py"]
    assert said.split("\n")[1:10] == [*files, "The buggy tree", "# Total ignores the last item"]
    assert "`Cart.total`" in said
    assert made.problem == "the program changed nothing that counts (exited with code 0)"


def test_what_it_changed_is_the_candidate_and_each_start_is_fresh(start: Start) -> None:
    program = (
        'test -e new.txt && exit 1; sed -i "s/\\[:-1\\]//" shop/cart.py; echo "$REPAIRLAB_ATTEMPT" > new.txt; git commit -qam x'
    )
    made = start(program, n=2)
    assert [start.changed(candidate)["new.txt"] for candidate in made] == ["0\n", "1\n"]
    for candidate in made:
        assert "return sum(self.prices)\n" in str(start.changed(candidate)["shop/cart.py"])
        assert dict(candidate.origin.settings)["ended"] == "exited with code 0"


def test_tests_and_settings_of_tests_are_no_part_of_it(start: Start) -> None:
    (made,) = start("mkdir tests; echo x > tests/test_cart.py; echo x > conftest.py; echo x > shop/__init__.py; echo x >> ISSUE.md")
    assert list(start.changed(made)) == ["shop/__init__.py"]
    left_out = dict(made.origin.settings)["left out"]
    assert "'tests/test_cart.py': a test file" in left_out
    assert "'conftest.py': configuration of tests or builds" in left_out
    assert "left out: 'ISSUE.md': no part of the tree\n" in start.log(made)


def test_the_policy_decides_whether_tests_and_other_files_are_shown(start: Start) -> None:
    listing = "find . -type f -not -path './.git/*' | sort; cat ISSUE.md"
    (seen,) = start(listing, visibility=Visibility(tests=True))
    assert "./tests/test_cart.py\n" in start.log(seen)
    assert "- tests/test_cart.py::test_total\n" in start.log(seen)
    (alone,) = start(listing, visibility=Visibility(context=False, localisation="file"))
    assert start.log(alone).split("\n")[1:4] == ["./ISSUE.md", "./check", "./shop/cart.py"]
    assert "Cart.total" not in start.log(alone)


def test_the_tool_chain_is_there(start: Start) -> None:
    (made,) = start('python3 -c "import shop.cart"; git --version; cc --version')
    assert "gcc" in start.log(made) or "cc" in start.log(made)
    assert "not found" not in start.log(made)


def test_diffs_on_standard_output_are_candidates_and_errors_are_not(start: Start) -> None:
    program = """\
sed -i 's/\\[:-1\\]//' shop/cart.py; git diff; echo patch 2 >&2; echo
sed -i 's/sum/max/' shop/cart.py; git diff; echo --; git diff >&2"""
    made = start(program, candidates_from="stdout", n=5)
    assert [str(start.changed(candidate)["shop/cart.py"]).split("\n")[-2].strip() for candidate in made] == [
        "return sum(self.prices)",
        "return max(self.prices)",
    ]


# Hostile programs

FILL = "for number in $(seq 25); do head -c 40M /dev/zero > big-$number; done"
"""Writes a gigabyte."""


def test_nothing_hidden_can_be_found(start: Start) -> None:
    folders = "/work /tree /home /tmp /root /opt /var /srv /mnt /media /run /dev /etc /boot"
    program = f"""\
grep -rsl {SECRET.replace("-", "[-]")} {folders} && echo FOUND
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep {SECRET.replace("-", "[-]")} && echo FOUND
git log --all -p | grep {SECRET.replace("-", "[-]")} && echo FOUND
ls -d {start.bug.tree.source} {start.folder} {start.machine.cache}/verdicts* {Path(__file__).parents[2] / "src"} && echo FOUND
echo searched"""
    (made,) = start(program)
    said = start.log(made).removeprefix(f"$ {program}\n")
    assert "searched" in said
    assert "FOUND" not in said


def test_the_key_and_the_environment_of_the_user_stay_outside(
    start: Start, networked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    (made,) = start("env; cat /proc/*/environ | tr '\\0' '\\n'", model="openai/gpt-4o", base_url="http://127.0.0.1:9/v1")
    assert SECRET not in start.log(made)
    assert "OPENAI_API_KEY=none" in start.log(made)
    assert "OPENAI_BASE_URL=http://127.0.0.1:8000/v1" in start.log(made)


@pytest.mark.parametrize(
    ("program", "ended", "edits"),
    [
        ("sleep 1000", "ended by the time limit", []),
        ("echo '#' >> shop/cart.py; while :; do :; done", "ended by the CPU limit", ["shop/cart.py"]),
        ("echo '#' >> shop/cart.py; yes", "ended by the output limit", ["shop/cart.py"]),
        (f"echo '#' >> shop/cart.py; {FILL}; sleep 1000", "ended by the disk limit", ["shop/cart.py"]),
        ("kill -9 $$", "ended by signal 9", []),
        ("exit 7", "exited with code 7", []),
        ("rm -rf * .git .repairlab; exit 0", "exited with code 0", ["shop/__init__.py", "shop/cart.py"]),
    ],
)
def test_a_program_ends_by_its_limits_and_what_it_did_by_then_counts(
    start: Start, program: str, ended: str, edits: list[str]
) -> None:
    (made,) = start(program, wall_s=3.0 if "sleep" in program else 100.0, cpu_s=2.0 if "while" in program else 50.0, output_mb=1.0)
    assert [edit.path for edit in made.edits] == edits
    assert dict(made.origin.settings)["ended"] == ended


def test_a_workspace_with_traps_is_read_without_springing_them(start: Start, tmp_path: Path) -> None:
    mark = tmp_path / "sprung"
    mark.parent.chmod(0o777)
    program = f"""\
mkdir -p .git/hooks
for hook in post-checkout pre-commit fsmonitor post-index-change; do
    printf '#!/bin/sh\\ntouch {mark}\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook
done
git config core.fsmonitor 'touch {mark}'; git config diff.external 'touch {mark}'; git config filter.x.clean 'touch {mark}'
printf '* filter=x diff=x\\n' > .gitattributes
ln -s /etc/passwd stolen; ln -s ../../../../.. up; mkfifo pipe; mknod device c 1 3; ln shop/cart.py twin
printf '\\211PNG\\377' > image.png; chmod 000 shop/__init__.py; mkdir closed; echo x > closed/y; chmod 000 closed
echo '#' >> shop/cart.py"""
    (made,) = start(program)
    assert not mark.exists()
    changed = start.changed(made)
    assert str(changed["shop/cart.py"]).endswith("#\n")
    assert set(changed) <= {"shop/cart.py", ".gitattributes", "twin", "closed/y"}
    left_out = dict(made.origin.settings)["left out"]
    assert "'stolen': no plain file" in left_out
    assert "'image.png': no UTF-8 text" in left_out


def test_daemons_die_with_the_program(start: Start) -> None:
    (made,) = start(
        "(setsid sleep 98761 &) ; (setsid sh -c 'sleep 1; echo late > late.txt; sleep 98762' &) ; echo '#' >> shop/cart.py"
    )
    assert [edit.path for edit in made.edits] == ["shop/cart.py"]
    found = subprocess.run(["pgrep", "-f", "sleep 9876[12]"], capture_output=True, text=True, check=False)
    assert found.stdout == ""


def test_no_workspace_is_left_behind(start: Start) -> None:
    (made,) = start("pwd; cat /proc/self/mountinfo")
    _, place, *mounts = start.log(made).split("\n")
    if place in ("/work", "/tree"):
        (place,) = (line.split()[3] for line in mounts if line.count(" ") > 8 and line.split()[4] == place)
    assert not Path(place).parent.exists()


@pytest.mark.parametrize("what", ["package", "benchmark", "run", "above"])
def test_what_is_hidden_cannot_be_mounted(start: Start, what: str) -> None:
    hidden = {
        "package": Path(__file__).parents[2] / "src",
        "benchmark": Path(start.bug.tree.source),
        "run": start.folder,
        "above": Path("/"),
    }
    with pytest.raises(UserError, match="hidden"):
        start("true", mounts=(str(hidden[what]),))
    with pytest.raises(UserError, match="whole path"):
        start("true", mounts=("relative",))


def test_a_sandbox_that_hides_nothing_is_refused(start: Start) -> None:
    start.sandbox = ProcessSandbox(start.machine.cache, allow_unsafe=True)
    with pytest.raises(UserError, match="the sandbox process hides nothing"):
        start("true")


@pytest.mark.parametrize(
    ("reached", "named"),
    [({"model": "llamacpp/tiny", "base_url": "http://127.0.0.1:9/v1"}, "model"), ({"addresses": ("localhost:9",)}, "address")],
)
def test_a_sandbox_without_network_is_refused_where_a_program_needs_one(start: Start, reached: dict[str, Any], named: str) -> None:
    start.sandbox = ProcessSandbox(start.machine.cache, fence=Fence(name="landlock", allow=lambda command, tree: ()))
    with pytest.raises(UserError, match=f"the sandbox landlock has no network, so the program could not reach the {named}"):
        start("true", **reached)


# Models and addresses


@pytest.fixture
def model(networked: None) -> Iterator[str]:
    """Run a server that answers every chat with ten tokens in and five out."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"plain page")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


ASK = """\
python3 - <<'END'
import os, urllib.request, json
for number in range(5):
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps({"messages": []}).encode())
    print(number, urllib.request.urlopen(request).status, flush=True)
END
sleep 1000"""


def test_a_token_limit_ends_the_program(start: Start, model: str) -> None:
    (made,) = start(ASK, model="llamacpp/tiny", base_url=model, token_limit=40)
    assert dict(made.origin.settings)["ended"] == "ended by the token limit"
    assert (made.origin.tokens_in, made.origin.tokens_out) == (30, 15)
    assert "2 200" in start.log(made)
    assert "3 200" not in start.log(made)


def test_the_cost_limit_of_the_run_ends_the_run(start: Start, model: str, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"llamacpp/tiny" = { input = 1.0, output = 1.0 }\n')
    access = Access(cost_limit_usd=20e-6, prices=str(prices))
    start.machine = Machine(cache=start.machine.cache, sandbox=start.machine.sandbox, access=access)
    with pytest.raises(OverBudget, match="--cost-limit"):
        start(ASK, model="llamacpp/tiny", base_url=model)


def test_a_cost_limit_needs_a_price(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    with pytest.raises(UserError, match="price"):
        start("true", model="openai/unknown", cost_limit_usd=1.0)


def test_a_named_address_is_a_port_of_the_loopback(start: Start, model: str) -> None:
    port = model.split(":")[2].split("/", maxsplit=1)[0]
    program = f"""\
python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/').read())"; echo $REPAIRLAB_ADDRESSES"""
    (made,) = start(program, addresses=(f"127.0.0.1:{port}",))
    assert "plain page" in start.log(made)
    assert f"127.0.0.1:{port}=127.0.0.1:{port}" in start.log(made)
    (without,) = start(program)
    assert "plain page" not in start.log(without)
