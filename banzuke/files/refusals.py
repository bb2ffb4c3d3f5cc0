"""Lists everything that a model refuses in a file that a person wrote: where, why, and what may have been meant."""

import difflib
import json
import re
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

Key = tuple[str | int, ...]
MOST_REFUSALS = 8
"""Most refusals that are shown; the others are counted."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
"""A token of JSON."""
_NUMBER = re.compile(r"\s*([+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*")
_NAMED_TYPES = {
    "string": "a text",
    "bool": "true or false, without quotes",
    "list": "a list",
    "dict": "a table",
    "model": "a table",
}
_SHOWN = 40
"""Most characters of a value that are shown."""
_OTHER = ("_type", "_parsing")
"""Suffixes of the names of errors about a value of another type."""


def refusals(error: ValidationError, model: type[BaseModel], line_of: Callable[[Key], int | None]) -> list[str]:
    """Return `line 3: partitions.cpu.nodez is unknown (did you mean 'nodes'?)`, in the order of the file."""
    line_by_sentence: dict[str, int] = {}
    for key, words in _sentences(error, model):
        line = line_of(key)
        line_by_sentence.setdefault(f"line {line}: {words}" if line else words, line or 0)
    sentences = sorted(line_by_sentence, key=lambda sentence: line_by_sentence[sentence])
    return sentences[:MOST_REFUSALS] + (
        [f"and {len(sentences) - MOST_REFUSALS} more"] if len(sentences) > MOST_REFUSALS else []
    )


def json_refusals(error: ValidationError, model: type[BaseModel], text: str) -> str:
    """Return the same for a JSON document, on one line."""
    lines = dict(_json_lines(text))
    return "; ".join(refusals(error, model, lambda key: next((lines[k] for k in _upwards(key) if k in lines), None)))


def _upwards(key: Key) -> Iterator[Key]:
    """Yield the key, then its parent, and so on."""
    return (key[:length] for length in range(len(key), 0, -1))


def _json_lines(text: str) -> Iterator[tuple[Key, int]]:
    """Yield the line of each value by its key; the text is valid JSON."""
    key: list[str | int] = []
    inside: list[str] = []
    last, line, at = "", 1, 0
    for token in _TOKEN.finditer(text):
        line, at = line + text.count("\n", at, token.start()), token.start()
        mark = token[0]
        if mark in "}]":
            inside.pop()
            key = key[: len(inside)]
        elif mark == ",":
            if inside[-1] == "[":
                key[-1] = int(key[-1]) + 1
        elif mark == ":":
            key = [*key[: len(inside) - 1], last]
            yield tuple(key), line
        else:
            last = json.loads(mark) if mark[0] == '"' else ""
            if inside and inside[-1] == "[":
                yield tuple(key), line
            if mark in "{[":
                inside.append(mark)
                key = [*key, 0] if mark == "[" else key


def _sentences(error: ValidationError, model: type[BaseModel]) -> Iterator[tuple[Key, str]]:
    for detail, (key, _, within) in _of_nearest_type(error, model):
        name = ".".join(map(str, key))
        if detail["type"] == "missing":
            yield key, f"{name} is missing"
        elif detail["type"] == "extra_forbidden":
            yield key, f"{name} is unknown ({_meant(str(key[-1]), _fields(within))})"
        elif detail["type"] == "value_error":
            words = detail["msg"].removeprefix("Value error, ")
            yield key or _named(words), f"{name}: {words}" if name else words
        else:
            words = (
                _of_type(detail["type"], detail["input"]) or f"{_plain(detail['msg'])}, not {_short(detail['input'])}"
            )
            yield key, f"{name}: {words}" if name else _plain(detail["msg"])


class _Place(NamedTuple):
    """Where an error is; pydantic adds to the keys which of several types it tried."""

    key: Key
    """Keys without these tags."""
    tried: Sequence[Key]
    """Each tag with the keys before it."""
    within: Sequence[Any]
    """Types of the parent of the last key."""


def _of_nearest_type(error: ValidationError, model: type[BaseModel]) -> Iterator[tuple[Any, _Place]]:
    """Yield the errors of only one of several allowed types: the value's own type, if possible, and the fewest errors.

    By the other types, nearly everything would be wrong.
    """
    details = [(detail, _place(model, detail["loc"])) for detail in error.errors()]
    misfits: dict[Key, dict[Key, tuple[bool, int]]] = {}
    for detail, place in details:
        for tag in place.tried:
            of_union = misfits.setdefault(tag[:-1], {})
            other, errors = of_union.get(tag, (False, 0))
            of_union[tag] = other or (tag == detail["loc"] and detail["type"].endswith(_OTHER)), errors + 1
    nearest = {min(of_union, key=of_union.__getitem__) for of_union in misfits.values()}
    return ((detail, place) for detail, place in details if nearest.issuperset(place.tried))


def _place(model: type[BaseModel], loc: Key) -> _Place:
    """Return the place of an error that pydantic reports, by the model's types."""
    key, tried = list[str | int](), list[Key]()
    within, choices = list[Any](), [model]
    for at, part in enumerate(loc):
        if len(choices) > 1 and loc[:at] not in tried:
            tried.append(loc[: at + 1])
            choices = [kind for kind in choices if getattr(kind, "__name__", "") == part] or choices
        else:
            key.append(part)
            within, choices = choices, [inner for kind in choices for inner in _alternatives(_inner(kind, part))]
    return _Place(tuple(key), tried, within)


def _named(words: str) -> Key:
    """Return the place with which a contradiction within a whole file begins: `partitions.cpu.mounts: ...`."""
    place, colon, _ = words.partition(": ")
    if not colon or any(character.isspace() for character in place):
        return ()
    return tuple(int(part) if part.isdigit() else part for part in place.split("."))


def _meant(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(name.lower(), names, n=2, cutoff=0.7)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"there are {', '.join(names)}" if names else "nothing of this name is read"


def _plain(words: str) -> str:
    return words.replace("Input should be", "should be")


def _of_type(kind: str, value: Any) -> str:
    """Return what to write instead of a value of another type; empty: none of these types."""
    wanted, _, _ = kind.partition("_")
    if wanted in ("int", "float"):
        return _of_number("a whole number" if wanted == "int" else "a number", value)
    if wanted == "string" and isinstance(value, (bool, int, float)):
        return f'a text, in quotes: "{_short(value)}"'
    if wanted == "list" and isinstance(value, str):
        return f"a list, in brackets: [{json.dumps(value, ensure_ascii=False)}]"
    named = _NAMED_TYPES.get(wanted)
    return f"{named}, not {_short(value)}" if named else ""


def _of_number(wanted: str, value: Any) -> str:
    if isinstance(value, str):
        quoted = _NUMBER.fullmatch(value)
        return f"{wanted}, without quotes{f': {quoted[1]}' if quoted else f', not {_short(value)}'}"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e18:
        return f"{wanted}, without a point or an exponent: {value:.0f}"
    return f"{wanted}, not {_short(value)}"


def _short(value: Any) -> str:
    """Return a value as it is in the file, if that is JSON."""
    other = value is None or isinstance(value, (bool, list, dict))
    text = json.dumps(value, ensure_ascii=False, default=repr) if other else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _fields(kinds: Sequence[Any]) -> list[str]:
    """Return names that a table of one of these types may have; empty: any, or unknown."""
    models = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
    return [field.alias or name for name, field in models[0].model_fields.items()] if models else []


def _inner(kind: Any, part: str | int) -> Any:
    """Return the type of an element or field; None: it has none."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
        return fields.get(str(part))
    arguments = typing.get_args(kind)
    return arguments[-1] if arguments and isinstance(typing.get_origin(kind), type) else None


def _alternatives(kind: Any) -> list[Any]:
    """Return the types in `Annotated`, `X | None` and the like; none for None."""
    if kind in (None, types.NoneType):
        return []
    if typing.get_origin(kind) is typing.Annotated:
        return _alternatives(typing.get_args(kind)[0])
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return [inner for argument in typing.get_args(kind) for inner in _alternatives(argument)]
    return [kind]
