"""Finds records whose figures are comparable with a record's own: of the same case, or with one setting changed.

They are found by dictionary, so that judging the records of 10,000 nodes takes time in proportion to their number.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from banzuke.compare.matching import case_of, median_launch, placement, problem, variant
from banzuke.machine.model import Machine
from banzuke.plan.axes import axis_of
from banzuke.record.model import Record

LAYOUT = ("threads", "ranks", "backend", "blas")
"""Settings that every benchmark has, beside its own tunable parameters and the axes."""
OTHERS = ("image", "neighbours", "library")
"""Axes that cannot suggest a better setting, or that `blas` covers already."""
HARDWARE = ("device",)
"""Axes of the hardware, which is not a matter of settings."""
Settings = Mapping[str, str]
Key = tuple[str, str, frozenset[tuple[str, str]]]


@dataclass
class _Alike:
    """Verified records with equal settings."""

    settings: Settings
    records: list[Record] = field(default_factory=list)
    best: dict[tuple[str, str], Sequence[Record]] = field(default_factory=dict)
    """Records by metric and direction that no other beats in both median and best sample.

    Of several launches of a case in one run, only the median one counts: the best of many would win by chance.
    """

    def of(self, metric: str, better: str) -> Sequence[Record]:
        if (metric, better) not in self.best:
            self.best[metric, better] = _front(_median_launches(self.records, metric), metric, better)
        return self.best[metric, better]


class Siblings:
    """Records by their settings. `machine`: for records that do not say where they were measured."""

    def __init__(self, records: Sequence[Record] = (), machine: Machine | None = None) -> None:
        self._here = machine.fingerprint if machine else ""
        self._alike: dict[Key, _Alike] = {}
        self._but_for: dict[str, dict[Key, list[_Alike]]] = {}
        self._farthest: dict[tuple[str, ...], float] = {}
        self._axes = dict.fromkeys(
            name for record in records for name in variant(record) if name not in (*OTHERS, *HARDWARE)
        )
        for record in records:
            if record.status == "ok":
                settings = _settings(record)
                self._alike.setdefault(self._key(record, settings), _Alike(settings)).records.append(record)
            if record.distance:
                places = _places(record)
                self._farthest[places] = max(self._farthest.get(places, 0.0), record.distance)

    def others(
        self, record: Record, metric: str, better: str, tunable: Sequence[str]
    ) -> Iterator[tuple[Record, Settings]]:
        """Yield the best comparable records, with at most one of LAYOUT, axes and `tunable` changed: its name and
        value.

        Nothing is changed in a repetition. A setting that a record does not name has the usual value of its axis, or is
        empty.
        """
        mine = _settings(record)
        if same := self._alike.get(self._key(record, mine)):
            yield from ((other, {}) for other in same.of(metric, better) if _id(other) != _id(record))
        for name in dict.fromkeys((*LAYOUT, *self._axes, *tunable)):
            for alike in self._differing_in(name).get(self._key(record, _without(mine, name)), ()):
                if alike.settings.get(name) != mine.get(name):
                    difference = {name: alike.settings.get(name, axis_of(name).usual or "")}
                    yield from ((other, difference) for other in alike.of(metric, better))

    def farthest(self, record: Record) -> float:
        """Return the longest seconds in which a cache line passed between the same processors; 0: unknown."""
        return self._farthest.get(_places(record), 0.0)

    def _differing_in(self, name: str) -> Mapping[Key, Sequence[_Alike]]:
        """Return records by all their settings except this one."""
        if name not in self._but_for:
            groups: dict[Key, list[_Alike]] = {}
            for alike in self._alike.values():
                groups.setdefault(self._key(alike.records[0], _without(alike.settings, name)), []).append(alike)
            self._but_for[name] = groups
        return self._but_for[name]

    def _key(self, record: Record, settings: Settings) -> Key:
        where = record.provenance.machine if record.provenance else self._here
        return record.benchmark, where, frozenset(settings.items())


def _median_launches(records: Sequence[Record], metric: str) -> Sequence[Record]:
    """Return the median launch of each case in each run, among records that have the metric."""
    launches: dict[Hashable, list[Record]] = {}
    for record in records:
        if metric in record.metrics:
            origin = (record.provenance.run, case_of(record)) if record.provenance else id(record)
            launches.setdefault(origin, []).append(record)
    return [median_launch(group, metric) for group in launches.values()]


def _front(records: Sequence[Record], metric: str, better: str) -> Sequence[Record]:
    """Return the records that no other one beats in both median and best sample; all have the metric."""
    sign, best = (1.0, max) if better == "higher" else (-1.0, min)
    sampled = [(record, record.metrics[metric].samples) for record in records]
    ranked = [(sign * median(samples), sign * best(samples), record) for record, samples in sampled]
    front: list[Record] = []
    reached = float("-inf")
    for _, extreme, record in sorted(ranked, key=lambda entry: entry[:2], reverse=True):
        if extreme > reached:
            reached = extreme
            front.append(record)
    return front


def _settings(record: Record) -> Settings:
    library = record.software.get("blas_path", record.software.get("blas"))
    settings = {key: str(value) for key, value in problem(record).items() if value != library}
    settings |= {name: "+".join(str(getattr(group, name)) for group in record.groups) for name in ("threads", "ranks")}
    settings["backend"] = record.backend
    if library is not None:
        settings["blas"] = library
    settings["partition"] = record.partition
    settings["placement"] = placement(record)
    return settings | {name: value for name, value in variant(record).items() if name not in OTHERS}


def _without(settings: Settings, name: str) -> Settings:
    return {key: value for key, value in settings.items() if key != name}


def _places(record: Record) -> tuple[str, ...]:
    return tuple(f"{place.ranks}: {'|'.join(place.threads)}" for place in record.binding)


def _id(record: Record) -> object:
    return record.provenance.id if record.provenance else id(record)
