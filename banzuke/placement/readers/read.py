"""Reads a topology from a file in any of the formats, or by the name of one that comes with the installation."""

import re
from collections.abc import Callable
from pathlib import Path

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.placement.readers.described import is_described, read_described
from banzuke.placement.readers.ibnetdiscover import is_ibnetdiscover, read_ibnetdiscover
from banzuke.placement.readers.measured import is_measured, read_measured
from banzuke.placement.readers.netloc import is_netloc, read_netloc
from banzuke.placement.readers.opareport import is_opareport, read_opareport
from banzuke.placement.readers.slurm import is_slurm, read_slurm
from banzuke.placement.readers.slurm_yaml import is_slurm_yaml, read_slurm_yaml
from banzuke.placement.topology import NetworkTopology
from banzuke.text import nearest

MOST_BYTES = 256 << 20
"""Largest file in bytes; `ibnetdiscover` of 10,000 nodes prints 12 MB."""
FORMATS = (
    "ibnetdiscover, opareport -o links, Slurm's topology.conf or topology.yaml, scontrol show topology, netloc's "
    "nodes.txt, records of measured pairs, or TOML of docs/placement.md"
)
_PROMPT = re.compile(r'^[^"\n]*[#$>%] *(?:sudo +)?(?:ibnetdiscover|opareport|scontrol)\b.*$', re.MULTILINE)
"""A line of a terminal with the command whose output follows."""
_PORTS = re.compile(r"^(?:CA|SW|RT) +\d+ +\d+ +0x[0-9a-f]{16} ", re.MULTILINE)
"""A line of `ibnetdiscover -p`."""
_READERS: tuple[tuple[Callable[[str], bool], Callable[[str, str], NetworkTopology]], ...] = (
    (is_measured, read_measured),
    (is_netloc, read_netloc),
    (is_ibnetdiscover, read_ibnetdiscover),
    (is_opareport, read_opareport),
)


def shipped(folder: Path = paths.MACHINES) -> dict[str, Path]:
    """Return the topologies of the installation by name."""
    return {file.stem: file for file in sorted((folder / "topologies").glob("*.toml"))}


def read(name: str, uplinks: int | None = None) -> NetworkTopology:
    """Read a topology; `uplinks`: cables from each switch upwards, for formats that do not say. Raises BanzukeError."""
    file, text = text_of(name)
    return parse(text, file, uplinks)


def text_of(name: str) -> tuple[str, str]:
    """Return the file's name without its folder, and its content. Raises BanzukeError."""
    path = Path(name)
    if not path.exists() and name in shipped():
        path = shipped()[name]
    if not path.exists() and "/" not in name and "." not in name:
        raise BanzukeError(f"there is no topology '{name}'", remedy=f"{nearest(name, list(shipped()))}, or give a file")
    return path.name, read_named(path, MOST_BYTES).decode("utf-8-sig", "replace")


def parse(text: str, file: str, uplinks: int | None = None) -> NetworkTopology:
    """Read a topology in whichever format the text has. Raises BanzukeError."""
    text = _PROMPT.sub("", text)
    if uplinks is not None and not is_slurm(text) and not is_slurm_yaml(text):
        raise BanzukeError("--uplinks is for Slurm's files", why=f"{file} says what cables there are")
    if is_described(file):
        return read_described(text, file)
    if is_slurm_yaml(text):
        return read_slurm_yaml(text, file, uplinks)
    if is_slurm(text):
        return read_slurm(text, file, uplinks)
    if _is_hwloc(text):
        raise BanzukeError(
            f"{file} is hwloc's, which describes one node and no network",
            remedy="Give netloc's IB-...-nodes.txt, which joins several, what ibnetdiscover prints, or topology.conf",
        )
    if _PORTS.search(text):
        raise BanzukeError(f"{file} is what ibnetdiscover -p prints", remedy="Give its output without options")
    for is_of_format, reader in _READERS:
        if is_of_format(text):
            return reader(text, file)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    raise BanzukeError(
        f"{file} is no topology that is known" + (f": its first line is '{first[:60]}'" if first else ": it is empty"),
        remedy=f"Known are: {FORMATS}",
    )


def _is_hwloc(text: str) -> bool:
    """Return whether the text was written by `lstopo --of xml` or by netloc's tools."""
    return (
        text.lstrip().startswith("<?xml")
        and re.search(r"<!DOCTYPE (topology|netloc)|<(topology|netloc)\b", text) is not None
    )
