"""Which characters this machine can draw."""

from banzuke.charts.fonts import drawable


def test_letters_are_drawn_and_what_no_font_has_is_not() -> None:
    assert drawable("Ab1")
    assert not drawable("a\U0010fffe")
