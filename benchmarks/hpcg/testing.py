"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set nx=16 --set ny=16 --set nz=16 --set seconds=0.1"
ALONE = {
    "banzuke/machine/public.py": "a column of public lists",
    "banzuke/predict/by_family.py": "the list that families are fitted to",
    "banzuke/predict/lists.py": "the list whose figures say on what they were measured",
}
