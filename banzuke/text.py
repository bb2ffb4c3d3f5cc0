"""Text from outside, such as records, file names and host names, made harmless to whoever shows it; suggestions."""

import difflib
import re
import unicodedata
from collections.abc import Sequence

_OTHERS = re.compile(r"[^\n\t -~]")


def printable(text: str) -> str:
    r"""`text` with a visible escape (`\u001b`, `\u202e`, as in JSON and TOML) for each character that is none to read.

    Those are control characters, which steer a terminal; formatting characters, which reorder text or hide in it;
    surrogates, which no encoding has; and line separators other than a newline. A newline and a tab stay.
    """
    return _OTHERS.sub(lambda found: _shown(found[0]), text)


def _shown(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] != "C" and category not in ("Zl", "Zp"):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def nearest(name: str, known: Sequence[str]) -> str:
    """A sentence that suggests what was meant, or lists what there is."""
    lower = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    return f"Did you mean '{lower[close[0]]}'?" if close else f"There are: {', '.join(known) or 'none'}"


def slug(text: str) -> str:
    """For names of files and anchors."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"
