"""Types for what a launcher starts, and the files that it reads."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST_HOST_LIST = 4096
"""Characters of a host list on the command line; longer ones go to a file, because each record keeps its command."""


@dataclass(frozen=True)
class Start:
    """The processes of one group of ranks."""

    words: Sequence[str]
    ranks: int
    hosts: Sequence[str]
    """Each has a block of ranks; empty: the launcher's own defaults place them."""
    each: int
    """Ranks on each host."""
    variables: Mapping[str, str]
    """Variables of this group alone; those of all groups come from the launcher's own environment."""
    order: Sequence[str] = ()
    """Host of each rank, where the ranks are not in blocks; it is then the only group."""


Files = Mapping[Path, str]
"""Contents of files that must exist before the launcher starts."""


def host_words(
    option: str, hosts: Sequence[str], file_option: str, lines: Sequence[str], folder: Path
) -> tuple[list[str], Files]:
    """Return words that name hosts, and the file to which these words refer where there are many hosts."""
    text = ",".join(hosts)
    if len(text) <= LONGEST_HOST_LIST:
        return [option, text] if hosts else [], {}
    return host_file_words(file_option, lines, folder)


def host_file_words(option: str, lines: Sequence[str], folder: Path) -> tuple[list[str], Files]:
    text = "".join(f"{line}\n" for line in lines)
    file = folder.absolute() / f"hosts-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return [option, str(file)], {file: text}


def group_words(starts: Sequence[Start], options: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the words of each group as mpiexec takes them."""
    return [["-n", str(start.ranks), *own, *start.words] for start, own in zip(starts, options, strict=True)]
