"""Reads the output of `opareport -o links` for an Omni-Path fabric: two lines for each cable."""

import re

from banzuke.errors import BanzukeError
from banzuke.placement.readers.lines import wrong
from banzuke.placement.topology import Cable, NetworkTopology, topology_of

_FIRST = re.compile(r"(\d+(?:\.\d+)?)g\s+(?:\d+\s+)?0x([0-9a-fA-F]{16})\s+(\d+)\s+(FI|SW)\s+(\S.*)")
_SECOND = re.compile(r"<->\s+0x([0-9a-fA-F]{16})\s+(\d+)\s+(FI|SW)\s+(\S.*)")
_COUNT = re.compile(r"(\d+) Links in Fabric.*")
_AROUND = re.compile(
    r"Link Summary|Rate\s+(MTU\s+)?NodeGUID\s+Port\s+Type\s+Name.*|-{10,}|#.*|(Getting|Done|Parsing).*"
)


def is_opareport(text: str) -> bool:
    return any(_SECOND.fullmatch(line.strip()) for line in text.splitlines())


def read_opareport(text: str, file: str) -> NetworkTopology:
    """Read a fabric. Raises BanzukeError naming the line."""
    cables: list[Cable] = []
    hosts: dict[str, None] = {}
    names: dict[str, str] = {}
    first: tuple[int, re.Match[str]] | None = None
    announced = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if count := _COUNT.fullmatch(line):
            announced = int(count[1])
        elif (match := _FIRST.fullmatch(line)) and not first:
            first = number, match
        elif (match := _SECOND.fullmatch(line)) and first:
            begun = first[1]
            ends = [(begun[2], begun[4], begun[5]), (match[1], match[3], match[4])]
            left, right = (_name(guid, kind, name, names) for guid, kind, name in ends)
            hosts.update((end, None) for end, (_, kind, _) in zip((left, right), ends, strict=True) if kind == "FI")
            cables.append(Cable(left, right, float(begun[1]) * 1e9 / 8, ports=(int(begun[3]), int(match[2]))))
            first = None
        elif line and not _AROUND.fullmatch(line):
            raise wrong(file, number, line, "it is no line of `opareport -o links`")
    if first:
        raise wrong(file, first[0], first[1][0], "the other end of this cable is missing: the file may be cut off")
    if announced is not None and announced != len(cables):
        raise BanzukeError(f"{file} has {len(cables)} cables, but says that there are {announced}")
    return topology_of(file, cables, list(hosts))


def _name(guid: str, kind: str, text: str, names: dict[str, str]) -> str:
    """Return a host's name without its adapter, so that both adapters belong to it; of two switches with one name, the
    second gets its GUID.
    """
    if kind == "FI":
        return text.split(maxsplit=1)[0]
    if names.setdefault(text, guid) != guid:
        return f"{text} {guid}"
    return text
