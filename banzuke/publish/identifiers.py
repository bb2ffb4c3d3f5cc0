"""The identifiers that are known: of this machine and its user, and those that a run's own files name."""

import getpass
import os
import re
import socket
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address
from pathlib import Path

from banzuke.machine.tree import Tree
from banzuke.publish.pseudonyms import HostFamily, ListedHosts, host_parts, listed_hosts
from banzuke.publish.tree import Json, place, walked, words_of

ANYBODY = frozenset({"", "root", "nobody", "user", "users", "localhost", "localdomain", "none", "unknown", "default"})
"""Names that say nothing."""
ANYWHERE = 8
"""Letters from which a name is found within a word, too; words may hold a shorter one by chance."""
TELLING = 3
"""Letters before the number from which all hosts of a family are recognised, also those that the run does not use."""
_HOME = re.compile(r"/(?:export/)?(?:home\d*|users|Users|people)/([^/\s:;,'\"()\[\]]+)")
_TIMED = re.compile(r"\d{8}T\d{6}(-[0-9a-f]{4})?")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_LOCAL = re.compile(r"\|-- (\S+)\n\s+/32 host LOCAL")


@dataclass
class Identifiers:
    """Names by kind, as a run's files and this machine have them."""

    vocabulary: frozenset[str]
    names: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    families: dict[HostFamily, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    """Ranges of numbers by family; empty numbers: one host without any."""
    domains: set[str] = field(default_factory=set)

    def add(self, kind: str, name: str) -> None:
        """Add a name, or a list of hosts."""
        plain = unicodedata.normalize("NFC", name.strip())
        if kind != "host":
            if plain.casefold() not in ANYBODY:
                self.names[kind].add(plain)
            return
        for hosts in listed_hosts(plain):
            self._add_hosts(hosts)

    def _add_hosts(self, hosts: ListedHosts) -> None:
        if f"{hosts.family.before}{hosts.first}{hosts.family.after}" in ANYBODY:
            return
        numbers = (hosts.first, hosts.last)
        if numbers not in self.families[hosts.family]:
            self.families[hosts.family].append(numbers)
        if "." in hosts.domain or len(hosts.domain) > 1:
            self.domains.add(hosts.domain)

    def release(self, public: str) -> None:
        """Forget names that are words of a name which the publisher makes public."""
        words = {public.casefold(), *words_of(public), *public.casefold().split()}
        for kind, names in self.names.items():
            self.names[kind] = {name for name in names if name.casefold() not in words}
        self.families = {
            family: numbers
            for family, numbers in self.families.items()
            if f"{family.before}{numbers[0][0]}{family.after}" not in words
        }

    def is_plain(self, name: str) -> bool:
        """Return whether a name is also an ordinary word of records, or a number, which cannot be told from others."""
        lower = name.casefold()
        return lower in self.vocabulary or len(lower) < 2 or bool(_NUMBER.fullmatch(lower))

    def plain(self) -> list[str]:
        """Return the names that are only recognised where a host or a user is expected."""
        hosts = {f"{family.before}{numbers[0][0]}{family.after}" for family, numbers in self.families.items()}
        return sorted(name for name in hosts.union(*self.names.values()) if self.is_plain(name))

    def finder(self) -> Callable[[str], Iterator[tuple[int, int, str]]]:
        """Return a function that yields begin, end and kind of each known name in a text, from left to right."""
        patterns = list(self._patterns())

        def find(text: str) -> Iterator[tuple[int, int, str]]:
            matches = sorted(
                (match.start(), -match.end(), kind)
                for kind, pattern in patterns
                for match in pattern.finditer(text)
                if kind != "host" or self._is_host(match[0])
            )
            at = 0
            for begin, end, kind in matches:
                if begin >= at:
                    yield begin, -end, kind
                    at = -end

        return find

    def _patterns(self) -> Iterator[tuple[str, re.Pattern[str]]]:
        for kind, names in self.names.items():
            distinct = [name for name in names if not self.is_plain(name)]
            parts = [_pattern(name) for name in sorted(distinct, key=_longest_first)]
            if parts:
                yield kind, re.compile("|".join(parts), re.IGNORECASE)
        ordered = sorted(self.families.items(), key=lambda item: (item[0].before, item[0].after))
        parts = [
            "[0-9]{1,9}".join(map(re.escape, (family.before, family.after)))
            if any(first for first, _ in numbers)
            else re.escape(family.before)
            for family, numbers in ordered
            if re.search(r"[^\W\d_]", family.before + family.after)
        ]
        if parts:
            domain = "|".join(map(re.escape, sorted(self.domains, key=_longest_first)))
            ending = rf"(?:\.(?:{domain}))?" if domain else ""
            yield "host", re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)}){ending}(?![^\W_])", re.IGNORECASE)
        if self.domains:
            yield "domain", re.compile("|".join(map(_pattern, sorted(self.domains, key=_longest_first))), re.IGNORECASE)

    def _is_host(self, name: str) -> bool:
        """Return whether this is a host of the run, or of a family of hosts that a name clearly belongs to."""
        family, number, domain = host_parts(name)
        if not domain and self.is_plain(f"{family.before}{number}{family.after}"):
            return False
        letters = sum(letter.isalpha() for letter in family.before)
        if number and letters >= TELLING and not self.is_plain(family.before):
            return True
        return any(
            first == number or (number and first and int(first) <= int(number) <= int(last))
            for first, last in self.families.get(family, ())
        )


def _longest_first(name: str) -> tuple[int, str]:
    return -len(name), name


def _pattern(name: str) -> str:
    plain = re.escape(name)
    return plain if len(name) >= ANYWHERE else rf"(?<![^\W_]){plain}(?![^\W_])"


def add_of_documents(identifiers: Identifiers, documents: Iterable[Json]) -> None:
    """Add names from where documents have hosts, users, devices and jobs, and the owners of home folders."""
    seen: set[tuple[str, str]] = set()
    for document in documents:
        for keys, text in walked(document):
            kind = place(keys)
            if kind and kind != "area" and (kind, text) not in seen and not (kind == "run" and _TIMED.fullmatch(text)):
                identifiers.add(kind, text)
            seen.add((kind, text))
            for user in _HOME.findall(text) if "/" in text else ():
                identifiers.add("user", user)


def add_of_site(identifiers: Identifiers, machine: Json) -> None:
    """Add what a machine's description calls itself and its partitions."""
    site = machine["site"]
    parts = [site, *site["partitions"].values()]
    for part in parts:
        for name in filter(None, (part.get("name"), part.get("title"), part.get("institution"))):
            if not _is_host_of(identifiers, name):
                identifiers.add("site", name)
        for name in filter(None, ((part.get("batch") or {}).get(key) for key in ("queue", "account"))):
            identifiers.add("account", name)
    for name in site["partitions"]:
        identifiers.add("site", name)


def _is_host_of(identifiers: Identifiers, name: str) -> bool:
    family, number, _ = host_parts(name)
    return any(number in (first, last) for first, last in identifiers.families.get(family, ()))


def add_of_this_machine(identifiers: Identifiers, tree: Tree) -> None:
    """Add this host, its domain and addresses, its serial numbers, the user and the home folder."""
    identifiers.add("host", socket.gethostname())
    for line in (tree.text("etc/resolv.conf") or "").splitlines():
        words = line.split()
        if words[:1] in (["search"], ["domain"]):
            identifiers.domains.update(word.lower().strip(".") for word in words[1:] if "." in word.strip("."))
    with suppress(Exception):  # a user ID without an entry
        identifiers.add("user", getpass.getuser())
    for name in filter(None, (os.environ.get("USER"), os.environ.get("LOGNAME"), os.environ.get("SUDO_USER"))):
        identifiers.add("user", name)
    with suppress(RuntimeError):
        home = str(Path.home())
        if home.strip("/"):
            identifiers.names["path"].add(home)
    for address in _addresses(tree):
        identifiers.names["address"].add(address)
    for file in ("etc/machine-id", *(f"sys/class/dmi/id/{name}" for name in _SERIALS)):
        if (
            (text := tree.text(file))
            and len(text) >= TELLING
            and words_of(text)
            and words_of(text)[0] not in _NO_SERIAL
        ):
            identifiers.names["id"].add(text)


_SERIALS = ("product_uuid", "product_serial", "board_serial", "chassis_serial", "chassis_asset_tag")
_NO_SERIAL = ("to", "default", "not", "none", "0", "system", "no", "unspecified", "empty")
"""First words of what vendors write in place of a serial number: To be filled by O.E.M., Not Specified."""


def _addresses(tree: Tree) -> Iterator[str]:
    yield from (text for text in _LOCAL.findall(tree.text("proc/net/fib_trie") or "") if not text.startswith("127."))
    for line in (tree.text("proc/net/if_inet6") or "").splitlines():
        with suppress(ValueError):
            address = IPv6Address(bytes.fromhex(line.split()[0]))
            if not address.is_loopback:
                yield from (str(address), address.exploded)
    for name in tree.names("sys/class/net"):
        text = tree.text(f"sys/class/net/{name}/address")
        if text and text.strip("0:"):
            yield text
