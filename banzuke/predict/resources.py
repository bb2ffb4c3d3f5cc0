"""Titles of the resources on which predicted time is spent."""

from collections.abc import Mapping

from banzuke.plan.catalogue import benchmarks
from banzuke.plan.wording import resource_title
from banzuke.words import Message, message

_MODELS_OWN: Mapping[str, Message] = {
    "latency": message("predict-on-latency"),
    "spread": message("predict-on-spread"),
    "link.bytes": message("predict-on-link"),
    "host_link": message("predict-on-host-link"),
    "noise": message("predict-on-noise"),
    "cycles": message("predict-on-cycles"),
    "core": message("predict-on-core"),
    "clients": message("predict-on-clients"),
}
"""Titles of resources that no benchmark measures under these names, and of links, which pt2pt measures between two
hosts."""


def resource_titles() -> Mapping[str, Message]:
    measured = {
        resource.name: resource_title(resource)
        for benchmark in benchmarks().values()
        for resource in benchmark.resources.measures
    }
    return {**measured, **_MODELS_OWN}
