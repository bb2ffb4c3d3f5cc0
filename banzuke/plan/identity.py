"""Turns what was asked for into one text, by which an interrupted run is found again."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def unusual(model: Any) -> dict[str, Any]:
    """Return the values of a dataclass that are not its defaults; for a dataclass within it likewise."""
    usual = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(model)
    }
    values = {name: value for name, value in vars(model).items() if value != usual[name]}
    return {name: unusual(value) if is_dataclass(value) else value for name, value in values.items()}


def canonical(parts: Mapping[str, Any]) -> str:
    """Return JSON that is the same text for the same values."""
    return json.dumps(parts, sort_keys=True, default=dict)
