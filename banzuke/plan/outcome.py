"""Turns a record into what a benchmark's own policy reads."""

from statistics import median

from banzuke.plan.official import CurvePoint, Outcome
from banzuke.record.model import Record


def outcome(record: Record) -> Outcome:
    """Return the record's figures as medians of its samples, with its curve, checks and conditions."""
    return Outcome(
        parameters=record.parameters,
        backend=record.backend,
        status=record.status,
        reason=record.reason,
        started=record.started,
        values={name: median(samples.samples) for name, samples in record.metrics.items()},
        samples={name: samples.samples for name, samples in record.metrics.items()},
        points=[
            CurvePoint(point.at, {name: samples.samples for name, samples in point.metrics.items()})
            for point in (record.curve.points if record.curve else ())
        ],
        checks={check.quantity: check.value for check in record.verification},
        conditions=record.conditions,
        hosts=record.nodes,
        ranks=record.ranks,
        threads=record.threads,
    )
