"""The search of `--tune`: layouts and grids first, then the parameters that matter for each."""

from collections.abc import Mapping, Sequence

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Alternatives, Layout, Scalar, Setting
from banzuke.plan.layouts import on_all_cores

from .hpl_dat import BROADCASTS, SWAPS
from .sizes import usual_grid

BLOCKS = (64, 96, 128, 160, 192, 224, 256, 320, 384)
DEVICE_BLOCKS = (128, 192, 256, 384, 512, 768, 1024)
RECURSIONS = (4, 8, 16, 32)
INNER = (64, 128, 256, 512)
SPLITS = (0.0, 0.3, 0.5)


def grid(layout: Layout) -> dict[str, Scalar]:
    """Return the usual grid of all ranks of the layout."""
    p, q = usual_grid(layout.ranks, layout.ranks // layout.hosts, layout.hosts)
    return {"p": p, "q": q, **({"order": "column"} if layout.hosts > 1 else {})}


def layouts(machine: Machine, setting: Setting) -> Sequence[Setting]:
    """Return layouts on all cores of its hosts: a rank for all, each socket, NUMA node, last-level cache, or core."""
    if setting.layout.devices:
        return []  # devices have a rank each
    cores = machine.allotment.usable_cores
    level = max((cache.level for cache in machine.allotment.caches), default=0)
    caches = sum(cache.instances for cache in machine.allotment.caches if cache.level == level)
    sockets, nodes = machine.node.processor.sockets or 1, len(machine.node.domains)
    wanted = {1, sockets, nodes, caches, cores} if machine.software.mpi else {1}
    counts = [ranks for ranks in sorted(wanted) if 0 < ranks <= cores and cores % ranks == 0]
    candidates = [on_all_cores(machine, cores // ranks, setting.layout.hosts) for ranks in counts]
    return [setting.changed(layout, **grid(layout)) for layout in candidates if layout.ranks != setting.layout.ranks]


def grids(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    """Return the next flatter and the next higher grid."""
    ranks, p = setting.layout.ranks, int(setting.parameters["p"])
    rows = _beside(p, [rows for rows in range(1, ranks + 1) if ranks % rows == 0])
    return [setting.changed(p=row, q=ranks // row) for row in rows]


def blocks(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    n = int(setting.parameters["n"])
    ladder = DEVICE_BLOCKS if setting.layout.devices else BLOCKS
    return [setting.changed(nb=nb) for nb in _beside(int(setting.parameters["nb"]), ladder) if nb <= n]


def recursions(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    return [setting.changed(nbmin=nbmin) for nbmin in _beside(int(setting.parameters["nbmin"]), RECURSIONS)]


def lookaheads(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    """Return the other look-ahead, unless a single process column without devices has nobody to overlap with."""
    useful = int(setting.parameters["q"]) > 1 or setting.layout.devices
    return _others(setting, "lookahead", (0, 1)) if useful else ()


def inners(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    """Return numbers of columns that processors factorise at a time beside a device, if one rank has all of a panel's
    rows.
    """
    if not setting.layout.devices or int(setting.parameters["p"]) > 1:
        return ()
    return [setting.changed(inner=inner) for inner in _beside(int(setting.parameters.get("inner", 0)), INNER)]


def broadcasts(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    """Return the other broadcasts, unless there are two process columns or fewer, with only one way to send."""
    return _others(setting, "broadcast", BROADCASTS) if int(setting.parameters["q"]) > 2 else ()


def swaps(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    """Return the other row swaps, unless there is one process row, which swaps rows within a rank."""
    return _others(setting, "swap", SWAPS) if int(setting.parameters["p"]) > 1 else ()


def splits(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    return _others(setting, "split", SPLITS) if int(setting.parameters["p"]) > 1 else ()


def _others(setting: Setting, name: str, values: Sequence[Scalar]) -> list[Setting]:
    return [setting.changed(**{name: value}) for value in values if value != setting.parameters[name]]


def _beside(value: int, ladder: Sequence[int]) -> list[int]:
    """Return the next lower and the next higher value of `ladder`, in increasing order."""
    below, above = [step for step in ladder if step < value], [step for step in ladder if step > value]
    return below[-1:] + above[:1]


AXES: Mapping[str, Alternatives] = {
    "layout": layouts,
    "grid": grids,
    "block size": blocks,
    "look-ahead": lookaheads,
    "broadcast": broadcasts,
    "row swaps": swaps,
    "split update": splits,
    "panel recursion": recursions,
    "panel parts": inners,
}
