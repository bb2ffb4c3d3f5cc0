"""Carries out a search: every measurement is a verified run of a few seconds, with its record."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from banzuke.compare.statistics import median
from banzuke.errors import BanzukeError
from banzuke.evaluation.execute import Observer, measure
from banzuke.evaluation.options import Options
from banzuke.evaluation.prepared import Prepared
from banzuke.evaluation.stored import Tuned, library
from banzuke.installation import installation
from banzuke.launch.complete import CaseOrigin
from banzuke.machine.model import Machine
from banzuke.plan.axes import axis_of, fitting
from banzuke.plan.benchmark import Benchmark, Setting
from banzuke.plan.case import Case, key
from banzuke.plan.case_at import case_at
from banzuke.plan.variant import Variant, Variants
from banzuke.program.describe import describe
from banzuke.program.installed import commit
from banzuke.record.model import Record
from banzuke.record.state import taken
from banzuke.results.run import Run
from banzuke.tuning import search

MEASUREMENTS = 50
"""Number of measurements for which the time of a search should suffice. It sets their length: the longer they are, the
larger the sizes, and the better they show what is best for large sizes.
"""
SHORTEST, LONGEST = 1.0, 20.0


class TuningObserver(search.SearchObserver, Observer, Protocol):
    """Follows a search and its records."""


def default(benchmark: Benchmark, machine: Machine, backend: str, seconds: float, variant: Variant) -> Setting:
    """Return what the benchmark and its program choose for a timed part of this length. Raises BanzukeError."""
    layout, overrides = benchmark.sweep(machine)[0]
    chosen = benchmark.defaults(machine, replace(layout, seconds=seconds)) | overrides
    return Setting(layout, describe(benchmark.name, backend, chosen, variant.build).values, variant)


class Tuner:
    """One search, in a run's folder. `result` returns what it found, also after an interrupt."""

    def __init__(
        self,
        run: Run,
        machine: Machine,
        benchmark: Benchmark,
        backend: str,
        watcher: TuningObserver,
        *,
        seconds: float,
        variants: Variants,
    ) -> None:
        self._run, self._machine, self._benchmark, self._backend = run, machine, benchmark, backend
        self._watcher = watcher
        self._done: Counter[str] = Counter()
        self._metric = next(metric for metric in benchmark.metrics if metric.headline)
        length = min(LONGEST, max(SHORTEST, seconds / MEASUREMENTS))
        self._start = default(benchmark, machine, backend, length, variants.fixed)
        axes: dict[str, Callable[[Setting], Sequence[Setting]]]
        axes = {name: partial(axis, machine) for name, axis in benchmark.tuning.axes.items()}
        axes |= {axis_of(name).title: partial(self._others, values) for name, values in variants.lists.items()}
        self._search = search.Search(self._start, axes, self._measure, watcher, seconds=seconds)

    def run(self) -> None:
        """Run the search. Raises BanzukeError when the default itself gives no figure."""
        with self._run.owned():
            if not self._search.run():
                raise BanzukeError(
                    f"{self._benchmark.name} cannot be tuned",
                    why="the initial setting gave no verified figure in time",
                    remedy=f"See {self._run.folder}",
                )

    def result(self) -> Tuned:
        """Return the best setting so far, with the values that the search varied."""
        best, tried = self._search.best, self._search.tried
        varied = [name for name in best.parameters if len({setting.parameters[name] for setting in tried}) > 1]
        return Tuned(
            benchmark=self._benchmark.name,
            backend=self._backend,
            machine=self._machine.fingerprint,
            blas=library(self._benchmark, self._machine),
            date=datetime.now(UTC),
            banzuke=installation(),
            commit=commit(),
            run=self._run.name,
            hosts=best.layout.hosts,
            ranks=best.layout.ranks,
            threads=best.layout.threads,
            parameters={name: best.parameters[name] for name in varied},
            variant=best.variant,
            gain=self._search.gain,
        )

    @property
    def worth_keeping(self) -> bool:
        """Return whether something was better, or the confirmed result is that the default is best."""
        return self._search.best != self._start or (self._search.gain is not None and len(self._search.tried) > 1)

    @property
    def pace(self) -> float:
        """Return the seconds that a measurement takes; 0: none has ended."""
        return self._search.pace

    @property
    def size(self) -> str:
        """Return the size at which all settings are compared: `n=10000`."""
        return " ".join(f"{name}={self._start.parameters[name]}" for name in self._benchmark.sizing.parameters)

    def _measure(self, setting: Setting, limit: float) -> float | None:
        """Measure a setting, once more if others used the processors meanwhile and there is time for it."""
        began = time.monotonic()
        record = self._launched(setting, limit)
        took = time.monotonic() - began
        if record.status == "ok" and taken(record).disturbed and 2 * took <= limit:
            again = self._launched(setting, limit - took)
            record = again if again.status == "ok" else record
        return self._value(record)

    def _launched(self, setting: Setting, limit: float) -> Record:
        case = self._case(setting)
        name = key(case)
        origin = CaseOrigin(run=self._run.name, machine=self._machine.fingerprint, repetition=self._done[name])
        prepared = Prepared(self._machine, {case.benchmark: self._benchmark})  # for this time limit alone
        record = measure(case, prepared, self._watcher, Options(timeout=limit), origin)
        self._done[name] += 1
        self._run.append(record)
        self._watcher.end(case, record)
        return record

    def _case(self, setting: Setting) -> Case:
        values = {name: str(value) for name, value in setting.parameters.items()}
        case = case_at(self._benchmark, self._machine, self._backend, setting.layout, values)
        return fitting(case, setting.variant, self._benchmark, self._machine)

    def _others(self, values: Sequence[Variant], setting: Setting) -> list[Setting]:
        """Return the setting with each of the values that change its case."""
        settings = [replace(setting, variant=setting.variant.changed(value)) for value in values]
        return [other for other in settings if key(self._case(other)) != key(self._case(setting))]

    def _value(self, record: Record) -> float | None:
        if self._metric.name not in record.metrics:
            return None
        value = median(record.metrics[self._metric.name].samples)
        return value if self._metric.better == "higher" else 1 / value
