"""One product that groups share, read from records: the rate of each group alone, and its share of the work."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

from banzuke.compare.settings import label_of, settings, telling
from banzuke.judge.model import Assessment, Figure
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Scalar
from banzuke.plan.estimate import device_flop_rate
from banzuke.record.model import Record
from banzuke.views.view import ViewCase, ViewSection
from banzuke.words import Message, message
from banzuke.words.language import Words

EXTENTS = ("k", "m", "n")
"""Parameters that may be swept, the most telling first."""
MOST_SHOWN = 8
"""Most groups that are shown one by one; if there are more, the rest are shown as one."""


@dataclass(frozen=True)
class SharedProduct:
    groups: tuple[Message, ...]
    """Names such as `processors 0-13` and `device 0 by processor 14`."""
    alone: tuple[float, ...]
    """Rate of each group alone, in flop/s."""
    shares: tuple[float, ...]
    """The part of C that each group computed."""
    split: str = ""
    rate: float = 0.0
    """Rate of all at once."""
    link: "HostLink | None" = None
    """What bounds a device among the groups; None: there is none, or its link is unknown."""
    devices: tuple[int, ...] = ()
    """Places of the groups that are devices."""

    @property
    def limit_by_links(self) -> float | None:
        """Return the flop/s that the devices' links leave, with what processors reach alone; None: they are unknown."""
        if self.link is None:
            return None
        processors = sum(rate for place, rate in enumerate(self.alone) if place not in self.devices)
        return processors + len(self.devices) * min(self.link.bound, self.link.device)


@dataclass(frozen=True)
class HostLink:
    """A device's part of a product whose matrices are in the host's memory.

    For each column of C, 8 (m + k) bytes go to the device and 8 m come back, for 2 m k flops.
    """

    m: float
    k: float
    bandwidth: float
    """B/s each way."""
    device: float
    """The device's flop/s without transfers."""

    @property
    def bound(self) -> float:
        """Return the flop/s at which the link bounds the device: nearly k w / 4 where k is small beside m."""
        return self.bandwidth * 2 * self.m * self.k / (8 * (self.m + self.k))

    @property
    def binds(self) -> bool:
        """Return whether transfers take longer than computing."""
        return self.bound < self.device

    @property
    def least(self) -> float:
        """Return the k from which computing takes as long as the transfers; 0 if there is none for this m."""
        ratio = 4 * self.device / self.bandwidth
        return ratio * self.m / (self.m - ratio) if self.m > ratio else 0.0


def host_link(record: Record, machine: Machine) -> HostLink | None:
    """Return the link of the device among the groups, by its description; of several, that of the slowest link."""
    placed = (record.provenance.placement or "") if record.provenance else ""
    links = [device.host_bandwidth for device in machine.node.devices if device.host_bandwidth]
    m, k = (record.parameters.get(name) for name in ("m", "k"))
    if "@" not in placed or not links or not isinstance(m, int) or not isinstance(k, int):
        return None
    return HostLink(float(m), float(k), min(links), device_flop_rate(machine))


def shared_product(record: Record, machine: Machine | None = None) -> SharedProduct | None:
    """Return the shared product of a record; None if nothing was shared."""
    shares, alone = (_amounts(record, name) for name in ("shares", "rates_alone"))
    if not shares or len(shares) != len(alone):
        return None
    placement = record.provenance.placement if record.provenance else None
    placed = (placement or "").split("+")
    named = len(placed) == len(shares)
    names = map(_placed, placed) if named else [message("dgemm-group", number=n) for n in range(len(shares))]
    figure = record.metrics.get("flop_rate")
    rate = median(figure.samples) if figure and figure.samples else 0.0
    link = host_link(record, machine) if machine else None
    devices = tuple(place for place, name in enumerate(placed) if "@" in name) if named else ()
    return SharedProduct(tuple(names), alone, shares, str(record.parameters.get("split", "")), rate, link, devices)


def _placed(name: str) -> Message:
    """Return a group's title from its name in `--groups`, such as `0-13` or `14@0`."""
    cpus, at, device = name.partition("@")
    return message("dgemm-device", device=device, cpu=cpus) if at else message("dgemm-processors", cpus=cpus)


def _amounts(record: Record, condition: str) -> tuple[float, ...]:
    """Return the amounts of a condition; empty if they are invalid, as in a record that others wrote."""
    values = record.conditions.get(condition)
    listed = values if isinstance(values, list) else []
    amounts = tuple(float(v) for v in listed if isinstance(v, int | float) and isfinite(v) and v >= 0)
    return amounts if len(amounts) == len(listed) and sum(amounts) > 0 else ()


@dataclass(frozen=True)
class SharedCase:
    case: ViewCase
    product: SharedProduct
    rate: Figure
    """Rate of all groups at once."""
    parts: Figure
    """Sum of the groups' rates alone."""

    @classmethod
    def of(cls, case: ViewCase, product: SharedProduct) -> "SharedCase | None":
        """Return the case with its figures; None if it has none."""
        figures = {figure.metric: figure for figure in case.assessment.figures if figure.value > 0}
        rate, parts = figures.get("flop_rate"), figures.get("sum_of_parts")
        return cls(case, product, rate, parts) if rate and parts else None

    @property
    def of_sum(self) -> float:
        return self.rate.value / self.parts.value

    @property
    def settings(self) -> dict[str, Scalar]:
        """Return the parameters except the number of repetitions, which does not change the problem."""
        own = settings(self.case.assessment.record)
        return {name: value for name, value in own.items() if name != "repetitions"}

    @property
    def split(self) -> str:
        return str(self.settings["split"])


def shared_cases(section: ViewSection, seen: Callable[[Assessment], SharedProduct | None]) -> list[SharedCase]:
    products = [(case, product) for case in section.cases if (product := seen(case.assessment))]
    return [shared for case, product in products if (shared := SharedCase.of(case, product))]


@dataclass(frozen=True)
class SharedSweep:
    """Cases of the same groups that differ in one extent and in how the product is split."""

    along: str
    """The extent that varies."""
    label: str
    """Label that distinguishes it from other sweeps; empty if it is the only one."""
    cases: tuple[SharedCase, ...]

    def place(self, case: SharedCase) -> float:
        value = case.settings[self.along]
        return float(value) if isinstance(value, int | float) else 0.0


def sweeps(cases: Sequence[SharedCase]) -> list[SharedSweep]:
    """Return the sweeps; none if no extent varies."""
    values = {name: {case.settings.get(name) for case in cases} for name in EXTENTS}
    along = max(EXTENTS, key=lambda name: len(values[name]))
    alike: dict[str, list[SharedCase]] = {}
    for case in cases:
        others = {name: value for name, value in case.settings.items() if name not in (along, "split")}
        alike.setdefault(repr(sorted(others.items())), []).append(case)
    groups = [group for group in alike.values() if len({case.settings.get(along) for case in group}) > 1]
    labels = labels_of([group[0] for group in groups], (along, "split"))
    return [SharedSweep(along, label, tuple(group)) for label, group in zip(labels, groups, strict=True)]


def labels_of(cases: Sequence[SharedCase], left_out: Sequence[str] = ()) -> list[str]:
    """Return labels that distinguish the cases from each other."""
    rows = [{name: value for name, value in case.settings.items() if name not in left_out} for case in cases]
    columns = telling(rows)
    return [label_of(row, columns) for row in rows]


def shown_groups(words: Words, product: SharedProduct) -> Mapping[str, Sequence[int]]:
    """Return the places of groups by name; beyond `MOST_SHOWN`, the largest shares by name and the rest as one."""
    if len(product.groups) <= MOST_SHOWN:
        return {words(name): [place] for place, name in enumerate(product.groups)}
    by_share = sorted(range(len(product.groups)), key=lambda place: -product.shares[place])
    largest, others = sorted(by_share[: MOST_SHOWN - 1]), by_share[MOST_SHOWN - 1 :]
    named = {words(product.groups[place]): [place] for place in largest}
    return {**named, words(message("dgemm-other-groups", number=len(others))): others}
