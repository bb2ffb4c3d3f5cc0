"""Translates what the models of benchmarks refuse and remark, which errors and pages have in English."""

import re

from banzuke.words import Fact, Message, declared, message
from banzuke.words.written import in_turn

_NOT_IN_CODES = re.compile(r"[^A-Za-z0-9_]+")
_NUMBER = r"[\d.,e+]+"
_SIZE = r"[\d.,e+]+ \w+"
NO_PROBABILITY = "The interval has no stated probability"
"""Beginning of a remark, before its reasons."""
_TEXTS = {
    # what no description, report or record has
    "storage": r"the description of (?P<name>.+) gives no storage that its nodes reach",
    "storage-rate": r"the description of (?P<name>.+) gives no bandwidth of the storage area '(?P<area>.*)'",
    "memory-of": r"the description of (?P<name>.+) gives no memory of (?P<owner>.+)",
    "zero": r"the description of (?P<name>.+) says (?P<key>\S+) = 0",
    "device-rate": r"(?P<name>.+) has no devices whose (?:FP64 rate|memory bandwidth) is described",
    "no-devices": r"(?P<name>.+) has no devices",
    "graph": r"(?P<benchmark>\w+): the report shows a graph and no number",
    "lengths": r"neither the vector's length nor the ranks of a node are printed",
    "nodes": r"the number of nodes is not printed",
    "shared-file": r"whether processes share a file is not printed",
    "both-ways": r"of reading and writing together, and not measured",
    "ratio": r"a ratio of two other figures",
    "part": r"not of one node, nor of one device",
    "no-number": r"no number is printed: (?P<note>.+)",
    # what the models do not cover
    "blocking": r"there is a model only of the blocking operations (?P<names>.+)",
    "size": r"no size of (?P<size>\d+) B was measured",
    "backend": r"what (?P<backend>\w+) does is not predicted",
    "boxes": r"ranks with boxes by their rates, or as given, are not predicted",
    "one-type": r"FFT is predicted for nodes of one type only",
    "solver-devices": r"GeoFEM on devices is not predicted",
    "devices-model": r"there is no model of devices",
    "placement": r"placement is a rule for networks that are not described",
    "storage-part": r"which part of the storage was measured is not printed",
    "not-finite": r"what follows is (?P<value>\S+)",
    "not-predicted": r"(?P<what>.+) is not predicted",
    # what does not fit
    "cores": r"(?P<ranks>\d+) ranks are more than the (?P<cores>\d+) cores of a node",
    "threads": r"(?P<ranks>\d+) ranks of (?P<threads>\d+) threads are more than the (?P<cores>\d+) cores of a node",
    "has-cores": r"a node of (?P<name>.+) has (?P<cores>\d+) cores, not (?P<ranks>\d+)",
    "it-has-cores": r"it has (?P<cores>\d+) cores",
    "they-have": r"they have (?P<cores>\d+)",
    "holds": r"a node of (?P<name>.+) does not hold (?P<ranks>\d+) ranks",
    "has-devices": r"a node of (?P<name>.+) has (?P<devices>\d+) devices, not (?P<asked>\d+)",
    "device-ranks": r"(?P<name>.+): HPCG runs one rank on each of (?P<devices>\d+) devices",
    "has-nodes": r"(?P<name>.+) has (?P<nodes>\d+) nodes, not (?P<asked>\d+)",
    "alone": r"one rank has nobody to exchange with",
    "processes": r"(?P<processes>\d+) processes are more than (?P<nodes>\d+) nodes have cores",
    "factors": r"(?P<ranks>\d+) ranks have other prime factors than 2, 3 and 5",
    "short": r"n=(?P<n>\d+) is too short for (?P<ranks>\d+) ranks",
    "vectors": r"(?P<vectors>\d+) vectors of (?P<n>\d+) numbers do not fit",
    "usable": rf"(?P<size>{_NUMBER} GB) are usable",
    "can-be-used": rf"(?P<size>{_NUMBER} GB) of memory can be used",
    "arrays": r"three arrays of n=(?P<n>\d+) elements in each of (?P<ranks>\d+) ranks are not possible",
    "no-mesh": r"no mesh fits in the memory of (?P<name>.+)",
    "core-memory": r"each core has (?P<held>\d+) B, and a node of the mesh takes (?P<taken>\d+) B",
    "mesh": r"(?P<points>\d+) nodes of the mesh are more than the memory of a node of (?P<name>.+) holds",
    "they-take": rf"they take (?P<taken>{_NUMBER} GB) of (?P<memory>{_NUMBER} GB)",
    "box": r"(?P<x>\d+) x (?P<y>\d+) x (?P<z>\d+) points a rank are more than the memory holds",
    "local-grid": r"nx, ny, nz: HPCG's rules allow no local grid of (?P<x>\d+) x (?P<y>\d+) x (?P<z>\d+)",
    "local-rule": r"each side is a multiple of 8, at least 16 and at least 1/8 of the longest",
    "grid": r"(?P<x>\d+) x (?P<y>\d+) x (?P<z>\d+) processes are not (?P<ranks>\d+)",
    "grid-ranks": r"the grid p x q = (?P<p>\d+) x (?P<q>\d+) has (?P<has>\d+) ranks, but there are (?P<ranks>\d+)",
    "no-matrix": r"no matrix fits in the memory of (?P<name>.+)",
    "to-be-filled": rf"(?P<size>{_SIZE}) of all ranks are to be filled",
    "matrix": r"n = (?P<n>\d+) does not fit in the memory of (?P<name>.+)",
    "matrix-memory": rf"the matrix has (?P<matrix>{_SIZE}), the memory of all ranks (?P<memory>{_SIZE})",
    "exchange": r"(?P<nodes>\d+) nodes exchange messages",
    # remarks
    "smooth": r"Of (?P<all>\d+) nodes (?P<nodes>\d+) compute: ranks have only the prime factors 2, 3 and 5",
    "no-clock": r"the clock is not described: work of the cores other than memory is left out",
    "devices-only": r"the processors' memory bandwidth is not described: only the devices are considered",
    "unbounded": r"What nodes can send to the storage is not described, and bounds nothing here",
    "fits-memory": r"What a node writes fits its memory: without fsync the caches make it faster",
    "left-out": r"(?P<number>\d+) of (?P<ranks>\d+) ranks are left out: no grid of all of them is near a square",
    "fewer": r"Start fewer, or give p and q",
    "streams": rf"The device does not hold the matrix: (?P<columns>\d+) columns are in host memory and stream there "
    rf"in slabs, (?P<size>{_SIZE}) altogether",
    "exceeds": r"The matrix exceeds the devices' memory; the processors update what they can of the rest",
    "more-memory": r"The matrix needs more memory than the system usually leaves to a job",
    "no-link": r"The link between host and devices is not described: nothing waits for it here",
    "no-matrix-rate": r"The bandwidth of the memory that holds the matrix is not described: nothing waits for it here",
    "one-public": r"Of the family (?P<family>.+) figures of only one machine are public: the interval is that of rare "
    r"families",
    "few-public": r"Of the family (?P<family>.+) figures of only (?P<number>\d+) machines are public: "
    r"the interval is that of rare families",
    "unknown-family": r"No family follows from the names of the (?P<kind>processors|devices), and no group from their "
    r"numbers: what is assumed of everybody is taken, and the interval is wider still",
    "give": r"Give (?P<what>.+)",
    "no-public": r"No public figure is known of the family (?P<family>.+): the share that similar "
    r"(?P<kind>processors|devices) sustain is taken, and the interval is wider",
    "no-public-name": r"No public figure is known of (?P<kind>processors|devices) with this name: the share that "
    r"similar \w+ sustain is taken, and the interval is wider",
    # why an interval has no stated probability
    "unlike-nodes": r"no public figure is of unlike nodes",
    "other-code": r"public figures are of vendors' codes, not of (?P<code>.+)",
    "far-grid": r"public figures are of nearly cubic grids, not of (?P<grid>.+)",
    "small-matrix": r"public figures are of matrices that fill at least (?P<share>\S+) of the memory",
    "scaled": r"the description is scaled by more than (?P<factor>\S+)",
    "contradiction": r"the description contradicts itself",
    "taken-for": rf"(?P<name>.+) is described with (?P<rate>{_SIZE}(?:/s)?), neither what vector nor what matrix units "
    r"of the family (?P<family>.+) are known to have: it is taken for what DGEMM can use",
}
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _TEXTS.items()}


def refusal(text: str) -> Message:
    """Return why a model refuses a case: the problem, and in brackets why it is one."""
    whole = re.fullmatch(r"(.+?) \((.+)\)", text)
    if reason := re.fullmatch(r"(?P<benchmark>\w+) is not predicted \((?P<why>.+)\)", text):
        why = declared(f"{reason['benchmark']}-unpredicted", reason["why"])
        return message("unpredicted-why", problem=_recognised(f"{reason['benchmark']} is not predicted"), why=why)
    if whole is None or (is_recognised(text) and not is_recognised(whole[2])):
        return _recognised(text)
    return message("unpredicted-why", problem=_recognised(whole[1]), why=_recognised(whole[2]))


def remark(text: str) -> Message:
    """Return what a model remarks, sentence by sentence."""
    sentences = [_sentence(sentence) for sentence in re.split(r"\. (?=[A-Z])", text.removesuffix("."))]
    return in_turn(sentences, lambda before, part: message("unpredicted-also", before=before, part=part))


def _sentence(text: str) -> Message:
    before, colon, why = text.partition(": ")
    if before != NO_PROBABILITY or not colon:
        return _recognised(text)
    reasons = [_recognised(reason) for reason in why.split("; ")]
    joined = in_turn(reasons, lambda before, part: message("unpredicted-and", before=before, part=part))
    return Message("unpredicted-no-probability", {"why": joined}, english=text)


def is_recognised(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in _PATTERNS.values())


def _recognised(text: str) -> Message:
    for kind, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(text):
            facts: dict[str, Fact] = dict(match.groupdict())
            return Message(f"unpredicted-{kind}", facts, english=text)
    return declared(f"unpredicted-is-{_NOT_IN_CODES.sub('-', text).strip('-')[:80]}", text)
