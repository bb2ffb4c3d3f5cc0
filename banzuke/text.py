"""Makes text from outside, such as records, file names and host names, harmless for whoever shows it; suggests
names.
"""

import difflib
import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

_OTHERS = re.compile(r"[^\n\t -~]")


def printable(text: str) -> str:
    r"""Return `text` with a visible escape (`\u001b`, `\u202e`, as in JSON and TOML) for each character that cannot be
    read.

    Those are control characters, which steer a terminal; formatting characters, which reorder text or hide in it;
    surrogates, which no encoding has; and line separators other than a newline. A newline and a tab stay.
    """
    return _OTHERS.sub(lambda match: _shown(match[0]), text)


def _shown(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] != "C" and category not in ("Zl", "Zp"):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def json_text(document: Any, indent: int | None = 1) -> str:
    """Return one JSON document in ASCII. Infinities and NaN become null, and keys become text."""
    return json.dumps(_finite(document), indent=indent, allow_nan=False, default=str)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def closest(name: str, choices: Sequence[str]) -> str | None:
    """Return the choice whose spelling is closest; None: none is close."""
    lower = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    return lower[close[0]] if close else None


def nearest(name: str, choices: Sequence[str]) -> str:
    """Return a sentence that suggests the closest choice, or lists all."""
    close = closest(name, choices)
    return f"Did you mean '{close}'?" if close else f"There are: {', '.join(choices) or 'none'}"


def slug(text: str) -> str:
    """Return the text in a form for names of files and anchors."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"
