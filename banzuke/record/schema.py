"""Writes `schema/record.schema.json` from the record's model: `python -m banzuke.record.schema`."""

import json

from banzuke.paths import SCHEMA
from banzuke.record.model import Record

FILE = SCHEMA / "record.schema.json"


def text() -> str:
    """Return the JSON schema of a record as the file's text."""
    return json.dumps(Record.model_json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
