"""Ranks that share a processor under different names of hosts, as containers of one machine have them.

Where they meet they wait for each other to be let on it, which no link is to blame for.
"""

from collections.abc import Iterable, Sequence
from itertools import permutations

from banzuke.cpu_lists import parse_cpus

CONDITION = "ranks_of_one_processor"
"""Condition of a record: a list of such groups, in list format, as the program writes them."""


def sharing_ranks(condition: object) -> list[list[int]]:
    """The groups of this condition; none where it is something else."""
    return [parse_cpus(group) for group in condition if isinstance(group, str)] if isinstance(condition, list) else []


def waiting_pairs(pairs: Iterable[tuple[int, int]], groups: Sequence[Sequence[int]], unit: str) -> set[tuple[int, int]]:
    """Pairs that wait for their common processor, or of times, for one that another rank holds meanwhile."""
    among = {pair for group in groups for pair in permutations(group, 2)}
    late = {rank for group in groups for rank in group} if not unit.endswith("/s") else set()
    return {pair for pair in pairs if pair in among or late & set(pair)}
