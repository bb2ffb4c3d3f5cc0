"""Every condition that a program writes has words in each language."""

import re

import pytest

from banzuke.paths import BENCHMARKS
from banzuke.report.settings import CONDITIONS, ENDINGS, UNSHOWN
from banzuke.words.language import LANGUAGES
from banzuke.words.testing import COMPUTED, written_conditions

TRANSLATED = sorted(file.parent.name for file in BENCHMARKS.glob("*/ja.ftl"))
PARTS = {"minimum", "average", "maximum"}
"""Keys within a condition."""


def without_unit(name: str) -> str:
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


@pytest.mark.catalogue
@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
@pytest.mark.parametrize("name", TRANSLATED)
def test_what_a_program_sees_has_words(name: str, language: str) -> None:
    words = (BENCHMARKS / name / f"{language}.ftl").read_text(encoding="utf-8")
    titled = set(re.findall(rf"^{name}-seen-(\S+) =", words, re.MULTILINE))
    written = written_conditions(BENCHMARKS / name) - UNSHOWN
    lacking = {f"{name}-seen-{without_unit(condition)}" for condition in written - CONDITIONS.keys()}
    assert not sorted(lacking - {f"{name}-seen-{title}" for title in titled}), f"{language}.ftl lacks these"
    beginnings = tuple(f"{without_unit(condition)}-" for condition in written)
    assert not [title for title in titled if not f"{title}-".startswith(beginnings)], "nothing writes these"


def test_what_all_programs_see_has_words() -> None:
    common = written_conditions(BENCHMARKS.parent / "core")
    assert {"exchange_latency", "clock_fastest_hz", "thread_rates", "network_bytes", "footprint"} <= common
    assert common - UNSHOWN - PARTS <= CONDITIONS.keys()


def test_conditions_are_read_from_the_sources() -> None:
    """The names that each way of writing them adds are read."""
    by_benchmark = {name: written_conditions(BENCHMARKS / name) for name in (*COMPUTED, "spmv", "noise", "fft", "ior")}
    assert {"pivots", "generation_seconds", "slabs", "device_idle_seconds"} <= by_benchmark["hpl"]
    assert {"row_max", "row_cv", "rows", "l2_cache"} <= by_benchmark["spmv"]
    assert {"seconds_ddot", "equations"} <= by_benchmark["hpcg"]
    assert {"quantum", "samples_wanted", "method"} <= by_benchmark["noise"]
    assert {"planning_seconds", "exchange_overlap_seconds", "n1"} <= by_benchmark["fft"]
    assert {"cached_below", "storage_bytes"} <= by_benchmark["ior"]
