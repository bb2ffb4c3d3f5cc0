"""Suggests numbers for a value that a program does not accept as one: amounts with units, powers, fractions."""

import math
import re
from fractions import Fraction

_DECIMAL = {letter: 1000**power for power, letter in enumerate(("", "k", "m", "g", "t", "p", "e"))}
_AMOUNT = re.compile(r"([+-]?\d+(?:\.\d*)?(?:e[+-]?\d{1,2})?)\s*([kmgtpe]?)(i?)(b|bytes?|bit|flops?)?", re.IGNORECASE)
_POWER = re.compile(r"(\d{1,6})\s*(?:\^|\*\*)\s*(\d{1,3})")
_FRACTION = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)")
_SEPARATED = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:[ _']\d{3})+|(?:\.\d{3}){2,})")
"""Digits in groups of three; a single group after a point is a fraction instead."""
_BASE = re.compile(r"0x([0-9a-f]+)|0o([0-7]+)|0b([01]+)", re.IGNORECASE)
_SECONDS = {"s": Fraction(1), "min": Fraction(60), "m": Fraction(60), "h": Fraction(3600), "ms": Fraction(1, 1000)}
_TIME = re.compile(rf"(\d+(?:\.\d+)?)\s*({'|'.join(_SECONDS)})")
_OF_TIME = re.compile(r"second|how long|duration")
_DOUBLE = 8
"""Bytes of a double."""
_LARGEST = 1 << 63


def meant(name: str, text: str, about: str, *, whole: bool) -> str:
    """Return a remedy that gives values in digits; `about`: the program's help for the parameter."""
    values = _values(text.strip(), about.lower())
    offered = [f"{name}={_digits(value)}{note}" for value, note in values if _fits(value, whole=whole)]
    kind = "a whole number in digits" if whole else "a number in digits"
    return f"{name} is '{about}', without a unit: write {' or '.join(offered) or kind}"


def is_amount(text: str) -> bool:
    """Return whether the text is a number that is not written in digits alone."""
    return bool(_values(text.strip(), ""))


def _values(text: str, about: str) -> list[tuple[Fraction, str]]:
    """Return the values that may be meant, each with a note on what it stands for."""
    if time := _TIME.fullmatch(text) if _OF_TIME.search(about) else None:
        return [(Fraction(time[1]) * _SECONDS[time[2]], "")]
    if power := _POWER.fullmatch(text):
        base, exponent = int(power[1]), int(power[2])
        return [(Fraction(base**exponent), "")] if exponent * math.log2(max(2, base)) <= 64 else []
    if fraction := _FRACTION.fullmatch(text):
        return [(Fraction(fraction[1]) / Fraction(fraction[2]), "")] if Fraction(fraction[2]) else []
    if based := _BASE.fullmatch(text):
        base = next(base for base, digits in ((16, based[1]), (8, based[2]), (2, based[3])) if digits)
        return [(Fraction(int(text, base)), "")]
    if _SEPARATED.fullmatch(text):
        return [(Fraction(re.sub(r"[^\d+-]", "", text)), "")]
    amount = _AMOUNT.fullmatch(text)
    return _of_amount(amount, about) if amount else []


def _of_amount(amount: re.Match[str], about: str) -> list[tuple[Fraction, str]]:
    number, letter, binary, unit = amount.groups()
    plain, decimal = Fraction(number), Fraction(number) * _DECIMAL[letter.lower()]
    doubled = plain * 1024 ** list(_DECIMAL).index(letter.lower())
    size = doubled if binary else decimal
    if (unit or "").lower() in {"b", "byte", "bytes"}:
        if "byte" in about:
            return [(size, "")]
        if "order of" in about:
            return [(Fraction(math.isqrt(int(abs(size) / _DOUBLE))), f" (a matrix of {amount[0]})")]
        return [(Fraction(int(size / _DOUBLE)), f" ({amount[0]} as doubles)"), (size, " (as many)")]
    if binary or not letter:
        nearest = Fraction(round(plain)) if not letter and plain.denominator != 1 else size
        return [(nearest, "")]
    return [(decimal, ""), (doubled, f" ({number}{letter.upper()}i)")]


def _fits(value: Fraction, *, whole: bool) -> bool:
    return abs(value) < _LARGEST and (not whole or value.denominator == 1)


def _digits(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.15g}"
