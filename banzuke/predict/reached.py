"""Storage that a partition's nodes reach, as numbers that models compute with."""

import math
from dataclasses import dataclass

from banzuke.machine.site import Partition, Site


@dataclass(frozen=True)
class ReachedArea:
    """Storage that the nodes reach."""

    key: str
    kind: str
    bandwidth: float
    """B/s; NaN: unknown."""
    rated: bool
    """Whether the bandwidth is specified for the file system as a whole; else it is the theory of its slowest part."""


def reached_areas(partition: Partition, site: Site, factor: float) -> tuple[ReachedArea, ...]:
    """Return the areas that the nodes reach; `factor`: multiplies the described bandwidth."""
    areas = [(key, site.areas[key]) for key in partition.mounts if key in site.areas]
    return tuple(
        ReachedArea(key, area.kind or "", (area.bandwidth or math.nan) * factor, area.rated) for key, area in areas
    )
