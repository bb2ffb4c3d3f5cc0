"""FFT's policy."""

from banzuke.plan.benchmark import Benchmark, Metric

BENCHMARK = Benchmark(
    name="fft",
    title="FFT",
    metrics=(Metric("flop_rate", "flop/s", "higher", "FFT", headline=True), Metric("time", "s", "lower", "FFT time")),
    size=("n",),
)
