"""Walks a document of JSON, and tells by the keys above a string what it names."""

import re
from collections.abc import Callable, Iterator
from typing import Any

Json = Any
Keys = tuple[str, ...]
"""The keys above a value, outermost first; places in lists do not count."""

_WORDS = re.compile(r"[^\W_]+")
_FREE = ("conditions", "variables", "environment_details", "facts", "settings")
"""Tables with any content, in which a key that has the word `host` holds one."""
_AREAS = ("areas", "folders", "storage_available")
_KINDS = {
    "identity": "device",
    "slice_of": "device",
    "user": "user",
    "account": "account",
    "step": "job",
    "area": "area",
    "mounts": "area",
    "between": "area",
}
"""Keys whose values are names, and of what kind."""
_DEVICES = {"uuid", "guid", "serial"}
"""Words of keys whose values tell a device from all others."""


def walked(node: Json, keys: Keys = ()) -> Iterator[tuple[Keys, str]]:
    """Yield every string with the keys above it. A key is yielded as a string below `{}`."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield (*keys, "{}"), key
            yield from walked(value, (*keys, key))
    elif isinstance(node, list):
        for value in node:
            yield from walked(value, keys)
    elif isinstance(node, str):
        yield keys, node


def mapped(node: Json, change: Callable[[Keys, Json], Json], keys: Keys = ()) -> Json:
    """Return the document with other strings, keys included; `change` may also replace a list or a table."""
    replaced = change(keys, node)
    if replaced is not node:
        return replaced
    if isinstance(node, dict):
        return {change((*keys, "{}"), key): mapped(value, change, (*keys, key)) for key, value in node.items()}
    if isinstance(node, list):
        return [mapped(value, change, keys) for value in node]
    return node


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; an underscore separates, too."""
    return _WORDS.findall(text.casefold())


def place(keys: Keys) -> str:
    """Return the kind of name that a string at these keys is as a whole: host, device, job, ...; empty: any text."""
    last, above = (keys[-1].casefold(), keys[-2:-1]) if keys else ("", ())
    free = any(key in _FREE for key in keys)
    places = {
        "host": last in ("host", "hosts")
        or (last == "names" and above == ("hosts",))
        or (free and bool({"host", "hosts", "hostname"} & set(words_of(last)))),
        "device": (last == "devices" and "binding" in keys) or bool(_DEVICES & set(words_of(last))),
        "job": last == "batch" and above == ("provenance",),
        "run": last == "run" and above == ("provenance",),
        "area": last == "{}" and bool(above) and above[0] in _AREAS,
    }
    return next((kind for kind, here in places.items() if here), _KINDS.get(last, ""))
