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

PATTERNS = {pattern.name: pattern for pattern in map(as_pattern, declared_flows())}
PATTERN = PATTERNS["hpl"]


def test_every_switch_of_a_grid_is_named_within_the_drawing() -> None:
    hosts = [f"n{number:02}" for number in range(4 * COLOURS)]
    network = topology_of("tree", fat_tree(hosts, [4, COLOURS], [1, 2], [1, 1], 1e9), hosts)
    comparison = compare(network, PATTERN, (4, COLOURS), np.arange(len(hosts)), seconds=0)
    (drawing,) = [block for block in grid_blocks(comparison, words()) if isinstance(block, Drawing)]
    for panel in drawing.panels:
        named = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>level1-', panel.body)
        assert len(named) == COLOURS
        assert all(float(x) + 60 <= panel.width and float(y) <= panel.height for x, y in named)


def test_layers_of_a_grid_fill_a_drawing_and_do_not_cover_each_other() -> None:
    """One below the other, 25 layers of 20 x 20 ranks were 18 pixels wide."""
    grid = (4, 4, 5)
    hosts = [f"n{number:02}" for number in range(80)]
    network = topology_of("tree", fat_tree(hosts, [1, 80], [1, 1], [1, 1], 1e9), hosts)  # a box for each rank
    comparison = compare(network, PATTERNS["halo"], grid, np.arange(80), seconds=0)
    (drawing,) = [block for block in grid_blocks(comparison, words()) if isinstance(block, Drawing)]
    boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', drawing.panels[0].body)
    assert len(set(boxes)) == len(boxes) == 80
    right, bottom = (max(float(box[side]) for box in boxes) + float(boxes[0][2]) for side in (0, 1))
    assert 100 < right <= drawing.panels[0].width
    assert 0.4 < bottom / right < 2.5
