from __future__ import annotations

import hashlib
import re
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.build import build
from sociolab.worlds.sotopia.dataset import FILES


@pytest.fixture(scope="module")
def folder() -> Path:
    with as_file(files(sotopia.PACKAGE) / "data") as found:
        return found


@pytest.fixture(scope="module")
def own(folder: Path) -> sotopia.DataSet:
    return sotopia.load(folder)


def test_the_made_files_are_what_the_written_ones_make(folder: Path) -> None:
    for name, text in build(folder).items():
        assert (folder / name).read_text("utf-8") == text, f"run the build again: {name} differs"


def test_there_are_450_tasks_five_for_each_of_90_scenarios(own: sotopia.DataSet) -> None:
    assert len(own.rows) == 450
    counts = Counter(row.scenario for row in own.rows)
    assert set(counts) == set(own.scenarios)
    assert set(counts.values()) == {5}
    assert len(counts) == 90


def test_families_are_20_20_10_10_and_30_from_templates(own: sotopia.DataSet) -> None:
    families = Counter(scenario.family for scenario in own.scenarios.values())
    assert families == {
        "norms": 20,
        "feelings": 20,
        "division": 10,
        "place": 10,
        "bargain": 20,
        "mutual-friend": 10,
    }


def test_every_cast_meets_its_scenarios_constraints(own: sotopia.DataSet) -> None:
    for row in own.rows:
        cast = [own.characters[seat] for seat in row.characters]
        assert not list(own.scenarios[row.scenario].unmet(cast, own.pairs(row))), row.id


def test_a_scenario_has_five_different_pairs(own: sotopia.DataSet) -> None:
    pairs = Counter((row.scenario, frozenset(row.characters)) for row in own.rows)
    assert set(pairs.values()) == {1}


def test_only_pairs_with_a_row_of_their_own_are_cast_strangers_too(own: sotopia.DataSet) -> None:
    for row in own.rows:
        assert frozenset(row.characters) in own.relationships


def test_every_character_is_cast_about_as_often_as_the_others(own: sotopia.DataSet) -> None:
    counts = Counter(seat for row in own.rows for seat in row.characters)
    assert len(counts) == 40
    assert min(counts.values()) >= 900 / 40 * 0.75
    assert max(counts.values()) <= 900 / 40 * 1.25


def test_every_relationship_has_its_share_and_strangers_are_no_third(own: sotopia.DataSet) -> None:
    counts = Counter(own.between(*row.characters).type for row in own.rows)
    assert set(counts) == {"stranger", "acquaintance", "friend", "romantic", "family"}
    assert min(counts.values()) >= 60
    assert counts[sotopia.RelationshipType.STRANGER] <= 130


def test_no_relationship_is_rare_and_strangers_are_no_majority(own: sotopia.DataSet) -> None:
    counts = Counter(own.between(*row.characters).type for row in own.rows)
    assert len(counts) == 5
    assert min(counts.values()) >= 60
    assert counts[sotopia.RelationshipType.STRANGER] <= 130


def test_the_data_card_states_version_hashes_and_sizes(own: sotopia.DataSet, folder: Path) -> None:
    card = (Path(__file__).parents[3] / "docs" / "data-card.md").read_text("utf-8")
    assert f"{own.id.name}, version {own.id.version}, hash `{own.id.hash}`" in card
    for name in ("meta.json", *FILES):
        sha = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        assert re.search(rf"^\| `{name}` \| \d+ \| `{sha}` \|$", card, re.MULTILINE), name
    kinds = ("family", "friend", "romantic", "acquaintance", "stranger")
    counts = Counter(
        (own.scenarios[row.scenario].family, own.between(*row.characters).type.value)
        for row in own.rows
    )
    for family in {family for family, _ in counts}:
        sizes = " | ".join(str(counts[family, kind]) for kind in kinds)
        assert re.search(rf"^\| {family} \| \d+ \| \d+ \| {re.escape(sizes)} \|$", card, re.M)


def test_another_seed_casts_other_pairs(own: sotopia.DataSet) -> None:
    def pairs(seed: int) -> list[tuple[str, ...]]:
        rows = sotopia.cast_tasks(
            list(own.scenarios.values()),
            own.characters,
            list(own.relationships.values()),
            seed=seed,
        )
        return [row.characters for row in rows]

    assert pairs(1) == pairs(1)
    assert pairs(1) != pairs(2)


def test_no_cast_is_outside_its_ages_ties_and_occupations(own: sotopia.DataSet) -> None:
    relationships = list(own.relationships.values())
    for scenario in own.scenarios.values():
        ties = scenario.ties or {pair.tie for pair in relationships}
        for cast in sotopia.castable_pairs(scenario, own.characters, relationships):
            who = [own.characters[seat] for seat in cast]
            assert own.between(*cast).tie in ties
            for one, (low, high) in zip(who, scenario.ages, strict=False):
                assert low <= one.age <= high
            for one, wanted in zip(who, scenario.occupations, strict=False):
                assert not wanted or one.occupation in wanted
            for one, barred in zip(who, scenario.excluded_occupations, strict=False):
                assert one.occupation not in barred


def test_every_constraint_names_something_that_there_is(own: sotopia.DataSet) -> None:
    occupations = {one.occupation for one in own.characters.values()}
    ties = {pair.tie for pair in own.relationships.values()}
    for scenario in own.scenarios.values():
        named = {
            o for seat in (*scenario.occupations, *scenario.excluded_occupations) for o in seat
        }
        assert named <= occupations, scenario.id
        assert set(scenario.ties) <= ties, scenario.id


def test_a_scenario_without_enough_pairs_is_refused(own: sotopia.DataSet) -> None:
    with pytest.raises(ConfigError, match=r"expected 400 pairs to cast, found \d+ that fit"):
        sotopia.cast_tasks(
            list(own.scenarios.values())[:1],
            own.characters,
            list(own.relationships.values()),
            per_scenario=400,
        )


def test_a_task_of_long_ids_has_an_id_that_may_be(own: sotopia.DataSet) -> None:
    scenario = next(iter(own.scenarios.values())).model_copy(update={"id": "s" * 80})
    pairs = list(own.relationships.values())
    rows = sotopia.cast_tasks([scenario], own.characters, pairs, per_scenario=2)
    assert len({row.id for row in rows}) == 2
    assert all(row.scenario == "s" * 80 and len(row.id) <= 80 for row in rows)


def test_every_beginning_of_the_tasks_is_varied(own: sotopia.DataSet) -> None:
    first = own.rows[:90]
    assert len({row.scenario for row in first}) == 90
    families = [own.scenarios[row.scenario].family for row in own.rows[:18]]
    assert Counter(families) == {
        "norms": 4,
        "feelings": 4,
        "bargain": 4,
        "division": 2,
        "place": 2,
        "mutual-friend": 2,
    }
