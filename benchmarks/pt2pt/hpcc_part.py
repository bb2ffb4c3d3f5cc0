"""The part of messages of the HPC Challenge: rings of all ranks, and pairs of them."""

from collections.abc import Mapping, Sequence
from statistics import fmean, geometric_mean

from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.suite import PartCase, PartLines, SuitePart, SuiteProblem

ROLE = "LatencyBandwidth"
RULE = "-" * 66
MICROSECOND, MILLISECOND, MEGA, GIGA = 1e-6, 1e-3, 1e6, 1e9


def cases(problem: SuiteProblem, _read: InputCases | None) -> list[PartCase]:
    """Return the case, if there is more than one rank."""
    return [PartCase(ROLE, problem.ranks, 1, {"test": "rings"})] if problem.ranks > 1 else []


def lines(outcomes: Mapping[str, Sequence[Outcome]]) -> PartLines:
    """Return the sections and the values of the summary."""
    outcome = next(iter(outcomes.get(ROLE, ())), None)
    if outcome is None:
        return PartLines()
    if outcome.status != "ok":
        return PartLines({ROLE: f"{outcome.reason}\n"})
    pair, speed = outcome.samples["ping_pong_latency"], outcome.samples["ping_pong_bandwidth"]
    natural, random = min(outcome.samples["natural_ring_latency"]), outcome.samples["random_ring_latency"]
    natural_speed, random_speed = (outcome.samples[f"{ring}_ring_bandwidth"] for ring in ("natural", "random"))
    seconds = {"Max": max(pair), "Min": min(pair), "Avg": fmean(pair)}
    rates = {"Max": max(speed), "Min": min(speed), "Avg": fmean(speed)}
    values = {f"{name}PingPongLatency_usec": f"{value / MICROSECOND:g}" for name, value in seconds.items()}
    values |= {f"{name}PingPongBandwidth_GBytes": f"{value / GIGA:g}" for name, value in rates.items()}
    values |= {
        "NaturallyOrderedRingLatency_usec": f"{natural / MICROSECOND:g}",
        "RandomlyOrderedRingLatency_usec": f"{geometric_mean(random) / MICROSECOND:g}",
        "NaturallyOrderedRingBandwidth_GBytes": f"{max(natural_speed) / GIGA:g}",
        "RandomlyOrderedRingBandwidth_GBytes": f"{geometric_mean(random_speed) / GIGA:g}",
    }
    if tick := outcome.number("clock_tick"):
        values["MPI_Wtick"] = f"{tick:e}"
    in_order = (natural, max(natural_speed)), (geometric_mean(random), geometric_mean(random_speed))
    return PartLines({ROLE: _section(outcome, seconds, rates, in_order)}, values)


def _section(
    outcome: Outcome,
    seconds: Mapping[str, float],
    rates: Mapping[str, float],
    rings: tuple[tuple[float, float], tuple[float, float]],
) -> str:
    """Return the lines of the official code; latencies are in ms, bandwidths in MB/s."""
    (natural, natural_rate), (random, random_rate) = rings
    of_pairs = " / ".join(f"{seconds[name] / MILLISECOND:10.6f}" for name in ("Min", "Avg", "Max"))
    rates_of_pairs = " / ".join(f"{rates[name] / MEGA:10.3f}" for name in ("Min", "Avg", "Max"))
    pairs, ranks = len(outcome.samples["ping_pong_latency"]), outcome.ranks
    return (
        f"\n{RULE}\nMajor Benchmark results:\n------------------------\n\n"
        f"Max Ping Pong Latency:            {seconds['Max'] / MILLISECOND:13.6f} msecs\n"
        f"Randomly Ordered Ring Latency:    {random / MILLISECOND:13.6f} msecs\n"
        f"Min Ping Pong Bandwidth:          {rates['Min'] / MEGA:13.6f} MB/s\n"
        f"Naturally Ordered Ring Bandwidth: {natural_rate / MEGA:13.6f} MB/s\n"
        f"Randomly  Ordered Ring Bandwidth: {random_rate / MEGA:13.6f} MB/s\n"
        f"\n{RULE}\n\nDetailed benchmark results:\nPing Pong:\n"
        f"Latency   min / avg / max: {of_pairs} msecs\n"
        f"Bandwidth min / avg / max: {rates_of_pairs} MByte/s\n"
        "Ring:\n"
        f"On naturally ordered ring: latency= {natural / MILLISECOND:13.6f} msec, "
        f"bandwidth= {natural_rate / MEGA:13.6f} MB/s\n"
        f"On randomly  ordered ring: latency= {random / MILLISECOND:13.6f} msec, "
        f"bandwidth= {random_rate / MEGA:13.6f} MB/s\n"
        f"\n{RULE}\n\nBenchmark conditions:\n"
        f" The latency   measurements were done with {8:8d} bytes\n"
        f" The bandwidth measurements were done with {2_000_000:8d} bytes\n"
        f" The ring communication was done in both directions on {ranks} processes\n"
        " The Ping Pong measurements were done on \n"
        f"  -  {pairs:10d} pairs of processes for latency benchmarking, and \n"
        f"  -  {len(outcome.samples['ping_pong_bandwidth']):10d} pairs of processes for bandwidth benchmarking, \n"
        f" out of {ranks}*({ranks}-1) = {ranks * (ranks - 1):10d} possible combinations on {ranks} processes.\n"
        " (1 MB/s = 10**6 byte/sec)\n"
        f"\n{RULE}\n"
    )


PART = SuitePart(cases, lines)
