"""Variables that make the loader give programs other libraries than their own; every process that we start inherits
them.
"""

import os
from collections.abc import Mapping

REPLACING = ("LD_PRELOAD", "LD_AUDIT")
"""Variables whose libraries come before all others and may replace functions, such as an fsync that does nothing."""
LOADER = (*REPLACING, "LD_LIBRARY_PATH", "LD_BIND_NOW", "LD_PROFILE", "GLIBC_TUNABLES")


def loader_variables() -> dict[str, str]:
    """Return those that are set, with their values."""
    return {name: value for name in LOADER if (value := os.environ.get(name))}


def preloaded(variables: Mapping[str, str]) -> list[str]:
    """Return warnings about libraries that are loaded before a program's own."""
    return [
        f"{name}={value} is loaded before a program's own libraries, and may replace what is measured; unset it unless "
        "intended"
        for name, value in variables.items()
        if name in REPLACING and value
    ]
