"""`sociolab build` as a user types it."""

from __future__ import annotations

import pytest

from cli.conftest import Sociolab


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("sotopia --name a", "WORLD: expected 'stss-talk', found \"sotopia\""),
        ("stss-talk", "expected --name NAME"),
        ("stss-talk --name a --seeds six", "--seeds: expected numbers such as 1-6"),
        ("stss-talk --name a --data nowhere", "--data: expected a folder or an imported data set"),
    ],
)
def test_a_build_that_cannot_be_is_refused_in_a_sentence(
    sociolab: Sociolab, arguments: str, said: str
) -> None:
    done = sociolab("build", *arguments.split())
    assert done.code == 2
    assert said in done.sentence
