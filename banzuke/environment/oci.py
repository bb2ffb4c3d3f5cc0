"""`python -m banzuke.environment.oci RUNTIME MOUNTS... -- COMMAND...`: runs one command in a container of runc or crun.

MOUNTS are in the words of bwrap(1). The bundle is made in a temporary folder, with the variables of this process; both
it and the container are removed afterwards.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from banzuke.environment.follow import DESCRIPTOR, follow
from banzuke.environment.inside import make_links

_CAPABILITIES = (
    *("CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP"),
    *("LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER"),
    *("SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE"),
    *("SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP"),
    *("MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF"),
    "CHECKPOINT_RESTORE",
)
"""Names by number, as in linux/capability.h."""
_RLIMITS = ("AS", "CORE", "CPU", "DATA", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "RTPRIO", "STACK")


def split(words: Sequence[str]) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return each mount as (option, two values), and the command."""
    end = words.index("--")
    mounts = words[:end]
    return [(mounts[i], mounts[i + 1], mounts[i + 2]) for i in range(0, end, 3)], list(words[end + 1 :])


def config(options: Sequence[tuple[str, str, str]], command: Sequence[str], *, rootless: bool) -> dict[str, Any]:
    """Return the container's configuration by the OCI runtime specification 1.0, config.md and config-linux.md."""
    variables = os.environ | {name: value for option, name, value in options if option == "--setenv"}
    if "PMI_FD" in variables:
        variables["PMI_FD"] = str(DESCRIPTOR)
    held = _capabilities()
    linux: dict[str, Any] = {
        "namespaces": [{"type": "mount"}],
        "resources": {"devices": [{"allow": True, "access": "rwm"}]},
    }
    if rootless:
        linux["namespaces"] += [{"type": "user"}]
        linux["uidMappings"] = [{"containerID": 0, "hostID": os.geteuid(), "size": 1}]
        linux["gidMappings"] = [{"containerID": 0, "hostID": os.getegid(), "size": 1}]
    return {
        "ociVersion": "1.0.2",
        "process": {
            "args": list(command),
            "cwd": "/",
            "env": [f"{name}={value}" for name, value in variables.items()],
            "user": {"uid": 0, "gid": 0},
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), held),
            "rlimits": [_limit(name) for name in _RLIMITS],
            "noNewPrivileges": True,
        },
        "root": {"path": "root", "readonly": False},
        "mounts": [
            {
                "destination": target,
                "source": source,
                "type": "bind",
                "options": ["rbind", "ro"] if option == "--ro-bind" else ["rbind", "rw"],
            }
            for option, source, target in options
            if option.endswith("bind") and target != "/"
        ],
        "linux": linux,
    }


def _limit(name: str) -> dict[str, Any]:
    soft, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
    infinity = (1 << 64) - 1
    values = {"soft": soft, "hard": hard}
    return {"type": f"RLIMIT_{name}", **{k: infinity if v == resource.RLIM_INFINITY else v for k, v in values.items()}}


def _capabilities() -> list[str]:
    """Return the capabilities that this process has (linux/capability.h)."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    held = next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), 0)
    return [f"CAP_{name}" for number, name in enumerate(_CAPABILITIES) if held >> number & 1]


def run(words: Sequence[str]) -> int:
    """Run the command and return its exit status, as shells do."""
    runtime, *rest = words
    options, command = split(rest)
    rootless = os.geteuid() != 0
    with tempfile.TemporaryDirectory(prefix="banzuke-oci-") as temporary:
        bundle = Path(temporary)
        root = bundle / "root"
        root.mkdir()
        make_links(root, ((said, Path(path)) for option, said, path in options if option == "--symlink"))
        (bundle / "config.json").write_text(json.dumps(config(options, command, rootless=rootless)), encoding="utf-8")
        general = [runtime, "--root", str(bundle / "state")]
        start = [*general, "run", "--bundle", str(bundle), "--preserve-fds", "1", bundle.name]
        try:
            return follow(start)
        finally:
            quiet = subprocess.DEVNULL
            subprocess.run([*general, "delete", "--force", bundle.name], stdout=quiet, stderr=quiet, check=False)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
