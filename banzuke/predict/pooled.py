"""Fits constants by family to public figures with partial pooling, and predicts figures that were left out.

A family's constant is its group's times a deviation, both as logarithms. Deviations are normal with the standard
deviation `family`; groups are normal with `group` about the value assumed for all. So a family with many figures gets
its own value, one with few is drawn towards its group, and an unknown one takes the group's. Outliers count less
(SciPy's soft L1 loss). The response of a figure to the constant is not linear: the model is evaluated at several
values.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from banzuke.plan.capabilities import PriorSpread

Numbers = NDArray[np.float64]
MEASURED = 0.1
"""Standard deviation of the logarithm of a DGEMM share that was measured elsewhere."""


@dataclass(frozen=True)
class Elsewhere:
    """A family's constant according to another source."""

    value: float
    """Logarithm over the assumed value."""
    machine: str = ""
    """Machine of the lists on which it was measured, if any."""


Measured = Mapping[str, Elsewhere]
"""Other sources by family."""


@dataclass(frozen=True)
class Response:
    """A published figure, and the model's figures by the logarithm of the constant over its assumed value."""

    machine: str
    """Machine whose figures are left out together."""
    family: str
    group: str
    unknown_group: str
    """Group that its description would have without names."""
    published: float
    at: Numbers
    figures: Numbers = field(repr=False)
    unnamed: Numbers | None = field(default=None, repr=False)
    """Figures without what only names tell; None: they are the same."""
    clock: float = math.nan
    """Logarithm of the described clock under vector load over the nominal one, relative to the assumed value."""

    def log_ratio(self, moved: float, *, named: bool = True) -> float:
        """Return the logarithm of predicted over published."""
        figures = self.figures if named or self.unnamed is None else self.unnamed
        return float(np.interp(moved, self.at, np.log(figures))) - math.log(self.published)


@dataclass(frozen=True)
class Pooled:
    """Fitted constants as logarithms over their assumed values."""

    groups: Mapping[str, float]
    families: Mapping[str, float]
    """Values of families, which include their groups'."""
    deviations: Mapping[str, float]
    """Standard deviations of a known family's value by family, and of an unknown family's by group."""

    def moved(self, response: Response) -> float:
        family = self.families.get(response.family)
        return self.groups.get(response.group, 0.0) if family is None else family


def fit(responses: Sequence[Response], spread: PriorSpread, measured: Measured | None = None) -> Pooled:
    """Return the most likely constants; `measured`: families' values from other sources."""
    elsewhere = measured or {}
    groups = sorted({response.group for response in responses})
    families = sorted({(response.family, response.group) for response in responses})
    group_index = {name: number for number, name in enumerate(groups)}
    family_index = {name: len(groups) + number for number, (name, _) in enumerate(families)}
    weights = _weights(responses)

    def residuals(values: Numbers) -> Numbers:
        """Return the deviations of figures, families and groups in units of their spread."""
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
    jacobian = np.asarray(fitted.jac, dtype=np.float64)  # scaled so that it gives the curvature of the loss
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
    """Return weights with which a machine with several figures counts once."""
    count: dict[str, int] = {}
    for response in responses:
        count[response.machine] = count.get(response.machine, 0) + 1
    return [1 / math.sqrt(count[response.machine]) for response in responses]


def without_machine(
    responses: Sequence[Response], number: int, spread: PriorSpread, measured: Measured | None = None
) -> float:
    """Return the logarithm of the constant over its assumed value for one figure, by a fit without its machine.

    A value measured elsewhere is left out, too, if it was measured on this machine.
    """
    left = responses[number]
    others = [other for other in responses if other.machine != left.machine]
    if not others:
        return 0.0
    remaining = {name: source for name, source in (measured or {}).items() if source.machine != left.machine}
    pooled, elsewhere = fit(others, spread, remaining), remaining.get(left.family)
    if elsewhere is None or left.family in pooled.families:
        return pooled.moved(left)
    group = pooled.groups.get(left.group, 0.0)  # combine the value measured elsewhere with the group's
    weights = (1 / MEASURED**2, 1 / spread.family**2)
    return (weights[0] * elsewhere.value + weights[1] * group) / sum(weights)


def without_family(
    responses: Sequence[Response], number: int, spread: PriorSpread, measured: Measured | None = None
) -> float:
    """Return the same without its family's machines and its names, as for a machine unlike any known one."""
    left = responses[number]
    others = [other for other in responses if other.family != left.family]
    moved = fit(others, spread, measured).groups.get(left.unknown_group, 0.0) if others else 0.0
    if not math.isnan(left.clock):  # the clock counts as much as the group
        moved = (moved + left.clock) / 2
    return moved
