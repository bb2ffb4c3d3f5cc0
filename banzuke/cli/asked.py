"""What the options of a command ask of an evaluation."""

from collections.abc import Mapping

from banzuke.cli.orders import orders_of
from banzuke.cli.partitions import check_together
from banzuke.cli.run_options import RunOptions
from banzuke.evaluation.look import Where
from banzuke.evaluation.options import Options
from banzuke.evaluation.prepare import Call
from banzuke.files.own import for_commands
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.groups import read_groups
from banzuke.plan.request import Request
from banzuke.results.store import Store


def where_of(specs: Mapping[str, Benchmark], options: RunOptions) -> Where:
    """Return where these benchmarks are measured. Raises BanzukeError."""
    together = options.partitions
    if together and options.site:
        check_together(specs.values(), options)
    return Where(
        site=options.site,
        partition=options.partition,
        together=together,
        counts=options.nodes.parts if options.nodes else (),
        hosts=options.hosts.names if options.hosts else (),
        devices=options.devices,
        groups=read_groups(options.groups) if options.groups else (),
        blas=options.blas,
        areas=options.area,
        name=options.name,
    )


def call_of(specs: Mapping[str, Benchmark], request: Request, options: RunOptions) -> Call:
    """Return the call of a command that takes all options of a run. Raises BanzukeError."""
    store = Store(options.results)
    launching = Options(
        timeout=options.timeout,
        oversubscribe=options.oversubscribe,
        folder=for_commands(store.folder),
        dry_run=options.dry_run,
        batch=options.batch,
        orders=orders_of(options.axes),
    )
    return Call(
        specs=specs,
        request=request,
        where=where_of(specs, options),
        launching=launching,
        store=store,
        tuned=not (options.tune or options.untuned),
        wait=options.wait,
        repeat=options.repeat,
    )
