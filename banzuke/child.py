"""Another program, run for what it prints: bounded in time and in what is kept of it, and ended with all it started."""

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
"""Bytes of each stream: `squeue` and `scontrol` list 10,000 nodes and 100,000 jobs in less."""
LAST_WORDS = 1.0
"""Seconds for what is still to come when a program has ended and something that it started holds its streams."""
_GLANCE = 0.2
"""Seconds between looks at whether it has ended; usually its streams say so."""
_PIECE = 1 << 16


def lines(pipe: IO[str]) -> Iterator[str]:
    """Its lines; of one without end pieces."""
    return iter(lambda: pipe.readline(MOST_OUTPUT), "")


class TooMuchError(OSError):
    """It printed more than anybody reads."""


@dataclass(frozen=True)
class Captured:
    """What a program printed, and its exit status; -N: killed by signal N."""

    status: int
    output: bytes
    errors: bytes

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "replace")

    @property
    def complaint(self) -> str:
        """Its error stream."""
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
    """Runs it to its end. `seconds`: None for as long as it takes; `last`: of what is more than `most`, keep the end.

    Raises OSError, whose text says what is wrong: it cannot be started, takes longer (TimeoutError), or prints more
    (TooMuchError). It is then ended with its process group, as on an interrupt. After its own end nobody waits for
    what it left running.
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
    except ValueError as error:  # a zero character
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
    """Each stream; of longer ones the end, or raises TooMuchError."""
    kept = [bytearray() for _ in streams]
    for number, piece in _pieces(process, streams, until):
        text = kept[number]
        text += piece
        if len(text) > most and not last:
            raise TooMuchError(f"it printed more than {most >> 20} MiB, and was ended")
        del text[:-most]
    return kept


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With its group: politely, since builders of images tidy up, then by force."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LAST_WORDS)


def _pieces(
    process: "subprocess.Popen[bytes]", streams: Sequence[IO[bytes]], until: float | None
) -> Iterator[tuple[int, bytes]]:
    """What it prints, by the stream's place, until it has ended; raises TimeoutError."""
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
