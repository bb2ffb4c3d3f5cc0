"""Tests of constants by family, of intervals with a stated probability, and of the stored errors."""

import math
from collections.abc import Mapping
from dataclasses import astuple, replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from banzuke.document import Paragraph, Table
from banzuke.machine.public import public_machines
from banzuke.machine.published import read
from banzuke.machine.site import Device, Partition, Peak, Processor
from banzuke.plan.capabilities import PriorSpread
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.by_family import SMALL, by_family
from banzuke.predict.contradictions import contradictions
from banzuke.predict.families import (
    SMALL_GROUPS,
    families_of,
    family_of_device,
    family_of_processor,
    fitted,
    strip_names,
)
from banzuke.predict.find import predicted_machine
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.left_out import FEWEST, conformal_quantile, coverage_as_printed, errors_of, half_width, left_out
from banzuke.predict.lists import TWICE, PublicFigure, fit_families, leave_out, public_figures
from banzuke.predict.model import Forecast, constants_of, forecast, model_of
from banzuke.predict.pooled import Elsewhere, Response, fit, without_family, without_machine
from banzuke.predict.public_page import public_blocks, public_record
from banzuke.predict.validate import machine_of
from banzuke.results.store import Store
from banzuke.words.language import words

AT = np.linspace(-1.0, 1.0, 5)
SPREAD = PriorSpread(0.05, 0.2, 0.3)
PAPER = """
name = "Paper"
[partitions.cpu]
nodes = 100
network = {{ bandwidth = 12.5e9, topology = "dragonfly" }}
[partitions.cpu.node]
memory.total = 256_000_000_000
peaks."memory.bytes" = {{ value = 200e9, unit = "B/s" }}
[[partitions.cpu.node.processors]]
model = "{model}"
sockets = 2
cores = 64
nominal_hz = 2e9
peaks."flops.fp64" = {{ value = 4.096e12, unit = "flop/s" }}
"""


def response(name: str, family: str, truth: float) -> Response:
    """Return the response of a machine whose figure equals its constant, which is `truth`."""
    return Response(name, family, "g", "g", math.exp(truth), AT, np.exp(AT))


def predicted(
    folder: Path, model: str, benchmark: str = "hpl", nodes: int = 100, lines: str = "", without: str = ""
) -> Forecast:
    file = folder / "paper.toml"
    text = "\n".join(
        line for line in PAPER.format(model=model).split("\n") if not (without and line.startswith(without))
    )
    file.write_text(text + lines, encoding="utf-8")
    machine = PredictedMachine("Paper", read(file), {"cpu": nodes})
    return forecast(benchmarks()[benchmark], machine, {}, upgrades=False)


def test_families_of_many_figures_have_their_own_constant_and_unknown_ones_their_groups() -> None:
    many = [response(f"a{number}", "a", -0.4) for number in range(9)]
    few = [response("b", "b", 0.4)]
    pooled = fit([*many, *few], SPREAD)
    assert pooled.families["a"] == pytest.approx(-0.4, abs=0.02)
    assert 0.2 < pooled.families["b"] < 0.39, "drawn to the group"
    assert -0.4 < pooled.groups["g"] < 0.4
    assert pooled.deviations["g"] > pooled.deviations["b"] > pooled.deviations["a"]


def test_what_is_left_out_is_not_seen() -> None:
    odd = response("odd", "b", 0.8)
    others = [response(f"a{number}", "a", 0.0) for number in range(5)]
    for constant in (without_machine, without_family):
        assert constant([odd, *others], 0, SPREAD) == pytest.approx(0.0, abs=0.02)
    twice = [response("x", "a", 0.5), response("x", "a", 0.5), *others]
    assert without_machine(twice, 0, SPREAD) == pytest.approx(0.0, abs=0.02), "its other figure leaves, too"
    assert without_machine([odd, *others], 0, SPREAD, {"b": Elsewhere(0.8)}) > 0.55, (
        "what was measured elsewhere is known"
    )
    assert without_machine([odd, *others], 0, SPREAD, {"b": Elsewhere(0.8, "odd")}) < 0.05, "but not if it was there"


@pytest.mark.parametrize(("benchmark", "kind"), [*product(("hpl", "hpcg"), ("processors", "devices")), ("hpl", SMALL)])
@pytest.mark.parametrize("way", ["machine_out", "family_out"])
def test_intervals_of_nine_in_ten_hold_about_as_many(benchmark: str, kind: str, way: str) -> None:
    """Test intervals as printed for unknown machines, and for those of unknown families."""
    figures = [figure for figure in left_out() if (figure.benchmark, figure.kind) == (benchmark, kind)]
    assert 0.85 <= coverage_as_printed(figures, way) <= 0.95


MARKS = {
    ("hpl", "machine_out"): (0.06, 0.20),
    ("hpl", "family_out"): (0.10, 0.30),
    ("hpcg", "machine_out"): (0.15, 0.45),
    ("hpcg", "family_out"): (0.20, 0.60),
}


@pytest.mark.parametrize("kind", ["processors", "devices"])
@pytest.mark.parametrize(("benchmark", "way"), MARKS)
def test_errors_are_within_the_marks(benchmark: str, kind: str, way: str) -> None:
    figures = [figure for figure in left_out() if (figure.benchmark, figure.kind) == (benchmark, kind)]
    middle, most = MARKS[benchmark, way]
    errors = errors_of(figures, way)
    assert errors is not None
    assert errors.median <= middle
    assert errors.most_of_ten <= most


def test_a_family_that_is_left_out_is_not_told_by_its_names_or_its_group() -> None:
    odd = Response("odd", "b", "own", "g", 1.0, AT, np.exp(AT + 0.5), np.exp(AT))
    others = [response(f"a{number}", "a", -0.2) for number in range(5)]
    own = [Response(f"c{number}", "c", "own", "own", 1.0, AT, np.exp(AT - 0.6)) for number in range(5)]
    group = fit([*others, *own], SPREAD).groups["g"]
    assert without_family([odd, *others, *own], 0, SPREAD) == pytest.approx(group)
    clocked = replace(odd, clock=-0.4)
    assert without_family([clocked, *others, *own], 0, SPREAD) == pytest.approx((group - 0.4) / 2)


@pytest.mark.parametrize(
    ("name", "kind", "group", "hpcg"),
    [
        ("frontier", "devices", "matrix-others", "stacked"),
        ("alps-gh200", "devices", "matrix-nvidia", "stacked"),
        ("summit", "devices", "plain", "stacked"),
        ("titan-xk7", "devices", "early", "early"),
        ("fugaku-top500", "processors", "wide", "cached"),
        ("blizzard-dkrz", "processors", "sse", "cached"),
    ],
)
def test_what_is_known_without_a_name(name: str, kind: str, group: str, hpcg: str) -> None:
    part = next(machine for machine in public_machines() if machine.id == name).part
    assert isinstance(part, Partition)
    family = families_of(strip_names(part, kind))[kind]
    assert (family.name, family.group, family.hpcg_group) == ("", group, hpcg)


def test_every_public_figure_is_there_once() -> None:
    machines = [machine for machine in public_machines() if machine.id not in TWICE]
    printed = {(figure.benchmark, machine.id) for machine in machines for figure in machine.figure}
    assert {(figure.benchmark, figure.machine) for figure in left_out()} >= printed
    assert {figure.machine for figure in left_out()} >= {
        "oakleaf-fx",
        "reedbush-h",
        "flow-type-i",
        "flow-type-ii",
        "yayoi",
    }


FITS = [*((constant, "lists") for constant in by_family()), ("host.dgemm", SMALL)]
"""Constants, and whose figures they are fitted to."""


@cache
def fitted_to(constant: str, machines: str) -> tuple[list[PublicFigure], float]:
    """Return all figures of a constant, and its value that is assumed for all."""
    every = benchmarks()
    figures = public_figures(constant, every, small=machines == SMALL)
    return figures, constants_of(model_of(every[by_family()[constant].benchmark]))[constant].value


@pytest.mark.parametrize(("constant", "machines"), FITS)
def test_stored_constants_are_those_of_a_fit_today(constant: str, machines: str) -> None:
    stored = {
        key: family
        for key, family in fitted().items()
        if key[0] == constant and (key[1] in SMALL_GROUPS) == (machines == SMALL)
    }
    today = fit_families(*fitted_to(constant, machines))
    assert today.keys() == stored.keys()
    for key, family in today.items():
        assert astuple(family) == pytest.approx(astuple(stored[key]), rel=0.005), key


@pytest.mark.parametrize(("constant", "machines"), FITS)
def test_stored_errors_are_those_of_a_fit_today(constant: str, machines: str) -> None:
    """Test five figures by fits to all others; `scripts/fit_predictions.py` makes the whole table."""
    figures, middle = fitted_to(constant, machines)
    rows = {(row.benchmark, row.machine, row.nodes): row for row in left_out()}
    assert len(rows) == len(left_out())
    for row in leave_out(figures, middle, range(0, len(figures), len(figures) // 4)):
        stored = rows[row.benchmark, row.machine, row.nodes]
        assert (row.kind, row.family) == (stored.kind, stored.family)
        for name in ("published", "predicted", "machine_out", "family_out", "linear", "share", "everybody"):
            assert getattr(row, name) == pytest.approx(getattr(stored, name), rel=0.005, nan_ok=True), (row, name)


@pytest.mark.parametrize("name", ["frontera", "summit", "juqueen-bluegene-q-24-racks"])
def test_stored_predictions_are_those_of_today(name: str) -> None:
    machine = next(machine for machine in public_machines() if machine.id == name)
    figure = next(figure for figure in machine.figure if figure.benchmark == "hpl")
    call, on = model_of(benchmarks()["hpl"]).published(figure), machine_of(machine, figure)
    assert isinstance(on, PredictedMachine)
    assert not isinstance(call, str)
    made = forecast(benchmarks()["hpl"], on, call, upgrades=False, uncertain=False)
    stored = next(row for row in left_out() if (row.benchmark, row.machine) == ("hpl", name))
    assert made.estimate.figure == pytest.approx(stored.predicted, rel=0.02), "it is interpolated there"


def test_the_conformal_quantile_counts_the_figure_to_come() -> None:
    assert conformal_quantile([float(number) for number in range(1, 20)]) == 18.0
    assert conformal_quantile([1.0, 2.0]) == 2.0, "too few to say: the worst"


def test_nine_of_ten_errors_are_smaller_and_one_alone_is_all_there_is() -> None:
    figures = [replace(left_out()[0], published=1.0, machine_out=1 + tenth / 10) for tenth in range(11)]
    errors = errors_of(figures, "machine_out")
    assert errors is not None
    assert astuple(errors) == pytest.approx((0.5, 0.9, 1.0))
    alone = errors_of(figures[2:3], "machine_out")
    assert alone is not None
    assert astuple(alone) == pytest.approx((0.2, 0.2, 0.2))
    assert errors_of([replace(figures[0], linear=math.nan)], "linear") is None


def test_an_unknown_family_has_a_wider_interval_and_a_warning(tmp_path: Path) -> None:
    seen = predicted(tmp_path, "Xeon Platinum 8280 28C 2.7GHz")
    strange = predicted(tmp_path, "Nobody's processor")
    assert seen.probability == strange.probability == 0.9
    assert strange.high / strange.low > 1.1 * seen.high / seen.low
    assert not any("No public figure" in words()(remark) for remark in seen.estimate.remarks)
    assert any("No public figure" in words()(remark) for remark in strange.estimate.remarks)
    assert seen.estimate.figure < strange.estimate.figure * 1.1, "both compute 32 flops a cycle"


def test_few_machines_of_a_family_and_no_group_widen_the_interval(tmp_path: Path) -> None:
    usual, rare, none = (
        predicted(tmp_path, model, lines=lines)
        for model, lines in (("AMD EPYC 7742", ""), ("Xeon Platinum 8360Y", ""), ("Nobody's", ""))
    )
    unclear = predicted(tmp_path, "Nobody's processor", without="nominal_hz")
    ratios = [made.high / made.low for made in (usual, rare, none, unclear)]
    assert ratios[0] <= ratios[1] < ratios[2] < ratios[3]
    assert any("only one machine" in words()(remark) for remark in rare.estimate.remarks)
    assert any("no group" in words()(remark) for remark in unclear.estimate.remarks)


def test_intervals_widen_beyond_the_most_nodes_of_any_figure() -> None:
    usual, far = (half_width("hpl", "processors", nodes, relatives=FEWEST) for nodes in (1000, 4 * 158_976))
    assert usual is not None
    assert far == pytest.approx(3 * usual)
    assert half_width("fft", "processors", 1000, relatives=FEWEST) is None


def test_a_described_clock_under_load_lowers_the_figure_of_an_unknown_processor(tmp_path: Path) -> None:
    plain = predicted(tmp_path, "Nobody's processor").estimate.figure
    slow = predicted(tmp_path, "Nobody's processor", lines="vector_hz = 1e9\n").estimate.figure
    assert slow < 0.95 * plain


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("Xeon Platinum 8280 28C 2.7GHz", "Skylake and Cascade Lake"),
        ("Intel Xeon Gold 6230 (Cascade Lake)", "Skylake and Cascade Lake"),
        ("Xeon Platinum 8360Y 36C 2.4GHz", "Ice Lake"),
        ("Xeon Platinum 8480+ 56C 2GHz", "Sapphire Rapids"),
        ("Intel Xeon Phi 7250 68C 1.4GHz", "Xeon Phi x200"),
        ("Intel Xeon E5-2697v2 12C 2.7GHz", "Sandy Bridge and Ivy Bridge"),
        ("Intel Xeon E5-2695 v4 (Broadwell-EP)", "Haswell and Broadwell"),
        ("Intel EM64T Xeon E54xx (Harpertown) 3000 MHz", "Core"),
        ("Intel EM64T Xeon X55xx (Nehalem-EP) 2930 MHz", "Nehalem and Westmere"),
        ("AMD EPYC 7742 64C 2.25GHz", "EPYC 7002"),
        ("AMD Optimized 3rd Generation EPYC 64C 2GHz", "EPYC 7003"),
        ("AMD EPYC 9654 96C 2.4GHz", "EPYC 9004"),
        ("AMD EPYC 7H12 64C 2.6GHz", "EPYC 7002"),
        ("AMD Opteron 8356", "Opteron K10"),
        ("AMD Opteron 880", "Opteron K8"),
        ("AMD Athlon(tm) 64 Processor 3200+", "Opteron K8"),
        ("AMD Athlon K7", "Athlon K7"),
        ("AMD Athlon XP 2400+", "Athlon K7"),
        ("AMD Athlon 3000G with Radeon Vega Graphics", ""),
        ("Power BQC 16C 1.60GHz", "Blue Gene/Q"),
        ("PowerPC 450", "Blue Gene/L and P"),
        ("IBM POWER9 22C 3.1GHz", "POWER"),
        ("POWER11", "Power10"),
        ("Fujitsu A64FX (Armv8.2-A + SVE)", "A64FX"),
        ("NVIDIA Grace 72C 3.1GHz", "Neoverse"),
        ("Nobody's", ""),
    ],
)
def test_families_are_told_by_name(model: str, family: str) -> None:
    assert family_of_processor(Processor(model=model)).name == family


@pytest.mark.parametrize(
    ("name", "peak", "matrix", "memory", "taken"),
    [
        ("NVIDIA H100 SXM5", 33.5e12, None, 80e9, 67e12),
        ("NVIDIA H100 SXM5", 67e12, None, 80e9, 67e12),
        ("NVIDIA A100-SXM4-40GB", 9.7e12, None, 40e9, 19.5e12),
        ("NVIDIA A100 of Leonardo", 11.2e12, None, 64e9, 11.2e12 * 19.5 / 9.7),
        ("AMD Instinct MI250X", 47.9e12, 95.7e12, 128e9, 95.7e12),
        ("AMD Instinct MI250X", 23.95e12, None, 64e9, 47.85e12),
        ("AMD Instinct MI300A", 61.3e12, None, 128e9, 122.6e12),
        ("NVIDIA Tesla V100", 7.8e12, None, 16e9, 7.8e12),
        ("Nobody's", 5e12, None, 16e9, 5e12),
    ],
)
def test_the_peak_of_matrix_units_is_taken_also_where_vectors_are_described(
    name: str, peak: float, matrix: float | None, memory: float, taken: float
) -> None:
    device = Device(name=name, peaks=peaks({"flops.fp64": peak}))
    assert family_of_device(device).dgemm_peak(peak, matrix or math.nan, memory) == pytest.approx(taken)


def peaks(values: Mapping[str, float]) -> dict[str, Peak]:
    return {name: Peak(value=value, unit="flop/s") for name, value in values.items()}


def test_contradictory_clocks_and_memories_are_named(tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    text = PAPER.format(model="x") + "vector_hz = 3e9\nmaximum_hz = 2.5e9\n"
    file.write_text(
        text.replace("memory.total", "memory.fast = 300_000_000_000\nmemory.fast_bandwidth = 1e12\nmemory.total"),
        encoding="utf-8",
    )
    said = "\n".join(contradictions(read(file).partitions["cpu"], "Paper"))
    assert "the clock under vector load is 3 GHz, above the highest, 2.5 GHz" in said
    assert "of memory are fast" in said


def test_more_of_anything_is_never_slower_with_constants_by_family() -> None:
    for name, benchmark in (
        ("frontera", "hpl"),
        ("frontier", "hpl"),
        ("mckenzie", "hpl"),
        ("oakforest-pacs-knl", "hpcg"),
    ):
        machine = next(machine for machine in public_machines() if machine.id == name)
        on = PredictedMachine(machine.name, machine.site, {"nodes": 14})
        swings = forecast(benchmarks()[benchmark], on, {}).swings
        better = [swing for swing in swings if not swing.uncertain and swing.name not in ("spread", "noise", "memory")]
        assert all(swing.high >= swing.low for swing in better), (name, better)
    assert fitted()


def test_a_name_that_tells_another_family_is_no_idle_change(tmp_path: Path) -> None:
    store = Store(tmp_path)
    line = 'node.processors.0.model="AMD EPYC 9654 96C 2.4GHz"'
    named = predicted_machine("frontera", store, lines=[line])
    plain = predicted_machine("frontera", store)
    figures = [forecast(benchmarks()["hpl"], machine, {}, upgrades=False).estimate.figure for machine in (named, plain)]
    assert figures[0] > 1.1 * figures[1]


def test_tables_have_a_row_for_each_figure_and_say_what_is_no_better_than_without_a_model() -> None:
    blocks = public_blocks(left_out(), benchmarks())
    classes, rows = (block for block in blocks if isinstance(block, Table))
    assert len(rows.rows) == len(left_out())
    assert {row.cells[1].text for row in classes.rows} == {"processors", "devices", "all", "small machines"}
    said = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert said.count("better than") == 10
    assert said.count("no better than") == 3
    assert "machine" in public_record("hpl", "processors")[0]
    said = " ".join(public_record("hpcg", "processors"))
    assert "This is no better than the share of the peak" in said
    assert "on devices" not in said
    assert not public_record("fft", "processors")
