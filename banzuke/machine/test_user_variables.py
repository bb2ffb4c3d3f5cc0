"""What is done with each variable of the user's shell that places, counts or steers threads."""

import pytest

from banzuke.machine.user_variables import PLACING, inherited_settings, placing, remarks, removed


@pytest.mark.parametrize("name", PLACING)
def test_a_variable_set_to_nothing_places_nothing(name: str) -> None:
    assert placing({name: "close"}) == name
    assert removed({name: "close"}) == []
    for nothing in ("", "  "):
        assert placing({name: nothing}) == ""
        assert removed({name: nothing}) == [name]


@pytest.mark.parametrize(
    "name",
    [
        *("OMP_THREAD_LIMIT", "OMP_DYNAMIC", "KMP_HW_SUBSET", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS"),
        *("BLIS_NUM_THREADS", "MKL_NUM_THREADS", "MKL_DOMAIN_NUM_THREADS", "HYDRA_BINDING"),
    ],
)
def test_what_a_case_says_itself_is_left_out_and_named(name: str) -> None:
    assert removed({name: "1"}) == [name]
    assert inherited_settings({name: "1"}) == {}
    (said,) = remarks({name: "1"})
    assert said.startswith(f"{name}=1 is ignored: Banzuke sets the number and places of threads itself (--threads")


@pytest.mark.parametrize(
    "name",
    [
        *("OMP_WAIT_POLICY", "KMP_BLOCKTIME", "GOMP_SPINCOUNT", "OPENBLAS_MAIN_FREE", "I_MPI_PIN_DOMAIN"),
        *("SLURM_CPU_BIND", "UCX_TLS", "MPIR_CVAR_CH4_CMA_ENABLE", "OMPI_MCA_pml", *PLACING),
    ],
)
def test_the_others_are_kept_and_recorded(name: str) -> None:
    assert inherited_settings({name: "x", "HOME": "/root", "OMPLE": "1", "SLURM_JOB_ID": "7"}) == {name: "x"}
    assert removed({name: "x"}) == []


def test_own_placement_is_named() -> None:
    (said,) = remarks({"OMP_PROC_BIND": "close", "OMP_PLACES": "cores", "HOME": "/root"})
    assert said.startswith("OMP_PLACES=cores OMP_PROC_BIND=close are set, so Banzuke leaves placing threads to them")
    assert said.endswith("To let Banzuke bind them, unset OMP_PLACES and OMP_PROC_BIND")
    assert remarks({"OMP_PROC_BIND": "close"}, bound=True) == remarks({"HOME": "/root"}) == []


@pytest.mark.parametrize(
    ("asked", "used", "ignored"),
    [
        ("1", [{2}], True),
        ("2", [{1, 2}], False),
        ("2", [{2}, {1, 4}], True),
        ("2,4", [{2}], False),
        ("two", [{2}], True),
        ("", [{2}], False),
        ("3", [], False),
    ],
)
def test_a_number_of_threads_that_no_case_has_is_named(asked: str, used: list[set[int]], ignored: bool) -> None:  # noqa: FBT001
    said = remarks({"OMP_NUM_THREADS": asked}, used)
    remark = [f"OMP_NUM_THREADS={asked} is ignored: Banzuke sets the number of threads (--threads)"]
    assert said == (remark if ignored else [])
