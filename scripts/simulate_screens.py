"""How often a healthy fleet has a node named, and a slow node is: simulated screens of `banzuke screen`'s judgement.

    python -m scripts.simulate_screens                          # the table of docs/screen.md
    python -m scripts.simulate_screens --nodes 64 --screens 500

Shares are of screens, with 95% intervals (Clopper and Pearson).
"""

import argparse
from collections.abc import Callable, Mapping

import numpy as np
from scipy import stats

from banzuke.fleet.judge import judge
from banzuke.fleet.model import Fleet, Node, NodeFigure
from banzuke.fleet.slowness import Values

FIGURES = 20
SPREAD = 0.01
SLOW = 0.08
Healthy = Callable[[np.random.Generator, int], Values]
"""Slowness of so many nodes: logarithms, a row a node and a column a figure."""


def _normal(rng: np.random.Generator, nodes: int) -> Values:
    return SPREAD * rng.standard_normal((nodes, FIGURES))


def _dependent(rng: np.random.Generator, nodes: int) -> Values:
    """Half of the variance is a node's in all figures."""
    found: Values = np.sqrt(0.5) * (_normal(rng, nodes) + SPREAD * rng.standard_normal((nodes, 1)))
    return found


def _student(freedom: int) -> Healthy:
    return lambda rng, nodes: SPREAD * rng.standard_t(freedom, (nodes, FIGURES))


def _lognormal(rng: np.random.Generator, nodes: int) -> Values:
    """Lost time, always lost."""
    return np.log1p(SPREAD * rng.lognormal(0, 1, (nodes, FIGURES)))


def _two_bins(rng: np.random.Generator, nodes: int) -> Values:
    """30% of the nodes have processors that are 3% slower."""
    return _normal(rng, nodes) + 0.03 * (rng.random((nodes, 1)) < 0.3)


HEALTHY: Mapping[str, Healthy] = {
    "normal": _normal,
    "normal, correlated 0.5": _dependent,
    "two bins": _two_bins,
    "Student's t, 5 degrees": _student(5),
    "Student's t, 3 degrees": _student(3),
    "lognormal lost time": _lognormal,
}


def fleet(slowness: Values) -> Fleet:
    names = [f"f{at}" for at in range(slowness.shape[1])]
    figures = {name: NodeFigure(name, name, "B/s") for name in names}
    rows = np.exp(-slowness).tolist()
    hosts = [f"n{row}" for row in range(len(rows))]
    return Fleet(
        figures,
        {
            host: Node(host, "k", values=dict(zip(names, row, strict=True)))
            for host, row in zip(hosts, rows, strict=True)
        },
    )


def named(slowness: Values) -> set[int]:
    """Rows of the nodes that fail."""
    return {int(one.host[1:]) for one in judge(fleet(slowness)).of("fail")}


def false_alarms(healthy: Healthy, nodes: int, screens: int, seed: int = 1) -> int:
    """Screens in which a healthy node is named."""
    rng = np.random.default_rng(seed)
    return sum(bool(named(healthy(rng, nodes))) for _ in range(screens))


def found(healthy: Healthy, nodes: int, screens: int, seed: int = 1) -> int:
    """Screens in which the one node is named that is 8% slow in one figure."""
    rng = np.random.default_rng(seed)
    times = 0
    for _ in range(screens):
        slowness = healthy(rng, nodes)
        row, figure = int(rng.integers(nodes)), int(rng.integers(FIGURES))
        slowness[row, figure] -= np.log1p(-SLOW)
        times += row in named(slowness)
    return times


def interval(times: int, screens: int) -> str:
    low, high = stats.binomtest(times, screens).proportion_ci()
    return f"{times / screens:6.1%} ({low:.1%} to {high:.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000, 1000, 100, 16])
    parser.add_argument("--screens", type=int, default=300)
    arguments = parser.parse_args()
    print(f"{'nodes':>6}  {'healthy values':24}  {'a healthy node named':28}  one 8% slow in one figure named")
    for nodes in arguments.nodes:
        for name, healthy in HEALTHY.items():
            alarms = interval(false_alarms(healthy, nodes, arguments.screens), arguments.screens)
            power = interval(found(healthy, nodes, arguments.screens, seed=2), arguments.screens)
            print(f"{nodes:6}  {name:24}  {alarms:28}  {power}", flush=True)


if __name__ == "__main__":
    main()
