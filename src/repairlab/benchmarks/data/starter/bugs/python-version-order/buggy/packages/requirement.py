"""Requirements such as '>=1.2,<2'."""

import operator
import re

from packages.version import version_key

OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
CLAUSE = re.compile(r"\s*([=!<>~^]+)\s*([^\s]+)\s*")


class Requirement:
    def __init__(self, text):
        self._clauses = [self._parse(clause) for clause in text.split(",") if clause.strip()]

    @staticmethod
    def _parse(clause):
        match = CLAUSE.fullmatch(clause)
        if match is None or match.group(1) not in OPERATORS:
            raise ValueError(f"cannot read requirement {clause!r}")
        return OPERATORS[match.group(1)], version_key(match.group(2))

    def accepts(self, version):
        key = version_key(version)
        return all(compare(key, bound) for compare, bound in self._clauses)
