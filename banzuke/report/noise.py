"""What fixed quanta show of noise, as content."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import ceil

from banzuke.limit import noise as seen
from banzuke.limit.model import Assessment
from banzuke.limit.noise_sources import Tick, tick
from banzuke.limit.spectrum import Peak as FoundPeak
from banzuke.limit.spectrum import Spectrum as Found
from banzuke.limit.variants import NO_TIMES, meaningless
from banzuke.record.model import Record
from banzuke.record.settings import apart, label_of, surroundings, telling
from banzuke.report.content import Case
from banzuke.report.curve_content import Value
from banzuke.report.noise_content import Band, Far, Noise, NoiseGroup, Peak, Quanta, Run, Spectrum, Square
from banzuke.text import slug
from banzuke.units import percent, quantity
from banzuke.words.language import words

COLUMNS = 320
"""Of all cases of a group together: half a chart's pixels."""
STEPS = 240
"""Most lengths of a distribution that are drawn."""
SINGLE = 128
"""Processors up to which each is drawn by itself."""
SIDE = 64
"""Squares along each side of a map of more."""
WORST = 8
FREQUENCIES = 640
TITLES = {"fwq": "Fixed work quanta", "ftq": "Fixed time quanta"}
Ran = tuple[seen.Noise, Case, Record]


def noise(assessments: Sequence[Assessment], cases: Sequence[Case]) -> Noise | None:
    """None: no case has quanta, or none whose times mean anything."""
    measured = [(of.noise, case, of.record) for of, case in zip(assessments, cases, strict=True) if of.noise]
    emulated = {surroundings(record) for _, _, record in measured if meaningless([record])}
    groups: dict[tuple[str, ...], list[Ran]] = {}
    for of, case, record in measured:
        if surroundings(record) not in emulated:
            key = tuple(f"{name} {value!r}" for name, value in apart(record).items())
            groups.setdefault((of.kind, *key), []).append((of, case, record))
    if not groups:
        return None
    left_out = f"{', '.join(sorted(emulated))} left out: {words()(NO_TIMES)}." if emulated else ""
    return Noise(groups=[*_groups("fwq", groups), *_groups("ftq", groups)], left_out=left_out)


def _groups(kind: seen.Kind, groups: Mapping[tuple[str, ...], Sequence[Ran]]) -> list[NoiseGroup]:
    """Those of one kind, each with what tells it from the others."""
    wanted = [of for (of_kind, *_), of in groups.items() if of_kind == kind]
    rows = [apart(of[0][2]) for of in wanted]
    columns = telling(rows)
    titles = [", ".join(filter(None, (TITLES[kind], label_of(row, columns)))) for row in rows]
    return [
        NoiseGroup(
            title=title,
            slug=slug(f"{kind} {label_of(row, columns)}"),
            kind=kind,
            runs=[_run(*one, COLUMNS // len(of)) for one in of],
        )
        for title, row, of in zip(titles, rows, wanted, strict=True)
    ]


def _run(of: seen.Noise, case: Case, record: Record, columns: int) -> Run:
    statistics = [_quanta("all", of.all)]
    statistics += [_quanta("without the clock's part", of.beyond)] if of.beyond else []
    worst = sorted(enumerate(of.cores), key=lambda item: -item[1].share)[:WORST]
    return Run(
        case=case.id,
        label=surroundings(record),
        launches=len(case.launches) or 1,
        quantum=_value(of.quantum, "s"),
        quanta=max(len(trace.lengths) for trace in of.traces),
        processors=of.processors,
        left_out=of.left_out,
        statistics=statistics,
        clock=_clock(of),
        resolution=_value(of.clock_resolution, "s") if of.beyond and of.clock_resolution else None,
        worst=[_square(core, place, 0) for place, core in worst],
        cores=_squares(of.cores),
        tail=_tail(of.steps),
        tail_beyond=_tail(of.steps_beyond) if of.steps_beyond else [],
        band=_band(of, columns),
        spectrum=_spectrum(of, of.spectrum) if of.spectrum else None,
    )


def _quanta(name: str, of: seen.Statistics) -> Quanta:
    values = {"maximum": of.maximum, "mean": of.mean}
    values |= {f"p{100 * fraction:g}": length for fraction, length in of.percentiles.items()}
    told = {stat: _value(length, "s") for stat, length in values.items()}
    told["share"] = Value(value=of.share, text=percent(of.share))
    above = {quantity(least, "s"): count for least, count in of.above.items()}
    return Quanta(name=name, count=of.count, values=told, above=above)


def _clock(of: seen.Noise) -> str:
    if of.beyond is None:
        return ""
    method = of.record.conditions.get("method")
    by = f" by {method}" if isinstance(method, str) else ""
    return f"The clock's part was separated{by}; what is shorter than this resolves may be either."


def _band(of: seen.Noise, columns: int) -> Band:
    found = of.envelope(columns)
    several = len({trace.line.host for trace in of.traces}) > 1
    names = [f"processor {t.line.cpu}" + (f" of {t.line.host}" if several else "") for t in of.traces]
    return Band(
        width=found.width,
        low=[_short(value) for value in found.low],
        high=[_short(value) for value in found.high],
        points=[Far(number=one.number, who=names[one.trace], noise=_short(one.noise)) for one in found.points],
    )


def _short(value: float) -> float:
    """Drawn, not told: six digits do."""
    return float(f"{value:.6g}")


def _tail(steps: Sequence[tuple[float, int]]) -> list[tuple[float, float]]:
    """Which share of the quanta has as much noise or more; of steps that nobody could tell apart the first."""
    total = sum(count for _, count in steps)
    above, found = total, []
    for length, count in steps:
        found.append((length, above / total))
        above -= count
    kept: list[tuple[float, float]] = []
    least = (found[-1][0] / max(found[0][0], 1e-9)) ** (1 / STEPS) if found[-1][0] > 0 else 1.0
    for step in found:
        if kept and kept[-1][0] > 0 and step[0] < kept[-1][0] * least and step is not found[-1]:
            continue
        kept.append((_short(step[0]), _short(step[1])))
    return kept


def _squares(cores: Sequence[seen.Core]) -> list[Square]:
    """Each processor, or of many the worst of each block, by host and place."""
    hosts = [list(of) for _, of in groupby(cores, key=lambda core: core.host)]
    if len(cores) <= SINGLE and len(hosts) == 1:
        return [_square(core, core.cpu, 0) for core in cores]
    wide, high = ceil(max(map(len, hosts)) / SIDE), ceil(len(hosts) / SIDE)
    blocks: dict[tuple[int, int], list[seen.Core]] = {}
    for y, of in enumerate(hosts):
        for x, core in enumerate(of):
            blocks.setdefault((x // wide * wide, y // high * high), []).append(core)
    return [_worst(of, x, y) for (x, y), of in blocks.items()]


def _worst(cores: Sequence[seen.Core], x: int, y: int) -> Square:
    longest = max(cores, key=lambda core: core.maximum)
    share = max(core.share for core in cores)
    among = f", the worst of {len(cores)}" if len(cores) > 1 else ""
    return _square(longest, x, y).model_copy(update={"share": share, "who": f"{longest}{among}"})


def _square(core: seen.Core, x: int, y: int) -> Square:
    return Square(x=x, y=y, who=str(core), maximum=_short(core.maximum), share=_short(core.share))


def _spectrum(of: seen.Noise, found: Found) -> Spectrum:
    ticks = tick(of)
    width = ceil(len(found.amplitudes) / FREQUENCIES)
    columns = [
        max(range(begin, min(begin + width, len(found.amplitudes))), key=found.amplitudes.__getitem__)
        for begin in range(1, len(found.amplitudes), width)
    ]
    return Spectrum(
        frequencies=[_short(place * found.step) for place in columns],
        amplitudes=[_short(found.amplitudes[place]) for place in columns],
        highest=_value(found.highest, "Hz"),
        peaks=[_peak(peak, ticks if ticks and ticks.peak is peak else None) for peak in found.peaks],
    )


def _peak(peak: FoundPeak, ticks: Tick | None) -> Peak:
    lost = ticks.lost if ticks else peak.lost
    return Peak(
        frequency=_value(peak.frequency, "Hz"),
        amplitude=Value(value=peak.amplitude, text=percent(peak.amplitude)),
        lost=None if lost is None else _value(lost, "s"),
        multiples=peak.multiples,
        name=f"the timer tick, {ticks.rate} per second" if ticks else "",
    )


def _value(value: float, unit: str) -> Value:
    return Value(value=value, text=quantity(value, unit))
