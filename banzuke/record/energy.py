"""The energy of a case's timed parts, by the sensors read meanwhile.

It is never 0: where unknown, a reason is given.
"""

from typing import Literal

from pydantic import Field, model_validator

from banzuke.amounts import Amount, Count, Frozen, Name, Positive, Several

Covers = Literal["package", "dram", "psys", "node", "device"]
"""Processors; memory; the board as its vendor defines it (RAPL's psys); a whole node at its supplies; an
accelerator."""
Kind = Literal["energy", "power"]
"""A counter of joules, or watts at points in time."""
Refusal = Literal["stands-still", "goes-back", "impossible", "stopped", "gap", "too-short"]
"""Why a sensor was not used. `impossible`: its power exceeds what the supplies can give; `too-short`: the timed parts
are too short for the time between its readings."""
Unmeasured = Literal["no-sensor", "no-timed-parts", "too-short", "unusable", "some-hosts"]
"""Why there is no energy. `some-hosts`: not every host has a usable sensor of the same scope."""


class SensorEnergy(Frozen):
    """A measurement by sensors of one name, on one or several hosts."""

    id: Name = Field(description="source and name: powercap/intel-rapl:0, redfish/PowerControl/0")
    hosts: Name = Field(description="n1, n[1-4]")
    covers: Covers
    kind: Kind
    joule: Positive | None = Field(default=None, description="energy of all these hosts in the timed parts")
    counted: bool = Field(
        default=False, description="whether it is part of the total; if not, another sensor covers the same, or more"
    )
    rate: Positive | None = Field(default=None, description="Hz, new readings a second, on the slowest host")
    readings: Count = Field(default=0, description="new readings within the timed parts, on the host with the fewest")
    refused: Refusal | None = None

    @model_validator(mode="after")
    def consistent(self) -> "SensorEnergy":
        if (self.joule is None) != (self.refused is not None):
            raise ValueError(f"{self.id}: a sensor has an energy or a reason why it was not used")
        if self.counted and self.joule is None:
            raise ValueError(f"{self.id}: counted without an energy")
        return self


class AccountedEnergy(Frozen):
    """The energy of a whole launch, set-up and checks included, as a batch system's accounting has it."""

    joule: Positive = Field(description="Slurm's ConsumedEnergyRaw, of all nodes of the step")
    seconds: Positive = Field(description="duration of the step")
    step: Name = Field(description="Slurm's number of the step: 1234.0")
    plugin: Name = Field(description="plugin that measured: acct_gather_energy/rapl, .../ipmi")

    @property
    def watt(self) -> float:
        return self.joule / self.seconds


class Energy(Frozen):
    """The energy of a case on all its hosts."""

    joule: Positive | None = Field(default=None, description="energy of the timed parts; None: not measured")
    seconds: Positive | None = Field(default=None, description="length of the timed parts")
    parts: Several | None = Field(default=None, description="number of timed parts")
    uncertainty: Amount | None = Field(
        default=None, description="share that is uncertain because readings do not begin and end with the timed parts"
    )
    idle: Positive | None = Field(
        default=None, description="W by the same sensors in a quiet period before the first case; None: not measured"
    )
    clock_difference: Amount | None = Field(
        default=None, description="s, largest between hosts; readings were corrected for it. None: below tolerance"
    )
    sensors: list[SensorEnergy] = Field(default_factory=list)
    unmeasured: Unmeasured | None = None
    accounted: AccountedEnergy | None = Field(
        default=None, description="energy of the whole launch by the batch system, not part of `joule`; None: unknown"
    )

    @property
    def watt(self) -> float | None:
        """Mean power over the timed parts."""
        return self.joule / self.seconds if self.joule and self.seconds else None

    @property
    def above_idle(self) -> float | None:
        """J above what the same hosts take when idle; None: unknown, or below the idle power."""
        if self.joule is None or self.seconds is None or self.idle is None:
            return None
        more = self.joule - self.idle * self.seconds
        return more if more > 0 else None

    @property
    def covers(self) -> tuple[Covers, ...]:
        """Scopes of the sensors that the total is the sum of."""
        return tuple(dict.fromkeys(sensor.covers for sensor in self.sensors if sensor.counted))

    @model_validator(mode="after")
    def consistent(self) -> "Energy":
        if (self.joule is None) != (self.unmeasured is not None):
            raise ValueError("an energy, or why it is not measured")
        if self.joule is not None and not (self.seconds and self.parts and self.covers):
            raise ValueError("an energy without the time or the sensors that it is of")
        return self
