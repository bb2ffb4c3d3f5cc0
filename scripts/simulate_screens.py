"""Measure how often a node of a healthy fleet is named, and how often slow nodes and racks are, in simulated screens.

    python -m scripts.simulate_screens                          # the tables of docs/screen.md
    python -m scripts.simulate_screens --nodes 64 --screens 500

Shares are of whole screens, with 95% intervals (Clopper and Pearson).
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from banzuke.fleet.judge import judge
from banzuke.fleet.model import Fleet, Node, NodeFigure
from banzuke.fleet.slowness import Values
from banzuke.fleet.verdict import FAILED

FIGURES = 20
SPREAD = 0.01
SLOW = 0.08
RACK, SLOW_RACK, SLOW_NODES = 100, 0.02, 7
"""Nodes of a rack, slowness of a slow rack in all figures, and number of single slow nodes elsewhere."""
Healthy = Callable[[np.random.Generator, int], Values]
"""A function that returns the slowness of so many nodes in logarithms, a row a node and a column a figure."""


def _normal(rng: np.random.Generator, nodes: int) -> Values:
    return SPREAD * rng.standard_normal((nodes, FIGURES))


def _dependent(rng: np.random.Generator, nodes: int) -> Values:
    """Return values of which half of the variance is common to all figures of a node."""
    values: Values = np.sqrt(0.5) * (_normal(rng, nodes) + SPREAD * rng.standard_normal((nodes, 1)))
    return values


def _student(freedom: int) -> Healthy:
    return lambda rng, nodes: SPREAD * rng.standard_t(freedom, (nodes, FIGURES))


def _laplace(rng: np.random.Generator, nodes: int) -> Values:
    return SPREAD * rng.laplace(size=(nodes, FIGURES))


def _lognormal(rng: np.random.Generator, nodes: int) -> Values:
    """Return lost time, which is never negative."""
    return np.log1p(SPREAD * rng.lognormal(0, 1, (nodes, FIGURES)))


def _one_heavy(rng: np.random.Generator, nodes: int) -> Values:
    """Return values of which one figure has lost time; the others show nothing of its tail."""
    values = _normal(rng, nodes)
    values[:, 0] = np.log1p(SPREAD * rng.lognormal(0, 1, nodes))
    return values


def _two_bins(rng: np.random.Generator, nodes: int) -> Values:
    """Return values of which 30% of the nodes have processors that are 3% slower."""
    return _normal(rng, nodes) + 0.03 * (rng.random((nodes, 1)) < 0.3)


HEALTHY: Mapping[str, Healthy] = {
    "normal": _normal,
    "normal, correlated 0.5": _dependent,
    "two bins": _two_bins,
    "Laplace": _laplace,
    "Student's t, 5 degrees": _student(5),
    "Student's t, 3 degrees": _student(3),
    "lognormal lost time": _lognormal,
    "lognormal in one figure": _one_heavy,
}


def fleet(slowness: Values, places: Sequence[str] | None = None) -> Fleet:
    """Return nodes of one kind with this slowness in logarithms: a row is a node, a column a figure, and 0 is 1 B/s."""
    names = [f"f{at}" for at in range(slowness.shape[1])]
    figures = {name: NodeFigure(name, name, "B/s") for name in names}
    rows = np.exp(-slowness).tolist()
    hosts = [f"n{row}" for row in range(len(rows))]
    return Fleet(
        figures,
        {
            host: Node(host, "k", values=dict(zip(names, row, strict=True)), place=place)
            for host, row, place in zip(hosts, rows, places or [""] * len(rows), strict=True)
        },
    )


def racks(nodes: int) -> list[str]:
    return [f"r{node // RACK}" for node in range(nodes)]


def named(slowness: Values) -> set[int]:
    """Return the rows of the nodes that fail."""
    return {int(verdict.host[1:]) for verdict in judge(fleet(slowness)).of("fail")}


def false_alarms(healthy: Healthy, nodes: int, screens: int, seed: int = 1) -> int:
    """Return the screens in which anything is named in a healthy fleet, which has racks if it is large enough."""
    rng = np.random.default_rng(seed)
    return sum(judge(fleet(healthy(rng, nodes), racks(nodes))).exit_status == FAILED for _ in range(screens))


def detections(healthy: Healthy, nodes: int, screens: int, seed: int = 1) -> int:
    """Return the screens that name the one node that is 8% slow in one figure."""
    rng = np.random.default_rng(seed)
    times = 0
    for _ in range(screens):
        slowness = healthy(rng, nodes)
        row, figure = int(rng.integers(nodes)), int(rng.integers(FIGURES))
        slowness[row, figure] -= np.log1p(-SLOW)
        times += row in named(slowness)
    return times


class Beside(NamedTuple):
    """Judged screens with a slow rack and single slow nodes elsewhere."""

    rack: int
    """Screens that name the rack."""
    alarms: int
    """Screens that name another rack or a healthy node, or a node of the slow rack by itself."""
    nodes: int
    """Slow nodes that are named, in all screens together."""


def beside(healthy: Healthy, nodes: int, screens: int, seed: int = 3) -> Beside:
    """Judge screens of healthy nodes among which a rack and single nodes elsewhere were made slow."""
    rng = np.random.default_rng(seed)
    places, rack, alarms, slow_nodes = racks(nodes), 0, 0, 0
    for _ in range(screens):
        slowness = healthy(rng, nodes)
        slowness[:RACK] -= np.log1p(-SLOW_RACK)
        rows = RACK + rng.choice(nodes - RACK, SLOW_NODES, replace=False)
        slowness[rows, rng.integers(FIGURES, size=SLOW_NODES)] -= np.log1p(-SLOW)
        judgement = judge(fleet(slowness, places))
        slow = {int(verdict.host[1:]) for verdict in judgement.of("fail")}
        where = {place.place for place in judgement.places}
        rack += "r0" in where
        alarms += bool(where - {"r0"} or slow - set(rows.tolist()))
        slow_nodes += len(slow & set(rows.tolist()))
    return Beside(rack, alarms, slow_nodes)


def interval(times: int, screens: int) -> str:
    low, high = stats.binomtest(times, screens).proportion_ci()
    return f"{times / screens:6.1%} ({low:.1%} to {high:.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000, 1000, 100, 16])
    parser.add_argument("--screens", type=int, default=300)
    parser.add_argument("--only", nargs="+", choices=HEALTHY, default=list(HEALTHY), metavar="VALUES")
    asked = parser.parse_args()
    print(f"{'nodes':>6}  {'healthy values':24}  {'something healthy named':28}  one 8% slow in one figure named")
    for nodes in asked.nodes:
        for name in asked.only:
            alarms = interval(false_alarms(HEALTHY[name], nodes, asked.screens), asked.screens)
            power = interval(detections(HEALTHY[name], nodes, asked.screens, seed=2), asked.screens)
            print(f"{nodes:6}  {name:24}  {alarms:28}  {power}", flush=True)
    print(
        "\nBeside a rack of 100 nodes that is 2% slow in all figures, seven nodes elsewhere are 8% slow in one figure:"
    )
    print(f"{'nodes':>6}  {'healthy values':24}  {'rack named':28}  {'something else named':28}  slow nodes named")
    for nodes in (nodes for nodes in asked.nodes if nodes >= 3 * RACK):
        for name in asked.only:
            seen = beside(HEALTHY[name], nodes, asked.screens)
            shares = (interval(times, asked.screens) for times in (seen.rack, seen.alarms))
            among = interval(seen.nodes, SLOW_NODES * asked.screens)
            print(f"{nodes:6}  {name:24}  {'  '.join(f'{share:28}' for share in shares)}  {among}", flush=True)


if __name__ == "__main__":
    main()
