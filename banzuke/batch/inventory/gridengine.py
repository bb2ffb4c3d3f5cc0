"""Grid Engine's queues: qhost(1), qconf(1), queue_conf(5)."""

import re
from collections.abc import Mapping

from banzuke.batch.commands import ask
from banzuke.batch.inventory.model import NodeKind, Nodes, Queue, amount, unreadable
from banzuke.machine.hosts import folded

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_MEMORY = re.compile(r"(\d{1,9}(?:\.\d+)?)([KMGT]?)")


def queues() -> list[Queue]:
    """Return Grid Engine's queues. Raises BanzukeError."""
    hosts = _hosts(ask(("qhost", "-q")))
    names = list(dict.fromkeys(name for _, queues in hosts.values() for name in queues))
    if not names:
        return []
    configured = _configured(ask(("qconf", "-sq", ",".join(names))))
    return [_queue(name, hosts, configured.get(name, {})) for name in names]


def _queue(name: str, hosts: Mapping[str, tuple[NodeKind, list[str]]], said: Mapping[str, str]) -> Queue:
    kinds: dict[NodeKind, list[str]] = {}
    for host, (kind, queues) in hosts.items():
        if name in queues:
            kinds.setdefault(kind, []).append(host)
    environments = [word for word in said.get("pe_list", "").split() if re.fullmatch(r"[\w.-]+", word)]
    return Queue(
        name,
        nodes=tuple(Nodes(len(members), folded(members), kind) for kind, members in kinds.items()),
        longest=_seconds(said.get("h_rt", "")),
        environments=tuple(word for word in environments if word != "NONE"),
    )


def _hosts(said: str) -> dict[str, tuple[NodeKind, list[str]]]:
    """Return each host's kind and queues; the heading names the columns, which differ between versions."""
    lines = said.splitlines()
    if not lines or not lines[0].startswith("HOSTNAME"):
        raise unreadable("qhost -q", said)
    columns = lines[0].split()
    hosts: dict[str, tuple[NodeKind, list[str]]] = {}
    last = ""
    for line in lines[2:]:
        words = line.split()
        if line.startswith(" ") and words and last:
            hosts[last][1].append(words[0])
        elif len(words) == len(columns):
            about = dict(zip(columns, words, strict=True))
            last = words[0]
            hosts[last] = _kind(about), []  # includes `global`, which is in no queue
    return hosts


def _kind(about: Mapping[str, str]) -> NodeKind:
    memory = _MEMORY.fullmatch(about.get("MEMTOT", ""))
    return NodeKind(
        sockets=amount(about.get("NSOC", "")),
        cores=amount(about.get("NCOR", "")),
        logical=amount(about.get("NCPU", "")),
        memory=int(float(memory[1]) * _UNITS[memory[2]]) if memory else None,
    )


def _configured(said: str) -> dict[str, dict[str, str]]:
    """Return the attributes of each queue, without values for only some of its hosts (`[host=...]`)."""
    attributes: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in said.replace("\\\n", " ").splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "qname":
            current = attributes.setdefault(value.strip(), {})
        current[name] = value.partition(",[")[0].strip()
    return attributes


def _seconds(text: str) -> float | None:
    """Return the seconds of `24:00:00` or a number; None: no limit."""
    if re.fullmatch(r"\d{1,9}", text):
        return float(text)
    time = re.fullmatch(r"(\d{1,6}):(\d{1,2}):(\d{1,2})", text)
    return float((int(time[1]) * 60 + int(time[2])) * 60 + int(time[3])) if time else None
