"""Predictions of slowdowns by noise, as the document of `--json`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from banzuke.slowdown.prediction import NoisePrediction

LARGEST = 10**7
"""Largest number of ranks of predictions where no numbers are given."""


@dataclass(frozen=True)
class Scale:
    """Numbers of ranks, and the number of ranks on a node."""

    ranks: Sequence[int]
    ranks_per_node: int | None
    """None: no numbers of nodes are wanted."""

    @classmethod
    def of(cls, ranks: Sequence[int] | None, ranks_per_node: int | None) -> "Scale":
        """Return a scale; without given numbers, powers of ten: of ranks, or of nodes."""
        first = ranks_per_node or 1
        usual = [first * 10**power for power in range(8) if power == 0 or first * 10**power <= LARGEST]
        return cls(sorted(set(ranks or usual)), ranks_per_node)

    def nodes(self, ranks: int) -> int | None:
        """Return the number of nodes; the last one may have fewer ranks."""
        return -(-ranks // self.ranks_per_node) if self.ranks_per_node else None


def predictions_json(
    predictions: Sequence[NoisePrediction], scale: Scale, slowdown: float | None, run: str | None
) -> Mapping[str, Any]:
    """Return the document. `periods` has all; with a single period, its members are also at the top level."""
    periods: list[dict[str, Any]] = []
    for period in dict.fromkeys(prediction.period for prediction in predictions):
        curves = [_curve(prediction, scale, slowdown) for prediction in predictions if prediction.period == period]
        whose = {"application": period.application, "about": period.about} if period.application else {}
        periods.append({**whose, "period": period.seconds, "curves": curves})
    document: dict[str, Any] = {"run": run} if run is not None else {}
    if len(periods) == 1:
        curves = periods[0]["curves"]
        document |= {"period": periods[0]["period"], **({"curves": curves} if run is not None else curves[0])}
    return {
        **document,
        **({"ranks_per_node": scale.ranks_per_node} if scale.ranks_per_node else {}),
        "periods": periods,
    }


def _curve(prediction: NoisePrediction, scale: Scale, slowdown: float | None) -> Mapping[str, Any]:
    source = prediction.source
    named = {"name": source.name, "about": source.about} if source.name else {}
    return {
        **named,
        "noise": {"length": source.periodic.length, "interval": source.periodic.interval} if source.periodic else None,
        "slowdowns": [
            {
                "ranks": row.ranks,
                **({"nodes": scale.nodes(row.ranks)} if scale.ranks_per_node else {}),
                "formula": row.formula,
                "measured": row.measured,
                "simulated": row.simulated,
                "bearable_length": row.bearable,
            }
            for row in prediction.rows(scale.ranks, slowdown)
        ],
        "ranks_for": [
            {
                "slowdown": mark,
                "ranks": count,
                "measured": prediction.delays.ranks_for(mark) if prediction.delays else None,
            }
            for mark, count in prediction.reached().items()
        ],
        "remarks": prediction.remarks,
    }
