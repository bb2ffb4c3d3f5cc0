"""The settings that distinguish cases."""

from banzuke.amounts import Scalar
from banzuke.compare.settings import label_of, telling, varying

PEER: dict[str, Scalar] = {"path": "peer", "other": 1, "samples": 7}
PIPELINED: dict[str, Scalar] = {"path": "pipelined", "other": 1, "chunk": 0, "samples": 7}
PAIRS: dict[str, Scalar] = {"rounds": 0}


def test_a_parameter_that_a_case_has_no_use_for_tells_nothing_of_it() -> None:
    assert varying([PEER, PIPELINED, PAIRS]) == ["path"]
    assert varying([PEER, PIPELINED | {"other": 2}, PAIRS]) == ["path", "other"]
    columns = telling([PEER, PIPELINED | {"other": 2}, PAIRS])
    assert label_of(PEER, columns) == "path peer, other 1"
    assert label_of(PAIRS, columns) == ""


def test_what_is_no_parameter_is_as_usual_where_it_is_not_named() -> None:
    rows = [PEER, PEER | {"memory": "local"}, PEER | {"OMP_WAIT_POLICY": "active"}, PEER | {"placement": "same-numa"}]
    assert varying(rows) == ["memory", "OMP_WAIT_POLICY", "placement"]
    assert label_of(PEER, telling(rows)) == "memory default, OMP_WAIT_POLICY default, placement default"
