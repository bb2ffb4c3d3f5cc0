"""Tests of Slurm's rings and three-dimensional tori."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from banzuke.errors import BanzukeError
from banzuke.placement.readers.read import parse
from banzuke.placement.topology import NetworkTopology

TORI = """\
- topology: rings
  ring:
    rings:
      - ring: ring0
        nodes: n[1-8]
- topology: pods
  cluster_default: true
  torus3d:
    toruses:
      - name: pod1
        dims:
          x: 4
          y: 2
          z: 2
        regions:
          - anchor: {x: 2, y: 0, z: 1}
            dims: {x: 2, y: 2, z: 1}
            nodes: n[1-4]
          - dims: {x: 4, y: 2, z: 1}
            nodes: m[1-8]
        placements:
          - dims:
              x: 2
              y: 2
              z: 1
"""


def steps(network: NetworkTopology, end: str, other: str) -> float:
    """Return the cables between the switches of two hosts."""
    matrix = sparse.coo_matrix((np.ones(network.source.size), (network.source, network.target))).tocsr()
    vertices = [len(network.switches) + network.hosts.index(host) for host in (end, other)]
    return float(csgraph.dijkstra(matrix, indices=np.array(vertices), unweighted=True)[0, vertices[1]]) - 2


def test_a_ring_joins_neighbours() -> None:
    ring = parse(TORI.replace("  cluster_default: true\n", ""), "topology.yaml")
    assert ring.hosts == parse("RingName=ring0 Nodes=n[1-8] RingSize=8\n", "topology.conf").hosts
    assert (ring.source.size, ring.routing) == (2 * (8 + 8), "first")
    assert [steps(ring, "n1", other) for other in ("n2", "n5", "n8")] == [1, 4, 1]
    with pytest.raises(BanzukeError, match="--uplinks is for Slurm's trees"):
        parse(TORI, "topology.yaml", uplinks=2)


def test_a_torus_has_its_nodes_x_first_and_places_without_nodes() -> None:
    torus = parse(TORI, "topology.yaml")
    assert torus.source.size == 2 * (12 + 16 + 8 + 8), "hosts, and cables along x, y and z"
    assert (len(torus.switches), torus.notes[-1].code) == (16, "place-note-slurm-torus")
    assert [steps(torus, "m1", other) for other in ("m2", "m4", "m5", "m7")] == [1, 1, 1, 3]
    assert [steps(torus, "n1", other) for other in ("n2", "n3", "m3", "m5")] == [1, 1, 1, 4]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("y: 0, z: 1", "y: 1, z: 1", "line 16: .*not within the torus"),
        ("y: 0, z: 1", "y: 0, z: 0", "line 19: .*another region has the place of m3"),
        ("n[1-4]", "n[1-3]", "line 16: .*4 places, but it names 3"),
        ("n[1-4]", "m[1-4]", "line 10: .*a node twice"),
        ("- anchor:", "- anker:", "line 16: .*'anker' does not belong"),
        ("          z: 2\n", "", "line 10: .*no z of at least 1"),
        ("x: 4, y: 2, z: 1", "x: 4, w: 2, z: 1", "line 19: .*has x, y and z"),
        ("        regions:", "        nodes: a[1-16]\n        regions:", "line 10: .*nodes and regions"),
        ("        placements:", "      - name: pod2\n        placements:", "line 21: .*no cable joins it"),
    ],
)
def test_a_wrong_line_of_a_torus_is_named(old: str, new: str, problem: str) -> None:
    with pytest.raises(BanzukeError, match=problem):
        parse(TORI.replace(old, new), "topology.yaml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("RingName=a Nodes=n[1-4]\nRingName=b Nodes=m[1-4]\n", "line 2.*no cable joins it"),
        ("SwitchName=s Nodes=a\nRingName=r Nodes=b\n", "line 1.*a ring has RingName"),
        (
            "TorusName=p Dims=2x1x1 Nodes=n[1-2]\n  TorusName=p PlacementDims=2x1x1(2) Anchors=1\n",
            "line 1.*topology.yaml",
        ),
    ],
)
def test_what_joins_no_network_is_refused_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(BanzukeError, match=problem):
        parse(text, "topology.conf")
