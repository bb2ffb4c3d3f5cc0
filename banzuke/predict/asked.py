"""Reads the values that a call gives a model: numbers and words, or an error that names the invalid one."""

import math
from collections.abc import Iterable

from banzuke.predict.model import Call
from banzuke.words import message
from banzuke.words.errors import MessageError


def whole(call: Call, name: str, default: int, least: int = 1) -> int:
    value = call.get(name, default)
    if isinstance(value, bool | str) or not least <= value < math.inf or value != int(value):
        raise MessageError(message("unpredicted-no-whole", setting=f"{name}={value}", least=least))
    return int(value)


def amount(call: Call, name: str, default: float) -> float:
    value = call.get(name, default)
    if isinstance(value, bool | str) or not 0 < value < math.inf:
        raise MessageError(message("unpredicted-not-positive", setting=f"{name}={value}"))
    return float(value)


def one_of(call: Call, name: str, choices: Iterable[str], default: str) -> str:
    value, words = call.get(name, default), list(choices)
    if value not in words:
        problem = message("unpredicted-unknown", setting=f"{name}={value}")
        raise MessageError(problem, remedy=f"Give one of: {', '.join(words)}")
    return str(value)
