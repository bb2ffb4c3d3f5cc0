"""The section on reproduction: the commands and settings that give the figures again."""

import shlex
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from banzuke.compare.cautions import CHOICE
from banzuke.compare.settings import figure_text, settings
from banzuke.document import Block, Cell, Code, Column, Details, Heading, Item, Items, Paragraph, Row, Section, Table
from banzuke.plan.wording import layout_title
from banzuke.record.figures import Area
from banzuke.record.model import Binding, Record
from banzuke.report.chapter import Chapter, identity
from banzuke.report.failures import launch_name
from banzuke.report.figures import state
from banzuke.report.settings import conditions, settings_text
from banzuke.views.view import ViewCase
from banzuke.words import Reason, message
from banzuke.words.language import Words
from banzuke.words.written import library_choice, software_title

Facts = dict[str, str]


def reproduction_section(chapters: Sequence[Chapter], words: Words, prefix: str) -> Section | None:
    """Return the section with the commands and facts of all cases, what all share first; None: there is no case."""
    prefix_of_programs = installed_in(chapters)
    every = [facts(case.assessment.record, words) for chapter in chapters for case in chapter.cases]
    everywhere = _shared(every) if len(every) > 1 else {}
    blocks = [block for chapter in chapters for block in _chapter(chapter, everywhere, prefix_of_programs, words)]
    if not blocks:
        return None
    head = [Code(f"{_PREFIX}={prefix_of_programs}")] if prefix_of_programs else []
    blocks = [*head, *_listed({name: _short(text, prefix_of_programs) for name, text in everywhere.items()}), *blocks]
    return Section(
        f"{prefix}reproduce", words(message("report-reproduction")), tuple(blocks), "reproduction", whole=True
    )


def installed_in(chapters: Sequence[Chapter]) -> str:
    """Return the folder of the installation, which a shell's variable can stand for; empty: there is none."""
    folders = Counter(
        word[: word.index(_PROGRAM)]
        for chapter in chapters
        for case in chapter.cases
        if (provenance := case.assessment.record.provenance)
        for word in provenance.command
        if word.find(_PROGRAM) > 0
    )
    plain = [folder for folder, _ in folders.most_common() if shlex.quote(folder) == folder]
    return plain[0] if plain else ""


def _short(text: str, prefix: str) -> str:
    return text.replace(f"{prefix}/", f"${_PREFIX}/") if prefix else text


def _shared(every: Sequence[Facts]) -> Facts:
    """Return the facts that all have."""
    return {name: text for name, text in every[0].items() if all(other.get(name) == text for other in every)}


def _chapter(chapter: Chapter, everywhere: Facts, prefix: str, words: Words) -> list[Block]:
    """Return what all cases share once, and the headline case's command; then each case, folded."""
    every = [
        {
            name: _short(text, prefix)
            for name, text in facts(case.assessment.record, words).items()
            if name not in everywhere
        }
        for case in chapter.cases
    ]
    shared = _shared(every)
    details: list[Block] = [
        Details(
            case.label or chapter.title,
            tuple(
                _case(case, {k: v for k, v in own.items() if k not in shared}, prefix, words, without_command=not place)
            ),
        )
        for place, (case, own) in enumerate(zip(chapter.cases, every, strict=True))
    ]
    if len(details) > _MOST_EACH:
        details = [
            Details(
                words(message("report-reproduction-each", number=len(details))), (_commands(chapter, prefix, words),)
            )
        ]
    elif len(details) > _MOST_OPEN:
        details = [Details(words(message("report-reproduction-each", number=len(details))), tuple(details))]
    return [
        Heading(chapter.title),
        *_listed(shared),
        _command(chapter.cases[0].assessment.record, prefix, words),
        *details,
    ]


def _command(record: Record, prefix: str, words: Words) -> Block:
    command = _short(command_text(record), prefix)
    return Code(command) if command else Paragraph(words(message("report-no-command")))


def _commands(chapter: Chapter, prefix: str, words: Words) -> Table:
    """Return the command of each of many cases; all that was seen of them is in the records."""
    titles = (message("report-case"), message("report-command"), message("report-record"))
    rows = [
        Row((Cell(case.label), Cell(_short(command_text(case.assessment.record), prefix)), Cell(case.id)))
        for case in chapter.cases
    ]
    caption = words(message("report-reproduction-each", number=len(rows)))
    return Table(tuple(Column(words(title)) for title in titles), tuple(rows), caption)


_MOST_EACH = 12
"""Most cases that are told each with all that was seen; of more, a table has the commands."""
_MOST_OPEN = 3
"""Most cases that are folded individually; more are folded together, below the first one's command."""
_PROGRAM = "/bin/banzuke-"
"""How the paths of programs go on after the installation's folder."""
_PREFIX = "PREFIX"
"""Variable that stands for this folder in commands."""


def _listed(own: Facts) -> list[Block]:
    return [Items(tuple(Item(f"{name}: {text}") for name, text in own.items()), style="facts")] if own else []


def _case(case: ViewCase, own: Facts, prefix: str, words: Words, *, without_command: bool) -> list[Block]:
    """Return its command, unless `without_command`, and its own facts."""
    record = case.assessment.record
    blocks: list[Block] = [] if without_command else [_command(record, prefix, words)]
    own = {words(message("report-record")): f"{case.id}, {_time(record, words)}", **own}
    if not case.assessment.launches:
        own |= _seen(record, words)
    launches = [
        Item(_launch(case, place, record, words), tuple(_listed(_seen(record, words))))
        for place, record in enumerate(case.assessment.records, 1)
        if case.assessment.launches
    ]
    return blocks + _listed(own) + ([Items(tuple(launches), style="facts")] if launches else [])


def _launch(case: ViewCase, place: int, record: Record, words: Words) -> str:
    """Return `launch 2 of 3 (shown here): verified, Triad 12.6 GB/s, 09:00:00 to 09:00:05, record r-7`."""
    launch = case.assessment.launches[place - 1]
    name = launch_name(case, place, words)
    shown = record is case.assessment.record
    main = next((figure for figure in launch.figures if figure.headline), launch.figures[0] if launch.figures else None)
    parts = [
        words(state(record)),
        words.fact(Reason(record.reason)) if record.reason else "",
        figure_text(main.value, main.unit) if main else "",
        _time(record, words),
        f"{words(message('report-record'))} {identity(record, '')}",
    ]
    name = words(message("report-launch-shown", launch=name)) if shown else name
    return f"{name}: {', '.join(filter(None, parts))}"


def _time(record: Record, words: Words) -> str:
    return words(message("report-from-to", start=moment(record.started), end=moment(record.ended)))


def moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S %Z}"


def _seen(record: Record, words: Words) -> Facts:
    """Return the conditions in one line."""
    seen = words(message("fact-comma")).join(f"{name} {value}" for name, value in conditions(record, words))
    return {words(message("report-conditions")): seen} if seen else {}


def facts(record: Record, words: Words) -> Facts:
    """Return all known facts except the command, which cases may share."""
    provenance = record.provenance
    texts = {
        words(message("report-settings")): settings_text(settings(record), words),
        "Banzuke": _version(record, words),
        words(message("report-imported")): _imported(record),
        words(message("report-environment")): provenance.environment if provenance else "",
        words(message("report-binding")): "; ".join(_place(place, words) for place in record.binding),
        words(message("report-programs")): "; ".join(
            f"{group.program}: {words(layout_title(group.ranks, group.threads))}" for group in record.groups
        ),
        words(message("report-storage")): "; ".join(_area(name, area) for name, area in record.areas.items()),
        words(message("report-hosts")): "; ".join(
            words(message("report-host-ranks", hosts=hosts.names, ranks=hosts.ranks))
            for group in record.groups
            for hosts in group.hosts
        ),
        **{words(software_title(name)): _software(name, text, words) for name, text in record.software.items()},
    }
    return {name: text for name, text in texts.items() if text}


def _software(name: str, text: str, words: Words) -> str:
    return words(library_choice(text)) if name == CHOICE else text


def _version(record: Record, words: Words) -> str:
    provenance = record.provenance
    if provenance is None:
        return ""
    if not provenance.commit:
        return provenance.banzuke
    return words(message("report-version", version=provenance.banzuke, commit=provenance.commit))


def _imported(record: Record) -> str:
    """Return the file that the record was imported from; empty: banzuke launched it itself."""
    source = record.provenance.imported if record.provenance else None
    return f"{source.file}, SHA-256 {source.sha256}, {moment(source.at)}" if source else ""


def command_text(record: Record) -> str:
    """Return the command with the variables to set and to unset; empty: unknown."""
    provenance = record.provenance
    if provenance is None:
        return ""
    variables = sorted(provenance.variables.items())
    parts = [f"-u {shlex.quote(name)}" for name, value in variables if value == ""]
    parts += [f"{name}={shlex.quote(value)}" for name, value in variables if value != ""]
    prefix = " ".join((["env"] if parts else []) + parts)
    return f"{prefix} {shlex.join(provenance.command)}".strip()


def _area(name: str, area: Area) -> str:
    """Return `scratch: /scratch/user, lustre, stripe_count 4`."""
    return ", ".join([f"{name}: {area.path}", area.type, *(f"{key} {value}" for key, value in area.settings.items())])


def _place(place: Binding, words: Words) -> str:
    parts = [_threads(place.threads, words)]
    parts += [words(message("report-memory-policy", policy=place.memory))] if place.memory else []
    parts += [words(message("report-pages", pages=place.pages))] if place.pages else []
    parts += [words(message("report-devices", devices=" ".join(place.devices)))] if place.devices else []
    return words(message("report-ranks-at", ranks=place.ranks, place=words(message("fact-comma")).join(parts)))


def _threads(threads: list[str], words: Words) -> str:
    if len(set(threads)) == 1 and len(threads) > 1:
        return words(message("report-threads-together", number=len(threads), processors=threads[0]))
    return words(message("fact-comma")).join(
        words(message("report-thread-on", thread=str(index), processors=cpus)) for index, cpus in enumerate(threads)
    )
