"""Converts between SI units, which are used everywhere inside, and the text that people read and write."""

import math
import re
from collections.abc import Mapping

from banzuke.errors import BanzukeError

UNKNOWN = "unknown"
NOT_FINITE = "not finite"
"""Stands for NaN and infinities, in the words that the programs use too."""
_SI = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_PREFIXES = {name: 10.0**exponent for exponent, name in _SI.items() if exponent >= 0} | {"Z": 1e21}
_AMOUNT = re.compile(r"([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([kMGTPEZ]?)(\S*)")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_PREFIXED = {"flop", "Hz", "W", "J", "flop/s/W", "s", "m"}
UNITS = frozenset({"1", "count", "B", *_PREFIXED})
"""Units of metrics beside rates of anything (`B/s`, `update/s`); `1`: a share; `count`: a number of things."""
_RATE = re.compile(r"(?![kMGTPE](B|bit|flop|op)/)(B|1|[a-z][a-z_]*)/s")
_PLAIN_LIMIT = 1e6
_MOST_PLACE = 300
_SECONDS = {
    "": 1.0,
    "s": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "ms": 1e-3,
    "us": 1e-6,
    "\N{MICRO SIGN}s": 1e-6,
    "\N{GREEK SMALL LETTER MU}s": 1e-6,
    "ns": 1e-9,
}


def without_prefix(unit: str) -> bool:
    """Return whether figures may be kept in this unit: it has no prefix."""
    return unit in UNITS or _RATE.fullmatch(unit) is not None


def spellings(unit: str) -> Mapping[str, float]:
    """Return how people may write a unit, and how many of the unit each is: `GB/s` 1e9, `us` 1e-6, `%` 0.01."""
    if unit in ("1", "count"):
        return {unit: 1.0, **({"%": 0.01} if unit == "1" else {})}
    small = {name: 10.0**exponent for exponent, name in _SI.items() if exponent < 0} | {"u": 1e-6}
    binary = {name[:-1]: 1024.0**power for power, name in enumerate(_BINARY) if power}
    prefixes = {
        "": 1.0,
        **_PREFIXES,
        **(small if unit in _PREFIXED and "/" not in unit else {}),
        **(binary if unit.startswith("B") else {}),
    }
    return {f"{prefix}{unit}": factor for prefix, factor in prefixes.items()}


def quantity(value: float | None, unit: str, digits: int = 3) -> str:
    """Return `41.3 GB/s`, `1.5 µs`, `32 MiB`: rounded to `digits`, without trailing zeros where nothing was rounded
    away.

    Bytes take binary prefixes and byte rates decimal ones, as vendors and benchmarks print them.
    """
    if value is None:
        return UNKNOWN
    if not math.isfinite(value):
        return NOT_FINITE
    factor, shown = scale(value, unit, digits)
    return f"{number(value / factor, digits)} {shown}".rstrip()


def percent(fraction: float | None, digits: int = 3) -> str:
    if fraction is None:
        return UNKNOWN
    return f"{number(fraction * 100, digits)}%" if math.isfinite(fraction * 100) else NOT_FINITE


def scale(largest: float, unit: str, digits: int = 3) -> tuple[float, str]:
    """Return the divisor and unit that bring `largest` between 1 and 1000: (1e9, `GB/s`) for 4e10 B/s."""
    if unit == "B":
        power = min(len(_BINARY) - 1, int(math.log2(abs(largest)) // 10)) if abs(largest) >= 1 else 0
        return 1024.0**power, _BINARY[power]
    size = abs(_rounded(largest, digits))
    if not (unit in _PREFIXED or unit.endswith(("/s", "/J"))) or size == 0:
        return 1.0, "" if unit in ("1", "count") else unit
    exponent = math.floor(math.log10(size) / 3 + 1e-12) * 3
    exponent = max(-12, min(0 if unit == "s" else 18, exponent))
    if unit == "s" and size >= 1:
        exponent = 0
    return 10.0**exponent, _SI[exponent] + unit


def number(value: float, digits: int = 3) -> str:
    """Return decimal text with `digits` significant digits; integers below a million are printed in full."""
    if not math.isfinite(value):
        return NOT_FINITE
    if value == 0:
        return "0"
    if float(value).is_integer() and abs(value) < _PLAIN_LIMIT:
        return _minus(f"{int(value):,}")
    size = abs(_rounded(value, digits))
    if not 1e-4 <= size < _PLAIN_LIMIT:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        short = mantissa.rstrip("0").rstrip(".")
        exact = math.isclose(float(f"{short}e{exponent}"), value, rel_tol=1e-12)
        return _minus(f"{short if exact else mantissa}e{int(exponent)}")
    places = max(0, digits - 1 - math.floor(math.log10(size) + 1e-12))
    text = f"{value:,.{places}f}"
    short = text.rstrip("0").rstrip(".") if places else text
    exact = math.isclose(float(short.replace(",", "")), value, rel_tol=1e-12)
    return _minus(short if exact else text)


def ends(low: float, high: float, unit: str) -> tuple[str, str]:
    """Return the ends of a range: (`20.0`, `30.0 GB/s`), (`900 MB/s`, `1.10 GB/s`), (`3%`, `5%`); equal where they read
    the same.
    """
    first, last = (percent(value) if unit == "1" else quantity(value, unit) for value in (low, high))
    if first == last:
        return first, last
    number_, _, shown = first.partition(" ")
    return number_ if shown and last.endswith(f" {shown}") else first, last


def span(low: float, high: float, unit: str) -> str:
    """Return `20.0 to 30.0 GB/s`, `900 MB/s to 1.10 GB/s`, `3% to 5%`; one value where both read the same."""
    first, last = ends(low, high, unit)
    return first if first == last else f"{first} to {last}"


def times(ratio: float, within: tuple[float, float] | None = None) -> str:
    """Return a ratio of figures with the digits that its interval allows: `10` within 8 to 13, `10.1` within 9.9 to
    10.3.

    The last digit shown has the place of the first digit of half the interval's width. One to four digits are
    significant; three where no interval is known. Where the interval does not contain 1, a ratio that is not 1 is never
    shown as 1.
    """
    if within is None or not 0 < ratio < math.inf:
        return number(ratio)
    low, high = within
    return (_to_place if low <= 1 <= high else _end)(ratio, _place(low, high))


def times_span(low: float, high: float) -> tuple[str, str]:
    """Return both ends of such an interval, rounded as by `times`; an end that is not 1 is not shown as 1."""
    return _end(low, _place(low, high)), _end(high, _place(low, high))


def _place(low: float, high: float) -> int:
    """Return the decimals that an interval allows; below zero: tens, hundreds."""
    half = (high - low) / 2
    if not half < math.inf:
        return -_MOST_PLACE
    return -math.floor(math.log10(half) + 1e-12) if half > 0 else _MOST_PLACE


def _end(value: float, place: int) -> str:
    """Return the rounded value, with more digits where it would read as 1 without being 1."""
    shown, digits = _to_place(value, place), 4
    while value != 1 and _reads_as_one(shown) and digits < 15:
        digits, place = digits + 1, place + 1
        shown = _to_place(value, place, digits)
    return shown


def _reads_as_one(shown: str) -> bool:
    whole, _, decimals = shown.partition(".")
    return whole == "1" and not decimals.strip("0")


def _to_place(value: float, place: int, digits: int = 4) -> str:
    if not 0 < value < math.inf:
        return number(value)
    first = -math.floor(math.log10(value) + 1e-12)
    place = max(first, min(place, first + digits - 1))
    rounded = round(value, place)
    return f"{rounded:,.{max(0, place)}f}" if 1e-4 <= rounded < _PLAIN_LIMIT else number(rounded, 2)


def count(items: float, noun: str) -> str:
    """Return `1 rank`, `1,024 processes`, `no run`, `2.5 FMA units`."""
    shown = f"{items:,}" if isinstance(items, int) else number(items)
    return f"{shown if items else 'no'} {noun if items in (0, 1) else plural(noun)}"


def layout(ranks: int, threads: int) -> str:
    """Return `2 ranks x 4 threads`, or `4 threads` of a single rank."""
    return f"{count(ranks, 'rank')} x {count(threads, 'thread')}" if ranks > 1 else count(threads, "thread")


def plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def duration(seconds: float | None) -> str:
    """Return `2 h 5 min`, `3 min 20 s`, `12.5 s`."""
    if seconds is None:
        return UNKNOWN
    if not 60 <= seconds < math.inf:
        return quantity(seconds, "s")
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def seconds(text: str) -> float:
    """Read `90`, `90s`, `15m`, `15 min`, `1.5h`, `1d` or `250us`. Raises BanzukeError."""
    match = re.fullmatch(rf"\s*([0-9]{{1,9}}(?:\.[0-9]+)?)\s*({'|'.join(_SECONDS)})\s*", text)
    value = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if value <= 0:
        raise BanzukeError(f"'{text}' is not a length of time", remedy="Write it with its unit: 90s, 15m, 2h, 250us")
    return value


def short_time(text: str) -> float:
    """Read a time that may be microseconds as well as hours; a number without a unit is refused. Raises
    BanzukeError.
    """
    value = seconds(text)
    if plain := re.fullmatch(r"[0-9.]+", text.strip()):
        raise BanzukeError(
            f"'{text}' has no unit", remedy=f"Write {plain[0]}us, {plain[0]}ms, {plain[0]}s, {plain[0]}m or {plain[0]}h"
        )
    return value


def prefixed(text: str) -> tuple[float, str] | None:
    """Return the number and unit of `10PF`, `66 Tflop/s` or `66e12`, with the prefix in the number; None: no number.

    The number is NaN where it is not above 0, or not finite.
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        return None
    try:
        value = float(match[1]) * _PREFIXES[match[2]]
    except ValueError:
        value = math.nan
    return value if 0 < value < math.inf else math.nan, match[3]


def _rounded(value: float, digits: int) -> float:
    rounded = float(f"{value:.{digits - 1}e}")
    return rounded if math.isfinite(rounded) else value  # the largest double would round up to infinity


def _minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}", 1) if text.startswith("-") else text


def whole(text: str) -> int:
    """Return the number in a text of at most nine decimal digits; -1: it is something else."""
    digits = text.strip()
    return int(digits) if digits.isdecimal() and len(digits) <= 9 else -1
