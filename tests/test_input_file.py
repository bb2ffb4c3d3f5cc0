"""Tests of `--input`: it reads the official code's file and prints its text, so that existing scripts keep working."""

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Banzuke

HPL_DAT = """\
HPLinpack benchmark input file
A centre of ours
{output}     output file name (if any)
{device}     device out (6=stdout,7=stderr,file)
2            # of problems sizes (N)
100 150      Ns
1            # of NBs
32           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
{q}          Qs
16.0         threshold
1            # of panel fact
1            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
8            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
2            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
60           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""
RESULT = re.compile(r"^WR11R2R8 +(\d+) +32 +1 +2 +\d+\.\d\d +\d\.\d{4}e[+-]\d\d$", re.MULTILINE)


HPCC_LINES = """\
##### This line (no. 32) is ignored (it serves as a separator). ######
1            Number of additional problem sizes for PTRANS
80           values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all tests, so that libraries are probed once."""
    return tmp_path_factory.mktemp("input") / "results"


def written(folder: Path, *, output: str = "HPL.out", device: int = 6, q: int = 2) -> Path:
    file = folder / "HPL.dat"
    file.write_text(HPL_DAT.format(output=output, device=device, q=q))
    return file


def test_the_output_is_what_the_official_code_prints(banzuke: Banzuke, tmp_path: Path) -> None:
    done = banzuke("run", "hpl", "--input", written(tmp_path), "--threads", "1", "--verbose")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("=" * 80 + "\nT/V "), "nothing else goes to the output stream"
    assert RESULT.findall(done.stdout) == ["100", "150"]
    assert len(re.findall(r"\)= +\d\.\d{8}e-\d\d \.\.\. ?\.\.\. PASSED$", done.stdout, re.MULTILINE)) == 2
    assert "\nFinished      2 tests with the following results:\n" in done.stdout
    assert done.stdout.endswith("\nEnd of Tests.\n" + "=" * 80 + "\n")
    assert "PFACT have no effect here" in done.stderr
    assert "of limit" in done.stderr
    assert "Where the time went" in done.stderr


def test_the_file_that_it_names_is_written(banzuke: Banzuke, tmp_path: Path) -> None:
    output = tmp_path / "HPL.out"
    file = written(tmp_path, output=str(output), device=8)
    done = banzuke("run", "hpl", "--input", file, "--threads", "1", "--set", "n=100", "--json")
    assert done.returncode == 0, done.stderr
    assert [record["parameters"]["n"] for record in json.loads(done.stdout)["records"]] == [100]
    assert RESULT.findall(output.read_text()) == ["100"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["hpl", "--ranks", "1"], "asks for more than 1 ranks (2 for p=1 q=2 n=100"),
        (["hpl", "--set", "q=3"], "a grid of p x q = 1 x 3 takes 3 ranks, but there are 2"),
        (["hpl", "dgemm"], "--input is for one benchmark"),
        (["stream"], "stream reads no input file"),
        (["hpl", "--seconds", "5"], "--seconds has no effect: the input file sets the size"),
    ],
)
def test_calls_that_a_file_cannot_go_with(banzuke: Banzuke, tmp_path: Path, words: list[str], error: str) -> None:
    done = banzuke("run", *words, "--input", written(tmp_path))
    assert done.returncode == 2, done.stdout
    assert error in " ".join(done.stderr.split())
    assert not done.stdout


def test_a_malformed_file_is_named_with_its_line(banzuke: Banzuke, tmp_path: Path) -> None:
    done = banzuke("run", "hpl", "--input", written(tmp_path, q=0))
    assert done.returncode == 2
    assert "HPL.dat, line 12: Q: expected a whole number of at least 1, but there is '0'" in done.stderr


def test_a_suite_appends_the_official_output_of_all_its_benchmarks(
    banzuke: Banzuke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one rank, where parts of each rank and of one are the same cases; 9 launches.

    The summary's HPL is the faster of both sizes, as the official one's.
    """
    (tmp_path / "hpccinf.txt").write_text(HPL_DAT.format(output="HPL.out", device=8, q=1) + HPCC_LINES)
    (tmp_path / "hpccoutf.txt").write_text("earlier\n")
    monkeypatch.chdir(tmp_path)
    done = banzuke("run", "hpcc", "--input", "hpccinf.txt", "--threads", "1")
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "hpccoutf.txt").read_text()
    assert written == "earlier\n" + done.stdout
    summary = dict(re.findall(r"^(\w+)=(\S+)$", written.partition("Begin of Summary section.")[2], re.MULTILINE))
    sizes = {"Success": "1", "HPL_NB": "32", "PTRANS_nb": "32", "DGEMM_N": "86", "STREAM_VectorSize": "7500"}
    assert sizes.items() <= summary.items()
    assert summary["HPL_N"] in ("100", "150")
    assert summary["PTRANS_n"] in ("80", "50", "75")
    measured = ("HPL_Tflops", "PTRANS_GBs", "StarDGEMM_Gflops", "SingleSTREAM_Triad", "MPIRandomAccess_GUPs")
    assert all(
        float(summary[key]) > 0 for key in (*measured, "StarFFT_Gflops", "MPIFFT_Gflops", "SingleRandomAccess_GUPs")
    )
