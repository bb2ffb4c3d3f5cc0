"""The words that records and descriptions use by themselves: a host of such a name is not recognised by the word alone.

They come from the models, the benchmarks and the record itself, so that no list has to be kept.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from banzuke.environment.registry import NAMES
from banzuke.machine.discover import PARTITION
from banzuke.machine.model import Machine
from banzuke.plan.axes import AXES
from banzuke.plan.benchmark import Benchmark
from banzuke.publish.tree import Json, words_of
from banzuke.record.model import Record

PSEUDONYMS = (
    "node",
    "user",
    "path",
    "machine",
    "device",
    "job",
    "run",
    "url",
    "mail",
    "address",
    "id",
    "domain",
    "area",
)
"""Words with which pseudonyms begin."""
_NAMED = ("metrics", "curves", "pairs", "series", "distributions", "conditions", "parameters")
"""Tables of a record whose keys are names that programs declare."""
_SOFTWARE = ("compiler", "flags", "mpi", "blas", "blas_path", "blas_choice", "library")
"""Names in a record's software that judgements read; programs may add any."""
_HARDWARE = ("model", "vendor", "architecture", "microarchitecture", "simd", "kind", "distribution", "hypervisor")
"""Keys of a description whose values are products."""
_FREE_AXES = ("build", "image")
"""Axes whose values a user chooses freely."""


def vocabulary(
    records: Iterable[Json],
    machine: Json,
    benchmarks: Mapping[str, Benchmark],
    is_known: Callable[[str], bool] = lambda _: False,
) -> frozenset[str]:
    """Return all such words in lower case.

    `is_known`: whether a word is the name of a host or a user. Users' settings and the keys of a record may be one as
    a whole, and are then no ordinary words.
    """
    words = set(_of_models()) | set(_of_benchmarks(benchmarks.values())) | set(PSEUDONYMS)
    for text in _of_machine(machine):
        words.update(_whole_and_parts(text))
    seen: set[str] = set()
    chosen: set[str] = set()
    for record in records:
        seen.update(_of_record(record))
        chosen.update(_of_choices(record))
    for text in seen.union(text for text in chosen if not is_known(text)):
        words.update(_whole_and_parts(text))
    return frozenset(words)


def _whole_and_parts(text: str) -> Iterator[str]:
    yield text.casefold()
    yield from words_of(text)


@cache
def _of_models() -> frozenset[str]:
    """Return the words in names of fields, and the values that fields may have."""
    models = (Record.model_json_schema(), Machine.model_json_schema())
    texts = [*(text for model in models for text in _schema(model)), *_SOFTWARE, PARTITION, *NAMES, *AXES]
    return frozenset(word for text in texts for word in _whole_and_parts(text))


def _schema(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from node.get("properties", {})
        for name in ("enum", "const"):
            values = node.get(name, [])
            yield from (value for value in (values if isinstance(values, list) else [values]) if isinstance(value, str))
        for value in node.values():
            yield from _schema(value)
    elif isinstance(node, list):
        for value in node:
            yield from _schema(value)


def _of_benchmarks(benchmarks: Iterable[Benchmark]) -> Iterator[str]:
    for benchmark in benchmarks:
        names = [benchmark.name, benchmark.default_backend]
        names += [text for metric in benchmark.metrics for text in (metric.name, metric.unit)]
        names += [resource.name for resource in benchmark.resources.measures]
        for name in names:
            yield from _whole_and_parts(name)


def _of_record(record: Json) -> Iterator[str]:
    """Yield the names that its program declares."""
    yield from (record["benchmark"], record["backend"])
    yield from (record.get("breakdown") or {}).get("seconds", {})
    for samples in (record.get("metrics") or {}).values():
        yield samples["unit"]
        yield from (demand["resource"] for demand in samples.get("demand", []))
    for group in record["groups"]:
        yield group["program"]
        yield from (value for bound in group["binding"] for value in bound.values() if isinstance(value, str))


def _of_choices(record: Json) -> Iterator[str]:
    """Yield the keys of its tables and the settings that are words."""
    for table in _NAMED:
        yield from filter(_is_word, record.get(table) or {})
    yield from (text for text in record["parameters"].values() if isinstance(text, str) and _is_word(text))
    own = record.get("provenance") or {}
    yield from filter(None, (own.get("placement"), own.get("environment")))
    yield from (
        value
        for name, value in own.get("variant", {}).items()
        if name in AXES and name not in _FREE_AXES and _is_word(value)
    )


def _is_word(text: str) -> bool:
    """Return whether a setting is a choice such as `ring-modified`, not a name or a path."""
    return len(text) <= 40 and text == text.lower() and text.replace("-", "").replace("_", "").isalnum()


def _of_machine(node: Json) -> Iterator[str]:
    """Yield the names of products, and of what a node has."""
    if isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str) and key in _HARDWARE:
                yield value
            if key == "devices" and isinstance(value, list):
                yield from (entry["name"] for entry in value if isinstance(entry, dict) and "name" in entry)
            if key in ("compilers", "peaks", "rates", "kinds", "kernel", "libraries") and isinstance(value, dict):
                yield from value
            if key == "blas" and isinstance(value, list):
                yield from (entry["name"] for entry in value if isinstance(entry, dict) and "name" in entry)
            yield from _of_machine(value)
    elif isinstance(node, list):
        for value in node:
            yield from _of_machine(value)
