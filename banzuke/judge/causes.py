"""Finds likely causes of a figure below its limit, from evidence only: what was not recorded is never a cause."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from banzuke.judge import devices, disturbance, placement, settings, unlike
from banzuke.judge.disturbance import LEAST
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.judge.sight import AdmitsCauses, Sight
from banzuke.limit.best_time import NOISE

NEAR = 0.95
"""Share of the limit from which a figure needs no cause, unless something is odd."""

CAUSES: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    settings.better_setting,
    settings.better_repetition,
    settings.slow_blas,
    settings.slow_mpi,
    settings.slowing_variable,
    settings.preloaded_library,
    settings.copied_twice,
    settings.steered_threads,
    placement.shared_processor,
    placement.own_placement,
    placement.unbound,
    placement.too_many_threads,
    placement.smt_siblings,
    placement.idle_cores,
    unlike.unlike_cores,
    disturbance.low_clock,
    disturbance.below_nominal,
    disturbance.saving_governor,
    placement.small_pages,
    settings.plain_stores,
    disturbance.preempted,
    disturbance.busy_neighbours,
    disturbance.near_processors,
    disturbance.stolen_time,
    disturbance.throttled,
    disturbance.changed_quota,
    disturbance.quota,
    disturbance.load,
    placement.page_migration,
    disturbance.noise,
    disturbance.slow_samples,
    devices.capped_power,
    devices.hot,
    devices.slowed_by_hardware,
    devices.held_clock,
    devices.narrow_link,
    devices.inline_ecc,
    devices.memory_errors,
    devices.unrepaired_memory,
    devices.far_processors,
    devices.far_memory,
    devices.shared_device,
    devices.loaded_anew,
)
OF_PROCESSORS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    placement.unbound,
    placement.too_many_threads,
    placement.smt_siblings,
    placement.idle_cores,
    unlike.unlike_cores,
    disturbance.low_clock,
    disturbance.below_nominal,
    disturbance.saving_governor,
    placement.small_pages,
    settings.plain_stores,
    disturbance.near_processors,
    placement.page_migration,
)
"""Causes that concern the processors' own computing, and so do not apply if devices compute."""


def causes(
    evidence: Evidence, views: Sequence[Sight[Any]] = (), seen: Mapping[str, object] | None = None
) -> tuple[Finding, ...]:
    """Return the likely causes for the figure of `evidence`, the weightiest first."""
    fraction = evidence.figure.fraction_of_limit
    if fraction is not None and fraction > 1 + NOISE:
        return ()  # nothing holds it back; the excess itself needs explaining
    near = fraction is not None and fraction >= NEAR
    seeing = [(view, (seen or {})[view.name]) for view in views if view.name in (seen or {})]
    drives = any(binding.devices for binding in evidence.record.binding)
    admitting = [view for view, _ in seeing if isinstance(view, AdmitsCauses)]
    usual = [
        cause
        for cause in CAUSES
        if not (drives and cause in OF_PROCESSORS) and all(view.admits(cause) for view in admitting)
    ]
    every = [finding for cause in usual for finding in cause(evidence)]
    every += [finding for view, observation in seeing for finding in view.findings(observation, evidence)]
    explained = frozenset[str]().union(*(finding.explains for finding in every if finding.weight >= LEAST))
    every = [finding for finding in every if finding.phase not in explained]
    findings = [finding for finding in every if finding.weight >= LEAST and (finding.odd or not near)]
    return tuple(sorted(findings, key=lambda finding: -finding.weight))
