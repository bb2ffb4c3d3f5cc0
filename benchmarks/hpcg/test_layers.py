"""Tests of what is shown of layers of ranks that share the planes unequally."""

from typing import Any

from banzuke.judge.assess import assess as judged
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.plan.catalogue import find
from banzuke.record.figures import Breakdown, Samples
from banzuke.report.testing.parts import assess, machine, record
from banzuke.views.testing import shown, tables, texts, view
from banzuke.words.language import words

HPCG = find("hpcg")
G = 1e9
SECONDS = {"spmv": [3.0, 2.0], "mg": [3.0, 3.0], "halo_wait": [0.5, 1.0], "allreduce": [0.5, 1.0]}


def dealt(deal: str) -> Assessment:
    """Return a case with layers of 3 and 1 Gflop/s that reach 3 of their 4."""
    case = record("hpcg", 1, {"nx": 104, "deal": deal}, {"flop_rate": Samples(unit="flop/s", samples=[3 * G])})
    seen: dict[str, Any] = {"sum_of_rates": 4 * G, "layer_rates": [3 * G, G], "layer_shares": [0.75, 0.25]}
    return assess(case.model_copy(update={"conditions": {**seen, "layer_seconds": SECONDS}}), {"hpcg": HPCG})


def test_why_layers_have_what_they_have_is_said() -> None:
    shown_by, case = view(HPCG, "dealt"), dealt("rates")
    remark = shown_by.remark(shown_by.of(case), [])
    assert remark
    assert words("en")(remark) == (
        "layers of ranks have 75% and 25% of the points, because their rates of iterations on boxes of their own are "
        "3 Gflop/s and 1 Gflop/s with all ranks running at once; together they reach 75% of the sum over all ranks, "
        "4 Gflop/s"
    )
    assert "ランクの層は格子点を75%" in words("ja")(remark)


def test_the_table_has_what_each_layer_did() -> None:
    (table,) = tables(shown(HPCG, "dealt", dealt("3:1")))
    assert texts(table) == [
        ["case 1", "layer 0", "3 Gflop/s", "75%", "6 s", "1 s"],
        ["case 1", "layer 1", "1 Gflop/s", "25%", "5 s", "2 s"],
    ]


def test_the_advice_after_given_shares_names_the_shares_and_not_the_messages() -> None:
    def causes(shares: list[float], waited: list[float]) -> list[str]:
        case = record("hpcg", 1, {"nx": 104, "deal": "1:1"}, {"flop_rate": Samples(unit="flop/s", samples=[2 * G])})
        times = {"mg": [4.0], "halo_wait": [sum(waited) / 2]}
        seen: dict[str, Any] = {"sum_of_rates": 4 * G, "layer_rates": [3 * G, G], "layer_shares": shares}
        seen["layer_seconds"] = {"mg": [2.0, 6.0], "halo_wait": waited}
        breakdown = Breakdown(along="time", ends=[1.0], flops=[12 * G], seconds=times)
        case = case.model_copy(update={"conditions": seen, "breakdown": breakdown})
        assessment = judged(case, siblings=Siblings([]), machine=machine(), benchmarks={"hpcg": HPCG}, ceilings=())
        return [words("en")(cause.message) for cause in assessment.causes]

    messages, shares = "Time spent on halo exchange", "Shares of the points that were asked for"
    unfit = causes([0.5, 0.5], [4.0, 0.0])
    assert (unfit[0], messages in unfit) == (shares, False)
    fitting = causes([0.75, 0.25], [4.0, 0.0])
    assert (shares in fitting, messages in fitting) == (False, True)
    slow_network = causes([0.72, 0.28], [4.0, 4.0])
    assert (shares in slow_network, messages in slow_network) == (False, True)
