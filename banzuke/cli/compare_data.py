"""The lines of a comparison as data, for `banzuke compare --json`."""

from dataclasses import asdict
from typing import Any

from banzuke.cli import by_size
from banzuke.compare.families import FamilyComparison
from banzuke.compare.matching import CaseLaunches, neighbours
from banzuke.compare.runs import Comparison, PublishedComparison
from banzuke.words import data


def line_data(line: Comparison) -> dict[str, Any]:
    """Return a case's figures in A and B, their ratio with its 95% interval, and all its sizes; in SI units."""
    return {
        "benchmark": line.benchmark,
        "backend": line.backend,
        **_case(line.case),
        "metric": line.metric.name if line.metric else None,
        "unit": line.metric.unit if line.metric else None,
        "a": asdict(line.a) if line.a else None,
        "b": asdict(line.b) if line.b else None,
        **_judgement(line),
        "paired": line.paired,
        "blocks": list(line.blocks) if line.blocks else None,
        "told": list(map(data, line.told)),
        "sizes": by_size.data(line),
    }


def family_data(family: FamilyComparison) -> dict[str, Any]:
    """Return the ratios of a family's problems, B over A: geometric mean, lowest and highest."""
    return {
        "benchmark": family.benchmark,
        "backend": family.backend,
        "family": family.family,
        "metric": family.metric.name,
        "cases": len(family.lines),
        "geometric_mean": family.mean,
        "lowest": {"name": family.lines[0].name, "ratio": family.lines[0].ratio},
        "highest": {"name": family.lines[-1].name, "ratio": family.lines[-1].ratio},
        "faster": family.count("faster"),
        "slower": family.count("slower"),
    }


def published_data(line: PublishedComparison) -> dict[str, Any]:
    """Return a published figure and the run's, in SI units, with its source and as it was printed."""
    return {
        "benchmark": line.benchmark,
        "backend": line.case.record.backend if line.case else None,
        **(_case(line.case) if line.case else {}),
        "metric": line.metric,
        "unit": line.figure.unit,
        "published": line.published,
        "as_printed": line.figure.as_printed,
        "per_node": line.per_node,
        "source": line.source,
        "run": asdict(line.ours) if line.ours else None,
        "published_of_peak": line.published_of_peak,
        "run_of_peak": line.ours_of_peak,
        **_judgement(line),
    }


def _case(case: CaseLaunches) -> dict[str, Any]:
    record = case.record
    return {
        "parameters": record.parameters,
        "ranks": record.ranks,
        "threads": record.threads,
        "environment": case.environment,
        "neighbours": neighbours(record),
        "variant": record.provenance.variant if record.provenance else {},
        "placement": None if case.placement == "none" else case.placement,
    }


def _judgement(line: Comparison | PublishedComparison) -> dict[str, Any]:
    return {
        "ratio": line.ratio,
        "interval": list(line.interval) if line.interval else None,
        "verdict": line.verdict,
        "reason": line.reason,
        "differences": list(line.differences),
    }
