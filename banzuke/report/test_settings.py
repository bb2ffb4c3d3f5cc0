import re

from banzuke.record.model import Binding
from banzuke.report import testing
from banzuke.report.chapter import chapters
from banzuke.report.reproduce import facts
from banzuke.report.settings import conditions
from banzuke.report.testing.parts import assess, record, samples
from banzuke.testing import changed
from banzuke.words.language import words


def test_conditions_read_as_quantities() -> None:
    case = testing.stream(1, 2, 1.0).record
    case = case.model_copy(update={"conditions": {**case.conditions, "timed_parts": [[1.0, 2.0]], "rank_rates": {}}})
    seen = dict(conditions(case, words()))
    assert seen == {"data on huge pages": "97%", "clock": "2.8 GHz", "processor time taken by the hypervisor": "0.12%"}
    japanese = dict(conditions(testing.stream(1, 2, 1.0).record, words("ja")))
    assert list(japanese.values()) == list(seen.values())
    assert not japanese.keys() & seen.keys()


def test_what_a_program_saw_is_in_the_readers_words() -> None:
    seen = {"write_to": "storage", "read_evidence": "no evidence", "space_for_bytes": 1e9, "mounts": 2}
    case = changed(record("ior", 1, {}, {"write_bandwidth": samples(1e9, "B/s", 5)}), conditions=seen)
    assert dict(conditions(case, words())) == {
        "write to": "storage",
        "read evidence": "no evidence",
        "space for": "954 MiB",
        "mounts": "2",
    }
    for title, value in conditions(case, words("ja")):
        assert not re.search("[a-z]{2}", f"{title}{value}")


def test_conditions_of_several_parts_are_lists() -> None:
    seen = {"rates": {"n1": 2.5, "wait_seconds": 1e-3}, "sizes": [8, 16]}
    case = changed(record("ior", 1, {}, {"write_bandwidth": samples(1e9, "B/s", 5)}), conditions=seen)
    assert dict(conditions(case, words())) == {"rates": "n1 2.5, wait 1 ms", "sizes": "8, 16"}
    assert [value for _, value in conditions(case, words("ja"))] == ["n1 2.5、wait 1 ms", "8、16"]


def test_binding_names_the_memory_and_devices_of_the_ranks() -> None:
    place = Binding(ranks="0-1", threads=["0", "1"], memory="bind:0", pages="base", devices=["GPU-1"])
    case = changed(record("stream", 1, {}, {"triad_bandwidth": samples(4e10, "B/s", 5)}), binding=[place])
    expected = "ranks 0-1: thread 0 on 0, thread 1 on 1, memory policy bind:0, base pages, devices GPU-1"
    assert facts(case, words())["Binding read back"] == expected


def test_settings_that_go_together_share_a_column() -> None:
    cases = [
        assess(record("dgemm", i, {"m": n, "n": n, "k": k}, {"flop_rate": samples(1e11, "flop/s", 3)}))
        for i, (n, k) in enumerate([(64, 8), (64, 16), (128, 8)])
    ]
    (chapter,) = chapters(testing.only(*cases), words())
    assert chapter.columns == (("m", "n"), ("k",))
    assert chapter.cases[2].label == "m = n 128, k 8"
