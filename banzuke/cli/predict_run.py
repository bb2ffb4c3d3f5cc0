"""For `banzuke predict BENCHMARK RUN`: the rates that the run measured, and those that had to be assumed."""

from collections.abc import Mapping
from typing import Any

from banzuke.cli.console import out
from banzuke.machine.site import Peaks
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.wording import resource_title
from banzuke.predict.constants import Constant
from banzuke.predict.from_run import run_with
from banzuke.predict.measured import LINK
from banzuke.predict.model import Forecast
from banzuke.predict.origin import Lacking, MeasuredRate, RunOrigin
from banzuke.results.store import Store
from banzuke.units import number, quantity
from banzuke.words.language import words

SCALES = {"flops.fp64": "flops", "memory.bytes": "memory.bandwidth", LINK: "link.bandwidth"}
"""The described number on which a figure depends, by resource."""
LEAST_SHARE = 1e-3
"""Smallest change shown without `verbose`, as a share of the figure."""


def run_data(
    origin: RunOrigin, prediction: Forecast, constants: Mapping[str, Constant], store: Store
) -> dict[str, Any]:
    """Return the rates that the run measured, with their sources, and those that it lacks, for `--json`."""
    return {
        "run": origin.run,
        "measured": [_rate_data(rate, origin) for rate in origin.rates],
        "not_measured": [
            {
                "resource": missing.resource,
                "device": missing.device,
                "benchmark": missing.benchmark,
                "assumed": constants[missing.constant].value if _is_assumed(missing, prediction) else None,
                "measured_by_run": run_with(missing, origin, store) or None,
            }
            for missing in _mattering(origin, prediction)
        ],
    }


def _rate_data(rate: MeasuredRate, origin: RunOrigin) -> dict[str, Any]:
    ceiling = rate.ceiling
    return {
        "resource": ceiling.resource.name,
        "device": ceiling.device,
        "partition": ceiling.partition,
        "value": ceiling.value,
        "unit": ceiling.resource.unit,
        "source": words()(ceiling.source),
        "run": ceiling.run or origin.run,
        "stands_in": rate.stands_in,
        "caution": words()(rate.caution) if rate.caution else None,
    }


def show_run(
    origin: RunOrigin, prediction: Forecast, constants: Mapping[str, Constant], store: Store, *, verbose: bool
) -> None:
    """Print the rates on which the figure depends, with `verbose` all; then what the run lacks for it."""
    shown = [rate for rate in origin.rates if verbose or _moves(rate.ceiling.resource.name, prediction)]
    out.print()
    out.say((f"measured by run {origin.run}", "bold"), "" if shown else ": nothing that this figure follows from")
    for rate in shown:
        ceiling = rate.ceiling
        device = f" of {ceiling.device}" if ceiling.device else ""
        where = f", {words()(ceiling.source)}" if verbose or ceiling.run or rate.stands_in else ""
        value = quantity(ceiling.value, ceiling.resource.unit)
        out.say(f"{words()(resource_title(ceiling.resource))}{device}: {value}{where}")
    for rate in shown:
        if rate.caution:
            title = words()(resource_title(rate.ceiling.resource))
            out.say(("Caution:", "yellow"), f" {title}: {words()(rate.caution)}")
    for missing in _mattering(origin, prediction):
        out.say(("not measured:", "yellow"), f" {lacking_text(missing, origin, prediction, constants, store)}")


def lacking_text(
    missing: Lacking, origin: RunOrigin, prediction: Forecast, constants: Mapping[str, Constant], store: Store
) -> str:
    kind = f" on {missing.device}" if missing.device else ""
    assumed = constants[missing.constant]
    instead = "the short probe above stands in"
    if _is_assumed(missing, prediction):
        ends = f"{number(assumed.low)} to {number(assumed.high)}"
        instead = f"{number(assumed.value)} ({ends}) is assumed as {assumed.title}"
    lacking = f"run {origin.run} has no {benchmarks()[missing.benchmark].title}{kind}"
    return f"{lacking}: {instead}. {remedy(missing, origin, store)}"


def measuring(origin: RunOrigin) -> str:
    """Return the commands that measure what the run lacks and has no known peak for; empty if there is nothing."""
    node = origin.machine.node
    peaks: dict[str | None, Peaks] = {device.name: device.peaks for device in node.devices}
    peaks[None] = origin.machine.peaks
    unknown = [
        missing.benchmark
        for missing in origin.lacking
        if missing.resource != LINK and not ((peak := peaks[missing.device].get(missing.resource)) and peak.value)
    ]
    return ", ".join(f"`banzuke run {benchmark}`" for benchmark in dict.fromkeys(unknown))


def remedy(missing: Lacking, origin: RunOrigin, store: Store) -> str:
    """Return how to measure the rate."""
    hosts = " on two hosts" if missing.resource == LINK else ""
    other = run_with(missing, origin, store)
    return f"Run `banzuke run {missing.benchmark}`{hosts}" + (f", or name a run that has it: {other}" if other else "")


def _mattering(origin: RunOrigin, prediction: Forecast) -> list[Lacking]:
    """Return what the run lacks of the rates on which the figure depends."""
    probed = {(rate.ceiling.resource.name, rate.ceiling.device) for rate in origin.rates if rate.stands_in}
    return [
        missing
        for missing in origin.lacking
        if _is_assumed(missing, prediction)
        or ((missing.resource, missing.device) in probed and _moves(missing.resource, prediction))
    ]


def _is_assumed(missing: Lacking, prediction: Forecast) -> bool:
    return any(swing.name == missing.constant for swing in prediction.swings if swing.uncertain)


def _moves(resource: str, prediction: Forecast) -> bool:
    least = LEAST_SHARE * prediction.estimate.figure
    return any(
        swing.name == SCALES[resource] and abs(swing.high - swing.low) > least
        for swing in prediction.swings
        if not swing.uncertain
    )
