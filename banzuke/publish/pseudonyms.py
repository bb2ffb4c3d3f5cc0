"""Pseudonyms: names made with the publisher's own secret key, so that nobody can test guesses without it.

The same name gets the same pseudonym in all runs of one publisher. Numbered hosts keep their order and their distance,
so that `n[001-128]` stays one range, but not their numbers: each family of names has its own secret offset.
"""

import hmac
import os
import re
import secrets
from base64 import b32encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import read_ours, unwritable, writing

KEY_FILE = "publisher.key"
_KEY_BYTES = 32
_TAG = 6
"""Letters of a pseudonym: 30 bits, so that among 1,000 names of a run two agree once in 2,000 runs."""
_OFFSETS = range(1_000_000, 9_000_000)
MOST_NUMBER = 999_999_999 - _OFFSETS.stop
"""Largest number of a host that stays within the nine digits that a range of hosts may have."""
NUMBERED = re.compile(r"(.*?)([0-9]{1,9})([^0-9]*)", re.DOTALL)
"""A host's name, with its last number."""
_RANGE = re.compile(r"([^\[\],]*)\[([0-9,-]+)\]([^\[\],]*)")
_ITEM = re.compile(r"(?:[^\[\],]|\[[^\]]*\])+")
"""An item of a list of hosts; commas within brackets do not separate."""
_ADDRESS = re.compile(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:.]*")


def key_path() -> Path:
    """Return the file of the publisher's key in the user's data folder. Raises BanzukeError."""
    try:
        data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    except RuntimeError as error:
        raise BanzukeError(
            "no folder for the publisher's key", why=str(error), remedy="Set XDG_DATA_HOME to a folder of your own"
        ) from error
    return data / "banzuke" / KEY_FILE


def publisher_key(path: Path, *, make: bool) -> bytes:
    """Return the publisher's key, which only its owner may read. Raises BanzukeError.

    Without `make`, a missing key is not written, and the one returned is forgotten.
    """
    if path.exists():
        content = read_ours(path, _KEY_BYTES * 4).strip()
        with suppress(ValueError):
            key = bytes.fromhex(content.decode("ascii", "replace"))
            if len(key) == _KEY_BYTES:
                _check_private(path)
                return key
        raise BanzukeError(
            f"{path} is not a publisher's key",
            why=f"it does not hold {2 * _KEY_BYTES} hexadecimal digits",
            remedy="Remove it: a new one is made, and the names in later publications are then others",
        )
    key = secrets.token_bytes(_KEY_BYTES)
    if make:
        try:
            with writing(path, 0o600) as file:
                file.write(key.hex().encode() + b"\n")
        except OSError as error:
            raise unwritable(path, error, "XDG_DATA_HOME") from error
    return key


def _check_private(path: Path) -> None:
    if path.stat().st_mode & 0o077:
        raise BanzukeError(
            f"{path} is open to others",
            why="whoever reads it can find the names behind the pseudonyms",
            remedy=f"`chmod 600 {path}`, or remove it if others have read it",
        )


@dataclass(frozen=True)
class HostFamily:
    """Hosts whose names differ only in their last number."""

    before: str
    after: str


def host_parts(name: str) -> tuple[HostFamily, str, str]:
    """Return the family, the number (empty: none) and the domain of a host's name in lower case."""
    lower = name.lower()
    if _ADDRESS.fullmatch(lower):
        return HostFamily(lower, ""), "", ""
    short, _, domain = lower.partition(".")
    match = NUMBERED.fullmatch(short)
    if match is None or int(match[2]) > MOST_NUMBER:
        return HostFamily(short, ""), "", domain
    return HostFamily(match[1], match[3]), match[2], domain


@dataclass(frozen=True)
class ListedHosts:
    """One item of a list of hosts: a name, or a range of consecutively numbered ones."""

    family: HostFamily
    first: str
    last: str
    domain: str
    shown: str
    """As the publisher knows it."""


def listed_hosts(text: str) -> Iterator[ListedHosts]:
    """Yield the hosts of a list such as `n[001-128,7],m`."""
    for item in map(str.strip, _ITEM.findall(text)):
        match = _RANGE.fullmatch(item)
        if match is None:
            if item:
                family, number, domain = host_parts(item)
                yield ListedHosts(family, number, number, domain, item)
            continue
        after, _, domain = match[3].lower().partition(".")
        for part in match[2].split(","):
            first, _, last = part.partition("-")
            last = last or first
            if first.isdigit() and last.isdigit() and int(last) <= MOST_NUMBER:
                numbers = f"[{first}-{last}]" if first != last else first
                shown = f"{match[1]}{numbers}{match[3]}"
                yield ListedHosts(HostFamily(match[1].lower(), after), first, last, domain, shown)


class Pseudonyms:
    """The pseudonyms of one publisher, and which of them a run has been given."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.given: dict[str, dict[str, str]] = {}
        """By kind of name: name as shown to the publisher -> pseudonym."""

    def tag(self, kind: str, text: str) -> str:
        """Return letters and digits that only the key leads to from the text."""
        return b32encode(self._digest(kind, text)).decode().lower()[:_TAG]

    def hexadecimal(self, kind: str, text: str, digits: int) -> str:
        """Return hexadecimal digits in place of a hash or a fingerprint."""
        return self._digest(kind, text).hex()[:digits]

    def name(self, kind: str, text: str) -> str:
        """Return `user-k3fzq7`."""
        return self._note(kind, text, f"{kind}-{self.tag(kind, text.casefold())}")

    def host(self, name: str) -> str:
        """Return `node-k3fzq7-4829134`, or without a number `node-k3fzq7`; a host's domain does not matter."""
        family, number, _ = host_parts(name)
        return self._note("host", name, self._host(family, number))

    def hosts(self, text: str) -> str:
        """Return the pseudonyms of a list of hosts, with its ranges."""
        parts = []
        for item in listed_hosts(text):
            whole, end = self._host(item.family, item.first), self._host(item.family, item.last)
            if item.first != item.last:
                stem, _, low = whole.rpartition("-")
                whole = f"{stem}-[{low}-{end.rpartition('-')[2]}]"
            parts.append(self._note("host", item.shown, whole))
        return ",".join(parts)

    def _host(self, family: HostFamily, number: str) -> str:
        about = f"{family.before}\0{family.after}"
        stem = f"node-{self.tag('host', about)}"
        if not number:
            return stem
        offset = int.from_bytes(self._digest("offset", about)[:8]) % len(_OFFSETS)
        return f"{stem}-{_OFFSETS[offset] + int(number)}"

    def _digest(self, kind: str, text: str) -> bytes:
        return hmac.new(self._key, f"{kind}\0{text}".encode("utf-8", "surrogatepass"), sha256).digest()

    def _note(self, kind: str, text: str, pseudonym: str) -> str:
        self.given.setdefault(kind, {})[text] = pseudonym
        return pseudonym


def one_name_each(hosts: Iterable[str], pseudonyms: Pseudonyms) -> None:
    """Raise BanzukeError where two hosts would get one pseudonym, as n1 and n01, or n1.a and n1.b, would."""
    seen: dict[str, str] = {}
    for name in hosts:
        pseudonym, domain = pseudonyms.host(name), host_parts(name)[2]
        other = seen.setdefault(pseudonym, name)
        apart = domain and host_parts(other)[2] and domain != host_parts(other)[2]
        if apart or other.lower().partition(".")[0] != name.lower().partition(".")[0]:
            raise BanzukeError(
                f"the hosts {other} and {name} would get one name",
                why="their names differ only in a zero or in their domains",
                remedy="Publish the runs of each by themselves",
            )
