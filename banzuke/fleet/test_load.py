"""Fleets from the files of runs."""

import json
from pathlib import Path
from statistics import median

import pytest

from banzuke.fleet.load import load
from banzuke.fleet.model import FigureLaunch
from banzuke.fleet.testing import MadeFleet, record, write_array_runs
from banzuke.record.model import Record
from banzuke.record.state import Signs, Taken
from banzuke.results.lines import NODES
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import machine
from banzuke.words.language import words


def of(tmp_path: Path, *records: Record) -> Run:
    run = Store(tmp_path).create(machine(), None)
    for launched in records:
        run.append(launched)
    return run


def triad(host: str, *samples: float, **parameters: int) -> Record:
    return record("stream", "omp", {"n": 1000, **parameters}, "triad_bandwidth", "B/s", samples, host)


def changed(launched: Record, **provenance: object) -> Record:
    assert launched.provenance
    return launched.model_copy(update={"provenance": launched.provenance.model_copy(update=provenance)})


def test_a_screen_is_a_fleet_of_all_its_nodes(tmp_path: Path) -> None:
    made = MadeFleet(
        6, states={4: "hung"}, bins={5: "Example 7000"}, racks=4, slow={2: {0: 0.5}}, links=((0, 1, 2e10), (3, 2, 1e10))
    )
    fleet = load([made.write(Store(tmp_path))])
    assert list(fleet.nodes) == [made.host(node) for node in range(6)]
    assert {node.state for node in fleet.nodes.values()} == {"measured", "hung"}
    assert not fleet.nodes["n00004"].values
    assert [node.place for node in fleet.nodes.values()] == ["rack 01"] * 4 + ["rack 02"] * 2
    kinds = [node.kind for node in fleet.nodes.values()]
    assert set(kinds[:5]) == {kinds[0]} != {kinds[5]}
    titles = {name: words("en")(figure.title) for name, figure in fleet.figures.items()}
    assert titles == {
        "stream-omp:triad_bandwidth": "STREAM Triad",
        "dgemm-blas:flop_rate": "DGEMM",
        "fft-fftw:flop_rate": "FFT",
        "hpcg-omp:flop_rate": "HPCG",
        "hpl-blas:flop_rate": "HPL",
        "pt2pt-mpi:pairs:bandwidth": "Point to point: Bandwidth between nodes",
    }
    reached = {host: node.values["stream-omp:triad_bandwidth"] for host, node in fleet.nodes.items() if node.values}
    assert reached.pop("n00002") == pytest.approx(2e11, rel=0.05)
    assert all(value == pytest.approx(4e11, rel=0.05) for value in reached.values())
    assert {pair.hosts: dict(pair.values) for pair in fleet.pairs} == {
        ("n00000", "n00001"): {"pt2pt-mpi:pairs:bandwidth": 2e10},
        ("n00002", "n00003"): {"pt2pt-mpi:pairs:bandwidth": 1e10},
    }
    assert fleet.damaged == 0


def test_launches_that_others_disturbed_count_where_there_are_no_others(tmp_path: Path) -> None:
    def beside(host: str, rate: float, neighbours: int = 0, **conditions: float) -> Record:
        return changed(triad(host, rate).model_copy(update={"conditions": conditions}), neighbours=neighbours)

    seen = [
        beside("n1", 1.0, other_busy_fraction=0.5, clock_hz=3e9),
        beside("n1", 4.0, other_busy_fraction=0.05, clock_hz=3.1e9),
        beside("n2", 1.0, other_busy_fraction=0.5, clock_hz=3e9),
        beside("n2", 2.0, other_busy_fraction=0.3, steal_fraction=0.2),
        beside("n3", 1.0, steal_fraction=0.06),
        beside("n4", 1.0, 2, other_busy_fraction=0.9),
        beside("n5", 1.0),
    ]
    nodes = load([of(tmp_path, *seen)]).nodes
    (name,) = nodes["n1"].values
    assert {host: node.values[name] for host, node in nodes.items()} == {
        "n1": 4.0, "n2": 1.5, "n3": 1.0, "n4": 1.0, "n5": 1.0,
    }  # fmt: skip
    assert {host: node.disturbed[name] for host, node in nodes.items() if node.disturbed} == {
        "n2": Taken(0.3, 0.2),
        "n3": Taken(None, 0.06),
    }
    assert [launch.value for launch in nodes["n1"].launches[name]] == [4.0]
    assert [launch.value for launch in nodes["n2"].launches[name]] == [1.0]


def test_links_that_were_measured_in_both_directions_have_two_ends(tmp_path: Path) -> None:
    made = MadeFleet(3, links=((0, 1, 2e10), (1, 0, 9e9), (2, 0, 2e10)))
    fleet = load([made.write(Store(tmp_path))])
    name = "pt2pt-mpi:pairs:bandwidth:way"
    assert {pair.hosts: pair.values[name] for pair in fleet.pairs} == {
        ("n00000", "n00001"): 2e10,
        ("n00001", "n00000"): 9e9,
        ("n00002", "n00000"): 2e10,
        ("n00000", "n00002"): 2e10,
    }
    assert {
        figure: words("en")(described.title)
        for figure, described in fleet.figures.items()
        if figure.startswith("pt2pt")
    } == {
        name: "Point to point: Bandwidth between nodes",
        f"{name}:sent": "Point to point: Bandwidth between nodes, sent",
        f"{name}:received": "Point to point: Bandwidth between nodes, received",
    }


def test_hosts_whose_ranks_share_a_processor_have_no_link(tmp_path: Path) -> None:
    made = MadeFleet(3, links=((0, 1, 2e10), (1, 2, 2e10), (0, 2, 1e6)), sharing=("0,2",))
    fleet = load([made.write(Store(tmp_path))])
    assert [pair.hosts for pair in fleet.pairs] == [("n00000", "n00001"), ("n00001", "n00002")]


def test_of_several_launches_the_median_of_medians_counts(tmp_path: Path) -> None:
    launches = [(1e9, 2e9, 9e9), (3e9, 3e9), (8e9,)]
    fleet = load([of(tmp_path, *(triad("n1", *samples) for samples in launches))])
    assert fleet.nodes["n1"].values == {"stream-omp:triad_bandwidth": median((2e9, 3e9, 8e9))}


def test_what_did_not_verify_or_is_not_of_one_node_is_no_figure_of_it(tmp_path: Path) -> None:
    sound = triad("n1", 1e9)
    text = sound.model_dump_json()
    failed = {**json.loads(text), "status": "failed", "reason": "residual 3", "metrics": {}, "verification": []}
    failed["groups"][0]["hosts"][0]["names"] = "n2"
    lines = [
        text.replace('"passed":true', '"passed":false').replace('"names":"n1"', '"names":"n3"'),
        text.replace('"verification":[', '"verification":[],"x":[').replace('"names":"n1"', '"names":"n4"'),
        json.dumps(failed),
        '{"schema_version": 2, "bench',
    ]
    group = sound.groups[0]
    both = group.model_copy(update={"hosts": [triad(f"n{at}", 1.0).groups[0].hosts[0] for at in (1, 5)]})
    run = of(tmp_path, sound, changed(triad("n6", 1e9), batch=None), sound.model_copy(update={"groups": [both]}))
    (file,) = run.files()
    with file.open("a", encoding="utf-8") as end:
        end.write("".join(f"{line}\n" for line in lines))
    fleet = load([run])
    assert {host: node.state for host, node in fleet.nodes.items()} == {"n1": "measured", "n2": "failed"}
    assert fleet.nodes["n2"].why == "residual 3"
    assert fleet.nodes["n1"].values == {"stream-omp:triad_bandwidth": 1e9}
    assert fleet.damaged == 1


def test_a_node_is_as_fast_as_the_slowest_of_its_devices(tmp_path: Path) -> None:
    launches = [
        (host, f"GPU-{host}-{at}", 9e8 if (host, at) == ("n2", 5) else 1e9)
        for host in ("n1", "n2", "n3")
        for at in range(8)
    ]
    records = []
    for host, device, rate in launches:
        sound = triad(host, rate)
        binding = [sound.groups[0].binding[0].model_copy(update={"devices": [device]})]
        records.append(sound.model_copy(update={"groups": [sound.groups[0].model_copy(update={"binding": binding})]}))
    fleet = load([of(tmp_path, *records)])
    (figure,) = fleet.figures
    assert {host: node.values[figure] for host, node in fleet.nodes.items()} == {"n1": 1e9, "n2": 9e8, "n3": 1e9}
    assert fleet.nodes["n2"].devices == {figure: "GPU-n2-5"}


def test_settings_that_a_node_has_beside_each_other_are_figures_of_their_own(tmp_path: Path) -> None:
    fleet = load([of(tmp_path, *(triad(host, 1e9 * n, n=n) for host in ("n1", "n2") for n in (1, 2)))])
    assert {words("en")(figure.title) for figure in fleet.figures.values()} == {
        "STREAM Triad (n 1)",
        "STREAM Triad (n 2)",
    }
    assert fleet.nodes["n2"].values == {"stream-omp:triad_bandwidth n 1": 1e9, "stream-omp:triad_bandwidth n 2": 2e9}


def test_sizes_that_follow_the_memory_of_each_node_are_one_figure_of_a_rate_alone(tmp_path: Path) -> None:
    fleet = load(write_array_runs(tmp_path / "rates", 4))
    assert list(fleet.figures) == ["stream-omp:triad_bandwidth"]
    assert len(fleet.nodes) == 4
    assert {node.kind for node in fleet.nodes.values()} == {"fbb04c245059"}
    times = [record("pt2pt", "mpi", {"size": at}, "latency", "s", [1e-6], f"n{at}") for at in (1, 2)]
    apart = load([of(tmp_path, *times)])
    assert set(apart.figures) == {"pt2pt-mpi:latency size 1", "pt2pt-mpi:latency size 2"}


def test_variants_are_figures_of_their_own(tmp_path: Path) -> None:
    launched = [
        changed(triad(host, 1e9), variant=variant) for host in ("n1", "n2") for variant in ({}, {"pages": "base"})
    ]
    assert len(load([of(tmp_path, *launched)]).figures) == 2


def test_what_a_node_said_last_counts_and_damage_is_counted(tmp_path: Path) -> None:
    run = of(tmp_path)
    said = [
        {"host": "n1", "state": state, "why": "slow", "place": "", "facts": {"a": [1]}} for state in ("hung", "odd")
    ]
    (run.folder / NODES).write_text(
        "".join(f"{json.dumps(entry)}\n" for entry in said) + "[]\n{\n\n" + '{"host": "n2"}\n'
    )
    fleet = load([run])
    assert {host: node.state for host, node in fleet.nodes.items()} == {"n1": "failed"}
    assert fleet.nodes["n1"].facts == {}
    assert fleet.damaged == 3


def test_runs_without_files_are_an_empty_fleet(tmp_path: Path) -> None:
    assert not load([Run(tmp_path)]).nodes


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("parameters", "[1]"),
        ("parameters", "7"),
        ("metrics", "[1, {}]"),
        ("metrics", '{"triad_bandwidth": {"unit": "B/s", "samples": ["x"]}}'),
        ("metrics", '{"triad_bandwidth": {"unit": "flop/s", "samples": [1]}}'),
        ("groups", '[{"hosts": [{"names": null}]}]'),
        ("groups", "{}"),
        ("pairs", '{"bandwidth": {"unit": "B/s", "from": [0], "to": [1, 2], "values": [1]}}'),
        ("pairs", "[1]"),
        ("verification", "{}"),
        ("provenance", '{"batch": "x", "variant": [1]}'),
    ],
)
def test_lines_of_another_shape_are_no_crash(tmp_path: Path, field: str, value: str) -> None:
    odd = json.loads(triad("n2", 1e9).model_dump_json()) | {field: json.loads(value)}
    run = of(tmp_path, triad("n1", 1e9))
    (file,) = run.files()
    with file.open("a", encoding="utf-8") as end:
        end.write(f"{json.dumps(odd)}\n")
    (run.folder / NODES).write_text('{"host": "n1", "state": "measured", "facts": [1]}\n{"host": "n3", "state": [2]}\n')
    fleet = load([run])
    assert fleet.nodes["n1"].values == {"stream-omp:triad_bandwidth": 1e9}


def test_launches_on_processors_keep_what_shows_their_state(tmp_path: Path) -> None:
    """Conditions may be anything that a record's author wrote."""
    conditions = (
        {"exchange_latency": 38e-9, "exchange_latency_before": 40e-9, "clock_hz": 3e9},
        {"exchange_latency": 38e-9, "exchange_latency_before": 150e-9},
        {"exchange_latency": "near", "clock_hz": None},
    )
    launched = [triad("n1", 1e9).model_copy(update={"conditions": own}) for own in conditions]
    (node,) = load([of(tmp_path, *launched)]).nodes.values()
    (launches,) = node.launches.values()
    expected = [Signs(38e-9, 3e9), Signs(moved=True)]
    assert sorted(launches, key=lambda launch: launch.signs.moved) == [FigureLaunch(1e9, signs) for signs in expected]
