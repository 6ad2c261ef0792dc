"""How alike two pieces of code are."""

from rapidfuzz.distance import Levenshtein


def folded(code: str) -> str:
    r"""Return code with every run of white space as one blank, which is the form that is compared.

    >>> folded("if (a)\n\t\treturn;\n")
    'if (a) return;'
    """
    return " ".join(code.split())


def bare(code: str) -> str:
    r"""Return code without any white space: two texts with the same bare form are an exact match (NL2Fix, table 4).

    >>> bare("if (a)\n\treturn;")
    'if(a)return;'
    """
    return "".join(code.split())


def edit_similarity(one: str, other: str) -> float:
    """Return 1 - (Levenshtein distance / length of the longer text); 1 for equal texts.

    >>> edit_similarity("return a;", "return b;")
    0.888889
    """
    return round(Levenshtein.normalized_similarity(one, other), 6)
