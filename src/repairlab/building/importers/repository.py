"""Local clones of projects: find the right one, and read a revision's trees, files and licences with git.

A work tree is never touched.
"""

import io
import re
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from repairlab.building.importers.importer import Settings, TreeFile
from repairlab.core.errors import UserError
from repairlab.core.record import record


@record
class Submodule:
    """A place in a tree for another repository's revision."""

    url: str
    commit: str


class Repository:
    """A clone on disk, bare or not."""

    def __init__(self, folder: Path) -> None:
        """Take the clone's folder."""
        if not folder.is_dir():
            raise UserError(f"{folder} is no folder; it should be a clone")
        self.folder = folder
        if self._git("rev-parse", "--git-dir").returncode:
            raise UserError(f"{folder} is no clone: git finds no repository there")

    def has(self, revision: str) -> bool:
        """Return whether the history holds a commit."""
        return self._git("cat-file", "-e", f"{revision}^{{commit}}").returncode == 0

    def remotes(self) -> list[str]:
        """Return where the clone was made from."""
        listed = self._git("config", "--get-regexp", r"^remote\..*\.url$").stdout.decode("utf-8", "replace")
        return [line.partition(" ")[2] for line in listed.splitlines()]

    def read(self, revision: str, path: str) -> bytes | None:
        """Return a file as it was, or None if it did not exist or its content is missing from the clone."""
        done = self._git("show", f"{revision}:{path}")
        return done.stdout if done.returncode == 0 else None

    def date(self, revision: str) -> str:
        """Return the day of a commit: 2020-02-29."""
        return self._git("show", "-s", "--format=%cs", revision, check=True).stdout.decode().strip()

    def branches(self) -> list[str]:
        """Return the names of all branches; remote ones begin with the remote's name."""
        listed = self._git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", check=True).stdout.decode()
        return [line.split("/", 2)[2] for line in listed.splitlines()]

    def revision_of(self, branch: str) -> str:
        """Return the newest commit of a branch, here or of a remote."""
        for name in (branch, f"origin/{branch}"):
            done = self._git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
            if done.returncode == 0:
                return done.stdout.decode().strip()
        raise UserError(f"{self.folder} has no branch {branch}; fetch it")

    def subjects(self, revision: str) -> list[tuple[str, str]]:
        """Return the commits up to a revision, the newest first, each with the first line of its message."""
        lines = self._git("log", "--format=%H %s", revision, check=True).stdout.decode("utf-8", "replace").splitlines()
        return [(line[:40], line[41:]) for line in lines]

    def version(self, revision: str) -> str:
        """Return the version named by the last tag before a commit, if any."""
        said = self._git("describe", "--tags", "--abbrev=0", revision).stdout.decode("utf-8", "replace")
        found = re.search(r"\d+(?:\.\d+)+\S*", said)
        return found[0] if found else ""

    def is_shallow(self) -> bool:
        """Return whether the history is truncated (a shallow clone)."""
        return self._git("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"

    def stream(self, *arguments: str, separator: bytes) -> Iterator[bytes]:
        """Yield what a git command prints, split at a separator that stands before each piece, while it is printed."""
        with subprocess.Popen([*self._command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout and process.stderr
            rest = b""
            while block := process.stdout.read(1 << 16):
                *pieces, rest = (rest + block).split(separator)
                yield from filter(None, pieces)
            if rest:
                yield rest
            said = process.stderr.read().decode(errors="replace").strip()
        if process.returncode:
            raise UserError(f"git {arguments[0]} failed in {self.folder}: {said}")

    def files(self, revision: str) -> list[str]:
        """Return the paths of all files of a revision."""
        return (
            self._git("ls-tree", "-r", "-z", "--name-only", revision, check=True).stdout.decode("utf-8", "replace").split("\0")[:-1]
        )

    def tree(self, revision: str, paths: Sequence[str] = ()) -> dict[str, TreeFile]:
        """Return all files of a revision, or those below some paths; submodules stay empty, missing contents are left out."""
        done = self._git("archive", "--format=tar", revision, *paths)
        if done.returncode:
            return self._tree_by_file(revision, paths)
        files = {}
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            for member in archive:
                if member.issym():
                    files[member.name] = TreeFile(content=member.linkname.encode(), link=True)
                elif member.isfile() and (content := archive.extractfile(member)) is not None:
                    files[member.name] = TreeFile(content=content.read(), executable=bool(member.mode & 0o100))
        return files

    def submodules(self, revision: str) -> dict[str, Submodule]:
        """Return the submodules of a revision by path."""
        listed = (self.read(revision, ".gitmodules") or b"").decode("utf-8", "replace")
        found = {}
        for section in re.split(r"(?m)^\s*\[submodule\b", listed)[1:]:
            values = dict(re.findall(r"(?m)^\s*(path|url)\s*=\s*(.*?)\s*$", section))
            head = self._git("ls-tree", revision, "--", values.get("path", "")).stdout.decode("utf-8", "replace").split()
            if "url" in values and len(head) > 2 and head[1] == "commit":
                found[values["path"]] = Submodule(url=values["url"], commit=head[2])
        return found

    def _tree_by_file(self, revision: str, paths: Sequence[str]) -> dict[str, TreeFile]:
        """Read all available contents: some clones lack very large ones."""
        listed = self._git("ls-tree", "-r", "-z", revision, "--", *paths, check=True).stdout.decode("utf-8", "replace")
        entries = [(line.partition("\t")[0].split(), line.partition("\t")[2]) for line in listed.split("\0")[:-1]]
        blobs = [(mode, name, path) for (mode, kind, name), path in entries if kind == "blob"]
        contents = self._contents([name for _, name, _ in blobs])
        return {
            path: TreeFile(content=contents[name], executable=mode == "100755", link=mode == "120000")
            for mode, name, path in blobs
            if name in contents
        }

    def _contents(self, names: Sequence[str]) -> dict[str, bytes]:
        """Return contents by name, without missing ones, in one process: starting git for each takes minutes."""
        answer = self._git("cat-file", "--batch", given="".join(f"{name}\n" for name in dict.fromkeys(names)).encode()).stdout
        found, at = {}, 0
        while at < len(answer):
            end = answer.index(b"\n", at)
            name, kind, *size = answer[at:end].decode().split()
            at = end + 1
            if kind != "missing":
                found[name] = answer[at : at + int(size[0])]
                at += int(size[0]) + 1
        return found

    @property
    def _command(self) -> tuple[str, ...]:
        # The folder may belong to another user, and its attributes or hooks must not run anything.
        safe = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null")
        return ("git", *safe, "-C", str(self.folder))

    def _git(self, *arguments: str, check: bool = False, given: bytes | None = None) -> "subprocess.CompletedProcess[bytes]":
        done = subprocess.run([*self._command, *arguments], capture_output=True, check=False, input=given)
        if check and done.returncode:
            raise UserError(f"git {arguments[0]} failed in {self.folder}: {done.stderr.decode(errors='replace').strip()}")
        return done


def is_git_folder(folder: Path) -> bool:
    """Return whether a folder is itself a clone, bare or not, rather than a folder inside one."""
    return any((place / "HEAD").is_file() and (place / "objects").is_dir() for place in (folder, folder / ".git"))


def clone_of(name: str, url: str | None, settings: Settings) -> Repository:
    """Return the local clone of a project, NAME or NAME.git in --clones, cloning it there if it is missing."""
    if settings.clones is None:
        raise UserError(f"the project {name} is needed as a clone: give the folder that holds it (or will hold it) as --clones DIR")
    for folder in (settings.clones / name, settings.clones / f"{name}.git"):
        if folder.is_dir():
            return Repository(folder)
    if url is None:
        none = f"{settings.clones} holds no clone called {name} or {name}.git, nor another with its revisions"
        raise UserError(f"{none}, and where to get one is not known")
    settings.clones.mkdir(parents=True, exist_ok=True)
    target = settings.clones / f"{name}.git"
    # git's progress goes to standard error, as ours does
    done = subprocess.run(["git", "clone", "--bare", "--progress", url, f"{target}.part"], check=False)
    if done.returncode:
        raise UserError(f"{url} could not be cloned; clone it yourself to {target} and try again")
    Path(f"{target}.part").rename(target)
    return Repository(target)


_COMMIT = re.compile("[0-9a-f]{40}")


class Clones:
    """Finds clones and remembers those that could not be found."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._found: dict[str, Repository | UserError] = {}

    def get(self, name: str, url: str | None, revision: str | None = None) -> Repository:
        """Return the clone of a project; a UserError says why there is none, the same one every time.

        It is the one called NAME or NAME.git; or one, in --clones or in a folder of it, whose remote is the project's,
        or whose history has the revision. Where there is none, it is cloned.
        """
        if name not in self._found:
            try:
                self._found[name] = self._look(name, url, revision)
            except UserError as error:
                self._found[name] = error
        found = self._found[name]
        if isinstance(found, UserError):
            raise found
        return found

    def _look(self, name: str, url: str | None, revision: str | None) -> Repository:
        folder = self._settings.clones
        if folder is None or any((folder / called).is_dir() for called in (name, f"{name}.git")):
            return clone_of(name, url, self._settings)
        wanted = _place(url) if url else None
        for repository in self._all:
            if wanted and wanted in map(_place, repository.remotes()):
                return repository
        # A short history may hold one revision of two projects, such as a fork's; a matching name in the path comes first.
        likely = sorted(self._all, key=lambda repository: name not in str(repository.folder.relative_to(folder)))
        # A number from another version control system may look like an abbreviated hash.
        for repository in likely if revision and _COMMIT.fullmatch(revision) else ():
            if repository.has(str(revision)):
                return repository
        return clone_of(name, url, self._settings)

    @cached_property
    def _all(self) -> list[Repository]:
        """All clones in the folder and its subfolders."""
        folder = self._settings.clones
        if folder is None or not folder.is_dir():
            return []
        near: list[Path] = sorted(path for path in folder.iterdir() if path.is_dir())
        inner = [child for path in near if not is_git_folder(path) for child in sorted(path.iterdir()) if child.is_dir()]
        return [Repository(path) for path in (*near, *inner) if is_git_folder(path)]


def _place(url: str) -> str:
    """Return what is the same in all addresses of a repository: its owner and name.

    >>> _place("git@github.com:apache/commons-csv.git") == _place("https://github.com/Apache/commons-csv/")
    True
    """
    return "/".join(re.split(r"[/:]", url.removesuffix("/").removesuffix(".git").lower())[-2:])


_LICENCE_FILE = re.compile(r"(?:LICEN[CS]E|COPYING|COPYRIGHT)[^/]*", re.IGNORECASE)
_LICENCE_PHRASES = (
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("MPL-2.0", r"Mozilla Public License,? (?:Version|v\.) 2\.0"),
    ("LGPL", r"GNU LESSER GENERAL PUBLIC LICENSE"),
    ("AGPL", r"GNU AFFERO GENERAL PUBLIC LICENSE"),
    ("GPL", r"GNU GENERAL PUBLIC LICENSE"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("BSD", r"Redistribution and use in source and binary forms"),
    ("ISC", r"Permission to use, copy, modify, and/?(?:or)? distribute this software"),
    ("Unlicense", r"This is free and unencumbered software released into the public domain"),
)


def licences_of(repositories: Iterable[Repository]) -> str:
    """Return what a set built from repositories says of its licence: those of their newest trees."""
    names = dict.fromkeys(licence_of(_top_files(repository)) or "unknown" for repository in repositories)
    return f"the sources keep their projects' licences: {', '.join(names)}"


def _top_files(repository: Repository) -> dict[str, TreeFile]:
    return {path: TreeFile(content=repository.read("HEAD", path) or b"") for path in repository.files("HEAD") if "/" not in path}


def licence_of(tree: Mapping[str, TreeFile]) -> str | None:
    """Return the name of the licence, none where no file tells it.

    >>> licence_of({"LICENSE": TreeFile(content=b"Permission is hereby granted, free of charge, to any person obtaining a copy")})
    'MIT'
    """
    texts = [
        " ".join(tree[path].content.decode("utf-8", "replace").split()) for path in sorted(tree) if _LICENCE_FILE.fullmatch(path)
    ]
    return next((name for text in texts for name, phrase in _LICENCE_PHRASES if re.search(phrase, text, re.IGNORECASE)), None)
