"""Sizes that HPL's policy and its model share."""

SHARE = 0.8
"""Of the memory that may be used, for everything of all ranks together."""
OVERHEAD = 1.1
"""All memory over the matrix's: panels and buffers."""
BLOCK = 192
"""Where nothing is known of the library."""


def whole_blocks(n: int, block: int) -> int:
    return n // block * block if n > block else n
