"""Settings and conditions of cases in the reader's words."""

import math
from collections.abc import Sequence
from typing import Any

from banzuke.amounts import Scalar
from banzuke.compare.settings import applies
from banzuke.document import Cell
from banzuke.plan.axes import AXES
from banzuke.plan.wording import axis_title, seen_title, seen_value
from banzuke.record.model import Record
from banzuke.units import number, percent, quantity
from banzuke.words import Message, message
from banzuke.words.language import Words


def setting_name(name: str, words: Words) -> str:  # noqa: PLR0911  (one for each that has a name)
    """Return the name of a setting; a program's parameter keeps its own name."""
    match name:
        case "backend":
            return words(message("report-setting-backend"))
        case "placement":
            return words(message("report-setting-placement"))
        case "hosts":
            return words(message("report-setting-hosts"))
        case "ranks":
            return words(message("report-setting-ranks"))
        case "threads":
            return words(message("report-setting-threads"))
        case "groups":
            return words(message("report-setting-groups"))
        case "devices":
            return words(message("report-setting-devices"))
        case _ if name in AXES:
            return words(axis_title(AXES[name]))
        case _:  # a parameter; environment variables are in capitals
            return name.replace("_", " ") if words.language == "en" and not name.isupper() else name


def setting_text(value: Scalar | None, words: Words) -> str:
    """Return the value of a setting for the reader; None: the program's default."""
    match value:
        case None:
            return words(message("report-setting-default"))
        case bool():
            return words(message("report-setting-switch", on="yes" if value else "no"))
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
        case _:
            return value


def label_of(values: dict[str, Scalar], columns: Sequence[Sequence[str]], words: Words) -> str:
    return ", ".join(
        f"{column_title(names, words)} {setting_text(values.get(names[0]), words)}"
        for names in columns
        if applies(values, names[0])
    )


def setting_cell(values: dict[str, Scalar], names: Sequence[str], words: Words) -> Cell:
    """Return the cell for one of the columns that distinguish cases."""
    return Cell(setting_text(values.get(names[0]), words) if applies(values, names[0]) else "–")


def column_title(names: Sequence[str], words: Words) -> str:
    return " = ".join(setting_name(name, words) for name in names)


def settings_text(values: dict[str, Scalar], words: Words) -> str:
    texts = (f"{setting_name(name, words)} {setting_text(value, words)}" for name, value in values.items())
    return words(message("fact-comma")).join(texts)


def conditions(record: Record, words: Words) -> list[tuple[str, str]]:
    """Return the conditions during the run as names and values."""
    shown = {name: value for name, value in record.conditions.items() if name not in UNSHOWN}
    return [_condition(record.benchmark, name, value, words) for name, value in shown.items()]


def _condition(benchmark: str, name: str, value: Any, words: Words) -> tuple[str, str]:
    """Return a condition as text; its unit is the end of its name, also that of its parts."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        ending = _ending(name) if isinstance(value, dict | list) else ""
        return _condition_title(benchmark, name, words, ending), _not_a_number(benchmark, name, value, words)
    for ending, unit in ENDINGS.items():
        if name.endswith(ending):
            text = percent(float(value)) if unit == "1" else quantity(float(value), unit)
            return _condition_title(benchmark, name, words, ending), text
    own_unit = _UNITS.get(name)
    return _condition_title(benchmark, name, words), quantity(value, own_unit) if own_unit else number(float(value))


def _condition_title(benchmark: str, name: str, words: Words, ending: str = "") -> str:
    return words(condition_title(benchmark, name) or seen_title(benchmark, name.removesuffix(ending)))


def _not_a_number(benchmark: str, name: str, value: Any, words: Words) -> str:
    if value is None:
        return words.fact(math.nan)
    if isinstance(value, bool):
        return setting_text(value, words)
    if isinstance(value, str):
        return words(seen_value(benchmark, name, value))
    comma = words(message("fact-comma"))
    if isinstance(value, dict):
        parts = {f"{key}{_ending(name)}": part for key, part in value.items()}
        return comma.join(" ".join(_condition(benchmark, key, part, words)) for key, part in parts.items())
    return comma.join(_condition(benchmark, name, part, words)[1] for part in value)


def _ending(name: str) -> str:
    return next((ending for ending in ENDINGS if name.endswith(ending)), "")


ENDINGS = {"_hz": "Hz", "_seconds": "s", "_bytes": "B", "_latency": "s", "_fraction": "1"}
"""Units by the end of a condition's name."""
_UNITS = {
    **dict.fromkeys(
        ("working_set", "largest_size", "headline_size", "footprint", "device_footprint", "l2_cache", "call"), "B"
    ),
    **dict.fromkeys(("run_delay", "exchange_latency_before", "exchange_latency_nearest", "clock_tick"), "s"),
    **dict.fromkeys(("quantum", "quantum_wanted", "clock_resolution", "clock_reading"), "s"),
    "link_rate": "B/s",
    "device_update_rate": "flop/s",
}
"""Units of conditions whose names do not end with one."""


def condition_title(benchmark: str, name: str) -> Message | None:
    """Return the title of a condition that every program may have; None: it is a benchmark's own."""
    return None if (benchmark, name) in _OWN else CONDITIONS.get(name)


UNSHOWN = {"timed_parts", "rank_rates"}
"""Conditions for sensors, and for the output of a suite's official code."""
_OWN = {("noise", "method")}
"""Conditions that mean something else in a benchmark."""
CONDITIONS = {
    "load_before": message("report-condition-load"),
    "other_busy_fraction": message("report-condition-others"),
    "steal_fraction": message("report-condition-steal"),
    "throttled_seconds": message("report-condition-throttled"),
    "quota_before": message("report-condition-quota-before"),
    "quota_after": message("report-condition-quota-after"),
    "clock_hz": message("report-condition-clock"),
    "clock_host": message("report-condition-clock-host"),
    "clock_host_fastest": message("report-condition-clock-host-fastest"),
    "clock_fastest_hz": message("report-condition-clock-fastest"),
    "huge_page_fraction": message("report-condition-huge-pages"),
    "involuntary_switches": message("report-condition-switches"),
    "exchange_latency": message("report-condition-exchange"),
    "exchange_latency_before": message("report-condition-exchange-before"),
    "exchange_processors": message("report-condition-exchange-processors"),
    "exchange_host": message("report-condition-exchange-host"),
    "exchange_latency_nearest": message("report-condition-exchange-nearest"),
    "exchange_host_nearest": message("report-condition-exchange-host-nearest"),
    "thread_rates": message("report-condition-thread-rates"),
    "working_set": message("report-condition-working-set"),
    "run_delay": message("report-condition-run-delay"),
    "timed_seconds": message("report-condition-timed"),
    "setup_seconds": message("report-condition-setup"),
    "stolen_seconds": message("report-condition-stolen"),
    "network_interface": message("report-condition-network"),
    "network_bytes": message("report-condition-network-bytes"),
    "link_rate": message("report-condition-link-rate"),
    "folders_left": message("report-condition-folders-left"),
    "footprint": message("report-condition-footprint"),
    "device_footprint": message("report-condition-device-footprint"),
    "sum_of_rates": message("report-condition-sum-of-rates"),
    "device": message("report-condition-device"),
    "device_platform": message("report-condition-platform"),
    "l2_cache": message("report-condition-l2"),
    "method": message("report-condition-method"),
    "clock_tick": message("report-condition-tick"),
    "headline_size": message("report-condition-headline-size"),
    "largest_size": message("report-condition-largest-size"),
}
"""Titles of the conditions that several programs, or the launching side, write."""
