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
ANY_DOMAIN = frozenset({"local", "localdomain", "lan", "internal", "intranet", "cluster", "hpc"})
"""Domains that are words: they identify behind a host alone."""
ANYWHERE = 8
"""Letters from which a name is found within a word, too; words may hold a shorter one by chance."""
TELLING = 3
"""Letters before the number from which all hosts of a family are recognised, also those that the run does not use."""
_MOST_OF_REGISTRY = 3
"""Letters of what registries put before a country: co.jp, com.br."""
_BEGIN, _END = r"(?<![^\W_])", r"(?![^\W_])"
_HOME = re.compile(r"/(?:export/)?(?:home\d*|users|Users|people)/([^/\s:;,'\"()\[\]]+)")
_TIMED = re.compile(r"\d{8}T\d{6}(-[0-9a-f]{4})?")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_LOCAL = re.compile(r"\|-- (\S+)\n\s+/32 host LOCAL")


@dataclass
class Identifiers:
    """Names by kind, as a run's files and this machine have them."""

    vocabulary: frozenset[str] = frozenset()
    """Ordinary words of records, in lower case."""
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
            """Yield the places of identifiers, the longest of those that begin together, and their kinds."""
            matches = sorted(
                (match.start(), -match.end(), kind != "host", kind)
                for kind, pattern in patterns
                for match in pattern.finditer(text)
                if kind != "host" or self._is_host(match[0])
            )
            at = 0
            for begin, end, _, kind in matches:
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
        domains = sorted({*self.domains, *_parents(self.domains)}, key=_longest_first)
        domain = "|".join(map(re.escape, domains))
        ordered = sorted(self.families.items(), key=lambda item: (item[0].before, item[0].after))
        parts = [
            self._pattern_of(family, numbers)
            for family, numbers in ordered
            if re.search(r"[^\W\d_]", family.before + family.after)
        ]
        if parts:
            ending = rf"(?:\.(?:{domain}){_END})?" if domain else ""
            yield "host", re.compile(f"(?:{'|'.join(parts)}){ending}", re.IGNORECASE)
        telling = "|".join(re.escape(name) for name in domains if name not in ANY_DOMAIN and not self.is_plain(name))
        if telling:
            yield "domain", re.compile(rf"{_BEGIN}(?:[\w-]+\.)*(?:{telling}){_END}", re.IGNORECASE)

    def _pattern_of(self, family: HostFamily, numbers: list[tuple[str, str]]) -> str:
        """Return a pattern of the hosts of a family, and of ranges of them."""
        before, after = re.escape(family.before), re.escape(family.after)
        letters = len(family.before + family.after)
        begin = "" if letters >= ANYWHERE else _BEGIN
        if not any(first for first, _ in numbers):
            return f"{begin}{before}{'' if letters >= ANYWHERE else _END}"
        end = "(?![0-9])" if not after and _letters(family.before) >= TELLING else _END
        return rf"{begin}{before}(?:[0-9]{{1,9}}|\[[0-9][0-9,-]*\]){after}{end}"

    def _is_host(self, name: str) -> bool:
        """Return whether this is a host of the run, or of a family of hosts that a name clearly belongs to."""
        if "[" in name:
            return any(self._is_in_family(hosts) for hosts in listed_hosts(name))
        family, number, domain = host_parts(name)
        if not domain and self.is_plain(f"{family.before}{number}{family.after}"):
            return False
        return self._is_in_family(ListedHosts(family, number, number, domain, name))

    def _is_in_family(self, hosts: ListedHosts) -> bool:
        if hosts.first and _letters(hosts.family.before) >= TELLING and not self.is_plain(hosts.family.before):
            return True
        return self._has(hosts)

    def _has(self, hosts: ListedHosts) -> bool:
        """Return whether a host, or one of a range, is named somewhere."""
        return any(
            first == hosts.first
            or (hosts.first and first and int(first) <= int(hosts.last) and int(hosts.first) <= int(last))
            for first, last in self.families.get(hosts.family, ())
        )

    def has(self, text: str) -> bool:
        """Return whether a text is the name of a host or a user as a whole."""
        lower = unicodedata.normalize("NFC", text).casefold()
        return any(lower == name.casefold() for name in self.names["user"]) or any(map(self._has, listed_hosts(lower)))


def _letters(text: str) -> int:
    return sum(letter.isalpha() for letter in text)


def _parents(domains: Iterable[str]) -> Iterator[str]:
    """Yield `centre.example` of `kaede.centre.example`, and no name in which anybody may have one, such as `ac.jp`."""
    for domain in domains:
        labels = domain.split(".")
        for at in range(1, len(labels) - 1):
            if at < len(labels) - 2 or len(labels[-2]) > _MOST_OF_REGISTRY:
                yield ".".join(labels[at:])


def _longest_first(name: str) -> tuple[int, str]:
    return -len(name), name


def _pattern(name: str) -> str:
    plain = re.escape(name)
    return plain if len(name) >= ANYWHERE else f"{_BEGIN}{plain}{_END}"


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
        yield from _spellings(tree.text(f"sys/class/net/{name}/address"))
    for name in tree.names("sys/class/infiniband"):
        yield from _spellings(tree.text(f"sys/class/infiniband/{name}/node_guid"))


def _spellings(address: str | None) -> Iterator[str]:
    """Yield an address of hardware as it is, and without colons as in names of devices and ports."""
    if address and address.strip("0:"):
        yield from (address, address.replace(":", ""))
