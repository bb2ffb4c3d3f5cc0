"""Loads the fleet that runs measured from their files by DuckDB, since 200,000 records are too many to read one by one.

A figure of a node comes from verified records of this host alone that were measured beside those of other hosts
(`Provenance.batch`). It is the median of its launches, without those during which others used the processors, if any
remain. With several devices, it is that of the slowest one.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, NamedTuple, TypeAlias, cast, get_args

from pydantic import ValidationError

from banzuke.amounts import Scalar
from banzuke.compare.runs import of_any_size
from banzuke.compare.settings import short_setting, varying
from banzuke.fleet.directions import figures_of_ends
from banzuke.fleet.model import FigureLaunch, Fleet, Node, NodeFigure, Pair, State, kind_of
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.wording import benchmark_title, metric_title
from banzuke.record.figures import Pairs
from banzuke.record.model import Group
from banzuke.record.sharing import sharing_ranks, waiting_pairs
from banzuke.record.state import CROWDED, ROBBED, Taken, read_signs
from banzuke.results.lines import NODES, count
from banzuke.results.query import query
from banzuke.results.run import Run
from banzuke.words import Message, message

_ALL = f"""
WITH launch AS MATERIALIZED (
    SELECT benchmark, backend, environment, variant::VARCHAR AS variant, ranks, threads,
        parameters::VARCHAR AS parameters, status, reason, metrics, provenance->>'batch' AS batch,
        provenance->>'machine' AS machine,
        array_to_string(list_sort(json_extract_string(groups, '$[*].binding[*].devices[*]')), ' ') AS devices,
        list_distinct(json_extract_string(groups, '$[*].hosts[*].names')) AS hosts,
        [TRY_CAST(sign AS DOUBLE) FOR sign IN json_extract(conditions,
            ['exchange_latency', 'exchange_latency_before', 'clock_hz'])] AS signs,
        CASE WHEN coalesce(TRY_CAST(provenance->>'neighbours' AS INT), 0) = 0
            THEN TRY_CAST(conditions->>'other_busy_fraction' AS DOUBLE) END AS others,
        TRY_CAST(conditions->>'steal_fraction' AS DOUBLE) AS stolen,
        CASE WHEN len(json_keys(pairs)) > 0 THEN pairs::VARCHAR END AS pairs,
        CASE WHEN len(json_keys(pairs)) > 0 THEN groups::VARCHAR END AS groups,
        CASE WHEN len(json_keys(pairs)) > 0 THEN (conditions->'ranks_of_one_processor')::VARCHAR END AS sharing,
        status = 'ok' AND list_unique(json_extract_string(verification, '$[*].passed')) = 1
            AND verification->>'$[0].passed' = 'true' AS verified
    FROM records
),
of_host AS (
    SELECT *, hosts[1] AS host FROM launch
    WHERE batch IS NOT NULL AND len(hosts) = 1 AND NOT contains(hosts[1], '[')
),
figure AS (
    SELECT *, coalesce(others, 0) >= {CROWDED} OR coalesce(stolen, 0) >= {ROBBED} AS disturbed,
        m.key AS metric, m.value->>'unit' AS unit,
        list_median(TRY_CAST(m.value->'samples' AS DOUBLE[])) AS reached
    FROM of_host, json_each(metrics) AS m WHERE verified
),
of_device AS (
    SELECT benchmark, backend, metric, unit, environment, variant, ranks, threads, parameters, host, devices,
        max(machine) AS machine, coalesce(median(reached) FILTER (NOT disturbed), median(reached)) AS value,
        list(row(reached, signs, disturbed)) FILTER (devices = '' AND isfinite(reached) AND list_count(signs) > 0)
            AS launches,
        CASE WHEN bool_and(disturbed) THEN [min(others), min(stolen)] ELSE [] END AS taken
    FROM figure GROUP BY ALL
),
value AS (
    SELECT * EXCLUDE (devices, machine, value, launches, taken), max(machine) AS machine, min(value) AS least,
        max(value) AS most, arg_min(devices, value) AS with_least, arg_max(devices, value) AS with_most,
        count(*) AS among, any_value(launches) AS launches, arg_min(taken, value) AS taken_least,
        arg_max(taken, value) AS taken_most
    FROM of_device WHERE isfinite(value) GROUP BY ALL
),
setting AS (
    SELECT * EXCLUDE (host, machine, least, most, with_least, with_most, among, launches, taken_least, taken_most),
        list(row(host, machine, least, most, with_least, with_most, among, launches, taken_least, taken_most)) AS nodes
    FROM value GROUP BY ALL ORDER BY ALL
),
failed AS (
    SELECT host, max(machine) AS machine, any_value(reason) AS reason FROM of_host WHERE status = 'failed' GROUP BY host
),
linked AS (SELECT benchmark, backend, groups, pairs, sharing FROM launch WHERE verified AND pairs IS NOT NULL)
SELECT (SELECT list(setting) FROM setting), (SELECT list(failed) FROM failed), (SELECT list(linked) FROM linked),
    (SELECT count(*) FROM launch)
"""  # noqa: S608  (numbers of our own)
"""Returns one row: settings with the nodes' figures, nodes that failed, figures of pairs, and the number of records."""
_NODES = "SELECT host, state, why, place, facts FROM nodes ORDER BY run"


_Launched: TypeAlias = tuple[float, Sequence[float | None], bool]
"""The value reached, `_SIGNS` of the machine's state, and whether others used much of the processors."""
_SIGNS = "exchange_latency", "exchange_latency_before", "clock_hz"
_Others: TypeAlias = Sequence[float | None]
"""Shares that processes and the hypervisor took, if they took much in all launches; else empty."""


class _Reached(NamedTuple):
    """What a node reached, over its devices and launches: one of the `nodes` of `_ALL`."""

    host: str
    machine: str
    """Fingerprint of the machine."""
    least: float
    most: float
    with_least: str
    """The device that has `least`."""
    with_most: str
    among: int
    launches: Sequence[_Launched] | None
    """On processors, those that show a state."""
    taken_least: _Others
    taken_most: _Others

    def worst(self, figure: NodeFigure) -> tuple[float, str, _Others]:
        """Return the worst value, the device that has it, and what others took from it."""
        if figure.better == "higher":
            return self.least, self.with_least, self.taken_least
        return self.most, self.with_most, self.taken_most

    @property
    def quiet(self) -> Sequence[FigureLaunch]:
        """Launches without those during which others used the processors, if any remain."""
        launches = self.launches or ()
        every = all(disturbed for *_, disturbed in launches)
        return [_launch(value, signs) for value, signs, disturbed in launches if every or not disturbed]


class _Setting(NamedTuple):
    """A setting of a metric with what the nodes reached: a `setting` of `_ALL`."""

    benchmark: str
    backend: str
    metric: str
    unit: str
    environment: str
    variant: str
    ranks: int
    threads: int
    parameters: str
    nodes: Sequence[_Reached]

    @property
    def alike(self) -> tuple[str, ...]:
        """What all settings of one figure have in common, at least."""
        return self[:6]

    @property
    def launched(self) -> dict[str, Scalar]:
        """How it was launched, whatever the size."""
        return {"backend": self.backend, "environment": self.environment, **_object(self.variant)}

    @property
    def sized(self) -> dict[str, Scalar]:
        return {"ranks": self.ranks, "threads": self.threads, **_object(self.parameters)}


def load(runs: Sequence[Run]) -> Fleet:
    """Load all nodes of these runs; the last facts that a node reported count. Raises BanzukeError."""
    files = [(run.folder, run.files()) for run in runs]
    (settings, failed, linked, records), *_ = query(files, _ALL).rows
    said = query(files, _NODES).rows
    figures, measured = _measured([_Setting(**setting) for setting in settings or ()])
    nodes = {host: Node(host, own.machine) for host, own in measured.items()}
    for node in failed or ():
        nodes.setdefault(node["host"], Node(node["host"], node["machine"] or "", "failed", node["reason"] or ""))
    for host, *rest in said:
        nodes[host] = _said(host, measured[host].machine if host in measured else "", *rest)
    for host, own in measured.items():
        nodes[host] = replace(
            nodes[host], values=own.values, devices=own.devices, launches=own.launches, disturbed=own.disturbed
        )
    pairs: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    rounds: dict[tuple[str, str], int] = {}
    for figure, of_pairs, together in _links(linked or ()):
        rounds |= together
        figures |= {part.name: part for part in (figure, *figures_of_ends(figure))}
        for ends, value in of_pairs.items():
            if ends[0] in nodes and ends[1] in nodes:
                pairs[ends][figure.name].append(value)
    links = (
        Pair(ends, {name: median(samples) for name, samples in by_figure.items()}, rounds.get(ends))
        for ends, by_figure in sorted(pairs.items())
    )
    lines = sum(count(file) for folder, records_files in files for file in (*records_files, folder / NODES))
    network = next(filter(None, (run.network() for run in reversed(runs))), None)
    damaged = max(0, lines - records - len(said))
    return Fleet(figures, dict(sorted(nodes.items())), tuple(links), damaged, network)


@dataclass
class _Own:
    """What a node's records say, by figure; see `Node`."""

    machine: str = ""
    values: dict[str, float] = field(default_factory=dict)
    devices: dict[str, str] = field(default_factory=dict)
    launches: dict[str, Sequence[FigureLaunch]] = field(default_factory=dict)
    disturbed: dict[str, Taken] = field(default_factory=dict)


def _measured(settings: Iterable[_Setting]) -> tuple[dict[str, NodeFigure], Mapping[str, _Own]]:
    """Return the figures by name, and what each host reached."""
    figures: dict[str, NodeFigure] = {}
    by_host: dict[str, _Own] = defaultdict(_Own)
    for figure, every in _figures(settings):
        figures[figure.name] = figure
        for reached in map(_Reached._make, every):
            own = by_host[reached.host]
            own.machine = reached.machine or ""
            own.values[figure.name], device, took = reached.worst(figure)
            if reached.among > 1:
                own.devices[figure.name] = device
            if took:
                own.disturbed[figure.name] = Taken(*took)
            if quiet := reached.quiet:
                own.launches[figure.name] = quiet
    return figures, by_host


def _launch(value: float, signs: Sequence[float | None]) -> FigureLaunch:
    return FigureLaunch(value, read_signs(dict(zip(_SIGNS, signs, strict=True))))


def _said(host: str, machine: str, state: str, why: str | None, place: str | None, facts: str) -> Node:
    own = {name: fact for name, fact in _object(facts).items() if isinstance(fact, str | int | float)}
    which = cast("State", state) if state in get_args(State) else "failed"
    return Node(host, kind_of(own) or machine, which, why or "", facts=own, place=place or "")


def _object(text: str | None) -> dict[str, Any]:
    """Return the JSON object in the text; empty for anything else, because files may be damaged."""
    content = json.loads(text or "{}")
    return content if isinstance(content, dict) else {}


def _figures(launched: Iterable[_Setting]) -> Iterator[tuple[NodeFigure, Sequence[_Reached]]]:
    """Yield the headline figures that specs declare; not for collections, where no single problem represents a node."""
    catalogue = benchmarks()
    wanted = {
        (name, metric.name): (spec, metric)
        for name, spec in catalogue.items()
        if not spec.collection
        for metric in _headlines(spec)
    }
    by_metric: dict[tuple[str, str], dict[tuple[str, ...], list[_Setting]]] = defaultdict(lambda: defaultdict(list))
    for setting in launched:
        declared = wanted.get((setting.benchmark, setting.metric))
        if declared and declared[1].unit == setting.unit:
            by_metric[setting.benchmark, setting.metric][setting.alike].append(setting)
    for metric, groups in by_metric.items():
        ready = [measured for group in groups.values() for measured in _together(group)]
        telling = varying(measured.settings for measured in ready)
        for reading in ready:
            settings = ", ".join(
                short_setting(name, reading.settings[name]) for name in telling if name in reading.settings
            )
            yield _figure(*wanted[metric], reading, settings), reading.nodes


class _MeasuredFigure(NamedTuple):
    """One figure, as the nodes measured it."""

    program: str
    settings: dict[str, Scalar]
    """Settings that can distinguish it from other figures of its metric."""
    setting: str
    nodes: Sequence[_Reached]


def _together(group: Sequence[_Setting]) -> Iterator[_MeasuredFigure]:
    """Yield the figures of a group of settings.

    Sizes and layouts follow the machine, so they make figures of their own only if a node has several of them. Values
    other than rates are comparable at one size only; there, several sizes on nodes of one type suffice.
    """
    first = group[0]
    seen = [host if of_any_size(first.unit) else machine for setting in group for host, machine in _whose(setting)]
    program, launched = f"{first.benchmark}-{first.backend}", first.launched
    if len(set(seen)) == len(seen):
        yield _MeasuredFigure(program, launched, _setting(group), [node for setting in group for node in setting.nodes])
    else:
        yield from (
            _MeasuredFigure(program, {**launched, **setting.sized}, _setting([setting]), setting.nodes)
            for setting in group
        )


def _setting(group: Sequence[_Setting]) -> str:
    """Return the settings that all nodes share, without the numbers for rates, which compare at any size."""
    common = set.intersection(*(set(setting.sized.items()) for setting in group))
    kept = {name: value for name, value in group[0].sized.items() if (name, value) in common}
    if of_any_size(group[0].unit):
        kept = {name: value for name, value in kept.items() if isinstance(value, str | bool)}
    return ", ".join(short_setting(name, value) for name, value in kept.items())


def _whose(setting: _Setting) -> set[tuple[str, str]]:
    return {(host, machine) for host, machine, *_ in setting.nodes}


def _headlines(spec: Benchmark) -> Sequence[Metric]:
    return [metric for metric in spec.metrics if metric.headline] or spec.metrics[:1]


def _figure(spec: Benchmark, metric: Metric, measured: _MeasuredFigure, settings: str) -> NodeFigure:
    name = f"{measured.program}:{metric.name}{f' {settings}' if settings else ''}"
    title = figure_title(spec, metric)
    if settings:
        title = message("fleet-figure-at", title=title, settings=settings)
    return NodeFigure(name, title, metric.unit, metric.better, spec.suspected, measured.setting)


def figure_title(spec: Benchmark, metric: Metric) -> Message:
    """Return `DGEMM: rate`, but `STREAM Triad` if the metric's title names the benchmark already."""
    title = metric_title(spec.name, metric)
    if spec.title.casefold() in metric.title.casefold():
        return title
    return message("plan-full-title", benchmark=benchmark_title(spec), title=title)


def _links(
    records: Iterable[Mapping[str, str]],
) -> Iterator[tuple[NodeFigure, Mapping[tuple[str, str], float], Mapping[tuple[str, str], int]]]:
    """Yield, for each record with pairs, the worst figure from one host to another, or between two in order of their
    names; and the rounds of those from one to another, if each host has one rank.

    Ranks that share a processor are left out: they wait for each other, whatever the link.
    """
    catalogue = benchmarks()
    for record in records:
        spec = catalogue.get(record["benchmark"])
        try:
            hosts = _host_of_rank(record["groups"])
            pairs = {name: Pairs.model_validate(matrix) for name, matrix in _object(record["pairs"]).items()}
            groups = sharing_ranks(json.loads(record["sharing"] or "null"))
        except ValidationError:
            continue  # not a valid record; reading records one by one reports it
        for name, matrix in pairs.items():
            metric = next((candidate for candidate in spec.metrics if candidate.name == name), None) if spec else None
            if spec and metric:
                title = message("fleet-figure-between", title=figure_title(spec, metric))
                full_name = f"{spec.name}-{record['backend']}:pairs:{name}"
                figure = NodeFigure(full_name, title, metric.unit, metric.better, spec.suspected)
                if matrix.both_ways:
                    figure = replace(figure, name=f"{full_name}:way", directed=True)
                rounds = rounds_of(matrix, hosts) if matrix.both_ways and len({*hosts.values()}) == len(hosts) else {}
                yield figure, _worst(matrix, hosts, metric, groups), rounds


def rounds_of(matrix: Pairs, hosts: Mapping[int, str]) -> Mapping[tuple[str, str], int]:
    """Return when each host sent to another, as `core/pair_schedule.cpp` has it: two numbers for each round.

    All members but the last turn in a circle. If not all pairs met, neighbours met first, in a round of their own.
    """
    members = len(hosts)
    turning = members - (members % 2 == 0)
    rounds: dict[tuple[str, str], int] = {}
    for a, b in matrix.each:
        if a in hosts and b in hosts:
            low, high = sorted((a, b))
            circle = (low + high if high < turning else 2 * low) % turning
            first = not matrix.full and high == low ^ 1
            rounds[hosts[a], hosts[b]] = 2 * (turning if first else circle) + (a > b)
    return rounds


def _host_of_rank(groups: str) -> Mapping[int, str]:
    parsed = [Group.model_validate(group) for group in json.loads(groups)]
    return {rank: host.name for group in parsed for hosts in group.hosts for host in hosts.each for rank in host.ranks}


def _worst(
    matrix: Pairs, hosts: Mapping[int, str], metric: Metric, groups: Sequence[Sequence[int]]
) -> Mapping[tuple[str, str], float]:
    worse = min if metric.better == "higher" else max
    names = {at: end.host for at, end in enumerate(matrix.ends)} or hosts
    worst: dict[tuple[str, str], float] = {}
    values = matrix.each if matrix.both_ways else matrix.worst
    passed = waiting_pairs(values, groups, metric.unit)
    for (a, b), value in values.items():
        ends = names.get(a, ""), names.get(b, "")
        if ends[0] != ends[1] and all(ends) and value > 0 and (a, b) not in passed:
            key = ends if matrix.both_ways else (min(ends), max(ends))
            worst[key] = worse(worst.get(key, value), value)
    return worst
