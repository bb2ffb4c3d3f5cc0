"""How it is tested; not installed."""

BRIEF = "--set n=4000"
ALONE = {
    "banzuke/machine/public.py": "a column of public lists",
    "banzuke/predict/": "the list that families are fitted to",
}
