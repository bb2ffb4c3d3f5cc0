"""Prints the figures of a file of records. Alone on a machine without the front end, so with any Python 3.8."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


SHOWN = 10
"""Sizes of a curve, about."""


def lines(record: dict[str, Any]) -> Iterator[str]:
    call = " ".join(f"{name}={value}" for name, value in record["parameters"].items())
    yield f"{record['benchmark']} {call}: {record['status']}" + (f", {record['reason']}" if record["reason"] else "")
    for name, metric in record["metrics"].items():
        samples = metric["samples"]
        if samples:
            middle, least, most = statistics.median(samples), min(samples), max(samples)
            yield f"  {name:32} {middle:.4g} {metric['unit']} ({least:.4g} to {most:.4g}, {len(samples)} samples)"
    for name, curve in record["curves"].items():
        points = curve["points"][:: -(-len(curve["points"]) // SHOWN)]
        medians = [
            (point["at"], statistics.median(metric["samples"])) for point in points for metric in point["metrics"].values()
        ]
        yield f"  by {name}: " + ", ".join(f"{at:.0f} {curve['unit']} {value:.4g}" for at, value in medians)
    for name, pairs in record["pairs"].items():
        names = [end["device"] or "host" for end in pairs["ends"]]
        for a, b, value in zip(pairs["from"], pairs["to"], pairs["values"]):
            yield f"  {name} {names[a] if names else a} -> {names[b] if names else b}: {value:.4g} {pairs['unit']}"
    for check in record["verification"]:
        verdict = "passed" if check["passed"] else "FAILED"
        yield f"  {verdict}: {check['quantity']}: {check['value']:.3g}, at most {check['tolerance']:.3g}"


if __name__ == "__main__":
    for text in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        print("\n".join(lines(json.loads(text))))
