"""Tests of the model: machines with a known answer, impossible ones, our own record, and published figures."""

import math
from dataclasses import replace
from statistics import median

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import find
from banzuke.predict.hardware import Engine, Fabric, Hardware, NodeGroup, hardware
from banzuke.predict.model import Call, Estimate, constants_of
from banzuke.predict.validate import machine_of
from banzuke.slowdown.noise import PeriodicNoise
from banzuke.words.language import words

from . import model_steps
from .model import MODEL
from .model_call import flows, grid
from .model_slabs import slabs_of

CONSTANTS = {name: constant.value for name, constant in constants_of(MODEL).items()}
HOST = Engine("processors", 1, 2e12, 1.8e12, 200e9, 200e9)
DEVICE = Engine("device", 4, 8e12, 7e12, 800e9, 32e9, 12e9, 40e9)
FABRIC = Fabric(1, 10e9, 1.5e-6, 1.0, direct=True, topology="fat-tree")


def cluster(nodes: int = 16, devices: tuple[Engine, ...] = (), **changed: object) -> Hardware:
    group = NodeGroup("node", nodes, 48, HOST, devices, domains=2)
    whole = Hardware("paper", (group,), FABRIC, 0.01, None, CONSTANTS)
    return replace(whole, **changed)  # type: ignore[arg-type]


def figure_of(machine: str, value: float) -> tuple[published.PublishedMachine, published.PublishedFigure]:
    entry = {candidate.id: candidate for candidate in published.load()}[machine]
    printed = (f for f in entry.figure if (f.benchmark, f.metric, f.value) == ("hpl", "flop_rate", value) and f.nodes)
    return entry, next(printed)


def of_figure(machine: str, value: float) -> tuple[Estimate, Hardware, float]:
    """Return the prediction, the hardware, and the printed figure; if that was cut off, from its percentage."""
    entry, figure = figure_of(machine, value)
    on = machine_of(entry, figure)
    call = MODEL.published(figure)
    assert not isinstance(on, str)
    assert not isinstance(call, str)
    hardware_of = hardware(on, {name: constant.value for name, constant in constants_of(MODEL, on).items()})
    printed = value if entry.id != "oakleaf-fx" else (figure.percent_of_peak or 0.0) / 100 * hardware_of.peak
    return MODEL.estimate(hardware_of, call), hardware_of, printed


PRINTED = (
    ("flow-type-i", 6617.8e12),
    ("flow-type-ii", 4880e12),
    ("oakleaf-fx", 0.21e12),
    ("oakleaf-fx", 1.04e15),
    ("reedbush-h", 10.04e12),
    ("reedbush-h", 20.3e12),
    ("reedbush-h", 35.8e12),
    ("reedbush-h", 56.3e12),
    ("tsubame", 77.48e12),
    ("tsubame", 66e12),
    ("yayoi", 0.83e12),
)
WORST, WORST_WITHOUT_ORDER = 0.11, 0.13
"""Bounds where n is printed, and where it follows from the share of the memory that is filled."""


def test_published_figures_are_within_what_the_model_promises() -> None:
    errors, bounds = {}, {}
    for name, value in PRINTED:
        prediction, _, printed = of_figure(name, value)
        errors[name, value] = prediction.figure / printed - 1
        bounds[name, value] = WORST if "n" in figure_of(name, value)[1].parameters else WORST_WITHOUT_ORDER
    assert median(map(abs, errors.values())) < 0.05, errors
    assert all(abs(error) < bounds[figure] for figure, error in errors.items()), errors
    assert WORST in bounds.values()


def test_efficiency_on_reedbush_falls_from_two_nodes_to_eight_as_printed() -> None:
    share = {}
    for value in (10.04e12, 20.3e12, 35.8e12, 56.3e12):
        prediction, on, _ = of_figure("reedbush-h", value)
        share[on.nodes] = prediction.figure / on.peak
    assert share[2] > share[4] > share[8]
    assert share[2] - share[8] == pytest.approx(0.860 - 0.596, rel=0.4)
    assert share[1] - share[2] < 0.06


def test_on_oakleaf_the_machine_is_hardly_less_efficient_than_a_node() -> None:
    (single, node, _), (all_of_it, machine, _) = of_figure("oakleaf-fx", 0.21e12), of_figure("oakleaf-fx", 1.04e15)
    assert all_of_it.figure / machine.peak == pytest.approx(single.figure / node.peak, rel=0.05)


def test_routing_by_number_is_worse_than_a_random_placement() -> None:
    assert of_figure("tsubame", 77.48e12)[0].figure > 1.04 * of_figure("tsubame", 66e12)[0].figure


def test_flows_on_the_busiest_link() -> None:
    assert flows("by-number", 32, 24) == 11
    assert flows("random", 32, 24) == pytest.approx(4.0, abs=0.3)
    assert flows("random", 1, 1) == pytest.approx(1.0, abs=0.3)


def test_one_rank_with_an_endless_matrix_reaches_dgemm() -> None:
    endless = replace(HOST, memory=1e30)
    single = replace(cluster(1), groups=(NodeGroup("node", 1, 48, endless),))
    prediction = MODEL.estimate(single, {"n": 30_000_000, "nb": 4096})
    assert prediction.figure == pytest.approx(HOST.dgemm, rel=0.01)
    assert prediction.bound_by == "flops.fp64"
    assert MODEL.estimate(single, {"n": 3000, "nb": 192}).figure < 0.8 * HOST.dgemm


def test_short_extents_slow_the_update() -> None:
    for devices in ((), (DEVICE,)):
        own = "device_" if devices else ""
        for name in ("inner", "extent"):
            spared = replace(cluster(devices=devices), constants={**CONSTANTS, f"hpl.{own}{name}": 0.0})
            slower = MODEL.estimate(cluster(devices=devices), {"n": 50_000, "nb": 128}).phases["update"]
            assert MODEL.estimate(spared, {"n": 50_000, "nb": 128}).phases["update"] < 0.995 * slower


def test_phases_sum_to_the_time_and_resources_to_nearly_all_of_it() -> None:
    for machine in (cluster(), cluster(devices=(DEVICE,)), cluster(1)):
        prediction = MODEL.estimate(machine, {})
        assert sum(prediction.phases.values()) == pytest.approx(prediction.seconds)
        assert sum(prediction.resources.values()) == pytest.approx(prediction.seconds)
        assert prediction.figure == pytest.approx((2 / 3 * prediction.call["n"] ** 3) / prediction.seconds, rel=0.001)  # type: ignore[operator]


@pytest.mark.parametrize("devices", [(), (DEVICE,)])
def test_more_of_anything_is_never_slower(devices: tuple[Engine, ...]) -> None:
    nodes = cluster(devices=devices)
    call = {"n": 200_000, "nb": 256}
    before = MODEL.estimate(nodes, call).figure
    (group,) = nodes.groups
    faster_host = replace(HOST, dgemm=1.1 * HOST.dgemm, bandwidth=1.1 * HOST.bandwidth)
    links = tuple(
        replace(device, host_link=1.1 * device.host_link, peer_link=1.1 * device.peer_link) for device in devices
    )
    flops = tuple(replace(device, dgemm=1.1 * device.dgemm) for device in devices)
    for better in (
        replace(nodes, fabric=replace(FABRIC, bandwidth=1.1 * FABRIC.bandwidth)),
        replace(nodes, fabric=replace(FABRIC, latency=FABRIC.latency / 1.1)),
        replace(nodes, spread=0.005),
        replace(nodes, groups=(replace(group, host=faster_host),)),
        replace(nodes, groups=(replace(group, devices=links),)),
        replace(nodes, groups=(replace(group, devices=flops),)),
    ):
        assert MODEL.estimate(better, call).figure >= before
    assert MODEL.estimate(nodes, {**call, "split": 0.0}).figure <= before
    assert MODEL.estimate(nodes, {**call, "lookahead": 0}).figure < before


def test_the_slowest_node_sets_the_pace_and_noise_delays_all() -> None:
    even = MODEL.estimate(cluster(spread=0.0), {"n": 200_000})
    uneven = MODEL.estimate(cluster(spread=0.02), {"n": 200_000})
    assert 0.02 < even.figure / uneven.figure - 1 < 0.1
    noisy = MODEL.estimate(cluster(spread=0.0, noise=PeriodicNoise(1e-3, 0.1)), {"n": 200_000})
    assert 0.005 < even.figure / noisy.figure - 1 < 0.5
    assert noisy.phases["thread_wait"] > 0


def test_unlike_nodes_get_ranks_by_their_rate_and_wait_for_the_slowest() -> None:
    slow = NodeGroup("slow", 10, 16, HOST)
    fast = NodeGroup("fast", 10, 16, replace(HOST, dgemm=2.1 * HOST.dgemm))
    both = replace(cluster(), groups=(fast, slow), spread=0.0)
    prediction = MODEL.estimate(both, {"n": 400_000})
    assert prediction.call["mpi_per_node"] == "2,1"
    assert prediction.figure < 30 * HOST.dgemm
    worse = MODEL.estimate(both, {"n": 400_000, "mpi_per_node": 1})
    assert worse.figure < prediction.figure


def test_without_direct_messages_swaps_between_nodes_take_longer() -> None:
    nodes = cluster(devices=(DEVICE,))
    staged = replace(nodes, fabric=replace(FABRIC, direct=False))
    call: Call = {"n": 300_000, "order": "row", "split": 0.0}
    assert MODEL.estimate(staged, call).phases["swap_wait"] > 1.3 * MODEL.estimate(nodes, call).phases["swap_wait"]


def test_what_exceeds_device_memory_is_said_and_slower() -> None:
    node = cluster(1, devices=(DEVICE,))
    fitting = MODEL.estimate(node, {"n": 120_000, "panel": "host"})
    beyond = MODEL.estimate(node, {"n": 150_000, "panel": "host"})
    assert not fitting.remarks
    assert "exceeds the devices' memory" in words()(beyond.remarks[0])
    assert beyond.phases["transfer"] > fitting.phases["transfer"]


SINGLE = Engine("device", 1, 66.9e12, 47e12, 3.04e12, 85.5e9, 55e9)
"""An H100: the rate of HPL's products in long runs, Triad and the link as README.md and docs/gpu.md print them."""
H100 = NodeGroup("node", 1, 16, Engine("processors", 1, 0.8e12, 0.7e12, 200e9, 200e9), (SINGLE,))
"""Sixteen virtual cores; their DGEMM, from which the time of panels follows, and Triad are assumed."""
PARTS: Call = {"nb": 1024, "inner": 128, "p": 1, "q": 1, "panel": "host", "memory": "devices"}


def on_an_h100(**call: int) -> Estimate:
    return MODEL.estimate(replace(cluster(1), groups=(H100,), spread=0.0), {**PARTS, **call})


@pytest.mark.parametrize(
    ("n", "columns", "bytes_there"), [(110_592, 39_936, 84.2e9), (122_880, 61_440, 234e9), (73_728, 0, 0)]
)
def test_columns_and_bytes_beyond_a_devices_memory_are_those_of_the_program(
    n: int, columns: int, bytes_there: float
) -> None:
    slabs = slabs_of(n, 1024, 85.5e9, 0)
    assert (slabs.columns if slabs else 0) == pytest.approx(columns, abs=2048)
    assert (slabs.bytes_to_device if slabs else 0) == pytest.approx(bytes_there, rel=0.1)


@pytest.mark.parametrize(("held", "columns", "bytes_there"), [(36_864, 54_272, 101e9), (24_576, 66_560, 154e9)])
def test_columns_that_a_call_holds_are_those_of_the_program(held: int, columns: int, bytes_there: float) -> None:
    slabs = slabs_of(73_728, 1024, 85.5e9, held)
    assert slabs
    assert slabs.columns == columns
    assert slabs.bytes_to_device == pytest.approx(bytes_there, rel=0.1)


@pytest.mark.parametrize(
    ("n", "held", "measured"),
    [
        (73_728, 0, 6.23),
        (92_160, 0, 11.87),
        (110_592, 0, 20.27),
        (122_880, 0, 27.93),
        (73_728, 36_864, 6.93),
        (73_728, 24_576, 7.88),
    ],
)
def test_a_matrix_beyond_a_devices_memory_takes_as_long_as_on_an_h100(n: int, held: int, measured: float) -> None:
    """The means of what README.md prints under `Beyond the device's memory`, in seconds."""
    prediction = on_an_h100(n=n, held=held)
    assert prediction.seconds == pytest.approx(measured, rel=0.06)
    assert bool(prediction.remarks) == (held > 0 or n > 92_160)
    assert ("stream there in slabs" in words().sentences(prediction.remarks)) == bool(prediction.remarks)


def test_a_slower_link_or_less_on_the_device_is_never_faster() -> None:
    def seconds(link: float, held: int) -> float:
        group = replace(H100, devices=(replace(SINGLE, host_link=link),))
        call = {**PARTS, "n": 73_728, "held": held}
        return MODEL.estimate(replace(cluster(1), groups=(group,), spread=0.0), call).seconds

    by_link = [seconds(link, 24_576) for link in (55e9, 25e9, 12e9, 6e9)]
    assert by_link == sorted(by_link)
    assert by_link[-1] > 154e9 / 6e9  # all that streams goes over it
    by_columns = [seconds(55e9, held) for held in (0, 36_864, 24_576, 12_288, 4_096)]
    assert by_columns == sorted(by_columns)


def test_several_devices_hold_more_and_stream_nothing() -> None:
    several = replace(H100, devices=(replace(SINGLE, number=2),))
    call: Call = {"n": 122_880, "nb": 1024}
    remarks = MODEL.estimate(replace(cluster(1), groups=(several,)), call).remarks
    assert "slabs" not in words().sentences(remarks)


def test_a_panel_in_parts_leaves_most_of_its_flops_to_the_devices() -> None:
    """One rank's panels on processors set the pace here; a panel as a whole equals a panel with one part."""
    machine = cluster(1, devices=(replace(DEVICE, number=1, peak=60e12, dgemm=55e12),))
    call: Call = {"n": 60000, "nb": 1024, "p": 1, "q": 1, "mpi_per_node": 1, "panel": "host"}
    whole, parts = (MODEL.estimate(machine, {**call, "inner": inner}) for inner in (0, 128))
    assert MODEL.estimate(machine, {**call, "inner": 1024}).figure == pytest.approx(whole.figure)
    assert 1.5 * whole.figure < parts.figure < 55e12


def test_our_own_rate_and_what_it_loses_to_dgemm_are_predicted() -> None:
    """Two cores, 1 rank of 2 threads, n = 16,000, nb = 128: the medians that README.md prints under Speed."""
    dgemm, memory = 242.5e9, 35e9
    host = Engine("processors", 1, 282e9, dgemm, memory, 8e9)
    node = replace(cluster(1), groups=(NodeGroup("node", 1, 2, host),))
    prediction = MODEL.estimate(node, {"n": 16_000, "nb": 128})
    assert prediction.figure == pytest.approx(232.7e9, rel=0.05)
    lost = prediction.seconds - 2 / 3 * 16_000**3 / dgemm
    assert lost == pytest.approx(2 / 3 * 16_000**3 * (1 / 232.7e9 - 1 / dgemm), rel=1.0)


def test_steps_taken_together_change_nothing_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    for machine in (cluster(), cluster(devices=(DEVICE,))):
        few = MODEL.estimate(machine, {"n": 500_000, "nb": 64})
        with monkeypatch.context() as patch:
            patch.setattr(model_steps, "MOST_STEPS", 1 << 30)
            assert MODEL.estimate(machine, {"n": 500_000, "nb": 64}).figure == pytest.approx(few.figure, rel=1e-3)


def test_of_what_is_not_told_the_faster_is_taken() -> None:
    nodes = cluster(devices=(DEVICE,))
    free = MODEL.estimate(nodes, {}).figure
    assert free == max(
        MODEL.estimate(nodes, {"order": order, "memory": memory}).figure
        for order in ("row", "column")
        for memory in ("devices", "host")
    )


@pytest.mark.parametrize(("ranks", "shape"), [(11_720, (93, 126)), (884, (26, 34)), (32, (4, 8)), (7, (1, 7))])
def test_ranks_are_left_out_rather_than_a_grid_far_from_a_square(ranks: int, shape: tuple[int, int]) -> None:
    assert grid({}, ranks, 2 if ranks % 2 == 0 else 1, ranks) == shape
    group = NodeGroup("node", ranks, 48, HOST)
    prediction = MODEL.estimate(replace(cluster(), groups=(group,)), {"n": 400_000})
    left = ranks - shape[0] * shape[1]
    assert prediction.call["ranks"] == ranks - left
    assert [f"{left} of {ranks} ranks are left out" in words()(remark) for remark in prediction.remarks] == [
        True
    ] * bool(left)


def test_bad_input_is_named() -> None:
    nodes = cluster()
    wrong: tuple[tuple[Call, str], ...] = (
        ({"n": 10_000_000}, "does not fit in the memory"),
        ({"p": 3, "q": 5}, "has 15 ranks, but there are 32"),
        ({"p": 4, "q": 8, "mpi_per_node": 4}, "has 32 ranks, but there are 64"),
        ({"p": 64, "q": 16}, "does not hold 64 ranks"),
        ({"mpi_per_node": 49}, "does not hold 49 ranks"),
        ({"mpi_per_node": "1,2"}, "not understood"),
        ({"nb": 0}, "nb = 0"),
        ({"n": 0}, "n = 0"),
        ({"n": "many"}, "n = many"),
        ({"n": math.nan}, "n = nan"),
        ({"q": math.inf}, "q = inf"),
        ({"broadcast": "tree"}, "broadcast = tree"),
        ({"split": 2}, "split = 2"),
        ({"fill": 1.5}, "fill = 1.5"),
        ({"on": "devices"}, "has no devices"),
        ({"placement": "best"}, "placement = best"),
    )
    for call, said in wrong:
        with pytest.raises(BanzukeError, match=said):
            MODEL.estimate(nodes, call)
    nothing = replace(nodes, groups=(NodeGroup("node", 2, 0, replace(HOST, memory=math.nan)),))
    with pytest.raises(BanzukeError, match="gives no memory of its nodes"):
        MODEL.estimate(nothing, {})
    assert MODEL.estimate(nothing, {"n": 1000}).figure > 0
    little = replace(nodes, groups=(NodeGroup("node", 2, 48, replace(HOST, memory=1.0)),))
    for none, call in ((little, {}), (nodes, {"fill": 0})):
        with pytest.raises(BanzukeError, match="no matrix fits in the memory"):
            MODEL.estimate(none, call)


def test_what_is_not_described_is_told_or_waited_for_by_nobody() -> None:
    unknown = math.nan
    dark = Engine("device", 2, 8e12, 7e12, unknown, unknown, unknown)
    group = NodeGroup("node", 4, 0, Engine("processors", 1, 0.0, unknown, unknown, unknown), (dark,))
    prediction = MODEL.estimate(replace(cluster(), groups=(group,)), {"n": 50_000})
    assert 0 < prediction.figure < 8 * 7e12
    assert math.isfinite(sum(prediction.resources.values()))
    assert any("link between host and devices is not described" in words()(remark) for remark in prediction.remarks)
    with pytest.raises(BanzukeError, match="gives no flop rate"):
        MODEL.estimate(replace(cluster(), groups=(replace(group, devices=()),)), {"n": 1000})


def test_figures_without_nodes_are_not_predicted_and_the_reason_is_told() -> None:
    figures = [f for m in published.load() if m.id == "fx100-nagoya" for f in m.figure if f.benchmark == "hpl"]
    assert [MODEL.published(figure) for figure in figures] == ["the number of nodes is not printed"]
    assert find("hpl").model is not None
