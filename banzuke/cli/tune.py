"""`--tune` and what it found before: the setting that runs start from."""

from collections.abc import Mapping
from types import TracebackType
from typing import Self

import typer
from rich.markup import escape

from banzuke.cli.console import errors
from banzuke.cli.progress import Silent, title
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Case, Setting
from banzuke.plan.catalogue import benchmarks
from banzuke.record.model import Record
from banzuke.record.store import Store
from banzuke.tuning import stored
from banzuke.tuning.stored import Tuned
from banzuke.tuning.tune import Tuner
from banzuke.units import duration, quantity

SECONDS = 180.0


class Display(Silent):
    """Shows a search as it goes: what is tried on a line that changes, what was settled on lines that stay."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start: Setting | None = None
        self._status = errors.status(f"tuning {name} ...")

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def trying(self, axis: str, setting: Setting, left: float) -> None:
        self._start = self._start or setting
        tried = difference(self._start, setting) or "the default"
        self._status.update(f"tuning {self._name}, {duration(round(left))} left: {axis}, {escape(tried)}")

    def settled(self, axis: str, before: Setting, after: Setting, ratio: float) -> None:
        if before == after:
            errors.print(f"[dim]{escape(axis)}: nothing better[/]")
        else:
            errors.print(f"{escape(axis)}: {escape(difference(before, after))}, {ratio:.3f}x")

    def end(self, case: Case, record: Record) -> None:
        if record.status != "ok":
            errors.print(f"[dim]left out: {escape(title(case))}: {escape(record.reason or '')}[/]", soft_wrap=True)


def difference(before: Setting, after: Setting) -> str:
    """`2 x 1 p=2 nb=128`: where `after` differs."""
    layout = [f"{after.layout.ranks} x {after.layout.threads}"] if after.layout != before.layout else []
    changed = after.parameters.items() - before.parameters.items()
    return " ".join(
        layout + [f"{name}={value}" for name, value in after.parameters.items() if (name, value) in changed]
    )


def with_stored(specs: Mapping[str, Benchmark], machine: Machine, backend: str | None = None) -> dict[str, Benchmark]:
    """The benchmarks with what was tuned on this machine as their default; it is said, and so is a broken file."""
    return {name: _with_stored(spec, machine, backend or spec.default_backend) for name, spec in specs.items()}


def _with_stored(spec: Benchmark, machine: Machine, backend: str) -> Benchmark:
    if not spec.tuning:
        return spec
    try:
        tuned = stored.load(spec, backend, machine)
    except BanzukeError as error:
        errors.print(f"[yellow]passed over:[/] {escape(str(error))}", soft_wrap=True)
        return spec
    if tuned is None:
        return spec
    said = f"{spec.name}: tuned on {tuned.date:%Y-%m-%d}: {tuned.text()} (--untuned ignores it)"
    errors.print(f"[dim]{escape(said)}[/]", soft_wrap=True)
    return stored.applied(spec, tuned)


def check_tunable(specs: Mapping[str, Benchmark], backend: str | None) -> None:
    """Raises BanzukeError when there is nothing to search, or more than one backend to search with."""
    if not any(spec.tuning for spec in specs.values()):
        able = [name for name, spec in benchmarks().items() if spec.tuning]
        raise BanzukeError(
            f"{', '.join(specs)} cannot be tuned",
            why="there is nothing to search",
            remedy=f"--tune is for {', '.join(able)}" if able else "",
        )
    if backend and "," in backend:
        raise BanzukeError(f"--tune searches with one backend, not with {backend}", remedy="Tune them one by one")


def tuned_now(
    specs: Mapping[str, Benchmark],
    machine: Machine,
    store: Store,
    backend: str | None = None,
    seconds: float | None = None,
) -> dict[str, Benchmark]:
    """The benchmarks with what a search of so many seconds finds as their default; it is kept.

    Raises BanzukeError, and typer.Exit after an interrupt.
    """
    return {
        name: _tuned(spec, machine, store, backend or spec.default_backend, seconds or SECONDS) if spec.tuning else spec
        for name, spec in specs.items()
    }


def _tuned(spec: Benchmark, machine: Machine, store: Store, backend: str, seconds: float) -> Benchmark:
    run = store.create(machine, None)
    with Display(spec.name) as display:
        tuner = Tuner(run, machine, spec, backend, display, seconds=seconds)
        try:
            tuner.run()
        except KeyboardInterrupt:
            _keep(spec, machine, tuner)
            errors.print("Interrupted.")
            raise typer.Exit(130) from None
    errors.print(f"[dim]compared at {escape(tuner.size)}; records in {escape(str(run.folder))}[/]", soft_wrap=True)
    found = _keep(spec, machine, tuner)
    if found is None:
        errors.print(
            f"{spec.name}: nothing could be compared in the time, at {quantity(tuner.pace, 's')} a measurement; the "
            "default stays (--tune-seconds gives more time)",
            soft_wrap=True,
        )
        return spec
    return stored.applied(spec, found)


def _keep(spec: Benchmark, machine: Machine, tuner: Tuner) -> Tuned | None:
    """None: the search came to nothing."""
    if not tuner.worth_keeping:
        return None
    found = tuner.found()
    errors.print(f"{spec.name} tuned: {escape(found.text())}", soft_wrap=True)
    if found.gain is None and _confirmed(spec, machine, found.backend):
        errors.print("[dim]not kept: an earlier finding was confirmed[/]")
        return found
    try:
        path = stored.save(spec, found, machine)
    except BanzukeError as error:
        why = f"{error.problem} ({error.why})" if error.why else error.problem
        errors.print(f"[yellow]not kept:[/] {escape(why)}. Set BANZUKE_TUNED to a folder for it", soft_wrap=True)
    else:
        errors.print(f"[dim]kept in {escape(str(path))}[/]", soft_wrap=True)
    return found


def _confirmed(spec: Benchmark, machine: Machine, backend: str) -> bool:
    try:
        earlier = stored.load(spec, backend, machine)
    except BanzukeError:
        return False
    return earlier is not None and earlier.gain is not None
