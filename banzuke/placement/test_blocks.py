"""Tests of the drawings of orders."""

import re

import numpy as np

from banzuke.document import Drawing, Table
from banzuke.placement.blocks import COLOURS, grid_blocks, link_blocks, network
from banzuke.placement.compare import compare
from banzuke.placement.pattern import as_pattern
from banzuke.placement.shapes import fat_tree
from banzuke.placement.topology import topology_of
from banzuke.plan.catalogue import declared_flows
from banzuke.words import message
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
    some, *_ = link_blocks(comparison, words())
    assert "40 of 160 pairs" in str(some), "each switch has a cable up"


def test_words_where_there_is_one_side_one_cable_and_no_exchange() -> None:
    """A page said `64 ranks as a grid of 64`, `1 of 1 cables`, and in Japanese that 0 pairs of ranks were exchanged."""
    hosts = [f"n{number:02}" for number in range(16)]
    notes, networks = {}, set()
    for cables in (1, 2):
        tree = topology_of("tree", fat_tree(hosts, [4, 4], [1, 1], [1, cables], 1e9), hosts)
        ring = compare(tree, PATTERNS["alltoall"], (16,), np.arange(16), seconds=0)
        (table,) = (block for block in link_blocks(ring, words()) if isinstance(block, Table))
        notes[cables] = {cell.note for row in table.rows for cell in row.cells}
        networks.add(network(ring, words()).partition(",")[0])
    assert networks == {"16 ranks on 16 hosts"}
    assert notes[1] == {""}
    assert "2 of 2 cables" in notes[2]
    for language, exchanged in (("en", "exchanged"), ("ja", "入れ替え")):
        for exchanges in (0, 3):
            begun = message("place-order-rows")
            verdict = message("place-verdict", pattern="HPL", gain="1.19", begun=begun, exchanges=exchanges)
            assert (exchanged in words(language)(verdict)) == (exchanges > 0)
