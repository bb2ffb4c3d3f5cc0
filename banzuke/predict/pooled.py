"""Constants by family, fitted to public figures with partial pooling, and what is predicted of figures left out.

A family's constant is its group's times a deviation, both as logarithms. Deviations are normal with the standard
deviation `family`, groups with `group` about the constant that is assumed of everybody. So a family of many figures has
its own value, one of few is drawn to its group, and one that nobody knows takes the group's. Figures that are far off
count less (SciPy's soft L1 loss). How a figure answers to the constant is the model itself at several values of it, and
not linear.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from banzuke.predict.by_family import PriorSpread

Numbers = NDArray[np.float64]
MEASURED = 0.1
"""Standard deviation of the logarithm of a share of DGEMM that was measured elsewhere."""


@dataclass(frozen=True)
class Elsewhere:
    """What another source says of a family's constant."""

    value: float
    """As a logarithm over what is assumed."""
    machine: str = ""
    """Of the lists, if it was measured there."""


Measured = Mapping[str, Elsewhere]
"""By family."""


@dataclass(frozen=True)
class Response:
    """A published figure, and what the model says of it by the logarithm of the constant over what is assumed."""

    machine: str
    """Figures of one machine leave together."""
    family: str
    group: str
    unknown_group: str
    """That its description would have without names."""
    published: float
    at: Numbers
    figures: Numbers = field(repr=False)
    unnamed: Numbers | None = field(default=None, repr=False)
    """Figures of the description without what only names say; None: they are no others."""
    clock: float = math.nan
    """Logarithm of the described clock under vector load over the nominal one, and over what is assumed."""

    def log_ratio(self, moved: float, *, named: bool = True) -> float:
        """Logarithm of what is predicted over what is published."""
        figures = self.figures if named or self.unnamed is None else self.unnamed
        return float(np.interp(moved, self.at, np.log(figures))) - math.log(self.published)


@dataclass(frozen=True)
class Pooled:
    """Logarithms of constants over what is assumed."""

    groups: Mapping[str, float]
    families: Mapping[str, float]
    """Of a family, with its group's in it."""
    deviations: Mapping[str, float]
    """Standard deviations: of a family's, and of a family that is unknown, by group."""

    def moved(self, response: Response) -> float:
        family = self.families.get(response.family)
        return self.groups.get(response.group, 0.0) if family is None else family


def fit(responses: Sequence[Response], spread: PriorSpread, measured: Measured | None = None) -> Pooled:
    """The most likely constants; `measured`: what other measurements say of families."""
    elsewhere = measured or {}
    groups = sorted({response.group for response in responses})
    families = sorted({(response.family, response.group) for response in responses})
    group_index = {name: number for number, name in enumerate(groups)}
    family_index = {name: len(groups) + number for number, (name, _) in enumerate(families)}
    weights = _weights(responses)

    def residuals(values: Numbers) -> Numbers:
        of_figures = [
            weight
            * response.log_ratio(values[group_index[response.group]] + values[family_index[response.family]])
            / spread.figure
            for weight, response in zip(weights, responses, strict=True)
        ]
        of_measured = [
            (values[group_index[group]] + values[family_index[name]] - elsewhere[name].value) / MEASURED
            for name, group in families
            if name in elsewhere
        ]
        priors = (*(values[: len(groups)] / spread.group), *(values[len(groups) :] / spread.family))
        return np.array([*of_figures, *of_measured, *priors])

    fitted = least_squares(residuals, np.zeros(len(groups) + len(families)), loss="soft_l1", f_scale=1.5)
    values = fitted.x
    jacobian = np.asarray(fitted.jac, dtype=np.float64)  # so scaled that this is the loss's own curvature
    covariance = np.linalg.inv(jacobian.T @ jacobian)
    deviations = {
        group: math.sqrt(covariance[group_index[group], group_index[group]] + spread.family**2) for group in groups
    }
    for name, group in families:
        summed = np.zeros(len(values))
        summed[[group_index[group], family_index[name]]] = 1.0
        deviations[name] = math.sqrt(summed @ covariance @ summed)
    return Pooled(
        {group: float(values[group_index[group]]) for group in groups},
        {name: float(values[group_index[group]] + values[family_index[name]]) for name, group in families},
        deviations,
    )


def _weights(responses: Sequence[Response]) -> list[float]:
    """So that a machine with several figures counts once."""
    count: dict[str, int] = {}
    for response in responses:
        count[response.machine] = count.get(response.machine, 0) + 1
    return [1 / math.sqrt(count[response.machine]) for response in responses]


def without_machine(
    responses: Sequence[Response], number: int, spread: PriorSpread, measured: Measured | None = None
) -> float:
    """The constant, as a logarithm over what is assumed, for one figure by a fit without its machine.

    What was measured elsewhere is left out where that was this machine, too.
    """
    left = responses[number]
    others = [other for other in responses if other.machine != left.machine]
    if not others:
        return 0.0
    remaining = {name: source for name, source in (measured or {}).items() if source.machine != left.machine}
    pooled, elsewhere = fit(others, spread, remaining), remaining.get(left.family)
    if elsewhere is None or left.family in pooled.families:
        return pooled.moved(left)
    group = pooled.groups.get(left.group, 0.0)  # what was measured elsewhere, drawn to the group
    weights = (1 / MEASURED**2, 1 / spread.family**2)
    return (weights[0] * elsewhere.value + weights[1] * group) / sum(weights)


def without_family(
    responses: Sequence[Response], number: int, spread: PriorSpread, measured: Measured | None = None
) -> float:
    """The same without all machines of its family and without its names, as of a machine of which no other is known."""
    left = responses[number]
    others = [other for other in responses if other.family != left.family]
    moved = fit(others, spread, measured).groups.get(left.unknown_group, 0.0) if others else 0.0
    if not math.isnan(left.clock):  # it says as much as the group
        moved = (moved + left.clock) / 2
    return moved
