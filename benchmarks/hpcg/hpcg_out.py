"""Prints the official code's report, key by key in its order and nesting, so that scripts that read it keep working.

Its memory traffic is that of the official model, which is no lower bound. A case that failed has no rates, and one that
was not solved has only its verdict.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from banzuke.plan.official import Outcome

FILE = "HPCG-Benchmark_3.1_%Y-%m-%d_%H-%M-%S.txt"
LEVELS = 4
OFFICIAL_SECONDS = 1800
"""Shortest time of the timed sets for an official result, in seconds."""
PLAIN, PRECONDITIONED = (
    "CG iterations with a scaled diagonal, no preconditioner",
    "CG iterations with a scaled diagonal, preconditioned",
)
EXPECTED = {PLAIN: 12, PRECONDITIONED: 2}
"""Largest number of iterations that passes."""
LEAST_VARIANCE = 1e-6
PARTS = {"DDOT": "ddot", "WAXPBY": "waxpby", "SpMV": "spmv", "MG": "mg"}
GIGA = 1e9

Entry = tuple[str, "str | int | float | list[Entry]"]


def planes_of_layers(outcome: Outcome) -> Sequence[int]:
    """Return the planes of each layer of ranks along the axis in `layer_axis`; empty if all boxes are equal, or the
    record does not say.
    """
    shares, axis = outcome.conditions.get("layer_shares"), outcome.conditions.get("layer_axis")
    if not isinstance(shares, list) or axis not in ("x", "y", "z"):
        return []
    if not all(isinstance(share, int | float) and 0 < share < 1 for share in shares):
        return []
    whole = int(outcome.parameters[f"n{axis}"]) * len(shares)
    planes = [round(share * whole) for share in shares]
    return planes if len(set(planes)) > 1 else []


def results(outcomes: Sequence[Outcome]) -> str:
    return "".join("\n".join(_lines(_document(outcome))) + "\n" for outcome in outcomes)


def _lines(entries: Iterable[Entry]) -> Iterator[str]:
    yield from ("HPCG-Benchmark", "version=3.1")
    yield from _nested(entries, "")


def _nested(entries: Iterable[Entry], prefix: str) -> Iterator[str]:
    for key, value in entries:
        if isinstance(value, list):
            yield f"{prefix}{key}="
            yield from _nested(value, f"{prefix}{key}::")
        else:
            yield f"{prefix}{key}={value:g}" if isinstance(value, float) else f"{prefix}{key}={value}"


@dataclass(frozen=True)
class _Level:
    points: int
    nonzeros: int

    @classmethod
    def of(cls, extent: Sequence[int]) -> "_Level":
        """Return the level whose matrix is the 27-point stencil on a box."""
        return cls(math.prod(extent), math.prod(3 * points - 2 for points in extent))


class _Conditions:
    """The conditions of a case, from its record."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.local = [int(outcome.parameters[name]) for name in ("nx", "ny", "nz")]
        self.grid = [self.whole(name) for name in ("px", "py", "pz")]
        self.all = [points * ranks for points, ranks in zip(self.local, self.grid, strict=True)]
        self.planes = planes_of_layers(outcome)
        """Planes of each layer of ranks along `axis`, if they are unequal."""
        self.axis = str(outcome.conditions.get("layer_axis"))
        if self.planes:
            self.local["xyz".index(self.axis)] = self.planes[0]
        self.levels = [_Level.of([points >> level for points in self.all]) for level in range(LEVELS)]
        self.iterations = self.whole("optimized_iterations")
        self.sets = self.whole("sets")
        self.flops = {key: self.real(f"flops_{name}") for key, name in PARTS.items()}
        raw = outcome.values.get("raw_flop_rate")
        self.seconds = sum(self.flops.values()) / raw if raw else self.real("timed_seconds")
        """Seconds of the sets, as the rating counts them; the record's `timed_seconds` includes the time between sets.
        """
        self.setup = self.real("setup_seconds")
        self.optimisation = self.real("optimization_seconds")
        self.overhead = self.seconds + self.sets * (self.optimisation + self.setup) / 10
        self.converged = self.real("reference_iterations") / max(1, self.iterations)
        """Share of the iterations that counts: the reference's number of iterations over ours."""

    def real(self, name: str) -> float:
        value = self.outcome.number(name)
        return math.nan if value is None else value

    def whole(self, name: str) -> int:
        value = self.real(name)
        return int(value) if math.isfinite(value) else 0

    def check(self, quantity: str) -> float:
        value = self.outcome.checks.get(quantity)
        return math.nan if value is None else value


def _document(outcome: Outcome) -> list[Entry]:
    seen = _Conditions(outcome)
    release: Entry = ("Release date", "March 28, 2019")
    if not seen.sets:
        return [release, ("Final Summary", _summary(seen))]
    return [
        release,
        *_problem(seen),
        *_memory(seen),
        *_tests(seen),
        *_performance(seen),
        ("Final Summary", _summary(seen)),
    ]


def _problem(seen: _Conditions) -> list[Entry]:
    coarse: list[Entry] = []
    for number, level in enumerate(seen.levels[1:], 1):
        coarse += [
            ("Grid Level", number),
            ("Number of Equations", level.points),
            ("Number of Nonzero Terms", level.nonzeros),
            ("Number of Presmoother Steps", 1),
            ("Number of Postsmoother Steps", 1),
        ]
    nx, ny, _ = seen.local
    return [
        (
            "Machine Summary",
            [("Distributed Processes", seen.outcome.ranks), ("Threads per processes", seen.outcome.threads)],
        ),
        ("Global Problem Dimensions", list(zip(("Global nx", "Global ny", "Global nz"), seen.all, strict=True))),
        ("Processor Dimensions", list(zip(("npx", "npy", "npz"), seen.grid, strict=True))),
        ("Local Domain Dimensions", [("nx", nx), ("ny", ny), *_zones(seen)]),
        ("########## Problem Summary  ##########", []),
        ("Setup Information", [("Setup Time", seen.setup)]),
        (
            "Linear System Information",
            [("Number of Equations", seen.levels[0].points), ("Number of Nonzero Terms", seen.levels[0].nonzeros)],
        ),
        ("Multigrid Information", [("Number of coarse grid levels", LEVELS - 1), ("Coarse Grids", coarse)]),
    ]


def _zones(seen: _Conditions) -> Iterator[Entry]:
    """Yield the zones of the process grid along z whose boxes have as many planes, as the official code writes them.

    Along x and y it has one size of a box: that of the first rank.
    """
    layers = seen.planes if seen.planes and seen.axis == "z" else [seen.local[2]] * max(1, seen.grid[2])
    first = 0
    for planes, alike in groupby(layers):
        end = first + len(list(alike))
        yield from (("Lower ipz", first), ("Upper ipz", end - 1), ("nz", planes))
        first = end


def _memory(seen: _Conditions) -> list[Entry]:
    """Return the memory of each part; all but the optimised matrices is split among levels by their points."""
    total, optimised = seen.real("memory_bytes"), seen.real("matrix_bytes")
    points = sum(level.points for level in seen.levels)
    of_levels = [(total - optimised) * level.points / max(1, points) / GIGA for level in seen.levels]
    coarse: list[Entry] = []
    for number, share in enumerate(of_levels[1:], 1):
        coarse += [("Grid Level", number), ("Memory used", share)]
    return [
        ("########## Memory Use Summary  ##########", []),
        (
            "Memory Use Information",
            [
                ("Total memory used for data (Gbytes)", total / GIGA),
                ("Memory used for OptimizeProblem data (Gbytes)", optimised / GIGA),
                ("Bytes per equation (Total memory / Number of Equations)", total / max(1, seen.levels[0].points)),
                ("Memory used for linear system and CG (Gbytes)", of_levels[0]),
                ("Coarse Grids", coarse),
            ],
        ),
    ]


def _tests(seen: _Conditions) -> list[Entry]:
    def iterations(quantity: str) -> list[Entry]:
        value = seen.check(quantity)
        count: int | float = int(value) if math.isfinite(value) else value
        return [("Maximum iteration count", count), ("Expected iteration count", EXPECTED[quantity])]

    spmv, mg = seen.real("symmetry_spmv"), seen.real("symmetry_mg")
    mean, variance = seen.real("final_residual_mean"), seen.real("final_residual_variance")
    reference = seen.whole("reference_iterations")
    return [
        ("########## V&V Testing Summary  ##########", []),
        (
            "Spectral Convergence Tests",
            [
                _result(all(seen.check(quantity) <= most for quantity, most in EXPECTED.items())),
                ("Unpreconditioned", iterations(PLAIN)),
                ("Preconditioned", iterations(PRECONDITIONED)),
            ],
        ),
        (
            "Departure from Symmetry |x'Ay-y'Ax|/(2*||x||*||A||*||y||)/epsilon",
            [_result(spmv <= 1 and mg <= 1), ("Departure for SpMV", spmv), ("Departure for MG", mg)],
        ),
        ("########## Iterations Summary  ##########", []),
        (
            "Iteration Count Information",
            [
                _result(mean <= seen.real("reference_residual_reduction") * (1 + 1e-6)),
                ("Reference CG iterations per set", reference),
                ("Optimized CG iterations per set", seen.iterations),
                ("Total number of reference iterations", reference * seen.sets),
                ("Total number of optimized iterations", seen.iterations * seen.sets),
            ],
        ),
        ("########## Reproducibility Summary  ##########", []),
        (
            "Reproducibility Information",
            [
                _result(variance < LEAST_VARIANCE),
                ("Scaled residual mean", mean),
                ("Scaled residual variance", variance),
            ],
        ),
    ]


def _result(passed: bool) -> Entry:  # noqa: FBT001  (the only thing it is about)
    return "Result", "PASSED" if passed else "FAILED"


def _performance(seen: _Conditions) -> list[Entry]:
    seconds = {key: seen.real(f"seconds_{name}") for key, name in PARTS.items()}
    flops = seen.flops
    total = sum(flops.values())
    reads, writes = _official_traffic(seen)
    entries: list[Entry] = [
        ("########## Performance Summary (times in sec) ##########", []),
        (
            "Benchmark Time Summary",
            [("Optimization phase", seen.optimisation), *seconds.items(), ("Total", seen.seconds)],
        ),
        (
            "Floating Point Operations Summary",
            [
                *((f"Raw {key}", value) for key, value in flops.items()),
                ("Total", total),
                ("Total with convergence overhead", total * seen.converged),
            ],
        ),
    ]
    if seen.outcome.status == "ok":
        rate = seen.outcome.values["flop_rate"]
        entries += [
            (
                "GB/s Summary",
                [
                    ("Raw Read B/W", reads / seen.seconds / GIGA),
                    ("Raw Write B/W", writes / seen.seconds / GIGA),
                    ("Raw Total B/W", (reads + writes) / seen.seconds / GIGA),
                    (
                        "Total with convergence and optimization phase overhead",
                        (reads + writes) * seen.converged / seen.overhead / GIGA,
                    ),
                ],
            ),
            (
                "GFLOP/s Summary",
                [
                    *((f"Raw {key}", value / max(seconds[key], 1e-9) / GIGA) for key, value in flops.items()),
                    ("Raw Total", total / seen.seconds / GIGA),
                    ("Total with convergence overhead", total * seen.converged / seen.seconds / GIGA),
                    ("Total with convergence and optimization phase overhead", rate / GIGA),
                ],
            ),
        ]
    times = ("min", "max", "mean")
    least, most, mean = (seen.real(f"seconds_allreduce_{name}") for name in times)
    entries += [
        (
            "User Optimization Overheads",
            [
                ("Optimization phase time (sec)", seen.optimisation),
                (
                    "Optimization phase time vs reference SpMV+MG time",
                    seen.optimisation / max(seen.real("reference_spmv_mg_seconds"), 1e-9),
                ),
            ],
        ),
        (
            "DDOT Timing Variations",
            [
                ("Min DDOT MPI_Allreduce time", least),
                ("Max DDOT MPI_Allreduce time", most),
                ("Avg DDOT MPI_Allreduce time", mean),
            ],
        ),
    ]
    return entries


def _official_traffic(seen: _Conditions) -> tuple[float, float]:
    """Return the bytes read and written in all sets by the official model: 8 for a value, 4 for a column index, and
    every operand of a call.

    The official model counts the writes of the residual and of the second sweep as if every nonzero were a row.
    """
    sweeps = seen.sets * seen.iterations
    fine = seen.levels[0]
    vectors = 3 * sweeps + seen.sets
    reads = vectors * 4 * 8.0 * fine.points
    writes = vectors * 8.0 * (fine.points + 1)

    def matrix(passes: int, level: _Level) -> float:
        return 12.0 * passes * level.nonzeros + 8.0 * level.points

    reads += (sweeps + seen.sets) * matrix(1, fine)
    writes += (sweeps + seen.sets) * 8.0 * fine.points
    for level in seen.levels[:-1]:
        reads += sweeps * (2 * matrix(2, level) + matrix(1, level))
        writes += sweeps * 8.0 * (level.points + 2 * level.nonzeros)
    reads += sweeps * matrix(2, seen.levels[-1])
    writes += sweeps * 8.0 * seen.levels[-1].points
    return reads, writes


def _summary(seen: _Conditions) -> list[Entry]:
    if seen.outcome.status != "ok":
        return [
            ("HPCG result is", "INVALID."),
            ("Please review the YAML file contents", "You may NOT submit these results for consideration."),
            ("Reason", " ".join((seen.outcome.reason or seen.outcome.status).split())),
        ]
    rate = seen.outcome.values["flop_rate"] / GIGA
    without_setup = seen.overhead - seen.sets * seen.setup / 10
    entries: list[Entry] = [
        ("HPCG result is VALID with a GFLOP/s rating of", rate),
        ("HPCG 2.4 rating for historical reasons is", rate * seen.overhead / without_setup),
    ]
    if seen.planes:
        shares = ":".join(map(str, seen.planes))
        entries += [
            (f"Results are valid but layers of processes along {seen.axis} have unequal boxes of planes", shares),
            ("Official results must have", "equal boxes"),
        ]
    elif seen.seconds >= OFFICIAL_SECONDS:
        return [*entries, ("Please upload results from the YAML file contents to", "http://hpcg-benchmark.org")]
    if seen.seconds >= OFFICIAL_SECONDS:
        return entries
    return [
        *entries,
        ("Results are valid but execution time (sec) is", seen.seconds),
        ("Official results execution time (sec) must be at least", OFFICIAL_SECONDS),
    ]
