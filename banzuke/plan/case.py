"""A case: one launch of programs, with what identifies it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import Field

from banzuke.amounts import Amount, Index, Scalar, Several
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.placement import Placement
from banzuke.plan.variant import Variant


@dataclass(frozen=True)
class RankGroup:
    """Ranks of a case that run one program alike."""

    backend: str
    """Which of the benchmark's programs they run."""
    ranks: Several = 1
    threads: Several = 1
    """Threads of each rank."""
    placement: Placement | None = None
    """Where the ranks stand; None: spread over this host."""
    partition: str = ""
    """Name of a partition of the site; empty: this host's partition."""
    devices: Index = 0
    """Number of devices that each rank drives."""

    @property
    def per_host(self) -> int:
        """Return the ranks on each host."""
        return self.placement.per_node if self.placement else self.ranks

    def given(self, machine: Machine) -> Machine:
        """Return the machine with the group's partition alone. Raises BanzukeError where the job has nothing of it."""
        try:
            return machine.of(self.partition) if self.partition else machine
        except KeyError:
            names = ", ".join(allotment.partition for allotment in machine.allotments)
            raise BanzukeError(
                f"this job has nothing of the partition {self.partition}", why=f"only of {names}"
            ) from None


@dataclass(frozen=True)
class Case:
    """One launch: programs that run together, nearly always one, and their parameters."""

    benchmark: str
    groups: Annotated[tuple[RankGroup, ...], Field(min_length=1)]
    """In the order of their ranks. Groups of the same partition share its hosts, starting with the first."""
    parameters: Mapping[str, Scalar]
    variant: Variant = field(default_factory=Variant)
    """The settings with which the case is launched."""
    seconds: Amount = field(default=1.0, compare=False)
    """Estimated duration, for progress and the time limit."""
    places: Mapping[str, Scalar] = field(default_factory=dict, compare=False)
    """Parameters that say where it writes. They are not part of the case; the storage area is."""
    chosen: Mapping[str, Scalar] = field(default_factory=dict, compare=False)
    """Parameters that say which library is called. They belong to the variant, not to the problem."""

    @property
    def call(self) -> Mapping[str, Scalar]:
        """Return all parameters that its programs are given."""
        return {**self.places, **self.chosen, **self.parameters}

    def within(self, partition: str) -> "Case":
        """Return the case on this partition of several."""
        return replace(self, groups=tuple(replace(group, partition=partition) for group in self.groups))

    @property
    def backend(self) -> str:
        """Return the backends of its groups, as in `cuda+blas`, which distinguish cases of one benchmark."""
        return "+".join(dict.fromkeys(group.backend for group in self.groups))

    @property
    def ranks(self) -> int:
        return sum(group.ranks for group in self.groups)

    @property
    def threads(self) -> int:
        """Return the threads of a rank, or of a rank of the first group where they differ."""
        return self.groups[0].threads

    @property
    def placement(self) -> str:
        """Return the names of its placements; empty: no group has one."""
        return "+".join(group.placement.name for group in self.groups if group.placement)

    @property
    def per_host(self) -> int:
        """Return the ranks on the fullest host."""
        return max(sum(group.per_host for group in together) for together in self.by_partition.values())

    @property
    def by_partition(self) -> Mapping[str, Sequence[RankGroup]]:
        names = dict.fromkeys(group.partition for group in self.groups)
        return {name: [group for group in self.groups if group.partition == name] for name in names}

    @property
    def nodes(self) -> int:
        """Return the number of hosts that it runs on."""
        return sum(
            max(group.placement.nodes if group.placement else 1 for group in together)
            for together in self.by_partition.values()
        )


def key(case: Case) -> str:
    """Return a hash of what makes two cases of a run the same measurement, which includes how often and how long.

    For cases of different runs, `record.matching.identity` says whether they are the same.
    """
    parts: dict[str, object] = {
        "benchmark": case.benchmark,
        "parameters": {name: str(value) for name, value in sorted(case.parameters.items())},
        "environment": case.variant.environment,
    }
    groups = [_parts(group) for group in case.groups]
    parts |= groups[0] if len(groups) == 1 else {"groups": groups}
    parts |= case.variant.unusual  # usual values are left out, so that keys stay the same as in earlier versions
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def _parts(group: RankGroup) -> dict[str, object]:
    placement = {"placement": group.placement.name} if group.placement else {}
    partition = {"partition": group.partition} if group.partition else {}
    devices = {"devices": group.devices} if group.devices else {}
    own = {"backend": group.backend, "ranks": group.ranks, "threads": group.threads}
    return {**own, **placement, **partition, **devices}
