"""Finds mounted file systems in /proc/self/mountinfo (proc(5)), and their space."""

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from banzuke.machine.tree import Tree, fitting

_PSEUDO = {
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "cpuset", "debugfs", "devpts",
    "devtmpfs", "efivarfs", "fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs",
    "securityfs", "selinuxfs", "squashfs", "sysfs", "tracefs", "ramfs", "fuse.lxcfs", "fuse.gvfsd-fuse",
    "fuse.portal", "fuse.squashfuse", "fuse.squashfuse_ll", "fuse.snapfuse", "nfsd", "resctrl", "erofs", "iso9660",
}  # fmt: skip
_SMALLEST = 1 << 20
"""Bytes; a smaller file system is a marker that somebody mounted, not storage."""


_NOT_FOR_DATA = re.compile(r"/(boot|proc|run|snap|sys|var/lib/(docker|containers|containerd|kubelet))(/|$)")
_REMOTE = re.compile(
    r"(nfs4?|lustre(_lite)?|gpfs|mmfs|beegfs|fhgfs|ceph|cifs|smb[23]?|smbfs|pvfs2|orangefs|panfs|wekafs|afs|"
    r"auristorfs|yfs|9p|fefs|pfs|llio|dvs|quobyte|coda|gfs2?|ocfs2|davfs|cvmfs2?|vboxsf|vmhgfs|prl_fs|ncpfs|scoutfs|"
    r"acfs|"
    r"fuse\.(glusterfs|mfs|mfsmount|moosefs|saunafs|lizardfs|sshfs|ceph|ceph-fuse|daos|dfuse|s3fs|mount-s3|mountpoint-s3|"
    r"goofys|gcsfuse|rclone|blobfuse2?|juicefs|seaweedfs|weed|quobyte|beegfs|fhgfs|lustre|orangefs|pvfs2fuse|gfarm2fs|"
    r"gfarmfs|chfs|chfuse|xtreemfs|hdfs|fuse_dfs|alluxio-fuse|curvefs|cubefs|chubaofs|cvmfs2|davfs2?|curlftpfs|afs|"
    r"objectivefs|unifyfs|hercules|vmhgfs-fuse|tahoe|ossfs|cosfs|obsfs|hf3fs|geesefs|yas3fs|alluxio|wekafs|nfs|"
    r"fuse-nfs|smbnetfs|oci-fss)(\..*)?)",
    re.IGNORECASE,
)
"""Matches names in mountinfo; those of fuse.X as their programs give them. Sources: the documentation of each."""
_PATIENCE = 1.0
"""Seconds to wait for all file systems."""


@dataclass(frozen=True)
class Mount:
    device: str
    mount: str
    root: str
    kind: str
    source: str
    super_options: tuple[str, ...]


@dataclass(frozen=True)
class FileSystem:
    mount: str
    kind: str
    source: str
    total: int | None
    free: int | None
    """Bytes, as `total`; None: unknown, or more than 64 bits hold, as some file systems without a limit say."""


def parse_mountinfo(text: str) -> list[Mount]:
    """Return the mounts in the order of mounting; lines that do not follow the format are left out."""
    parsed = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        front, back = before.split(" "), after.split(" ")
        if not separator or len(front) < 6 or len(back) < 2:
            continue
        options = tuple(back[2].split(",")) if len(back) > 2 else ()
        parsed.append(Mount(front[2], unescape(front[4]), unescape(front[3]), back[0], unescape(back[1]), options))
    return parsed


def unescape(field: str) -> str:
    """Decode space, tab, newline and backslash, which the kernel writes as three octal digits."""
    return re.sub(r"\\([0-3][0-7]{2})", lambda match: chr(int(match[1], 8)), field)


def mounts(tree: Tree) -> list[Mount]:
    return parse_mountinfo(tree.text("proc/self/mountinfo") or "")


def filesystems(tree: Tree) -> list[FileSystem]:
    """Return storage, once per device at its most complete mount; without file systems that do not answer
    within a second.
    """
    chosen = _one_per_device(mounts(tree))
    spaces = _spaces([tree.path(mount.mount) for mount in chosen])
    storage = []
    for mount, space in zip(chosen, spaces, strict=True):
        if space and space.f_blocks * space.f_frsize >= _SMALLEST:
            storage.append(_of(mount, space))
    return storage


def filesystem_of(tree: Tree, path: Path) -> FileSystem | None:
    """Return the file system of a folder; None: unknown, or no answer within a second. `path`: without links."""
    (space,) = _spaces([tree.path(str(path))])  # first, because autofs mounts it on this request
    within = [mount for mount in mounts(tree) if path.is_relative_to(mount.mount)]
    if space is None or not within:
        return None
    # Where several are mounted at one place, the last covers the others.
    return _of(max(reversed(within), key=lambda mount: len(mount.mount)), space)


def _of(mount: Mount, space: os.statvfs_result) -> FileSystem:
    total, free = (fitting(blocks * space.f_frsize) for blocks in (space.f_blocks, space.f_bavail))
    return FileSystem(mount=mount.mount, kind=mount.kind, source=mount.source, total=total, free=free)


def is_remote(kind: str) -> bool:
    """Return whether a file system of this kind is reached over a network."""
    return bool(_REMOTE.fullmatch(kind))


def _one_per_device(mounted: list[Mount]) -> list[Mount]:
    """Return the topmost mounts; a bind mount counts where its device is not mounted as a whole, as in containers."""
    topmost = {mount.mount: mount for mount in mounted}
    chosen: dict[str, Mount] = {}
    for mount in sorted(topmost.values(), key=lambda m: (m.root != "/", len(m.mount))):
        if mount.kind not in _PSEUDO and not _NOT_FOR_DATA.match(mount.mount):
            chosen.setdefault(mount.device, mount)
    return sorted(chosen.values(), key=lambda mount: mount.mount)


def _spaces(paths: list[Path]) -> list[os.statvfs_result | None]:
    """Return the space of each path; None without an answer in time. Threads are used, and not joined, because a dead
    server blocks statvfs for ever.
    """
    spaces: list[os.statvfs_result | None] = [None] * len(paths)

    def query(index: int, path: Path) -> None:
        with suppress(OSError):
            spaces[index] = os.statvfs(path) if path.is_dir() else None

    threads = [Thread(target=query, args=item, daemon=True) for item in enumerate(paths)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + _PATIENCE
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
    return spaces
