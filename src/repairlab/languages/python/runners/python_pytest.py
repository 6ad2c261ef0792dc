"""Runs pytest tests and reports each; see python_channel.py. Starts inside the sandbox.

Where the tree itself is pytest, that is the one that runs its tests: it is code under test, and loaded behind the channel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repairlab.languages.python.runners.python_channel import (
        Channel,
        code_of,
        is_loading,
        is_own_pytest,
        is_server,
        load,
        main,
        plugin_options,
        prepare_forks,
        turn_to_tree,
    )
else:
    from python_channel import (
        code_of,
        is_loading,
        is_own_pytest,
        is_server,
        load,
        main,
        plugin_options,
        prepare_forks,
        turn_to_tree,
    )

load_session = partial(load, "pytest_session", load=load, code_of=code_of, PLUGINS=plugin_options())


def run_with_own(begin: Callable[[], tuple[Channel, dict[str, Any]]]) -> bool:
    """Run the tests of a tree with the pytest that it holds."""
    begun = begin()
    finished: bool = load_session().run_pytest(lambda: begun, server=False, plain=False, known=[])
    return finished


if __name__ == "__main__":
    if is_own_pytest():
        turn_to_tree()
        main("pytest", run_with_own)
    session = load_session()
    session.load_all()
    if is_server():
        session.rehearse()
    config = session.make_config()
    session.prepare()
    turn_to_tree()
    settings, known_files = session.find_settings(), list[Path]()
    is_forked, is_plain, is_loaded = is_server(), session.is_plain_tree(settings), session.CAN_LOAD and is_loading()
    is_bare = config and is_plain and not settings and not is_loaded
    if is_forked:
        known_files = prepare_forks()
        session.rewrite_tests([*known_files, *(path for path in settings if path.suffix == ".py")], config)
        is_bare = is_bare and session.simple.are_simple(known_files)
    run = (
        partial(session.run_simply, config=config)
        if is_bare
        else partial(session.run_loaded, files=known_files)
        if is_loaded
        else partial(session.run_pytest, server=is_forked, known=known_files)
    )
    main("pytest", partial(run, plain=is_plain))
