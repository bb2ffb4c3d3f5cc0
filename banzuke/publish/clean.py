"""Takes identifiers out of documents: replaces names that are known and what its form gives away, drops free text."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from banzuke.publish import patterns
from banzuke.publish.identifiers import Identifiers
from banzuke.publish.pseudonyms import Pseudonyms
from banzuke.publish.tree import Json, Keys, mapped, place, walked, words_of

LEFT_OUT = "left out of the publication"
"""Stands for free text where a record must have some."""
_EMPTIED = ("reason", "note", "facts", "problem", "devices_problem", "flags")
"""Free text that may hold anything. Compilers' flags, which are one string, stay."""
_REMOVED = ("log", "batch", "institution", "title", "power_sensor")
"""The same where nothing need stand; a provenance's `batch` is a job, and stays."""
_CALLS = ("command", "environment_details")
"""Words of command lines: there, a host that is called like an ordinary word is replaced as well."""
_HASHES = ("fingerprint", "machine", "sha256")
"""Keys of hashes that could be made again from guesses."""
_HASH = re.compile(r"[0-9a-f]{8,64}")
_HOSTS = re.compile(r"[^\s,]+(?:,\s*[^\s,]+)*")


class Cleaner:
    """Cleans documents of one run, and counts what it took out."""

    def __init__(self, identifiers: Identifiers, pseudonyms: Pseudonyms) -> None:
        self.removed: Counter[str] = Counter()
        """Occurrences by kind."""
        self._known = identifiers
        self._pseudonyms = pseudonyms
        self._find = identifiers.finder()
        self._cache: dict[tuple[str, bool, bool], tuple[str, Counter[str]]] = {}

    def document(self, node: Json) -> Json:
        """Return the document without identifiers. A second pass changes nothing."""
        return mapped(node, self._change)

    def record(self, node: Json) -> Json:
        """Return a record without identifiers. Where its settings held one, its case gets another hash."""
        clean = self.document(node)
        own, before = clean.get("provenance"), node.get("provenance")
        if own and before:
            kept = clean["parameters"] == node["parameters"] and own["variant"] == before["variant"]
            if not kept or own["image"] != before["image"]:
                own["case"] = self._pseudonyms.hexadecimal("case", own["case"], len(own["case"]))
        return clean

    def machine(self, node: Json, name: str) -> Json:
        """Return a machine's description under a public name."""
        site = node["site"]
        sources = {path: source for path, source in site["sources"].items() if not path.startswith("areas.")}
        partitions = {key: partition | {"hosts": [], "name": None} for key, partition in site["partitions"].items()}
        site = site | {"sources": sources, "partitions": partitions, "name": ""}
        clean = self.document(node | {"site": site})
        clean["site"]["name"] = name
        return clean

    def text(self, text: str, keys: Keys = ()) -> str:
        """Return a string without identifiers, wherever it stands."""
        versions = any(key in patterns.VERSIONS for key in keys)
        calls = any(key in _CALLS for key in keys)
        cleaned = self._cache.get((text, versions, calls))
        if cleaned is None:
            cleaned = self._cache[text, versions, calls] = self._text(text, versions=versions, calls=calls)
        self.removed.update(cleaned[1])
        return cleaned[0]

    def _change(self, keys: Keys, node: Json) -> Json:
        last = keys[-1] if keys else ""
        if node is None or isinstance(node, bool | int | float):
            return node
        whole = isinstance(node, str)
        if (last in _REMOVED and not (last == "batch" and whole)) or (
            last in _EMPTIED and not (last == "flags" and whole)
        ):
            return self._without(last, node)
        return self._string(keys, node) if whole else node

    def _string(self, keys: Keys, text: str) -> Json:
        last = keys[-1] if keys else ""
        if "\n" in text:
            return self._without("note", text)
        if last in _HASHES and _HASH.fullmatch(text):
            self.removed["hash"] += 1
            return self._pseudonyms.hexadecimal("hash", text, len(text))
        if last == "file" and keys[-2:-1] == ("imported",):
            self.removed["file"] += 1
            return self._pseudonyms.name("file", text)
        return self._named(keys, text)

    def _named(self, keys: Keys, text: str) -> str:
        """Return a string that may be a name as a whole."""
        kind = place(keys)
        if kind == "host" and _HOSTS.fullmatch(text):
            self.removed["host"] += 1
            return self._pseudonyms.hosts(text)
        if kind == "area":
            return self._area(text)
        if kind and kind != "host" and any(text in names for names in self._known.names.values()):
            self.removed[kind] += 1
            return self._pseudonyms.name(kind, text)
        return self.text(text, keys)

    def _area(self, text: str) -> str:
        """Return the name of a storage area, unless it is a path of any system or an ordinary word."""
        if patterns.of_system(text) or text.casefold() in self._known.vocabulary or not text:
            return text
        self.removed["area"] += 1
        return self._pseudonyms.name("area", text)

    def _without(self, last: str, node: Json) -> Json:
        if node:
            self.removed["text"] += 1
        if last in _REMOVED:
            return None
        if isinstance(node, str):
            return LEFT_OUT if node else node
        return type(node)()

    def _text(self, text: str, *, versions: bool, calls: bool) -> tuple[str, Counter[str]]:
        counted: Counter[str] = Counter()
        plain = text if text.isascii() else unicodedata.normalize("NFC", text)

        def rename(kind: str, match: str) -> str:
            counted[kind] += 1
            if kind != "path":
                return self._pseudonyms.name(kind, match)
            folder, _, name = match.rstrip("/").rpartition("/")
            named = self._pseudonyms.name("path", folder or match)
            return f"{named}/{name}" if folder and self._is_public(name) else self._pseudonyms.name("path", match)

        plain = patterns.renamed(plain, rename, versions=versions)
        parts, at = [], 0
        for begin, end, kind in self._find(plain):
            parts += [plain[at:begin], self._renamed(kind, plain[begin:end])]
            counted[kind] += 1
            at = end
        plain = "".join([*parts, plain[at:]])
        if calls:
            plain = self._without_plain(plain, counted)
        return (plain if counted else text), counted

    def _renamed(self, kind: str, name: str) -> str:
        if kind == "host":
            return self._pseudonyms.hosts(name) or self._pseudonyms.host(name)
        return self._pseudonyms.name(kind, name)

    def _is_public(self, name: str) -> bool:
        """Return whether the last part of a path is the name of a program or a library, made of ordinary words."""
        words = words_of(re.sub(r"^lib|\.so\b", " ", name))
        return bool(words) and all(word.isdigit() or word in self._known.vocabulary for word in words)

    def _without_plain(self, text: str, counted: Counter[str]) -> str:
        """Replace a word of a command that is a host or a user with an ordinary name, or a list of such."""
        plain = {name.casefold() for name in self._known.plain() if not name.isdigit() and len(name) > 1}
        parts = re.split(r"([,:= ])", text)
        for at, part in enumerate(parts):
            if part.casefold() in plain:
                counted["host"] += 1
                parts[at] = self._pseudonyms.host(part)
        return "".join(parts)


def left(identifiers: Identifiers, documents: Iterable[Json], text: str) -> Iterator[str]:
    """Yield the known names that are left in a publication, and what its form still gives away.

    `text` is all of it as it is written.
    """
    find, plain = identifiers.finder(), set(identifiers.plain())
    composed = unicodedata.normalize("NFC", text)
    yield from (composed[begin:end] for begin, end, _ in find(composed))
    seen: set[tuple[str, bool]] = set()
    for document in documents:
        for keys, string in walked(document):
            if string in plain and place(keys) == "host":
                yield string
            versions = any(key in patterns.VERSIONS for key in keys)
            if (string, versions) not in seen:
                seen.add((string, versions))
                yield from patterns.found(string, versions=versions)
                yield from (string[begin:end] for begin, end, _ in find(unicodedata.normalize("NFC", string)))
