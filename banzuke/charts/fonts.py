"""Which characters this machine can draw in a file."""

import vl_convert

from banzuke.charts.style import FONT

_NONE = "\U0010fffd"
"""No font has this character."""


def drawable(characters: str) -> bool:
    """Whether a font of this machine has each of these: PDF files hold the letters as they are drawn here."""
    return all(_drawn(character) != _drawn(_NONE) for character in characters)


def _drawn(character: str) -> bytes:
    return vl_convert.svg_to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        f'<text x="4" y="32" font-size="28" font-family="{FONT}">{character}</text></svg>'
    )
