"""Orders of ranks that result in the same places."""

from banzuke.evaluation.orders import Orders
from banzuke.plan.case import Case, key
from banzuke.plan.placement import Placement
from banzuke.program.describe import Answer
from banzuke.testing import case

TWO = Placement("2-nodes-1", "", ((0,),), per_node=1, nodes=2)
HOSTS = ["n1", "n2"]


def in_order(order: str) -> Case:
    return case(placement=TWO, ranks=2, rank_order=order)


def test_of_orders_with_the_same_places_one_is_left() -> None:
    """Two ranks on two hosts have two orders: the scheduler's and the other one."""
    orders, cases = Orders(), [in_order(f"random:{seed}") for seed in range(6)] + [in_order("node")]
    places = {
        entry.variant.rank_order: orders.hosts_of_ranks(entry, HOSTS, Answer.model_construct()) for entry in cases[:-1]
    }
    repeated = {entry.variant.rank_order for entry in orders.repeated(cases)}
    left = [entry for entry in cases if entry.variant.rank_order not in repeated]
    assert [entry.variant.rank_order for entry in left if entry.variant.rank_order == "node"] == ["node"]
    assert [places[entry.variant.rank_order] for entry in left[:-1]] == [["n2", "n1"]]
    assert len({key(entry) for entry in left}) == 2
