"""Turns what specs declare in English into messages; a benchmark's folder has the words of other languages under their
codes.

A code joins the benchmark's name, the kind of thing, and its name: `hpl-phase-update`. Characters that Fluent does not
allow become `-`.
"""

import re
from functools import reduce

from banzuke.plan.axes import AXES, BACKEND, Axis
from banzuke.plan.benchmark import Benchmark, Collection, Metric, Statistic
from banzuke.plan.capabilities import OWN
from banzuke.plan.resource import Resource
from banzuke.record.model import Record
from banzuke.record.state import State
from banzuke.words import Fact, Message, declared, message
from banzuke.words.language import Words

_NOT_IN_CODES = re.compile(r"[^A-Za-z0-9_]+")


def code(*parts: str) -> str:
    return "-".join(_NOT_IN_CODES.sub("-", part).strip("-") for part in parts)


def benchmark_title(benchmark: Benchmark) -> Message:
    return declared(code(benchmark.name, "title"), benchmark.title)


def full_title(benchmark: str, metric: str, words: Words) -> str:
    """Return `DGEMM: rate`, but `STREAM Triad` where the metric's title already names its benchmark; titles are in
    words.
    """
    named = benchmark.casefold() in metric.casefold()
    return metric if named else words(message("plan-full-title", benchmark=benchmark, title=metric))


def metric_title(benchmark: str, metric: Metric) -> Message:
    return declared(code(benchmark, "metric", metric.name), metric.title)


def resource_title(resource: Resource) -> Message:
    """Return the title of its rate. A resource has the same name in all benchmarks: `resource-memory-bytes`."""
    return declared(code("resource", resource.name), resource.title)


def unpredicted_reason(benchmark: Benchmark) -> Message:
    """Return why nothing predicts the benchmark's figures."""
    return declared(code(benchmark.name, "unpredicted"), benchmark.unpredicted or "it has no model")


def state_title(state: State) -> Fact:
    """Return `near processors`, `far processors with a slow clock`, `base pages`: what is known of the state; else that
    it was not recorded, or that no launch like it was in another one.
    """
    titles = [_LEVELS.get(level) or message("state-memory", policy=level) for level in state.levels]
    if not titles:
        return message("state-unknown") if "unknown" in state.each else message("state-only")
    if {state.distance, state.clock} <= {*state.levels}:
        titles[:2] = [message("state-both", distance=titles[0], clock=titles[1])]
    return reduce(lambda first, second: message("state-further", first=first, second=second), titles)


_LEVELS = {
    "near": message("state-near"),
    "far": message("state-far"),
    "slow": message("state-slow"),
    "fast": message("state-fast"),
    "moved": message("state-moved"),
    "huge": message("state-huge"),
    "base": message("state-base"),
}


def axis_title(axis: Axis) -> Message:
    """Return its title for the middle of a sentence: `memory policy`."""
    return declared(code("axis", axis.name), axis.title)


def axis_heading(axis: Axis) -> Message:
    """Return the heading of a way to vary launches: `Memory policy`."""
    if axis.name in (*AXES, BACKEND.name):
        return declared(code("axis", axis.name), axis.heading)
    return message("plan-variable", name=axis.name)


def axis_value(value: str) -> Fact:
    """Return a value as shown beside others of the same axis."""
    return message("plan-own") if value == OWN else value or message("plan-default")


def collection_noun(benchmark: str, collection: Collection) -> Message:
    return declared(code(benchmark, "collection"), collection.noun)


def statistic_title(benchmark: str, statistic: Statistic) -> Message:
    return declared(code(benchmark, "statistic", statistic.condition), statistic.title)


def check_title(benchmark: str, quantity: str) -> Message:
    """Return the title of what a program verified, which its record names in English:
    `dgemm-check-largest-error-of-C`.
    """
    return declared(code(benchmark, "check", quantity), quantity)


def seen_title(benchmark: str, condition: str) -> Message:
    """Return the title of what a program saw while it ran, which its record names in English: `ior-seen-read_from`."""
    return declared(code(benchmark, "seen", condition), condition.replace("_", " "))


def seen_value(benchmark: str, condition: str, value: str) -> Message:
    """Return the title of a value of such a condition, where it is a word of the program's:
    `ior-seen-read_from-cache`.
    """
    return declared(code(benchmark, "seen", condition, value), value)


def list_title(title: str) -> Message:
    """Return the name of a public list, which a benchmark declares: `list-HPCG-list`."""
    return declared(code("list", title), title)


def layout_title(ranks: int, threads: int) -> Message:
    """Return `2 ranks x 4 threads`, or `4 threads` of a single rank."""
    return message("plan-layout", ranks=ranks, threads=threads)


def layout_of(record: Record) -> Message:
    """Return the layout of a record, with the number of devices that its ranks drive."""
    layout = layout_title(record.ranks, record.threads)
    return message("plan-layout-devices", layout=layout, devices=len(record.devices)) if record.devices else layout


def along(name: str) -> Message:
    """Return the title of a curve's x-axis, which its record names in English: `along-message-size`."""
    return declared(code("along", name), name)


def noun(name: str) -> Message:
    """Return the title of what a benchmark sends: `noun-message`, one of it, and `noun-Messages`, their number."""
    return declared(code("noun", name), name)


def bound_source(source: str) -> Message | str:
    """Return the title of the source of a least time that a program knows, which its record names in English:
    `bound-the-rate-of-the-link`.
    """
    return declared(code("bound", source), source) if source else ""
