"""Helpers that read charts in tests."""

from collections.abc import Mapping
from typing import Any


def all_layers(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all layers, including nested ones with the data of the outer ones."""
    layers: list[dict[str, Any]] = []
    for layer in spec["layer"]:
        layers += all_layers({"layer": layer["layer"], "data": layer["data"]}) if "layer" in layer else [layer]
    return [{"data": spec["data"], **layer} if "data" in spec else layer for layer in layers]


def layers(spec: Mapping[str, Any], mark: str) -> list[dict[str, Any]]:
    return [layer for layer in all_layers(spec) if layer["mark"]["type"] == mark]


def rows(spec: Mapping[str, Any], layer: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = layer.get("data") or spec["data"]
    values: list[dict[str, Any]] = data.get("values") or spec["datasets"][data["name"]]
    return values
