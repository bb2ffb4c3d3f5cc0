"""Our own tables in `machines/`."""

import csv
from pathlib import Path


def read_table(file: Path) -> "csv.DictReader[str]":
    """The rows by column, all as text; lines that begin with # are none."""
    with file.open(encoding="utf-8", newline="") as stream:
        return csv.DictReader([line for line in stream if not line.startswith("#")])
