"""Fits the constants of families to the figures of public machines, and computes errors of left-out figures.

Writes machines/fitted.csv and machines/left_out.csv, on which predictions and their intervals are based, and prints
errors by class; takes half a minute. With --check it writes into a temporary folder, and fails unless both files are as
stored.
"""

import csv
import math
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from banzuke import paths
from banzuke.document.markdown import blocks_markdown
from banzuke.plan.catalogue import benchmarks
from banzuke.predict import families
from banzuke.predict.by_family import by_family
from banzuke.predict.left_out import FILE, LeftOut
from banzuke.predict.lists import fit_families, leave_out, public_figures
from banzuke.predict.model import constants_of, model_of
from banzuke.predict.public_page import public_summary

ABOUT = {
    families.FITTED.name: "shares by family, and of an empty family its group's.",
    FILE.name: "figures in flop/s, and what is predicted of them without them.",
}


def write(file: Path, columns: Iterable[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table; numbers have six digits, because more would depend on the platform."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        stream.write(f"# Written by scripts/fit_predictions.py: {ABOUT[file.name]}\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_text(value) for value in row] for row in rows)


def _text(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def fit_all(folder: Path) -> list[LeftOut]:
    """Write both files there; the models of later constants use the first one."""
    families.FITTED = folder / families.FITTED.name
    families.fitted.cache_clear()
    every, fitted_rows, left_out = benchmarks(), [], []
    for constant, small in product(by_family(), (False, True)):
        figures = public_figures(constant, every, small=small)
        if not figures:
            continue
        middle = constants_of(model_of(every[by_family()[constant].benchmark]))[constant].value
        fitted_rows += [(*key, *astuple(family)) for key, family in fit_families(figures, middle).items()]
        left_out += leave_out(figures, middle)
        write(
            families.FITTED, ("constant", "group", "family", "value", "low", "high", "figures", "machines"), fitted_rows
        )
        families.fitted.cache_clear()
    write(folder / FILE.name, [field.name for field in fields(LeftOut)], map(astuple, left_out))
    return left_out


def show(figures: Sequence[LeftOut]) -> None:
    """Print errors by class."""
    print("\n".join(blocks_markdown(public_summary(figures, benchmarks()))))


def main() -> None:
    if "--check" not in sys.argv:
        show(fit_all(paths.MACHINES))
        return
    stored = {file.name: file.read_bytes() for file in (families.FITTED, FILE)}
    with TemporaryDirectory() as folder:
        shutil.copy(families.FITTED, folder)
        show(fit_all(Path(folder)))
        changed = [file for file, content in stored.items() if (Path(folder) / file).read_bytes() != content]
    if changed:
        sys.exit(f"other than stored: {', '.join(changed)}; write again: python -m scripts.fit_predictions")


if __name__ == "__main__":
    main()
