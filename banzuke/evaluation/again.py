"""Measures what limits figures again when the machine has changed its state, by short cases of a second or two."""

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.needs import short_case
from banzuke.record.model import Record
from banzuke.record.state import CLOCKS, DISTANCES, Sign, taken

MOST_TIMES = 4
"""Most times that one process measures a benchmark again; for a machine that keeps changing, more would add nothing."""
MOST_TIME = 0.5
"""Largest share of the time that the launches themselves have taken."""
REMEMBERED = 100
"""Newest values from which levels are determined."""


@dataclass
class _Spell:
    """Values of a sign in a series of launches, and since when it has shown the present state."""

    values: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    since: datetime | None = None
    """Start of the first launch in this state; None: there has been only one."""

    def add(self, value: float, began: datetime, sign: Sign) -> None:
        before = self.values[-1] if self.values else None
        self.values.append(value)
        border = sign.border(self.values)
        if border and before and (value > border) != (before > border):
            self.since = began


Shown = Mapping[tuple[Sign, Hashable], float]
"""Values by sign and the launches that it is compared with."""


class StateWatch:
    """A watch that follows the launches of a run, and names what must be measured again.

    `installed`: benchmarks with programs; `earlier`: launches of this run, and those that set its limits.
    """

    def __init__(self, machine: Machine, installed: Mapping[str, Benchmark], earlier: Sequence[Record]) -> None:
        self._machine, self._installed = machine, installed
        self._spells: dict[tuple[Sign, Hashable], _Spell] = defaultdict(_Spell)
        self._measured: dict[str, deque[tuple[datetime, Shown]]] = defaultdict(lambda: deque(maxlen=REMEMBERED))
        self._times: Counter[str] = Counter()
        self._spent = self._again = 0.0
        for record in sorted(earlier, key=lambda record: record.started):
            self.keep(record)

    def changed(self, record: Record, within: float) -> Iterator[Case]:
        """Yield short cases if a launch showed a state in which its limits have not been measured.

        `within`: seconds left.
        """
        self._spent += (record.ended - record.started).total_seconds()
        self.keep(record)
        shown = _shown(record)
        changes = {
            key: (value, since) for key, value in shown.items() if (since := self._spells[key].since) is not None
        }
        for name in self._limiting(record.benchmark) if changes else ():
            if self._times[name] < MOST_TIMES and not self._is_known(name, changes) and (case := self._short(name)):
                fits = self._again + case.seconds <= MOST_TIME * self._spent
                if case.seconds <= within and fits:
                    self._times[name] += 1
                    self._again += case.seconds
                    yield case

    def keep(self, record: Record) -> None:
        """Take the states that a launch showed; also for launches that are not cases of the run."""
        shown = _shown(record)
        if shown:
            self._measured[record.benchmark].append((record.started, shown))
        for key, value in shown.items():
            self._spells[key].add(value, record.started, key[0])

    def _is_known(self, name: str, changes: Mapping[tuple[Sign, Hashable], tuple[float, datetime]]) -> bool:
        """Return whether a benchmark was measured since each of these changes, or in the same state."""
        return any(
            all(
                began >= since or (key in shown and not key[0].differs(shown[key], value, self._spells[key].values))
                for key, (value, since) in changes.items()
            )
            for began, shown in self._measured[name]
        )

    def give_up(self, benchmark: str) -> None:
        """Do not measure a benchmark again, since it cannot be measured."""
        self._times[benchmark] = MOST_TIMES

    def _limiting(self, benchmark: str) -> Iterator[str]:
        """Yield other benchmarks that measure with processors what bounds this one's figures."""
        spec = self._installed.get(benchmark)
        for name, other in self._installed.items() if spec else ():
            resources = [resource for resource in other.resources.measures if resource.scope in ("core", "host")]
            if spec and name != benchmark and any(resource.name in spec.resources.needs for resource in resources):
                yield name

    def _short(self, name: str) -> Case | None:
        try:
            wanted = [need for spec in self._installed.values() for need in spec.resources.needs]
            return short_case(replace(self._installed[name], devices=None), self._machine, wanted)
        except BanzukeError:
            return None


def _shown(record: Record) -> Shown:
    """Return the signs that a launch shows; none if it failed, was disturbed or ran on devices."""
    if record.status != "ok" or record.devices or taken(record).disturbed:
        return {}
    values = {(sign, sign.alike(record)): sign.value(record) for sign in (DISTANCES, CLOCKS)}
    return {key: value for key, value in values.items() if value}
