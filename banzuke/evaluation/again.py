"""What limits figures is measured again once the machine has changed its state: a second, not a case."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Case
from banzuke.plan.needs import short_case
from banzuke.record.model import MIGRATED, Record
from banzuke.record.state import CAPPED, clock, pair_key, program_key, settled_distance, taken

MOST_TIMES = 4
"""A benchmark is measured again, in one run: of a machine that changes all the time, more would show nothing new."""


@dataclass(frozen=True)
class _Sign:
    """What tells states apart: of launches that share `alike`, by a change of this ratio."""

    value: Callable[[Record], float | None]
    alike: Callable[[Record], Hashable]
    ratio: float


_SIGNS = (_Sign(settled_distance, pair_key, MIGRATED), _Sign(clock, program_key, CAPPED))


class StateWatch:
    """Follows the launches of a run, and names what has to be measured again.

    `installed`: benchmarks with programs; `earlier`: launches of this run, and those that set its limits.
    """

    def __init__(self, machine: Machine, installed: Mapping[str, Benchmark], earlier: Sequence[Record]) -> None:
        self._machine, self._installed = machine, installed
        self._newest: dict[tuple[_Sign, Hashable], dict[float, datetime]] = defaultdict(dict)
        """When a launch last began in each state: of those that a sign compares, by the value that showed it first."""
        self._measured: dict[str, list[Record]] = defaultdict(list)
        self._times: Counter[str] = Counter()
        for record in sorted(earlier, key=lambda record: record.started):
            self.keep(record)

    def changed(self, record: Record) -> list[Case]:
        """Short cases, where the launch showed a state in which what limits it was not measured."""
        changes = dict(self._changes(record))
        self.keep(record)
        due: list[Case] = []
        for name in self._limiting(record.benchmark) if changes else ():
            measured = any(_holds(other, record, changes) for other in self._measured[name])
            if not measured and self._times[name] < MOST_TIMES and (case := self._short(name)):
                self._times[name] += 1
                due.append(case)
        return due

    def keep(self, record: Record) -> None:
        """A launch that is no case of the run counts, too."""
        if not _shows(record):
            return
        self._measured[record.benchmark].append(record)
        for sign in _SIGNS:
            if value := sign.value(record):
                newest = self._newest[sign, sign.alike(record)]
                level = next((level for level in newest if _apart(level, value) < sign.ratio), value)
                newest[level] = record.started

    def _changes(self, record: Record) -> Iterator[tuple[_Sign, datetime]]:
        """Signs by which launches like it were in another state before, and when the last of those began."""
        for sign in _SIGNS if _shows(record) else ():
            newest = self._newest.get((sign, sign.alike(record)), {})
            value = sign.value(record)
            if others := [began for level, began in newest.items() if _apart(level, value) >= sign.ratio]:
                yield sign, max(others)

    def _limiting(self, benchmark: str) -> Iterator[str]:
        """Other benchmarks that measure with processors what bounds this one's figures."""
        spec = self._installed.get(benchmark)
        for name, other in self._installed.items() if spec else ():
            resources = [resource for resource in other.resources.measures if resource.scope in ("core", "host")]
            if spec and name != benchmark and any(resource.name in spec.resources.needs for resource in resources):
                yield name

    def _short(self, name: str) -> Case | None:
        try:
            return short_case(replace(self._installed[name], devices=None), self._machine)
        except BanzukeError:
            return None


def _shows(record: Record) -> bool:
    """Whether it tells the state of the machine's processors."""
    return record.status == "ok" and not record.devices and not taken(record).disturbed


def _holds(measured: Record, record: Record, changes: Mapping[_Sign, datetime]) -> bool:
    """Whether a launch was in the state of `record`: it began after the last change, or shows the same value."""
    return all(
        measured.started > before
        or (
            sign.alike(measured) == sign.alike(record)
            and None not in (values := (sign.value(measured), sign.value(record)))
            and _apart(*values) < sign.ratio
        )
        for sign, before in changes.items()
    )


def _apart(value: float | None, other: float | None) -> float:
    """Their ratio, above 1; 1 where one is not known."""
    return max(value / other, other / value) if value and other else 1.0
