from typing import Annotated, Literal, Optional

import pytest

from repairlab.core.errors import UserError
from repairlab.core.option import Option, check_names, settings_of
from repairlab.core.record import record


@record
class Everything:
    must: Annotated[str, Option("Needed.", example="--must x")]
    bare: int = 1
    often: Annotated[tuple[str, ...], "Several."] = ()
    maybe: Annotated[Optional[float], "Or none."] = None  # noqa: UP045  # both ways to write it
    either: int | str = 3
    choice: Annotated[Literal["a", "b"], 5, "One of two."] = "a"
    on: Annotated[bool, "Switch it off."] = True
    named: Annotated[bool, Option("Another name.", flag="--other")] = False


def test_fields_tell_their_options_types_and_texts() -> None:
    found = {setting.name: setting for setting in settings_of(Everything)}
    assert [setting.flag for setting in found.values()] == [
        "--must", "--bare", "--often", "--maybe", "--either", "--choice", "--no-on", "--other",
    ]  # fmt: skip
    assert [name for name, setting in found.items() if setting.is_required] == ["must"]
    assert (found["maybe"].kind, found["bare"].option.help, found["choice"].option.help) == (float, "", "One of two.")
    assert (found["choice"].choices, found["bare"].choices) == (("a", "b"), ())
    assert found["either"].kind == int | str


def test_names_and_choices_are_checked() -> None:
    check_names(Everything, {"must": "x", "choice": "b"}, "it")
    check_names(Everything, {"must": "x", "choice": None}, "it")
    with pytest.raises(UserError, match=r"it needs must. For example: --must x"):
        check_names(Everything, {}, "it")
    with pytest.raises(UserError, match=r"it: unknown setting 'bear'.*Did you mean 'bare'"):
        check_names(Everything, {"bear": 1}, "it")
    with pytest.raises(UserError, match=r"unknown choice 'c'. Known: a, b"):
        check_names(Everything, {"must": "x", "choice": "c"}, "it")
