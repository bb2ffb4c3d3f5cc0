"""Prints the figures of a file of records. It runs on a machine without the front end, with Python 3.8 or newer."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHOWN = 10
"""Approximate number of sizes of a curve that are shown."""


def lines(record: dict[str, Any]) -> Iterator[str]:
    """Yield a record as text: its call, the medians of its metrics and curves, figures of pairs, and its checks."""
    call = " ".join(f"{name}={value}" for name, value in record["parameters"].items())
    yield f"{record['benchmark']} {call}: {record['status']}" + (f", {record['reason']}" if record["reason"] else "")
    for name, metric in record["metrics"].items():
        samples = metric["samples"]
        if samples:
            middle, least, most = statistics.median(samples), min(samples), max(samples)
            yield f"  {name:32} {middle:.4g} {metric['unit']} ({least:.4g} to {most:.4g}, {len(samples)} samples)"
    for name, curve in record["curves"].items():
        for point in curve["points"][:: -(-len(curve["points"]) // SHOWN)]:
            medians = [statistics.median(metric["samples"]) for metric in point["metrics"].values()]
            yield f"  by {name}, {point['at']:.0f} {curve['unit']}: " + ", ".join(f"{middle:.4g}" for middle in medians)
    for name, pairs in record["pairs"].items():
        names = [end["device"] or "host" for end in pairs["ends"]]
        for at, value in enumerate(pairs["values"]):
            a, b = (names[place] if names else place for place in (pairs["from"][at], pairs["to"][at]))
            yield f"  {name} {a} -> {b}: {value:.4g} {pairs['unit']}"
    for check in record["verification"]:
        verdict = "passed" if check["passed"] else "FAILED"
        yield f"  {verdict}: {check['quantity']}: {check['value']:.3g}, at most {check['tolerance']:.3g}"


if __name__ == "__main__":
    status = 0
    content = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    for number, text in enumerate(content.splitlines(), 1):
        try:
            print("\n".join(lines(json.loads(text))))
        except (ValueError, KeyError, TypeError):
            print(f"line {number} is no whole record; its program failed")
            status = 1
    sys.exit(status)
