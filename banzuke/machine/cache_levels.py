"""Sizes of caches by level."""

from collections.abc import Mapping, Sequence

from banzuke.machine.site import Cache


def cache_levels(caches: Sequence[Cache], cores: int | None = None) -> Mapping[int, int]:
    """Return the bytes of each level of caches that hold data, the nearest first: those of the allowed processors, or
    those that so many cores spread over them reach.
    """
    levels: dict[int, int] = {}
    for cache in sorted(caches, key=lambda cache: cache.level):
        if cache.kind != "instruction":
            reached = cache.bytes * min(cache.instances, cores or cache.instances)
            levels[cache.level] = levels.get(cache.level, 0) + reached
    return levels
