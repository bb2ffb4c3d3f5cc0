import pytest

from banzuke.environment.guest.__main__ import _parser

PLAIN = ["--cpus", "0,4", "--memory", "2e9"]


def test_the_command_keeps_its_own_options_and_dashes() -> None:
    options = _parser().parse_args([*PLAIN, "--variable", "A=b=c", "--", "mpiexec", "-n", "2", "prog", "--", "x"])
    assert options.words == ["mpiexec", "-n", "2", "prog", "--", "x"]
    assert (options.cpus, options.memory, dict(options.variable)) == ((0, 4), 2 * 10**9, {"A": "b=c"})


@pytest.mark.parametrize(
    "wrong",
    [
        ["--cpus", "0-3"],
        ["--cpus", ""],
        ["--cpus", "-1"],
        ["--memory", "nan"],
        ["--memory", "4 GB"],
        ["--memory", "1e300"],
        ["--threads", "0"],
        ["--variable", "A"],
        ["--accelerator", "xen"],
    ],
)
def test_what_is_no_number_is_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        _parser().parse_args([*PLAIN, *wrong, "--", "true"])
    assert ended.value.code == 2
    assert wrong[0] in capsys.readouterr().err
