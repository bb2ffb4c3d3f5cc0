"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set loop=load,triad --set max_size=8192 --set rounds=3 --set sample_us=100"
WORD = True
"""Every machine has memory."""
ALONE = {
    "banzuke/batch/inventory/draft.py": "a key of a site's file",
    "banzuke/cli/dry_run.py": "a field of the printed plan",
    "banzuke/control_groups.py": "the kernel's controller",
    "banzuke/fleet/causes.py": "a part of a node",
    "banzuke/judge/ratios.py": "a ratio of bandwidths",
    "banzuke/machine/cgroup.py": "the kernel's controller",
    "banzuke/machine/described.py": "a field of a description",
    "banzuke/machine/public.py": "a column of a table",
    "banzuke/plan/aspect.py": "an aspect",
    "banzuke/plan/axes.py": "an axis",
    "banzuke/plan/screening.py": "a part of a node",
    "banzuke/plan/variant.py": "an axis",
    "banzuke/predict/explore/axes.py": "a slider",
    "banzuke/predict/explore/data.py": "a slider",
    "banzuke/predict/families.py": "a column of a table",
    "banzuke/predict/hardware.py": "a factor of models",
    "banzuke/predict/measured.py": "a field of a description",
    "banzuke/ulimits.py": "a limit of the shell",
    "banzuke/views/pairs/__init__.py": "one of two kinds of ends",
    "banzuke/views/pairs/outliers.py": "one of two kinds of ends",
    "banzuke/words/written.py": "a kind of reason",
}
