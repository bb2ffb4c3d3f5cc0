"""Refusals that say what to do instead; the programs are shell scripts that describe themselves."""

import math
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.launch.check import ROOM, check
from banzuke.testing import case, machine

PROGRAM = """#!/bin/sh
{defaults}
while [ $# -gt 1 ]; do eval "${{1#--}}=$2"; shift 2; done
refuse() {{
    echo "{{\\"refused\\":{{\\"why\\":\\"$1\\",\\"remedy\\":\\"Nearest: $2\\",\\"nearest\\":[$3]}}}}"
    exit 2
}}
[ $((n)) -ge $((least)) ] || refuse "n: $n is too small" "n=$least" "{{\\"n\\":$least}}"
{rules}
parameters=
for name in {names}; do
    eval "value=\\$$name"
    parameters="$parameters,{{\\"name\\":\\"$name\\",\\"type\\":\\"integer\\",\\"help\\":\\"\\",\\"value\\":$value}}"
done
echo "{{\\"benchmark\\":\\"b\\",\\"backend\\":\\"b\\",\\"schema_version\\":1,\\"parameters\\":[${{parameters#,}}],"
echo "\\"problem\\":{{\\"footprint\\":$(({footprint})),\\"facts\\":{{}}}},"
echo "\\"compiler\\":\\"c\\",\\"flags\\":\\"f\\",\\"mpi\\":\\"/lib/libmpi.so\\",\\"mpi_name\\":\\"mpich\\"}}"
"""


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    return tmp_path


MEMORY = math.ceil(80_000_000 / ROOM)


def install(folder: Path, name: str, footprint: str, rules: str = "", **defaults: int) -> None:
    values = " ".join(f"{key}={value}" for key, value in {"least": 1, **defaults}.items())
    file = folder / name
    file.write_text(PROGRAM.format(defaults=values, names=" ".join(defaults), footprint=footprint, rules=rules))
    file.chmod(0o755)


def refusal(**wanted: object) -> str:
    with pytest.raises(BanzukeError) as error:
        check(case(**wanted), machine(memory=MEMORY))
    return str(error.value)


def test_the_largest_that_fits_is_named(installation: Path) -> None:
    install(installation, "banzuke-hpl-blas", "8 * n * n / (p * q)", n=10, nb=1, p=1, q=1)
    hpl = {"benchmark": "hpl", "backend": "blas"}
    assert "Choose a smaller size: n=3162 is the largest" in refusal(**hpl, parameters={"n": 100_000})
    check(case(**hpl, parameters={"n": 3162}), machine(memory=MEMORY))
    assert "n=3162 is" in refusal(**hpl, parameters={"n": 3300})
    assert "n=3162 is" in refusal(**hpl, parameters={"n": 100_000, "p": 2, "q": 2}, ranks=4)


def test_memory_that_grows_with_the_number_of_ranks_is_asked_for_so_many(installation: Path) -> None:
    install(installation, "banzuke-stream-omp", "8 * n * ranks", n=10)
    assert "n=625000 is the largest" in refusal(parameters={"n": 1_000_000}, ranks=4)
    check(case(parameters={"n": 1_000_000}, ranks=1), machine(memory=MEMORY))


def test_a_size_that_is_an_exponent_is_named_too(installation: Path) -> None:
    install(installation, "banzuke-stream-omp", "8 << n", n=10)
    assert "n=23 is the largest" in refusal(parameters={"n": 40})
    assert "n=23 is the largest" in refusal(parameters={"n": 24})


def test_several_sizes_keep_their_ratio(installation: Path) -> None:
    install(installation, "banzuke-dgemm-blas", "8 * (m * k + k * n + m * n)", m=1, n=1, k=1)
    sizes = {"m": 100_000, "n": 200_000, "k": 50_000}
    assert "m=1690 n=3381 k=845 is" in refusal(benchmark="dgemm", backend="blas", parameters=sizes)


def test_sizes_are_those_that_the_program_takes(installation: Path) -> None:
    multiples = """
    x=$((nx / 8 * 8)) y=$((ny / 8 * 8)) z=$((nz / 8 * 8))
    [ $nx.$ny.$nz = $x.$y.$z ] ||
        refuse "no multiples of 8" "nx=$x ny=$y nz=$z" "{\\"nx\\":$x,\\"ny\\":$y,\\"nz\\":$z},{\\"ranks\\":1}"
    """
    install(installation, "banzuke-hpcg-omp", "1000 * nx * ny * nz", multiples, nx=16, ny=16, nz=16, least=0, n=0)
    sizes = {"nx": 128, "ny": 64, "nz": 64}
    text = refusal(benchmark="hpcg", backend="omp", parameters=sizes)
    assert text.endswith("Choose a smaller size: nx=72 ny=32 nz=32 is the largest that fits")


@pytest.mark.parametrize(("least", "answer"), [(3150, "n=3162 is the largest that fits"), (4000, "a smaller size")])
def test_sizes_that_the_program_refuses_are_not_named(installation: Path, least: int, answer: str) -> None:
    install(installation, "banzuke-hpl-blas", "8 * n * n", n=10_000, nb=1, p=1, q=1, least=least)
    assert refusal(benchmark="hpl", backend="blas", parameters={"n": 100_000}).endswith(answer)


def test_parameters_that_contradict_the_ranks_are_refused(installation: Path) -> None:
    grid = '[ $((p * q)) = ${ranks-$((p * q))} ] || refuse "$p x $q is not $ranks" "$((p * q)) ranks" "{}"'
    install(installation, "banzuke-hpl-blas", "8 * n * n", grid, n=10, nb=1, p=1, q=1)
    text = refusal(benchmark="hpl", backend="blas", parameters={"p": 2, "q": 3}, ranks=4)
    assert text == "hpl cannot run with these parameters (2 x 3 is not 4). Nearest: 6 ranks"
