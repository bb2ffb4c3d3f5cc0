"""Lists and masks of processors, as the kernel and hwloc write them."""

import re

_PART = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9})/([0-9]{1,9}))?)?", re.ASCII)
MOST_PROCESSORS = 1 << 23
"""Upper bound of processors of a host and ranks of a job; machines with eight million cores exist."""


def parse_cpus(text: str) -> list[int]:
    """Return the numbers in a list of the kernel's format, ascending; empty for anything else.

    `0-3,8`; `0-9:2/4`, the first two of every four, is `0,1,4,5,8,9`.
    """
    cpus: set[int] = set()
    for part in text.strip().split(","):
        numbers = _PART.fullmatch(part.strip())
        if not numbers:
            return []
        first, last, used, group = (int(number) if number else None for number in numbers.groups())
        begin, end = first or 0, first or 0 if last is None else last
        if end < begin or end >= MOST_PROCESSORS or (used is not None and group is not None and not 0 < used <= group):
            return []
        for start in range(begin, end + 1, group or MOST_PROCESSORS):
            cpus.update(range(start, min(start + (used or MOST_PROCESSORS), end + 1)))
    return sorted(cpus)


def parse_bitmap(text: str | None) -> list[int]:
    """Return the members of hwloc's "0x000000ff,,0x1": 32-bit words, highest first; an empty word is zero."""
    bits = 0
    try:
        for word in (text or "").split(","):
            bits = bits << 32 | int(word or "0", 16)
    except ValueError:
        return []
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


def format_cpus(cpus: list[int]) -> str:
    """Return `cpus`, in any order, in the kernel's list format."""
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
