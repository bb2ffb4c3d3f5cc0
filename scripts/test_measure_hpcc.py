"""Tests of the comparison with an installed HPC Challenge."""

from pathlib import Path

import pytest

from scripts.measure_hpcc import compare, run_once, summary, table, unlike

TEXT = """\
HPL_N=1
Begin of Summary section.
Success=1
HPL_N={n}
HPL_Tflops={rate}
HPL_time={time}
End of Summary section.
"""


def side(*, n: int, rate: float, time: float) -> dict[str, str]:
    return summary(TEXT.format(n=n, rate=rate, time=time))


def test_the_last_summary_counts() -> None:
    assert summary(TEXT.format(n=5, rate=1, time=2) + TEXT.format(n=6, rate=3, time=4)) == {
        "Success": "1",
        "HPL_N": "6",
        "HPL_Tflops": "3",
        "HPL_time": "4",
    }


def test_ratios_are_above_one_where_ours_is_better() -> None:
    theirs = [side(n=5, rate=1, time=2), side(n=5, rate=1, time=4), side(n=5, rate=2, time=2)]
    ours = [side(n=5, rate=2, time=1), side(n=5, rate=1, time=1), side(n=5, rate=1, time=1)]
    compared = compare(theirs, ours)
    assert compared["HPL_Tflops"].ratios == [2, 1, 0.5]
    assert compared["HPL_time"].ratios == [2, 4, 2]
    assert "| `HPL_time` | 2 | 1 | 2.00 | 2.00-4.00 |" in table(compared)
    assert "HPL_N" not in compared


def test_what_one_side_did_not_measure_is_left_out_and_unlike_sizes_are_named() -> None:
    theirs, ours = side(n=5, rate=1, time=2), side(n=6, rate=-1, time=1)
    assert list(compare([theirs], [ours])) == ["HPL_time"]
    assert unlike(theirs, ours) == {"HPL_N": ("5", "6")}
    assert not unlike({"MPIFFT_N": "5", "RandomAccess_LCG_N": "1"}, {"MPIFFT_N": "-1", "RandomAccess_LCG_N": "-1"})


def test_a_side_runs_in_a_folder_of_its_own_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "input"
    file.write_text(TEXT.format(n=7, rate=1, time=1))
    assert run_once(["cp", "hpccinf.txt", "hpccoutf.txt"], file)["HPL_N"] == "7"
    with pytest.raises(RuntimeError, match="wrote no summary"):
        run_once(["true"], file)
