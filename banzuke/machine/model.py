"""A machine as plans, limits and reports use it: a site, and what this job was given of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from banzuke.amounts import Frozen
from banzuke.cpu_lists import parse_cpus
from banzuke.machine.allotment import Allotment
from banzuke.machine.site import NodeType, Partition, Peaks, Site, Software

Part = TypeVar("Part", bound=Frozen)


class Machine(Frozen):
    schema_version: Literal[2] = 2
    site: Site
    allotments: list[Allotment] = Field(min_length=1, description="one for each partition in use")

    @model_validator(mode="before")
    @classmethod
    def of_this_version(cls, data: Any) -> Any:
        """Refuse a description of schema 1, which had no sites, with only that reason."""
        if isinstance(data, dict) and "site" not in data and ("cpu" in data or data.get("schema_version") == 1):
            raise PydanticCustomError(
                "version",
                "a description of schema 1, and this version of Banzuke reads only schema 2: write it again with "
                "`banzuke machine --json`, or read it with the version that wrote it",
            )
        return data

    @model_validator(mode="after")
    def check_partitions(self) -> Self:
        for allotment in self.allotments:
            if allotment.partition not in self.site.partitions:
                raise ValueError(f"an allotment names {allotment.partition!r}, which is none of the site's partitions")
        return self

    def of(self, partition: str) -> "Machine":
        """Return the machine with this partition's allotment alone. Raises KeyError where there is none."""
        own = [allotment for allotment in self.allotments if allotment.partition == partition]
        if not own:
            raise KeyError(partition)
        return self.having(allotments=own)

    @property
    def name(self) -> str:
        """Return the name as people write it; where there are several partitions, that of the one in use."""
        return self.site.called(self.allotment.partition)

    def named(self, name: str) -> "Machine":
        """Return the machine under another name."""
        if len(self.site.partitions) > 1:
            return self.changed(partition={"name": name})
        return self.changed(site={"name": name})

    @property
    def allotment(self) -> Allotment:
        """Return the allotment of the only partition in use, or of the first."""
        return self.allotments[0]

    @property
    def partition(self) -> Partition:
        return self.site.partitions[self.allotment.partition]

    @property
    def node(self) -> NodeType:
        return self.partition.node

    @property
    def software(self) -> Software:
        return self.partition.software

    @property
    def fingerprint(self) -> str:
        return self.allotment.fingerprint

    @property
    def peaks(self) -> Peaks:
        """Return the peaks of a node as far as it was allotted: the flop rates of the allowed cores, its
        memory bandwidth.
        """
        mine = self.allotment.peaks
        return mine | {name: peak for name, peak in self.node.peaks.items() if name not in mine}

    @property
    def kinds(self) -> Mapping[str, list[int]]:
        """Return the processor that stands for each allowed core, by kind of core; empty: all cores are alike.

        Also empty where it is not known which processors are of which kind.
        """
        kinds, first = self.node.processor.kinds, self.allotment.one_per_core
        if not all(kind.cpus for kind in kinds.values()):
            return {}
        return {name: [cpu for cpu in first if cpu in set(kind.cpus)] for name, kind in kinds.items()}

    def keeping_to(self, cores: str) -> "Machine":
        """Return the machine restricted to these of the allowed processors (kernel list format); empty: all of them.

        Caches and peaks are not changed.
        """
        if not cores:
            return self
        allotment, cpus = self.allotment, set(parse_cpus(cores))
        core_of = {cpu: core for core in allotment.siblings for cpu in core}
        cores_in_use = (core_of.get(number, [number]) for number in allotment.one_per_core)
        first = [next((cpu for cpu in core if cpu in cpus), None) for core in cores_in_use]
        one_per_core = [cpu for cpu in first if cpu is not None]

        def kept(groups: Sequence[Sequence[int]]) -> list[list[int]]:
            return [own for group in groups if (own := [cpu for cpu in group if cpu in cpus])]

        return self.changed(
            allotment={
                "allowed": [cpu for cpu in allotment.allowed if cpu in cpus],
                "allowed_cores": len(one_per_core),
                "one_per_core": one_per_core,
                "siblings": kept(allotment.siblings),
                "complexes": kept(allotment.complexes),
                "packages": kept(allotment.packages),
            }
        )

    @property
    def device_kinds(self) -> list[str]:
        """Return the names of the kinds of devices in a node; devices of one name count as alike."""
        return list(dict.fromkeys(device.name for device in self.node.devices))

    def driving(self, kind: str) -> "Machine":
        """Return the machine with only devices of this kind; empty: all."""
        if not kind:
            return self
        return self.changed(allotment={"devices": [device for device in self.allotment.devices if device.name == kind]})

    def on_hosts(self, nodes: int) -> "Machine":
        """Return the machine with only the first hosts."""
        return self.changed(allotment={"hosts": self.allotment.hosts[:nodes]})

    def measuring(self, area: str) -> "Machine":
        """Return the machine with this as its only storage area to measure. Raises KeyError where it may
        not be measured.
        """
        return self.changed(allotment={"folders": {area: self.allotment.folders[area]}})

    def changed(
        self,
        *,
        site: Mapping[str, Any] | None = None,
        partition: Mapping[str, Any] | None = None,
        node: Mapping[str, Any] | None = None,
        processor: Mapping[str, Any] | None = None,
        allotment: Mapping[str, Any] | None = None,
    ) -> "Machine":
        """Return the machine with other values, by field, for these parts of the partition in use."""
        new_node = _copied(self.node, node)
        if processor:
            first = _copied(new_node.processor, processor)
            new_node = _copied(new_node, {"processors": [first, *new_node.processors[1:]]})
        new_partition = _copied(_copied(self.partition, partition), {"node": new_node})
        partitions = self.site.partitions | {self.allotment.partition: new_partition}
        new_site = _copied(_copied(self.site, site), {"partitions": partitions})
        return Machine(site=new_site, allotments=[_copied(self.allotment, allotment), *self.allotments[1:]])


def _copied(part: Part, values: Mapping[str, Any] | None) -> Part:
    return part.having(**values) if values else part
