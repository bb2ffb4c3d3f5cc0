"""Sizes that HPL's policy and its model share."""

SHARE = 0.8
"""Share of the memory for everything of all ranks together."""
OVERHEAD = 1.1
"""All memory over the matrix's: panels and buffers are added."""
BLOCK = 192
"""Block size near the best with all libraries; `--tune` finds a better one. A short probe would depend on the load."""


LONGEST = 4
"""Most columns of the grid for each row, if that gives each node whole columns."""


def whole_blocks(n: int, block: int) -> int:
    return n // block * block if n > block else n
