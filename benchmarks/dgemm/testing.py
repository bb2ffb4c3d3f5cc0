"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set m=1000 --set n=1000 --set k=32,1000 --set repetitions=1"
COMPUTES = True
"""Memory does not bind it, wherever its data lie."""
ALONE = {
    "banzuke/predict/families.py": "a column of what families sustain",
    "banzuke/words/ja/residual.ftl": "the end of shares of its rate",
}
