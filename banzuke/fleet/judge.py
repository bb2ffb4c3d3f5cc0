"""Which nodes, links and places of a fleet are slow: beside others of their kind, and beside what was normal before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banzuke.fleet import links, places
from banzuke.fleet.baseline import Baseline
from banzuke.fleet.causes import causes, usual
from banzuke.fleet.columns import Columns, by_kind
from banzuke.fleet.model import Fleet, Node
from banzuke.fleet.outliers import FEWEST, TailFit, fit
from banzuke.fleet.slowness import Values, value
from banzuke.fleet.verdict import FleetJudgement, NodeVerdict, Reference, SlowFigure, SlowLink, SlowPlace
from banzuke.words import Listed, Message, message

FALSE_ALARMS = 0.025
"""Share of the screens of healthy fleets in which anything may be named; docs/screen.md has what simulations see."""
FALSE_ALARMS_ALONE = 2.5e-5
"""Share of the figures of healthy nodes that are named where each is judged by itself: epilogs do it often."""
FLOOR = 0.03
"""What is less than this below the median is not slow, however narrow the spread is."""
_FLOOR = -float(np.log1p(-FLOOR))
_FEWEST_TOGETHER = 3
"""Figures of a node; fewer are each judged by themselves."""
_NOTEWORTHY = 2.0
"""Standard deviations beyond which a figure is one of those that are slow together."""
_EXPECTED = 0.5
"""Share of the nodes that have a figure, above which one without it was not measured as the others."""
_SHIFTED = 4.0
"""Standard errors between the medians of a fleet and of its baseline."""


@dataclass(frozen=True)
class _Kind:
    """Nodes that are judged beside each other, and beside what was normal of their kind."""

    table: Columns
    fits: Sequence[TailFit | None]
    baseline: Baseline | None

    @property
    def nodes(self) -> Sequence[Node]:
        return self.table.nodes

    def reference(self, at: int, against: Reference) -> TailFit | None:
        if against == "fleet":
            return self.fits[at]
        known = self.baseline.figures.get(self.table.figures[at].name) if self.baseline else None
        return known.fit if known else None


def judge(fleet: Fleet, baselines: Mapping[str, Baseline] | None = None) -> FleetJudgement:
    """`baselines` by kind. Raises BanzukeError where one was measured with another version or setting."""
    kinds = [_kind(table, (baselines or {}).get(kind)) for kind, table in by_kind(fleet).items()]
    tests = len(fleet.pairs) * len(links.figures(fleet)) + sum(_tests(kind) for kind in kinds)
    probability = FALSE_ALARMS / max(tests, 1)
    found = {host: one for kind in kinds for host, one in _nodes(kind, probability).items()}
    return FleetJudgement(
        nodes={host: found.get(host) or _not_measured(node) for host, node in fleet.nodes.items()},
        links=tuple(sorted(_links(fleet, probability), key=lambda one: -one.slow.sigmas)),
        places=tuple(place for kind in kinds for place in _places(kind, probability)),
        shifts={kind.nodes[0].kind: slower for kind in kinds if (slower := tuple(_shifts(kind)))},
        remarks=tuple(_remarks(kinds)),
    )


def _kind(table: Columns, baseline: Baseline | None) -> _Kind:
    if baseline:
        baseline.refuse_others(table.figures)
    return _Kind(table, [fit(column) for column in table.slowness.T], baseline)


def _tests(kind: _Kind) -> int:
    """Nodes by each figure and by all together, then places."""
    among = len({node.place for node in kind.nodes})
    return len(kind.nodes) * (len(kind.table.figures) + 1) + among * len(kind.table.figures)


def _nodes(kind: _Kind, probability: float) -> dict[str, NodeVerdict]:
    by_row: dict[int, list[SlowFigure]] = {}
    for row, one in (*_far(kind, "fleet", probability), *_far(kind, "baseline", probability)):
        by_row.setdefault(row, []).append(one)
    majority = usual(kind.nodes) if by_row else {}
    there = np.isfinite(kind.table.slowness)
    known = [bool(kind.reference(at, "fleet") or kind.reference(at, "baseline")) for at in range(there.shape[1])]
    judged = (there & np.array(known, dtype=bool)).any(axis=1)
    missing = (there.mean(axis=0) > _EXPECTED) & ~there
    incomplete = missing.any(axis=1)
    found = {}
    for row, node in enumerate(kind.nodes):
        reasons = tuple(sorted(by_row.get(row, ()), key=lambda one: (not one.alone, -one.sigmas)))
        if reasons:
            why = causes(node, reasons, majority)
            action = why[0].action if why else message("judge-action-again", host=node.host)
            found[node.host] = NodeVerdict(node.host, "fail", action, reasons, tuple(one.said for one in why))
        elif not judged[row]:
            found[node.host] = NodeVerdict(node.host, "unknown", message("judge-action-compare"))
        elif incomplete[row]:
            titles = tuple(kind.table.figures[at].title for at in np.flatnonzero(missing[row]))
            lacking = message("judge-action-missing", figures=Listed(titles, 3))
            found[node.host] = NodeVerdict(node.host, "unknown", lacking)
        else:
            found[node.host] = NodeVerdict(node.host, "pass", message("judge-action-none"))
    return found


def _far(kind: _Kind, against: Reference, probability: float) -> Iterator[tuple[int, SlowFigure]]:
    """Rows of slow nodes, and all that is slow of each."""
    if against == "baseline" and len(kind.nodes) < FEWEST:
        probability = min(probability, FALSE_ALARMS_ALONE)
    distances = np.full_like(kind.table.slowness, np.nan)
    scores = distances.copy()
    alone = np.zeros(distances.shape, dtype=bool)
    references = [kind.reference(at, against) for at in range(len(kind.table.figures))]
    for at, reference in enumerate(references):
        if reference:
            distances[:, at] = reference.distances(kind.table.slowness[:, at])
            scores[:, at] = reference.scores(distances[:, at])
            alone[:, at] = distances[:, at] > max(_FLOOR, reference.threshold(probability))
    noteworthy = scores > _NOTEWORTHY
    named = alone.any(axis=1)
    if against == "fleet":
        named |= _together(scores, probability) & (noteworthy & (distances > _FLOOR)).any(axis=1)
    for row in np.flatnonzero(named):
        for at, (figure, reference) in enumerate(zip(kind.table.figures, references, strict=True)):
            if reference and (alone[row, at] or noteworthy[row, at]):
                seen, distance = float(kind.table.slowness[row, at]), float(distances[row, at])
                values = value(seen, figure), value(seen - distance, figure)
                yield (
                    int(row),
                    SlowFigure(
                        figure, *values, sigmas=distance / reference.scale, against=against, alone=bool(alone[row, at])
                    ),
                )


def _together(scores: Values, probability: float) -> NDArray[np.bool_]:
    """Nodes of which too many figures are moderately slow: the sum of the squares of their scores is itself a figure.

    Its distribution is learnt from the fleet as those of the others are, since figures depend on each other.
    """
    count = np.isfinite(scores).sum(axis=1)
    squares = np.square(np.fmax(scores, 0)).sum(axis=1, where=np.isfinite(scores))
    enough = count >= _FEWEST_TOGETHER
    # The cube root is nearly normal (Wilson and Hilferty), and varies as 1/sqrt(count): the factors make that about 1%.
    root = np.where(enough, 0.017 * np.sqrt(count) * np.cbrt(squares / np.maximum(count, 1)), np.nan)
    reference = fit(root)
    if reference is None:
        return np.zeros(len(scores), dtype=bool)
    far: NDArray[np.bool_] = reference.distances(root) > reference.threshold(probability)
    return far


def _not_measured(node: Node) -> NodeVerdict:
    return NodeVerdict(node.host, "fail", message("judge-action-state", state=node.state, why=node.why or "none"))


def _links(fleet: Fleet, probability: float) -> Iterator[SlowLink]:
    for figure, slowness, remaining in links.remaining(fleet):
        if (reference := fit(remaining)) is None:
            continue
        distances = reference.distances(remaining)
        for at in np.flatnonzero(distances > max(_FLOOR, reference.threshold(probability))):
            seen, distance = float(slowness[at]), float(distances[at])
            values = value(seen, figure), value(seen - distance, figure)
            yield SlowLink(fleet.pairs[at].hosts, SlowFigure(figure, *values, sigmas=distance / reference.scale))


def _places(kind: _Kind, probability: float) -> Iterator[SlowPlace]:
    of_nodes = [node.place for node in kind.nodes]
    for at, figure in enumerate(kind.table.figures):
        reference = kind.fits[at]
        if reference is None:
            continue
        for place, here, elsewhere in places.slow(kind.table.slowness[:, at], of_nodes, probability):
            if here - elsewhere > _FLOOR:
                hosts = tuple(node.host for node in kind.nodes if node.place == place)
                values = value(here, figure), value(elsewhere, figure)
                yield SlowPlace(place, hosts, SlowFigure(figure, *values, sigmas=(here - elsewhere) / reference.scale))


def _shifts(kind: _Kind) -> Iterator[SlowFigure]:
    """Figures in which the nodes together are slower than their baseline; of a few each is judged by itself."""
    for at, figure in enumerate(kind.table.figures):
        now, before = kind.fits[at], kind.reference(at, "baseline")
        if now and before:
            error = np.hypot(now.scale / np.sqrt(now.n), before.scale / np.sqrt(before.n))
            apart = now.centre - before.centre
            if apart > max(_FLOOR, _SHIFTED * error):
                values = value(now.centre, figure), value(before.centre, figure)
                yield SlowFigure(figure, *values, sigmas=apart / before.scale, against="baseline")


def _remarks(kinds: Sequence[_Kind]) -> Iterator[Message]:
    for kind in kinds:
        if len(kind.nodes) < FEWEST and not kind.baseline:
            hosts = Listed(tuple(node.host for node in kind.nodes))
            yield message("judge-too-few", hosts=hosts, fewest=FEWEST)
