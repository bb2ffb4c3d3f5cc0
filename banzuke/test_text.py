import tomllib

import pytest

from banzuke.text import printable


@pytest.mark.parametrize(
    "text",
    ["\x1b[31m", "\x9b31m", "\x07", "\b", "\r", "\x7f", "\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\U000e0041"],
)
def test_what_is_none_to_read_is_escaped_and_can_be_read_back(text: str) -> None:
    shown = printable(f"a{text}b\n")
    assert shown.rstrip("\n").isprintable()
    assert tomllib.loads(f'x = "{shown.rstrip()}"')["x"] == f"a{text}b"


def test_a_lone_surrogate_can_be_written() -> None:
    assert printable("\udc80").encode() == rb"\udc80"


def test_text_stays_as_it_is() -> None:
    for text in ("µs, ≤ 3 × 10⁹, Ō, 漢字, é, \N{NO-BREAK SPACE}|\n\ttab", "👍", ""):
        assert printable(text) == text
