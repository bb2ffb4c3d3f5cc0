"""Runs another program for its output, bounded in time and in size, and ends it with everything that it started."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

MOST_OUTPUT = 64 << 20
"""Most bytes of each stream: `squeue` and `scontrol` list 10,000 nodes and 100,000 jobs in less."""
LAST_WORDS = 1.0
"""Seconds to wait for the rest of the output when a program has ended but something that it started holds its
streams.
"""
_GLANCE = 0.2
"""Seconds between checks of whether it has ended; usually its streams close first."""
_PIECE = 1 << 16


def lines(pipe: IO[str]) -> Iterator[str]:
    """Yield the lines of a pipe; lines longer than `MOST_OUTPUT` come in pieces."""
    return iter(lambda: pipe.readline(MOST_OUTPUT), "")


class TooMuchError(OSError):
    """A program printed more than `MOST_OUTPUT` or the limit of the call."""


@dataclass(frozen=True)
class Captured:
    """The output of a program and its exit status; -N: killed by signal N."""

    status: int
    output: bytes
    errors: bytes

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "replace")

    @property
    def complaint(self) -> str:
        """Return the text of its error stream."""
        return self.errors.decode("utf-8", "replace")


def captured(
    words: Sequence[str | os.PathLike[str]],
    *,
    seconds: float | None,
    variables: Mapping[str, str] | None = None,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    most: int = MOST_OUTPUT,
    last: bool = False,
) -> Captured:
    """Run a program to its end and return what it printed.

    `seconds`: time limit; None: none. `last`: keep the last `most` bytes of longer output instead of raising an error.

    Raises OSError, whose text says what is wrong: it cannot be started, takes longer (TimeoutError), or prints more
    (TooMuchError). It is then ended with its process group, as on an interrupt. Processes that it leaves running when
    it ends itself are not waited for.
    """
    try:
        process = subprocess.Popen(
            words,
            env=os.environ if variables is None else variables,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except ValueError as error:  # a null character in an argument
        raise OSError(str(error)) from error
    until = None if seconds is None else time.monotonic() + seconds
    streams = [stream for stream in (process.stdout, process.stderr) if stream]
    try:
        kept = _kept(process, streams, until, most, last=last)
        process.wait(_left(until))
    except (TimeoutError, subprocess.TimeoutExpired) as error:
        _end(process)
        raise TimeoutError(f"it gave no answer within {seconds:g} s") from error
    except BaseException:
        _end(process)
        raise
    finally:
        for stream in streams:
            stream.close()
    return Captured(process.returncode, *map(bytes, kept))


def _kept(
    process: "subprocess.Popen[bytes]",
    streams: Sequence[IO[bytes]],
    until: float | None,
    most: int,
    *,
    last: bool,
) -> list[bytearray]:
    """Return the output of each stream, or its last `most` bytes. Raises TooMuchError where there are more and not
    `last`.
    """
    kept = [bytearray() for _ in streams]
    for number, piece in _pieces(process, streams, until):
        text = kept[number]
        text += piece
        if len(text) > most and not last:
            raise TooMuchError(f"it printed more than {most >> 20} MiB, and was ended")
        del text[:-most]
    return kept


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process and its group: first with SIGTERM, because builders of images tidy up, then with SIGKILL."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LAST_WORDS)


def _pieces(
    process: "subprocess.Popen[bytes]", streams: Sequence[IO[bytes]], until: float | None
) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of output with the index of their stream until the process has ended. Raises TimeoutError."""
    with selectors.DefaultSelector() as selector:
        for number, stream in enumerate(streams):
            selector.register(stream, selectors.EVENT_READ, number)
        ended = None
        while selector.get_map():
            ready = selector.select(_GLANCE if (left := _left(until)) is None else min(left, _GLANCE))
            for key, _ in ready:
                if piece := os.read(key.fd, _PIECE):
                    yield key.data, piece
                else:
                    selector.unregister(key.fileobj)
            if until is not None and time.monotonic() >= until:
                raise TimeoutError
            if ended is None and process.poll() is not None:
                ended = time.monotonic()
            elif ended is not None and time.monotonic() - ended > LAST_WORDS:
                return


def _left(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - time.monotonic())
