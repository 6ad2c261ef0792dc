"""Takes away what is no answer: reasoning, marks of chat templates, strange line ends. `read.py` calls it first.

Everything here works line by line or by finding fixed texts, so that no answer, however long, takes more than linear time.
"""

import re

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
    """Return the answer proper, and whether the reasoning before it never came to an end."""
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
    """Return what a model with channels says in the last of them that is no analysis."""
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
        # Some chat templates write the opening mark themselves, so that the answer has the closing one only.
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
