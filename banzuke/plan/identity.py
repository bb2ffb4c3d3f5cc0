"""What was asked for as one text, by which a run that was cut off is known again."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def unusual(model: Any) -> dict[str, Any]:
    """Values of a dataclass that are not its defaults; of a dataclass in it, those of its own."""
    usual = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(model)
    }
    values = {name: value for name, value in vars(model).items() if value != usual[name]}
    return {name: unusual(value) if is_dataclass(value) else value for name, value in values.items()}


def canonical(parts: Mapping[str, Any]) -> str:
    """JSON that is the same text for the same values."""
    return json.dumps(parts, sort_keys=True, default=dict)
