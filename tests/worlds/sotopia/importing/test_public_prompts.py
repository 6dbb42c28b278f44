"""SOTOPIA's public file of inspirational prompts, read as it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sociolab.core.reading import read_text
from sociolab.worlds.sotopia.scenario_writing import mix_sources, read_inspirations


def test_the_public_prompts_are_read_and_mixed(public: Path) -> None:
    path = public / "scenario_seeds" / "used_prompt.csv"
    found = read_inspirations(read_text(path), str(path))
    assert 700 < len(found) <= 795  # some occur twice
    assert {one.source for one in found} == {"social_chem", "social_iqa", "normbank", "other"}
    first = Counter(one.source for one in mix_sources(found, 0)[:60])
    assert abs(first["social_chem"] - first["social_iqa"]) <= 1
    assert abs(first["social_chem"] - 2 * first["normbank"]) <= 2
