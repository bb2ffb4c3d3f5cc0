"""Ranks that share a processor although their hosts have different names, as in containers on one machine.

They wait for each other to be scheduled, which is not the fault of any link.
"""

from collections.abc import Iterable, Sequence
from itertools import permutations

from banzuke.cpu_lists import parse_cpus

CONDITION = "ranks_of_one_processor"
"""Condition of a record: a list of groups of ranks that share a processor, each in list format."""


def sharing_ranks(condition: object) -> list[list[int]]:
    """Return the groups in this condition; none where it is something else."""
    return [parse_cpus(group) for group in condition if isinstance(group, str)] if isinstance(condition, list) else []


def waiting_pairs(pairs: Iterable[tuple[int, int]], groups: Sequence[Sequence[int]], unit: str) -> set[tuple[int, int]]:
    """Return the pairs whose figure includes waiting for a shared processor.

    Times also include waiting for a processor that a third rank holds meanwhile.
    """
    among = {pair for group in groups for pair in permutations(group, 2)}
    late = {rank for group in groups for rank in group} if not unit.endswith("/s") else set()
    return {pair for pair in pairs if pair in among or late & set(pair)}
