"""The help of `banzuke run`: with names of benchmarks, also their parameters."""

from typing import Any

from banzuke.cli.options import OptionsCommand
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, usual_backend
from banzuke.program.describe import Parameter, describe

GIVEN = "banzuke.words"
"""Key of a context's data: the words that follow the command."""


class RunCommand(OptionsCommand):
    """`banzuke run hpl --help` lists what --set sets of hpl, as its program describes it, after the options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the words, which help is printed without."""
        ctx.meta[GIVEN] = list(args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Add the parameters of those benchmarks that are named."""
        rule, every = self.epilog, benchmarks()
        named = dict.fromkeys(word for word in ctx.meta.get(GIVEN, ()) if word in every)
        self.epilog = "\n\n".join([*(parameters_of(every[name]) for name in named), rule or ""])
        super().format_help(ctx, formatter)
        self.epilog = rule


def parameters_of(benchmark: Benchmark) -> str:
    """Return the parameters of a benchmark's usual program in Markdown, or why it does not tell them."""
    title = f"Parameters of {benchmark.name}, for --set:"
    try:
        listed = describe(benchmark.name, usual_backend(benchmark)).parameters
    except BanzukeError as error:
        return f"{title} {error}"
    return "\n".join([f"{title}\n", *map(_line, listed)])


def _line(parameter: Parameter) -> str:
    choices = f" ({', '.join(parameter.choices)})" if parameter.choices else ""
    return f"- `{parameter.name}`: {parameter.help}{choices}"
