"""Every machine and figure in `machines/`, against what its report prints."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal

import pytest

from banzuke.machine.published import (
    PublishedFigure,
    PublishedMachine,
    PublishedReport,
    PublishedSite,
    find,
    load,
    suggestions,
)
from banzuke.machine.site import Peaks
from banzuke.plan.catalogue import measures

MACHINES = load()
SITES = list({machine.site.name: machine.site for machine in MACHINES}.values())
PARTITIONS = {
    name if len(site.partitions) > 1 else site.name: partition
    for site in SITES
    for name, partition in site.partitions.items()
}
FIGURES = [
    pytest.param(machine, figure, id=f"{machine.id}-{number}")
    for machine in MACHINES
    for number, figure in enumerate(machine.figure, 1)
]
UNITS = {
    "TFLOPS": ("flop/s", 1e12),
    "TFLOP": ("flop/s", 1e12),
    "PFLOPS": ("flop/s", 1e15),
    "GFLOPS": ("flop/s", 1e9),
    "MB/sec": ("B/s", 1e6),
    "GB/s": ("B/s", 1e9),
    "MiB/sec": ("B/s", 2**20),
    "GiB/sec": ("B/s", 2**30),
    "kW": ("W", 1e3),
    "ms": ("s", 1e-3),
    "µs": ("s", 1e-6),
    "%": ("1", 1e-2),
    "times/s": ("op/s", 1),
    "times": ("1", 1),
    "": ("1", 1),
}


def last_place(printed: str) -> float:
    """Value of one unit of the last printed digit."""
    decimals = printed.partition(".")[2]
    return 10.0 ** -len(decimals)


def read_print(text: str) -> tuple[float, str, float]:
    """Value and unit in SI, and the value of the last printed digit."""
    match = re.fullmatch(r"(?:about )?([\d.,]+) ?([^\d ]*)(?: or more| at most.*)?", text)
    assert match, text
    digits = match[1].replace(",", "")
    unit, factor = UNITS[match[2]]
    return float(digits) * factor, unit, last_place(digits) * factor


def test_every_machine_and_figure_of_the_five_reports_is_there() -> None:
    """19 machines are described in the reports; the FX100 and TSUBAME with TSUBASA are known by figures only.

    120 figures; five of them, graphs over both Type I and Type II, stand with each of the two.
    """
    assert len(MACHINES) == 21
    assert sum(len(machine.figure) for machine in MACHINES) == 125
    cited = Counter(figure.report for machine in MACHINES for figure in machine.figure)
    assert cited == {
        "flow2020": 39,
        "oakleaf2012": 35,
        "tsubame2008": 15,
        "reedbush2017": 26,
        "fugaku_os": 10,
    }


def test_machines_come_sorted_and_have_unique_names() -> None:
    ids = [machine.id for machine in MACHINES]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert len({machine.name.casefold() for machine in MACHINES}) == len(MACHINES)
    assert len(SITES) == 11
    assert all(site.title and site.institution and site.reports for site in SITES)


def test_subsystems_are_partitions_and_areas_of_their_site() -> None:
    together = Counter(machine.site.name for machine in MACHINES)
    assert {name: count for name, count in together.items() if count > 1} == {"Flow": 7, "TSUBAME": 4, "Reedbush": 2}
    flow = next(machine for machine in MACHINES if machine.id == "flow")
    assert flow.site.peaks["flops.fp64"].value == 15.88e15
    assert (flow.part, flow.peak(flow.site.figure[0], ())) == (None, None)


def test_every_value_is_printed_somewhere_or_follows() -> None:
    for site in SITES:
        for path in [f"partitions.{name}.node" for name in site.partitions] + [f"areas.{name}" for name in site.areas]:
            source = site.source(path)
            assert source is not None
            assert (source.how, source.where in site.reports) == ("printed", True)
    tsubasa = next(machine.site for machine in MACHINES if machine.id == "tsubasa")
    derived = tsubasa.source("partitions.tsubasa.node.processors.0.peaks.flops.fp64.value")
    assert derived
    assert derived.how == "assumed"


def test_a_report_is_cited_alike_everywhere() -> None:
    reports: dict[str, PublishedReport] = {}
    for site in SITES:
        for key, report in site.reports.items():
            assert reports.setdefault(key, report) == report
    assert len(reports) == 5


@pytest.mark.parametrize(("machine", "figure"), FIGURES)
def test_the_value_is_what_is_printed_in_si_units(machine: PublishedMachine, figure: PublishedFigure) -> None:
    if figure.as_printed is None:
        assert figure.kind == "graph-only" or figure.percent_of_peak is not None, machine.id
        return
    value, unit, _ = read_print(figure.as_printed)
    assert figure.unit == unit
    assert figure.value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("machine", "figure"), FIGURES)
def test_a_printed_percentage_follows_or_is_flagged(machine: PublishedMachine, figure: PublishedFigure) -> None:
    """The reports round some figures and cut others off, so a printed digit may be off by less than one."""
    peak = machine.peak(figure, measures(figure.benchmark))
    if figure.percent_of_peak is None or figure.as_printed is None:
        return
    assert peak, "a printed percentage of an unknown peak"
    value, _, digit = read_print(figure.as_printed)
    allowed = 10 ** -len(f"{figure.percent_of_peak:g}".partition(".")[2]) + 100 * digit / peak
    recomputed = 100 * value / peak
    follows = abs(recomputed - figure.percent_of_peak) < allowed
    assert follows == (figure.recomputed_percent is None), recomputed
    if figure.recomputed_percent is not None:
        assert figure.recomputed_percent == pytest.approx(recomputed, abs=0.05)
        assert any(f"{figure.recomputed_percent}%" in flag for flag in figure.flags)


def test_the_percentages_that_do_not_follow_are_those_of_stream_in_units_of_1024() -> None:
    wrong = [(m.id, f.metric) for m in MACHINES for f in m.figure if f.recomputed_percent is not None]
    kernels = ("copy", "scale", "add", "triad")
    assert sorted(wrong) == sorted((m, f"{k}_bandwidth") for m in ("oakleaf-fx", "yayoi") for k in kernels)
    for machine in MACHINES:
        for figure in machine.figure:
            if figure.recomputed_percent is not None and figure.value is not None:
                peak = machine.peak(figure, measures(figure.benchmark))
                assert peak
                assert 100 * figure.value / (peak * 1.024) == pytest.approx(figure.percent_of_peak, abs=0.06)


def digit(value: float) -> float:
    """One unit of the last significant place of a value as it is written."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return 10.0**exponent


def follows(value: float, terms: float) -> bool:
    """Return whether the value is the terms, rounded or cut off after its last digit."""
    return abs(value - terms) < digit(value) * (1 + 1e-6)


def terms(text: str) -> float | None:
    """`314 x 330.24 + 2.4 GHz x 2 GFLOPS` in SI; a prefix holds for what is before it. None: there is no product."""
    match = re.search(r"\d[\d.]*(?: cores| \w+FLOPS| GHz)? [x+] \d[^,;]*", text)
    if match is None:
        return None
    total, pending = 0.0, 0.0
    for term in match[0].split(" + "):
        words = re.findall(r"[\d.]+|[TGM](?=FLOPS|Hz|B/s)", term)
        number = math.prod(float(word) for word in words if word[0].isdigit())
        scale = math.prod({"T": 1e12, "G": 1e9, "M": 1e6}[word] for word in words if not word[0].isdigit())
        total, pending = (total + (pending + number) * scale, 0.0) if scale != 1 else (total, pending + number)
    assert pending == 0, text
    return total


PEAKS = [
    (f"{site.name}: {name}", peak)
    for site in SITES
    for holder, peaks in [
        (site.name, site.peaks),
        *((key, part.peaks) for key, part in site.partitions.items()),
        *((f"{key} node", part.node.peaks) for key, part in site.partitions.items()),
        *(
            (f"{key} {processor.model}", processor.peaks)
            for key, part in site.partitions.items()
            for processor in part.node.processors
        ),
        *(
            (f"{key} {device.name}", device.peaks)
            for key, part in site.partitions.items()
            for device in part.node.devices
        ),
    ]
    for name, peak in ((f"{holder} {resource}", peak) for resource, peak in peaks.items())
]


def test_every_peak_is_what_its_derivation_gives() -> None:
    products = {name: terms(peak.derivation) for name, peak in PEAKS}
    for name, peak in PEAKS:
        product = products[name]
        assert peak.value, name
        assert product is None or follows(peak.value, product), (name, product)
    assert sum(value is not None for value in products.values()) == 16


def test_every_peak_of_a_percentage_is_one_of_the_machine_or_what_its_terms_give() -> None:
    for machine in MACHINES:
        devices = [device for partition in machine.site.partitions.values() for device in partition.node.devices]
        peaks = {bandwidth for device in devices for bandwidth in (device.host_bandwidth, device.peer_bandwidth)}
        peaks |= {peak.value for device in devices for peak in device.peaks.values()}
        for figure in machine.figure:
            if figure.peak is not None:
                product = terms(figure.peak_of or "")
                assert figure.peak in peaks if product is None else figure.peak == pytest.approx(product, rel=1e-12)


def test_the_peak_of_a_partition_is_that_of_its_nodes_as_far_as_it_is_printed_or_is_flagged() -> None:
    doubtful = set()
    for name, partition in PARTITIONS.items():
        if partition.peaks:
            per_node, whole = partition.node.total("flops.fp64"), partition.total("flops.fp64")
            assert partition.nodes
            assert per_node
            assert whole
            slack = partition.nodes * digit(per_node) / 2 if not partition.node.peaks else 0.0
            if abs(whole - partition.nodes * per_node) >= digit(whole) + slack:
                doubtful.add(name)
                assert any("printed: 7.782" in flag for flag in partition.flags)
    assert doubtful == {"flow-type-i"}
    flow = next(machine.site for machine in MACHINES if machine.id == "flow")
    parts = [partition.total("flops.fp64") or 0.0 for partition in flow.partitions.values()]
    assert follows(flow.peaks["flops.fp64"].value or 0.0, sum(parts))


def test_the_peak_of_a_node_is_the_sum_of_its_parts_as_far_as_it_is_printed() -> None:
    for name, partition in PARTITIONS.items():
        parts = partition.node.having(peaks={}).total("flops.fp64")
        whole = partition.node.total("flops.fp64")
        if parts is not None and whole is not None:  # the devices of Flow Type III have none
            assert follows(whole, parts), name


def test_the_peak_of_processors_is_a_power_of_two_of_flops_in_each_cycle_of_each_core() -> None:
    for partition in PARTITIONS.values():
        for processor in partition.node.processors:
            if processor.peaks:
                value = processor.peaks["flops.fp64"].value
                assert processor.cores
                assert processor.nominal_hz
                assert value
                cycles = processor.cores * processor.nominal_hz
                assert follows(value, cycles * 2 ** round(math.log2(value / cycles)))


def test_the_memory_of_a_node_has_whole_channels() -> None:
    """Nodes whose modules are printed; a channel is 8 bytes wide, and DDR4-2933 makes 2933 million transfers."""
    channels = {}
    for name, partition in PARTITIONS.items():
        kind = re.match(r"DDR4-(\d+)", partition.node.memory.kind or "")
        peak = partition.node.total("memory.bytes")
        if kind and peak and not partition.node.devices:
            channels[name] = peak / (8e6 * int(kind[1]))
    assert channels == {"reedbush-u": pytest.approx(8), "flow-cloud": pytest.approx(12)}
    assert PARTITIONS["flow-type-iii"].node.total("memory.bytes") is None, "printed of one CPU, which it is not"


def test_what_is_marked_as_printed_was_not_computed() -> None:
    """Rates of links are printed in the words of their reports; other rates are assumed."""
    gbs = r"([\d.]+) GB/s"
    for site in SITES:
        for key, partition in site.partitions.items():
            path = f"partitions.{key}"
            rates = [(f"{path}.network.bandwidth", partition.network and partition.network.bandwidth)]
            texts = [partition.interconnect or ""]
            for number, device in enumerate(partition.node.devices):
                prefix = f"{path}.node.devices.{number}"
                rates += [
                    (f"{prefix}.host_bandwidth", device.host_bandwidth),
                    (f"{prefix}.peer_bandwidth", device.peer_bandwidth),
                ]
                texts += [device.host_link or "", device.peer_link or ""]
            for (where, rate), text in zip(rates, texts, strict=True):
                source = site.source(where)
                assert source
                if rate:
                    said = [float(word) * 1e9 for word in re.findall(gbs, text)]
                    assert (source.how == "printed") == (rate in said), where
            if partition.node.rates:
                assert getattr(site.source(f"{path}.node.rates"), "how", "") == "assumed"
        for name, peaks in _peaks_by_path(site).items():
            for resource, peak in peaks.items():
                source = site.source(f"{name}.{resource}")
                assert source
                if source.how == "printed" and terms(peak.derivation) is not None:
                    assert name.endswith(".processors.0.peaks") or peak.derivation.startswith("as printed"), name


def _peaks_by_path(site: PublishedSite) -> Mapping[str, Peaks]:
    by_path = {"peaks": site.peaks}
    for key, partition in site.partitions.items():
        by_path[f"partitions.{key}.peaks"] = partition.peaks
        by_path[f"partitions.{key}.node.peaks"] = partition.node.peaks
        for kind in ("processors", "devices"):
            for number, part in enumerate(getattr(partition.node, kind)):
                by_path[f"partitions.{key}.node.{kind}.{number}.peaks"] = part.peaks
    return by_path


def test_rounded_rates_of_storage_are_those_of_the_table() -> None:
    (storage,) = (machine for machine in MACHINES if machine.id == "flow-hot-storage")
    for rounded in (figure for figure in storage.figure if figure.kind == "rounded"):
        values = [f.value for f in storage.figure if f.part == rounded.part and f.kind == "measured" and f.value]
        assert rounded.value
        assert min(values) < rounded.value < max(values)


def test_the_longest_quantum_less_the_noise_is_the_shortest() -> None:
    (fugaku,) = (machine for machine in MACHINES if machine.id == "fugaku")
    by_part = {figure.part: {} for figure in fugaku.figure if figure.benchmark == "noise" and figure.part}  # type: ignore[var-annotated]
    for figure in fugaku.figure:
        if figure.part in by_part:
            by_part[figure.part][figure.metric] = figure.value
    shortest = [times["maximum_time"] - times["maximum_noise"] for times in by_part.values() if "maximum_time" in times]
    assert shortest == pytest.approx([6.13e-3] * 3, abs=0.006e-3)


def test_totals_of_the_hot_storage_are_as_its_flags_say() -> None:
    (storage,) = (machine for machine in MACHINES if machine.id == "flow-hot-storage")
    for files, recomputed in (("per-process", 169052.01), ("shared", 118376.525)):
        figures = [f for f in storage.figure if f.parameters.get("files") == files]
        parts = [f.value for f in figures if f.metric != "total_bandwidth" and f.value]
        assert sum(parts) / 2 / 2**20 == pytest.approx(recomputed, abs=0.006)
        (total,) = (f for f in figures if f.metric == "total_bandwidth")
        assert any(f"{recomputed}" in flag for flag in total.flags)


def test_figures_per_node() -> None:
    (oakleaf,) = (machine for machine in MACHINES if machine.id == "oakleaf-fx")
    whole = next(f for f in oakleaf.figure if f.benchmark == "hpl" and f.nodes == 4800 and f.unit == "flop/s")
    assert whole.per_node == pytest.approx(1.04e15 / 4800)
    assert all(f.per_node is None for f in oakleaf.figure if f.part or f.unit == "W")
    assert "Table 4" in oakleaf.source(next(f for f in oakleaf.figure if f.benchmark == "ior"))


@pytest.mark.parametrize("name", ["Fugaku", "FUGAKU", "oakleaf fx", "Oakleaf-FX", "flow type i", "sr11000/j2"])
def test_names_are_found_however_they_are_written(name: str) -> None:
    assert find(name, MACHINES) is not None


def test_a_misspelt_name_gets_a_suggestion() -> None:
    assert find("fugako", MACHINES) is None
    assert suggestions("fugako", MACHINES)[0] == "fugaku"
    assert suggestions("20261121T203651-ab", MACHINES) == []
