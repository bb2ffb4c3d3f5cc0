"""The noise that records hold."""

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
    """Names of the benchmarks in whose records it is."""
    return [name for name, spec in specs.items() if any(isinstance(view, MeasuresFixedWork) for view in views(spec))]


def with_fixed_work(records: Sequence[Record], specs: Mapping[str, Benchmark]) -> list[tuple[Record, FixedWork]]:
    """Verified ones, each with its noise as the first view of its benchmark that can shows it."""
    found = []
    for record in records:
        able = [view for view in views(specs.get(record.benchmark)) if isinstance(view, MeasuresFixedWork)]
        if record.status == "ok" and (of := next((of for view in able if (of := view.fixed_work(record))), None)):
            found.append((record, of))
    return found


def noise_sources(measured: Sequence[tuple[Record, FixedWork]], *, with_clock: bool = False) -> list[NoiseSource]:
    """One for each environment and each other setting of what was measured; repetitions count together.

    Emulated machines are left out: their times mean nothing. Raises BanzukeError.
    """
    works = [(record, of) for record, of in measured if not meaningless([record])]
    rows = [apart(record) for record, _ in works]
    columns = telling(rows)
    groups: dict[str, list[FixedWork]] = {}
    for (record, of), row in zip(works, rows, strict=True):
        groups.setdefault(", ".join(filter(None, (surroundings(record), label_of(row, columns)))), []).append(of)
    return [_source(label, of, with_clock=with_clock) for label, of in groups.items()]


def noise_costs(
    records: Sequence[Record], specs: Mapping[str, Benchmark], periods: Sequence[SynchronisationPeriod]
) -> list[NoisePrediction]:
    """Of each environment and period; empty where too little noise was measured to say anything."""
    try:
        found, _ = predictions(periods, noise_sources(with_fixed_work(records, specs)))
    except BanzukeError:
        return []
    return found


def _source(label: str, repetitions: Sequence[FixedWork], *, with_clock: bool) -> NoiseSource:
    """Without the clock's part where all have it separated, unless it is wanted."""
    whole, beyond = [of.whole for of in repetitions], [of.beyond_clock for of in repetitions if of.beyond_clock]
    separated = len(beyond) == len(whole)
    measured = Measured.together(whole if with_clock or not separated else beyond)
    on = count(repetitions[0].processors, "processor")
    about = f"{sum(of.quanta for of in whole):,} quanta of {quantity(measured.quantum, 's')} on {on}"
    if separated:
        about += ", including changes of the clock" if with_clock else ", without changes of the clock"
    return NoiseSource.of(measured, label, about)
