"""`sociolab judge --validate`: what it prints, how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab.endpoint import EndpointSettings, start_in_process

SET = Path(__file__).parents[2] / "validation" / "sotopia"


def test_a_reader_beside_labels(sociolab: Sociolab) -> None:
    with start_in_process(EndpointSettings(characters=60)) as endpoint:
        words = ("judge", "--validate", "openai/m", "--data", SET, "--base-url", endpoint.url)
        done = sociolab(*words, "--limit", 8, "--json")
        assert done.code == 0, done.err
        assert done.document["kind"] == "validation"
        assert done.document["agreement"][-1]["items"] == 8
        told = sociolab(*words, "--limit", 8)
    assert told.code == 0, told.err
    assert "Agreement with the labels" in told.out
    assert "by no person" in told.out


def test_where_every_answer_failed_it_ends_with_1(sociolab: Sociolab) -> None:
    done = sociolab("judge", "--validate", "heuristic", "--data", SET, "--limit", 3)
    assert done.code == 1
    assert "nothing was validated" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "expected a RUN whose episodes are judged, or --validate SPEC --data DIR"),
        (("--validate", "heuristic"), "--validate needs --data"),
        (("first", "--limit", "3"), "--limit needs --validate and --data"),
        (("first", "--validate", "heuristic", "--data", SET), "leave out RUN"),
        (
            ("--validate", "heuristic", "--data", SET, "--judge", "heuristic", "--repeats", "2"),
            "leave out --judge, --repeats",
        ),
        (("--validate", "heuristic", "--data", "nowhere"), "found nowhere; see docs/validation.md"),
        (("--validate", "sage", "--data", SET), 'there is no judge called "sage"'),
    ],
)
def test_wrong_arguments_are_one_sentence(
    sociolab: Sociolab, words: tuple[object, ...], told: str
) -> None:
    done = sociolab("judge", *words)
    assert done.code == 2
    assert told in done.sentence
