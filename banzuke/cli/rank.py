"""`banzuke rank` shows a run's figure among the editions of a public list and among published machines."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from banzuke.cli.console import out, warn, write_json
from banzuke.cli.options import DEFAULT_RESULTS, WHAT, Json, OneRun, Results
from banzuke.cli.rank_tables import editions_table, nearest_table
from banzuke.cli.report import evaluated
from banzuke.compare.settings import figure_text
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.judge.energy import covered, energies, unmeasured
from banzuke.judge.launches import disturbed_sides
from banzuke.judge.model import Assessment, Figure
from banzuke.machine.nodes import ranked_machines
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks
from banzuke.ranking.editions import Ranking, ranking_of, standing
from banzuke.ranking.list_file import ListFile, read_list
from banzuke.report.first.peers import COMPARABLE, LEAST_RANKED, Per, ordered
from banzuke.report.model import Evaluation
from banzuke.report.nearest import Nearest, measures_of, nearest, nearest_in_list, ranked_figure
from banzuke.results.store import Store
from banzuke.text import nearest as nearest_name
from banzuke.units import count, quantity
from banzuke.words.language import words

ENERGY = "energy"
"""Name for `--by` that selects the figure per watt of the benchmark whose list ranks machines by it."""
KEPT = 5
"""Number of machines above, and as many below, in the JSON output."""


@dataclass(frozen=True)
class _Ranked:
    """A run's figure that is ranked, by itself or per watt."""

    evaluation: Evaluation
    benchmark: Benchmark
    assessment: Assessment
    figure: Figure
    by_watt: bool

    @property
    def measures(self) -> Sequence[Per]:
        return ("watt",) if self.by_watt else measures_of(self.benchmark, self.assessment)

    @property
    def ranking(self) -> Ranking | None:
        """Public list with its editions; None: no known list ranks machines by this figure."""
        return None if self.by_watt else ranking_of(self.benchmark)


def rank(
    run: OneRun = "last",
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="NAME",
            help="The benchmark whose headline is ranked, or `energy` for the figure per watt.",
            show_default="the first in the run that has a public list",
            rich_help_panel=WHAT,
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--list",
            metavar="FILE",
            help="A list's own file, as its site offers it (XLSX, XLS, TSV), for exact neighbours.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Show the place of a run's figure in every edition of public lists, and the nearest machines."""
    ranked = _ranked(run, by, Store(results))
    own = (ranked.evaluation.machine, ranked.assessment, ranked.figure, ranked.benchmark)
    listed = _read(file, ranked) if file else None
    around = nearest(*own, ranked_machines(), ranked.measures)
    measures = [per for per in ranked.measures if per != "node"]
    exact = nearest_in_list(*own, listed.entries, measures) if listed else []
    if json:
        write_json(_data(ranked, around, listed, exact))
        return
    _show(ranked)
    if ranked.ranking:
        _show_editions(ranked.ranking, ranked.figure, brief=listed is not None)
    if listed and file:
        edition = f", of {listed.edition}" if listed.edition else ""
        out.print(terminal_table(nearest_table(exact, ranked.figure, f"In {file.name}{edition}")), "")
    if around:
        out.print(terminal_table(nearest_table(around, ranked.figure, "Nearest published machines")))
    else:
        out.say("Fewer than five published machines have such a figure: there are no neighbours to name.")
    _show_notes(ranked, around)


def _ranked(name: str, by: str | None, store: Store) -> _Ranked:
    """Choose the figure to rank. Raises BanzukeError if the run has no verified figure of what is asked for."""
    if "," in name and not Path(name).exists():
        raise BanzukeError(
            f"'{name}' names several runs", why="a place is that of one figure", remedy="Rank one run after the other"
        )
    located = store.locate(name)
    if located.of_fleet:
        raise BanzukeError(f"run {located.name} is a screen of nodes", why="none of its figures stands for a machine")
    evaluation = evaluated(located)
    rankable = _rankable()
    present = [name for name in ordered(evaluation) if name in rankable]
    if by is None:
        chosen = next((name for name in present if rankable[name].public_list), next(iter(present), None))
        if chosen is None:
            raise BanzukeError(
                f"run {located.name} has no figure by which machines are ranked",
                why=f"it has {', '.join(ordered(evaluation))}",
                remedy=f"Measure one of {', '.join(rankable)}",
            )
        by = chosen
    benchmark = _named(by, rankable)
    if benchmark.name not in present:
        raise BanzukeError(
            f"run {located.name} has no figure of {benchmark.name}",
            why=f"it has {', '.join(ordered(evaluation))}",
            remedy=f"`banzuke run {benchmark.name}` measures it",
        )
    assessments = [case for case in evaluation.assessments if case.record.benchmark == benchmark.name]
    found_figure = ranked_figure(assessments, benchmark)
    if found_figure is None or found_figure[1].value <= 0:
        raise BanzukeError(
            f"run {located.name} has no figure of {benchmark.name} that can be ranked",
            why=_why(assessments[0]),
            remedy="Only headlines whose checks passed are ranked: measure again",
        )
    ranked = _Ranked(evaluation, benchmark, *found_figure, by_watt=by == ENERGY)
    if ranked.by_watt and energies(ranked.assessment) is None:
        raise BanzukeError(
            f"run {located.name} has no energy of {benchmark.name}",
            why=_no_energy(ranked.assessment),
            remedy="docs/power.md tells which sensors are read, and how to allow it",
        )
    return ranked


def _rankable() -> Mapping[str, Benchmark]:
    """Return the benchmarks, by name, whose single headline has a public list or enough published figures."""
    published = Counter(
        (figure.benchmark, figure.metric)
        for machine in ranked_machines()
        for figure in machine.figure
        if figure.kind in COMPARABLE
    )
    return {
        name: benchmark
        for name, benchmark in benchmarks().items()
        if len(headlines := [metric for metric in benchmark.metrics if metric.headline]) == 1
        if benchmark.public_list or published[name, headlines[0].name] >= LEAST_RANKED
    }


def _named(by: str, rankable: Mapping[str, Benchmark]) -> Benchmark:
    """Return the benchmark that `--by` names. Raises BanzukeError."""
    if by == ENERGY:
        return next(spec for spec in rankable.values() if spec.public_list and spec.public_list.by_watt)
    if by not in rankable:
        raise BanzukeError(f"nothing is ranked by '{by}'", remedy=nearest_name(by, [*rankable, ENERGY]))
    return rankable[by]


def _why(assessment: Assessment) -> str:
    said = words().joined([*assessment.no_headline, *assessment.verdict])
    return said or assessment.record.reason or "its check did not pass"


def _no_energy(assessment: Assessment) -> str:
    energy = assessment.record.energy
    return words()(unmeasured(energy.unmeasured)) if energy and energy.unmeasured else "none was recorded"


def _read(file: Path, ranked: _Ranked) -> ListFile:
    """Read the list file. Raises BanzukeError, also if no known list ranks machines by this benchmark."""
    public, ranking = ranked.benchmark.public_list, ranking_of(ranked.benchmark)
    if public is None or ranking is None:
        raise BanzukeError(
            f"no list is known that ranks machines by {ranked.benchmark.name}",
            remedy="Leave out --list, or choose with --by what the list ranks by",
        )
    return read_list(file, public, ranking, by_watt=ranked.by_watt)


def _show(ranked: _Ranked) -> None:
    """Print a line with the figure and what it was measured on."""
    record, figure, energy = ranked.assessment.record, ranked.figure, energies(ranked.assessment)
    value = figure_text(figure.value, figure.unit)
    parts = [f"median of {count(figure.launches, 'launch')}"] if figure.launches > 1 else []
    parts += [count(record.nodes, "node"), count(record.cores, "core")]
    parts += [count(len(record.devices), "device")] if record.devices else []
    if energy:
        parts.append(f"{quantity(energy.watt, 'W')} of {words()(covered(energy.launches[0][1]))}")
    evaluation = ranked.evaluation
    out.say(
        (ranked.benchmark.title, "bold"),
        f" of {evaluation.run} on {evaluation.machine.name}: ",
        (value, "bold"),
        f" ({', '.join(parts)})",
    )


def _show_editions(ranking: Ranking, figure: Figure, *, brief: bool) -> None:
    out.say((ranking.title, "bold"), f": {words().joined(standing(ranking, figure.value, figure.unit))}")
    table = editions_table(ranking, figure.value, out.width)
    if table.rows and not brief:
        out.print("", terminal_table(table))
    out.print()


def _show_notes(ranked: _Ranked, around: Sequence[Nearest]) -> None:
    """Print cautions, reasons for missing places, and what else `--by` could rank."""
    for caution in disturbed_sides({ranked.evaluation.run: ranked.assessment.records}):
        warn(words()(caution))
    shown = {entry.per for entry in around}
    energy = energies(ranked.assessment)
    if "watt" in ranked.measures and energy is None and ranked.benchmark.public_list:
        out.say((f"Not by watt: no energy was measured ({_no_energy(ranked.assessment)}).", "dim"))
    if "watt" in shown and energy and set(energy.launches[0][1].covers) != {"node"}:
        warn("power here is not that of the whole machine, as that of others is: a place by watt flatters it")
    if broken := ranked.assessment.violations:
        rules = words().joined(words().fact(violation.rule) for violation in broken)
        out.say((f"The list asks for more than this case did: {rules}", "dim"))
    if ranked.by_watt:
        out.say(("No history of places by watt is known; --list takes a list that has power.", "dim"))
    rankable = _rankable()
    others = [name for name in ordered(ranked.evaluation) if name in rankable and name != ranked.benchmark.name]
    if others:
        out.say((f"Also with --by: {', '.join(others)}", "dim"))


def _data(
    ranked: _Ranked, around: Sequence[Nearest], listed: ListFile | None, exact: Sequence[Nearest]
) -> dict[str, Any]:
    record, figure, ranking = ranked.assessment.record, ranked.figure, ranked.ranking
    energy = energies(ranked.assessment)
    return {
        "run": ranked.evaluation.run,
        "machine": ranked.evaluation.machine.name,
        "benchmark": ranked.benchmark.name,
        "metric": figure.metric,
        "unit": figure.unit,
        "by": ENERGY if ranked.by_watt else ranked.benchmark.name,
        "figure": figure.value,
        "launches": figure.launches,
        "interval": figure.interval,
        "nodes": record.nodes,
        "cores": record.cores,
        "devices": len(record.devices),
        "watt": energy.watt if energy else None,
        "list": ranking
        and {
            "title": ranking.title,
            "places": {edition: ranking.place(edition, figure.value) for edition in ranking.editions},
            "said": words().joined(standing(ranking, figure.value, figure.unit)),
        },
        "nearest": [_nearest_data(entry) for entry in around],
        "file": listed
        and {
            "edition": listed.edition,
            "machines": len(listed.entries),
            "without": listed.without,
            "nearest": [_nearest_data(entry) for entry in exact],
        },
    }


def _nearest_data(entry: Nearest) -> dict[str, Any]:
    sides = {"above": entry.above, "below": entry.below}
    return {
        "per": entry.per or "machine",
        "figure": entry.own,
        "place": entry.place,
        "of": entry.count,
        **{
            side: [
                {
                    "machine": peer.machine,
                    "figure": value,
                    "nodes": peer.nodes,
                    "source": words().fact(peer.source),
                    "note": words().fact(peer.note),
                }
                for peer, value in peers[:KEPT]
            ]
            for side, peers in sides.items()
        },
    }
