"""The ranking sheets of a folder of publications: one page that needs no network, and its data to download."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from banzuke import __version__
from banzuke.charts.theme import theme_css
from banzuke.document.csv import csv_text
from banzuke.document.html import scripted_page
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import benchmark_title, full_title, metric_title
from banzuke.publish import grade
from banzuke.publish.editions import EDITIONS
from banzuke.publish.publication import read_summary
from banzuke.publish.size_classes import OWN
from banzuke.publish.summary import FigureSummary, RunSummary
from banzuke.words import Listed, Message, message
from banzuke.words.language import Words, words

_TEMPLATES = Path(__file__).with_name("templates")
_ADDED = re.compile(r"(?: at (?P<size>\S+ \w+))?(?: on (?P<hosts>\d+) hosts)?")
PAGE, TABLE, SUMMARIES = "index.html", "ranking.csv", "summaries.jsonl"
WORDS: Mapping[str, Message] = {
    "title": message("sheet-title"),
    "lead": message("sheet-lead"),
    "noscript": message("sheet-noscript"),
    "benchmark": message("sheet-benchmark"),
    "by": message("sheet-by"),
    "figure": message("sheet-figure"),
    "limit": message("sheet-limit"),
    "watt": message("sheet-watt"),
    "search": message("sheet-search"),
    "year": message("sheet-year"),
    "edition": message("sheet-edition"),
    "class": message("sheet-class"),
    "outside": message("sheet-outside"),
    "all": message("sheet-all"),
    "grade": message("sheet-grade"),
    "devices": message("sheet-devices"),
    "with": message("sheet-with"),
    "without": message("sheet-without"),
    "place": message("sheet-place"),
    "machine": message("sheet-machine"),
    "spread": message("sheet-spread"),
    "launches": message("sheet-launches"),
    "nodes": message("sheet-nodes"),
    "cores": message("sheet-cores"),
    "processor": message("sheet-processor"),
    "size": message("sheet-memory"),
    "network": message("sheet-network"),
    "measured": message("sheet-measured"),
    "compare": message("sheet-compare"),
    "back": message("sheet-back"),
    "verdict": message("sheet-verdict"),
    "missing": message("sheet-missing"),
    "data": message("sheet-data"),
    "none": message("sheet-none"),
    "more": message("sheet-more"),
}
"""What the page says, by the name that its script uses."""


@dataclass(frozen=True)
class Gathered:
    """The publications of a folder: summaries by identity, and why others were left out."""

    files: Mapping[str, str]
    """Names of the files by identity."""
    summaries: Mapping[str, RunSummary]
    refused: Mapping[str, str]


def gather(folder: Path, *, whole: bool = True) -> Gathered:
    """Read the summaries of all publications in a folder and below; of whole ones, unless records need no comparing.

    Raises BanzukeError where there are none.
    """
    files: dict[str, str] = {}
    summaries: dict[str, RunSummary] = {}
    refused: dict[str, str] = {}
    for path in sorted(folder.rglob("*.zip")):
        name = str(path.relative_to(folder))
        try:
            published, identity = read_summary(path, whole=whole)
        except BanzukeError as error:
            refused[name] = error.why or str(error)
            continue
        files.setdefault(identity, name)
        summaries.setdefault(identity, published)
    if not summaries:
        why = "; ".join(f"{name}: {why}" for name, why in list(refused.items())[:3]) or "it has no .zip files"
        raise BanzukeError(f"{folder} has no publication", why=why, remedy="`banzuke publish` writes them")
    return Gathered(files, summaries, refused)


def site(gathered: Gathered, benchmarks: Mapping[str, Benchmark], language: str) -> dict[str, bytes]:
    """Return the files of the site by name."""
    lines = (
        json.dumps({"id": identity, **own.model_dump(mode="json")}, ensure_ascii=False)
        for identity, own in gathered.summaries.items()
    )
    return {
        TABLE: _table(gathered).encode(),
        SUMMARIES: "".join(f"{line}\n" for line in lines).encode(),
        PAGE: _page(gathered, benchmarks, language).encode(),
    }


def _page(gathered: Gathered, benchmarks: Mapping[str, Benchmark], language: str) -> str:
    say = words(language)
    return scripted_page(
        _TEMPLATES,
        "site",
        ["site.js"],
        _content(gathered, benchmarks, say),
        language=language,
        words={name: say(text) for name, text in WORDS.items()},
        generator=f"banzuke {__version__}",
        theme_css=theme_css(),
    )


def _content(gathered: Gathered, benchmarks: Mapping[str, Benchmark], say: Words) -> dict[str, Any]:
    """Return the page's data: sheets, machines, and each machine's figures in the order of the fields below."""
    sheets: dict[tuple[str, str, str], int] = {}
    described: list[dict[str, Any]] = []
    titles: dict[tuple[str, str, str, str], str] = {}
    machines = []
    for identity, own in gathered.summaries.items():
        figures = []
        for figure in own.figures:
            if figure.value is None:
                continue
            key = (figure.benchmark, figure.metric or "", figure.unit)
            if key not in sheets:
                sheets[key] = len(sheets)
                described.append(
                    {
                        "title": _title(figure, benchmarks, say),
                        "unit": figure.unit,
                        "better": figure.better,
                    }
                )
            named = (*key, figure.title)
            if named not in titles:
                titles[named] = _title_on_hosts(figure, benchmarks, say)
            figures.append([sheets[key], *_fields(figure, titles[named])])
        machines.append(_machine(identity, own, figures, say))
    return {
        "words": {name: say(text) for name, text in WORDS.items()},
        "sheets": described,
        "machines": machines,
        "rules": {edition: {rule.code: say(rule.asked) for rule in rules} for edition, rules in EDITIONS.items()},
        "own": OWN,
    }


def _title(figure: FigureSummary, benchmarks: Mapping[str, Benchmark], say: Words) -> str:
    """Return the title of a sheet; of a benchmark that is unknown here, that of its first figure."""
    if figure.benchmark not in benchmarks:
        return figure.title
    benchmark = benchmarks[figure.benchmark]
    title = say(benchmark_title(benchmark))
    metric = next((own for own in benchmark.metrics if own.name == figure.metric), None)
    return full_title(title, say(metric_title(benchmark.name, metric)), say) if metric else title


def _title_on_hosts(figure: FigureSummary, benchmarks: Mapping[str, Benchmark], say: Words) -> str:
    """Return the title of a machine's figure, which the publication has in English: `STREAM Triad on 2 hosts`."""
    title, english = (_title(figure, benchmarks, language) for language in (say, words()))
    added = _ADDED.fullmatch(figure.title.removeprefix(english))
    if added is None:
        return figure.title
    title = say(message("first-at-size", title=title, size=added["size"])) if added["size"] else title
    return say(message("first-on-hosts", title=title, hosts=int(added["hosts"]))) if added["hosts"] else title


def _fields(figure: FigureSummary, title: str) -> list[Any]:
    energy = figure.energy
    return [
        figure.value,
        figure.low,
        figure.high,
        None if figure.own_ceiling else figure.of_limit,
        energy.per_watt if energy else None,
        energy.per_watt_unit if energy else "",
        figure.launches,
        figure.nodes,
        figure.cores,
        figure.devices,
        title,
        figure.verdict,
        {edition: [figure.classes.get(edition, ""), missed] for edition, missed in figure.editions.items()},
    ]


def _machine(identity: str, own: RunSummary, figures: Sequence[Any], say: Words) -> dict[str, Any]:
    machine = own.machine
    asked = {rule.code: say(rule.asked) for rule in grade.RULES} if own.grade.version == grade.VERSION else {}
    return {
        "id": identity,
        "name": machine.name,
        "processors": [
            f"{part.sockets or 1} × {part.model or part.architecture or '?'}" for part in machine.processors
        ],
        "cores": sum(part.cores or 0 for part in machine.processors),
        "devices": [f"{device.count} × {device.name}" for device in machine.devices],
        "bytes": machine.memory,
        "network": machine.network,
        "system": machine.system,
        "date": f"{own.started:%Y-%m-%d}",
        "grade": own.grade.letter,
        "points": own.grade.points,
        "graded": own.grade.version == grade.VERSION,
        "missing": [
            _ruled(asked.get(rule.code, rule.asked), tuple(rule.missing), say)
            for rule in own.grade.rules
            if rule.missing
        ],
        "figures": figures,
    }


@cache
def _ruled(rule: str, missing: tuple[str, ...], say: Words) -> str:
    return say(message("sheet-rule", rule=rule, missing=Listed(missing)))


def _table(gathered: Gathered) -> str:
    """Return every figure as CSV."""
    names = ("value", "low", "high", "of_limit", "launches", "nodes", "cores", "devices")
    of_run = ("id", "machine", "date", "grade")
    header = [*of_run, "benchmark", "metric", "unit", *names, "per_watt", "per_watt_unit", "editions", "classes"]
    rows = [
        [
            *(identity, own.machine.name, f"{own.started:%Y-%m-%d}", own.grade.letter),
            *(figure.benchmark, figure.metric, figure.unit, *(getattr(figure, name) for name in names)),
            *((figure.energy.per_watt, figure.energy.per_watt_unit) if figure.energy else (None, None)),
            " ".join(edition for edition, missed in figure.editions.items() if not missed),
            " ".join(f"{edition}:{reached}" for edition, reached in figure.classes.items()),
        ]
        for identity, own in gathered.summaries.items()
        for figure in own.figures
    ]
    return csv_text(header, rows)
