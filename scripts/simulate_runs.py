"""Measure how often two equal sides, measured at different times, are judged different, and how often 10% are found.

    python -m scripts.simulate_runs                 # the table of docs/comparing.md
    python -m scripts.simulate_runs --trials 1000
    python -m scripts.simulate_runs --every         # 3 to 10 launches, 1 to 6 runs a side
    python -m scripts.simulate_runs --watch         # false alarms of `banzuke watch`, and lasting changes that it finds

Each run begins three hours after the one before, and the design determines how long a side lasts.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

from banzuke.compare.testing import DAILY, MACHINES, Design, false_alarms, found_in_a_week, verdicts

TENTH = 1.1
SHOWN = {
    "1 run": Design(launches=5, runs=1),
    "3 runs, in turn": Design(launches=5, runs=3),
    "3 runs, then 3": Design(launches=5, runs=3, in_turn=False),
    "6 runs, in turn": Design(launches=3, runs=6),
    "6 runs, then 6": Design(launches=3, runs=6, in_turn=False),
    "1 run, 10 earlier": Design(launches=5, runs=1, earlier=10),
}
EVERY = {
    f"{runs} x {launches}{'' if in_turn else ', then'}": Design(launches, runs, in_turn=in_turn)
    for launches in (3, 5, 10)
    for runs in range(1, 7)
    for in_turn in (True, False)
    if runs > 1 or in_turn
}


def cell(name: str, design: Design, trials: int) -> str:
    """Return text such as `2% (0%), 98%`: equal sides judged different, those without a verdict, and a tenth found."""
    equal = Counter(verdicts(MACHINES[name], design, trials))
    better = Counter(verdicts(MACHINES[name], design, trials, TENTH))
    wrong, untold, better_found = equal["faster"] + equal["slower"], equal["cannot be told"], better["faster"]
    return f"{wrong / trials:.1%} ({untold / trials:.0%}), {better_found / trials:.0%}"


def rows(designs: Sequence[Design], trials: int) -> Iterator[str]:
    for name in MACHINES:
        yield f"| {' | '.join((name, *(cell(name, design, trials) for design in designs)))} |"


def watch_rows(trials: int) -> Iterator[str]:
    spreads = (0.01, 0.015, 0.02)
    shares = " | ".join(f"found, {spread:.1%}" for spread in spreads)
    yield f"| runs | figures | false alarms of all a year | {shares} |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    years = trials // 10
    for name, daily in DAILY.items():
        for figures in (1, 20):
            alarms = figures * false_alarms(daily, years, figures) / years
            cells = [f"{found_in_a_week(daily, 0.95, trials, figures, spread):.0%}" for spread in spreads]
            yield f"| {name} | {figures} | {alarms:.2f} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=300, help="pairs of sides of each cell")
    parser.add_argument("--every", action="store_true", help="all numbers of launches and runs")
    parser.add_argument("--watch", action="store_true", help="one run a day, with and without a lasting change")
    asked = parser.parse_args()
    if asked.watch:
        print(*watch_rows(asked.trials), sep="\n")
        return
    designs = EVERY if asked.every else SHOWN
    print(f"| machine | {' | '.join(designs)} |\n| --- |{' ---: |' * len(designs)}")
    for line in rows(list(designs.values()), asked.trials):
        print(line, flush=True)


if __name__ == "__main__":
    main()
