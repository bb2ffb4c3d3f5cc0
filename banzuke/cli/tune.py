"""`--tune` and the settings that it found before, with which runs start."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Self

import typer

from banzuke.cli.console import errors
from banzuke.cli.progress import Silent, title
from banzuke.errors import BanzukeError
from banzuke.evaluation import stored
from banzuke.evaluation.stored import Tuned
from banzuke.machine.model import Machine
from banzuke.plan.axes import checked, shown
from banzuke.plan.benchmark import Benchmark, Setting
from banzuke.plan.case import Case
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.variant import Variants
from banzuke.record.model import Record
from banzuke.results.store import Store
from banzuke.tuning.tune import Tuner
from banzuke.units import duration, quantity

DEFAULT_SECONDS = 180.0
"""Seconds of a search."""


class SearchDisplay(Silent):
    """A display of a search: trials on a line that changes, results on lines that stay."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start: Setting | None = None
        self._line = ExitStack()
        self._say: Callable[[str], None] = lambda _text: None

    def __enter__(self) -> Self:
        self._say = self._line.enter_context(errors.busy(f"tuning {self._name} ..."))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.close()

    def trying(self, axis: str, setting: Setting, left: float) -> None:
        self._start = self._start or setting
        tried = difference(self._start, setting) or "the default"
        self._say(f"tuning {self._name}, {duration(round(left))} left: {axis}, {tried}")

    def settled(self, axis: str, before: Setting, after: Setting, ratio: float) -> None:
        if before == after:
            errors.say((f"{axis}: no improvement", "dim"))
        else:
            errors.say(f"{axis}: {difference(before, after)}, {ratio:.3f}x")

    def end(self, case: Case, record: Record) -> None:
        if record.status != "ok":
            errors.say((f"left out: {title(case)}: {record.reason or ''}", "dim"))


def difference(before: Setting, after: Setting) -> str:
    """Return where `after` differs, such as `2 x 1 p=2 nb=128`."""
    layout = [f"{after.layout.ranks} x {after.layout.threads}"] if after.layout != before.layout else []
    changed = after.parameters.items() - before.parameters.items()
    values = [f"{name}={value}" for name, value in after.parameters.items() if (name, value) in changed]
    varied = after.variant.values.items() - before.variant.values.items()
    return " ".join(
        [
            *layout,
            *values,
            *shown({name: value for name, value in after.variant.values.items() if (name, value) in varied}),
        ]
    )


def tunable(spec: Benchmark, variants: Variants) -> bool:
    """Return whether there is anything to search: the benchmark's own axes, or lists if one case on all cores is its
    headline.
    """
    single = not (spec.collection or spec.storage or spec.messages)
    return bool(spec.tuning.axes) or bool(variants.lists and single)


def check_tunable(specs: Mapping[str, Benchmark], backend: str | None, variants: Variants) -> None:
    """Raise BanzukeError if there is nothing to search, or several backends or sets of cores to search with."""
    if not any(tunable(spec, variants) for spec in specs.values()):
        able = [name for name, spec in benchmarks().items() if spec.tuning.axes]
        lists = "" if variants.lists else ", or with a list such as --pages base,transparent"
        raise BanzukeError(
            f"{', '.join(specs)} cannot be tuned",
            why="there is nothing to search" if lists else "no single case on all cores stands for the others",
            remedy=f"Use --tune with {', '.join(able)}{lists}",
        )
    if backend and "," in backend:
        raise BanzukeError(f"--tune searches with one backend, not with {backend}", remedy="Tune them one by one")
    if variants.cores != Variants().cores:
        raise BanzukeError("--tune searches on all cores, not with --cores", remedy="Leave one of them out")


def tuned_now(
    specs: Mapping[str, Benchmark],
    machine: Machine,
    store: Store,
    backend: str | None = None,
    seconds: float | None = None,
    variants: Variants | None = None,
) -> dict[str, Benchmark]:
    """Search for `seconds` per benchmark, also in the lists of `variants`; return benchmarks with the result as
    default.

    The result is kept. Raises BanzukeError, and typer.Exit after an interrupt.
    """
    asked = checked(variants or Variants(), machine)
    return {
        name: _tuned(spec, machine, store, backend or spec.default_backend, seconds or DEFAULT_SECONDS, asked)
        if tunable(spec, asked)
        else spec
        for name, spec in specs.items()
    }


def _tuned(
    spec: Benchmark, machine: Machine, store: Store, backend: str, seconds: float, variants: Variants
) -> Benchmark:
    run = store.create(machine, None)
    with SearchDisplay(spec.name) as display:
        tuner = Tuner(run, machine, spec, backend, display, seconds=seconds, variants=variants)
        try:
            tuner.run()
        except KeyboardInterrupt:
            _keep(spec, machine, tuner)
            errors.say("Interrupted.")
            raise typer.Exit(130) from None
    errors.say((f"compared at {tuner.size}; records in {run.folder}", "dim"))
    tuned = _keep(spec, machine, tuner)
    if tuned is None:
        errors.say(
            f"{spec.name}: too little time to compare settings, at {quantity(tuner.pace, 's')} per measurement; the "
            "default stays (--tune-seconds gives more time)"
        )
        return spec
    return stored.applied(spec, tuned)


def _keep(spec: Benchmark, machine: Machine, tuner: Tuner) -> Tuned | None:
    """Store the result of a search and return it; None if the search found nothing."""
    if not tuner.worth_keeping:
        return None
    tuned = tuner.result()
    errors.say(f"{spec.name} tuned: {tuned.text()}")
    if tuned.gain is None and _confirmed(spec, machine, tuned.backend):
        errors.say(("not saved: earlier settings were confirmed", "dim"))
        return tuned
    try:
        path = stored.save(spec, tuned, machine)
    except BanzukeError as error:
        why = f"{error.problem} ({error.why})" if error.why else error.problem
        errors.say(("not saved:", "yellow"), f" {why}. Set BANZUKE_TUNED to a folder for it")
    else:
        errors.say((f"saved in {path}", "dim"))
    return tuned


def _confirmed(spec: Benchmark, machine: Machine, backend: str) -> bool:
    try:
        earlier = stored.load(spec, backend, machine)
    except BanzukeError:
        return False
    return earlier is not None and earlier.gain is not None
