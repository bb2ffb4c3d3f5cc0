"""Finds the time between synchronisations in the applications that a run measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.compare.matching import CaseLaunches, gather
from banzuke.errors import BanzukeError
from banzuke.judge.effects import meaningless
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.slowdown.synchronisation import SynchronisationPeriod, Synchronises
from banzuke.views.view import views


def measuring_synchronisation(specs: Mapping[str, Benchmark]) -> list[str]:
    """Return the names of the benchmarks whose records show it."""
    return [name for name, spec in specs.items() if any(isinstance(view, Synchronises) for view in views(spec))]


@dataclass(frozen=True)
class Applications:
    periods: Sequence[SynchronisationPeriod]
    without: Sequence[str]
    """Why others have none: `HPCG: its headline case failed`."""


def applications(records: Sequence[Record], specs: Mapping[str, Benchmark], suffix: str = "") -> Applications:
    """Return a period for each benchmark with a view that supports it, from its headline case: the first that ran.

    `suffix`: added to their names.
    """
    periods: list[SynchronisationPeriod] = []
    without: list[str] = []
    headlines: dict[str, CaseLaunches] = {}
    for case in gather(record for record in records if not meaningless([record])):
        headlines.setdefault(case.record.benchmark, case)
    for name, case in headlines.items():
        spec = specs.get(name)
        view = next((view for view in views(spec) if isinstance(view, Synchronises)), None)
        if spec is None or view is None:
            continue
        title = f"{spec.title} {suffix}".strip()
        if not case.measured:
            without.append(f"{title}: its headline case has no verified record")
            continue
        try:
            seen = sorted(map(view.synchronisation, case.measured), key=lambda synchronisation: synchronisation.period)
        except BanzukeError as error:
            without.append(f"{title}: {error}")
            continue
        middle = seen[(len(seen) - 1) // 2]
        about = f"{middle.about}; {case.record.layout}"
        periods.append(SynchronisationPeriod(middle.period, title, about, name))
    return Applications(periods, without)
