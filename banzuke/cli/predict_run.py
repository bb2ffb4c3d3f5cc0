"""What `banzuke predict BENCHMARK RUN` says of the run: rates that it gave, and those that had to be assumed."""

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
"""Of a resource, the described number that a figure moves with."""
LEAST = 1e-3
"""Of the figure: a rate that moves it less is shown among all alone."""


def run_data(origin: RunOrigin, found: Forecast, constants: Mapping[str, Constant], store: Store) -> dict[str, Any]:
    return {
        "run": origin.run,
        "measured": [_rate_data(each, origin) for each in origin.rates],
        "not_measured": [
            {
                "resource": each.resource,
                "device": each.device,
                "benchmark": each.benchmark,
                "assumed": constants[each.constant].value if _is_assumed(each, found) else None,
                "measured_by_run": run_with(each, origin, store) or None,
            }
            for each in _mattering(origin, found)
        ],
    }


def _rate_data(of: MeasuredRate, origin: RunOrigin) -> dict[str, Any]:
    one = of.ceiling
    return {
        "resource": one.resource.name,
        "device": one.device,
        "partition": one.partition,
        "value": one.value,
        "unit": one.resource.unit,
        "source": words()(one.source),
        "run": one.run or origin.run,
        "stands_in": of.stands_in,
        "caution": words()(of.caution) if of.caution else None,
    }


def show_run(
    origin: RunOrigin, found: Forecast, constants: Mapping[str, Constant], store: Store, *, verbose: bool
) -> None:
    """Rates that the figure moves with, all with their sources if `verbose`; then what the run lacks for it."""
    shown = [each for each in origin.rates if verbose or _moves(each.ceiling.resource.name, found)]
    out.print()
    out.say((f"measured by run {origin.run}", "bold"), "" if shown else ": nothing that this figure follows from")
    for rate in shown:
        one = rate.ceiling
        of = f" of {one.device}" if one.device else ""
        where = f", {words()(one.source)}" if verbose or one.run or rate.stands_in else ""
        out.say(f"{words()(resource_title(one.resource))}{of}: {quantity(one.value, one.resource.unit)}{where}")
    for rate in shown:
        if rate.caution:
            of = words()(resource_title(rate.ceiling.resource))
            out.say(("Caution:", "yellow"), f" {of}: {words()(rate.caution)}")
    for each in _mattering(origin, found):
        out.say(("not measured:", "yellow"), f" {lacking_text(each, origin, found, constants, store)}")


def lacking_text(
    of: Lacking, origin: RunOrigin, found: Forecast, constants: Mapping[str, Constant], store: Store
) -> str:
    kind = f" on {of.device}" if of.device else ""
    assumed = constants[of.constant]
    instead = "the short probe above stands in"
    if _is_assumed(of, found):
        ends = f"{number(assumed.low)} to {number(assumed.high)}"
        instead = f"{number(assumed.value)} ({ends}) is assumed as {assumed.title}"
    lacking = f"run {origin.run} has no {benchmarks()[of.benchmark].title}{kind}"
    return f"{lacking}: {instead}. {remedy(of, origin, store)}"


def measuring(origin: RunOrigin) -> str:
    """Commands that measure what the run lacks and no peak is known of; empty: there is nothing like that."""
    node = origin.machine.node
    peaks: dict[str | None, Peaks] = {device.name: device.peaks for device in node.devices}
    peaks[None] = origin.machine.peaks
    unknown = [
        each.benchmark
        for each in origin.lacking
        if each.resource != LINK and not ((peak := peaks[each.device].get(each.resource)) and peak.value)
    ]
    return ", ".join(f"`banzuke run {benchmark}`" for benchmark in dict.fromkeys(unknown))


def remedy(of: Lacking, origin: RunOrigin, store: Store) -> str:
    """How the rate can be had."""
    hosts = " on two hosts" if of.resource == LINK else ""
    other = run_with(of, origin, store)
    return f"Run `banzuke run {of.benchmark}`{hosts}" + (f", or name a run that has it: {other}" if other else "")


def _mattering(origin: RunOrigin, found: Forecast) -> list[Lacking]:
    """What the run lacks of what the figure follows from."""
    probed = {(each.ceiling.resource.name, each.ceiling.device) for each in origin.rates if each.stands_in}
    return [
        each
        for each in origin.lacking
        if _is_assumed(each, found) or ((each.resource, each.device) in probed and _moves(each.resource, found))
    ]


def _is_assumed(of: Lacking, found: Forecast) -> bool:
    return any(each.name == of.constant for each in found.swings if each.uncertain)


def _moves(resource: str, found: Forecast) -> bool:
    least = LEAST * found.estimate.figure
    return any(
        each.name == SCALES[resource] and abs(each.high - each.low) > least
        for each in found.swings
        if not each.uncertain
    )
