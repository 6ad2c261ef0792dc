"""The check at the end of each line of a run's files: the line's number and a CRC-32 over all before it, begun with the run's key.

A line that was changed, moved, left out, doubled or taken from another run or file is noticed.
"""

import re
import zlib

_TAIL = len(b',"check":"01234567"}\n')
_NUMBER = re.compile(rb',"line":(\d+)$')
_END = re.compile(rb',"line":(\d+),"check":"[0-9a-f]{8}"}\n$')


def line_key(run_id: str, file_name: str) -> int:
    """Return what the checks of one file of one run begin with."""
    return zlib.crc32(f"{run_id}/{file_name}".encode())


def checked_line(body: bytes, key: int, number: int) -> bytes:
    r"""Return the line of a JSON object, with its number (from 1) and its check as the last members.

    >>> checked_line(b'{"a":1}', line_key("run", "file"), 7)
    b'{"a":1,"line":7,"check":"0d59355c"}\n'
    """
    head = body[:-1] + b',"line":%d' % number
    return head + b',"check":"%08x"}\n' % zlib.crc32(head, key)


def number_of(line: bytes, key: int) -> int | None:
    r"""Return the number of a line that is as it was written; none for any other.

    >>> number_of(b'{"a":1,"line":7,"check":"0d59355c"}\n', line_key("run", "file"))
    7
    >>> number_of(b'{"a":2,"line":7,"check":"0d59355c"}\n', line_key("run", "file")) is None
    True
    """
    head = line[:-_TAIL]
    if line[-_TAIL:] != b',"check":"%08x"}\n' % zlib.crc32(head, key):
        return None
    found = _NUMBER.search(head, max(0, len(head) - 32))
    return int(found[1]) if found else None


def stated_number(line: bytes) -> int | None:
    """Return the number that a line, or the end of one, claims to have; none when it has no check at all."""
    found = _END.search(line, max(0, len(line) - 64))
    return int(found[1]) if found else None


def without_check(line: bytes) -> bytes:
    r"""Return the JSON object of a line as it was before it got its number and its check, if it did.

    >>> without_check(b'{"a":1,"line":7,"check":"0d59355c"}\n'), without_check(b'{"a":1}\n')
    (b'{"a":1}', b'{"a":1}')
    """
    found = _END.search(line, max(0, len(line) - 64))
    return line[: found.start()] + b"}" if found else line.rstrip(b"\n")
