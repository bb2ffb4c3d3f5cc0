"""Devices as the stand-in for NVML reports them: from a file that a test writes, read again for each query."""

import time
from collections.abc import Callable
from pathlib import Path

WATT = 300.0
FIXED = {
    "Name": "Accelerator",
    "MaxClockInfo/1": 1980,
    "PowerManagementDefaultLimit": 700_000,
    "MaxPcieLinkGeneration": 5,
    "MaxPcieLinkWidth": 16,
    "EccMode": "1 1",
    "PersistenceMode": 1,
    "Temperature": 60,
    "ClockInfo/1": 1980,
    "PowerUsage": 300_000,
    "EnforcedPowerLimit": 700_000,
    "CurrentClocksEventReasons": 0,
    "CurrPcieLinkGeneration": 5,
    "CurrPcieLinkWidth": 16,
    "TotalEccErrors/0": 3,
}


class Scripted:
    """The file that the stand-in reads for each query."""

    def __init__(self, file: Path, count: int) -> None:
        self.file = file
        self.devices: dict[int, dict[str, object]] = {n: {"UUID": f"GPU-{n}", **FIXED} for n in range(count)}
        self.extra: dict[str, dict[str, object]] = {}
        """Slices, such as `0.1`."""
        self.general: dict[str, object] = {"driver": "580.95.05", "cuda": 13000}
        self.begun = time.monotonic()
        self.write()

    def write(self) -> None:
        lines = [f"{key} {value}" for key, value in self.general.items()]
        every = {str(n): fields for n, fields in self.devices.items()} | self.extra
        lines += [f"device {n} {key} {value}" for n, fields in every.items() for key, value in fields.items()]
        self.file.with_suffix(".new").write_text("\n".join(lines) + "\n")
        self.file.with_suffix(".new").rename(self.file)  # readers never see half of it

    def change(self, number: int, **values: object) -> None:
        self.devices[number] |= {key.replace("__", "/"): value for key, value in values.items()}
        self.write()

    def run(self, seconds: float, on_step: Callable[[], None] = lambda: None) -> tuple[float, float]:
        """Let counters run for this long; return when it began and ended."""
        begin = time.time()
        while time.time() < begin + seconds:
            for fields in self.devices.values():
                if "TotalEnergyConsumption" in fields:
                    fields["TotalEnergyConsumption"] = int(1e3 * WATT * (time.monotonic() - self.begun)) + 10**6
            on_step()
            self.write()
            time.sleep(0.02)
        return begin, time.time()
