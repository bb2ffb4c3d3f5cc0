"""How long a case may take, and what is made of all records."""

import pytest

from banzuke.evaluation import SHORTEST_LIMIT, SLOWNESS, Options, judge, time_limit
from banzuke.limit.test_examples import BENCHMARKS, ENGLISH, GIGA, MACHINE, provenance, triad
from banzuke.plan.placement import Placement
from banzuke.record.hosts import Hosts
from banzuke.testing import case


def test_the_time_limit_leaves_time_to_start_on_many_hosts() -> None:
    everywhere = Placement("10000-nodes-1", "", ((0,),), per_node=1, nodes=10_000)
    assert time_limit(case(seconds=1.0), Options()) == SHORTEST_LIMIT
    assert time_limit(case(seconds=100.0), Options()) == 100 * SLOWNESS
    assert time_limit(case(seconds=1.0, placement=everywhere), Options()) > 5 * SHORTEST_LIMIT
    assert time_limit(case(placement=everywhere), Options(timeout=2.0)) == 2.0


def test_the_time_limit_is_that_of_a_slow_environment() -> None:
    assert time_limit(case(seconds=1.0), Options(), slowness=50.0) == 50 * SHORTEST_LIMIT
    assert time_limit(case(), Options(timeout=2.0), slowness=50.0) == 2.0


@pytest.mark.slow
def test_ten_thousand_hosts_are_judged_each_by_the_best() -> None:
    """In seconds; compared with one another they would take an hour."""
    records = [
        triad(
            (20 + host % 17) * GIGA,
            hosts=[Hosts(names=f"n{host}", ranks="0")],
            provenance=provenance(id=str(host), batch="screen"),
        )
        for host in range(10_000)
    ]
    judged, _ = judge(records, MACHINE, BENCHMARKS)
    assert len(judged) == len(records)
    for host in (0, 16, 9_999):
        (figure,) = (figure for figure in judged[host].figures if figure.headline)
        assert figure.limit == pytest.approx(36 * GIGA)
        assert figure.fraction_of_limit == pytest.approx((20 + host % 17) / 36)
    assert any(cause.message.code == "limit-repetition" for cause in judged[0].causes)
    assert not any(cause.message.code == "limit-repetition" for cause in judged[16].causes)


@pytest.mark.slow
def test_ten_thousand_launches_are_judged_as_their_cases() -> None:
    """In seconds, too."""
    rates = (20, 30, 21)
    records = [
        triad(
            rate * GIGA,
            parameters={"problem": number},
            provenance=provenance(id=f"{number}-{place}", case=str(number), repetition=place),
        )
        for place, rate in enumerate(rates)
        for number in range(3_333)
    ]
    judged, _ = judge(records, MACHINE, BENCHMARKS)
    assert [len(one.launches) for one in judged] == [3] * 3_333
    assert all("launch 2 of 3 was 1.46 times better" in ENGLISH.joined(one.remark) for one in judged)
    assert {figure.value for one in judged for figure in one.figures if figure.headline} == {21 * GIGA}
