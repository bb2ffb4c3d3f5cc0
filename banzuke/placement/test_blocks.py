"""Tests of the drawings of orders."""

import re

import numpy as np

from banzuke.document import Drawing
from banzuke.placement.blocks import COLOURS, grid_blocks
from banzuke.placement.compare import compare
from banzuke.placement.pattern import as_pattern
from banzuke.placement.shapes import fat_tree
from banzuke.placement.topology import topology_of
from banzuke.plan.catalogue import declared_flows
from banzuke.words.language import words

PATTERN = next(pattern for pattern in map(as_pattern, declared_flows()) if pattern.computes)


def test_every_switch_of_a_grid_is_named_within_the_drawing() -> None:
    hosts = [f"n{number:02}" for number in range(4 * COLOURS)]
    network = topology_of("tree", fat_tree(hosts, [4, COLOURS], [1, 2], [1, 1], 1e9), hosts)
    comparison = compare(network, PATTERN, (4, COLOURS), np.arange(len(hosts)), seconds=0)
    (drawing,) = [block for block in grid_blocks(comparison, words()) if isinstance(block, Drawing)]
    for panel in drawing.panels:
        named = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>level1-', panel.body)
        assert len(named) == COLOURS
        assert all(float(x) + 60 <= panel.width and float(y) <= panel.height for x, y in named)
