"""What each environment costs: cases of one run that differ in nothing but the environment, against the native ones."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from banzuke.environment.model import NATIVE
from banzuke.environment.vm import emulated
from banzuke.record.compare import Comparison, Metrics, compare
from banzuke.record.matching import environment
from banzuke.record.model import Record
from banzuke.units import number

MANY = 2.0
"""Ratio from which a difference is told as times."""
NO_TIMES = "emulated in software: its times mean nothing"


@dataclass(frozen=True)
class Cost:
    """A headline figure in an environment against the same case natively; a ratio above 1 is better than native."""

    environment: str
    line: Comparison
    meaningless: str
    """Why its times mean nothing; empty: they do not."""


def environments(records: Sequence[Record]) -> list[str]:
    """In the order in which they ran, the native one first."""
    found = list(dict.fromkeys(environment(record) for record in records))
    return sorted(found, key=lambda name: name != NATIVE)


def costs(records: Sequence[Record], metrics: Metrics, collections: Collection[str] = ()) -> list[Cost]:
    """Of every case that ran natively too, each headline figure in each other environment; empty: there is none."""
    by_environment: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_environment[environment(record)].append(record)
    headlines = {key: metric for key, metric in metrics.items() if metric.headline}
    return [
        Cost(name, line, meaningless(by_environment[name]))
        for name in environments(records)
        if name != NATIVE
        for line in compare(by_environment[NATIVE], by_environment[name], headlines, collections)
        if line.metric is not None and line.a and line.b and _alike(line)
    ]


def meaningless(records: Sequence[Record]) -> str:
    """Of one environment: why its times mean nothing; empty: they do not."""
    found = any(record.provenance and emulated(record.provenance.environment_details) for record in records)
    return NO_TIMES if found else ""


def _alike(line: Comparison) -> bool:
    return all(difference.startswith("environment: ") for difference in line.differences)


def costly(line: Comparison) -> str:
    """`3.1% worse`; where no difference is shown, why."""
    if line.ratio is None:
        return line.reason
    if line.verdict not in ("faster", "slower"):
        return line.verdict
    times = max(line.ratio, 1 / line.ratio)
    change = f"{number(times)} times" if times >= MANY else f"{100 * (times - 1):.2g}%"
    return f"{change} {'better' if line.ratio > 1 else 'worse'}"
