"""Reads the values of `--set`."""

import re
from collections.abc import Sequence
from decimal import Decimal

from banzuke.errors import BanzukeError


def parse_overrides(settings: Sequence[str]) -> dict[str, list[str]]:
    """Return values by parameter: `["n=1000,2000", "stores=plain"]`. Raises BanzukeError naming the setting."""
    overrides: dict[str, list[str]] = {}
    for setting in settings:
        name, equals, values = setting.partition("=")
        if not (name and equals and values):
            raise BanzukeError(
                f"--set '{setting}' is not understood", remedy="Write --set name=value, or name=value,value for a sweep"
            )
        overrides.setdefault(name, []).extend(map(_written_out, values.split(",")))
    return overrides


def _written_out(value: str) -> str:
    """Return `1e9` as `1000000000`, because programs read whole numbers so; anything else stays the same."""
    if not re.fullmatch(r"\d+(\.\d+)?[eE]\+?\d{1,2}", value):
        return value
    number = Decimal(value)
    return str(int(number)) if number == number.to_integral_value() else value
