"""Text from outside, such as records, file names and host names, made harmless to whoever shows it."""

import re
import unicodedata

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
