"""What was asked for as one text, by which a run that was cut off is known again."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def unusual(model: Any) -> dict[str, Any]:
    """Values of a dataclass that are not its defaults; of a dataclass in it, those of its own."""
    usual = {
        one.name: one.default if one.default_factory is MISSING else one.default_factory() for one in fields(model)
    }
    found = {name: value for name, value in vars(model).items() if value != usual[name]}
    return {name: unusual(value) if is_dataclass(value) else value for name, value in found.items()}


def canonical(parts: Mapping[str, Any]) -> str:
    """JSON that is the same text for the same values."""
    return json.dumps(parts, sort_keys=True, default=dict)
