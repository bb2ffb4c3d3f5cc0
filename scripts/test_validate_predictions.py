"""What docs/prediction.md says of published figures is what the command says."""

from scripts.validate_predictions import PAGE, figures, page


def test_the_page_says_what_the_command_says() -> None:
    said = PAGE.read_text(encoding="utf-8")
    assert "Each published figure" in said
    assert page(figures()) == said, "write it again: python -m scripts.validate_predictions"
