"""Makes the publication of a run, and refuses if an identifier is left or a figure would change."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.files import refusal
from banzuke.machine.model import Machine
from banzuke.machine.tree import Tree
from banzuke.plan.benchmark import Benchmark
from banzuke.publish import patterns
from banzuke.publish.clean import Cleaner, left
from banzuke.publish.identifiers import Identifiers, add_of_documents, add_of_site, add_of_this_machine
from banzuke.publish.pseudonyms import Pseudonyms, one_name_each
from banzuke.publish.publication import CEILINGS, MACHINE, RECORDS, SUMMARY, file_name, identity_of, lines, packed
from banzuke.publish.summary import RunSummary, evaluation, figures_of, summary
from banzuke.publish.vocabulary import vocabulary
from banzuke.record.model import Record

_MOST_NAMED = 5


@dataclass(frozen=True)
class Publication:
    """A publication, ready to be written, and what its publisher should see."""

    content: bytes
    file: str
    summary: RunSummary
    given: Mapping[str, Mapping[str, str]]
    """Pseudonyms by kind of name and name."""
    plain: Sequence[str]
    """Names that are also ordinary words, and replaced only where a host or a user is expected."""


def make(
    records: Sequence[Record],
    machine: Machine,
    ceilings: Sequence[Record],
    benchmarks: Mapping[str, Benchmark],
    key: bytes,
    name: str | None = None,
    tree: Tree | None = None,
) -> Publication:
    """Return the publication of a run under a public name, or a pseudonym. Raises BanzukeError."""
    described = _with_number(machine)
    documents = [[record.model_dump(mode="json") for record in part] for part in (records, ceilings)]
    identifiers = Identifiers()
    add_of_documents(identifiers, [*documents[0], *documents[1], described])
    add_of_site(identifiers, described)
    add_of_this_machine(identifiers, tree or Tree())
    identifiers.vocabulary = vocabulary([*documents[0], *documents[1]], described, benchmarks, identifiers.has)
    pseudonyms = Pseudonyms(key)
    if name:
        identifiers.release(name)
    else:
        name = f"machine-{pseudonyms.tag('machine', f'{machine.name} {machine.fingerprint}')}"
    one_name_each({host.name for record in [*records, *ceilings] for host in record.hosts}, Pseudonyms(key))
    cleaner = Cleaner(identifiers, pseudonyms)
    try:
        clean_machine = Machine.model_validate(cleaner.machine(described, name))
        clean_records, clean_ceilings = (
            [Record.model_validate(cleaner.record(document)) for document in part] for part in documents
        )
    except ValidationError as error:
        raise BanzukeError(
            "the run cannot be published", why=f"without identifiers it is not valid: {refusal(error)}"
        ) from error
    members = {
        MACHINE: json.dumps(_document(clean_machine), ensure_ascii=False, indent=1).encode() + b"\n",
        RECORDS: lines([_document(record) for record in clean_records]),
        CEILINGS: lines([_document(record) for record in clean_ceilings]),
    }
    judged = evaluation(clean_records, clean_machine, clean_ceilings, benchmarks)
    _check_figures(figures_of(evaluation(records, machine, ceilings, benchmarks)), figures_of(judged))
    digests = {file: hashlib.sha256(content).hexdigest() for file, content in members.items()}
    published = summary(judged, cleaner.removed, digests)
    head = json.dumps(published.model_dump(mode="json"), ensure_ascii=False, indent=1).encode() + b"\n"
    file = file_name(name, identity_of(head))
    _check_clean(identifiers, {SUMMARY: head, **members}, name)
    return Publication(packed(head, members), file, published, pseudonyms.given, identifiers.plain())


def _document(model: Record | Machine) -> Any:
    return model.model_dump(mode="json", by_alias=True)


def _with_number(machine: Machine) -> Any:
    """Return the machine's description with the numbers of nodes that names of hosts would tell."""
    document = machine.model_dump(mode="json")
    for key, partition in machine.site.partitions.items():
        document["site"]["partitions"][key]["nodes"] = partition.number
    return document


def _check_figures(before: Sequence[object], after: Sequence[object]) -> None:
    if before != after:
        changed = next((str(own) for own, other in zip(before, after, strict=False) if own != other), "")
        raise BanzukeError(
            "the run cannot be published",
            why=f"without identifiers a figure or a verdict would be another: {changed[:200]}",
            remedy="Publish it under a name (--name) that has the words which cannot be told from others",
        )


def _check_clean(identifiers: Identifiers, files: Mapping[str, bytes], name: str) -> None:
    allowed = {name, *patterns.found(name)}
    for file, content in files.items():
        text = content.decode()
        documents = (
            [json.loads(text)] if file.endswith(".json") else [json.loads(line) for line in text.split("\n") if line]
        )
        remaining = [text for text in dict.fromkeys(left(identifiers, documents, text)) if text not in allowed]
        if remaining:
            raise BanzukeError(
                "the run is not published",
                why=f"{file} would still hold {', '.join(remaining[:_MOST_NAMED])}",
                remedy="Report this: it is an error in Banzuke. `--name` with such a word makes it public on purpose",
            )
