"""Whether candidates that differ only in layout may share a verdict."""

import functools
import re
from collections.abc import Mapping
from pathlib import Path

from repairlab.core.bug import Bug, Tree
from repairlab.core.glob import matching
from repairlab.languages.facts import facts
from repairlab.languages.source_introspection import turns_warnings_into_errors
from repairlab.languages.table import language
from repairlab.validation.worktree import files_below

_LARGEST_TREE = 64 * 1024 * 1024
"""Bytes of sources; of larger trees it is not known whether they look at the layout of a file, so they are taken to."""
_AMBIGUOUS = re.compile(r"[^ -~\t\n\r]|\r(?!\n)")
"""Characters that tools read each in its way: as the end of a line, as a blank, as part of a comment, or as an error."""
_BUILD_FILES = (
    "CMakeLists.txt",
    ".cmake",
    "akefile",
    ".mk",
    ".am",
    ".ac",
    ".in",
    "configure",
    "pom.xml",
    "build.xml",
    ".gradle",
    ".kts",
)


def layout_counts(changed: Mapping[str, str | None], bug: Bug) -> bool:
    """Return whether the layout of a candidate's files may count: for them, the rest of the tree, or the build."""
    syntax = language(bug.problem.language).syntax
    texts = [text for text in changed.values() if text is not None]
    sources = [text for path, text in changed.items() if text and path.endswith(facts(bug.problem.language).extensions)]
    flags = " ".join(bug.oracle.build.flags)
    return (
        any(map(_AMBIGUOUS.search, texts))
        or any(map(syntax.sees_text, texts))
        # Where something could not be read, what follows it may have been read otherwise than a compiler does.
        or any(token.kind == "error" for text in sources for token in syntax.tokens(text))
        or turns_warnings_into_errors(flags)
        or _tree_looks(bug.tree, bug.problem.language, bug.oracle.test.files)
    )


@functools.lru_cache(maxsize=16)
def _tree_looks(tree: Tree, name: str, tests: tuple[str, ...]) -> bool:
    """Return whether something in a buggy tree looks at layout; the same for all candidates of a bug."""
    root = Path(tree.source)
    syntax = language(name).syntax
    endings = (*facts(name).extensions, *facts(name).headers)
    size = 0
    paths = files_below(root)
    hidden = set(matching(paths, tests))  # no candidate changes them
    for path in paths:
        if not path.endswith((*endings, *_BUILD_FILES)):
            continue
        content = (root / path).read_bytes()
        size += len(content)
        text = content.decode("utf-8", "replace")
        looks = syntax.sees_text(text, of_others=path in hidden) if path.endswith(endings) else turns_warnings_into_errors(text)
        if looks or size > _LARGEST_TREE:
            return True
    return False
