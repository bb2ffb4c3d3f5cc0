"""Translates the derivation of a theoretical peak: a machine's description has it in English, a report in the
reader's language.
"""

import re
from functools import reduce

from banzuke.words import Fact, Message, declared, message

_WHOLE = {
    "channels-unknown": re.compile(r"channels x width x rate of (?P<kind>.+); unknown: channels, width or rate"),
    "channels": re.compile(r"sum over channels of width x rate, (?P<kind>.+)"),
    "one-way": re.compile(r"(?P<link>.+), each way, packet overhead not deducted"),
    "each-way": re.compile(r"(?P<link>.+), each way"),
    "partitions": re.compile(
        r"unknown: the device is partitioned into (?P<number>\d+), each of which programs see as a device"
    ),
}
_TERMS = {
    "cores-alone": re.compile("cores"),
    "lanes-alone": re.compile("lanes"),
    "channels-alone": re.compile("channels"),
    "multiprocessors-alone": re.compile("multiprocessors"),
    "compute-units-alone": re.compile("compute units"),
    "cores-of": re.compile(r"(?P<number>\d+) cores? \(of the machine's (?P<all>\d+)\)"),
    "kind-of": re.compile(r"(?P<number>\d+) cores? \((?P<kind>.+), of (?P<all>\d+)\)"),
    "kind-cores": re.compile(r"(?P<number>\d+) cores? \((?P<kind>.+)\)"),
    "kind-alone": re.compile(r"cores \((?P<kind>.+)\)"),
    "kind-up-to": re.compile(r"(?P<kind>.+), up to (?P<clock>[\d.]+ GHz)"),
    "up-to": re.compile(r"up to (?P<clock>[\d.]+ GHz)"),
    "kind-at": re.compile(r"(?P<kind>.+), (?P<clock>[\d.]+ GHz)"),
    "kind-capacity": re.compile(r"(?P<kind>.+), capacity (?P<capacity>\d+)"),
    "capacity": re.compile(r"capacity (?P<capacity>\d+)"),
    "cores": re.compile(r"(?P<number>\d+) cores?"),
    "nominal": re.compile(r"(?P<clock>[\d.]+ GHz) \(nominal\)"),
    "loaded": re.compile(r"(?P<clock>[\d.]+ GHz) \(measured under vector load\)"),
    "highest": re.compile(r"(?P<clock>[\d.]+ GHz) \(highest\)"),
    "lanes": re.compile(r"(?P<number>\d+) lanes? \((?P<simd>.+)\)"),
    "units": re.compile(r"(?P<number>\d+) FMA units?"),
    "units-seen": re.compile(r"FMA units \((?P<rate>[\d.]+) per cycle measured\)"),
    "quota": re.compile(r"a quota leaves the time of (?P<number>[\d.]+) processors?"),
    "multiprocessors": re.compile(r"(?P<number>\d+) multiprocessors?"),
    "compute-units": re.compile(r"(?P<number>\d+) compute units?"),
    "slice": re.compile(r"(?P<number>\d+) of (?P<all>\d+) multiprocessors: (?P<rest>.+)"),
    "matrix": re.compile(
        r"(?P<number>\d+) multiply-adds per clock of the (?:tensor|matrix) (?:cores|units) \((?P<of>.+)\)"
    ),
    "vector": re.compile(r"(?P<number>\d+) multiply-adds per clock \((?P<of>.+)\)"),
    "rates-of": re.compile(r"multiply-adds per clock of (?P<of>(?:compute capability |gfx).+)"),
    "unlike": re.compile(r"one clock and width of unlike cores \((?P<kinds>.+)\)"),
}
"""Terms as banzuke.machine writes them; anything else, such as a text by a site's administrator, stays as it is."""


_IN_TURN = {"rest", "kind", "link"}
"""Groups that may themselves contain terms of banzuke.machine."""
_NOT_IN_CODES = re.compile(r"[^A-Za-z0-9_]+")


def derivation(text: str) -> Message:
    """Return the derivation as a message, term by term; for unlike cores, kind by kind."""
    for kind, pattern in _WHOLE.items():
        if match := pattern.fullmatch(text):
            return _as_message(kind, match)
    first, *others = map(_summand, text.split(" + "))
    return reduce(lambda before, part: message("fact-derived-plus", before=before, part=part), others, first)


def _summand(text: str) -> Message:
    first, *others = map(_part, text.split("; "))
    return reduce(lambda before, part: message("fact-derived-also", before=before, part=part), others, first)


def _part(text: str) -> Message:
    unknown = text.removeprefix("unknown: ")
    if unknown != text:
        first, *others = map(_term, re.split(r", (?![^(]*\))", unknown))
        what = reduce(lambda before, term: message("fact-derived-and", before=before, term=term), others, first)
        return message("fact-derived-unknown", what=what)
    first, *others = map(_term, re.split(r" x (?![^(]*\))", text))
    return reduce(lambda before, term: message("fact-derived-times", before=before, term=term), others, first)


def _term(text: str) -> Message:
    for kind, pattern in _TERMS.items():
        if match := pattern.fullmatch(text):
            return _as_message(kind, match)
    return declared(f"derived-{_NOT_IN_CODES.sub('-', text).strip('-')}", text)


def _as_message(kind: str, match: re.Match[str]) -> Message:
    groups = match.groupdict()
    facts: dict[str, Fact] = {name: _term(fact) if name in _IN_TURN else fact for name, fact in groups.items()}
    return Message(f"derived-{kind}", facts, english=match[0])
