"""Values of literals of C and C++, as blind tests say them."""

import ast
import json
import re

from tree_sitter import Node

from repairlab.languages.nodes import named
from repairlab.languages.withholding import frozen

LITERALS = frozenset({"number_literal", "string_literal", "char_literal", "raw_string_literal", "user_defined_literal"})
TRUTHS = {"true": True, "false": False, "TRUE": True, "FALSE": False}


def frozen_literal(node: Node) -> str:
    """Return the frozen value of a literal; nothing of other nodes."""
    text = (node.text or b"").decode("utf-8", "surrogatepass")
    if node.type == "parenthesized_expression":
        return frozen_literal(named(node)[0])
    if text in TRUTHS:
        return frozen("b", TRUTHS[text])
    if re.fullmatch(r"(?:0|[1-9][\d']*)(?:[uU]?[lL]{0,2}[uU]?)|-[1-9]\d*", text):
        return frozen("i", text.rstrip("uUlL").replace("'", ""))
    if re.fullmatch(r"-?\d+\.\d*(?:[eE]-?\d+)?", text):
        return frozen("f", text)
    if re.fullmatch(r"'[^\\]'", text) and ord(text[1]) < 128:
        return frozen("i", str(ord(text[1])))
    if node.type == "initializer_list":
        members = [frozen_literal(it) for it in named(node)]
        return frozen("l", [json.loads(it) for it in members]) if all(members) else ""
    parts = named(node) if node.type == "concatenated_string" else [node] if node.type == "string_literal" else []
    return _frozen_text([(it.text or b"").decode("utf-8", "surrogatepass") for it in parts]) if parts else ""


def _frozen_text(parts: list[str]) -> str:
    """Return the frozen text that string literals mean; nothing where they are written in an unusual way."""
    if any(not part.startswith('"') or re.search(r"\\[^nrt0-7xabfv\\\"'?]", part) for part in parts):
        return ""
    try:
        made = b"".join(map(_bytes, parts))
        return "" if b"\0" in made else frozen("s", made.decode())
    except UnicodeDecodeError:
        return frozen("y", made.hex())
    except (SyntaxError, ValueError):
        return ""


def _bytes(literal: str) -> bytes:
    """Return the bytes of a string literal; in Python an escape has two hexadecimal digits, no fewer."""
    plain = re.sub(r"\\x0?([0-9a-fA-F]{1,2})(?![0-9a-fA-F])", lambda it: rf"\x{it[1]:0>2}", literal).replace("\\?", "?")
    plain = re.sub(r"[^\x00-\x7f]", lambda it: "".join(f"\\x{byte:02x}" for byte in it[0].encode()), plain)
    return bytes(ast.literal_eval(f"b{plain}"))
