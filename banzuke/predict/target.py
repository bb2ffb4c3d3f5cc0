"""Answers the inverse question: how many nodes a figure needs."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.find import MOST_NODES
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.model import Call, constants_of, estimated, model_of
from banzuke.predict.undescribed import UndescribedError
from banzuke.ranking.editions import Ranking, ranking_of
from banzuke.units import prefixed, quantity

_PLACE = re.compile(r"rank\s+([0-9]{1,4})(?:\s+of\s+(\S+))?")
_FLOPS = ("f", "flops", "flop", "flop/s")
_EXAMPLE = "Write an amount, such as 10PF, or a place: 'rank 100', 'rank 100 of 2020-06'"


def read_target(text: str, benchmark: Benchmark) -> float:
    """Return the wanted figure in the unit of the benchmark's headline. Raises BanzukeError."""
    unit = benchmark.metric_of(model_of(benchmark).metric).unit
    if place := _PLACE.fullmatch(text.strip()):
        return _placed(ranking_of(benchmark), benchmark, int(place[1]), place[2])
    amount = prefixed(text)
    units = ("", unit.lower(), *(_FLOPS if unit == "flop/s" else ()))
    if amount is None or amount[1].lower() not in units:
        raise BanzukeError(f"--target '{text}' is not understood", remedy=_EXAMPLE)
    if math.isnan(amount[0]):
        raise BanzukeError(f"--target '{text}' is no amount above 0", remedy=_EXAMPLE)
    return amount[0]


def _placed(ranking: Ranking | None, benchmark: Benchmark, place: int, edition: str | None) -> float:
    """Return the figure of a place in a list. Raises BanzukeError."""
    if ranking is None:
        raise BanzukeError(f"there is no public list of {benchmark.title}", remedy="Give the figure itself")
    return ranking.figure_at(place, edition or ranking.newest)


def with_nodes_for(target: float, benchmark: Benchmark, machine: PredictedMachine, call: Call) -> PredictedMachine:
    """Return the machine with the fewest nodes that reach the figure, even if it has fewer.

    Raises BanzukeError for nodes of several partitions, and where no number of nodes reaches it.
    """
    if len(machine.nodes) > 1:
        raise BanzukeError("--target is for nodes of one kind", remedy="Name one partition: SITE.toml:PARTITION")
    model = model_of(benchmark)
    metric = benchmark.metric_of(model.metric)
    if metric.better != "higher":
        raise BanzukeError(f"--target has no meaning for {benchmark.title}", why="more nodes do not make it better")
    values = {name: constant.value for name, constant in constants_of(model, machine).items()}
    (partition,) = machine.nodes

    described = machine.site.partitions[partition]

    def of_nodes(nodes: int) -> PredictedMachine:
        """Return the machine with this many nodes, even if it has fewer."""
        part = described.having(nodes=max(nodes, described.number or 0))
        site = machine.site.having(partitions={**machine.site.partitions, partition: part})
        return replace(machine, site=site, nodes={partition: nodes})

    impossible: list[BanzukeError] = []

    def figure(nodes: int) -> float:
        """Return the figure; 0 for a number of nodes on which the call cannot run, such as too few for its matrix."""
        try:
            return estimated(model, hardware(of_nodes(nodes), values), call).figure
        except UndescribedError:
            raise
        except BanzukeError as error:
            impossible.append(error)
            return 0.0

    enough, best = _fewest(target, figure)
    if best < target:
        if not best:
            raise impossible[-1]
        raise BanzukeError(
            f"no number of nodes reaches {quantity(target, metric.unit)}",
            why=f"{enough:,} of them are predicted to reach {quantity(best, metric.unit)}",
        )
    return of_nodes(enough)


def _fewest(target: float, figure: Callable[[int], float]) -> tuple[int, float]:
    """Return the fewest nodes that reach the figure, and what they reach; if none do, the most, and the best figure."""
    enough, best = 1, figure(1)
    while best < target:
        if enough >= MOST_NODES:
            return enough, best
        enough = min(2 * enough, MOST_NODES)
        best = max(best, figure(enough))
    few = enough // 2
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if figure(middle) >= target else (middle, enough)
    return enough, best
