"""Prints which goals the comparisons in a file meet, and the records in another, and SpMV's ratios matrix by matrix.

It runs on a machine without the front end, with Python 3.8 or newer.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Goal(NamedTuple):
    name: str
    """The goal's name in comparisons."""
    title: str
    least: float
    """Smallest ratio: how many times as fast ours is, or the share of a peak."""
    otherwise: str
    """The likely reason if nothing was measured."""


GOALS = (
    Goal("triad of peak", "Triad / the memory's theoretical rate", 0.92, "the device's memory clock is unknown"),
    Goal("babelstream", "Triad / BabelStream's", 1.0, "let BANZUKE_BABELSTREAM be its executable"),
    Goal("dgemm", "DGEMM / the library called directly", 0.95, "cuBLAS was not found: see log.txt"),
    Goal("hpl", "HPL / DGEMM of order 8192", 0.75, "it takes the part figures, and cuBLAS: see log.txt"),
    Goal("hpl streamed", "HPL half in host memory / in device memory", 0.75, "it takes the part figures: see log.txt"),
    Goal("hpcg", "HPCG / what Triad allows", 0.8, "it takes the part figures: see log.txt"),
    Goal("spmv", "SpMV / the library's fastest, geometric mean", 1.0, "cuSPARSE was not found: see log.txt"),
    Goal("geofem", "GeoFEM's counted loads / loads alone", 0.8, "the device's memory is too small"),
    Goal("fft", "FFT / the library called directly", 0.95, "cuFFT was not found: see log.txt"),
    Goal("fft library", "FFT by the library / the library called directly", 0.95, "cuFFT was not found: see log.txt"),
    Goal("transfer", "Transfers / nvbandwidth's", 0.97, "let BANZUKE_NVBANDWIDTH be its executable"),
)
OF_A_MATRIX = "of a matrix"
HPCG_FLOPS = 0.223
"""Flops of HPCG for each byte that Triad moves in the same time."""
ORDER = 8192
"""DGEMM's, with which HPL is compared."""
STREAMED, HELD = 73728, 36864
"""Order and columns on the device of HPL with half of its matrix in host memory. 0.75 of its rate in device memory is
0.7 of the sum of the device's rate and the processors', as long as these have at most 7% of the device's.
"""


def quartiles(values: list[float]) -> tuple[float, float, float]:
    ordered = sorted(values)

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        below = math.floor(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (place - below) * (ordered[above] - ordered[below])

    return at(0.25), statistics.median(ordered), at(0.75)


def verdict(goal: Goal, values: list[float]) -> str:
    low, middle, high = quartiles(values)
    word = "met" if middle >= goal.least else "NOT MET"
    return word + (", within the spread" if low < goal.least < high else "")


def goals(lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of the goals with their ratios and verdicts, then comparisons without a goal."""
    comparisons = list(lines)
    yield f"{'goal':46} {'at least':>8} {'ratio':>7} {'quartiles':>15}  verdict"
    for goal in GOALS:
        own = [line for line in comparisons if line["goal"] == goal.name and line["ratios"]]
        if not own:
            yield f"{goal.title:46} {goal.least:8.2f} {'-':>7} {'-':>15}  not measured: {goal.otherwise}"
        for line in own:
            low, middle, high = quartiles(line["ratios"])
            spread = f"{low:.3f} to {high:.3f}"
            yield f"{goal.title:46} {goal.least:8.2f} {middle:7.3f} {spread:>15}  {verdict(goal, line['ratios'])}"
            yield f"    {rates_of(line)}"
    for line in comparisons:
        if not line["goal"]:
            low, middle, high = quartiles(line["ratios"])
            spread = f"{low:.3f} to {high:.3f}"
            yield f"{line['subject'] + ' / ' + line['beside']:55} {middle:7.3f} {spread:>15}  no goal"


def of_records(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield comparisons between figures of the same device: HPL with DGEMM and with itself, HPCG with Triad."""
    own = [record for record in records if record["backend"] in {"cuda", "hip"} and record["status"] == "ok"]

    def fastest(benchmark: str, metric: str, **parameters: int) -> list[float]:
        samples = [
            record["metrics"][metric]["samples"]
            for record in own
            if record["benchmark"] == benchmark
            and all(record["parameters"].get(name, 0) == value for name, value in parameters.items())
        ]
        return max(samples, key=statistics.median, default=[])

    dgemm = fastest("dgemm", "flop_rate", m=ORDER, n=ORDER, k=ORDER)
    triad = fastest("stream", "triad_bandwidth")
    allowed = [HPCG_FLOPS * rate for rate in triad]
    streamed, in_memory = (fastest("hpl", "flop_rate", n=STREAMED, held=held) for held in (HELD, 0))
    for goal, rates, others, beside in (
        ("hpl", fastest("hpl", "flop_rate"), dgemm, f"DGEMM of order {ORDER}"),
        ("hpl streamed", streamed, in_memory, f"n = {STREAMED} in device memory"),
        ("hpcg", fastest("hpcg", "flop_rate"), allowed, f"{HPCG_FLOPS} flop/B x Triad"),
    ):
        if rates and others:
            other = statistics.median(others)
            yield {
                "goal": goal,
                "subject": goal.upper(),
                "beside": beside,
                "ratios": [rate / other for rate in rates],
                "rate": statistics.median(rates),
                "beside_rate": other,
                "unit": "flop/s",
            }


def rates_of(line: dict[str, Any]) -> str:
    rates = f": {line['rate']:.4g} and {line['beside_rate']:.4g} {line['unit']}" if "unit" in line else ""
    slower = f"; {line['slower']} of {line['matrices']} are slower" if "slower" in line else ""
    return f"{line['subject']}, and {line['beside']}{rates}{slower}"


def matrices(lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of families over sizes: the ratio, and which of our formats was used (s: SELL, c: CSR)."""
    own = [line for line in lines if line["goal"] == OF_A_MATRIX]
    if not own:
        return
    sizes = sorted({line["asked"] for line in own})
    cells = {(line["family"], line["asked"]): line for line in own}
    yield "SpMV: how many times as fast as the library's fastest, over non-zeros; s: by SELL, c: by CSR"
    yield f"{'':22}" + "".join(f"{size:>9}" for size in sizes)
    for family in dict.fromkeys(line["family"] for line in own):
        row = f"{family:22}"
        for size in sizes:
            line = cells.get((family, size))
            row += f"{statistics.median(line['ratios']):8.2f}{line['chosen'][:1]}" if line else f"{'-':>9}"
        yield row


def objects_of(path: str) -> list[dict[str, Any]]:
    """Return the whole lines of JSON in a file; the last line of a program that was stopped may be none."""
    objects = []
    for text in Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            objects += [json.loads(text)] if text.startswith("{") else []
        except ValueError:
            continue
    return objects


if __name__ == "__main__":
    comparisons = [line for line in objects_of(sys.argv[1]) if "goal" in line]  # others are of kernels alone
    records = [line for path in sys.argv[2:] for line in objects_of(path) if "benchmark" in line]
    comparisons += of_records(records)
    print("\n".join([*matrices(comparisons), *goals(comparisons)]))
