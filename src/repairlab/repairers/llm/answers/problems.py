"""Why an answer gives no edit: every reason there is, as it is recorded. `docs/how-it-works/answers.md` lists them."""

EMPTY = "the answer is empty"
TOO_LONG = "the answer is too long"
CUT = "the answer was cut"
REFUSED = "the model refuses"
NO_BUG = "the model sees no bug"
NO_CODE = "no code in the answer"
NO_FUNCTION = "the function is not in the answer"
LEFT_OUT = "the answer leaves code out"
NO_SEARCH_TEXT = "the search text is empty"
SEARCH_NOT_FOUND = "the search text is not in the file"
AMBIGUOUS_SEARCH = "the search text is in the file more than once"
DIFF_DOES_NOT_FIT = "the diff does not fit the file"
AMBIGUOUS_DIFF = "the diff fits the file at more than one place"

ALL = (
    EMPTY,
    TOO_LONG,
    CUT,
    REFUSED,
    NO_BUG,
    NO_CODE,
    NO_FUNCTION,
    LEFT_OUT,
    NO_SEARCH_TEXT,
    SEARCH_NOT_FOUND,
    AMBIGUOUS_SEARCH,
    DIFF_DOES_NOT_FIT,
    AMBIGUOUS_DIFF,
)
