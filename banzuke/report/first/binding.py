"""Draws ranks on the cores and devices of a host, as the binding was read back."""

import math
from collections import defaultdict
from collections.abc import Container, Hashable, Mapping, Sequence

from banzuke.cpu_lists import parse_cpus
from banzuke.document import Block, Details, Drawing, Panel, Paragraph
from banzuke.document.drawing import SMALL, Pen
from banzuke.machine.model import Machine
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.words import Listed, Message, message
from banzuke.words.language import Words

WIDTH = 330.0
_COLOURS = 8
_SIDES = (24.0, 18.0, 14.0, 11.0, 8.0, 6.0, 4.0)
_NUMBERED = 9.0
"""Smallest width of a processor in which a rank's number can be read."""
_MOST_NAMED = 8
"""Most ranks in a description, processors of each, and ranks whose devices are named."""
_DRAWN = 8
"""Most placements drawn, those of most cases first, to keep the report small."""
Owners = Mapping[int, Sequence[int]]
"""Ranks by the logical processor that their threads may use."""


def binding_blocks(evaluation: Evaluation, words: Words, prefix: str = "") -> Sequence[Block]:
    """Return each placement of ranks in verified cases once, with the benchmarks that used it, folded."""
    alike: dict[Hashable, list[Record]] = defaultdict(list)
    for assessment in evaluation.assessments:
        record = assessment.record
        if record.status == "ok":
            placed = tuple((binding.ranks, *binding.threads, *binding.devices) for binding in record.binding)
            alike[record.threads, record.nodes, record.partition, placed].append(record)
    blocks: list[Block] = []
    for number, records in enumerate(sorted(alike.values(), key=len, reverse=True)[:_DRAWN], 1):
        drawing = binding_drawing(records[0], evaluation.machine, words, f"{prefix}binding-{number}")
        if drawing:
            names = dict.fromkeys(record.benchmark for record in records)
            titles = tuple(evaluation.title_of(name) for name in names)
            blocks += [Paragraph(words(message("binding-used-by", benchmarks=Listed(titles)))), drawing]
    return [Details(words(message("binding-details")), tuple(blocks))] if blocks else []


def binding_drawing(record: Record, machine: Machine, words: Words, name: str) -> Drawing | None:
    """Draw the first host, which the machine's description represents. `name`: that of the drawing, unique in the page.

    None: its binding was not read back, or the machine has nothing of the partition.
    """
    host = next(iter(record.hosts), None)
    ranks = set(host.ranks) if host else range(record.ranks)
    owners, bound, devices = _placed(record, ranks)
    cores = _cores(record, machine, owners)
    if not owners or cores is None:
        return None
    said = message(
        "binding-title",
        host=host.name if host and host.name else "–",
        hosts=record.nodes,
        ranks=len(ranks),
        threads=record.threads,
        bound="yes" if bound else "no",
    )
    panel = _panel(cores, owners, devices, words, bound=bound)
    where = [
        message("binding-rank", rank=rank, processors=Listed(tuple(str(cpu) for cpu in cpus), _MOST_NAMED))
        for rank, cpus in sorted(_by_rank(owners).items())[:_MOST_NAMED]
    ]
    return Drawing(
        name, words(said), words(message("binding-described", title=said, where=Listed(tuple(where)))), (panel,)
    )


def _placed(record: Record, ranks: Container[int]) -> tuple[Owners, bool, Mapping[int, Sequence[str]]]:
    """Return the ranks by processor that they may use, whether each thread has its own, and the devices by rank."""
    owners: dict[int, list[int]] = defaultdict(list)
    devices: dict[int, Sequence[str]] = {}
    bound = True
    for binding in record.binding:
        threads = [parse_cpus(text) for text in binding.threads]
        bound &= all(len(cpus) == 1 for cpus in threads)
        cpus = dict.fromkeys(cpu for thread in threads for cpu in thread)
        for rank in (number for number in parse_cpus(binding.ranks) if number in ranks):
            devices |= {rank: binding.devices} if binding.devices else {}
            for cpu in cpus:
                owners[cpu].append(rank)
    return owners, bound, devices


def _cores(
    record: Record, machine: Machine, owners: Owners
) -> Sequence[tuple[Message, Sequence[Sequence[int]]]] | None:
    """Return the processors of each core by NUMA node or socket; undescribed ones come last."""
    partition = record.groups[0].partition
    try:
        machine = machine.of(partition) if partition else machine
    except KeyError:
        return None
    allotment = machine.allotment
    numa = [(message("binding-numa", number=domain.node), set(domain.cpus)) for domain in machine.node.domains]
    sockets = [(message("binding-socket", number=at), set(cpus)) for at, cpus in enumerate(allotment.packages)]
    areas = numa if len(numa) > 1 else sockets if len(sockets) > 1 else []
    cores = [list(core) for core in allotment.siblings if core] or [[cpu] for cpu in allotment.allowed]
    described = {cpu for core in cores for cpu in core}
    cores += [[cpu] for cpu in sorted(set(owners) - described)]
    by_area = [(name, [core for core in cores if core[0] in cpus]) for name, cpus in areas]
    placed = {core[0] for _, inside in by_area for core in inside}
    rest = [core for core in cores if core[0] not in placed]
    return [*(pair for pair in by_area if pair[1]), *([(message("binding-cores"), rest)] if rest else [])]


def _by_rank(owners: Owners) -> Mapping[int, Sequence[int]]:
    processors: dict[int, list[int]] = defaultdict(list)
    for cpu, ranks in sorted(owners.items()):
        for rank in ranks:
            processors[rank].append(cpu)
    return processors


def _panel(
    areas: Sequence[tuple[Message, Sequence[Sequence[int]]]],
    owners: Owners,
    devices: Mapping[int, Sequence[str]],
    words: Words,
    *,
    bound: bool,
) -> Panel:
    pen, y = Pen(WIDTH), 0.0
    for name, cores in areas:
        y = pen.text(0, y, words(name), width=WIDTH, size=SMALL, fill="soft") + 2
        side = next((side for side in _SIDES if len(cores) <= 6 * ((WIDTH - 8) // (side + 3))), _SIDES[-1])
        rows = math.ceil(len(cores) / ((WIDTH - 8) // (side + 3)))
        in_row = math.ceil(len(cores) / rows)
        height = rows * (side + 3) + 5
        pen.box(0.5, y, WIDTH - 1, height, "wash", "rule")
        for at, core in enumerate(cores):
            row, column = divmod(at, in_row)
            _core(pen, 4 + column * (side + 3), y + 4 + row * (side + 3), side, core, owners, bound=bound)
        y += height + 5
    for rank, names in sorted(devices.items())[:_MOST_NAMED]:
        said = words(message("binding-devices", rank=rank, devices=Listed(tuple(names))))
        y = pen.text(0, y, said, width=WIDTH, size=SMALL)
    return pen.panel(y + 4)


def _core(pen: Pen, x: float, y: float, side: float, core: Sequence[int], owners: Owners, *, bound: bool) -> None:
    """Draw a slice for each processor of a core: red where ranks share it, unfilled where threads are not bound."""
    wide = side / len(core)
    for at, cpu in enumerate(core):
        ranks = sorted(set(owners.get(cpu, ())))
        if not ranks:
            pen.box(x + at * wide, y, wide, side, "", "faint", radius=1)
            continue
        colour = f"c{ranks[0] % _COLOURS + 1}"
        shared = len(ranks) > 1 and bound
        fill = "bad" if shared else colour if bound else ""
        pen.box(x + at * wide, y, wide, side, fill, "bad" if shared else colour, dashed=not bound, radius=1)
        if wide >= _NUMBERED and bound:
            label = f"{ranks[0]}+" if shared else str(ranks[0])
            size = min(SMALL, 1.5 * wide / max(2, len(label)))
            middle = y + side / 2 - 0.65 * size
            pen.text(
                x + (at + 0.5) * wide, middle, label, width=2 * wide, size=size, fill="onbar", anchor="middle", most=1
            )
