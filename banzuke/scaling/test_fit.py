"""Fits recover the models of synthetic studies, and make no claim where there is too little data."""

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.scaling.fit import BETTER, Fits, Kind, fit_all, next_count

COUNTS = (1, 2, 4, 8, 16, 32)


def fitted(
    kind: Kind, cost: Callable[[int], float], counts: tuple[int, ...] = COUNTS, noise: float = 0.0, seed: int = 0
) -> Fits:
    source = random.Random(seed)  # noqa: S311
    return fit_all(kind, {p: 3.0 * cost(p) * math.exp(source.gauss(0, noise)) for p in counts})


def name(fits: Fits) -> str:
    return fits.best.form.name if fits.best else ""


def test_amdahls_serial_share_lies_in_its_interval() -> None:
    held = 0
    for seed in range(100):
        fits = fitted("strong", lambda p: 0.97 + 0.03 * p, noise=0.01, seed=seed)
        (amdahl,) = (fit for fit in fits.models if fit.form.name == "amdahl")
        assert amdahl.serial
        held += 0.03 in amdahl.serial[1]
    assert 88 <= held <= 100, "of 100 intervals of 95%"


def test_gustafsons_serial_share_is_found() -> None:
    fits = fitted("weak", lambda p: 1 / (0.9 + 0.1 / p))
    assert name(fits) == "gustafson"
    assert fits.best
    assert fits.best.serial
    assert fits.best.serial[0] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("kind", "cost", "model", "label"),
    [
        ("strong", lambda p: 1 + 0.02 * p * math.log2(p), "messages", "p log₂ p"),
        ("strong", lambda p: 1 + 0.1 * (math.sqrt(p) - 1), "messages", "(√p − 1)"),
        ("weak", lambda p: 1 + 0.05 * math.log2(p), "messages", "log₂ p"),
        ("throughput", lambda p: 1 + 0.002 * p**1.5, "extra-p", "p^(3/2)"),
        ("throughput", lambda p: 1 + 0.002 * p * math.log2(p) ** 2, "extra-p", "p log₂² p"),
    ],
)
def test_the_model_that_made_the_figures_is_found(
    kind: Kind, cost: Callable[[int], float], model: str, label: str
) -> None:
    fits = fitted(kind, cost, noise=1e-4)
    assert fits.best
    assert (fits.best.form.name, fits.best.form.labels) == (model, (label,))
    assert fits.best.predict(128).value == pytest.approx(cost(128) / cost(1), rel=0.01)


@pytest.mark.parametrize("nodes", [3, 64])
def test_a_prediction_interval_holds_what_is_measured_later(nodes: int) -> None:
    held = 0
    for seed in range(100):
        fits = fitted("strong", lambda p: 0.98 + 0.02 * p, noise=0.01, seed=seed)
        (amdahl,) = (fit for fit in fits.models if fit.form.name == "amdahl")
        first = math.exp(random.Random(seed).gauss(0, 0.01))  # noqa: S311  (to which costs are relative)
        later = (0.98 + 0.02 * nodes) * math.exp(random.Random(seed + 1000).gauss(0, 0.01)) / first  # noqa: S311
        ends = amdahl.predict(nodes).interval
        held += ends is not None and later in ends
    assert 88 <= held <= 100, "of 100 intervals of 95%"


@pytest.mark.parametrize("counts", [COUNTS[:3], COUNTS[:5], COUNTS])
def test_perfect_scaling_with_noise_is_seldom_called_anything_else(counts: tuple[int, ...]) -> None:
    names = [name(fitted("strong", lambda _: 1.0, counts, noise=0.01, seed=seed)) for seed in range(100)]
    assert names.count("") >= 90, f"models of nothing: {set(names)}"


def test_nothing_is_fitted_to_two_numbers_of_nodes_and_no_terms_to_four() -> None:
    assert fitted("strong", lambda p: 1 + 0.1 * p, (1, 2)).models == ()
    four = fitted("strong", lambda p: 1 + 0.1 * p**1.5, (1, 2, 4, 8))
    assert {fit.form.name for fit in four.models} == {"amdahl", "messages"}
    assert all(len(fit.coefficients) == 2 for fit in four.models)


def test_what_becomes_cheaper_with_nodes_has_no_serial_share() -> None:
    fits = fitted("strong", lambda p: 1.0 / p**0.1)
    assert fits.best is None
    (amdahl,) = fits.models
    assert amdahl.serial
    assert amdahl.serial[0] == 0.0


def test_a_best_model_predicts_better_than_perfect_scaling() -> None:
    counts = (*COUNTS, 64, 128)
    studies = [fitted("weak", lambda p: 1 + 0.004 * math.log2(p), counts, noise=0.01, seed=seed) for seed in range(40)]
    named = [fits for fits in studies if fits.best]
    assert 0 < len(named) < len(studies), "the noise hides some of so little"
    assert all(fits.best.left_out <= BETTER * fits.perfect.left_out for fits in named if fits.best and fits.perfect)


def test_of_models_within_the_noise_the_known_form_is_taken() -> None:
    costs = {p: 1 + 0.002 * p**1.5 for p in COUNTS}
    chosen = [fit_all("strong", costs, noise).best for noise in (0.0, 1e-4, 0.05)]
    assert [fit.form.name for fit in chosen if fit] == ["extra-p", "extra-p", "amdahl"]


def test_the_next_number_of_nodes() -> None:
    few = next_count(fitted("strong", lambda _: 1.0, (1, 2)))
    assert few
    assert few.nodes == 4
    proposal = next_count(fitted("strong", lambda p: 0.97 + 0.03 * p, (1, 2, 4), noise=0.01))
    assert proposal
    assert (proposal.nodes, proposal.separates) == (8, None)
    assert proposal.narrower < 1
    within = next_count(fitted("strong", lambda p: 0.97 + 0.03 * p, (1, 2, 4), noise=0.01), most=4)
    assert within
    assert within.nodes == 3
    assert next_count(fitted("strong", lambda _: 1.0, (1, 2)), most=2) is None


def test_the_next_number_of_nodes_separates_models() -> None:
    studies = [fitted("strong", lambda p: 0.97 + 0.03 * p, (1, 2, 4, 8), noise=0.01, seed=seed) for seed in range(20)]
    proposals = [following for fits in studies if (following := next_count(fits)) and following.separates]
    assert proposals, "of 20 studies with noise, some leave two models open"
    for proposal in proposals:
        first, second = (fit.predict(proposal.nodes) for fit in proposal.separates or ())
        assert abs(math.log(first.value / second.value)) > 2 * math.hypot(first.deviation, second.deviation)


@given(
    kind=st.sampled_from(["strong", "weak", "throughput"]),
    costs=st.dictionaries(st.integers(1, 10**6), st.floats(1e-30, 1e30), min_size=1, max_size=9),
)
def test_any_costs_are_fitted_or_not(kind: Kind, costs: dict[int, float]) -> None:
    fits = fit_all(kind, costs)
    following = next_count(fits)
    assert following is None or following.nodes not in costs
    for fit in fits.models:
        assert not math.isnan(fit.predict(2 * max(costs)).value)
