"""Prints results as mdtest does: the summary of all rates."""

from collections.abc import Sequence
from statistics import fmean, stdev

from banzuke.plan.official import Outcome

HEAD = """\
   Operation                     Max            Min           Mean        Std Dev
   ---------                     ---            ---           ----        -------
"""
NAMES = {
    "Directory creation": "directory_create_rate",
    "Directory stat": "directory_stat_rate",
    "Directory rename": "directory_rename_rate",
    "Directory removal": "directory_remove_rate",
    "File creation": "file_create_rate",
    "File stat": "file_stat_rate",
    "File read": "file_read_rate",
    "File removal": "file_remove_rate",
    "Tree creation": "tree_create_rate",
    "Tree removal": "tree_remove_rate",
}


def results(outcomes: Sequence[Outcome]) -> str:
    return "".join(_summary(outcome) for outcome in outcomes if outcome.status == "ok")


def _summary(outcome: Outcome) -> str:
    rounds = max((len(samples) for samples in outcome.samples.values()), default=0)
    lines = [f"\nSUMMARY rate (in ops/sec): (of {rounds} iterations)\n", HEAD]
    for name, metric in NAMES.items():
        samples = outcome.samples.get(metric) or outcome.samples.get(f"cached_{metric}")
        if samples:
            spread = stdev(samples) if len(samples) > 1 else 0.0
            columns = " ".join(f"{value:14.3f}" for value in (max(samples), min(samples), fmean(samples), spread))
            lines.append(f"   {name:22} {columns}\n")
    return "".join(lines)
