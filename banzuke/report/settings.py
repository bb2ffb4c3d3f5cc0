"""Settings and conditions of cases in the reader's words."""

import json
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
        case _ if name in AXES:
            return words(axis_title(AXES[name]))
        case _:  # a parameter; environment variables are in capitals
            return name if name.isupper() else name.replace("_", " ")


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
    return ", ".join(f"{setting_name(name, words)} {setting_text(value, words)}" for name, value in values.items())


def conditions(record: Record, words: Words) -> list[tuple[str, str]]:
    """Return the conditions during the run as names and values."""
    shown = {name: value for name, value in record.conditions.items() if name != "timed_parts"}
    return [_condition(record.benchmark, name, value, words) for name, value in shown.items()]


def _condition(benchmark: str, name: str, value: Any, words: Words) -> tuple[str, str]:
    """Return a condition as text; its unit is the end of its name."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _condition_title(benchmark, name, words), _not_a_number(benchmark, name, value, words)
    for ending, unit in (("_hz", "Hz"), ("_seconds", "s"), ("_bytes", "B"), ("_latency", "s")):
        if name.endswith(ending):
            return _condition_title(benchmark, name, words, ending), quantity(float(value), unit)
    if name.endswith("_fraction"):
        return _condition_title(benchmark, name, words, "_fraction"), percent(float(value))
    own_unit = _UNITS.get(name)
    return _condition_title(benchmark, name, words), quantity(value, own_unit) if own_unit else number(float(value))


def _condition_title(benchmark: str, name: str, words: Words, ending: str = "") -> str:
    return words(condition_title(name) or seen_title(benchmark, name.removesuffix(ending)))


def _not_a_number(benchmark: str, name: str, value: Any, words: Words) -> str:
    if value is None:
        return words.fact(math.nan)
    if isinstance(value, str):
        return words(seen_value(benchmark, name, value))
    return json.dumps(value, ensure_ascii=False, default=str)


_UNITS = {
    "working_set": "B",
    "largest_size": "B",
    "footprint": "B",
    "link_rate": "B/s",
    "run_delay": "s",
    "call": "B",
    "exchange_latency_before": "s",
}


def condition_title(name: str) -> Message | None:  # noqa: C901, PLR0911, PLR0912  (one for each)
    """Return the title of a condition that every program may have; None: it is a benchmark's own."""
    match name:
        case "load_before":
            return message("report-condition-load")
        case "other_busy_fraction":
            return message("report-condition-others")
        case "steal_fraction":
            return message("report-condition-steal")
        case "throttled_seconds":
            return message("report-condition-throttled")
        case "quota_before":
            return message("report-condition-quota-before")
        case "quota_after":
            return message("report-condition-quota-after")
        case "clock_hz":
            return message("report-condition-clock")
        case "clock_host":
            return message("report-condition-clock-host")
        case "clock_host_fastest":
            return message("report-condition-clock-host-fastest")
        case "clock_fastest_hz":
            return message("report-condition-clock-fastest")
        case "huge_page_fraction":
            return message("report-condition-huge-pages")
        case "involuntary_switches":
            return message("report-condition-switches")
        case "exchange_latency":
            return message("report-condition-exchange")
        case "exchange_latency_before":
            return message("report-condition-exchange-before")
        case "exchange_processors":
            return message("report-condition-exchange-processors")
        case "exchange_host":
            return message("report-condition-exchange-host")
        case "exchange_latency_nearest":
            return message("report-condition-exchange-nearest")
        case "exchange_host_nearest":
            return message("report-condition-exchange-host-nearest")
        case "thread_rates":
            return message("report-condition-thread-rates")
        case "working_set":
            return message("report-condition-working-set")
        case "run_delay":
            return message("report-condition-run-delay")
        case "timed_seconds":
            return message("report-condition-timed")
        case "setup_seconds":
            return message("report-condition-setup")
        case "stolen_seconds":
            return message("report-condition-stolen")
        case "network_interface":
            return message("report-condition-network")
        case "network_bytes":
            return message("report-condition-network-bytes")
        case "link_rate":
            return message("report-condition-link-rate")
        case _:
            return None
