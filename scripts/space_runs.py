"""Compare real runs as if hours had passed between them: how often are equal runs called different?

    python -m scripts.space_runs RESULTS SPACED     # the sentence of docs/comparing.md; RESULTS has equal runs alone

Writes the runs of RESULTS into the folder SPACED, each with the times of one that began three hours after the one
before, and nothing else changed. Then it counts the verdicts of `banzuke compare` on runs that follow each other, from
the eleventh on with all earlier ones as history, and on three runs against three in turn.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from banzuke.cli import app

HOURS = 3
EARLIER = 10
"""Runs that only serve as history."""
OF_A_SIDE = 3


def space(results: Path, spaced: Path) -> list[str]:
    """Write the runs, and return their names in the order of their starts. Raises FileExistsError."""
    spaced.mkdir(parents=True)
    names = sorted(plan.parent.name for plan in results.glob("*/plan.json"))
    for number, name in enumerate(names):
        later = timedelta(hours=HOURS * number)
        (spaced / name).mkdir()
        for file in (results / name).iterdir():
            if file.suffix == ".jsonl":
                records = [_moved(json.loads(line), later) for line in file.read_text().splitlines()]
                (spaced / name / file.name).write_text("".join(f"{json.dumps(record)}\n" for record in records))
            elif file.name == "plan.json":
                (spaced / name / file.name).write_text(json.dumps(_moved(json.loads(file.read_text()), later)))
            elif file.name == "machine.json":
                (spaced / name / file.name).write_bytes(file.read_bytes())
    return names


def _moved(whole: dict[str, Any], later: timedelta) -> dict[str, Any]:
    moved = {
        name: (datetime.fromisoformat(whole[name]) + later).isoformat()
        for name in ("started", "ended")
        if name in whole
    }
    kept = {name: value for name, value in whole.get("conditions", {}).items() if name != "timed_parts"}
    return whole | moved | ({"conditions": kept} if "conditions" in whole else {})


def verdicts(spaced: Path, sides: Iterable[tuple[str, str]]) -> Counter[str]:
    """Return how often `banzuke compare` says what of the figures of these pairs of sides."""
    said: Counter[str] = Counter()
    for a, b in sides:
        done = CliRunner().invoke(app, ["compare", a, b, "--results", str(spaced), "--json"], catch_exceptions=False)
        said.update(str(line["verdict"]) for line in json.loads(done.stdout)["comparisons"])
    return said


def in_turn(names: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Yield pairs of sides of three runs each, which alternate."""
    both = 2 * OF_A_SIDE
    for first in range(0, len(names) - both + 1, both):
        turns = names[first : first + both]
        yield ",".join(turns[::2]), ",".join(turns[1::2])


def main() -> None:
    results, spaced = map(Path, sys.argv[1:])
    names = space(results, spaced)
    print("neighbours:", dict(verdicts(spaced, list(pairwise(names))[EARLIER:])))
    print("three and three in turn:", dict(verdicts(spaced, in_turn(names))))


if __name__ == "__main__":
    main()
