"""Scaling studies as JSON: only data, in SI units; null is unknown."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from banzuke.judge.data import stated
from banzuke.scaling.fit import Fit, Next
from banzuke.scaling.model import Count, Scaling, ScalingStudy
from banzuke.scaling.page import efficiency_at
from banzuke.words.language import Words

Json = Mapping[str, Any]


def scaling_json(scaling: Scaling, words: Words) -> Json:
    return {"studies": [_study(study, words) for study in scaling.studies], "without": list(scaling.without)}


def _study(study: ScalingStudy, words: Words) -> Json:
    fits = study.fits
    return {
        "kind": study.kind,
        "benchmark": study.benchmark.name,
        "metric": study.metric.name,
        "unit": study.metric.unit,
        "machine": study.machine,
        "partition": study.partition or None,
        "settings": dict(study.settings),
        "counts": [_count(count, study) for count in study.counts],
        "remarks": [stated(remark, words) for remark in study.remarks],
        "models": [_model(fit) for fit in ([fits.perfect] if fits.perfect else []) + list(fits.models)],
        "best": fits.best.form.name if fits.best else None,
        "next": _next(study, study.next) if study.next else None,
    }


def _count(count: Count, study: ScalingStudy) -> Json:
    kept = ("nodes", "sizes", "layout", "medians", "seconds", "records", "apart", "failed")
    return {name: value for name, value in asdict(count).items() if name in kept} | {
        "rate": count.rate,
        "interval": count.interval,
        "speed_up": study.speed_up(count),
        "efficiency": study.efficiency(count),
        "efficiency_interval": study.efficiency_interval(count),
    }


def _model(fit: Fit) -> Json:
    share, interval = fit.serial or (None, None)
    return {
        "name": fit.form.name,
        "terms": ["1", *fit.form.labels],
        "of": "efficiency" if fit.form.inverse else "cost",
        "coefficients": fit.coefficients,
        "errors": fit.errors,
        "serial": share,
        "serial_interval": interval,
        "deviation": fit.error,
        "left_out": fit.left_out,
    }


def _next(study: ScalingStudy, proposal: Next) -> Json:
    fit = study.fits.believed
    efficiency, interval = efficiency_at(fit, proposal.nodes) if fit else (None, None)
    return {
        "nodes": proposal.nodes,
        "node_seconds": study.cost(proposal.nodes),
        "separates": [fit.form.name for fit in proposal.separates] if proposal.separates else [],
        "narrower": proposal.narrower,
        "efficiency": efficiency,
        "efficiency_interval": interval,
    }
