"""How long a case may take."""

from banzuke.evaluation import SHORTEST_LIMIT, SLOWNESS, Options, time_limit
from banzuke.plan.placement import Placement
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
