"""Cases of benchmarks that ask their programs."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Layout, Scalar
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.placement import group_placements, pair_placements
from banzuke.plan.request import Request
from banzuke.program.describe import Answer, Refusal, RefusedError
from banzuke.testing import machine

STREAM = find("stream")


def answer(**facts: Scalar) -> Answer:
    description = {"benchmark": "stream", "backend": "omp", "schema_version": 2, "parameters": []}
    build = {"compiler": "c", "flags": "f", "mpi": "none", "mpi_name": "none"}
    return Answer.model_validate(description | build | {"problem": {"footprint": 1, "facts": facts}})


def pairs_alone(layout: Layout, parameters: Mapping[str, Scalar]) -> Answer:
    """Refuse n=1 for other than two ranks, and n=x."""
    if parameters["n"] == "x" or (layout.ranks != 2 and parameters["n"] == "1"):
        raise RefusedError("no", Refusal(why="two ranks", remedy="", nearest=[{"ranks": 2}]))
    return answer(ranks=layout.ranks)


def test_a_spec_asks_the_program_that_it_is_given() -> None:
    def defaults(ask: Ask, _machine: Machine, layout: Layout) -> dict[str, Scalar]:
        return {"n": 2, "seen": ask(layout, {"n": "2"}).problem.facts["ranks"]}

    def seconds(ask: Ask, _machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
        return ask(layout, parameters).problem.number("ranks")

    spec = replace(STREAM, defaults=Asking(defaults), seconds=Asking(seconds))
    with pytest.raises(BanzukeError, match="there is no program to ask"):
        plan(spec, machine(), Request(ranks=3))
    (case,) = plan(spec.asking(pairs_alone), machine(), Request(ranks=3))
    assert (case.parameters["seen"], case.seconds) == (3, 3.0)
    (case,) = plan(spec.asking(pairs_alone), machine(), Request(ranks=3, overrides={"n": ["1"]}))
    assert case.seconds == 1.0  # refused: the check before the run says why


def test_a_proposal_that_the_program_has_no_use_for_is_left_out() -> None:
    def ask(_layout: Layout, parameters: Mapping[str, Scalar]) -> Answer:
        if parameters["test"] == "pairs" and "size" in parameters:
            refusal = Refusal(why="pairs have one size", remedy="", nearest=[{"size": 1}], without="size")
            raise RefusedError("no", refusal)
        return answer()

    spec = replace(STREAM, defaults=lambda *_: {"size": 8}).asking(ask)

    def chosen(**overrides: str) -> Mapping[str, Scalar]:
        values = {name: [value] for name, value in overrides.items()}
        (case,) = plan(spec, machine(), Request(overrides=values))
        return case.parameters

    assert chosen(test="latency") == {"size": 8, "test": "latency"}
    assert chosen(test="pairs") == {"test": "pairs"}
    assert chosen(test="pairs", size="9") == {"test": "pairs", "size": "9"}, "what was asked for is refused later"


def test_a_proposal_that_what_is_set_rules_out_gives_way() -> None:
    def ask(_layout: Layout, parameters: Mapping[str, Scalar]) -> Answer:
        if parameters["variant"] == "opt" and parameters["kernel"] == "fft":
            nearest: list[dict[str, Scalar]] = [{"ranks": 2}, {"kernel": "sum"}, {"variant": "default"}]
            raise RefusedError("no", Refusal(why="fft has no opt", remedy="", nearest=nearest))
        return answer()

    spec = replace(STREAM, defaults=lambda *_: {"kernel": "sum", "variant": "opt"}).asking(ask)

    def chosen(**overrides: str) -> Mapping[str, Scalar]:
        values = {name: [value] for name, value in overrides.items()}
        (case,) = plan(spec, machine(), Request(overrides=values))
        return case.parameters

    assert chosen(rounds="3") == {"kernel": "sum", "variant": "opt", "rounds": "3"}
    assert chosen(kernel="fft") == {"kernel": "fft", "variant": "default"}
    assert chosen(variant="opt") == {"kernel": "sum", "variant": "opt"}
    assert chosen(kernel="fft", variant="opt") == {"kernel": "fft", "variant": "opt"}  # so that the error is reported


def test_all_placements_are_those_that_can_be() -> None:
    described = machine(cores=4)
    spec = replace(STREAM, placements=lambda at: [*pair_placements(at), *group_placements(at)]).asking(pairs_alone)

    def placements(n: str, *wanted: str) -> list[str]:
        cases = plan(spec, described, Request(placements=wanted, overrides={"n": [n]}))
        return [case.placement for case in cases]

    assert placements("1", "all") == ["same-numa"]
    assert placements("2", "all") == placements("x", "all") == ["same-numa", "one-node"]
    assert placements("1", "one-node", "same") == ["same-numa", "one-node"]
    assert placements("1", "one") == ["one-node"]  # so that the error is reported
