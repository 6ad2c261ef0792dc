"""Tells prose from code, and what prose means: a refusal, no change, code left out. The readers of answers ask here."""

import re

_REFUSAL = re.compile(
    r"\b(?:i'?m|i am|we are|we're)\s+(?:\w+\s+)?(?:sorry|unable|not able)\b"
    r"|\bi\s+(?:can(?:no|')t|cannot|can not|won'?t|must decline)\b|\bas an ai\b|\bi apologi[sz]e\b"
    r"|\bunable to (?:assist|help|provide|fix|comply)\b|\bcannot (?:assist|help|comply|provide)\b|\bcan't (?:assist|help)\b"
    r"|\b(?:against|violates?) (?:my|our|the) (?:policy|policies|guidelines)\b",
    re.IGNORECASE,
)
_NO_CHANGE = re.compile(
    r"\bno (?:changes?|fix(?:es)?|modifications?|bugs?|errors?|issues?)(?: (?:is|are|was|were))? (?:needed|required|necessary|found"
    r"|present|to fix|in)"
    r"|\b(?:code|function|method|program|implementation) (?:is|looks|seems|appears)(?: to be)? (?:already )?"
    r"(?:correct|fine|right|good|ok)\b"
    r"|\bthere (?:is|are) no (?:bugs?|errors?|issues?|problems?)\b|\bnothing (?:to fix|needs to be (?:fixed|changed))\b"
    r"|\b(?:does not|doesn't) (?:contain|have) (?:any |a )?(?:bugs?|errors?)\b|\bno change\b",
    re.IGNORECASE,
)
_COMMENT = r"(?://+|\#+|/\*+|\*|--|<!--)"
_LEFT_OUT = re.compile(
    rf"^[ \t]*+(?:{_COMMENT}[ \t]*+)?[\[(<]?[ \t]*+(?:\.\.\.|…)[ \t]*+(?:[A-Za-z(\[][^\n]{{0,200}}+)?$"
    rf"|^[ \t]*+{_COMMENT}[ \t]*+[\[(<]?[ \t]*+(?:(?:the )?(?:rest|remainder) of"
    r"|(?:existing|original|previous|remaining|other|unchanged|same)"
    r" (?:code|implementation|function|method|logic|lines?|body|methods|functions)"
    r"|code (?:unchanged|omitted|remains|as before)|same as (?:before|above|original)|unchanged\b|omitted\b)[^\n]{0,200}+$",
    re.IGNORECASE,
)
_ELLIPSIS_WORDS = re.compile(
    r"rest|remain|exist|unchanged|same|before|other|previous|original|omitted|code|above|implementation|continue|keep|logic",
    re.IGNORECASE,
)
_CODE_END = (";", "{", "}", ":", ")", ",", "]", "(", "[", "*/", "\\", "=")
_CODE_WORD = re.compile(
    r"^(?:def|class|return|import|from|if|for|while|else|elif|try|except|with|raise|async|public|private|protected|static|final|void|int"
    r"|long|char|double|float|bool|boolean|const|unsigned|struct|template|using|namespace|switch|case|throw|break|continue|pass|@\w+"
    r"|#\s*\w+|//|/\*|\*[ /])"
)
_CALL_OR_ASSIGNMENT = re.compile(r"^[\w.\[\]\"'>*&():-]+\s*(?:[-+*/%&|^]?=(?!=)|<<|\+\+|--|\()")


def is_refusal(text: str) -> bool:
    """Return whether a text without code declines to answer."""
    return _REFUSAL.search(text[:600]) is not None


def sees_no_bug(text: str) -> bool:
    """Return whether a text without code says that nothing is to be changed."""
    return _NO_CHANGE.search(text[:4000]) is not None


def is_left_out(line: str) -> bool:
    """Return whether a line stands for code that the model did not repeat.

    >>> is_left_out("    // ... rest of the code unchanged ..."), is_left_out("    ..."), is_left_out("# the rest is easy")
    (True, True, False)
    """
    if ("." not in line and "…" not in line and "/" not in line and "#" not in line and "*" not in line) or len(line) > 300:
        return False
    match = _LEFT_OUT.match(line)
    if match is None:
        return False
    bare = line.strip()
    if bare in ("...", "…"):
        return True
    return _ELLIPSIS_WORDS.search(bare) is not None or not any(char.isalpha() for char in bare)


def is_code_line(line: str) -> bool:
    """Return whether a line looks like code more than like a sentence.

    >>> is_code_line("return x;"), is_code_line("The function should return x."), is_code_line("    total += 1")
    (True, False, True)
    """
    bare = line.strip()[:400]
    if not bare:
        return False
    if bare.endswith((".", "!", "?")) and " " in bare and not bare.startswith(("//", "#", "* ", "/*")):
        return False
    n_words = len(bare.split())
    if bare.endswith((";", "{", "}", "*/", "){", "\\")):
        return True
    if _CALL_OR_ASSIGNMENT.match(bare):
        return True
    if _CODE_WORD.match(bare):
        return n_words <= 4 or bare.endswith(_CODE_END) or any(mark in bare for mark in ("(", "=", "[", "{", "#", "//"))
    return n_words <= 6 and bare.endswith(_CODE_END) and not bare.endswith(":") and n_words < 4


def code_only(text: str) -> str | None:
    """Return the lines from the first to the last that look like code; none when none does."""
    lines = text.split("\n")
    found = [index for index, line in enumerate(lines) if is_code_line(line)]
    if not found:
        return None
    return "\n".join(lines[found[0] : found[-1] + 1])


def is_sentence(line: str) -> bool:
    """Return whether a line is prose.

    >>> is_sentence("Here is the fixed line:"), is_sentence("x = y"), is_sentence("else:")
    (True, False, False)
    """
    bare = line.strip()[:400]
    words = bare.split()
    if len(words) < 4 or bare.startswith(("//", "#", "/*", "*", "@")) or bare.endswith((";", "{", "}")):
        return False
    n_plain = sum(word.strip(".,:!?'\"`()").isalpha() for word in words)
    return n_plain >= len(words) - 1 and (bare.endswith((".", ":", "!", "?")) or (len(words) >= 5 and words[0][0].isupper()))
