"""Hypothesis strategies for all that the models of records, plans and machines allow, derived from these models.

Names are those that benchmarks and programs use, so that code which reads them by name is reached.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType

from banzuke.amounts import LEAST_AMOUNT, MOST_AMOUNT, Scalar
from banzuke.cpu_lists import parse_cpus
from banzuke.machine.model import Machine
from banzuke.plan.catalogue import benchmarks
from banzuke.record.energy import Energy, SensorEnergy
from banzuke.record.figures import Breakdown, Curve, Distribution, Line, Pairs, Series, Verification
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.results.run import Plan
from banzuke.words import Message

Data = Any
Strategy = st.SearchStrategy[Data]
MOST_RANKS = 64
"""Most ranks in pairs, because figures are kept by rank."""
SOME = 3
"""Most members of a list or a table."""
NOTABLE = (
    *(0, 1, 2, 3, 8, 64, 1000, 10**6, 10**9, 2**31 - 1, 2**63 - 1, 0.5, 1.5, 1e-9, 1e-3),
    *(LEAST_AMOUNT, MOST_AMOUNT, -1, -MOST_AMOUNT),
)
WORDS = (
    "", "0", "0-3", "0,2-5", "1-", "native", "isolated", "container", "vm:tcg", "h1", "node7", "same-numa", "one-node",
    "on", "off", "auto", "nontemporal", "plain", "s", "B/s", "flop/s", "1", "B", "Hz", "1/s", "OpenBLAS 0.3",
    "latency", "bandwidth", "pairs", "allreduce", "fwq", "ftq", "crs", "band", "data", "unified", "file.mtx",
)  # fmt: skip
PARAMETERS = (
    "n", "m", "k", "nb", "p", "q", "nx", "ny", "nz", "px", "py", "pz", "seconds", "samples", "quantum", "interval",
    "test", "min_size", "max_size", "iterations", "family", "file", "format", "flush", "stores", "ordering", "mode",
    "operation", "trace", "cells", "rounds",
)  # fmt: skip
CONDITIONS = (
    "huge_page_fraction", "clock_hz", "steal_fraction", "other_busy_fraction", "footprint", "exchange_latency",
    "exchange_latency_before", "exchange_processors", "exchange_host",
    "exchange_host_nearest", "exchange_latency_nearest",
    "working_set", "headline_size", "largest_size", "network_bytes", "network_interface", "link_rate", "stores",
    "timed_seconds", "memory_bytes", "generation_seconds", "quantum", "clock_resolution", "interrupts", "softirqs",
    "blame", "run_delay", "stolen_seconds", "involuntary_switches", "clock_tick", "clock_reading", "method", "samples",
    "invariant_tsc", "trace_events_lost", "nonzeros", "rows", "row_mean", "row_cv", "format", "fill", "pivots", "chunk",
    "products_per_sample", "library_binding", "sets", "iterations", "timed_parts",
)  # fmt: skip
RESOURCES = ("flops.fp64", "memory.bytes", "memory.loads", "link.bytes", "storage.write")
METRICS = sorted({metric.name for benchmark in benchmarks().values() for metric in benchmark.metrics})
TIME = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  (given here)
TEXT = st.sampled_from(WORDS) | st.text(max_size=8)

NAMED: Mapping[str, Strategy] = {
    "benchmark": st.sampled_from([*benchmarks(), "unknown"]),
    "unit": st.sampled_from(["s", "B/s", "flop/s", "1", "B"]) | TEXT,
    "parameters": st.sampled_from(PARAMETERS) | TEXT,
    "conditions": st.sampled_from(CONDITIONS) | TEXT,
    "metrics": st.sampled_from(METRICS) | TEXT,
    "series": st.sampled_from(["time", "clock", "work"]) | TEXT,
    "distributions": st.sampled_from(["noise", "noise_beyond_clock"]) | TEXT,
    "peaks": st.sampled_from(["flops.fp64", "memory.bytes"]) | TEXT,
    "seconds": st.sampled_from(["mg", "spmv", "dot", "update", "panel", "broadcast"]) | TEXT,
    "ranks": st.sampled_from(["0", "0-1", "0-7", "0-6:1/2"]) | TEXT,
    "resource": st.sampled_from(RESOURCES),
    "hosts": st.sampled_from(["h1", "node7", "node[01-12]", "r[1-2]n[1-3,7]", "a.b-c"]),
    "software": st.sampled_from(["blas", "blas_path", "compiler", "mpi", "blas_choice"]) | TEXT,
}
"""Strategies by name of a field, for its text or for the keys of its table."""


def strategy(kind: Any, limits: tuple[Any, ...] = (), name: str = "") -> Strategy:  # noqa: PLR0911  (a case a type)
    """Return a strategy for plain JSON data from which `kind` is read. Raises TypeError for an unsupported kind."""
    if isinstance(kind, TypeAliasType):
        return TREE
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        more = [
            limit
            for annotation in inner[1:]
            for limit in (annotation.metadata if isinstance(annotation, FieldInfo) else [annotation])
        ]
        return strategy(inner[0], (*limits, *more), name)
    if origin in (Union, UnionType):
        return st.one_of([strategy(choice, limits, name) for choice in inner])
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (list, tuple):
        return st.lists(strategy(inner[0], (), name), min_size=_limit(limits, "min_length", 0), max_size=SOME)
    if origin is not None and issubclass(origin, Mapping):
        keys = strategy(inner[0], (), name)
        least = _limit(limits, "min_length", 0)
        return st.dictionaries(keys, strategy(inner[1]), min_size=least, max_size=2 * SOME)
    if kind is Message:  # its facts may contain further messages without end
        return st.fixed_dictionaries({"code": TEXT, "facts": st.dictionaries(TEXT, TEXT, max_size=SOME)})
    if kind is AwareDatetime or kind is datetime:
        return TIME.map(lambda moment: moment.isoformat())
    if isinstance(kind, type) and (issubclass(kind, BaseModel) or is_dataclass(kind)):
        return whole(kind)
    return _plain(kind, limits, name)


def _plain(kind: Any, limits: tuple[Any, ...], name: str) -> Strategy:
    if kind in (int, float):
        lowest, highest = _limit(limits, "ge", None), _limit(limits, "le", None)
        notable: list[float] = [value for value in NOTABLE if lowest is None or lowest <= value <= highest]
        if kind is int:
            whole_numbers = [int(value) for value in notable if value == int(value)]
            return st.sampled_from(whole_numbers) | st.integers(lowest, highest)
        drawn = st.floats(lowest, highest, allow_nan=False, allow_infinity=False)
        return st.sampled_from(notable) | drawn.filter(lambda value: lowest != 0 or not 0 < value < LEAST_AMOUNT)
    return {bool: st.booleans(), str: _text(name, limits), type(None): st.none()}[kind]


def _text(name: str, limits: tuple[Any, ...]) -> Strategy:
    return NAMED.get(name, TEXT).filter(lambda text: len(text) >= _limit(limits, "min_length", 0))


def _limit(limits: tuple[Any, ...], name: str, default: Any) -> Any:
    return next((getattr(limit, name) for limit in reversed(limits) if hasattr(limit, name)), default)


def whole(kind: Any) -> Strategy:
    """Return data of all fields of a model or dataclass that also meet its conditions on several fields."""
    if issubclass(kind, BaseModel):
        parts = {
            name: strategy(field.annotation, tuple(field.metadata), name) for name, field in kind.model_fields.items()
        }
        needed = {name for name, field in kind.model_fields.items() if field.is_required() or name == "metrics"}
    else:
        hints = get_type_hints(kind, include_extras=True)
        parts = {field.name: strategy(hints[field.name], (), field.name) for field in fields(kind)}
        needed = {field.name for field in fields(kind) if field.default is MISSING}
    always = {name: part for name, part in parts.items() if name in needed}
    sometimes = {name: part for name, part in parts.items() if name not in needed}
    return st.fixed_dictionaries(always, optional=sometimes).map(FITTED.get(kind, lambda data: data))


TREE: Strategy = st.recursive(
    strategy(Scalar) | st.none(),
    lambda inner: st.lists(inner, max_size=SOME) | st.dictionaries(TEXT, inner, max_size=SOME),
    max_leaves=4,
)


def _hosts(data: Data) -> Data:
    dealt = data.get("dealt")
    return data if dealt is None else data | {"dealt": parse_cpus(data["ranks"])[::-1]}


def _verification(data: Data) -> Data:
    return data | {"passed": data["value"] is not None and data["value"] <= data["tolerance"]}


def _breakdown(data: Data) -> Data:
    count = len(data["ends"])
    ends = [(number + 1) / count for number in range(count)]
    seconds = {part: _filled(spent, count) for part, spent in data["seconds"].items()}
    return data | {"ends": ends, "flops": _filled(data["flops"], count), "seconds": seconds}


def _distribution(data: Data) -> Data:
    values = sorted(set(data["values"]))
    return data | {"values": values, "counts": [count or 1 for count in _filled(data["counts"], len(values))]}


def _pairs(data: Data) -> Data:
    count, ends = len(data["values"]), len(data.get("ends", []))
    whose = {name: _filled(data[name], count) for name in ("origins", "targets")}
    within = {name: [number % (ends or MOST_RANKS) for number in numbers] for name, numbers in whose.items()}
    return data | within


def _line(data: Data) -> Data:
    times = data.get("times")
    return data | {"times": None if times is None else _filled(times, len(data["values"]))}


def _curve(data: Data) -> Data:
    points = {point["at"]: point for point in data["points"]}
    return data | {"points": [points[at] for at in sorted(points)]}


def _sensor(data: Data) -> Data:
    """Make a sensor used, or refused with a reason."""
    if (joule := data.get("joule")) is None:
        return data | {"counted": False, "refused": data.get("refused") or "gap"}
    return data | {"joule": joule, "refused": None}


def _energy(data: Data) -> Data:
    counted = any(sensor.get("counted") for sensor in data.get("sensors", []))
    if data.get("joule") is None or not counted:
        return data | {"joule": None, "unmeasured": data.get("unmeasured") or "no-sensor"}
    return data | {"seconds": data.get("seconds") or 1.0, "parts": data.get("parts") or 1, "unmeasured": None}


def _record(data: Data) -> Data:
    """Make a record without figures a failure; else all its checks pass."""
    started, ended = sorted((data["started"], data["ended"]))
    data = data | {"started": started, "ended": ended}
    demands = [demand for samples in data.get("metrics", {}).values() for demand in samples.get("demand", [])]
    for demand in demands:
        demand |= {"group": None, "area": next(iter(data.get("areas", {})), None)}
    if data.get("metrics"):
        passed = {"quantity": "residual", "value": 0.0, "tolerance": 1.0, "passed": True}
        checks = [passed, *(check for check in data.get("verification", []) if check["passed"])]
        return data | {"status": "ok", "verification": checks}
    none: Data = {
        "metrics": {},
        "breakdown": None,
        "curves": {},
        "pairs": {},
        "series": {},
        "distributions": {},
        "energy": None,
    }
    status = "skipped" if data["status"] == "skipped" else "failed"
    return data | none | {"status": status, "reason": data.get("reason") or "a reason"}


def _filled(values: list[float], count: int) -> list[float]:
    """Return exactly this many values, by repeating those that there are."""
    return [values[number % len(values)] if values else 1 for number in range(count)]


def _machine(data: Data) -> Data:
    """Make each partition in use one of the site's."""
    partitions = data["site"]["partitions"] or {"nodes": {}}
    names = itertools.cycle(partitions)
    allotments = [allotment | {"partition": next(names)} for allotment in data["allotments"]]
    return data | {"site": data["site"] | {"partitions": partitions}, "allotments": allotments}


FITTED: Mapping[type, Callable[[Data], Data]] = {
    Hosts: _hosts,
    Verification: _verification,
    Breakdown: _breakdown,
    Distribution: _distribution,
    Pairs: _pairs,
    SensorEnergy: _sensor,
    Energy: _energy,
    Line: _line,
    Curve: _curve,
    Record: _record,
    Machine: _machine,
}


def _noisy(data: Data, times: Data, noise: Data) -> Data:
    """Add the times of quanta, and so many of them that noise can be predicted."""
    many = noise | {"counts": [max(100, count) for count in noise["counts"]]}
    series, distributions = data.get("series", {}), data.get("distributions", {})
    return data | {"series": series | {"time": times}, "distributions": distributions | {"noise": many}}


records = whole(Record).map(Record.model_validate)
noisy_records = st.builds(
    _noisy, whole(Record).filter(lambda data: data["status"] == "ok"), whole(Series), whole(Distribution)
).map(Record.model_validate)
machines = whole(Machine).map(Machine.model_validate)
plans = whole(Plan).filter(lambda data: data["repetitions"] < 1000).map(Plan.model_validate)
