"""Switches from the bandwidth of measured pairs."""

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.placement.readers.read import parse
from banzuke.record.figures import Pairs
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record

HOSTS = ("a1", "b1", "a2", "b2", "a3", "b3")
INSIDE = 1e9


def measured(across: float, *, without: tuple[int, int] = (-1, -1)) -> str:
    """Return a record of a run: hosts whose names share a letter reach the full bandwidth, others `across`."""
    pairs = [(a, b) for a in range(6) for b in range(6) if a != b and without not in ((a, b), (b, a))]
    values = [(INSIDE if HOSTS[a][0] == HOSTS[b][0] else across) * (1 + 0.01 * (a - b)) for a, b in pairs]
    golden = Record.model_validate_json((paths.SCHEMA / "golden" / "curve.json").read_text())
    group = golden.groups[0].having(
        ranks=6, binding=[], hosts=[Hosts(names=name, ranks=str(rank)) for rank, name in enumerate(HOSTS)]
    )
    matrix = Pairs.model_validate(
        {"unit": "B/s", "from": [a for a, _ in pairs], "to": [b for _, b in pairs], "values": values}
    )
    return golden.having(groups=[group], pairs={"bandwidth": matrix}).model_dump_json(by_alias=True)


def test_hosts_that_are_faster_with_each_other_are_at_one_switch() -> None:
    network = parse(f"{measured(1.0)}\n{measured(1e8)}\n", "records.jsonl")
    names = {host: network.switches[at] for host, at in zip(network.hosts, network.switch_of_host, strict=True)}
    assert len({names[host] for host in HOSTS if host[0] == "a"}) == 1
    assert len(set(names.values())) == 2
    top = network.switches.index("measured-top")
    # Three hosts of each side send to three others in five rounds: 9 x 100 MB/s / 5.
    assert network.rate[network.source == top] == pytest.approx([1.8e8] * 2, rel=0.02)
    assert network.rate[network.port_up] == pytest.approx([INSIDE] * 6, rel=0.05)


def test_hosts_that_are_all_alike_are_at_one_switch() -> None:
    assert parse(measured(0.9 * INSIDE), "records.jsonl").switches == ("measured-1",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (measured(1e8, without=(1, 4)), "nothing was measured from b1 to a3"),
        ((paths.SCHEMA / "golden" / "verified.json").read_text(), "no record has the bandwidth of pairs"),
        (measured(1e8) + '\n{"benchmark": "pt2pt"}', "line 2: .*no record of a run"),
    ],
)
def test_what_tells_no_network_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BanzukeError, match=problem):
        parse(text, "records.jsonl")
