"""Measure how often each model is named in scaling studies of a known truth, and how often Amdahl's interval holds it.

    python -m scripts.simulate_scaling
    python -m scripts.simulate_scaling --studies 1000 --noise 0.02

Each study has 1, 2, 4, ... nodes with one measurement each, whose relative noise is normal.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from banzuke.scaling.fit import Fits, Kind, fit_all

SERIAL = 0.01
"""Serial share of the work, by Amdahl."""
TRUTHS: Mapping[str, tuple[Kind, Callable[[int], float]]] = {
    "perfect": ("strong", lambda _: 1.0),
    "amdahl": ("strong", lambda p: 1 - SERIAL + SERIAL * p),
    "gustafson": ("weak", lambda p: 1 / (0.9 + 0.1 / p)),
    "messages": ("weak", lambda p: 1 + 0.03 * float(np.log2(p))),
}
"""Kind of study, and cost of the work on p nodes."""
COUNTS = range(3, 9)


def study(rng: np.random.Generator, truth: str, counts: int, noise: float) -> Fits:
    kind, cost = TRUTHS[truth]
    return fit_all(
        kind, {p: cost(p) * float(np.exp(noise * rng.standard_normal())) for p in (1 << at for at in range(counts))}
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--noise", type=float, default=0.01)
    asked = parser.parse_args()
    print("truth       nodes  share of studies with each best model; Amdahl's interval holds the truth")
    for truth in TRUTHS:
        for counts in COUNTS:
            rng = np.random.default_rng(counts)
            studies = [study(rng, truth, counts, asked.noise) for _ in range(asked.studies)]
            named = Counter(fits.best.name if fits.best else "none" for fits in studies)
            shares = ", ".join(f"{name} {number / asked.studies:.0%}" for name, number in named.most_common())
            print(f"{truth:10} {counts:6}  {shares}{_held(studies) if truth == 'amdahl' else ''}")


def _held(studies: list[Fits]) -> str:
    shares = [model.serial for fits in studies for model in fits.models if model.name == "amdahl"]
    inside = [share[1].low <= SERIAL <= share[1].high for share in shares if share]
    return f"; {np.mean(inside):.0%}"


if __name__ == "__main__":
    main()
