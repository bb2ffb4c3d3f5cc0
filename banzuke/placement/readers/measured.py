"""Finds switches from measured pairs: a run's records with the bandwidth between every two hosts.

Hosts are on one switch where messages between them were faster than to others. This gives two levels, whatever the
network has; the connection of each switch to the others is modelled as one cable.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from pydantic import ValidationError
from scipy.cluster import hierarchy
from scipy.spatial import distance

from banzuke.errors import BanzukeError
from banzuke.placement.readers.lines import wrong
from banzuke.placement.topology import Cable, Indices, NetworkTopology, Values, topology_of
from banzuke.record.model import Record
from banzuke.words import message

BANDWIDTH = "bandwidth"
CLEAR = 1.25
"""Ratio of bandwidths from which on a gap between them counts as two levels instead of scatter."""
TOP = "measured-top"
_REMEDY = "Measure every host with every other by messages of all pairs: docs/placement.md has the command"


def is_measured(text: str) -> bool:
    return text.lstrip().startswith("{") and '"benchmark"' in text


def read_measured(text: str, file: str) -> NetworkTopology:
    """Return the network from the last record that has pairs of three hosts or more. Raises BanzukeError."""
    records = [record for record in _records(text, file) if record.nodes > 2 and BANDWIDTH in record.pairs]
    if not records:
        raise BanzukeError(f"{file}: no record has the bandwidth of pairs of three hosts or more", remedy=_REMEDY)
    hosts, rates = _matrix(records[-1], file)
    switch = _switches(rates)
    number = int(switch.max()) + 1
    inside = [_inside(rates, switch, place) for place in range(len(hosts))]
    usual = float(np.nanmedian(inside)) if not np.isnan(inside).all() else float(np.nanmax(rates))
    cables = [
        Cable(host, f"measured-{switch[place] + 1}", usual if math.isnan(inside[place]) else inside[place])
        for place, host in enumerate(hosts)
    ]
    notes = [message("place-note-measured", number=number)]
    if number > 1:
        rounds = len(hosts) - 1 + len(hosts) % 2
        for place in range(number):
            leaving = rates[np.ix_(switch == place, switch != place)]
            cables.append(Cable(f"measured-{place + 1}", TOP, float(leaving.sum()) / rounds))
        notes.append(message("place-note-measured-links"))
    return topology_of(file, cables, hosts, notes=notes)


def _records(text: str, file: str) -> Iterator[Record]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                record = Record.model_validate_json(line)
            except ValidationError as error:
                raise wrong(file, number, line, "it is no record of a run") from error
            if record.status == "ok":
                yield record


def _matrix(record: Record, file: str) -> tuple[Sequence[str], Values]:
    """Return the hosts, and the mean B/s from each to each other over their ranks. Raises BanzukeError where
    one is missing.
    """
    host_of = {rank: place for place, host in enumerate(record.hosts) for rank in host.ranks}
    hosts = [host.name for host in record.hosts]
    sums, counts = np.zeros((len(hosts), len(hosts))), np.zeros((len(hosts), len(hosts)))
    for (origin, target), value in record.pairs[BANDWIDTH].each.items():
        if origin in host_of and target in host_of and value > 0:
            sums[host_of[origin], host_of[target]] += value
            counts[host_of[origin], host_of[target]] += 1
    missing = np.argwhere((counts == 0) & ~np.eye(len(hosts), dtype=bool))
    if missing.size:
        first, second = (hosts[place] for place in missing[0])
        raise BanzukeError(f"{file}: nothing was measured from {first} to {second}", remedy=_REMEDY)
    with np.errstate(invalid="ignore"):
        return hosts, sums / counts


def _switches(rates: Values) -> Indices:
    """Return the switch of each host, counted from 0: hosts are clustered, the fastest pairs first, up to
    the widest gap.
    """
    both = np.sqrt(rates * rates.T)
    slowness = np.log(np.nanmax(both) / both)
    np.fill_diagonal(slowness, 0.0)
    tree = hierarchy.average(distance.squareform(slowness, checks=False))
    heights = tree[:, 2]
    step, low, high = max((high - low, low, high) for low, high in pairwise([*heights[:1], *heights]))
    if step < math.log(CLEAR):
        return np.zeros(len(rates), dtype=np.int64)
    return np.asarray(hierarchy.fcluster(tree, (low + high) / 2, "distance"), dtype=np.int64) - 1


def _inside(rates: Values, switch: Indices, place: int) -> float:
    """Return the median B/s of a host to others on its switch; NaN: it is alone there."""
    others = (switch == switch[place]) & (np.arange(switch.size) != place)
    return float(np.median(rates[place, others])) if others.any() else math.nan
