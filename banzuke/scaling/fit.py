"""Fits models of scaling to the cost of work over the number of nodes, and finds what to measure next.

The cost is node-seconds per unit of work: nodes over the rate. It is constant where scaling is perfect, whatever the
kind of the study, and the efficiency is its inverse. Every model is a sum of known terms with unknown coefficients, so
that a least-squares fit of the relative deviations gives the coefficients and their covariance directly.

Sources:
- Amdahl, AFIPS Spring Joint Computer Conference 1967: t = s + (1 - s) / p, a cost of (1 - s) + s p.
- Gustafson, Communications of the ACM 31(5), 1988: a scaled speed-up of s + (1 - s) p, where the work grows with p.
- Messages by alpha and beta: Hockney, Parallel Computing 20(3), 1994. Trees take log2 p messages (Thakur, Rabenseifner,
  Gropp, IJHPCA 19(1), 2005). A domain cut into sqrt(p) x sqrt(p) parts has sqrt(p) - 1 cuts in each direction, whose
  data p nodes exchange (Foster, Designing and Building Parallel Programs, 1995).
- Terms p^i log2^j p, of which the best at predicting left-out measurements is chosen: Calotoiu, Hoefler, Poke and Wolf,
  Using automated performance modeling to find scalability bugs in complex codes, SC13; i and j are theirs.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from banzuke.compare.statistics import Interval, student

Kind = Literal["strong", "weak", "throughput"]
Name = Literal["amdahl", "gustafson", "messages", "extra-p"]
FEWEST = 3
"""Numbers of nodes that any fit needs."""
FEWEST_FOR_TERMS = 5
"""Numbers of nodes for the choice among Extra-P's terms, as its authors ask for, and for three coefficients."""
BETTER = 0.8
"""Largest share of perfect scaling's error with which a model counts as better."""
EQUAL = 1.25
"""Ratio to the smallest error up to which the model with fewer coefficients is preferred."""
REPEATED = 1.5
"""Ratio to the error of the measurements up to which a smaller error of a prediction is chance."""
EXPONENTS = tuple(Fraction(half, 2) for half in range(7))
LOGARITHMS = (0, 1, 2)
_ROUNDS = 20
"""Rounds of reweighting by the fitted values; few are needed where figures follow a model at all."""
_SMALL = 1e-12
"""Relative deviations below this are rounding errors."""
Shape: TypeAlias = Callable[[float], float]


@dataclass(frozen=True)
class Form:
    """A model before it is fitted: terms of the cost, or, if `inverse`, of the efficiency."""

    name: Name | Literal["perfect"]
    terms: tuple[Shape, ...]
    """The first is constant; the coefficients of the others must not be negative for the model to make sense."""
    inverse: bool = False
    exponent: tuple[Fraction, int] | None = None
    """i and j of the single term p^i log2^j p."""
    labels: tuple[str, ...] = ()
    """Labels of the terms after the first."""


@dataclass(frozen=True)
class ScalingPrediction:
    """A predicted cost, relative to that of the fewest nodes."""

    value: float
    deviation: float
    """Relative standard deviation of a measurement there from the prediction."""
    interval: Interval | None
    """95% interval of a measurement there; None: the fit has no finite one."""


@dataclass(frozen=True)
class Fit:
    form: Form
    coefficients: tuple[float, ...]
    """Coefficients of the cost relative to that of the fewest nodes, or of the efficiency."""
    errors: tuple[float, ...]
    """Standard errors of the coefficients."""
    error: float
    """Relative standard deviation of the measurements about the fit, with the remaining degrees of freedom."""
    left_out: float
    """Relative deviation of measurements from what a fit to the others predicts: how well the model predicts."""
    freedom: int
    covariance: tuple[tuple[float, ...], ...]

    @property
    def name(self) -> Name:
        if self.form.name == "perfect":
            raise ValueError("perfect scaling is no model")
        return self.form.name

    @property
    def serial(self) -> tuple[float, Interval] | None:
        """Return the serial share by Amdahl or Gustafson, with its 95% interval; None: the model has none.

        In both models it is that of the second term: s p of the cost, s / p of the efficiency.
        """
        if self.form.name not in ("amdahl", "gustafson"):
            return None
        first, second = self.coefficients
        whole = first + second
        slope = np.array([-second, first]) / whole**2  # derivatives of the share by the coefficients
        variance = float(slope @ np.array(self.covariance) @ slope)
        half = student(self.freedom) * math.sqrt(max(0.0, variance))
        low, share, high = (min(1.0, max(0.0, second / whole + by)) for by in (-half, 0.0, half))
        return share, Interval(low, high)

    @property
    def significant(self) -> bool:
        """Return whether all terms beside the constant are significantly above zero."""
        half = student(self.freedom)
        grown = list(zip(self.coefficients, self.errors, strict=True))[1:]
        return all(value - half * error > 0 for value, error in grown)

    def predict(self, nodes: float) -> ScalingPrediction:
        """Return the cost on this many nodes, with the interval of a measurement there; infinite or 0
        beyond the model.
        """
        terms = np.array([term(nodes) for term in self.form.terms])
        value = float(terms @ np.array(self.coefficients))
        if value <= 0:  # beyond what the model can describe
            return ScalingPrediction(math.inf if self.form.inverse else 0.0, math.inf, None)
        variance = float(terms @ np.array(self.covariance) @ terms) + (self.error * value) ** 2
        deviation = math.sqrt(max(0.0, variance))
        half = student(self.freedom) * deviation
        low, high = max(0.0, value - half), value + half
        if not self.form.inverse:
            return ScalingPrediction(value, deviation / value, Interval(low, high))
        return ScalingPrediction(1 / value, deviation / value, Interval(1 / high, 1 / low if low else math.inf))


def forms(kind: Kind, counts: int) -> Iterator[Form]:
    """Yield the forms that can be fitted to this many numbers of nodes, perfect scaling first."""
    yield Form("perfect", (_constant,))
    if counts < FEWEST:
        return
    if kind == "strong":
        yield Form("amdahl", (_constant, _nodes), labels=("p",))
    if kind == "weak":
        yield Form("gustafson", (_constant, lambda p: 1 / p), inverse=True, labels=("1/p",))
    if kind != "throughput":
        trees: Shape = (lambda p: p * math.log2(p)) if kind == "strong" else math.log2
        cuts: Shape = (lambda p: math.sqrt(p) - 1) if kind == "strong" else (lambda p: 1 - 1 / math.sqrt(p))
        shown = ("p log₂ p", "(√p − 1)") if kind == "strong" else ("log₂ p", "(1 − 1/√p)")
        yield Form("messages", (_constant, trees), labels=shown[:1])
        yield Form("messages", (_constant, cuts), labels=shown[1:])
        if counts >= FEWEST_FOR_TERMS:
            yield Form("messages", (_constant, trees, cuts), labels=shown)
    if counts >= FEWEST_FOR_TERMS:
        for i, j in itertools.product(EXPONENTS, LOGARITHMS):
            if i or j:
                yield Form("extra-p", (_constant, _power(i, j)), exponent=(i, j), labels=(power_text(i, j),))


def _constant(_nodes: float) -> float:
    return 1.0


def _nodes(nodes: float) -> float:
    return nodes


def _power(i: Fraction, j: int) -> Shape:
    exponent = float(i)
    return lambda p: p**exponent * math.log2(p) ** j


def power_text(i: Fraction, j: int) -> str:
    """Return `p^(3/2) log₂² p`."""
    power = "" if i == 0 else "p" if i == 1 else f"p^{i}" if i.denominator == 1 else f"p^({i})"
    logarithm = "" if j == 0 else "log₂ p" if j == 1 else "log₂² p"
    return " ".join(filter(None, (power, logarithm)))


def fit(form: Form, costs: Mapping[int, float]) -> Fit | None:
    """Fit a form by least squares. None: too few numbers of nodes, or terms that cannot be distinguished on them.

    `costs`: positive, by number of nodes, relative to that of the fewest.
    """
    counts = sorted(costs)
    freedom = len(counts) - len(form.terms)
    if freedom < 1:
        return None
    values = np.array([1 / costs[p] if form.inverse else costs[p] for p in counts])
    rows = np.array([[term(p) for term in form.terms] for p in counts], dtype=float)
    solved = _solve(rows, values)
    if solved is None:
        return None
    coefficients, inverse, weights = solved
    residuals = (values - rows @ coefficients) / weights
    residuals = np.where(np.abs(residuals) < _SMALL, 0.0, residuals)
    variance = float(residuals @ residuals) / freedom
    covariance = inverse * variance
    return Fit(
        form,
        tuple(map(float, coefficients)),
        tuple(math.sqrt(max(0.0, float(covariance[at, at]))) for at in range(len(coefficients))),
        math.sqrt(variance),
        _left_out(rows / weights[:, None], values / weights, residuals, inverse),
        freedom,
        tuple(tuple(map(float, row)) for row in covariance),
    )


Matrix: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"


def _solve(rows: Matrix, values: Matrix) -> tuple[Matrix, Matrix, Matrix] | None:
    """Return the coefficients, the inverse of the normal matrix, and the fitted values by which residuals are divided.

    Divided by the measured values, deviations downwards would weigh more, and a fit of 0 would never
    deviate by more than 1.
    """
    solution, weights = None, values
    for _ in range(_ROUNDS):
        solved = _weighted(rows / weights[:, None], values / weights)
        if solved is None:
            return solution
        solution = (*solved, weights)
        fitted = rows @ solved[0]
        if np.any(fitted <= 0) or np.allclose(fitted, weights, rtol=1e-9):
            break
        weights = fitted
    return solution


def _weighted(terms: Matrix, values: Matrix) -> tuple[Matrix, Matrix] | None:
    """Solve by least squares; columns are scaled, because terms differ by many decades. None: they cannot be
    distinguished.
    """
    norms = np.sqrt((terms**2).sum(axis=0))
    if not np.all(np.isfinite(norms)) or np.any(norms == 0):
        return None
    scaled = terms / norms
    normal = scaled.T @ scaled
    if np.linalg.cond(normal) > 1 / _SMALL:
        return None
    inverse = np.linalg.inv(normal)
    return (inverse @ (scaled.T @ values)) / norms, inverse / np.outer(norms, norms)


def _left_out(terms: Matrix, values: Matrix, residuals: Matrix, inverse: Matrix) -> float:
    """Return the root mean square of the logarithm of each value over its prediction by a fit without it.

    A value deviates from that prediction by residual / (1 - leverage). Infinite where a prediction is not positive.
    """
    leverage = np.einsum("ij,jk,ik->i", terms, inverse, terms)
    if np.any(leverage > 1 - _SMALL):
        return math.inf
    predicted = values - residuals / (1 - leverage)
    if np.any(predicted <= 0):
        return math.inf
    return math.sqrt(float(np.mean(np.log(values / predicted) ** 2)))


@dataclass(frozen=True)
class Fits:
    """All models that could be fitted, one of each name, with the best coefficients and terms."""

    kind: Kind
    counts: tuple[int, ...]
    perfect: Fit | None
    models: tuple[Fit, ...]
    best: Fit | None
    """The model to believe; None: none is better than perfect scaling, or there are too few numbers of nodes."""

    @property
    def believed(self) -> Fit | None:
        return self.best or self.perfect


def fit_all(kind: Kind, costs: Mapping[int, float], noise: float = 0.0) -> Fits:
    """Fit all forms of a kind and choose the best.

    `costs`: node-seconds per unit of work, by number of nodes; `noise`: their relative error; 0: unknown.
    """
    counts = tuple(sorted(costs))
    if len(counts) < FEWEST:
        return Fits(kind, counts, None, (), None)
    first = costs[counts[0]]
    relative = {p: costs[p] / first for p in counts}
    fitted = [done for form in forms(kind, len(counts)) if (done := fit(form, relative))]
    perfect = next((model for model in fitted if model.form.name == "perfect"), None)
    models: dict[str, Fit] = {}
    for model in fitted:
        if model.form.name == "perfect" or not _sensible(model):
            continue
        before = models.get(model.form.name)
        if before is None or _order(model) < _order(before):
            models[model.form.name] = model
    return Fits(kind, counts, perfect, tuple(models.values()), _best(perfect, list(models.values()), noise))


def _sensible(model: Fit) -> bool:
    """Return whether the model makes sense: Amdahl's and Gustafson's may have a share of zero, others need
    positive terms.
    """
    return model.form.name in ("amdahl", "gustafson") or all(value > 0 for value in model.coefficients)


def _order(model: Fit) -> tuple[bool, float]:
    return (not model.significant, model.left_out)


def _best(perfect: Fit | None, models: Sequence[Fit], noise: float) -> Fit | None:
    """Return the model that predicts left-out measurements better than perfect scaling and whose terms are significant.

    Among nearly equal models, and those that predict as well as the measurements repeat, the one with the fewest
    coefficients is chosen; among equal numbers, the first, whose form is known beforehand.
    """
    if perfect is None or perfect.left_out == 0:
        return None
    better = [model for model in models if model.significant and model.left_out < BETTER * perfect.left_out]
    if not better:
        return None
    least = min(model.left_out for model in better)
    equal = [model for model in better if model.left_out <= max(EQUAL * least, REPEATED * noise) + _SMALL]
    return min(equal, key=lambda model: len(model.coefficients))


@dataclass(frozen=True)
class Next:
    """A number of nodes worth measuring."""

    nodes: int
    separates: tuple[Fit, Fit] | None
    """The models whose predictions there differ most, beyond their errors; None: this number was chosen because it
    narrows the prediction of the best or nearest model the most.
    """
    narrower: float
    """Width of the prediction interval at twice the largest number, with it over without it; 1 where unknown."""


def next_count(fits: Fits, most: int | None = None) -> Next | None:
    """Return the number of nodes to measure next; None: every candidate was measured. `most`: number of
    existing nodes.
    """
    candidates = _candidates(fits.counts, most)
    if not candidates:
        return None
    believable = _believable(fits)
    for at in sorted(candidates):
        pair = _apart(believable, at)
        if pair:
            return Next(at, pair, 1.0)
    model = fits.best or min(fits.models, key=lambda candidate: candidate.left_out, default=None)
    if model is None:
        return Next(candidates[0], None, 1.0)
    widths = {at: _width_with(model, fits.counts, at) for at in candidates}
    best = min(candidates, key=lambda at: (round(widths[at], 3), at))
    return Next(best, None, widths[best])


def _candidates(counts: Sequence[int], most: int | None) -> list[int]:
    """Return twice the largest, then numbers between neighbours that differ by at least 2x, then half of the fewest."""
    between = [round(math.sqrt(a * b)) for a, b in itertools.pairwise(counts) if b >= 2 * a]
    wanted = [2 * counts[-1], *reversed(between), counts[0] // 2]
    measured = set(counts)
    return [at for at in dict.fromkeys(wanted) if at >= 1 and at not in measured and (most is None or at <= most)]


def _believable(fits: Fits) -> list[Fit]:
    """Return significant models that predict nearly as well as the best."""
    if fits.best is None:
        return []
    return [model for model in fits.models if model.significant and model.left_out <= 2 * fits.best.left_out + _SMALL]


def _apart(models: Sequence[Fit], at: int) -> tuple[Fit, Fit] | None:
    """Return the two models whose predictions differ most, by more than twice the deviation of a measurement there."""
    pairs = []
    for first, second in itertools.combinations(models, 2):
        mine, theirs = first.predict(at), second.predict(at)
        if 0 < mine.value < math.inf and 0 < theirs.value < math.inf:
            difference = abs(math.log(mine.value / theirs.value))
            if difference > 2 * math.hypot(mine.deviation, theirs.deviation):
                pairs.append((difference, (first, second)))
    return max(pairs, key=lambda pair: pair[0])[1] if pairs else None


def _width_with(model: Fit, counts: Sequence[int], at: int) -> float:
    """Return the width of the interval at twice the largest count, with a measurement at `at` over without it."""
    target = 2 * counts[-1]
    without, added = (_leverage(model, measured, target) for measured in (counts, [*counts, at]))
    halves = student(model.freedom), student(model.freedom + 1)
    return halves[1] * math.sqrt(1 + added) / (halves[0] * math.sqrt(1 + without))


def _leverage(model: Fit, counts: Sequence[int], target: float) -> float:
    """Return the variance of the prediction over that of a measurement, if all have the same relative error."""

    def row(p: float) -> list[float]:
        terms = [term(p) for term in model.form.terms]
        value = sum(a * b for a, b in zip(terms, model.coefficients, strict=True))
        return [term / value for term in terms]

    rows, wanted = np.array([row(p) for p in counts]), np.array(row(target))
    return float(wanted @ np.linalg.pinv(rows.T @ rows) @ wanted)
