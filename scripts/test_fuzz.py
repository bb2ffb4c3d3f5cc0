import pytest

from scripts import fuzz, running
from scripts.packages import ROOT


def test_every_fuzzer_has_seeds() -> None:
    fuzzers = fuzz.fuzzers()
    assert len(fuzzers) >= 3
    assert all(any(seeds.iterdir()) for seeds in fuzzers.values())


def test_names_follow_the_sources() -> None:
    assert fuzz.fuzzers()["fuzz-matrix-market"] == ROOT / "benchmarks/spmv/fuzz_matrix_market"


def test_a_fuzzer_that_finds_something_fails_the_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz, "native", lambda _seconds: ["fuzz-it"])
    monkeypatch.setattr(fuzz, "run", lambda *_words, **_options: None)
    assert fuzz.main(["--seconds", "1"]) == 1
    assert "FAILED fuzz-it" in capsys.readouterr().err


def test_without_clang_the_python_fuzzers_still_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = []
    monkeypatch.setattr(fuzz, "which", lambda *_names: None)
    monkeypatch.setattr(fuzz, "run", lambda *words, **_options: ran.append(words))
    assert fuzz.main([]) == 1
    assert "need Clang" in capsys.readouterr().err
    assert [words[1:] for words in ran] == [("-m", "fuzz", "--hypothesis-profile=fuzz")]


def test_python_fuzzers_that_fail_fail_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_words: object, **_options: object) -> None:
        raise running.CheckError("pytest ended with status 1")

    monkeypatch.setattr(fuzz, "native", lambda _seconds: [])
    monkeypatch.setattr(fuzz, "run", refuse)
    assert fuzz.main([]) == 1
