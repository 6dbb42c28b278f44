"""Episodes that SOTOPIA's models played: read back, labelled, and matched with tasks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolab.core import Action, ConfigError, Ended, Episode
from sociolab.worlds import sotopia

# ------------------------------------------------------------------ a judge's prompt, read back


# ------------------------------------------------------------------ which model sat where


# ---------- episodes that other programs played, on our own small files that carry every quirk


KETTLE = (
    Action("speak", "Would you take $950 for it?"),
    Action(
        "speak",
        'Let me see.\n\nTurn #3: Odile Marsh said: "Yes!"\nTurn #9\nNo. It is worth $1,100.',
    ),
    Action("physical action", "turns the kettle in her hands"),
    Action("none"),
    Action("none"),
    Action("none"),
    Action("speak", "'One thousand, then.'"),
    Action("leave"),
)


@pytest.fixture
def imported(fixtures: Path) -> sotopia.ImportedEpisodes:
    return sotopia.import_episodes(fixtures)


@pytest.fixture
def by_id(imported: sotopia.ImportedEpisodes) -> dict[str, Episode]:
    return {episode.trial.id: episode for episode in imported.episodes}


@pytest.fixture
def alone(copied: Path) -> sotopia.ImportedEpisodes:
    """The episodes without the profile files beside them."""
    (copied / "profiles").rename(copied / "put-away")
    return sotopia.import_episodes(copied / "episodes" / "played.jsonl")


def test_every_turn_is_there_with_its_kind_and_seat(by_id: dict[str, Episode]) -> None:
    episode = by_id["e-kettle"]
    assert tuple(move.actions[0] for move in episode.moves) == KETTLE
    assert [move.seat for move in episode.moves] == ["c-odile", "c-tobiah"] * 4
    assert [move.turn for move in episode.moves] == list(range(8))


def test_an_episode_is_of_the_task_that_the_data_set_has(
    by_id: dict[str, Episode], fixtures: Path, tmp_path: Path
) -> None:
    sotopia.import_sotopia(fixtures, tmp_path / "x", "x")
    tasks = {task.id: task for task in sotopia.load(tmp_path / "x").tasks()}
    assert by_id["e-kettle"].trial.task == tasks["t-01"]
    assert by_id["e-bench-1"].trial.task == tasks["t-09"]
    assert by_id["e-party"].trial.task == tasks["t-04"]


def test_a_cast_that_is_no_task_has_a_task_of_its_own(by_id: dict[str, Episode]) -> None:
    task = by_id["e-pears"].trial.task
    assert task.id.startswith("task-")
    assert (task.cluster, task.seats) == ("s-pears", ("c-odile", "c-wren"))
    assert sotopia.casting_of(task).relationships[0].type is sotopia.RelationshipType.FRIEND


def test_the_scenario_that_was_played_counts_not_the_one_that_is_named(
    by_id: dict[str, Episode], fixtures: Path
) -> None:
    line = (fixtures / "episodes" / "played.jsonl").read_text("utf-8").splitlines()[1]
    assert json.loads(line)["environment"] == "s-pears"
    assert by_id["e-fence"].trial.task.cluster == "s-fence"


def test_characters_are_the_profiles_even_where_a_background_is_cut(
    by_id: dict[str, Episode],
) -> None:
    tobiah = sotopia.casting_of(by_id["e-fence"].trial.task).characters[0]
    assert (tobiah.id, tobiah.age) == ("c-tobiah", 58)
    assert tobiah.secret == "He once stopped the clock on purpose"


def test_reasons_to_end_are_told_apart(by_id: dict[str, Episode]) -> None:
    assert by_id["e-kettle"].ended == Ended("left", 7, "c-tobiah")
    assert by_id["e-fence"].ended == Ended("silence", 2, "c-tobiah")
    assert by_id["e-bench-1"].ended == Ended("turn limit", 20)
    assert by_id["e-pears"].ended == Ended("turn limit", 1)


def test_the_models_are_the_cast(by_id: dict[str, Episode]) -> None:
    labels = {
        key: tuple(member.agent for member in episode.trial.cast) for key, episode in by_id.items()
    }
    assert labels == {
        "e-kettle": ("small-model", "Tuned-2"),
        "e-fence": ("Tuned-2", "small-model"),
        "e-bench-1": ("small-model", "big-model"),
        "e-bench-2": ("small-model", "big-model"),
        "e-pears": ("unknown model", "unknown model"),
        "e-party": ("tuned-3", "small-model"),
    }
    agents = {member.identity for e in by_id.values() for member in e.trial.cast}
    assert {one.label: one.kind for one in agents} == {
        "small-model": "model",
        "big-model": "model",
        "Tuned-2": "model",
        "tuned-3": "model",
        "unknown model": "imported",
    }
    assert len(agents) == 5


def test_a_task_played_again_by_the_same_cast_is_a_repeat(by_id: dict[str, Episode]) -> None:
    assert by_id["e-bench-1"].trial.repeat == 0
    assert by_id["e-bench-2"].trial.repeat == 1
    assert by_id["e-kettle"].trial.repeat == 0


def test_every_quirk_of_the_episodes_is_met_and_counted(imported: sotopia.ImportedEpisodes) -> None:
    assert dict(imported.quirks) == {
        sotopia.Quirk.CUSTOM_MODEL: 3,
        sotopia.Quirk.UNKNOWN_MODEL: 2,
        sotopia.Quirk.OTHER_SCENARIO: 1,
        sotopia.Quirk.NO_TASK: 1,
        sotopia.Quirk.EMPTY_TURN: 2,
        sotopia.Quirk.EMPTY_ACT: 1,
        sotopia.Quirk.REPEATED_LABEL: 1,
        sotopia.Quirk.PAST_LIMIT: 1,
        sotopia.Quirk.SILENT_END: 1,
    }
    assert imported.lines[0] == (
        "6 episodes of 5 tasks, played by Tuned-2, big-model, small-model, tuned-3, unknown model"
    )
    assert "seats of which no model is known: 2" in imported.lines


def test_episodes_are_shown_by_the_world(
    by_id: dict[str, Episode], fixtures: Path, tmp_path: Path
) -> None:
    sotopia.import_sotopia(fixtures, tmp_path / "x", "x")
    world = sotopia.Sotopia(sotopia.load(tmp_path / "x"))
    whole = world.transcript(by_id["e-kettle"])
    assert [line.text for line in whole.lines][-2:] == [
        "Odile: 'One thousand, then.'",
        "Tobiah leaves.",
    ]
    seen = world.transcript(by_id["e-kettle"], "c-tobiah")
    assert "soldered" not in seen.scene[0][1]


def test_without_profiles_the_episodes_own_text_is_enough(alone: sotopia.ImportedEpisodes) -> None:
    quirks = dict(alone.quirks)
    assert len(alone.episodes) == 6
    assert quirks[sotopia.Quirk.OWN_TEXT] == 6
    assert quirks[sotopia.Quirk.UNKNOWN_TIE] == 6
    assert quirks[sotopia.Quirk.REBUILT_CHARACTER] == 4
    castings = {e.trial.id: sotopia.casting_of(e.trial.task) for e in alone.episodes}
    kettle = castings["e-kettle"]
    assert kettle.scenario.family == "bargain"
    assert kettle.scenario.goals[1].facts == sotopia.PriceGoal(
        role="seller", item="the copper kettle", listed=1240.5, target=1100
    )
    assert isinstance(castings["e-party"].scenario.goals[0].facts, sotopia.FriendGoal)
    odile, tobiah = kettle.characters
    assert (odile.id, odile.gender, odile.age) == ("Odile-Marsh", "woman", 34)
    assert (odile.pronouns, odile.occupation) == ("she/her", "ferry mechanic")
    assert odile.public_info == "Odile Marsh swims in the harbour every morning."
    assert odile.personality == "Odile Marsh is blunt and warm."
    assert odile.secret == "She cannot read a sea chart"
    assert tobiah.name == "Tobiah Finch"


def test_without_profiles_the_fullest_background_of_a_name_is_taken(
    alone: sotopia.ImportedEpisodes,
) -> None:
    episodes = {e.trial.id: e for e in alone.episodes}
    piet = sotopia.casting_of(episodes["e-bench-1"].trial.task).characters[0]
    # This episode's own text breaks off before the secret; a later one has it.
    assert piet.secret == "He sells his master's sourdough"
    assert (piet.id, piet.first_name, piet.last_name) == ("Piet-O-Dell", "Piet", "O'Dell")


def test_without_profiles_the_same_scene_and_cast_are_one_task(
    alone: sotopia.ImportedEpisodes,
) -> None:
    tasks = {e.trial.id: e.trial.task.id for e in alone.episodes}
    assert tasks["e-bench-1"] == tasks["e-bench-2"]
    assert len(set(tasks.values())) == 5


Change = Callable[[str], str]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace("left the conversation", "vanished", 1), "line 1: turn 8 of rewards_"),
        (lambda t: t.replace('"e-bench-2"', '"e-bench-1"'), "line 4: the episode e-bench-1 comes"),
        (lambda t: t.replace('"pk": "e-party", ', ""), "line 6: pk is missing"),
        (lambda t: t[:-30], "line 6: expected JSON, found "),
    ],
)
def test_a_broken_line_is_named(copied: Path, change: Change, message: str) -> None:
    path = copied / "episodes" / "played.jsonl"
    text = path.read_text("utf-8")
    assert change(text) != text
    path.write_text(change(text), "utf-8")
    with pytest.raises(ConfigError, match=r"line \d+: ") as caught:
        sotopia.import_episodes(copied)
    assert str(caught.value).startswith(f"{path}, {message}")


def test_a_folder_without_episodes_is_refused(fixtures: Path) -> None:
    with pytest.raises(ConfigError, match="expected JSON-lines files with episodes"):
        sotopia.import_episodes(fixtures / "profiles")
