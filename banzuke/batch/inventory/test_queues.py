"""Queues as they are read from each batch system. Commands are stand-ins; tests/test_site.py asks the real Slurm and
Grid Engine.
"""

import contextlib
import json

import pytest

from banzuke.batch.commands import CommandError
from banzuke.batch.inventory import flux, gridengine, pbs, pjm, slurm
from banzuke.batch.inventory.conftest import StandIn
from banzuke.batch.inventory.model import NodeKind, Nodes, Queue
from banzuke.batch.inventory.systems import SYSTEMS, queues

# sinfo(1), "Output Formats": partition with * if it is the default, (null) where nothing is configured.
SINFO = """\
batch*|up|1-12:00:00|NO|500|2|48|2|192|380000|(null)|icelake,hdr|c[001-500]
gpu|up|infinite|EXCLUSIVE|20|2|32|1|64|1000000|gpu:a100:4(S:0-1),nvme:1|a100|g[01-20]
gpu|up|infinite|EXCLUSIVE|2|1|64|1|64|512000|gpu:8|(null)|h[1-2]
plain|down|30:00|NO|4|8|1|1|8|16000|(null)|(null)|p[1-4]
empty|up|10:00|NO|0|0|0|0|0|0||(null)|
"""


def test_slurm(stand_in: StandIn) -> None:
    stand_in("sinfo", {"--noheader --exact --format=%P|": SINFO})
    batch, gpu, plain, empty = slurm.queues()
    icelake = NodeKind(sockets=2, cores=96, logical=192, memory=380000 << 20, features=("icelake", "hdr"))
    assert batch == Queue("batch", (Nodes(500, "c[001-500]", icelake),), longest=129600.0, default=True)
    assert (gpu.exclusive, gpu.longest, gpu.number) == (True, None, 22)
    assert [nodes.kind.devices for nodes in gpu.nodes] == [(("a100", 4),), (("GPU", 8),)]
    assert (plain.open, plain.longest) == (False, 1800.0)
    assert (plain.nodes[0].kind.sockets, plain.nodes[0].kind.cores, plain.nodes[0].kind.logical) == (None, None, 8)
    assert empty.nodes == ()


@pytest.mark.parametrize(
    ("generic", "devices"),
    [
        ("gpu:a100:no_consume:4(S:0)", (("a100", 4),)),
        ("gpu:no_consume:4", (("GPU", 4),)),
        ("gpu:a100:4(S:0-1)", (("a100", 4),)),
        ("gpu:a100:2(S:0),gpu:a100:2(S:1)", (("a100", 4),)),
        ("gpu:a100:1,gpu:v100:2(S:0,1)", (("a100", 1), ("v100", 2))),
        ("gpu:a100_1g.5gb:7(S:0-3)", (("a100_1g.5gb", 7),)),
        ("gpu:8", (("GPU", 8),)),
        ("gpu:(null):8(S:0-1)", (("GPU", 8),)),
        ("gpu:nvidia_h100_80gb_hbm3:8(S:0-1),shard:nvidia_h100_80gb_hbm3:64", (("nvidia_h100_80gb_hbm3", 8),)),
        ("gpu:gh200", (("gh200", 1),)),
        ("gpu", (("GPU", 1),)),
        ("gpu:0", ()),
        ("bandwidth:lustre:no_consume:4G,shard:8,mps:400,gpumem:80", ()),
    ],
)
def test_generic_resources_of_slurm(generic: str, devices: tuple[tuple[str, int], ...], stand_in: StandIn) -> None:
    """gres.conf(5) and slurm.conf(5), GresTypes and Gres."""
    stand_in("sinfo", {"": f"gpu|up|infinite|NO|2|2|32|1|64|1000000|{generic}|(null)|g[1-2]\n"})
    (queue,) = slurm.queues()
    assert queue.nodes[0].kind.devices == devices


# qhost(1), "OUTPUT FORMATS", and Son of Grid Engine 8.1.9's heading; queue_conf(5).
QHOST = """\
HOSTNAME                ARCH         NCPU NSOC NCOR NTHR NLOAD  MEMTOT  MEMUSE  SWAPTO  SWAPUS
----------------------------------------------------------------------------------------------
global                  -               -    -    -    -     -       -       -       -       -
c1.example.org          lx-amd64       16    2    8   16  0.01   62.5G    1.2G    2.0G     0.0
   all.q                BIP   0/0/16
   long.q               BP    0/2/16        d
c2.example.org          lx-amd64       16    2    8   16  0.01   62.5G    1.2G    2.0G     0.0
   all.q                BIP   0/0/16
down.example.org        -               -    -    -    -     -       -       -       -       -
   all.q                BIP   0/0/16        au
"""
QCONF = """\
qname                 all.q
hostlist              @allhosts
pe_list               make mpi smp
h_rt                  24:00:00,[c1.example.org=12:00:00]

qname                 long.q
pe_list               NONE
h_rt                  INFINITY
"""


def test_grid_engine(stand_in: StandIn) -> None:
    stand_in("qhost", {"-q": QHOST})
    stand_in("qconf", {"-sq all.q,long.q": QCONF})
    every, long = gridengine.queues()
    kind = NodeKind(sockets=2, cores=8, logical=16, memory=int(62.5 * (1 << 30)))
    assert every.nodes == (Nodes(2, "c[1-2].example.org", kind), Nodes(1, "down.example.org"))
    assert (every.longest, every.environments) == (86400.0, ("make", "mpi", "smp"))
    assert (long.longest, long.environments, long.number) == (None, (), 1)


# PBS Professional Reference Guide, pbsnodes and qstat with -F json.
PBS_NODES = {
    "nodes": {
        "c1": {"resources_available": {"host": "c1", "ncpus": 48, "mem": "197000000kb", "Qlist": "work,short"}},
        "c2": {"resources_available": {"host": "c2", "ncpus": 48, "mem": "197000000kb", "Qlist": "work"}},
        "g1[0]": {"resources_available": {"host": "g1", "ncpus": 32, "mem": "256gb", "ngpus": 2}, "queue": "gpu"},
        "g1[1]": {"resources_available": {"host": "g1", "ncpus": 32, "mem": "256gb", "ngpus": 2}, "queue": "gpu"},
        "odd;rm": {"resources_available": {"host": "odd;rm", "ncpus": 1}},
    }
}
PBS_QUEUES = {
    "Queue": {
        "route": {"queue_type": "Route"},
        "work": {
            "queue_type": "Execution",
            "enabled": "True",
            "started": "True",
            "resources_max": {"walltime": "24:00:00"},
            "default_chunk": {"Qlist": "work", "ncpus": 1},
        },
        "short": {
            "queue_type": "Execution", "enabled": "True", "started": "False", "default_chunk": {"Qlist": "short"}
        },
        "gpu": {"queue_type": "Execution", "enabled": "True", "started": "True"},
    }
}  # fmt: skip


def test_pbs(stand_in: StandIn) -> None:
    stand_in("pbsnodes", {"-a -F json": json.dumps(PBS_NODES)})
    server = json.dumps({"Server": {"pbs": {"default_queue": "work"}}})
    stand_in("qstat", {"-Q -f -F json": json.dumps(PBS_QUEUES), "-B -f -F json": server})
    work, short, gpu = pbs.queues()
    kind = NodeKind(logical=48, memory=197000000 << 10)
    assert work == Queue("work", (Nodes(2, "c[1-2]", kind),), longest=86400.0, default=True)
    assert (short.open, short.nodes) == (False, (Nodes(1, "c1", kind),))
    assert gpu.nodes == (Nodes(1, "g1", NodeKind(logical=64, memory=512 << 30, devices=(("GPU", 4),))),)


@pytest.mark.parametrize(
    ("asked", "hosts"),
    [
        ({"Qlist": "gpu"}, ["g1"]),
        ({"Qlist": "cpu"}, []),
        ({"ngpus": 1}, ["g1"]),
        ({"ncpus": 8, "mem": "4gb"}, ["c1", "g1"]),
        ({"ncpus": 64}, ["g1"]),
        ({"fast": "True"}, ["c1"]),
        ({"fast": "False"}, ["c1", "g1"]),
        ({}, ["c1", "g1"]),
    ],
)
def test_a_queue_has_the_hosts_that_its_jobs_ask_for(
    asked: dict[str, object], hosts: list[str], stand_in: StandIn
) -> None:
    nodes = {
        "c1": {"resources_available": {"host": "c1", "ncpus": 8, "fast": "True"}},
        "g1": {"resources_available": {"host": "g1", "ncpus": 64, "ngpus": 2, "Qlist": "gpu,any"}},
    }
    stand_in("pbsnodes", {"": json.dumps({"nodes": nodes})})
    queue = {"queue_type": "Execution", "default_chunk": asked}
    stand_in("qstat", {"-Q": json.dumps({"Queue": {"q": queue}}), "-B": json.dumps({"Server": {}})})
    (work,) = pbs.queues()
    assert [group.hosts for group in work.nodes] == hosts


def test_virtual_nodes_are_one_host(stand_in: StandIn) -> None:
    """A queue or property that only one of them has applies to the host."""
    nodes: dict[str, dict[str, object]] = {
        "g1": {"resources_available": {"host": "g1", "ncpus": 0, "Qlist": "big,gpu"}, "queue": "q"},
        "g1[0]": {"resources_available": {"host": "g1", "ncpus": 32, "ngpus": 2, "mem": "4gb"}},
        "g1[1]": {"resources_available": {"host": "g1", "ncpus": 32, "ngpus": 2, "mem": "4gb", "Qlist": "any"}},
    }
    stand_in("pbsnodes", {"": json.dumps({"nodes": nodes})})
    asked = {"ncpus": 64, "ngpus": 4, "Qlist": "gpu"}
    queues = {
        "q": {"queue_type": "Execution", "resources_max": {"walltime": 3600}},
        "free": {"queue_type": "Execution", "default_chunk": asked},
    }
    stand_in("qstat", {"-Q": json.dumps({"Queue": queues}), "-B": json.dumps({"Server": {}})})
    tied, free = pbs.queues()
    assert (tied.number, tied.longest, free.number) == (1, 3600.0, 0)
    del nodes["g1"]["queue"]
    stand_in("pbsnodes", {"": json.dumps({"nodes": nodes})})
    assert [[(group.number, group.kind.memory) for group in queue.nodes] for queue in pbs.queues()] == [
        [(1, 8 << 30)]
    ] * 2


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('{"nodes": {"c1": {"resources_available": {"mem": 12kb}}}}', "it is no JSON: Expecting ',' delimiter"),
        ('{"timestamp": 1}', "it has no 'nodes'"),
        ('{"nodes": []}', "it has no 'nodes'"),
        ("", "it says nothing"),
    ],
)
def test_json_that_cannot_be_read_is_told(said: str, why: str, stand_in: StandIn) -> None:
    stand_in("pbsnodes", {"": said})
    stand_in("qstat", {"-Q": json.dumps(PBS_QUEUES), "-B": '{"Server": {}}'})
    with pytest.raises(CommandError, match="`pbsnodes -a -F json` cannot be read") as caught:
        pbs.queues()
    assert why in str(caught.value)


def test_texts_of_several_lines_spoil_no_json(stand_in: StandIn) -> None:
    nodes = '{"nodes": {"c1": {"comment": "off\tsince\nMonday", "resources_available": {"host": "c1", "ncpus": 8}}}}'
    stand_in("pbsnodes", {"": nodes})
    stand_in("qstat", {"-Q": '{"Queue": {"q": {"queue_type": "Execution"}}}', "-B": '{"Server": {}}'})
    (queue,) = pbs.queues()
    assert queue.number == 1


def test_flux(stand_in: StandIn) -> None:
    # flux-queue(1) and flux-resource(1), "OUTPUT FORMAT"; numbers are of all nodes of a line.
    resources = "batch,debug|amd|4|384|0|f[1-4]\nbatch|gpu|2|128|8|g[1-2]\n"
    stand_in(
        "flux",
        {
            "resource list --no-header --states=all --format={queue}|": resources,
            "queue list --no-header --format={queuem}|": "batch*|y|12h\ndebug|n|inf\n",
        },
    )
    batch, debug = flux.queues()
    amd = Nodes(4, "f[1-4]", NodeKind(cores=96, features=("amd",)))
    assert batch.nodes == (amd, Nodes(2, "g[1-2]", NodeKind(cores=64, devices=(("GPU", 4),), features=("gpu",))))
    assert (batch.longest, batch.default, batch.open) == (43200.0, True, True)
    assert (debug.nodes, debug.longest, debug.open) == ((amd,), None, False)


def test_flux_without_queues_has_one_without_a_name(stand_in: StandIn) -> None:
    stand_in("flux", {"resource list": "||4|32|0|f[1-4]", "queue list": "|y|inf"})
    assert flux.queues() == [Queue("", (Nodes(4, "f[1-4]", NodeKind(cores=8)),), default=True)]


def test_pjm(stand_in: StandIn) -> None:
    said = "RSCUNIT                RSCGRP\nunit1[ENABLE,START]    small[ENABLE,START]  large[DISABLE,START]\n"
    stand_in("pjstat", {"--rsc": said})
    assert pjm.queues() == [Queue("small"), Queue("large", open=False)]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("said", ["", "Segmentation fault", "[]", "null", '{"nodes": 3}', "a|b\n", "\x1b[31m|||||"])
def test_nonsense_is_told_or_is_no_queue(system: str, said: str, stand_in: StandIn) -> None:
    for command in ("sinfo", "qhost", "qconf", "pbsnodes", "qstat", "flux", "pjstat"):
        stand_in(command, {"": said})
    batch_system = next(name for name in SYSTEMS if name == system)
    with contextlib.suppress(CommandError):
        assert queues(batch_system) == []
