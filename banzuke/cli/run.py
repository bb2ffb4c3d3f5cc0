"""`banzuke run`: runs chosen benchmarks, with their standard cases or the user's parameters."""

from banzuke.cli.declared import with_options
from banzuke.cli.run_help import RunCommand
from banzuke.cli.run_options import RunOptions

COMMAND = RunCommand


@with_options(RunOptions, "run")
def run(options: RunOptions) -> None:
    """Run the standard cases of benchmarks, or those that the options select, and judge their figures."""
    from banzuke.cli.measure_benchmarks import run_benchmarks  # noqa: PLC0415

    run_benchmarks(options)
