"""Formats as people posted them, with names of our own: docs/placement.md has the sources."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.placement.readers.rates import rate_of
from banzuke.placement.readers.read import parse, read, shipped
from banzuke.placement.readers.test_slurm_tori import TORI
from banzuke.placement.topology import NetworkTopology

FABRIC = """\
#
# Topology file: generated on Tue Jun  5 14:15:10 2007
#
# Initiated from node 0000000000000a01 port 0000000000000a02

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x5001
switchguid=0x5001(5001)
Switch\t41 "S-0000000000005001"\t\t# "leaf1;sw:MQM8700/U1" enhanced port 0 lid 2 lmc 0
[2]\t"H-0000000000000a01"[1](a02) \t\t# "n1 mlx5_0" lid 9 4xHDR
[1]\t"H-0000000000000b01"[1](b02) \t\t# "n2 mlx5_0" lid 4 4xHDR
[20]\t"S-0000000000005002"[20]\t\t# "leaf2;sw:MQM8700/U1" lid 3 4xHDR
[19]\t"S-0000000000005002"[19]\t\t# "leaf2;sw:MQM8700/U1" lid 3 4xHDR
[41]\t"H-0000000000005003"[1](5004) \t\t# "Mellanox Technologies Aggregation Node" lid 40 4xHDR

switchguid=0x5002(5002)
Switch\t41 "S-0000000000005002"\t\t# "leaf2;sw:MQM8700/U1" enhanced port 0 lid 3 lmc 0
[1]\t"H-0000000000000a11"[1](a12) \t\t# "n1 mlx5_1" lid 11 4xHDR
[19]\t"S-0000000000005001"[19]\t\t# "leaf1;sw:MQM8700/U1" lid 2 4xHDR
[20]\t"S-0000000000005001"[20]\t\t# "leaf1;sw:MQM8700/U1" lid 2 4xHDR

caguid=0x5003
Ca\t1 "H-0000000000005003"\t\t# "Mellanox Technologies Aggregation Node"
[1](5004) \t"S-0000000000005001"[41]\t\t# lid 40 lmc 0 "leaf1;sw:MQM8700/U1" lid 2 4xHDR

caguid=0xa01
Ca\t1 "H-0000000000000a01"\t\t# "n1 mlx5_0"
[1](a02) \t"S-0000000000005001"[2]\t\t# lid 9 lmc 0 "leaf1;sw:MQM8700/U1" lid 2 4xHDR

caguid=0xa11
Ca\t1 "H-0000000000000a11"\t\t# "n1 mlx5_1"
[1](a12) \t"S-0000000000005002"[1]\t\t# lid 11 lmc 0 "leaf2;sw:MQM8700/U1" lid 3 4xHDR

caguid=0xb01
Ca\t1 "H-0000000000000b01"\t\t# "n2 mlx5_0"
[1](b02) \t"S-0000000000005001"[1]\t\t# lid 4 lmc 0 "leaf1;sw:MQM8700/U1" lid 2 4xHDR
"""
OLD = """\
switchguid=0xb8cf
Switch\t24 "S-000000000000b8cf"\t\t# "MT47396 Infiniscale-III Mellanox Technologies" base port 0 lid 1 lmc 0
[2]\t"H-0000000000000002"[1]\t\t# "node2 HCA-1" lid 12
[1]\t"H-0000000000000001"[1]\t\t# "MT23108 InfiniHost Mellanox Technologies" lid 9

Ca\t1 "H-0000000000000002"\t\t# "node2 HCA-1"
[1]\t"S-000000000000b8cf"[2]\t\t# lid 12 lmc 0 "MT47396 Infiniscale-III Mellanox Technologies" lid 1

Ca\t1 "H-0000000000000001"\t\t# "MT23108 InfiniHost Mellanox Technologies"
[1]\t"S-000000000000b8cf"[1]\t\t# lid 9 lmc 0 "MT47396 Infiniscale-III Mellanox Technologies" lid 1
"""
OMNIPATH = """\
Link Summary

4 Links in Fabric:
Rate NodeGUID          Port Type Name
100g 0x0011750101000001   1 FI   co1 hfi1_0
<->  0x0011750102000001   3 SW   opa1 L113B
100g 0x0011750101000002   1 FI   co2 hfi1_0
<->  0x0011750102000002   9 SW   opa1 L112B
100g 0x0011750101000003   1 FI   co2 hfi1_1
<->  0x0011750102000001   4 SW   opa1 L113B
50g  0x0011750102000001  39 SW   opa1 L113B
<->  0x0011750102000002  39 SW   opa1 L112B
-------------------------------------------------------------------------------
"""
TREE = """\
# a comment
SwitchName=s0 Nodes=tux[0-1]
switchname=s1 Nodes=tux[2-3] LinkSpeed=100Mb/s  # another
SwitchName=s2 \\
  Switches=s[0-1]
"""
SHOWN = """\
SwitchName=root Level=1 LinkSpeed=1 Nodes=tux[0-3] Switches=s[0-1]
SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-1]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[2-3]
"""
AGGREGATED = "AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-4] BlockSize=4\n"
NETLOC = """\
1
fe80:0000:0000:0000
../hwloc
5
0011:7500:0000:00a1,7,0,0,'n1 HCA-1',n1
0006:6a00:0000:0011,1,1,0:1,'QLogic 12800 L112' ,
0011:7500:0000:00a2,5,0,0,'n2 HCA-1',n2
0006:6a00:0000:0012,2,1,0:1,'QLogic 12800 L112' ,
0011:7500:0000:00a3,9,0,1,'n3 HCA-1',n3
0011:7500:0000:00a1,0006:6a00:0000:0011,8.0,0,1,0,1,18,4x,QDR,8.0,'n1 HCA-1' - 'QLogic 12800 L112' ,1,0
0006:6a00:0000:0011,0011:7500:0000:00a1,8.0,0,1,1,18,1,4x,QDR,8.0,'QLogic 12800 L112' - 'n1 HCA-1' ,0,0,\
0011:7500:0000:00a2,8.0,0,1,3,17,1,4x,QDR,8.0,'QLogic 12800 L112' - 'n2 HCA-1' ,2,0,\
0006:6a00:0000:0012,16.0,,2,4,36,19,4x,QDR,8.0,'a' - 'b' ,6,,5,33,22,4x,QDR,8.0,'a' - 'b' ,7,
0011:7500:0000:00a2,0006:6a00:0000:0011,8.0,0,1,2,1,17,4x,QDR,8.0,'n2 HCA-1' - 'QLogic 12800 L112' ,3,0
0006:6a00:0000:0012,0006:6a00:0000:0011,16.0,,2,6,19,36,4x,QDR,8.0,'b' - 'a' ,4,,7,22,33,4x,QDR,8.0,'b' - 'a' ,5,,\
0011:7500:0000:00a3,8.0,1,1,8,3,1,4x,QDR,8.0,'QLogic 12800 L112' - 'n3 HCA-1' ,9,1
0011:7500:0000:00a3,0006:6a00:0000:0012,8.0,1,1,9,1,3,4x,QDR,8.0,'n3 HCA-1' - 'QLogic 12800 L112' ,8,1
n
0011:7500:0000:00a1,0011:7500:0000:00a2,0,3
"""


def cables(network: NetworkTopology) -> dict[tuple[str, str], int]:
    """Return the number of cables between each two ends, by name."""
    counted: dict[tuple[str, str], int] = {}
    for source, target in zip(network.source, network.target, strict=True):
        ends = (network.vertex(int(source)), network.vertex(int(target)))
        counted[ends] = counted.get(ends, 0) + 1
    return {ends: number for ends, number in counted.items() if ends[0] < ends[1]}


def codes(network: NetworkTopology) -> list[str]:
    return [note.code for note in network.notes]


def test_a_fabric_with_two_adapters_of_a_host() -> None:
    network = parse(FABRIC, "fabric.txt")
    assert set(network.hosts) == {"n1", "n2"}
    assert cables(network) == {
        ("leaf1;sw:MQM8700/U1", "n1"): 1,
        ("leaf1;sw:MQM8700/U1", "n2"): 1,
        ("leaf2;sw:MQM8700/U1", "n1"): 1,
        ("leaf1;sw:MQM8700/U1", "leaf2;sw:MQM8700/U1"): 2,
    }
    assert set(network.rate) == {25e9}
    ports = [network.hosts[host] for host in network.port_host]
    by_lid = [ports[at] for at in network.receiver.argsort()]
    assert by_lid == ["n2", "n1", "n1"], "LIDs 4, 9 and 11"
    assert not network.notes


def test_a_cable_between_two_ports_of_a_switch_is_on_no_route() -> None:
    aggregation = '[41]\t"H-0000000000005003"[1](5004)'
    loop = '[30]\t"S-0000000000005001"[31]\n[31]\t"S-0000000000005001"[30]\n'
    assert cables(parse(FABRIC.replace(aggregation, loop + aggregation), "f")) == cables(parse(FABRIC, "f"))


UNANSWERED = (
    "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110; Connection timed out\n"
)


@pytest.mark.parametrize("before", ["\ufeff", "[root@ufm ~]# ibnetdiscover \n", UNANSWERED])
def test_output_may_begin_with_its_command_an_editors_mark_or_a_warning(before: str, tmp_path: Path) -> None:
    file = tmp_path / "fabric.txt"
    file.write_text(before + FABRIC)
    assert cables(read(str(file))) == cables(parse(FABRIC, "f"))


def test_a_fabric_as_it_was_printed_in_2009() -> None:
    network = parse(OLD, "fabric.txt")
    assert set(network.hosts) == {"node2", "H-0000000000000001"}
    assert codes(network) == ["place-note-unnamed", "place-note-rates-unknown"]


def test_a_network_of_netloc() -> None:
    network = parse(NETLOC, "IB-fe80-nodes.txt")
    assert network.hosts == ("n1", "n2", "n3")
    assert set(network.switches) == {"0006:6a00:0000:0011", "0006:6a00:0000:0012"}, "two have one description"
    assert cables(network)["0006:6a00:0000:0011", "0006:6a00:0000:0012"] == 2
    assert network.source.size == 2 * (3 + 2)
    assert set(network.rate) == {4e9}
    assert [network.hosts[network.port_host[at]] for at in network.receiver.argsort()] == ["n2", "n1", "n3"], "LIDs"
    assert codes(network) == ["place-note-netloc"]


def test_an_omni_path_fabric() -> None:
    network = parse(OMNIPATH, "links.txt")
    assert network.hosts == ("co1", "co2")
    assert cables(network)["co2", "opa1 L112B"] == 1
    assert cables(network)["co2", "opa1 L113B"] == 1
    assert sorted(set(network.rate)) == [6.25e9, 12.5e9]


@pytest.mark.parametrize(("text", "top"), [(TREE, "s2"), (SHOWN, "root")])
def test_slurms_tree_as_written_and_as_shown(text: str, top: str) -> None:
    network = parse(text, "topology.conf")
    assert network.hosts == ("tux0", "tux1", "tux2", "tux3")
    between = {ends: number for ends, number in cables(network).items() if top in ends}
    assert set(between.values()) == {2}
    assert "place-note-slurm-uplinks" in codes(network)
    with_seven = parse(text, "topology.conf", uplinks=7)
    assert {number for ends, number in cables(with_seven).items() if top in ends} == {7}
    assert "place-note-slurm-uplinks" not in codes(with_seven)


def test_blocks_are_taken_as_switches_and_it_is_said() -> None:
    network = parse("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n" + AGGREGATED, "t")
    assert set(network.switches) == {"b1", "b2", "all-blocks"}
    assert "place-note-slurm-blocks" in codes(network)


def test_two_switches_above_share_the_cables() -> None:
    text = (
        "SwitchName=t1 Switches=s1,s2\nSwitchName=t2 Switches=s1,s2\nSwitchName=s1 Nodes=a,b\nSwitchName=s2 Nodes=c,d\n"
    )
    counted = cables(parse(text, "t", uplinks=3))
    assert [counted["s1", "t1"], counted["s1", "t2"]] == [2, 1]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("SwitchName=s0 Nodes=n[1-2\n", "line 1"),
        ("SwitchName=s0 Nodes=n1\nSwitchName=s0 Nodes=n2\n", "line 2.*line 1 describes the switch s0 already"),
        ("SwitchName=s0 Nodes=n1 SwitchName=s1 Nodes=n2\n", "line 1.*'switchname' twice"),
        ("SwitchName=s0 Nodes=n1\nnonsense\n", "line 2: 'nonsense'"),
        ("SwitchName=s0 Nodes=n1 Colour=red\n", "'colour' is no word"),
        ("SwitchName=s0 Switches=s1\n", "no line describes the switch 's1'"),
        ("SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0\n", "below itself"),
        ("SwitchName=s0 Nodes=n1\nSwitchName=s1 Nodes=n1\n", "n1 is at s1 and at s0"),
        ("SwitchName=s0 Nodes=ALL\n", "all nodes, but not which"),
        ("SwitchName=s0 Nodes=n1\nSwitchName=s1 Nodes=n2\n", "2 parts have hosts"),
        ("SwitchName=s0 Nodes=n1\nBlockName=b Nodes=n2\n", "blocks and switches"),
        ("SwitchName=s0 Level=0\n", "neither Nodes nor Switches"),
        ("", "no topology that is known.*it is empty"),
        ("hello\n", "first line is 'hello'"),
        (
            "SW  1719 10 0x7cfe9003009ce5b0 4x EDR - CA   134  1 0x7cfe9003003b4bde ( 'l1' - 'n1' )\n",
            "ibnetdiscover -p",
        ),
        (FABRIC + "what is this\n", "line 38: 'what is this'"),
        (
            FABRIC.replace('[2]\t"H-0000000000000a01"', '[3]\t"H-0000000000000a01"'),
            "other end of this cable is not the same",
        ),
        (FABRIC.replace('[19]\t"S-0000000000005001"[19]', '[18]\t"S-0000000000005001"[19]'), "is not the same"),
        (FABRIC.partition("switchguid=0x5002")[0], "nothing describes the other end, S-0000000000005002"),
        (FABRIC.replace('[1]\t"H-0000000000000b01"', '[2]\t"H-0000000000000b01"'), "has this port already"),
        (FABRIC.replace("Switch\t41", "Switch\t19"), r"line 13.*line 10 has 19 ports"),
        (OMNIPATH.replace("4 Links", "5 Links"), "has 4 cables, but says that there are 5"),
        (OMNIPATH.replace("<->  0x0011750102000002  39 SW   opa1 L112B\n", ""), "line 11.*the other end"),
        (OMNIPATH + "100x\n", "line 14: '100x'"),
        (NETLOC.replace("\n5\n", "\n50\n"), "announces 50 nodes"),
        (NETLOC.replace(",7,0,0,'n1", ",7,3,0,'n1"), "line 5.*no node of netloc's"),
        (NETLOC.replace("00a2,5", "00a1,5"), "line 7.*line 5 describes it already"),
        (NETLOC.replace("00a3,0006:6a00:0000:0012,8.0,1,1,9", "00a3,0006:6a00:0000:0013,8.0,1,1,9"), "line 14"),
        (NETLOC.replace(",1,9,1,3,4x", ",1,9,one,3,4x"), "line 14.*are no ports"),
        (NETLOC.replace("0011:7500:0000:00a3,0006:6a00:0000:0012,8", "0011,0006:6a00:0000:0012,8"), "the node 0011"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, problem: str) -> None:
    with pytest.raises(BanzukeError, match=problem):
        parse(text, "file.txt")


DESCRIBED = """\
name = "Two"
rate = 1e9
[switches]
core = {}
s1 = { hosts = "n[1-2]", cables = 2, up = [{ to = "core", cables = 3 }] }
s2 = { hosts = "n[3-4]", up = [{ to = "core", cables = 3, rate = 2e9 }] }
"""


def test_a_description_of_switches() -> None:
    network = parse(DESCRIBED, "two.toml")
    assert (network.name, network.routing, network.rated) == ("Two", "destination", True)
    assert cables(network)["n1", "s1"] == 2
    assert cables(network)["core", "s2"] == 3


@pytest.mark.parametrize(
    ("text", "hosts", "routing"),
    [
        ('name = "t"\nhosts = "n[1-8]"\nfat_tree = { down = [4, 2], up = [1, 2] }\n', 8, "destination"),
        ('name = "t"\nhosts = "n[1-8]"\ntorus = { sides = [2, 2, 2] }\n', 8, "first"),
        ('name = "t"\nhosts = "n[1-12]"\ndragonfly = { groups = 3, switches = 2, between = 1 }\n', 12, "adaptive"),
    ],
)
def test_a_description_of_a_shape(text: str, hosts: int, routing: str) -> None:
    network = parse(text, "t.toml")
    assert len(network.hosts) == hosts
    assert network.routing == routing
    assert not network.rated


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = \n", "is no TOML.*line 1"),
        ('name = "t"\n', "describes no network"),
        ('name = "t"\nhosts = "n[1-8]"\ntorus = { sides = [3] }\n', "do not divide"),
        ('name = "t"\ntorus = { sides = [3] }\n', "names no hosts"),
        ('name = "t"\nhosts = "n[1-9]"\nfat_tree = { down = [4, 2], up = [1, 2] }\n', "has 8 hosts, but 9"),
        ('name = "t"\nhosts = "n[1-8]"\nfat_tree = { down = [4, 2], up = [1] }\n', "of each level"),
        (DESCRIBED.replace('to = "core", cables = 3 }', 'to = "corn" }'), "'corn' is no switch"),
        (DESCRIBED.replace("core = {}", "core = { ports = 5 }"), "switches.core has 6 cables, but 5 ports"),
        (DESCRIBED.replace("[switches]", "ranks = { n9 = 2 }\n[switches]"), "ranks: n9 is no host"),
        (DESCRIBED.replace("rate = 1e9", "rate = -1"), "line 2: rate"),
        (DESCRIBED.replace("rate = 1e9", "speed = 1"), "line 2: speed is unknown"),
    ],
)
def test_a_wrong_description_is_named(text: str, problem: str) -> None:
    with pytest.raises(BanzukeError, match=problem):
        parse(text, "t.toml")


YAML = """\
---
- topology: racks   # of the GPUs
  block:
    block_sizes:
      - 2
    blocks:
    - block: r1
      nodes: n[1-2]
    - block: r2
      nodes: "n[3-4]"
- topology: fabric
  cluster_default: True
  tree:
    switches:
      - switch: top
        children: leaf[1-2]
      - switch: leaf1
        nodes: n[1-3]
      - switch: leaf2
        nodes: n[4-6]
"""


OTHERS = """\
- topology: plain
  flat:
    alpha_step_rank: true
- topology: rings
  ring:
    rings:
      - ring: ring0
        nodes: n[1-8]
- topology: pods
  torus3d:
    toruses:
      - name: pod1
        dims:
          x: 2
        nodes: n[1-2]
"""


def test_slurms_yaml_has_several_topologies_of_which_the_default_is_read() -> None:
    tree = parse(YAML + OTHERS, "topology.yaml", uplinks=2)
    assert (sorted(tree.switches), len(tree.hosts), tree.source.size) == (["leaf1", "leaf2", "top"], 6, 2 * (6 + 4))
    assert "place-note-slurm-chosen" in [note.code for note in tree.notes]
    blocks = parse(YAML.replace("cluster_default: True", "cluster_default: false"), "topology.yaml")
    assert (sorted(blocks.switches), len(blocks.hosts)) == (["all-blocks", "r1", "r2"], 4)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("  tree:", "  torus3d:", "line 14: 'switches:' .*is of no torus"),
        ("  tree:", "  flat:", "line 11: the topology 'fabric' describes no network.*it is flat"),
        ("        nodes: n[4-6]", "        nodes: n[4-6", "line 19: .*not a list of hosts"),
        ("        nodes: n[4-6]", "        node: n[4-6]", "line 20: .*'node' is no word"),
        ("        nodes: n[4-6]", "        nodes:", "line 20: .*names nothing"),
        ("        nodes: n[4-6]", "        nodes [4-6]", "line 20: .*is no line"),
        ("leaf[1-2]", "leaf[1-3]", "line 15: no line describes the switch 'leaf3'"),
        ("  tree:", "  tree: s0", "line 13: .*'tree' has its parts in the next lines"),
        ("    switches:", "    switches: s0", "line 14: .*'switches' is a list"),
        ("  tree:", "  mesh:", "line 13: .*'mesh' is no word"),
    ],
)
def test_a_wrong_line_of_slurms_yaml_is_named(old: str, new: str, problem: str) -> None:
    with pytest.raises(BanzukeError, match=problem):
        parse(YAML.replace(old, new), "topology.yaml")


def test_hwlocs_file_is_of_one_node() -> None:
    with pytest.raises(BanzukeError, match=r"hwloc's, which describes one node.*netloc"):
        parse('<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0"/>', "a.xml")


def test_cables_that_a_file_tells_are_not_told_again() -> None:
    with pytest.raises(BanzukeError, match="--uplinks is for Slurm"):
        parse(FABRIC, "fabric.txt", uplinks=3)


def test_what_is_shipped_can_be_read_and_what_is_not_is_named() -> None:
    for name in shipped():
        assert read(name).rated
    with pytest.raises(BanzukeError, match=r"no topology 'tsubam'\. Did you mean 'tsubame'"):
        read("tsubam")


@pytest.mark.parametrize(
    ("text", "rate"),
    [("4xSDR", 1e9), ("4xQDR", 4e9), ("4xFDR10", 5e9), ("4xHDR", 25e9), ("2xHDR", 12.5e9), ("4xNDR", 50e9)],
)
def test_rates_of_cables_are_without_the_lines_encoding(text: str, rate: float) -> None:
    assert rate_of(f'"switch" lid 3 {text}') == pytest.approx(rate)


@given(st.sampled_from([FABRIC, OLD, OMNIPATH, TREE, SHOWN, DESCRIBED, YAML, TORI, NETLOC]), st.data())
def test_damaged_files_are_refused_or_are_networks(text: str, data: st.DataObject) -> None:
    """A piece is removed, or inserted again elsewhere: the only error is BanzukeError."""
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 60)))
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:begin] + text[end:]
    damaged = damaged[:at] + data.draw(st.sampled_from(["", text[begin:end], "\x00", "=", '"', "[1]"])) + damaged[at:]
    try:
        network = parse(damaged, "file.toml" if text == DESCRIBED else "file.txt")
    except BanzukeError:
        return
    assert network.hosts
