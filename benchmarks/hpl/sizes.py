"""Sizes that HPL's policy and its model share."""

SHARE = 0.8
"""Share of the whole memory, for everything of all ranks together."""
OVERHEAD = 1.1
"""All memory over the matrix's: panels and buffers."""
BLOCK = 192
"""Near the best with all libraries; `--tune` finds a better one. What a probe finds changes with the load."""


LONGEST = 4
"""Times that a grid may be as wide as high, so that each node has whole columns of it."""


def whole_blocks(n: int, block: int) -> int:
    return n // block * block if n > block else n
