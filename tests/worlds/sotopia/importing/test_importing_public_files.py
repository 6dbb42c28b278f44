"""SOTOPIA's public files themselves, where they are at hand."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from sociolab.worlds.sotopia.dataset import DataSet, load
from sociolab.worlds.sotopia.importing.episodes import ImportedEpisodes, import_episodes
from sociolab.worlds.sotopia.importing.public_data import SotopiaImport, import_sotopia
from sociolab.worlds.sotopia.importing.reading import Quirk
from sociolab.worlds.sotopia.scene import SotopiaScene
from sociolab.worlds.sotopia.world import casting_of


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("public") / "set"


@pytest.fixture(scope="module")
def report(public: Path, target: Path) -> SotopiaImport:
    return import_sotopia(public, target, "public")


@pytest.fixture(scope="module")
def data(report: SotopiaImport, target: Path) -> DataSet:
    assert report.tasks
    return load(target)


@pytest.fixture(scope="module")
def played(public: Path) -> ImportedEpisodes:
    return import_episodes(public)


def test_everything_is_imported(report: SotopiaImport) -> None:
    assert (report.characters, report.scenarios, report.tasks) == (40, 90, 450)
    assert (report.relationship_rows, report.pairs) == (120, 118)
    assert (report.hard_tasks, report.scenarios_with_facts) == (70, 30)


def test_the_quirks_are_those_that_a_count_by_hand_found(report: SotopiaImport) -> None:
    assert dict(report.quirks) == {
        Quirk.SPACED_ITEM: 30,
        Quirk.EMPTY_CONSTRAINT: 179,
        Quirk.ENVIRONMENT_PART: 10,
        Quirk.EXTRA_INFO: 154,
        Quirk.CLARIFICATION_HINT: 2,
        Quirk.STRATEGY_HINT: 25,
        Quirk.ESCAPED_QUOTE: 3,
        Quirk.GLUED_SENTENCES: 1,
        Quirk.CONFLICTING_PAIR: 2,
        Quirk.TASK_OF_CONFLICT: 23,
        Quirk.TASK_DISAGREES: 1,
        Quirk.OUTSIDE_CONSTRAINT: 5,
    }


def test_texts_are_clean(data: DataSet) -> None:
    texts = [scene.context for scene in data.scenarios.values()]
    texts += [goal.text for scene in data.scenarios.values() for goal in scene.goals]
    dirty = re.compile(r"<|\\|\(\s*\)|  |\s[.,]|[a-z]Hint:|nan\b")
    assert not [text for text in texts if dirty.search(text)]
    assert all(text[0].isupper() or text[0].isdigit() for text in texts)


def test_no_seat_is_told_what_is_for_the_environment_or_the_other_seat(data: DataSet) -> None:
    for task in data.tasks():
        scene = SotopiaScene(casting_of(task))
        goals = [goal.text for goal in scene.casting.scenario.goals]
        for seat, key in enumerate(scene.seats):
            head = scene.witness(key).observe(0).head
            assert "common friends" not in head
            assert goals[seat] in head
            other = goals[1 - seat]
            assert other not in head or other == goals[seat]


def test_families_follow_the_sources(data: DataSet) -> None:
    assert Counter(scene.family for scene in data.scenarios.values()) == {
        "bargain": 10,
        "division": 10,
        "mutual-friend": 10,
        "norms": 20,
        "feelings": 15,
        "place": 9,
        "other": 16,
    }


def test_every_task_has_its_scenarios_relationship(data: DataSet) -> None:
    for task in data.tasks():
        casting = casting_of(task)
        assert casting.relationships[0].type is casting.scenario.relationships[0]


def test_all_episodes_are_imported_onto_their_tasks(
    played: ImportedEpisodes, data: DataSet
) -> None:
    tasks = {task.id: task for task in data.tasks()}
    assert len(played.episodes) == 154
    assert all(episode.trial.task == tasks[episode.trial.task.id] for episode in played.episodes)
    hard = [e for e in played.episodes if "public-hard" in e.trial.task.tags]
    assert len(hard) == 151  # three name a hard scenario and played another one
    assert dict(played.quirks)[Quirk.OTHER_SCENARIO] == 3


def test_no_turn_of_the_episodes_is_lost(played: ImportedEpisodes) -> None:
    kinds = Counter(
        action.kind for e in played.episodes for move in e.moves for action in move.actions
    )
    assert kinds == {
        "speak": 1148,
        "non-verbal communication": 84,
        "physical action": 52,
        "none": 83,
        "leave": 117,
    }
    assert Counter(e.ended.reason for e in played.episodes if e.ended) == {
        "left": 117,
        "silence": 30,
        "turn limit": 7,
    }


def test_players_take_turns_in_every_episode(played: ImportedEpisodes) -> None:
    for episode in played.episodes:
        seats = episode.trial.task.seats
        assert all(move.seat == seats[move.turn % 2] for move in episode.moves)


def test_each_models_seat_shows_in_how_it_plays(played: ImportedEpisodes) -> None:
    """The reading of `models` (the judge, then the seats in order) holds in both seats: gpt-4
    never leaves, and the tuned models that speak briefly do so wherever they sit."""
    leavers: Counter[str] = Counter()
    lengths: dict[tuple[str, int], list[int]] = {}
    for episode in played.episodes:
        trial = episode.trial
        for move in episode.moves:
            label, seat = trial.agent(move.seat), trial.task.seats.index(move.seat)
            leavers[label] += move.actions[0].kind == "leave"
            if move.actions[0].kind == "speak" and "SR" in {m.agent for m in trial.cast}:
                lengths.setdefault((label, seat), []).append(len(move.actions[0].text))
    assert leavers["gpt-4"] == 0
    assert leavers["gpt-3.5-turbo"] > 80
    means = {key: sum(found) / len(found) for key, found in lengths.items()}
    assert max(means["SR", 0], means["SR", 1]) < 150
    assert min(means["gpt-3.5-turbo", 0], means["gpt-3.5-turbo", 1]) > 190


def test_episodes_alone_are_enough(public: Path, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    for path in (public / "episodes").glob("*.jsonl"):
        (tmp_path / "alone" / path.name).write_bytes(path.read_bytes())
    alone = import_episodes(tmp_path / "alone")
    assert len(alone.episodes) == 154
    assert len({e.trial.task.cluster for e in alone.episodes}) == 17
    assert dict(alone.quirks)[Quirk.REBUILT_CHARACTER] == 36
