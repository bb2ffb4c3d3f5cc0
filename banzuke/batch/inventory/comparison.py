"""Compares a site file with what its batch system reports now."""

from collections.abc import Iterable, Sequence

from banzuke.batch.inventory.model import Nodes, Queue
from banzuke.machine.hosts import expanded, folded
from banzuke.machine.site import Partition
from banzuke.text import nearest
from banzuke.units import duration


def differences(partition: Partition, queues: Sequence[Queue]) -> list[str]:
    """Return differences by which a job would be refused, or would get other nodes."""
    batch = partition.batch
    if batch is None:
        return []
    if batch.queue is None:
        own = next((queue for queue in queues if queue.default), None)
    else:
        own = next((queue for queue in queues if queue.name == batch.queue), None)
        if own is None:
            return [f"there is no queue '{batch.queue}'. {nearest(batch.queue, [queue.name for queue in queues])}"]
    if own is None:
        return ["no queue is the default one, so jobs need one"]
    problems = [] if own.open else [f"queue '{own.name}' takes no jobs now"]
    if batch.longest and own.longest and batch.longest > own.longest:
        problems.append(
            f"longest: {duration(batch.longest)} here, at most {duration(own.longest)} in queue '{own.name}'"
        )
    return problems + _nodes(partition, own) if own.nodes else problems


def _nodes(partition: Partition, queue: Queue) -> list[str]:
    problems = []
    if partition.nodes and partition.nodes > queue.number:
        problems.append(f"nodes: {partition.nodes} here, {queue.number} in queue '{queue.name}'")
    hosts = expanded(",".join(partition.hosts))
    there = set(expanded(",".join(nodes.hosts for nodes in queue.nodes)))
    if there and (missing := [host for host in hosts if host not in there]):
        problems.append(f"hosts: {folded(missing)} not in queue '{queue.name}'")
    kinds = [nodes for nodes in queue.nodes if not hosts or set(hosts) & set(expanded(nodes.hosts))]
    return problems + list(_hardware(partition, kinds))


def _hardware(partition: Partition, kinds: Iterable[Nodes]) -> Iterable[str]:
    """Yield properties that differ from those of all its nodes; with several kinds, the partition may be one."""
    node = partition.node
    for name, said, seen in (
        ("cores", node.processor.cores, {nodes.kind.cores for nodes in kinds}),
        ("sockets", node.processor.sockets, {nodes.kind.sockets for nodes in kinds}),
        ("memory.usable", node.memory.usable, {nodes.kind.memory for nodes in kinds}),
        (
            "devices",
            sum(device.count for device in node.devices) or None,
            {sum(number for _, number in nodes.kind.devices) for nodes in kinds},
        ),
    ):
        if said is not None and seen and None not in seen and said not in seen:
            there = " or ".join(str(value) for value in sorted(value or 0 for value in seen))
            yield f"node {name}: {said} here, {there} by the batch system"
