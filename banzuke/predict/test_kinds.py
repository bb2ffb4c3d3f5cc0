"""Tests of which kinds of nodes take part, and what each adds."""

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.predict.find import predicted_machine
from banzuke.predict.kinds import CLEARLY, Composition, compose
from banzuke.predict.model import Call, forecast
from banzuke.results.store import Store
from banzuke.words import Message

KIND = """
[partitions.{name}]
nodes = {nodes}
{network}
node.memory.total = {memory}
[[partitions.{name}.node.processors]]
sockets = 2
cores = {cores}
peaks."flops.fp64" = {{ value = {peak}, unit = "flop/s" }}
"""
NETWORK = 'network = { links = 1, bandwidth = 12.5e9, topology = "fat-tree" }'


def kind(name: str, nodes: int, peak: float, cores: int = 64, memory: int = 256_000_000_000, network: str = "") -> str:
    return KIND.format(name=name, nodes=nodes, peak=peak, cores=cores, memory=memory, network=network)


def site(folder: Path, *kinds: str) -> str:
    file = folder / "sea.toml"
    file.write_text('name = "Sea"\n' + "".join(kinds))
    return str(file)


def composed(name: str, call: Call | None = None, nodes: tuple[str, ...] = ()) -> Composition:
    store = Store(Path(name).parent)
    machine = predicted_machine(name, store, nodes, together=True)
    return compose(find("hpl"), machine, call or {}, keep=bool(nodes))


THIN = kind("thin", 300, 5e12, network=NETWORK)
OLD = kind("old", 4, 0.05e12, cores=8, memory=16_000_000_000)
HALF = kind("half", 100, 2.5e12)


def test_kinds_that_add_take_part_and_the_figure_is_that_of_the_last(tmp_path: Path) -> None:
    together = composed(site(tmp_path, THIN, HALF))
    assert set(together.machine.nodes) == {"thin", "half"}
    first, second = together.kinds
    assert (first.partition, second.partition) == ("thin", "half")
    assert first.together == first.alone
    assert first.added is None
    assert second.together
    assert second.alone
    assert second.added
    assert first.alone
    assert second.together == pytest.approx(first.alone + second.added)
    assert 0.5 * second.alone < second.added < 1.1 * second.alone
    made = forecast(find("hpl"), together.machine, together.call, upgrades=False, uncertain=False)
    assert made.estimate.figure == pytest.approx(second.together)
    assert made.nodes == sum(together.machine.nodes.values())


def test_a_kind_that_would_slow_the_whole_is_left_out_and_named(tmp_path: Path) -> None:
    together = composed(site(tmp_path, THIN, OLD, HALF))
    assert set(together.machine.nodes) == {"thin", "half"}
    assert together.kinds[-1].partition == "old"
    assert together.kinds[-1].nodes == 0
    assert (together.kinds[-1].added or 0) < 0
    (said,) = [reason for reason in together.reasons if reason.code == "predict-kind-left-out"]
    assert said.facts["kind"] == "Sea old"
    assert together.reasons[0].code != said.code


def test_two_kinds_are_left_out_that_slow_the_whole_only_together(tmp_path: Path) -> None:
    """Leaving out only one of them gains nothing, because the other still sets the pace."""
    older = OLD.replace("old", "older")
    together = composed(site(tmp_path, THIN, OLD, older))
    assert set(together.machine.nodes) == {"thin"}
    assert together.machine.nodes["thin"] == 300
    assert {kind.partition for kind in together.kinds if not kind.nodes} == {"old", "older"}


def test_a_fast_kind_with_little_memory_is_left_out(tmp_path: Path) -> None:
    """It is left out although a node of it is the fastest, and although with it another kind would be left out too."""
    small = kind("small", 4, 30e12, memory=4_000_000_000)
    together = composed(site(tmp_path, THIN, HALF, small))
    assert set(together.machine.nodes) == {"thin", "half"}
    (said,) = [reason for reason in together.reasons if reason.code == "predict-kind-left-out"]
    assert isinstance(said.facts["why"], Message)
    assert said.facts["why"].code == "hpl-less-memory"


def test_two_such_kinds_are_left_out_though_one_alone_would_not_help(tmp_path: Path) -> None:
    small, other = (kind(name, 20, 12e12, memory=4_000_000_000) for name in ("small", "other"))
    together = composed(site(tmp_path, THIN, small, other))
    assert set(together.machine.nodes) == {"thin"}


def test_a_kind_that_costs_hardly_anything_stays(tmp_path: Path) -> None:
    together = composed(site(tmp_path, THIN, kind("one", 1, 2.4e12)))
    assert set(together.machine.nodes) == {"thin", "one"}
    assert (together.kinds[1].added or 0) < 0


def test_what_takes_part_is_the_best_of_all_subsets_or_nearly(tmp_path: Path) -> None:
    source = Random(11)  # noqa: S311
    for _ in range(12):
        kinds = [
            kind(
                name,
                source.choice((2, 4, 40, 200)),
                source.choice((0.1e12, 0.3e12, 1e12, 5e12, 12e12)),
                memory=source.choice((1, 4, 16, 64, 256)) * 1_000_000_000,
                cores=source.choice((8, 32, 64)),
                network=NETWORK,
            )
            for name in "abcd"
        ]
        chosen = composed(site(tmp_path, *kinds))
        best = 0.0
        for number in range(1, 5):
            for names in combinations("abcd", number):
                some = composed(site(tmp_path, *kinds), nodes=tuple(f"{n}={chosen_there(chosen, n)}" for n in names))
                best = max(best, *(added.together or 0.0 for added in some.kinds[-1:]))
        figures = [added.together or 0.0 for added in chosen.kinds if added.nodes]
        assert figures[-1] >= best / CLEARLY


def chosen_there(composition: Composition, partition: str) -> int:
    (number,) = (added.there for added in composition.kinds if added.partition == partition)
    return number


def test_all_kinds_take_part_in_what_is_asked_of_all(tmp_path: Path) -> None:
    together = composed(site(tmp_path, THIN, OLD), {"n": 100_000})
    assert set(together.machine.nodes) == {"thin", "old"}
    assert not [reason for reason in together.reasons if reason.code.startswith("predict-kind")]


def test_kinds_that_are_named_stay_and_the_slow_one_is_told(tmp_path: Path) -> None:
    together = composed(site(tmp_path, THIN, OLD), nodes=("thin=300", "old=4"))
    assert set(together.machine.nodes) == {"thin", "old"}
    assert [reason.facts["kind"] for reason in together.reasons if reason.code == "predict-kind-slows"] == ["Sea old"]


def test_what_is_asked_of_all_is_not_asked_of_some(tmp_path: Path) -> None:
    name = site(tmp_path, THIN, HALF)
    together = composed(name, {"mpi_per_node": "2,1", "n": 500_000})
    assert together.call["n"] == 500_000
    assert together.call["mpi_per_node"] == "2,1"
    assert all(kind.alone for kind in together.kinds)
    with pytest.raises(BanzukeError, match="is not understood"):
        composed(name, {"mpi_per_node": "2,1,1"})
    with pytest.raises(BanzukeError, match="does not fit in the memory"):
        composed(name, {"n": 50_000_000})


def test_a_kind_that_cannot_run_alone_has_no_figure(tmp_path: Path) -> None:
    bare = HALF.replace("node.memory.total = 256000000000", "")
    together = composed(site(tmp_path, THIN, bare))
    assert [kind.alone is None for kind in together.kinds] == [False, True]


def test_machines_described_apart_are_used_together(tmp_path: Path) -> None:
    name = site(tmp_path, THIN, HALF)
    store = Store(tmp_path)
    parts = [f"{name}:thin", f"{name}:half"]
    joined = predicted_machine("+".join(parts), store)
    assert dict(joined.nodes) == dict(zip(parts, (300, 100), strict=True))
    both = compose(find("hpl"), joined, {}, keep=False)
    same = composed(name)
    assert [kind.together for kind in both.kinds] == pytest.approx([kind.together for kind in same.kinds])
    assert [kind.name for kind in both.kinds] == ["Sea thin", "Sea half"]
    some = predicted_machine("+".join(parts), store, [f"{parts[0]}=10", f"{parts[1]}=20"])
    assert list(some.nodes.values()) == [10, 20]
    public = predicted_machine("frontera+oakleaf-fx", store, ["frontera=100", "oakleaf-fx=100"])
    assert compose(find("hpl"), public, {}, keep=True).machine.nodes["frontera"] == 100


@pytest.mark.parametrize(
    ("name", "nodes", "said"),
    [
        ("frontera+", (), "does not name machines"),
        ("frontera+frontera", (), "does not name machines"),
        ("frontera+nothing-like-it", (), "is no published machine"),
        ("frontera+tsubame", (), "has several partitions"),
        ("frontera+oakleaf-fx", ("10",), "does not say of which machine"),
        ("frontera+oakleaf-fx", ("other=10",), "no partition 'other'"),
        ("frontera+oakleaf-fx", ("oakleaf-fx=9999",), "has 4800 nodes"),
    ],
)
def test_machines_that_cannot_be_joined(tmp_path: Path, name: str, nodes: tuple[str, ...], said: str) -> None:
    with pytest.raises(BanzukeError, match=said):
        compose(find("hpl"), predicted_machine(name, Store(tmp_path), nodes, together=True), {}, keep=True)


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ((THIN, HALF.replace("nodes = 100", "")), "says no number of nodes of half"),
        ((THIN, HALF.replace("nodes = 100", 'nodes = 100\ninterconnect = "other"')), "between thin and half"),
        ((THIN.replace(NETWORK, ""), HALF), "no bandwidth of the interconnect"),
    ],
)
def test_kinds_that_cannot_be_one_machine(tmp_path: Path, kinds: tuple[str, ...], said: str) -> None:
    with pytest.raises(BanzukeError) as refused:
        composed(site(tmp_path, *kinds))
    assert said in str(refused.value)


def test_a_described_link_connects_kinds(tmp_path: Path) -> None:
    other = HALF.replace("nodes = 100", 'nodes = 100\ninterconnect = "other"')
    link = '[[links]]\nbetween = ["thin", "half"]\n'
    assert len(composed(site(tmp_path, THIN, other, link)).machine.nodes) == 2
