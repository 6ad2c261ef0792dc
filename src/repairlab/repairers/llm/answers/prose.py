"""Tell code from everything else: reasoning, marks of chat templates, prose; and say what prose means.

Cleaning an answer goes line by line or by searching for fixed texts, so that it takes linear time, however long the answer.
"""

import re

from repairlab.repairers.llm.answers.target import Aim

_THOUGHTS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<analysis>", "</analysis>"),
    ("<scratchpad>", "</scratchpad>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<seed:think>", "</seed:think>"),
)
_CHANNEL = re.compile(r"<\|channel\|>(\w+)[^<]*<\|message\|>")
_TEMPLATE_MARKS = re.compile(
    r"<\|(?:im_start|im_end|endoftext|end_of_text|eot_id|end|start|return|begin_of_solution|end_of_solution|fim_\w+|EOT)\|>"
    r"|<｜end▁of▁sentence｜>|</s>$|<(?:end_of_turn|start_of_turn|eos|EOT)>|<\|(?:assistant|user|system)\|>"
)
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u2060\x00"))


def cleaned(answer: str) -> tuple[str, bool]:
    """Return the answer proper, and whether the reasoning before it never ended."""
    text = answer.replace("\r\n", "\n").replace("\r", "\n").translate(_INVISIBLE) if _is_odd(answer) else answer
    is_cut = False
    if "<|channel|>" in text:
        text = _final_channel(text)
    if "<" in text or "[THINK]" in text or "◁" in text:
        text, is_cut = _without_thoughts(text)
        text = _TEMPLATE_MARKS.sub("", text)
    return text, is_cut


def _is_odd(text: str) -> bool:
    return "\r" in text or not text.isascii() or "\x00" in text


def _final_channel(text: str) -> str:
    """Return what a model with channels says in the last one that is not analysis."""
    starts = list(_CHANNEL.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    for match, end in reversed(list(zip(starts, ends, strict=False))):
        if match[1] != "analysis":
            return text[match.end() : end]
    return "" if starts else text


def _without_thoughts(text: str) -> tuple[str, bool]:
    for opening, closing in _THOUGHTS:
        if closing not in text and opening not in text:
            continue
        text, is_cut = _without(text, opening, closing)
        if is_cut:
            return text, True
    return text, False


def _without(text: str, opening: str, closing: str) -> tuple[str, bool]:
    starts = re.compile(rf"^[ \t]*+{re.escape(opening)}", re.MULTILINE)
    first, end = starts.search(text), text.find(closing)
    if 0 <= end < (first.start() if first else len(text)) and _ends_line(text, end + len(closing)) and _is_mark(text, end):
        # Some chat templates write the opening mark themselves, so that the answer only has the closing one.
        text = text[end + len(closing) :]
    kept: list[str] = []
    position = 0
    while match := starts.search(text, position):
        kept.append(text[position : match.start()])
        end = text.find(closing, match.end())
        if end < 0:
            return "".join(kept), True
        position = end + len(closing)
    return "".join([*kept, text[position:]]), False


def _ends_line(text: str, position: int) -> bool:
    end = text.find("\n", position)
    return not text[position : end if end >= 0 else len(text)].strip()


def _is_mark(text: str, position: int) -> bool:
    """Return whether no quotation mark before a closing mark makes it part of a string."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return '"' not in line and "'" not in line[-1:]


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
    """Return whether a text without code says that nothing needs to change."""
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
    """Return the lines from the first to the last that look like code; None if none do."""
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


_HEADER_LINE = re.compile(r"[ \t]*(?:@|template\b|\[\[|__attribute__|\w[\w:<>,*&\[\] \t]*$)")
_IMPORTS = re.compile(r"[ \t]*(?:import\b|from\b[^\n]*\bimport\b|#[ \t]*include\b|using\b|package\b)")


def bare_code(aim: Aim, text: str) -> str | None:
    """Return the part of an unmarked text from the target's header on, with imports; without a header, the lines of code."""
    lines = text.split("\n")
    name = re.escape(aim.name)
    if aim.is_python:
        header = re.compile(rf"[ \t]*(?:async[ \t]+)?def[ \t]+{name}\b")
    else:
        header = re.compile(rf"[ \t]*[^\n;=.]*(?<![\w.]){name}[ \t]*\(")
    first = next((index for index, line in enumerate(lines) if header.match(line[:500]) and _is_header(aim, lines, index)), None)
    if first is None:
        return code_only(text)
    start = first
    while start and _HEADER_LINE.match(lines[start - 1][:200]) and _is_short(lines[start - 1]):
        start -= 1
    imports = [
        line
        for line in lines[:start]
        if _IMPORTS.match(line) and line.rstrip().endswith((";", ">", '"') if not aim.is_python else line.rstrip()[-1:])
    ]
    return "\n".join([*imports, *lines[start:]])


def _is_short(line: str) -> bool:
    return 0 < len(line.split()) <= 6 and not line.rstrip().endswith((".", "!", "?"))


def _is_header(aim: Aim, lines: list[str], index: int) -> bool:
    """Return whether a line with the target's name and a bracket may start its definition, and is no call or sentence."""
    if aim.is_python:
        return True
    line = lines[index].strip()
    before = line.split(aim.name + "(", 1)[0].split(aim.name + " (", 1)[0]
    if any(mark in before for mark in ("`", ")", "return ", '"', "'")) or len(before.split()) > 8:
        return False
    if not line.endswith(("{", "}", ")", ",", "(", ":", "const", "override", "noexcept")) and "throws " not in line:
        return False
    rest = " ".join(lines[index : index + 8])
    brace, semicolon = rest.find("{"), rest.find(";")
    return brace >= 0 and (semicolon < 0 or brace < semicolon)
