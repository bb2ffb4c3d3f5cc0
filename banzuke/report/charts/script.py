"""Keeps the script with which pages draw their charts, because making it takes seconds.

There is one for each version of vl-convert. It is kept in this process and in the user's cache folder.
"""

from contextlib import suppress
from importlib.metadata import version

from banzuke.errors import BanzukeError
from banzuke.files import read_ours, write_whole
from banzuke.files.own import cache_folder, cache_path

_LARGEST = 16 << 20
"""Largest script in bytes; that of vl-convert 1.9 has 0.9 MB."""
_MADE: dict[str, str] = {}
"""The `script`, once this process has it."""


def kept_script() -> str:
    """Return the script; empty: it must be made."""
    if not _MADE:
        with suppress(BanzukeError, UnicodeDecodeError):
            _MADE["script"] = read_ours(cache_path() / _file_name(), _LARGEST).decode()
    return _MADE.get("script", "")


def keep_script(script: str) -> None:
    """Keep the script; without a cache folder, only this process has it."""
    _MADE["script"] = script
    with suppress(BanzukeError):
        write_whole(cache_folder() / _file_name(), script.encode())


def _file_name() -> str:
    return f"vega-embed-of-vl-convert-{version('vl-convert-python')}.js"
