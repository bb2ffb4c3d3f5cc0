"""Variables by which the loader gives programs other libraries than their own: inherited by all that is started."""

import os
from collections.abc import Mapping

REPLACING = ("LD_PRELOAD", "LD_AUDIT")
"""Whose libraries come before all others, and may serve calls in their stead: an fsync that does nothing."""
LOADER = (*REPLACING, "LD_LIBRARY_PATH", "LD_BIND_NOW", "LD_PROFILE", "GLIBC_TUNABLES")


def loader_variables() -> dict[str, str]:
    """Those that are set."""
    return {name: value for name in LOADER if (value := os.environ.get(name))}


def preloaded(variables: Mapping[str, str]) -> list[str]:
    """What is to be said of them."""
    return [
        f"{name}={value} is loaded before a program's own libraries, and may replace what is measured; unset it unless "
        "intended"
        for name, value in variables.items()
        if name in REPLACING and value
    ]
