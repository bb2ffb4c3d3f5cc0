"""A run in one line: its headline figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from banzuke.cli.selection import COUNTS, Row
from banzuke.compare.settings import figure_text
from banzuke.errors import BanzukeError
from banzuke.judge.headline import Headline, headlines
from banzuke.judge.model import OWN_BEST, Assessment
from banzuke.judge.records import judge
from banzuke.judge.states import states_met
from banzuke.plan.aspect import rank
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import full_title
from banzuke.record.state import State
from banzuke.results.run import Run
from banzuke.units import percent
from banzuke.words.language import words


def assessments_of(run: Run, specs: Mapping[str, Benchmark]) -> tuple[Assessment, ...]:
    """Return the judged cases; none for a fleet, nor without the machine's description, which judging needs."""
    if run.of_fleet:
        return ()
    try:
        return judge(run.read().records, run.machine(), specs, run.ceilings())[0]
    except BanzukeError:
        return ()


def _order(headline: Headline, specs: Mapping[str, Benchmark]) -> tuple[bool, int]:
    """Return a sort key: judged figures first, then from the processors outwards, as in a report."""
    spec = specs.get(headline.benchmark)
    return headline.fraction_of_limit is None, rank(spec.aspect if spec else None)


def headline_text(headline: Headline, spec: Benchmark | None) -> str:
    title = full_title(spec.title if spec else headline.benchmark, headline.title, words())
    return f"{title} {figure_text(headline.value, headline.unit)}"


def judged_row(run: Run, row: Row, specs: Mapping[str, Benchmark]) -> Row:
    """Return a row of the view `runs` with what is judged of the run."""
    assessments = assessments_of(run, specs)
    return {**row, "headlines": headlines(assessments, specs), "states": dict(states_met(assessments).most_common())}


def shown_rows(entries: Sequence[Row], benchmark: str | None, specs: Mapping[str, Benchmark]) -> list[dict[str, Any]]:
    """Return the rows of the table of runs, with the headline of one benchmark, or the first of each run."""
    several = any(entry["states"] for entry in entries)
    return [_shown_row(entry, benchmark, specs, several=several) for entry in entries]


def _shown_row(entry: Row, benchmark: str | None, specs: Mapping[str, Benchmark], *, several: bool) -> dict[str, Any]:
    """Return a run's table row; `several`: some run met several states of its machine."""
    by_benchmark: Mapping[str, Headline] = entry["headlines"]
    first = min(by_benchmark.values(), key=lambda candidate: _order(candidate, specs), default=None)
    headline = by_benchmark.get(benchmark) if benchmark else first
    return {
        "run": entry["run"],
        "started": f"{entry['started']:%Y-%m-%d %H:%M}",
        "machine": entry["machine"] or entry["fingerprint"] or "unknown",
        "benchmarks": entry["benchmarks"],
        **{name: entry[name] for name in COUNTS},
        "headline": headline_text(headline, specs.get(headline.benchmark)) if headline else "–",
        "of limit": _of_limit(headline),
        **({"states, launches": _states_text(entry["states"]) or "–"} if several else {}),
    }


def _states_text(met: Mapping[State, int]) -> str:
    """Return launches by state, such as `near 12, far 8`; empty if the machine shows only one state."""
    return ", ".join(f"{' '.join(state.levels)} {launches}" for state, launches in met.items())


def _of_limit(headline: Headline | None) -> str:
    if headline is None or headline.fraction_of_limit is None:
        return "–"
    share = percent(headline.fraction_of_limit)
    return f"{share} {words()(OWN_BEST)}" if headline.own_ceiling else share
