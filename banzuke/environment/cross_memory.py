"""Finds whether ranks may use cross-memory attach, by which MPI libraries copy large messages within a host only once.

Filters of system calls (in containers), kernel.yama.ptrace_scope and security modules may forbid it. Some libraries
test this first, each differently; MPICH ends with an error at the first large message.
"""

import errno
import os
import signal
from functools import cache
from pathlib import Path

from banzuke.child import captured
from banzuke.paths import PYTHON

CALLS = ("process_vm_readv", "process_vm_writev")
READING = {"MPIR_CVAR_CH4_CMA_ENABLE": "0", "UCX_TLS": "^cma"}
"""Variables that disable it in MPICH, which only reads, and in UCX, which tests nothing but writing."""
BOTH = {"FI_SHM_DISABLE_CMA": "1", "MV2_SMP_USE_CMA": "0", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
"""Variables that disable it in libfabric, MVAPICH and Open MPI 4. Open MPI 5 detects it."""
SMALL = 4096
"""Largest message in bytes that libraries always copy through shared memory instead."""
REFUSED = "cross_memory_attach"
"""Key of the reason in a record's details of its environment."""
REMEDY = (
    "Allow it (for a container: --cap-add=SYS_PTRACE or --security-opt seccomp=unconfined; else `sysctl "
    "kernel.yama.ptrace_scope=0`)"
)
_FORBIDDEN = (errno.EPERM, errno.EACCES, errno.ENOSYS)
_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
_XPMEM = Path("/dev/xpmem")
"""Device of the other way to copy once, which Open MPI 4 has in the same setting."""
_LIMIT = 10.0
"""Seconds for the probe, which takes some hundredths."""


@cache
def refusal() -> str:
    """Return why ranks of this host may not copy from each other's memory; empty: they may, or it is unknown."""
    reasons = "; ".join(f"{name}: {why}" for name, why in _refused().items())
    return "; ".join([reasons, *_scope()]) if reasons else ""


def variables() -> dict[str, str]:
    """Return variables that disable it in MPI libraries where it is forbidden, except those that the user has set."""
    refused = _refused()
    settings = {**(READING if CALLS[0] in refused else {}), **(BOTH if refused else {})}
    if _XPMEM.exists():
        settings.pop("OMPI_MCA_btl_vader_single_copy_mechanism", None)
    return {name: value for name, value in settings.items() if name not in os.environ}


@cache
def _refused() -> dict[str, str]:
    """Return the forbidden calls with the kernel's reasons."""
    try:
        probe = captured([*PYTHON, "-m", "banzuke.environment.attach_probe"], seconds=_LIMIT)
    except OSError:
        return {}
    errors = dict(line.split(" ", 1) for line in probe.text.splitlines() if line.startswith(CALLS))
    refused = {name: os.strerror(int(text)) for name, text in errors.items() if int(text) in _FORBIDDEN}
    if probe.status == -signal.SIGSYS:  # the filter kills instead of refusing
        refused[CALLS[len(errors)]] = f"ended by {signal.SIGSYS.name}"
    return refused


def _scope() -> list[str]:
    try:
        scope = _SCOPE.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return []
    return [f"ptrace_scope is {scope}"] if scope != "0" else []
