"""A placement or a variant without effect is noticed in what was read back."""

from collections.abc import Sequence
from typing import Any

import pytest

from banzuke import paths
from banzuke.launch.command import Command
from banzuke.launch.placed import misplaced, without_effect
from banzuke.plan.placement import Placement
from banzuke.plan.variant import Variant
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.testing import changed

PAIR = Placement("same-complex", "", ((0,), (1,)), per_node=2)
ACROSS = Placement("other-node-near", "", ((4,), (5,), (6,)), per_node=1, nodes=2)
EVERYWHERE = Placement("2-nodes-all", "", ((0,), (1,)), per_node=2, nodes=2)
TEAMS = Placement("teams", "", ((0, 1), (2, 3)), per_node=2)


def read_back(hosts: dict[str, str], *bound: tuple[str, Sequence[str]]) -> Record:
    golden = Record.model_validate_json((paths.SCHEMA / "golden" / "verified.json").read_text())
    return changed(
        golden,
        hosts=[Hosts(names=name, ranks=ranks) for name, ranks in hosts.items()],
        binding=[Binding(ranks=ranks, threads=list(threads)) for ranks, threads in bound],
    )


@pytest.mark.parametrize(
    ("placement", "record"),
    [
        (PAIR, read_back({"a": "0-1"}, ("0", ["0"]), ("1", ["1"]))),
        (PAIR, read_back({"a": "0-1"}, ("0", ["1"]), ("1", ["0"]))),
        (ACROSS, read_back({"a": "0", "b": "1"}, ("0-1", ["4"]))),
        (ACROSS, read_back({"a": "0", "b": "1"}, ("0", ["4"]), ("1", ["6"]))),  # two hosts under one kernel
        (EVERYWHERE, read_back({"a": "0-1", "b": "2-3"}, ("0,2", ["0"]), ("1,3", ["1"]))),
        (TEAMS, read_back({"a": "0-1"}, ("0", ["0", "1"]), ("1", ["2", "3"]))),
    ],
)
def test_what_took_effect(placement: Placement, record: Record) -> None:
    assert not misplaced(record.groups[0], placement)


@pytest.mark.parametrize(
    ("placement", "record", "why"),
    [
        (
            ACROSS,
            read_back({"vm": "0-1"}, ("0-1", ["4"])),
            "2 hosts with 1 rank each asked for, 2 ranks on vm read back",
        ),
        (
            EVERYWHERE,
            read_back({"a": "0-2", "b": "3"}, ("0-3", ["0"])),
            "2 hosts with 2 ranks each asked for, 3 ranks on a, 1 rank on b read back",
        ),
        (
            PAIR,
            read_back({name: str(i) for i, name in enumerate("abcdefgh")}, ("0-7", ["0"])),
            "1 host with 2 ranks each asked for, 1 rank on a, 1 rank on b, 1 rank on c, 1 rank on d, 4 more read back",
        ),
        (
            PAIR,
            read_back({"a": "0-1"}, ("0", ["0"]), ("1", ["0-1"])),
            "one of processors 0-1 asked for rank 1, processors 0-1 read back",
        ),
        (PAIR, read_back({"a": "0-1"}, ("0-1", ["1"])), "ranks 0 and 1 both on processor 1 of a"),
        (PAIR, read_back({"a": "0-1"}), "one of processors 0-1 asked for rank 0, processors unknown read back"),
        (
            TEAMS,
            read_back({"a": "0-1"}, ("0", ["0", "1"]), ("1", ["2-3", "2-3"])),
            "one of processors 0-3 asked for rank 1, processors 2-3|2-3 read back",
        ),
        (PAIR, read_back({}), "1 host with 2 ranks each asked for, no host read back"),
    ],
)
def test_what_did_not(placement: Placement, record: Record, why: str) -> None:
    assert misplaced(record.groups[0], placement) == why


def launched(software: dict[str, str] | None = None, **binding: Any) -> Record:
    bound = [Binding(**{"ranks": "0-1", "threads": ["0", "1"], "memory": "default", "pages": "base", **binding})]
    return changed(read_back({"a": "0-1"}), binding=bound, software=software or {})


def said(variant: Variant, record: Record, cores: Sequence[int] = ()) -> str:
    return without_effect(record, variant, Command([], {"BANZUKE_BLAS": "/lib/mkl.so"}, cores=cores))


@pytest.mark.parametrize(
    ("variant", "works", "not_so", "why"),
    [
        (
            Variant(library="MKL"),
            {"software": {"blas_path": "/lib/../lib/mkl.so"}},
            {"software": {"blas_path": "/lib/openblas.so"}},
            "library MKL did not take effect: /lib/mkl.so asked for, /lib/openblas.so read back",
        ),
        (Variant(library="MKL"), {"software": {"blas_path": "/lib/mkl.so"}}, {}, "none read back"),
        (
            Variant(library="MKL"),
            {"software": {"library_path": "/lib/mkl.so"}},
            {"software": {"library_path": "/lib/libfftw3.so.3"}},
            "/lib/mkl.so asked for, /lib/libfftw3.so.3 read back",
        ),
        (
            Variant(memory="bind:0,1"),
            {"memory": "bind:0-1"},
            {"memory": "bind:0"},
            "memory policy bind:0,1 did not take effect: bind:0 read back from ranks 0-1",
        ),
        (Variant(memory="interleave"), {"memory": "interleave:0-1"}, {"memory": None}, "unknown read back"),
        (
            Variant(pages="transparent"),
            {"pages": "transparent"},
            {"pages": "base"},
            "transparent pages did not take effect: base read back from ranks 0-1",
        ),
        (Variant(pages="reserved"), {"pages": None}, {"pages": "transparent"}, "transparent read back"),
    ],
)
def test_what_took_effect_of_a_variant(
    variant: Variant, works: dict[str, Any], not_so: dict[str, Any], why: str
) -> None:
    assert said(variant, launched(**works)) == ""
    assert why in said(variant, launched(**not_so))


def test_threads_elsewhere_than_on_their_cores_are_seen() -> None:
    asked = Variant(cores="0-1")
    assert said(asked, launched(), (0, 1, 2)) == ""
    assert said(asked, launched(), (0, 2)) == "cores did not take effect: 0,2 asked for, 0-1 read back"
    assert said(asked, changed(launched(), binding=[]), (0,)).endswith("unknown ones read back")
    assert "nothing was read back" in said(Variant(pages="base"), changed(launched(), binding=[]))


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["b", "a", "b", "a"], ""),
        (["b.site", "A", "b", "a"], ""),
        (["y", "x", "y", "x"], ""),  # as hosts are named by addresses
        (["y", "x", "x", "y"], "rank 2 on a asked for, b read back"),
        (["a", "b", "b", "a"], "rank 0 on a asked for, b read back"),
    ],
)
def test_an_order_that_did_not_take_effect_is_seen(asked: list[str], why: str) -> None:
    record = read_back({"a": "1,3", "b": "0,2"})
    said = without_effect(record, Variant(rank_order="place"), Command([], {}, order=asked))
    assert said == (f"the order did not take effect: {why}" if why else "")
