"""A site file beside what its batch system says now."""

from collections.abc import Iterable, Sequence

from banzuke.batch.inventory.model import Nodes, Queue
from banzuke.machine.hosts import expanded, folded
from banzuke.machine.site import Partition
from banzuke.text import nearest
from banzuke.units import duration


def differences(partition: Partition, queues: Sequence[Queue]) -> list[str]:
    """What a job would be refused for, or would meet other nodes by."""
    batch = partition.batch
    if batch is None:
        return []
    if batch.queue is None:
        found = next((queue for queue in queues if queue.default), None)
    else:
        found = next((queue for queue in queues if queue.name == batch.queue), None)
        if found is None:
            return [f"there is no queue '{batch.queue}'. {nearest(batch.queue, [queue.name for queue in queues])}"]
    if found is None:
        return ["no queue is the default one, so jobs need one"]
    told = [] if found.open else [f"queue '{found.name}' takes no jobs now"]
    if batch.longest and found.longest and batch.longest > found.longest:
        told.append(
            f"longest: {duration(batch.longest)} here, at most {duration(found.longest)} in queue '{found.name}'"
        )
    return told + _nodes(partition, found) if found.nodes else told


def _nodes(partition: Partition, queue: Queue) -> list[str]:
    told = []
    if partition.nodes and partition.nodes > queue.number:
        told.append(f"nodes: {partition.nodes} here, {queue.number} in queue '{queue.name}'")
    hosts = expanded(",".join(partition.hosts))
    there = set(expanded(",".join(nodes.hosts for nodes in queue.nodes)))
    if there and (missing := [host for host in hosts if host not in there]):
        told.append(f"hosts: {folded(missing)} not in queue '{queue.name}'")
    kinds = [nodes for nodes in queue.nodes if not hosts or set(hosts) & set(expanded(nodes.hosts))]
    return told + list(_hardware(partition, kinds))


def _hardware(partition: Partition, kinds: Iterable[Nodes]) -> Iterable[str]:
    """Only where all of its nodes are other than described: of several kinds it may be one."""
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
            found = " or ".join(str(each) for each in sorted(each or 0 for each in seen))
            yield f"node {name}: {said} here, {found} by the batch system"
