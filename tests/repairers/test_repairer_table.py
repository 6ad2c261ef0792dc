import pytest

from repairlab.core.errors import UserError
from repairlab.repairers.table import factory, names, repairer


@pytest.mark.parametrize("name", names())
def test_every_repairer_of_the_table_is_made_under_its_own_name(name: str) -> None:
    assert factory(name).name == name


def test_the_built_in_repairers_are_listed() -> None:
    assert {"copy", "llm", "templates"} <= set(names())


def test_an_unknown_repairer_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(UserError, match="Did you mean 'templates'"):
        repairer("templatse")
