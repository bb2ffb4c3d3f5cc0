"""Boots a guest around a command: `python -m banzuke.environment.guest --cpus 0,1 --memory 4e9 -- COMMAND...`.

The command sees the host's files, or an image's, can write to all of them without changing any, and finds the
caller's variables, folder, identity and limits. Its streams and its end are passed on, and nothing is left behind: what
QEMU needs lies in memory, and the kernel ends it with us.
"""

import argparse
import contextlib
import os
import resource
import signal
import sys

from banzuke.environment.guest.boot import Guest, boot
from banzuke.environment.guest.image import image
from banzuke.environment.guest.kernel import VARIABLE, find_kernel
from banzuke.environment.guest.qemu import MIB, Shape, find_qemu
from banzuke.errors import BanzukeError

_MOST_MEMORY = 2.0**60


class Signalled(Exception):  # noqa: N818  (no error: somebody wants us to end)
    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


def main() -> int:
    """Run the command in a guest and return its exit status; 2 if it could not be run.

    Ends by the signal that ended the command.
    """
    options = _parser().parse_args()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _raise)
    try:
        return carry_out(_guest(options))
    except BanzukeError as error:
        sys.stderr.write(f"banzuke: {error}\n")
        return 2
    except Signalled as caught:
        return _end_by(caught.number)
    except BrokenPipeError:  # nobody reads our output any more
        return _end_by(signal.SIGPIPE)


def carry_out(guest: Guest) -> int:
    """Boot the guest, pass on what the command writes, and return its status. Raises BanzukeError and Signalled."""
    output = boot(guest, (sys.stdout.fileno(), sys.stderr.fileno()))
    kind, _, number = output.end.partition(" ")
    status = int(number)
    if killed := [line for line in output.lines if "Out of memory" in line]:
        sys.stderr.write(f"banzuke: the guest's kernel says: {killed[-1]}\n")
    return _end_by(status) if kind == "signal" else status


def _raise(number: int, _frame: object) -> None:
    raise Signalled(number)


def _end_by(number: int) -> int:
    """End this process by the signal that ended the command or was sent to us."""
    sys.stdout.flush()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number  # the signal's default is to be ignored


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(_number, text.split(",")))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


def _count(text: str) -> int:
    if (number := _number(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _bytes(text: str) -> int:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not MIB <= number <= _MOST_MEMORY:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of bytes from 1 MiB to 1 EiB")
    return int(number)


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m banzuke.environment.guest", description=__doc__)
    add = parser.add_argument
    add("--cpus", type=_numbers, required=True, help="the host's processor under each of the guest's, in its order")
    add("--memory", type=_bytes, required=True, help="bytes, such as 4e9")
    add("--sockets", type=_count, default=1)
    add("--threads", type=_count, default=1, help="hardware threads of a core")
    add("--nodes", type=_numbers, default=(), help="NUMA nodes of the host over which memory and processors spread")
    add("--kernel", default=os.environ.get(VARIABLE, ""), help="vmlinuz; without: one that lies here")
    add("--accelerator", choices=("kvm", "tcg"), default="tcg")
    add("--image", default="", help="root filesystem: a folder or a disk image; without: the host's")
    add("--bring", action="append", default=[], metavar="PATH", help="of the host, into the image")
    add("--variable", type=_variable, action="append", default=[], metavar="NAME=VALUE", help="beside the caller's own")
    add("--control-groups", type=int, choices=(1, 2), default=2, help="version at /sys/fs/cgroup")
    add("--root", action="store_true", help="run the command as root, whoever calls")
    add("--append", default="", help="for the kernel's command line")
    add("words", nargs="+", metavar="COMMAND")
    return parser


def _guest(options: argparse.Namespace) -> Guest:
    return Guest(
        qemu=find_qemu(),
        accelerator=options.accelerator,
        shape=Shape(options.cpus, options.memory, options.sockets, options.threads, options.nodes),
        kernel=find_kernel(options.kernel),
        words=options.words,
        image=image(options.image),
        bring=options.bring,
        variables=dict(options.variable),
        control_groups=options.control_groups,
        root=options.root,
        append=options.append,
    )


if __name__ == "__main__":
    sys.exit(main())
