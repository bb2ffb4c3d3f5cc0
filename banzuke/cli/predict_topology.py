"""`banzuke predict BENCHMARK MACHINE --topology FILE`: messages on a described network, by the model or simulated."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from banzuke import paths
from banzuke.cli.console import errors, warn
from banzuke.cli.figure_options import FigureOptions
from banzuke.cli.network import NetworkOptions, is_shipped
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, patterns_of
from banzuke.predict.hardware import Hardware, PredictedMachine, hardware
from banzuke.predict.model import Call, Forecast, NetworkModel, constants_of, estimated, model_of
from banzuke.units import count, number, percent, quantity
from banzuke.words import declared

if TYPE_CHECKING:
    from banzuke.placement.compare import OrderComparison

LEAST = 0.01
"""Congestion that a simulation may scale where the model sees none."""
LARGEST = 1e4
NOTICED = 1.005
"""Least factor that is printed."""
UNLIKE = 1.1
"""Ratio of two rates of the same links from which they contradict each other."""
CLOSE = 0.01
"""Largest share by which a scaled time may miss the simulated one in silence."""


@dataclass(frozen=True)
class NetworkCall:
    network: NetworkOptions
    simulate: int | None
    """Most ranks that are simulated; None: the model alone."""


@dataclass(frozen=True)
class Congested:
    """The machine and the call with the network's congestion."""

    machine: PredictedMachine
    call: Call
    remark: str
    by: str
    """`model` or `simulation`."""


def network_call(benchmark: Benchmark, options: FigureOptions, kept: str | None) -> NetworkCall | None:
    """Return what is asked of the network; None: nothing. `kept`: the topology of the machine's description, if no
    other was given.

    Raises BanzukeError.
    """
    network = replace(options.network, topology=options.network.topology or kept)
    if network.topology is not None and options.target is not None:
        raise BanzukeError("--target finds any number of nodes, and a topology has its own", remedy="Leave one out")
    if network.topology is not None:
        network_model(benchmark)
        return NetworkCall(network, options.simulate)
    if network != NetworkOptions() or options.simulate is not None:
        raise BanzukeError("--routing, --adapters, --uplinks and --simulate are for a network", remedy="Add --topology")
    return None


def described_network(model: Any, machine: PredictedMachine, name: str) -> str | None:
    """Return the topology's file that the description names, for models that take it; None: it names none.

    `name`: of the machine as it was called; a file's paths are from its folder. Raises BanzukeError.
    """
    described = machine.site.partitions[next(iter(machine.nodes))].network
    if described is None or described.file is None or not isinstance(model, NetworkModel):
        return None
    file = described.file
    path = Path(name.partition(":")[0])
    folder = path.parent if path.is_file() else paths.MACHINES
    if (folder / file).exists():
        return str(folder / file)
    if is_shipped(file):
        return file
    raise BanzukeError(
        f"{folder / file}, which network.file names, does not exist",
        remedy="Correct the description: paths are from its folder",
    )


def fits(asked: NetworkCall, machine: PredictedMachine, nodes: int) -> bool:
    """Return whether the topology that the description names has as many hosts; if not, that is said.

    Raises BanzukeError.
    """
    network, _ = asked.network.read()
    if len(machine.nodes) == 1 and nodes <= len(network.hosts):
        return True
    warn(
        f"network.file is not used: {network.name} has {count(len(network.hosts), 'host')}, and "
        f"{count(nodes, 'node')} of {count(len(machine.nodes), 'kind')} are predicted"
    )
    return False


def congested(
    asked: NetworkCall, benchmark: Benchmark, machine: PredictedMachine, call: Call, alone: Forecast
) -> Congested:
    """Return the machine with the congestion of the scheduler's order; `alone`: the prediction without it.

    Raises BanzukeError.
    """
    from banzuke.placement.congestion import congestion, host_rate, with_host_rate  # noqa: PLC0415  (brings scipy)

    if len(machine.nodes) > 1:
        raise BanzukeError(
            "predictions of nodes of several kinds take no --topology",
            why="it does not say which host is of which kind",
            remedy="Leave it out, or predict one kind",
        )
    comparison = _placed(asked, benchmark, alone)
    (placed,) = comparison.placed
    described = hardware_of(benchmark, machine).fabric.node_bandwidth
    if comparison.topology.rated:
        _compare_links(host_rate(comparison.topology), described)
    if described > 0:
        comparison = with_host_rate(comparison, described)
    settings = model_of(benchmark).settings
    chosen = {**call, **{name: value for name, value in alone.estimate.call.items() if name in settings}}
    factors = congestion(comparison, placed)
    by = _how(asked, placed.order.size)
    longer = _longer(comparison, by, alone.estimate.figure / placed.order.size)
    if longer is not None and comparison.pattern.computes:
        factors = _scaled(
            factors, longer, by, lambda some: _seconds(benchmark, replace(machine, congestion=some), chosen)
        )
    elif longer is not None:  # nothing but these messages was simulated
        factors = dict.fromkeys(factors, longer)
    longer_by = {name: factor for name, factor in sorted(factors.items()) if factor >= NOTICED}
    if longer is None:
        how = "by the model of its links"
    elif by == "model":
        how = "so that the time grows as in the model of its steps and links"
    else:
        how = "so that the time grows as in the simulation"
    said = ", ".join(f"{name} {number(factor, 3)}" for name, factor in longer_by.items())
    takes = f"longer than on the nodes' own links by these factors, {how}: {said}" if said else f"no longer, {how}"
    remark = (
        f"On {comparison.topology.name} ({comparison.topology.routing} routing), in the scheduler's order, messages "
        f"take {takes}"
    )
    return Congested(replace(machine, congestion=factors), chosen, remark, by)


def _longer(comparison: "OrderComparison", by: str, rate: float) -> float | None:
    """Return how many times as long the run takes as at one switch; None: only the links' loads tell.

    `rate`: of a rank's computation. Raises BanzukeError.
    """
    from banzuke.placement.congestion import modelled_congestion, simulated_congestion  # noqa: PLC0415  (brings scipy)

    (placed,) = comparison.placed
    if by == "simulation":
        with errors.busy("simulating ..."):
            return simulated_congestion(comparison, placed, rate)
    return modelled_congestion(comparison, placed, rate) if comparison.pattern.computes else None


def _compare_links(rate: float, described: float) -> None:
    """Warn if a node's links have another rate in the topology: only the ratios of its links are taken."""
    if rate > 0 and described > 0 and not 1 / UNLIKE < rate / described < UNLIKE:
        warn(
            f"A host's links have {quantity(rate, 'B/s')} in the topology, but {quantity(described, 'B/s')} in the "
            "description of the nodes, which counts; of the topology only the ratios of rates are taken"
        )


def network_model(benchmark: Benchmark) -> NetworkModel:
    """Return the benchmark's model, if it takes the load of single links. Raises BanzukeError."""
    model = model_of(benchmark)
    if isinstance(model, NetworkModel):
        return model
    timed = [name for name, other in benchmarks().items() if other.model and isinstance(other.model(), NetworkModel)]
    raise BanzukeError(
        f"predictions of {benchmark.name} take no --topology",
        why=f"only the models of {', '.join(sorted(timed))} take the load of single links",
        remedy="Leave it out; a description's network.bisection is taken where a model needs it",
    )


def _placed(asked: NetworkCall, benchmark: Benchmark, alone: Forecast) -> "OrderComparison":
    """Return the order of the ranks on the first hosts by number. Raises BanzukeError."""
    from banzuke.placement.compare import SCHEDULER  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.orders import by_number  # noqa: PLC0415  (the same)
    from banzuke.placement.pattern import as_pattern  # noqa: PLC0415  (the same)
    from banzuke.placement.runs import drawn  # noqa: PLC0415  (the same)
    from banzuke.placement.score import slots  # noqa: PLC0415  (the same)

    pattern = as_pattern(patterns_of(benchmark.name)[0])
    network, adapters = asked.network.read()
    if alone.nodes > len(network.hosts):
        raise BanzukeError(
            f"{network.name} has {len(network.hosts):,} hosts, but {alone.nodes:,} nodes are predicted",
            remedy="Give fewer --nodes, or another --topology",
        )
    laid = pattern.laid(network_model(benchmark).ranks(alone.nodes, alone.estimate.call), {**alone.estimate.call})
    if laid is None:
        raise BanzukeError(f"predictions of {benchmark.name} do not say which rank sends to which")
    ranks = math.prod(laid.grid)
    every = slots(range(len(network.hosts)), [1] * len(network.hosts))
    hosts = [network.hosts[host] for host in by_number(every, network)[: alone.nodes]]
    places = [rank // math.ceil(ranks / alone.nodes) for rank in range(ranks)]
    comparison = drawn(network, pattern, laid, hosts, {SCHEDULER: places})
    return replace(comparison, traffic=replace(comparison.traffic, adapters=adapters))


def _how(asked: NetworkCall, ranks: int) -> str:
    """Return whether the model or a simulation tells; if a simulation was asked for and is not made, that is said."""
    from banzuke.placement.simulate import absent  # noqa: PLC0415  (brings scipy)

    if asked.simulate is None:
        return "model"
    if ranks > asked.simulate:
        warn(f"{ranks:,} ranks are not simulated, as they are more than --simulate {asked.simulate:,}")
        return "model"
    if reason := absent():
        warn(reason)
        return "model"
    return "simulation"


def hardware_of(benchmark: Benchmark, machine: PredictedMachine) -> Hardware:
    """Return the machine as the benchmark's model takes it. Raises BanzukeError."""
    constants = constants_of(model_of(benchmark), machine)
    return hardware(machine, {name: constant.value for name, constant in constants.items()})


def _seconds(benchmark: Benchmark, machine: PredictedMachine, call: Call) -> float:
    """Return the time in the benchmark's model. Raises BanzukeError."""
    return estimated(model_of(benchmark), hardware_of(benchmark, machine), call).seconds


def _scaled(
    factors: Mapping[str, float], longer: float, by: str, seconds: Callable[[Mapping[str, float]], float]
) -> dict[str, float]:
    """Return the factors with what is above 1 scaled so that the time grows by `longer`; at most to LARGEST."""

    def scaled(by: float) -> dict[str, float]:
        return {name: 1 + by * (factor - 1 if any_above else LEAST) for name, factor in factors.items()}

    if longer <= 1:
        return dict.fromkeys(factors, 1.0)
    any_above = any(factor > 1 for factor in factors.values())
    wanted = longer * seconds(scaled(0.0))
    low, high = 0.0, LARGEST
    for _ in range(60):
        middle = (low + high) / 2 if low else high / 100
        low, high = (middle, high) if seconds(scaled(middle)) < wanted else (low, middle)
    reached = seconds(scaled(low)) / wanted
    if abs(reached - 1) > CLOSE:
        time = "simulated time" if by == "simulation" else "time in the model of the steps"
        warn(f"The {time} is not reached by slower messages: the prediction has {percent(reached)} of it")
    return scaled(low)


def with_remark(prediction: Forecast, remark: str) -> Forecast:
    """Return the prediction with another remark, before its own; only a terminal shows it, in English."""
    remarks = (declared("predict-congested", remark), *prediction.estimate.remarks)
    estimate = replace(prediction.estimate, remarks=remarks)
    return replace(prediction, estimate=estimate)


def network_data(asked: NetworkCall, made: Congested) -> dict[str, Any]:
    """Return the congestion for `--json`."""
    return {
        "congestion": {
            "topology": Path(asked.network.topology or "").name,
            "by": made.by,
            "factors": dict(made.machine.congestion),
        }
    }
