"""Writes the table of the benchmarks into README.md, from their folders."""

import re
from pathlib import Path

from banzuke.plan.aspect import rank
from banzuke.plan.catalogue import benchmarks, question, suites

README = Path(__file__).parent.parent / "README.md"


def table() -> str:
    """Return the table, in the order of a report; suites of several benchmarks are the last."""
    specs = sorted(benchmarks().values(), key=lambda spec: rank(spec.aspect))
    names = [*(spec.name for spec in specs), *suites()]
    rows = [f"| `{name}` | {question(name)} | [benchmarks/{name}]({where(name)}) |" for name in names]
    return "\n".join(["| name | question | page |", "|---|---|---|", *rows])


def where(name: str) -> str:
    return f"benchmarks/{name}/README.md"


def readme() -> str:
    """Return the README as it should be."""
    return between(README.read_text(encoding="utf-8"), "scripts.list_benchmarks", table())


def between(page: str, module: str, written: str) -> str:
    """Return the page with what this module writes between its two comments."""
    comments = re.compile(rf"(<!-- python -m {re.escape(module)} -->\n).*?(<!-- end -->)", re.DOTALL)
    return comments.sub(lambda match: f"{match[1]}\n{written}\n\n{match[2]}", page)


if __name__ == "__main__":
    README.write_text(readme(), encoding="utf-8")
