"""Bugs on their way to machines that share no files with this one: their trees travel once, by digest. For runs and checks."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from repairlab.benchmarks.tree_files import TreeContext, read_tree
from repairlab.core.bug import Bug, remember_digest
from repairlab.core.errors import HarnessError
from repairlab.core.record import digest
from repairlab.validation.preflight import lock_of, provide

_TREE = "bugs/bug/buggy"


def folders_of(bug: Bug) -> dict[str, dict[str, Path]]:
    """Return what a bug needs on another machine, by digest: its tree, and the lock of its environment where it has one."""
    contents = {_TREE: Path(bug.tree.source)}
    if bug.oracle.build.environment:
        lock = lock_of(bug)
        contents[f"environments/{lock.name}"] = lock
    return {_key(bug): contents}


def departing(bug: Bug) -> Bug:
    """Return a bug that holds the texts of its cases, too; where they cannot be read, whoever needs them says so."""
    try:
        there = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=tuple(bug.oracle.cases)))
    except HarnessError:
        return bug
    return remember_digest(there, bug.digest)


def arrived(bug: Bug, folders: Mapping[str, Path]) -> Bug:
    """Return a bug as it is on the machine where its folder was laid out, ready to be worked on."""
    tree = folders[_key(bug)] / _TREE
    if read_tree(tree).digest != bug.tree.digest:
        raise HarnessError(f"bug {bug.id}: {tree} is not the tree that was sent; remove that folder and go on")
    context = bug.problem.context
    assert isinstance(context, TreeContext)
    problem = dataclasses.replace(bug.problem, context=context.moved(tree))
    there = dataclasses.replace(bug, problem=problem, tree=dataclasses.replace(bug.tree, source=str(tree)))
    if bug.oracle.build.environment:
        provide(there)
    return remember_digest(there, bug.digest)


def _key(bug: Bug) -> str:
    return digest(bug.tree.digest, bug.oracle.build.environment)
