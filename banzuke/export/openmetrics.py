"""OpenMetrics text (1.0), for Prometheus: a metric for each declared figure, whose name and unit follow from it.

With gauges alone and no timestamps, it is also text that the textfile collector of Prometheus' node exporter reads.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from banzuke import __version__
from banzuke.export.model import ExportedCase, ExportedRun
from banzuke.text import printable
from banzuke.units import plural

FILE = "banzuke.prom"
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_]+")
_UNITS = {
    "1": "ratio",
    "count": "",
    "B": "bytes",
    "s": "seconds",
    "m": "meters",
    "Hz": "hertz",
    "W": "watts",
    "J": "joules",
}


@dataclass
class _Family:
    """A metric with its samples."""

    name: str
    unit: str
    about: str
    samples: list[tuple[Mapping[str, str], float]] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        yield f"# TYPE {self.name} gauge"
        if self.unit:
            yield f"# UNIT {self.name} {self.unit}"
        yield f"# HELP {self.name} {_escaped(self.about)}"
        for labels, value in self.samples:
            written = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
            yield f"{self.name}{{{written}}} {value!r}"


def unit_name(unit: str) -> str:
    """Return the name of a unit, as Prometheus writes them: `bytes_per_second` for `B/s`; empty: a mere number."""
    counted, *per = unit.split("/")
    parts = [_UNITS.get(counted, plural(counted)), *(_UNITS.get(part, part).removesuffix("s") for part in per)]
    return _clean("_per_".join(filter(None, parts)))


def metric_name(benchmark: str, metric: str, unit: str) -> str:
    """Return `banzuke_stream_triad_bandwidth_bytes_per_second`."""
    return "_".join(filter(None, ("banzuke", _clean(benchmark), _clean(metric), unit_name(unit))))


def openmetrics(run: ExportedRun) -> str:
    """Return the text."""
    machine = {"machine": run.machine.name}
    about = {**machine, "fingerprint": run.machine.fingerprint, "run": run.name, "version": __version__}
    ended = _Family("banzuke_run_end_timestamp_seconds", "seconds", "Unix time at which the run ended.")
    ended.samples.append((machine, run.ended.timestamp()))
    families = [
        _Family("banzuke_run_info", "", "The run that was exported.", [(about, 1)]),
        ended,
        _outcomes(run),
        *_figures(run),
    ]
    lines = [line for family in families if family.samples for line in family.lines()]
    return "\n".join((*lines, "# EOF\n"))


def _outcomes(run: ExportedRun) -> _Family:
    verified = _Family(
        "banzuke_case_verified", "", "Whether all launches of the case passed their checks; skipped ones are missing."
    )
    verified.samples += [
        (_labels(run, case), int(case.outcome == "passed")) for case in run.cases if case.outcome != "skipped"
    ]
    return verified


def _figures(run: ExportedRun) -> Iterator[_Family]:
    """Yield a metric for each figure, and its share of the limit."""
    values: dict[str, _Family] = {}
    shares = _Family("banzuke_share_of_limit_ratio", "ratio", "Figure over the limit of this machine, as measured.")
    for case in run.cases:
        for figure in case.figures:
            if not math.isfinite(figure.value):
                continue
            name = metric_name(case.benchmark, figure.metric, figure.unit)
            about = f"{case.benchmark}: {figure.title}, {figure.better} is better. Median of verified launches."
            family = values.setdefault(name, _Family(name, unit_name(figure.unit), about))
            family.samples.append((_labels(run, case), figure.value))
            if figure.fraction_of_limit is not None and not figure.own_ceiling:
                labels = {**_labels(run, case), "figure": figure.metric}
                shares.samples.append((labels, figure.fraction_of_limit))
    yield from values.values()
    yield shares


def _labels(run: ExportedRun, case: ExportedCase) -> Mapping[str, str]:
    backend = case.record.backend if case.record else ""
    return {"machine": run.machine.name, "benchmark": case.benchmark, "backend": backend, "case": case.label}


def _clean(text: str) -> str:
    return _NOT_IN_NAMES.sub("_", text).strip("_")


def _escaped(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
