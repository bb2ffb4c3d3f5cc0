"""Writes the report of a fleet: one page for all nodes together, however many."""

from collections.abc import Sequence
from pathlib import Path

from banzuke import __version__
from banzuke.document import Document
from banzuke.document.csv import csv_text
from banzuke.fleet.model import Fleet
from banzuke.fleet.page import nodes_table, sections
from banzuke.fleet.verdict import FleetJudgement
from banzuke.machine.model import Machine
from banzuke.report.compose import page_notes
from banzuke.report.write import Rendered, Written, files_of, publish
from banzuke.text import json_text
from banzuke.words import Listed, message
from banzuke.words.language import Words, words

_MOST_RUNS = 3
"""Most runs that the page names."""


def write_fleet(
    fleet: Fleet,
    judgement: FleetJudgement,
    runs: Sequence[str],
    machine: Machine,
    folder: Path,
    language: str = "en",
) -> Written:
    """Write the report. `machine`: where the `runs` were measured, which are given by name. Raises BanzukeError."""
    wording = words(language)
    document = fleet_document(fleet, judgement, runs, machine, wording)
    own = {
        "report.json": f"{json_text({'runs': list(runs), **judgement.document()})}\n".encode(),
        "report.csv": csv_text(*nodes_table(fleet, judgement)).encode(),
    }
    return publish(Rendered(document, own | files_of(document, wording)), folder, wording)


def fleet_document(
    fleet: Fleet, judgement: FleetJudgement, runs: Sequence[str], machine: Machine, wording: Words
) -> Document:
    """Return the page of a fleet, without its charts; `runs` are named on it."""
    names = Listed(tuple(runs), _MOST_RUNS)
    return Document(
        language=wording.language,
        title=machine.name,
        subtitle=[wording(message("report-fleet", nodes=len(fleet.nodes))), wording.fact(names)],
        sections=tuple(sections(fleet, judgement, wording)),
        generator=f"Banzuke {__version__}",
        notes=page_notes(wording),
        footer=(wording(message("report-fleet-footer", runs=names, version=__version__)),),
    )
