"""Finds out which memory modules share a channel, from the names that the firmware gives their slots.

Every maker names slots in its own way, and the same name means different things with different makers; nothing is
concluded from names that are not known here.
"""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

_MOST_SLOTS = 3
"""Largest number of slots of a channel; a group with more is a socket or a board."""
_WORD = re.compile(r"(.*CHANNEL[ _-]*(?:\d+|[A-Z]))(?![A-Z])(.*)", re.IGNORECASE)
"""`P0 CHANNEL A`, `NODE 0 CHANNEL 0 DIMM 0`, `_Node1_Channel4_Dimm0`, `Controller0-ChannelA-DIMM0`, `CPU0 Channel0
DIMM0`: AMD, Intel, Huawei, Amazon and most desktop boards.
"""
_LETTER = re.compile(r"((?:.*[^A-Z])?(?:[A-Z]*DIMM|DDR\d)[ _#-]?(?:(?:CPU|P)\d[ _-])?[A-Z])[ _-]?\d", re.IGNORECASE)
"""`CPU1_DIMM_A1`, `P1-DIMMA1`, `DIMM_P0_A0`, `DIMMA1`, `DIMM_A1`: Supermicro, Gigabyte, ASUS, Cisco, Intel."""
_SOCKET = re.compile(r"((?:CPU|P)\d_[A-Z])\d", re.IGNORECASE)
"""`CPU0_A0`."""
_PAIR = re.compile(r"(CPU\d(?:_C| CH)\d+)/?D\d", re.IGNORECASE)
"""`CPU0_C0D0`, `CPU0 CH0/D0`: Inspur, Intel."""
_SINGLE = re.compile(r"(CPU\d_DIMM_[A-L])", re.IGNORECASE)
"""`CPU0_DIMM_A`: Intel, one slot for each channel."""
_DELL = re.compile(r"(?:DIMM[ _])?([A-H])([1-9]\d?)")
"""The letter is the socket. The first slots of all its channels are numbered before all second ones."""
_HPE = re.compile(r"PROC\s+(\d+) DIMM (\d+)")
"""The slots of a channel have consecutive numbers."""
_NOTHING = {"", "Not Specified", "None"}

_CHANNELS = (
    (r"Xeon\(R\) CPU E5-[124]6\d\d", 4),
    (r"Xeon\(R\) CPU E5-[12]4\d\d", 3),
    (r"Xeon\(R\) Platinum 92\d\d", 12),
    (r"Xeon\(R\) (?:Platinum|Gold|Silver|Bronze) \d[12]\d\d", 6),
    (r"Xeon\(R\) (?:Platinum|Gold) \d3\d\dH", 6),
    (r"Xeon\(R\) (?:Platinum|Gold|Silver|Bronze) \d[345]\d\d", 8),
    (r"Xeon\(R\) 69\d\d[PE]", 12),
    (r"Xeon\(R\) 67\d\d[PE]\b(?!-B)", 8),
    (r"EPYC 7[0-9A-Z]{2}[123]", 8),
    (r"EPYC 9[0-9A-Z]{2}[45]", 12),
    (r"EPYC 8[0-9A-Z]{2}4", 6),
)
"""Channels of a socket, by the processor's name. Source: the makers' pages of these processors."""


class Slot(NamedTuple):
    locator: str
    bank: str


def channels_of_socket(model: str | None) -> int | None:
    """Return the channels of a processor with this name; None: not known."""
    return next((number for pattern, number in _CHANNELS if re.search(pattern, model or "")), None)


def least_channels_of_socket(kind: str | None, rate: int | None) -> int:
    """Return the smallest number of channels of each socket of a multi-socket server with memory of this rate (MT/s).

    Two-socket processors have four since DDR4, six since DDR4-2666 and eight since DDR5.
    """
    if kind == "DDR5":
        return 8
    if kind == "DDR4":
        return 6 if (rate or 0) >= 2666 else 4
    return 0


def channels(
    used: Sequence[Slot], slots: Sequence[Slot], *, vendor: str | None, channels_known: int | None, at_least: int = 0
) -> list[Hashable] | None:
    """Return the channel of each slot that is used; None: the names do not tell.

    `slots`: all slots, including empty ones. `channels_known`: channels of a socket; `at_least`: their smallest number
    where there are several sockets.
    """
    by_letter = None if _is_dells(used, vendor) else _by_letter(used, slots)
    readings = [names for names in (_by_word(used), by_letter) if names]
    if readings:
        return readings[0] if len({tuple(_partition(names)) for names in readings}) == 1 else None
    return _dell(used, slots, vendor, channels_known, at_least) or _hpe(used, slots, channels_known)


def _by_word(used: Sequence[Slot]) -> list[Hashable] | None:
    """Return the channels by the word CHANNEL, in the locator or in the bank."""
    for texts in ([slot.locator for slot in used], [slot.bank for slot in used]):
        matches = [_WORD.match(text) for text in texts]
        # A name that several slots have is not usable: some firmware gives all slots the first one's name.
        if all(matches) and not _repeated(
            text for text, match in zip(texts, matches, strict=True) if match and match[2]
        ):
            names: list[Hashable] = [match[1].upper() for match in matches if match]
            if not any(match[2] for match in matches if match) and _hides_sockets(used, names):
                return None
            return names if max(Counter(names).values(), default=0) <= _MOST_SLOTS else None
    return None


def _hides_sockets(used: Sequence[Slot], names: Sequence[Hashable]) -> bool:
    """Return whether slots of the same `CHANNEL A` differ in more than a final number, as `CPU0 DIMM 0` and
    `CPU1 DIMM 0`.
    """
    places: dict[Hashable, list[str]] = {}
    for slot, name in zip(used, names, strict=True):
        if not re.search(r"\d.*CHANNEL", str(name)):
            places.setdefault(name, []).append(slot.locator)
    return any(
        _repeated(several) or len({re.sub(r"\d+$", "", locator) for locator in several}) > 1
        for several in places.values()
    )


def _by_letter(used: Sequence[Slot], slots: Sequence[Slot]) -> list[Hashable] | None:
    """Return the channels by the letter before the number of the slot."""
    for pattern in (_LETTER, _SOCKET, _PAIR, _SINGLE):
        if not all(pattern.fullmatch(slot.locator) for slot in used):
            continue
        alone = not _repeated(slot.locator for slot in slots)
        if not alone and _repeated(slots):
            return None

        def named(slot: Slot, pattern: re.Pattern[str] = pattern, alone: bool = alone) -> Hashable:  # noqa: FBT001
            match = pattern.fullmatch(slot.locator)
            return (match[1].upper() if match else slot.locator, "" if alone else slot.bank)

        return [named(slot) for slot in used] if max(Counter(map(named, slots)).values()) <= _MOST_SLOTS else None
    return None


def _is_dells(used: Sequence[Slot], vendor: str | None) -> bool:
    """Return whether these are slots of a Dell server such as `DIMM_A1` without a bank, whose letter is
    the socket's.
    """
    return "dell" in (vendor or "").lower() and all(
        slot.bank in _NOTHING and _DELL.fullmatch(slot.locator) for slot in used
    )


def _dell(
    used: Sequence[Slot], slots: Sequence[Slot], vendor: str | None, per_socket: int | None, at_least: int
) -> list[Hashable] | None:
    matches = [_DELL.fullmatch(slot.locator) for slot in used if slot.bank in _NOTHING]
    places = [(match[1], int(match[2])) for match in matches if match]
    if len(places) < len(used) or len(set(places)) < len(places):
        return None
    numbers = [int(entry[2]) for slot in slots if (entry := _DELL.fullmatch(slot.locator))]
    # With other makers, the letter is the channel.
    if "dell" not in vendor.lower() if vendor else max(numbers) <= _MOST_SLOTS:
        return None
    if per_socket is None:
        per_socket = at_least if len({letter for letter, _ in places}) > 1 else 0
        if max(number for _, number in places) > per_socket:
            return None
    return [(letter, (number - 1) % per_socket) for letter, number in places]


def _hpe(used: Sequence[Slot], slots: Sequence[Slot], per_socket: int | None) -> list[Hashable] | None:
    matches = [_HPE.fullmatch(slot.locator) for slot in used]
    every = [(int(entry[1]), int(entry[2])) for slot in slots if (entry := _HPE.fullmatch(slot.locator))]
    of_each: Mapping[int, int] = Counter(socket for socket, _ in every)
    if not all(matches) or not per_socket or len(set(every)) < len(every):
        return None
    # If the table lacks some of the slots, their number per channel is unknown.
    if len(set(of_each.values())) != 1 or max(number for _, number in every) != (size := max(of_each.values())):
        return None
    if size % per_socket:
        return None
    return [(match[1], (int(match[2]) - 1) // (size // per_socket)) for match in matches if match]


def _repeated(values: object) -> bool:
    listed = list(values)  # type: ignore[call-overload]
    return len(set(listed)) < len(listed)


def _partition(names: Sequence[Hashable]) -> list[int]:
    """Return numbers that are equal where the names are."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in names]
