"""Cautions about two whole runs."""

from collections.abc import Sequence

from banzuke.compare.cautions import cautions, variables_apart
from banzuke.compare.test_runs import launches, provenance, record
from banzuke.record.model import Record
from banzuke.testing import changed
from banzuke.words import Duration
from banzuke.words.language import words


def test_what_makes_two_runs_differ_is_said() -> None:
    a = [record(software={"blas": "OpenBLAS 0.3.21", "compiler": "gcc 12"}, origin=provenance("h", machine="x"))]
    b = [record(software={"blas": "MKL 2025", "compiler": "gcc 12"}, origin=provenance("h", machine="y"), hosts=2)]
    assert list(map(words(), cautions(a, b))) == [
        "Machine: x in A, y in B",
        "Nodes: 1 in A, 2 in B",
        "blas of stream omp: OpenBLAS 0.3.21 in A, MKL 2025 in B",
    ]
    assert cautions([*a, *a], [*a, *a]) == []


def test_sides_have_names_and_may_differ_as_they_are_meant_to() -> None:
    a = [record(software={"mpi": "M"}, origin=provenance("h"))]
    moved = provenance("h").model_copy(update={"variant": {"memory": "local"}})
    b = [record(software={"mpi": "O"}, origin=moved)]
    sentences = list(map(words(), cautions(a, b, ("near", "far"))))
    assert sentences == ["Memory policy: default in near, local in far", "mpi of stream omp: M in near, O in far"]
    assert list(map(words(), cautions(a, b, ("near", "far"), but="memory"))) == sentences[1:]


def test_runs_at_different_times_are_told_from_those_in_turn() -> None:
    a, turns, later = launches(), launches(first=5), launches(first=41 + 7200)
    assert cautions(a, turns) == []
    (caution,) = cautions(a, later)
    assert (caution.code, caution.facts["gap"]) == ("compare-not-in-turn", Duration(7200))
    assert cautions(later, a) == [caution]
    assert cautions(a[:1], later[:1]) == []


def test_processors_that_were_moved_are_said_and_how_a_library_was_chosen_is_not() -> None:
    def runs(seconds: float, choice: str) -> list[Record]:
        launch = record(software={"blas_choice": choice})
        return 2 * [launch.model_copy(update={"conditions": {"exchange_latency": seconds}})]

    (caution,) = cautions(runs(190e-9, "200 Gflop/s"), runs(41e-9, "201 Gflop/s"))
    assert (caution.code, caution.facts["nearer"]) == ("compare-moved", "B")
    assert words()(caution).endswith("perhaps because a hypervisor moved them, or because of other load")
    assert cautions(runs(60e-9, "x"), runs(41e-9, "y")) == []
    assert cautions(runs(300e-6, "x"), runs(41e-9, "y")) == []


def with_variables(ranks: int = 1, **variables: str) -> Record:
    origin = provenance("h").having(variables={"OMP_NUM_THREADS": str(ranks), **variables})
    return changed(record(origin=origin), ranks=ranks)


def test_each_variable_that_not_all_sides_had_is_said() -> None:
    def said(*sides: Sequence[Record]) -> list[str]:
        return list(map(words(), variables_apart([(f"R{place}", side) for place, side in enumerate(sides)])))

    close, spread = with_variables(OMP_PROC_BIND="close"), with_variables(OMP_PROC_BIND="spread", BANZUKE_BLAS="/x")
    none, removed = with_variables(), with_variables(OMP_PROC_BIND="", OMP_DYNAMIC="")
    assert said([close], [none]) == ["OMP_PROC_BIND=close was set only in R0"]
    assert said([none], [close], [close]) == ["OMP_PROC_BIND=close was set only in R1 and R2"]
    apart = ["OMP_PROC_BIND=close was set only in R0", "OMP_PROC_BIND=spread was set only in R1"]
    assert said([close], [spread]) == apart
    assert said([close, none], [close]) == ["OMP_PROC_BIND=close was set only in a part of R0 and R1"]
    assert said([none], [removed]) == said([close], [close]) == said([]) == []
    asked = with_variables(OMP_PROC_BIND="close")
    assert asked.provenance
    asked = changed(asked, provenance=asked.provenance.having(variant={"OMP_PROC_BIND": "close"}))
    assert said([asked], [none]) == []
    assert said([asked], [close]) == ["OMP_PROC_BIND=close was set only in R1"]
    assert said([record()], [close]) == said([record(origin=provenance("h"), failed="x")], [close]) == []


def test_variables_of_a_launcher_are_compared_where_both_sides_had_one() -> None:
    alone, several = with_variables(), with_variables(2, MPIR_CVAR_X="1")
    assert variables_apart([("A", [alone, several]), ("B", [alone])]) == []
    assert len(variables_apart([("A", [several]), ("B", [alone])])) == 1
