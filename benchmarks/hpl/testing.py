"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set n=4000"
ALONE = {
    "banzuke/machine/public.py": "a column of public lists",
}
