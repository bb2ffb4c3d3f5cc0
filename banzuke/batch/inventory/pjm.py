"""Resource groups of Fujitsu's PJM: pjstat(1).

Only their names and whether they accept jobs are read, because the output of `pjacl` and `pjshowrsc` for limits and
nodes differs from site to site, and some sites print nothing. A person adds them.
"""

import re

from banzuke.batch.commands import ask
from banzuke.batch.inventory.model import Queue, unreadable

_GROUP = re.compile(r"([A-Za-z][\w.-]*)\[([A-Z]+),([A-Z]+)\]")
"""`small[ENABLE,START]`; units of resources have the same form."""


def queues() -> list[Queue]:
    """Return PJM's resource groups. Raises BanzukeError."""
    said = ask(("pjstat", "--rsc"))
    lines = [_GROUP.findall(line) for line in said.splitlines()]
    if not any(lines):
        raise unreadable("pjstat --rsc", said)
    units = {name for line in lines if len(line) > 1 for name, _, _ in line[:1]}
    groups = {name: enabled == "ENABLE" for line in lines for name, enabled, _ in line if name not in units}
    return [Queue(name, open=takes) for name, takes in groups.items()]
