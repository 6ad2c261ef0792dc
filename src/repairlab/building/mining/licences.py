"""The licence of a repository by the text of its licence file; a guess by well-known phrases, for the origin of mined bugs."""

import re
from collections.abc import Iterable, Mapping

from repairlab.building.importers.importer import TreeFile
from repairlab.building.importers.repository import Repository

_FILE = re.compile(r"(?:LICEN[CS]E|COPYING|COPYRIGHT)[^/]*", re.IGNORECASE)
_PHRASES = (
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
    """Return what a set made of repositories says of its licence: those of their newest trees."""
    names = dict.fromkeys(licence_of(_top_files(repository)) or "unknown" for repository in repositories)
    return f"the sources keep their projects' licences: {', '.join(names)}"


def _top_files(repository: Repository) -> dict[str, TreeFile]:
    return {path: TreeFile(content=repository.read("HEAD", path) or b"") for path in repository.files("HEAD") if "/" not in path}


def licence_of(tree: Mapping[str, TreeFile]) -> str | None:
    """Return the name of the licence, none where no file tells it.

    >>> licence_of({"LICENSE": TreeFile(content=b"Permission is hereby granted, free of charge, to any person obtaining a copy")})
    'MIT'
    """
    texts = [" ".join(tree[path].content.decode("utf-8", "replace").split()) for path in sorted(tree) if _FILE.fullmatch(path)]
    return next((name for text in texts for name, phrase in _PHRASES if re.search(phrase, text, re.IGNORECASE)), None)
