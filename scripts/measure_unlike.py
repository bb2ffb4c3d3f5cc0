"""Measure what unlike processors reach together, in rounds in turn, as ratios of the runs of the same round.

    python -m scripts.measure_unlike product --k 1000 3000              # two equal groups; beside one call
    python -m scripts.measure_unlike product --k 1000 3000 --quota 3    # the second one has a third of the time
    python -m scripts.measure_unlike product --groups 0-2 3             # 3 to 1
    python -m scripts.measure_unlike system --quota 2 2.7 3             # HPL: shares by rates, more ranks, equal shares
    python -m scripts.measure_unlike system --rounds 60 --n 2048        # of equal cores: nothing is lost
    python -m scripts.measure_unlike nodes                              # three nodes with 100, 50 and 25%; needs root
    python -m scripts.measure_unlike nodes --ways deal=rates deal=4:2:1 deal=rates,broadcast=long
    python -m scripts.measure_unlike nodes --parts 1 1 --ways deal=equal    # what messages cost alike nodes

Each line has medians and quartiles over the rounds. The ratio to the sum is to what the parts reach alone: in the same
call of a product, and in the same round of a system. Quotas are control groups. `--other` is another build's program,
which takes part as "before". A run during which other programs took a processor for some of the time is repeated; if
all were disturbed, the round is left out. With `--kept FOLDER` rounds are kept there and the tables are of all of them,
so that many can be measured in pieces.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from banzuke.machine.discover import discover
from tests.conftest import SCRIPTS
from tests.control_groups import ControlGroup, Files, control_group
from tests.namespaces import NETWORK, joined_hosts

TRIES = 4
"""Most runs of a way in a round, while others disturb it."""


@dataclass(frozen=True)
class Place:
    """Where a rank runs."""

    processors: str
    group: Path | None = None
    """The file of a control group that its process joins."""
    threads: int = 1


@dataclass(frozen=True)
class Way:
    name: str
    run: Callable[[], Mapping[str, Any]]
    """Starts a program and returns its record."""


@dataclass
class Seen:
    rates: list[float] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)
    """Sums of the parts alone, where the record has them."""
    waits: list[list[float]] = field(default_factory=list)
    """Part of the time that each column of HPL's grid did not compute, where the record has it."""


@dataclass(frozen=True)
class Rounds:
    number: int
    kept: Path | None = None
    """Folder with rounds measured before, to which these are added."""
    disturbed: float = 1.0
    """Part of a processor from which on others disturb a round."""


def count_of(processors: str) -> int:
    """Return the number of processors of a list such as 0-2,5."""
    ends = [part.split("-") for part in processors.split(",")]
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)


@contextlib.contextmanager
def limited(part: float, period: float, *, first: bool = False) -> Iterator[Path | None]:
    """Yield the file by which a process joins a control group with this part of a processor; None for all of it.

    `period`: milliseconds in which the part is used up and given again. `first`: the group goes before other programs,
    which else have an equal part of each processor, however nice, where the kernel groups them by session; then there
    is a group also for all of a processor.
    """
    if part >= 1 and not first:
        yield None
        return

    def settings(made: ControlGroup) -> Files:
        folder, whole, limit = made.folders["cpu"], f"{1000 * period:.0f}", f"{1000 * part * period:.0f}"
        weight = [(folder / "cpu.weight", "10000") if made.unified else (folder / "cpu.shares", "262144")]
        if part >= 1:
            quota = []
        elif made.unified:
            quota = [(folder / "cpu.max", f"{limit} {whole}")]
        else:
            quota = [(folder / "cpu.cfs_period_us", whole), (folder / "cpu.cfs_quota_us", limit)]
        return [*(weight if first else []), *quota]

    with control_group(["cpu"], settings) as made:
        # seen also from a namespace whose /sys is another one
        yield Path(f"/proc/{os.getpid()}/root{made.folders['cpu'] / 'cgroup.procs'}")


def words_of(program: Path, place: Place, parameters: Mapping[str, object]) -> list[str]:
    """Return the command of one rank."""
    settings = [word for name, value in parameters.items() for word in (f"--{name}", str(value))]
    words = [str(program), *settings, "--binding", place.processors]
    if place.group is None:
        return words
    return ["sh", "-c", f'echo $$ > {shlex.quote(str(place.group))} && exec "$@"', "sh", *words]


@dataclass(frozen=True)
class Launch:
    """How ranks are started."""

    blas: str
    prefix: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    hosts: Sequence[str] = ()

    def run(self, program: Path, places: Sequence[Place], /, **parameters: object) -> Mapping[str, Any]:
        """Return the record of a run whose check passed; ends the script otherwise."""
        words = [*self.prefix, str(SCRIPTS / "mpiexec")]
        if self.hosts:
            words += ["-hosts", ",".join(self.hosts)]
        for number, place in enumerate(places):
            words += [":"] if number else []
            words += ["-n", "1", "-env", "OMP_NUM_THREADS", str(place.threads), *words_of(program, place, parameters)]
        environment = {**os.environ, "BANZUKE_BLAS": self.blas, **self.variables}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        record = next((json.loads(line) for line in done.stdout.splitlines()[::-1] if line.startswith("{")), None)
        if record is None or record["status"] != "ok":
            sys.exit(f"{shlex.join(words)} failed: {record['reason'] if record else done.stderr}")
        return dict(record)


def value_of(record: Mapping[str, Any], metric: str) -> float:
    return float(median(record["metrics"][metric]["samples"]))


def used_seconds() -> tuple[float, float]:
    """Return the processor time of all programs on this machine, and that of those started here."""
    user, nice, system = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:4])
    own = [os.times().user, os.times().system, os.times().children_user, os.times().children_system]
    return (user + nice + system) / os.sysconf("SC_CLK_TCK"), sum(own)


def run_undisturbed(way: Way, disturbed: float, tries: int = TRIES) -> tuple[Mapping[str, Any], float]:
    """Return the record of a run during which others used less of a processor, else of the last; and what they used."""
    (all_before, own_before), start = used_seconds(), time.monotonic()
    record = way.run()
    all_after, own_after = used_seconds()
    others = (all_after - all_before - (own_after - own_before)) / (time.monotonic() - start)
    return (record, others) if others < disturbed or tries == 1 else run_undisturbed(way, disturbed, tries - 1)


def run_round(ways: Sequence[Way], disturbed: float) -> dict[str, Any]:
    """Return what each way reached, and the most that others used meanwhile."""
    reached: dict[str, dict[str, Any]] = {}
    most = 0.0
    for way in ways:
        record, others = run_undisturbed(way, disturbed)
        most = max(most, others)
        reached[way.name] = {"rate": value_of(record, "flop_rate")}
        if "sum_of_parts" in record["metrics"]:
            reached[way.name]["sum"] = value_of(record, "sum_of_parts")
        if parts := record.get("conditions", {}).get("column_seconds"):
            totals = [sum(seconds) for seconds in zip(*parts.values(), strict=True)]
            reached[way.name]["waits"] = [1 - done / total for done, total in zip(parts["update"], totals, strict=True)]
    return {"others": most, "ways": reached}


def measure(heading: str, ways: Sequence[Way], rounds: Rounds) -> dict[str, Seen]:
    """Run all in turn so many times, each round with another one first; also returns what was kept under `heading`."""
    file = rounds.kept / f"{re.sub('[^a-z0-9.]+', '-', heading.lower())}.jsonl" if rounds.kept else None
    done = [json.loads(line) for line in file.read_text().splitlines()] if file and file.is_file() else []
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
    for number in range(len(done), len(done) + rounds.number):
        first = number % len(ways)
        done.append(run_round([*ways[first:], *ways[:first]], rounds.disturbed))
        if file:
            with file.open("a") as lines:
                lines.write(json.dumps(done[-1]) + "\n")
    seen = {way.name: Seen() for way in ways}
    quiet = [kept_round for kept_round in done if kept_round["others"] < rounds.disturbed]
    print(f"\n{heading}; {len(quiet)} rounds, {len(done) - len(quiet)} disturbed ones left out\n")
    for kept_round in quiet:
        for name, reached in kept_round["ways"].items():
            seen[name].rates.append(reached["rate"])
            seen[name].sums += [reached["sum"]] if "sum" in reached else []
            seen[name].waits += [reached["waits"]] if "waits" in reached else []
    return seen


def described(values: Sequence[float], scale: float = 1.0, digits: int = 3) -> str:
    """Return the median and the quartiles."""
    low, middle, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else 3 * [values[0]]
    return f"{middle / scale:.{digits}f} ({low / scale:.{digits}f} to {high / scale:.{digits}f})"


def table(seen: Mapping[str, Seen], base: str) -> Iterator[str]:
    """Yield a line for each way, beside the sum of the parts and beside the way `base`, pair by pair."""
    alone = [measured.rates for name, measured in seen.items() if name.startswith("alone")]
    sums = [sum(rates) for rates in zip(*alone, strict=True)]
    yield f"| way | Gflop/s | of the sum | of {base} | time not computing, by column |"
    yield "|---|---|---|---|---|"
    for name, measured in seen.items():
        parts = measured.sums or ([] if name.startswith("alone") else sums)
        of_sum = described([a / b for a, b in zip(measured.rates, parts, strict=True)]) if parts else ""
        other = seen[base].rates
        of_base = described([a / b for a, b in zip(measured.rates, other, strict=True)]) if name != base else ""
        waits = ", ".join(f"{median(column):.2f}" for column in zip(*measured.waits, strict=True))
        yield f"| {name} | {described(measured.rates, 1e9, 1)} | {of_sum} | {of_base} | {waits} |"


def print_table(heading: str, ways: Sequence[Way], rounds: Rounds, base: str) -> None:
    """Measure, and print the table, unless all rounds were disturbed."""
    seen = measure(heading, ways, rounds)
    print(*(table(seen, base) if seen[base].rates else []), sep="\n", flush=True)


def measure_products(asked: argparse.Namespace, launch: Launch) -> None:
    """Print a table for each k and quota."""
    program = SCRIPTS / "banzuke-dgemm-blas"
    counts = [count_of(group) for group in asked.groups]
    for ratio in asked.quota or [1.0]:
        with limited(counts[-1] / ratio if ratio > 1 else 1.0, asked.period) as joined:
            files = [None] * (len(counts) - 1) + [joined]
            places = [Place(*spot) for spot in zip(asked.groups, files, counts, strict=True)]
            for k in asked.k:
                shape = {"m": asked.m, "n": asked.n, "k": k, "repetitions": asked.repetitions}
                ways = []
                if joined is None:
                    together = Place(",".join(asked.groups), None, sum(counts))
                    ways.append(Way("one call", partial(launch.run, program, [together], **shape)))
                for split in asked.ways or ["equal", "rates", "adaptive"]:
                    ways.append(Way(split, partial(launch.run, program, places, **shape, split=split)))
                    if asked.other:
                        before = partial(launch.run, asked.other, places, **shape, split=split)
                        ways.append(Way(f"{split}, before", before))
                shares = f"groups {asked.groups}, the last has 1/{ratio:g}, period {asked.period:g} ms"
                heading = f"m = {asked.m}, n = {asked.n}, k = {k}, {shares}"
                print_table(heading, ways, asked.rounds, ways[0].name)


def fast_ranks(processors: str, count: int, period: float, stack: contextlib.ExitStack) -> list[Place]:
    """Return the places of so many ranks on these processors; where these are fewer, each rank has its part of them."""
    threads, part = max(1, count_of(processors) // count), count_of(processors) / count
    return [Place(processors, stack.enter_context(limited(part, period)), threads) for _ in range(count)]


def measure_systems(asked: argparse.Namespace, launch: Launch) -> None:
    """Print a table for each ratio of the fast group's rate to the slow one's: where each way wins."""
    program = SCRIPTS / "banzuke-hpl-blas"
    system = {"n": asked.n, "nb": asked.nb}
    fast, slow = asked.groups
    for ratio in asked.quota or [1.0]:
        with contextlib.ExitStack() as stack:
            joined = stack.enter_context(limited(count_of(slow) / ratio if ratio > 1 else 1.0, asked.period))
            ends = [Place(fast, None, count_of(fast)), Place(slow, joined, count_of(slow))]
            more = round(ratio * count_of(fast) / count_of(slow))
            ranks = [*fast_ranks(fast, more, asked.period, stack), ends[1]]
            both = system | {"p": 1, "q": 2}
            ways = [Way(deal, partial(launch.run, program, ends, **both, deal=deal)) for deal in ("equal", "rates")]
            ways.append(Way("alone, first", partial(launch.run, program, ends[:1], **system)))
            ways.append(Way("alone, second", partial(launch.run, program, ends[1:], **system)))
            for deal in ("equal", "rates") if more > 1 else ():
                shaped = system | {"p": 1, "q": len(ranks)}
                name = f"{more}+1 ranks, {deal}"
                ways.append(Way(name, partial(launch.run, program, ranks, **shaped, deal=deal)))
            if asked.other:
                ways.append(Way("equal, before", partial(launch.run, asked.other, ends, **both)))  # may know no deal
            shares = f"groups {asked.groups}, the second has 1/{ratio:g}, period {asked.period:g} ms"
            heading = f"n = {asked.n}, nb = {asked.nb}, {shares}"
            print_table(heading, ways, asked.rounds, "equal")


def settings_of(way: str) -> dict[str, str]:
    """Return the parameters of a way such as deal=4:2:1,nb=96."""
    return dict(setting.split("=", 1) for setting in way.split(","))


def measure_nodes(asked: argparse.Namespace, launch: Launch) -> None:
    """Print the table of nodes that have parts of a processor; with two processors, all but the first are on one."""
    program = SCRIPTS / "banzuke-hpl-blas"
    system = {"n": asked.n, "nb": asked.nb}
    names = [f"n{number}" for number in range(1, len(asked.parts) + 1)]
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        hosts = stack.enter_context(joined_hosts(folder, names))
        processors = [asked.groups[min(number, len(asked.groups) - 1)] for number in range(len(names))]
        parts = [stack.enter_context(limited(part, asked.period, first=True)) for part in asked.parts]
        places = [Place(processor, part) for processor, part in zip(processors, parts, strict=True)]
        variables = {**hosts.variables, **NETWORK}
        whole = Launch(launch.blas, hosts.on(names[0]), variables, names)
        both = system | {"p": 1, "q": len(names)}
        names_of_ways = asked.ways or ["deal=equal", "deal=rates"]
        ways = [Way(name, partial(whole.run, program, places, **(both | settings_of(name)))) for name in names_of_ways]
        for name, place in zip(names, places, strict=True):
            alone = Launch(launch.blas, hosts.on(name), variables, [name])
            ways.append(Way(f"alone, {name}", partial(alone.run, program, [place], **system)))
        heading = (
            f"n = {asked.n}, nb = {asked.nb}, parts {asked.parts}, processors {processors}, period {asked.period:g} ms"
        )
        print_table(heading, ways, asked.rounds, ways[0].name)


MEASUREMENTS = {"product": measure_products, "system": measure_systems, "nodes": measure_nodes}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what unlike processors reach together.")
    parser.add_argument("what", choices=list(MEASUREMENTS))
    processors = sorted(os.sched_getaffinity(0))
    parser.add_argument("--groups", nargs="+", default=[str(cpu) for cpu in processors[:2]], metavar="PROCESSORS")
    parser.add_argument(
        "--quota", nargs="+", type=float, metavar="RATIO", help="the last group has 1/RATIO of the time"
    )
    parser.add_argument(
        "--parts", nargs="+", type=float, default=[1.0, 0.5, 0.25], metavar="PART", help="of a processor, for each node"
    )
    parser.add_argument("--period", type=float, default=30.0, metavar="MS", help="of quotas, in milliseconds; 30")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="rounds measured before, to which these are added")
    parser.add_argument(
        "--disturbed", type=float, default=0.25, metavar="PART", help="of a processor that others may use; 0.25"
    )
    parser.add_argument("--blas", help="library; by default the fastest")
    parser.add_argument("--other", type=Path, metavar="PROGRAM", help="another build's, which takes part")
    parser.add_argument("--m", type=int, default=3000)
    parser.add_argument("--n", type=int)
    parser.add_argument("--k", type=int, nargs="+", default=[1000, 3000])
    parser.add_argument("--nb", type=int, default=128)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--ways", nargs="+", metavar="WAY", help="splits of a product; parameters of HPL on nodes")
    asked = parser.parse_args()
    asked.rounds = Rounds(asked.rounds, asked.kept, asked.disturbed)
    asked.n = asked.n or (3000 if asked.what == "product" else 7168)
    MEASUREMENTS[asked.what](asked, Launch(asked.blas or discover().software.blas[0].path))


if __name__ == "__main__":
    main()
