"""Reading of charts in tests."""

from collections.abc import Mapping
from typing import Any


def layers(spec: Mapping[str, Any], mark: str) -> list[dict[str, Any]]:
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == mark]


def rows(spec: Mapping[str, Any], layer: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = layer.get("data") or spec["data"]
    found: list[dict[str, Any]] = data.get("values") or spec["datasets"][data["name"]]
    return found
