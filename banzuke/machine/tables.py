"""Reads our own tables in `machines/`."""

import csv
from pathlib import Path


def read_table(file: Path) -> "csv.DictReader[str]":
    """Return the rows, by column, as text; lines that begin with # are comments."""
    with file.open(encoding="utf-8", newline="") as stream:
        return csv.DictReader([line for line in stream if not line.startswith("#")])
