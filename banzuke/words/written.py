"""Translates texts that records and descriptions hold in English: why a launch gave no figure, the kernel's settings,
which BLAS library was chosen. What is not recognised stays as it is.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from banzuke.words import Fact, Message, declared, message

_NOT_IN_CODES = re.compile(r"[^A-Za-z0-9_]+")
_STATUS = re.compile(r"(failed|skipped): (.+)", re.DOTALL)
_REASONS = {
    "signal": re.compile(r"killed by signal (?P<number>\d+)(?: \((?P<name>\w+)\))?"),
    "who-signal": re.compile(r"(?P<who>.+?) was killed by signal (?P<number>\d+) \((?P<name>\w+)\)"),
    "memory-killed": re.compile("the kernel does so when memory runs out"),
    "memory-killed-limit": re.compile(r"the kernel does so when memory runs out \((?P<limits>.+)\)"),
    "said": re.compile(r"it said: (?P<text>.*)", re.DOTALL),
    "limit": re.compile(r"exceeded its time limit of (?P<seconds>[\d.e+]+ s) and was ended"),
    "limits": re.compile(r"exceeded (?P<times>\d+) times its time limit of (?P<seconds>[\d.e+]+ s) and was ended"),
    "last-step": re.compile(r"its last step: (?P<step>.*)"),
    "time-left": re.compile("it did not end within the time that was left for it"),
    "flooded": re.compile(r"printed more than (?P<size>\d+ MiB) and was ended"),
    "no-record": re.compile(r"ended with status (?P<status>-?\d+) and no record: (?P<text>.*)", re.DOTALL),
    "status": re.compile(r"ended with status (?P<status>-?\d+) after its record"),
    "start": re.compile(r"cannot be started: (?P<text>.*)", re.DOTALL),
    "check": re.compile(r"verification failed"),
    "checked": re.compile(r"verification failed: (?P<text>.*)", re.DOTALL),
    "no-metric": re.compile(r"no (?P<metric>[a-z0-9]+(?:_[a-z0-9]+)+)"),
    "unit": re.compile(r"in (?P<units>\S+), not (?P<unit>\S+)"),
    "not-finite": re.compile("the result is not finite"),
    "memory": re.compile(r"out of memory: this rank asked for (?P<bytes>\d+) bytes"),
    "memory-free": re.compile(
        r"(?P<benchmark>[\w-]+) with (?P<parameters>.+) needs (?P<needed>[\d.,]+ \w+) of (?:device )?memory "
        r"\((?P<usable>[\d.,]+ \w+) of (?P<total>[\d.,]+ \w+) may be used now\)\. Choose a smaller size"
        r"(?:: (?P<fits>.+) is the largest that fits)?"
    ),
}
_PRINTED = {
    "about": re.compile(r"about (?P<amount>.+)"),
    "times-more": re.compile(r"(?P<number>[\d.,]+) times/s or more"),
    "more": re.compile(r"(?P<amount>.+) or more"),
    "times-second": re.compile(r"(?P<number>[\d.,]+) times/s"),
    "times": re.compile(r"(?P<number>[\d.,]+) times"),
    "mostly": re.compile(r"(?P<amount>.+) at most, mostly"),
    "most": re.compile(r"(?P<amount>.+) at most"),
}
_SETTINGS = {
    "none": re.compile("none"),
    "voluntary": re.compile("none or voluntary"),
    "real-time": re.compile("real-time"),
    "full": re.compile("full"),
    "dynamic": re.compile("dynamic"),
    "dynamic-mode": re.compile(r"dynamic, (?P<mode>\w+)"),
    "not-needed": re.compile("none needed"),
    "mitigated": re.compile(r"on: (?P<names>[^;]+)"),
    "vulnerable": re.compile(r"vulnerable: (?P<names>[^;]+)"),
    "some-vulnerable": re.compile(r"on: (?P<names>[^;]+); vulnerable: (?P<others>[^;]+)"),
    "dated": re.compile(r"(?P<version>\S+) of (?P<date>[\d/.-]+)"),
}
_LINKED = r" \((?P<path>/\S+)\), which programs linked with -lblas use"
_CHOICES = {
    "fastest": re.compile(r"Fastest: (?P<library>.+) \((?P<path>/\S+)\), (?P<rate>[\d.,]+ Gflop/s)"),
    "times-linked": re.compile(r"(?P<times>[\d.]+)x as fast as (?P<library>.+)" + _LINKED),
    "times": re.compile(r"(?P<times>[\d.]+)x as fast as (?P<library>.+)"),
    "faster-linked": re.compile(r"(?P<share>\d+%) faster than (?P<library>.+)" + _LINKED),
    "faster": re.compile(r"(?P<share>\d+%) faster than (?P<library>.+)"),
    "alike-linked": re.compile(r"No faster than (?P<library>.+)" + _LINKED),
    "alike": re.compile(r"No faster than (?P<library>.+)"),
    "set": re.compile(
        r"(?P<names>[A-Z_, ]+), set here, slows? (?P<library>.+) down by a factor of (?P<times>[\d.]+): "
        r"unset for these runs"
    ),
    "busy": re.compile(r"Other processes used (?P<share>[\d.]+%) of the processors meanwhile: the order may be wrong"),
    "none": re.compile("No BLAS library was found"),
    "unusable": re.compile("No usable BLAS library was found"),
    "given": re.compile("unknown"),
}


def reason(text: str) -> Message:
    """Return why a launch gave no figure, part by part; the status may stand before it."""
    if match := _STATUS.fullmatch(text):
        return Message(f"reason-{match[1]}", {"why": _reasons(match[2])}, english=text)
    return _reasons(text)


def _reasons(text: str) -> Message:
    """Return the parts of a reason; what a program printed may have semicolons, too, and stays as it is."""
    parts: list[str] = []
    for part in text.split("; "):
        if parts and not _is_recognised(part) and (_takes_more(parts[-1]) or not _is_recognised(parts[-1])):
            parts[-1] += f"; {part}"
        else:
            parts.append(part)
    return in_turn([_recognised("reason", _REASONS, part) for part in parts], _also)


def _also(before: Message, part: Message) -> Message:
    return message("reason-also", before=before, part=part)


def _is_recognised(part: str) -> bool:
    return any(_matches(part))


def _takes_more(part: str) -> bool:
    """Return whether a part quotes a text to its end."""
    return any(match.groupdict().keys() & {"text", "step"} for match in _matches(part))


def _matches(part: str) -> Iterator[re.Match[str]]:
    return filter(None, (pattern.fullmatch(part) for pattern in _REASONS.values()))


def in_turn(parts: Sequence[Message], join: Callable[[Message, Message], Message]) -> Message:
    """Return one message of several, joined by halves: hundreds of parts are not nested hundreds deep."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return join(in_turn(parts[:half], join), in_turn(parts[half:], join))


def printed_amount(text: str) -> Message:
    """Return an amount as a report prints it, with what stands beside the number."""
    return _recognised("printed", _PRINTED, text)


def kernel_title(name: str) -> Message:
    """Return the title of a setting of the kernel."""
    return declared(f"kernel-{name.replace('_', '-')}", name.replace("_", " "))


def node_setting(name: str) -> Message:
    """Return the name of a setting that a node reports of itself, which a screen compares."""
    return declared(f"node-setting-{name.replace('_', '-')}", name)


def kernel_value(text: str) -> Message:
    return _recognised("kernel-value", _SETTINGS, text)


def library_choice(text: str) -> Message:
    """Return which BLAS library was chosen, sentence by sentence."""
    parts = re.split(r"\.\s+(?=[A-Z\d])", text.strip().removesuffix("."))
    sentences = [_recognised("blas", _CHOICES, part) for part in parts]
    return in_turn(sentences, lambda before, part: message("blas-also", before=before, part=part))


def software_title(name: str) -> Message:
    """Return the title of what a record says of the software: `compiler`, `blas_path`."""
    return declared(f"software-{name.replace('_', '-')}", name)


def printed_place(where: str) -> Fact:
    """Return the place in a report or a list: `section 3.1, Table 2`, `2020-06, rank 8`."""
    if listed := re.fullmatch(r"(\d{4})-(\d\d)(?:, rank (\d+))?", where):
        facts = {"year": listed[1], "month": str(int(listed[2])), "place": listed[3] or ""}
        return Message("printed-rank" if listed[3] else "printed-edition", facts, english=where)
    match = re.fullmatch(r"section ([\d.]+)(?:, (Fig\.|Table) (\d+))?", where)
    if match is None:
        return where
    kind = {"Fig.": "figure", "Table": "table"}.get(match[2], "none")
    return message("peers-where", section=match[1], kind=kind, number=match[3] or "")


def _recognised(prefix: str, patterns: Mapping[str, re.Pattern[str]], text: str) -> Message:
    for kind, pattern in patterns.items():
        if match := pattern.fullmatch(text):
            facts: dict[str, Fact] = {name: group or "none" for name, group in match.groupdict().items()}
            return Message(f"{prefix}-{kind}", facts, english=text)
    return declared(f"{prefix}-is-{_NOT_IN_CODES.sub('-', text).strip('-')[:80]}", text)
