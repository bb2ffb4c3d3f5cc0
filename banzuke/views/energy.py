"""Shows the energy of cases: a table, and notes on it."""

from collections.abc import Sequence

from banzuke.document import Block, Cell, Column, Heading, Item, Items, Row, Table
from banzuke.judge.energy import CaseEnergy, covered, energies, notes, per_watt
from banzuke.judge.model import Assessment
from banzuke.machine.model import Machine
from banzuke.words import Quantity, message
from banzuke.words.language import Words


def energy_blocks(cases: Sequence[tuple[str, Assessment]], machine: Machine | None, words: Words) -> list[Block]:
    """Return a table of cases that have an energy, by label, and notes on all cases; empty: there are neither.

    Without a machine, the level of the measurement is not given.
    """
    measured = [(label, assessment, energy) for label, assessment in cases if (energy := energies(assessment))]
    said_of_all = dict.fromkeys(words(said) for _, assessment in cases for said in notes(assessment, machine))
    blocks: list[Block] = [_table(measured, words)] if measured else []
    if said_of_all:
        blocks.append(Items(tuple(map(Item, said_of_all))))
    return [Heading(words(message("energy-title"))), *blocks] if blocks else []


def _table(measured: Sequence[tuple[str, Assessment, CaseEnergy]], words: Words) -> Table:
    titles = (
        message("energy-joule"),
        message("energy-timed"),
        message("energy-mean-power"),
        message("energy-above-idle"),
        message("energy-per-watt"),
    )
    columns = (
        Column(words(message("energy-case"))),
        *(Column(words(title), numeric=True) for title in titles),
        Column(words(message("energy-covered"))),
    )
    rows = []
    for label, assessment, energy in measured:
        ratio = next(filter(None, (per_watt(assessment, figure) for figure in assessment.figures)), None)
        amounts = (
            Quantity(energy.joule, "J"),
            Quantity(energy.seconds, "s"),
            Quantity(energy.watt, "W"),
            None if energy.above_idle is None else Quantity(energy.above_idle, "J"),
            ratio,
        )
        cells = (Cell(words.fact(amount), amount.value, amount.unit) if amount else Cell("–") for amount in amounts)
        rows.append(Row((Cell(label), *cells, Cell(words(covered(energy.launches[0][1]))))))
    return Table(columns, tuple(rows), caption=words(message("energy-of-timed-parts")), heads=1)
