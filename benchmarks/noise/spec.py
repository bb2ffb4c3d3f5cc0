"""Noise's policy: short measurements on all cores at once and on a single one, and the metrics."""

from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Benchmark, Layout, Metric, Scalar, Sizing
from banzuke.plan.screening import Screening

SECONDS = 6.13
"""Seconds of the samples in a short run: 1,000 quanta. Published figures have 60,000."""
WARM_UP, WARM_QUANTA = 2.0, 1000
SLOWER = 1.3
"""Mean time of a quantum over that on the fastest core without disturbances."""


def defaults(_machine: Machine, layout: Layout) -> dict[str, Scalar]:
    return {"seconds": layout.seconds or SECONDS}


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of fixed work on all cores (the headline) and on one (to see mutual effects), and of fixed time on
    all.
    """
    whole = Layout(ranks=1, threads=machine.allotment.usable_cores)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(whole, {}), (whole, {"test": "ftq", "seconds": SECONDS / 2})]
    if whole.threads > 1:
        cases.insert(1, (Layout(ranks=1, threads=1), {}))
    return cases


def seconds(ask: Ask, _machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    problem = ask(layout, parameters).problem
    quantum, samples = problem.number("quantum_wanted"), problem.number("samples_wanted")
    return SLOWER * samples * quantum + min(WARM_UP, WARM_QUANTA * quantum) + 0.3


def noise(name: str, title: str, unit: str = "s", *, headline: bool = False, extreme: bool = False) -> Metric:
    return Metric(name, unit, "lower", title, headline=headline, extreme=extreme)


BENCHMARK = Benchmark(
    name="noise",
    title="OS noise",
    aspect="noise",
    unpredicted="what else runs on a machine is in no description",
    metrics=(
        noise("maximum_noise", "Maximum noise", headline=True, extreme=True),
        noise("noise_p999", "Noise, 99.9th percentile", headline=True),
        noise("noise_share", "Share of the time", "1", headline=True),
        noise("mean_noise", "Mean noise"),
        noise("noise_p50", "Noise, median"),
        noise("noise_p99", "Noise, 99th percentile"),
        noise("noise_p9999", "Noise, 99.99th percentile", extreme=True),
        noise("maximum_noise_beyond_clock", "Maximum noise beyond the clock", extreme=True),
        noise("noise_share_beyond_clock", "Share of the time beyond the clock", "1"),
        noise("noise_rate_1us", "Quanta with more than 1 us", "1/s"),
        noise("noise_rate_10us", "Quanta with more than 10 us", "1/s"),
        noise("noise_rate_100us", "Quanta with more than 100 us", "1/s"),
        noise("core_maximum_noise", "Maximum noise of a core", extreme=True),
        noise("core_noise_share", "Share of a core's time", "1"),
    ),
    defaults=defaults,
    sweep=sweep,
    seconds=Asking(seconds),
    screening=Screening(("processors", "pages")),
    sizing=Sizing(lengths=(2.0, 60.0), duration="seconds", method=("seconds", "samples")),
)
