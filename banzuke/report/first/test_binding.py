"""Tests of drawings of the ranks' binding as it was read back."""

import re
from collections.abc import Sequence

import pytest

from banzuke.document import Details, Drawing, Paragraph
from banzuke.machine.model import Machine
from banzuke.machine.site import NumaNode
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.report.first.binding import binding_blocks, binding_drawing
from banzuke.report.testing import only, rich
from banzuke.report.testing.parts import machine, record, samples
from banzuke.words.language import LANGUAGES, words


def node(cores: int, threads: int = 1, numa: int = 1) -> Machine:
    """Return a machine whose cores have this many processors each, numbered core by core."""
    siblings = [list(range(core * threads, (core + 1) * threads)) for core in range(cores)]
    per_node = cores * threads // numa
    return machine().changed(
        allotment={
            "allowed": list(range(cores * threads)),
            "siblings": siblings,
            "one_per_core": [core[0] for core in siblings],
            "packages": [],
        },
        node={"numa": [NumaNode(node=at, cpus=list(range(at * per_node, (at + 1) * per_node))) for at in range(numa)]},
    )


def bound(*bindings: Binding, ranks: int, threads: int = 1, hosts: Hosts | None = None) -> Record:
    made = record("stream", 1, {}, {"triad_bandwidth": samples(4e10, "B/s", 3)}, ranks=ranks, threads=threads)
    host = hosts or Hosts(names="here", ranks=f"0-{ranks - 1}")
    group = made.groups[0].model_copy(update={"binding": list(bindings), "hosts": [host]})
    return made.model_copy(update={"groups": [group]})


def boxes(drawn: Record, host: Machine) -> Sequence[tuple[str, str]]:
    """Return fill and stroke of each processor."""
    drawing = binding_drawing(drawn, host, words(), "binding")
    assert drawing
    return re.findall(r'rx="1" fill="([^"]+)" stroke="([^"]+)"', drawing.panels[0].body)


def test_each_rank_has_its_colour_and_idle_cores_none() -> None:
    two = bound(Binding(ranks="0", threads=["0", "1"]), Binding(ranks="1", threads=["2"]), ranks=2, threads=2)
    fills = [fill for fill, _ in boxes(two, node(4))]
    assert fills == ["var(--c1)", "var(--c1)", "var(--c2)", "none"]


def test_a_core_has_a_slice_for_each_of_its_processors() -> None:
    alone = bound(Binding(ranks="0", threads=["0", "2"]), ranks=1, threads=2)
    assert [fill for fill, _ in boxes(alone, node(2, threads=2))] == ["var(--c1)", "none", "var(--c1)", "none"]


def test_a_record_may_claim_billions_of_ranks() -> None:
    """A list of all of them would not fit into memory."""
    two = bound(Binding(ranks="0-1", threads=["0"]), ranks=2)
    group = two.groups[0].model_copy(update={"ranks": 2**31 - 1, "hosts": []})
    drawing = binding_drawing(two.model_copy(update={"groups": [group]}), node(2), words(), "binding")
    assert drawing
    assert "2,147,483,647 ranks" in drawing.title


def test_ranks_on_the_same_processor_stand_out() -> None:
    both = bound(Binding(ranks="0-1", threads=["0"]), ranks=2)
    assert boxes(both, node(2))[0] == ("var(--bad)", "var(--bad)")


def test_threads_that_are_not_bound_fill_nothing() -> None:
    loose = bound(Binding(ranks="0", threads=["0-3"]), ranks=1)
    assert set(boxes(loose, node(4))) == {("none", "var(--c1)")}
    drawing = binding_drawing(loose, node(4), words(), "binding")
    assert drawing
    assert "not bound" in drawing.title


def test_only_the_first_host_is_drawn_and_devices_are_named() -> None:
    hosts = Hosts(names="node[0-9999]", ranks="0-19999")
    many = bound(
        Binding(ranks="0-19998:1/2", threads=["0"], devices=["GPU-a"]),
        Binding(ranks="1-19999:1/2", threads=["1"], devices=["GPU-b"]),
        ranks=20000,
        hosts=hosts,
    )
    drawing = binding_drawing(many, node(2), words(), "binding")
    assert drawing
    assert [fill for fill, _ in boxes(many, node(2))] == ["var(--c1)", "var(--c2)"]
    assert "10,000 hosts" in drawing.title
    assert all(name in drawing.panels[0].body for name in ("GPU-a", "GPU-b"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_numa_nodes_are_told_apart(language: str) -> None:
    drawing = binding_drawing(
        bound(Binding(ranks="0", threads=["0"]), ranks=1), node(512, numa=4), words(language), "binding"
    )
    assert drawing
    assert drawing.panels[0].body.count('rx="3"') == 4
    assert len(re.findall('rx="1"', drawing.panels[0].body)) == 512
    assert drawing.panels[0].height < 700


def test_without_binding_or_description_nothing_is_drawn() -> None:
    assert binding_drawing(bound(ranks=1), node(2), words(), "binding") is None
    elsewhere = bound(Binding(ranks="0", threads=["0"]), ranks=1)
    group = elsewhere.groups[0].model_copy(update={"partition": "gpu"})
    assert binding_drawing(elsewhere.model_copy(update={"groups": [group]}), node(2), words(), "binding") is None


def test_each_placement_is_drawn_once_with_all_that_had_it() -> None:
    evaluation = rich()
    (details,) = binding_blocks(evaluation, words())
    assert isinstance(details, Details)
    drawings = [block for block in details.blocks if isinstance(block, Drawing)]
    placed = {
        (record.threads, repr(record.binding))
        for record in (assessment.record for assessment in evaluation.assessments)
        if record.status == "ok"
    }
    assert 1 < len(drawings) == len(placed)
    assert len({drawing.id for drawing in drawings}) == len(drawings)
    said = [block.text for block in details.blocks if isinstance(block, Paragraph)]
    assert any("STREAM" in text and "DGEMM" in text for text in said)
    assert binding_blocks(only(), words()) == []


def test_processors_that_nobody_described_are_drawn_too() -> None:
    assert len(boxes(bound(Binding(ranks="0", threads=["9"]), ranks=1), node(2))) == 3
