"""Judges which nodes, links and places are slow, beside others of their kind and beside an earlier baseline."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banzuke.fleet import links, places
from banzuke.fleet.baseline import Baseline, Usual
from banzuke.fleet.causes import IDLE, Cause, causes, disturbed_by_launch, disturbed_verdict, load_causes, usual
from banzuke.fleet.columns import Columns, by_kind
from banzuke.fleet.crossings import slow_crossings
from banzuke.fleet.learnt import HeldAgainst, LearntColumn, compare
from banzuke.fleet.model import Fleet, Node, NodeFigure
from banzuke.fleet.outliers import FEWEST, LEAST_SCALE, TailFit, fit, fit_all
from banzuke.fleet.places import PlaceEffect
from banzuke.fleet.slowness import Values, value
from banzuke.fleet.verdict import FleetJudgement, NodeVerdict, Reference, SlowCable, SlowFigure, SlowLink, SlowPlace
from banzuke.plan.wording import state_title
from banzuke.record.state import State
from banzuke.words import Listed, Message, Share, message

FALSE_ALARMS = 0.025
"""Share of the screens of healthy fleets in which anything may be named; docs/screen.md has simulations."""
FALSE_ALARMS_ALONE = 2.5e-5
"""Share of healthy nodes' figures that may be named if each is judged by itself, as epilogs do often."""
FLOOR = 0.03
"""Smallest distance below the median, as a share, that counts as slow, however narrow the distribution is."""
_FLOOR = -float(np.log1p(-FLOOR))
FLOOR_OF_PLACES = 0.01
"""The same for the nodes of a rack together, if racks vary less; it is lower because several nodes show it."""
_FLOOR_OF_PLACES = -float(np.log1p(-FLOOR_OF_PLACES))
_FEWEST_TOGETHER = 3
"""Fewest figures of a node that are judged together; fewer are only judged one by one."""
_NOTEWORTHY = 2.0
"""Standard deviations beyond which a figure is listed among those that are slow together."""
_MOST_OF_ONE = 5.0
"""Most standard deviations that one figure adds to the mean of several; twice the floor, if that is more."""
_EXPECTED = 0.5
"""Share of the nodes that have a figure, above which a node without it counts as incomplete."""
FEWEST_FOR_TAIL = 100
"""Fewest nodes, or values of a baseline, that show the tail of a figure itself; with fewer, the tail of all figures is
assumed, and healthy nodes are named if this figure's is heavier.
"""
_SHIFTED = 4.0
"""Standard errors between the medians of a fleet and of its baseline beyond which the fleet has shifted."""


@dataclass(frozen=True)
class _Kind:
    """Nodes that are judged beside each other and beside the baseline of their kind."""

    table: Columns
    effects: Sequence[PlaceEffect]
    shared: Values
    """By how much each value is slower because its place is."""
    fits: Sequence[TailFit | None]
    """The distribution of what remains without this, for each figure."""
    baseline: Baseline | None
    own: bool
    """Whether the baseline was learnt from the same nodes."""
    learnt: Sequence[LearntColumn]
    """Each figure compared with the baseline."""

    @property
    def nodes(self) -> Sequence[Node]:
        return self.table.nodes

    def compared(self, at: int, against: Reference) -> Sequence[HeldAgainst]:
        """Return the values of a figure with what they are compared with.

        Beside others, nodes of a place that is slower by less than the floor are compared with each other.
        """
        if against == "baseline":
            return self.learnt[at].compared
        fit, shared = self.fits[at], self.shared[:, at]
        return [HeldAgainst(fit, self.table.slowness[:, at], np.where(shared > _FLOOR, 0, shared))] if fit else []

    def guesses(self, figure: NodeFigure) -> bool:
        """Return whether the figure's tail is assumed, because there are too few values here and in the baseline."""
        learnt = _learnt(self.baseline, figure)
        return max(len(self.nodes), learnt.n if learnt else 0) < FEWEST_FOR_TAIL

    def unlearnt(self, row: int, reasons: Sequence[SlowFigure]) -> State | None:
        """Return the state in which a node is slow, if none of these figures was learnt in it; else None."""
        figures = [self.table.figures.index(reason.figure) for reason in reasons]
        states = [self.learnt[at].unlearnt.get(row) for at in figures]
        return states[0] if None not in states else None


def _learnt(baseline: Baseline | None, figure: NodeFigure) -> Usual | None:
    return baseline.figures.get(figure.name) if baseline else None


def judge(fleet: Fleet, baselines: Mapping[str, Baseline] | None = None, own: Collection[str] = ()) -> FleetJudgement:
    """Judge a fleet.

    `baselines`: by kind; those of kinds in `own` were learnt from a few earlier screens of the same nodes. Raises
    BanzukeError if one was measured with another version or setting.
    """
    kinds = [_kind(table, (baselines or {}).get(kind), own=kind in own) for kind, table in by_kind(fleet).items()]
    tests = len(fleet.pairs) * len(links.figures(fleet)) + sum(_tests(kind) for kind in kinds)
    probability = FALSE_ALARMS / max(tests, 1)
    verdicts = {host: verdict for kind in kinds for host, verdict in _nodes(kind, probability).items()}
    alike = Counter(node.kind for node in fleet.nodes.values())
    cables, routed = _cables(fleet)
    return FleetJudgement(
        nodes={
            host: verdicts.get(host) or _not_measured(node, few=alike[node.kind] < FEWEST)
            for host, node in fleet.nodes.items()
        },
        links=tuple(sorted(_links(fleet, probability), key=lambda link: -link.slow.sigmas)),
        places=tuple(place for kind in kinds for place in _places(kind, probability)),
        crossings=tuple(_crossings(fleet)),
        cables=cables,
        shifts={kind.nodes[0].kind: slower for kind in kinds if (slower := tuple(_shifts(kind)))},
        remarks=(*_remarks(kinds, verdicts), *routed),
    )


def _kind(table: Columns, baseline: Baseline | None, *, own: bool) -> _Kind:
    if baseline:
        baseline.refuse_others(table.figures)
    effects = places.effects(table.quiet, [node.place for node in table.nodes])
    shared = places.shared(effects, table.slowness)
    usual = [_learnt(baseline, figure) for figure in table.figures]
    fits = fit_all(list((table.quiet - shared).T), [figure.fit if figure else None for figure in usual])
    learnt = [compare(table, at, figure) if figure else LearntColumn((), {}) for at, figure in enumerate(usual)]
    return _Kind(table, effects, shared, fits, baseline, own, learnt)


def _tests(kind: _Kind) -> int:
    """Return how many tests there are: each node by each figure and by all together, each place by each figure."""
    among = len({node.place for node in kind.nodes})
    return len(kind.nodes) * (len(kind.table.figures) + 1) + among * len(kind.table.figures)


def _nodes(kind: _Kind, probability: float) -> dict[str, NodeVerdict]:
    by_row: dict[int, list[SlowFigure]] = {}
    for row, figure in (*_far(kind, "fleet", probability), *_far(kind, "baseline", probability)):
        by_row.setdefault(row, []).append(figure)
    few = len(kind.nodes) < FEWEST
    majority = (IDLE if few else usual(kind.nodes)) if by_row else {}
    there = np.isfinite(kind.table.slowness)
    comparable = [bool(kind.fits[at] or kind.learnt[at].compared) for at in range(there.shape[1])]
    judged = (there & np.array(comparable, dtype=bool)).any(axis=1)
    missing = (there.mean(axis=0) > _EXPECTED) & ~there
    incomplete = missing.any(axis=1)
    verdicts = {}
    for row, node in enumerate(kind.nodes):
        reasons = tuple(sorted(by_row.get(row, ()), key=lambda reason: (not reason.alone, -reason.sigmas)))
        own = tuple(reason for reason in reasons if reason.figure.name not in node.disturbed)
        if reasons and not own:
            verdicts[node.host] = disturbed_by_launch(node, [reason.figure.name for reason in reasons])
        elif reasons and few and (not_judged := disturbed_verdict(node)):
            verdicts[node.host] = not_judged
        elif reasons and kind.own and (state := kind.unlearnt(row, own)):
            action = message("judge-action-state-again", host=node.host, state=state_title(state), screens=FEWEST)
            verdicts[node.host] = NodeVerdict(node.host, "unknown", action, disturbed=True)
        elif reasons:
            why = (*_of_place(kind, row, own), *_of_device(node, own), *causes(node, own, majority))
            action = why[0].action if why else message("judge-action-again", host=node.host)
            verdicts[node.host] = NodeVerdict(node.host, "fail", action, own, tuple(cause.said for cause in why))
        elif not judged[row]:
            verdicts[node.host] = NodeVerdict(node.host, "unknown", message("judge-action-compare"))
        elif incomplete[row]:
            titles = tuple(kind.table.figures[at].title for at in np.flatnonzero(missing[row]))
            lacking = message("judge-action-missing", figures=Listed(titles, 3))
            verdicts[node.host] = NodeVerdict(node.host, "unknown", lacking)
        else:
            verdicts[node.host] = NodeVerdict(node.host, "pass", message("judge-action-none"))
    return verdicts


def _of_place(kind: _Kind, row: int, reasons: Sequence[SlowFigure]) -> Iterator[Cause]:
    """Name the place as the cause if the other nodes there are as slow."""
    at = [kind.table.figures.index(reason.figure) for reason in reasons]
    together = max(float(kind.shared[row, figure]) for figure in at)
    if together > _FLOOR:
        node = kind.nodes[row]
        said = message("judge-place", place=node.place, share=Share(-float(np.expm1(-together))))
        yield Cause(said, message("judge-action-place", place=node.place))


def _of_device(node: Node, reasons: Sequence[SlowFigure]) -> Iterator[Cause]:
    """Name the one device of several that is slow."""
    for identity in dict.fromkeys(
        node.devices[reason.figure.name] for reason in reasons if reason.figure.name in node.devices
    ):
        yield Cause(
            message("judge-device", device=identity), message("judge-action-device", device=identity, host=node.host)
        )


def _far(kind: _Kind, against: Reference, probability: float) -> Iterator[tuple[int, SlowFigure]]:
    """Yield the rows of slow nodes, each with all figures in which it is slow."""
    if against == "baseline" and len(kind.nodes) < FEWEST and not kind.own:
        probability = min(probability, FALSE_ALARMS_ALONE)
    distances = np.full_like(kind.table.slowness, np.nan)
    sigmas, scores, seen = distances.copy(), distances.copy(), distances.copy()
    alone = np.zeros(distances.shape, dtype=bool)
    for at in range(len(kind.table.figures)):
        for fitted, slowness, excused in kind.compared(at, against):
            rows = np.isfinite(slowness)
            far = fitted.distances((slowness - excused)[rows])
            distances[rows, at], scores[rows, at], sigmas[rows, at] = far, fitted.scores(far), far / fitted.scale
            alone[rows, at] = far > max(_FLOOR, fitted.threshold(probability))
            seen[rows, at] = slowness[rows]
    noteworthy = scores > _NOTEWORTHY
    named = alone.any(axis=1)
    if against == "fleet":
        quiet = np.where(kind.table.disturbed, np.nan, distances)
        named |= _together(quiet, kind.fits, probability) & noteworthy.any(axis=1)
    for row in np.flatnonzero(named):
        for at in map(int, np.flatnonzero(alone[row] | noteworthy[row])):
            figure, own, distance = kind.table.figures[at], float(seen[row, at]), float(distances[row, at])
            values = value(own, figure), value(own - distance, figure)
            yield (
                int(row),
                SlowFigure(figure, *values, sigmas=float(sigmas[row, at]), against=against, alone=bool(alone[row, at])),
            )


def _together(distances: Values, references: Sequence[TailFit | None], probability: float) -> NDArray[np.bool_]:
    """Return which nodes are moderately slow in many figures.

    The mean of the distances, weighted by how precisely each is known, is judged as a figure of its own. Its
    distribution is learnt from the fleet, too, because figures depend on each other.
    """
    weights = np.array([1 / reference.scale**2 if reference else 0 for reference in references])
    there = np.isfinite(distances)
    total = there @ weights
    most = np.array([max(_MOST_OF_ONE * reference.scale, 2 * _FLOOR) if reference else 0 for reference in references])
    distances = np.minimum(distances, most)  # one figure alone does not decide the mean
    enough = (there.sum(axis=1) >= _FEWEST_TOGETHER) & (total > 0)
    means = np.where(enough, np.where(there, distances, 0) @ weights / np.where(enough, total, 1), np.nan)
    reference = fit(means)
    if reference is None:
        return np.zeros(len(means), dtype=bool)
    far: NDArray[np.bool_] = reference.distances(means) > max(_FLOOR, reference.threshold(probability))
    return far


def _not_measured(node: Node, *, few: bool) -> NodeVerdict:
    """Return the verdict on a node without figures; `few`: too few nodes are of its kind to be compared."""
    if few and node.state == "hung" and (not_judged := disturbed_verdict(node)):
        return not_judged
    action = message("judge-action-state", state=node.state, why=node.why or "none")
    return NodeVerdict(node.host, "fail", action, causes=tuple(cause.said for cause in load_causes(node)))


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
    for effect in places.slow(kind.effects, probability, _FLOOR_OF_PLACES, _FLOOR):
        if reference := kind.fits[effect.at]:
            figure = kind.table.figures[effect.at]
            hosts = tuple(kind.nodes[row].host for row in effect.rows)
            values = value(effect.here, figure), value(effect.usual, figure)
            yield SlowPlace(effect.place, hosts, SlowFigure(figure, *values, sigmas=effect.size / reference.scale))


def _crossings(fleet: Fleet) -> Iterator[SlowPlace]:
    hosts = list(fleet.nodes)
    for figure, effect in slow_crossings(fleet, links.figures(fleet)):
        values = value(effect.here, figure), value(effect.usual, figure)
        sigmas = effect.size / max(effect.error, LEAST_SCALE)
        yield SlowPlace(
            effect.place, tuple(hosts[row] for row in effect.rows), SlowFigure(figure, *values, sigmas=sigmas)
        )


def _cables(fleet: Fleet) -> tuple[tuple[SlowCable, ...], tuple[Message, ...]]:
    """Return the slow cables between switches of a network that was given, and what was assumed of routes."""
    figures = [figure for figure in links.figures(fleet) if figure.directed and figure.better == "higher"]
    if fleet.network is None or not figures:
        return (), ()
    from banzuke.fleet.routed import judged_cables  # noqa: PLC0415  (brings the rest of SciPy, for those with a network)

    return judged_cables(fleet, fleet.network, figures)


def _shifts(kind: _Kind) -> Iterator[SlowFigure]:
    """Yield figures in which all nodes together are slower than their baseline."""
    for at, figure in enumerate(kind.table.figures):
        learnt = kind.learnt[at].compared
        for before, slowness, _ in learnt:
            now = kind.fits[at] if len(learnt) == 1 else fit(np.where(kind.table.disturbed[:, at], np.nan, slowness))
            if now is None:
                continue
            error = np.hypot(now.scale / np.sqrt(now.n), before.scale / np.sqrt(before.n))
            apart = now.centre - before.centre
            if apart > max(_FLOOR, _SHIFTED * error):
                values = value(now.centre, figure), value(before.centre, figure)
                yield SlowFigure(figure, *values, sigmas=apart / before.scale, against="baseline")


def _remarks(kinds: Sequence[_Kind], verdicts: Mapping[str, NodeVerdict]) -> Iterator[Message]:
    for kind in kinds:
        if len(kind.nodes) < FEWEST and not kind.baseline:
            hosts = Listed(tuple(node.host for node in kind.nodes))
            yield message("judge-too-few", hosts=hosts, fewest=FEWEST)
        by_one = [
            node.host
            for node in kind.nodes
            if any(
                reason.alone and reason.against == "fleet" and kind.guesses(reason.figure)
                for reason in verdicts[node.host].reasons
            )
        ]
        if by_one:
            yield message("judge-tail", hosts=Listed(tuple(by_one), 3), nodes=len(kind.nodes))
        yield from _about_states(kind)


def _about_states(kind: _Kind) -> Iterator[Message]:
    """Report which nodes were in states that the baseline does not cover."""
    by_state: dict[State, dict[str, None]] = defaultdict(dict)  # hosts as keys: each once, in their order
    for column in kind.learnt:
        for row, state in column.unlearnt.items():
            by_state[state][kind.nodes[row].host] = None
    for state, hosts in by_state.items():
        yield message("judge-state-unlearnt", hosts=Listed(tuple(hosts), 3), state=state_title(state))
