"""Finds noise in records."""

from collections.abc import Mapping, Sequence

from banzuke.compare.settings import apart, label_of, surroundings, telling
from banzuke.errors import BanzukeError
from banzuke.judge.effects import meaningless
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.slowdown.noise import FixedWork, Measured, MeasuresFixedWork
from banzuke.slowdown.prediction import NoisePrediction, NoiseSource, predictions
from banzuke.slowdown.synchronisation import SynchronisationPeriod
from banzuke.units import count, quantity
from banzuke.views.view import views


def measuring_fixed_work(specs: Mapping[str, Benchmark]) -> list[str]:
    """Return the names of the benchmarks whose records contain it."""
    return [name for name, spec in specs.items() if any(isinstance(view, MeasuresFixedWork) for view in views(spec))]


def with_fixed_work(records: Sequence[Record], specs: Mapping[str, Benchmark]) -> list[tuple[Record, FixedWork]]:
    """Return the verified records with noise, each with that of the first view of its benchmark that can show it."""
    works = []
    for record in records:
        if record.status != "ok":
            continue
        able = [view for view in views(specs.get(record.benchmark)) if isinstance(view, MeasuresFixedWork)]
        if work := next(filter(None, (view.fixed_work(record) for view in able)), None):
            works.append((record, work))
    return works


def noise_sources(measured: Sequence[tuple[Record, FixedWork]], *, with_clock: bool = False) -> list[NoiseSource]:
    """Return a noise for each environment and each other setting of what was measured; repetitions count together.

    Emulated machines are left out, because their times mean nothing. Raises BanzukeError.
    """
    works = [(record, noise) for record, noise in measured if not meaningless([record])]
    rows = [apart(record) for record, _ in works]
    columns = telling(rows)
    groups: dict[str, list[FixedWork]] = {}
    for (record, work), row in zip(works, rows, strict=True):
        groups.setdefault(", ".join(filter(None, (surroundings(record), label_of(row, columns)))), []).append(work)
    return [_source(label, repetitions, with_clock=with_clock) for label, repetitions in groups.items()]


def noise_costs(
    records: Sequence[Record], specs: Mapping[str, Benchmark], periods: Sequence[SynchronisationPeriod]
) -> list[NoisePrediction]:
    """Return the costs in each environment, by period; empty where too little noise was measured to predict from."""
    try:
        costs, _ = predictions(periods, noise_sources(with_fixed_work(records, specs)))
    except BanzukeError:
        return []
    return costs


def _source(label: str, repetitions: Sequence[FixedWork], *, with_clock: bool) -> NoiseSource:
    """Return the noise without changes of the clock, if all repetitions separate these and `with_clock` is not set."""
    whole, beyond = (
        [work.whole for work in repetitions],
        [work.beyond_clock for work in repetitions if work.beyond_clock],
    )
    separated = len(beyond) == len(whole)
    measured = Measured.together(whole if with_clock or not separated else beyond)
    on = count(repetitions[0].processors, "processor")
    about = f"{sum(work.quanta for work in whole):,} quanta of {quantity(measured.quantum, 's')} on {on}"
    if separated:
        about += ", including changes of the clock" if with_clock else ", without changes of the clock"
    return NoiseSource.of(measured, label, about)
