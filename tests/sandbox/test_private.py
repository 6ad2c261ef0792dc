"""What a private command does to its tree is gone when it ended, on every back end, with layers and without."""

import dataclasses
import os
import stat
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.sandbox.sandbox import Runner, Sandbox, Sealing
from tests.sandbox.conftest import FORMS, SERVER, form

HARM = """
    import os, pathlib, shutil
    here = pathlib.Path(".")
    (here / "file").write_text("changed")
    (here / "conftest.py").write_text("new")
    (here / "build").mkdir()
    (here / "build" / "tests").write_text("new")
    shutil.rmtree("folder")
    os.mkdir("folder")
    (here / "folder" / "other").write_text("other")
    os.chmod("script", 0o600), os.utime("script", (1, 1))
    os.link("file", "linked"), os.symlink("/etc/passwd", "link")
    os.remove("old link"), os.symlink("folder", "old link")
    for name in ("script", "."):
        try: os.setxattr(name, "user.mark", b"left")
        except OSError: pass
    shutil.move("deep/er", "deep/er still")
    print(sorted(os.listdir(".")), os.listdir("folder"), open("file").read())
    os.chmod(".", 0o755)
    try: os.chmod("deep", 0)
    except OSError: pass
"""


@pytest.fixture(params=FORMS)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return form(request.param, request)


@pytest.fixture(params=["alone", "in a slot"])
def runner(request: pytest.FixtureRequest, sandbox: Sandbox, tree: Path) -> Iterator[Runner]:
    with ExitStack() as stack:
        yield stack.enter_context(sandbox.slot(tree)) if request.param == "in a slot" else sandbox


@pytest.fixture
def laid_out(tree: Path) -> Path:
    for folder in ("folder/inner", "deep/er"):
        (tree / folder).mkdir(parents=True)
    for name in ("file", "script", "folder/file", "folder/inner/file", "deep/er/file"):
        (tree / name).write_text(name)
    (tree / "script").chmod(0o755)
    (tree / "old link").symlink_to("file")
    return tree


def describe(tree: Path) -> list[object]:
    """Return all that can be seen of a tree, but for owners, which root changes, and the times of reading."""
    found: list[object] = []
    for path in sorted([tree, *tree.rglob("*")]):
        entry = path.lstat()
        plain = stat.S_ISREG(entry.st_mode)
        content = path.read_bytes() if plain else os.readlink(path) if path.is_symlink() else None  # noqa: PTH115
        times = None if path.is_symlink() else entry.st_mtime_ns
        attributes = [] if path.is_symlink() else os.listxattr(path)
        found.append(
            (path.relative_to(tree).as_posix(), entry.st_mode, times, entry.st_nlink if plain else None, attributes, content)
        )
    return found


def python(runner: Runner, tree: Path, code: str, *, limits: Limits | None = None) -> Execution:
    return runner.run(Command(argv=("python3", "-c", textwrap.dedent(code)), private=True, limits=limits or Limits()), tree)


def test_what_a_private_command_did_to_its_tree_is_gone(runner: Runner, laid_out: Path) -> None:
    before = describe(laid_out)
    for _ in range(2):
        done = python(runner, laid_out, HARM)
        assert (done.stderr, done.exit_code) == (b"", 0)
        listed = b"['build', 'conftest.py', 'deep', 'file', 'folder', 'link', 'linked', 'old link', 'script'] ['other'] changed\n"
        assert done.stdout == listed
        assert describe(laid_out) == before


SEALED_HARM = """
    import os, pathlib
    ways = {
        "write": lambda: pathlib.Path("folder/file").write_text("x"),
        "add": lambda: pathlib.Path("folder/inner/new").write_text("x"),
        "remove": lambda: os.remove("folder/file"),
        "replace": lambda: os.replace("file", "folder/file"),
        "move": lambda: os.rename("folder", "away"),
        "mode": lambda: os.chmod("folder/file", 0o777),
        "link": lambda: os.link("folder/file", "second"),
        "file": lambda: os.replace("file", "script"),
    }
    for name, way in ways.items():
        try: way()
        except OSError: continue
        print(name)
    pathlib.Path("file").write_text("x"), pathlib.Path("deep/new").write_text("x")
    print(open("folder/file").read(), open("script").read())
"""


DEEPLY_SEALED_HARM = """
    import os, pathlib, shutil
    ways = {
        "write": lambda: pathlib.Path("deep/er/file").write_text("x"),
        "remove": lambda: os.remove("deep/er/file"),
        "replace": lambda: os.replace("file", "deep/er/file"),
        "move": lambda: os.rename("deep/er", "deep/away"),
        "move all": lambda: os.rename("deep", "away"),
        "mode": lambda: os.chmod("deep/er/file", 0o777),
        "empty": lambda: shutil.rmtree("deep/er"),
        "replace folder": lambda: (os.mkdir("new"), os.replace("new", "deep/er")),
    }
    for name, way in ways.items():
        try: way()
        except OSError: continue
        print(name)
    pathlib.Path("deep/er/new").write_text("x"), pathlib.Path("deep/new").write_text("x"), pathlib.Path("new file").write_text("x")
    print(open("deep/er/file").read())
"""


@pytest.mark.parametrize(
    ("harm", "sealed", "says"),
    [
        (SEALED_HARM, ("folder", "script", "old link", "absent"), b"folder/file script\n"),
        (DEEPLY_SEALED_HARM, ("deep/er/file",), b"deep/er/file\n"),
    ],
)
def test_what_is_sealed_cannot_be_changed(
    sandbox: Sandbox,
    runner: Runner,
    request: pytest.FixtureRequest,
    laid_out: Path,
    harm: str,
    sealed: tuple[str, ...],
    says: bytes,
) -> None:
    given = request.node.callspec.params
    has_layers = given["sandbox"] in ("bubblewrap", "user namespace")
    assert isinstance(sandbox, Sealing)
    if not sandbox.seals or not (has_layers or given["runner"] == "alone"):
        pytest.skip("without layers and without another user nothing is sealed, nor in a slot without layers")
    command = Command(argv=("python3", "-c", textwrap.dedent(harm)), private=True, sealed=sealed)
    before = describe(laid_out)
    for _ in range(2):
        done = runner.run(command, laid_out)
        assert (done.stdout.removeprefix(b"link\n"), done.stderr) == (says, b"")  # another name for a file that stays as it is
        assert describe(laid_out) == before
    assert python(runner, laid_out, "open('folder/file', 'w').write('x'), open('deep/er/file', 'w').write('x')").succeeded


def test_what_a_command_changed_of_its_tree_is_told(runner: Runner, laid_out: Path) -> None:
    told = python(runner, laid_out, HARM).changed
    rest = tuple(path for path in told if path not in ("folder", "folder/file", "folder/inner"))
    assert rest == ("deep/er", "file", "old link", "script")
    assert len(told) > len(rest)


def test_what_a_command_added_and_read_is_not_told(runner: Runner, laid_out: Path) -> None:
    code = (
        "import os; open('folder/new', 'w').write(open('file').read()); os.mkdir('deep/new'); os.rename('folder/new', 'deep/new/x')"
    )
    done = python(runner, laid_out, code)
    assert (done.stderr, done.changed) == (b"", ())


RESTORED = """
    import mmap, os
    def put_back(path, write):
        times = os.stat(path)
        write(path)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    def in_place(path):
        with open(path, "r+") as file: file.write("x"), file.seek(0), file.write(path[0]), file.truncate(len(path))
    def replaced(path):
        text = open(path).read()
        os.rename(path, "aside"), open(path, "w").write("x"), os.rename("aside", path)
    put_back("folder/file", in_place), put_back("script", replaced)
"""


def test_what_was_put_back_is_told(sandbox: Sandbox, runner: Runner, request: pytest.FixtureRequest, laid_out: Path) -> None:
    given = request.node.callspec.params
    if given["runner"] == "alone" and given["sandbox"] not in ("bubblewrap", "user namespace") and os.geteuid() == 0:
        pytest.skip("a tree that is handed over and back has new times anyway")
    for _ in range(2):
        done = python(runner, laid_out, RESTORED)
        assert (done.stderr, done.changed) == (b"", ("folder/file", "script"))
    assert python(runner, laid_out, "pass").changed == ()


def test_more_changes_than_can_be_told_are_all(bubblewrap: Sandbox, tree: Path) -> None:
    for number in range(700):
        (tree / f"{number:0200}").touch()
    done = python(bubblewrap, tree, "import os\nfor name in os.listdir(): os.remove(name)")
    assert done.changed.count(".") == 1
    assert 1 < len(done.changed) < 700


def test_it_is_gone_however_the_command_ended(runner: Runner, laid_out: Path) -> None:
    before = describe(laid_out)
    limits = Limits(wall_s=60, cpu_s=0.5)
    assert python(runner, laid_out, f"{HARM}\n    while True: pass", limits=limits).ending is Ending.CPU_LIMIT
    assert describe(laid_out) == before
    assert python(runner, laid_out, f"{HARM}\n    os.kill(os.getpid(), 11)").ending is Ending.SIGNALLED
    assert describe(laid_out) == before


def test_a_private_command_sees_what_was_done_to_the_tree_before(runner: Runner, laid_out: Path) -> None:
    read = "import os; print(open('file').read(), sorted(os.listdir('folder')))"
    assert python(runner, laid_out, read).stdout == b"file ['file', 'inner']\n"
    (laid_out / "file").write_text("by the host")
    (laid_out / "folder" / "file").unlink()
    assert python(runner, laid_out, read).stdout == b"by the host ['inner']\n"
    built = runner.run(Command(argv=("sh", "-c", "echo built > file; touch folder/new"), writable=True), laid_out)
    assert built.succeeded
    assert python(runner, laid_out, read).stdout == b"built\n ['inner', 'new']\n"
    assert python(runner, laid_out, "open('file', 'w').write('x'), open('folder/new', 'w').write('x')").succeeded
    assert (laid_out / "file").read_text() == "built\n"


def test_what_it_writes_counts_against_the_disk_limit(runner: Runner, laid_out: Path) -> None:
    code = "for i in range(20):\n    with open(f'f{i}', 'wb') as file: file.write(bytes(2_000_000))"
    assert python(runner, laid_out, code, limits=Limits(disk_mb=8)).ending is Ending.DISK_LIMIT
    assert python(runner, laid_out, "open('new', 'wb').write(bytes(2_000_000))", limits=Limits(disk_mb=8)).succeeded


def test_the_command_runs_where_builds_run(runner: Runner, laid_out: Path) -> None:
    built = runner.run(Command(argv=("pwd",), cwd="folder", writable=True), laid_out)
    assert runner.run(Command(argv=("pwd",), cwd="folder", private=True), laid_out).stdout == built.stdout


def test_the_tree_belongs_to_its_owner_afterwards(sandbox: Sandbox, laid_out: Path) -> None:
    assert python(sandbox, laid_out, HARM).succeeded
    assert {path.lstat().st_uid for path in (laid_out, *laid_out.rglob("*"))} == {os.geteuid()}


def test_forks_of_a_server_get_a_layer_each(sandbox: Sandbox, laid_out: Path) -> None:
    (laid_out / "server.py").write_text(SERVER)
    before = describe(laid_out)
    command = Command(argv=("python3", "-S", "server.py"), private=True, forks=True)
    code = textwrap.dedent(HARM) + "\nprint(started)"
    with sandbox.slot(laid_out) as slot:
        outputs = set()
        for _ in range(3):
            done = slot.run(dataclasses.replace(command, stdin=code.encode()), laid_out)
            assert (done.stderr, done.exit_code) == (b"", 0)
            outputs.add(done.stdout)
            assert describe(laid_out) == before
        assert len(outputs) == 1  # of one and the same server
        seen = slot.run(dataclasses.replace(command, stdin=b"print(open('file').read())"), laid_out)
        assert seen.stdout == b"file\n"
        (laid_out / "file").write_text("by the host")
        assert slot.run(dataclasses.replace(command, stdin=b"print(open('file').read())"), laid_out).stdout == b"by the host\n"


def test_what_a_resident_command_did_is_gone_at_the_end_of_its_block(sandbox: Sandbox, laid_out: Path) -> None:
    before = describe(laid_out)
    code = textwrap.dedent(HARM) + "\nos.write(3, bytes([0, 0, 0, 2]) + b'ok'); os.read(0, 1); os.read(3, 1)\n"
    with sandbox.reside(Command(argv=("python3", "-c", code), private=True), laid_out) as resident:
        assert resident.ask(b"", wall_s=20) == b"ok"
    assert describe(laid_out) == before
