"""The generated pages of the reference say what the code says."""

from scripts.reference import PAGES, main


def test_generated_pages_are_up_to_date() -> None:
    assert main(["--check"]) == 0


def test_no_page_has_an_empty_section() -> None:
    for lines in PAGES.values():
        text = "\n".join(lines())
        assert "\n\n\n" not in text and "|  |" not in text
