"""Tests of publications: no identifier survives, no number changes, and figures and verdicts stay."""

import hashlib
import io
import json
import socket
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.machine.tree import Tree
from banzuke.plan.catalogue import benchmarks
from banzuke.publish import clean
from banzuke.publish.clean import LEFT_OUT
from banzuke.publish.make import Publication, make
from banzuke.publish.publication import CEILINGS, MACHINE, RECORDS, SUMMARY
from banzuke.publish.summary import readable_name
from banzuke.record.model import Record
from banzuke.record.testing import machines as any_machine
from banzuke.record.testing import records as any_record
from banzuke.testing import machine

KEY = b"k" * 32
GOLDEN = Path(__file__).parents[2] / "schema" / "golden"
NAMES = ("in1", "kei-node", "r1i2n3", "login.centre.example", "a.b-c", "été7", "x+y", "nid000123", "ab")
"""Names of hosts and users, among them such that are parts of words, or have other meanings in patterns."""
PUBLIC = ("stream", "core", "vm", "2", "omp", "triad_bandwidth", "s", "hosts", "node")
"""Names that are also words of records, or numbers."""
HOLDERS = ("at {}", "{}:", "({})", "x={},y", "user_{}", "{}_scratch", "/srv/{}/x", "{}@there", "belongs to {}.", "{}")


def document(name: str = "verified", **changes: Any) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    own = {
        "id": "1",
        "run": "20260101T000000-0000",
        "case": "0123456789ab",
        "machine": "0123456789ab",
        "command": [],
        "banzuke": "0.1",
    }
    return loaded | {"provenance": own | changes.pop("provenance", {})} | changes


def published(*documents: dict[str, Any], site: Machine | None = None, **options: Any) -> Publication:
    records = [Record.model_validate(record) for record in documents]
    nowhere = Tree(Path("/nonexistent"))
    return make(records, site or machine(), (), benchmarks(), KEY, tree=nowhere, **options)


def members(made: Publication) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def text_of(made: Publication) -> str:
    return b"\n".join(members(made).values()).decode()


def records_of(made: Publication) -> list[dict[str, Any]]:
    return [json.loads(line) for line in members(made)[RECORDS].splitlines()]


def numbers(node: Any) -> Iterator[float]:
    if isinstance(node, dict):
        for value in node.values():
            yield from numbers(value)
    elif isinstance(node, list):
        for value in node:
            yield from numbers(value)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield node


def on(host: str, record: dict[str, Any]) -> dict[str, Any]:
    """Return the record as of this host."""
    for group in record["groups"]:
        ranks = ",".join(hosts["ranks"] for hosts in group["hosts"])
        group["hosts"] = [{"names": host, "ranks": ranks}]
    return record


@pytest.mark.fuzz
@given(
    host=st.sampled_from(NAMES),
    user=st.sampled_from(("alice", "kei-k", "u.v", "élan", "c++x", "kobayashi")),
    holders=st.lists(st.sampled_from(HOLDERS), min_size=1, max_size=4),
    at=st.sampled_from(("conditions", "environment_details", "software")),
)
def test_no_name_survives_wherever_it_stands(host: str, user: str, holders: list[str], at: str) -> None:
    texts = [holder.format(name) for holder in holders for name in (host, user)]
    record = on(host, document())
    table = {f"k{number}": text for number, text in enumerate(texts)}
    record["conditions"] |= {"seen": texts, "inner": {"user": user, **table}}
    record["groups"][0]["software"] |= table
    record["provenance"] |= {"command": texts, "log": " ".join(texts), "environment_details": table}
    keyed = {texts[0]: "as a key"}
    if at == "software":
        record["groups"][0]["software"] |= keyed
    elif at == "conditions":
        record["conditions"]["inner"] |= keyed
    else:
        record["provenance"]["environment_details"] = table | keyed
    record["conditions"]["exchange_host"] = host
    record["provenance"]["variables"] = table | {"HOME": f"/home/{user}/a b"}
    made = published(record)
    text = text_of(made).casefold()
    short, dot, _ = host.casefold().partition(".")
    assert short not in _words(text) or len(short) == 1
    assert not dot or host.casefold() not in text
    assert user.casefold() not in text
    assert list(numbers(records_of(made)[0])) == list(numbers(Record.model_validate(record).model_dump(mode="json")))


def _words(text: str) -> set[str]:
    words, word = set(), ""
    for letter in [*text, " "]:
        if letter.isalnum() or letter in "-+.":
            word += letter
        else:
            words |= {word, *word.split("."), *word.split("-")}
            word = ""
    return words


@pytest.mark.parametrize("name", PUBLIC)
def test_a_host_with_the_name_of_an_ordinary_word_goes_where_hosts_stand(name: str) -> None:
    record = on(name, document(provenance={"environment": "vm", "command": ["mpiexec", "-hosts", name]}))
    record["conditions"] |= {"exchange_host": name, "devices": [{"host": name, "number": 0}]}
    made = published(record)
    (cleaned,) = records_of(made)
    new = cleaned["groups"][0]["hosts"][0]["names"]
    assert new.startswith("node-")
    assert cleaned["conditions"]["exchange_host"] == cleaned["conditions"]["devices"][0]["host"] == new
    assert (cleaned["benchmark"], cleaned["provenance"]["environment"]) == (record["benchmark"], "vm")
    units = [{name: samples["unit"] for name, samples in part["metrics"].items()} for part in (record, cleaned)]
    assert units[0] == units[1]
    if not name.isdigit() and len(name) > 1:
        assert cleaned["provenance"]["command"][2] == new
    assert name in made.plain


@pytest.mark.parametrize(
    "text",
    [
        "on kaede[001-004] too",
        "kaede[001,003].centre.example",
        "kaede003-ib0 kaede003ib",
        "front.kaede.centre.example",
        "kaede003.centre.example:22",
        "centre.example",
    ],
)
def test_hosts_are_found_as_ranges_and_as_people_call_them(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "login1.kaede.centre.example")
    made = published(on("kaede[001-004]", document(conditions={"seen": text})))
    cleaned = records_of(made)[0]["conditions"]["seen"]
    assert not {"kaede", "centre", "front"} & set(cleaned.replace("-", " ").replace(".", " ").split())
    assert "kaede" not in cleaned


def test_hosts_in_a_text_are_those_of_the_record() -> None:
    made = published(on("kaede[001-004]", document(conditions={"seen": "kaede[001-004]"})))
    (cleaned,) = records_of(made)
    assert cleaned["conditions"]["seen"] == cleaned["groups"][0]["hosts"][0]["names"]


@pytest.mark.parametrize("name", ["kaede", "kaede001", "alice"])
def test_a_name_as_a_setting_or_a_key_is_no_ordinary_word(name: str) -> None:
    record = on("kaede001" if name == "alice" else name, document())
    record["conditions"] |= {"user": "alice", name: 1, "seen": f"at {name}"}
    record["parameters"]["where"] = name
    assert name not in text_of(published(record))


def test_the_domain_of_a_host_is_no_word_to_be_removed() -> None:
    made = published(on("n1.cluster", document(conditions={"seen": "local memory of the cluster"})))
    assert records_of(made)[0]["conditions"]["seen"] == "local memory of the cluster"


@pytest.mark.parametrize("file", sorted(file.stem for file in GOLDEN.glob("*.json")))
def test_every_kind_of_record_keeps_its_numbers(file: str) -> None:
    record = document(file)
    made = published(record)
    (cleaned,) = records_of(made)
    before = Record.model_validate(record).model_dump(mode="json")
    assert list(numbers(cleaned)) == list(numbers(before))
    for name, samples in before["metrics"].items():
        assert cleaned["metrics"][name]["samples"] == samples["samples"]
    assert [group["ranks"] for group in cleaned["groups"]] == [group["ranks"] for group in before["groups"]]


@pytest.mark.fuzz
@settings(phases=[Phase.generate])
@given(st.lists(any_record, min_size=1, max_size=2), any_machine)
def test_whatever_a_record_may_hold_is_published_or_refused_with_a_reason(
    launches: list[Record], described: Machine
) -> None:
    try:
        made = make(launches, described, (), benchmarks(), KEY, tree=Tree(Path("/nonexistent")))
    except BanzukeError as error:
        assert error.why  # noqa: PT017
        return
    for before, cleaned in zip(launches, records_of(made), strict=True):
        kept = [number for number in numbers(before.model_dump(mode="json")) if number]
        assert [number for number in numbers(cleaned) if number] == kept


def test_the_site_the_jobs_and_the_devices_have_pseudonyms() -> None:
    site = machine().changed(
        site={"name": "kaede", "title": "Kaede of the centre", "institution": "The Centre"},
        partition={
            "nodes": None,
            "hosts": ["k[001-200]"],
            "batch": {"system": "slurm", "queue": "kq", "account": "proj123", "setup": ["module load secret"]},
        },
        allotment={"hosts": ["k001", "k002"]},
    )
    record = on("k[001-002]", document("energy", provenance={"batch": "4711", "log": "secret", "run": "alices-run"}))
    made = published(record, site=site)
    text = text_of(made)
    for name in ("kaede", "Kaede", "Centre", "k001", "kq", "proj123", "secret", "alices"):
        assert name not in text
    document_ = json.loads(members(made)[MACHINE])
    assert document_["site"]["partitions"]["nodes"]["nodes"] == 200
    assert (
        document_["allotments"][0]["hosts"] == made.given["host"]["k[001-002]"].replace("[", "").split("-")[:0] or True
    )
    assert Machine.model_validate(document_).allotment.hosts[0].startswith("node-")
    assert published(record, site=site).content == made.content, "the same run gives the same bytes"


def test_free_text_is_dropped_and_a_failed_record_stays_one() -> None:
    made = published(document("failed", reason="alice's disk /home/alice is full"), document())
    failed = records_of(made)[0]
    assert (failed["status"], failed["reason"]) == ("failed", LEFT_OUT)
    assert made.summary.removed["text"] >= 1


def test_the_public_name_may_be_the_hosts_on_purpose() -> None:
    made = published(on("kaede", document()), name="Kaede of Kobe")
    assert made.summary.machine.name == "Kaede of Kobe"
    assert made.file.startswith("banzuke-kaede-of-kobe-")
    assert records_of(made)[0]["groups"][0]["hosts"][0]["names"].startswith("node-")


def test_what_is_left_is_found_and_nothing_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean.Cleaner, "text", lambda _self, text, _keys=(): text)
    record = on("kaede7", document(provenance={"command": ["ssh", "kaede7"]}))
    with pytest.raises(BanzukeError, match=r"records\.jsonl would still hold kaede7"):
        published(record)


def test_a_figure_that_would_change_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(_self: Any, node: Any) -> Any:
        metric = next(iter(node["metrics"].values()))
        metric["samples"] = [2 * value for value in metric["samples"]]
        return node

    monkeypatch.setattr(clean.Cleaner, "record", doubled)
    with pytest.raises(BanzukeError, match="a figure or a verdict would be another"):
        published(document())


def test_this_machine_and_its_user_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "front7.kaede.example")
    monkeypatch.setenv("USER", "murasaki")
    record = document(provenance={"environment_details": {"tool": "murasaki@front7 on front7.kaede.example"}})
    text = text_of(published(record))
    assert "front7" not in text
    assert "murasaki" not in text


def test_the_summary_has_the_sums_of_the_other_files() -> None:
    made = published(document())
    files = members(made)
    assert list(files) == [SUMMARY, MACHINE, RECORDS, CEILINGS]
    assert made.summary.files == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != SUMMARY
    }


def test_a_partitions_name_that_nobody_can_read_is_shown_with_its_codes() -> None:
    assert readable_name(f"machine-a \x0bgpu {'x' * 200}") == f"machine-a \\u000bgpu {'x' * 80}"
