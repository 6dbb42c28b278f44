"""Archives in the forms that SOTOPIA's package writes: exported lines, store, arrays, CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sociolab.app import requests_of
from sociolab.core import Action, ConfigError, Happened
from sociolab.worlds import sotopia
from sotopia_cases import data_set

TABLES = {
    "agent_profiles": ("AgentProfile", {"agent_id": "pk"}),
    "environment_profiles": ("EnvironmentProfile", {"env_id": "pk"}),
    "relationship_profiles": (
        "RelationshipProfile",
        {"relationship_id": "pk", "agent1_id": "agent_1_id", "agent2_id": "agent_2_id"},
    ),
    "env_agent_combo_storages": ("EnvAgentComboStorage", {"combo_id": "pk"}),
}
"""By exported file: the folder in a local store, and the fields that have other names there."""


def rows_of(profiles: Path, table: str) -> list[dict[str, Any]]:
    lines = (profiles / f"{table}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def local_store(profiles: Path, target: Path) -> Path:
    """The profiles as the package's local store has them: a file for each."""
    for table, (model, names) in TABLES.items():
        (target / model).mkdir(parents=True)
        for number, row in enumerate(rows_of(profiles, table)):
            fields = {names.get(name, name): value for name, value in row.items()}
            fields = {"pk": f"r-{number}", "tag": ""} | fields
            path = target / model / f"{number:03}-{fields['pk']}.json"
            path.write_text(json.dumps(fields, indent=2), "utf-8")
    return target


def arrays(profiles: Path, target: Path) -> Path:
    target.mkdir()
    for table in TABLES:
        (target / f"{table}.json").write_text(json.dumps(rows_of(profiles, table), indent=1))
    return target


def csv_files(profiles: Path, target: Path) -> Path:
    """As the package writes CSV: lists in Python's notation."""
    target.mkdir()
    for table in TABLES:
        rows = rows_of(profiles, table)
        with (target / f"{table}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)))
            writer.writeheader()
            writer.writerows(rows)
    return target


@pytest.mark.parametrize("form", [local_store, arrays, csv_files])
def test_profiles_in_any_form_are_the_same_data_set(
    fixtures: Path, tmp_path: Path, form: Any
) -> None:
    made = form(fixtures / "profiles", tmp_path / "made")
    hard = (fixtures / "profiles" / "sotopia_hard_env_ids.json").read_bytes()
    (made / "sotopia_hard_env_ids.json").write_bytes(hard)
    sotopia.import_sotopia(made, tmp_path / "found", "x")
    sotopia.import_sotopia(fixtures, tmp_path / "expected", "x")
    for file in ("characters.jsonl", "scenarios.jsonl", "relationships.jsonl", "tasks.jsonl"):
        lines = [(tmp_path / side / file).read_text("utf-8") for side in ("found", "expected")]
        assert lines[0] == lines[1], file
    license_ = json.loads((tmp_path / "found" / "meta.json").read_text("utf-8"))["license"]
    assert (license_ == "not stated") == (form is local_store)


def test_profiles_of_the_packages_csv_have_no_gender_and_are_counted(
    fixtures: Path, tmp_path: Path
) -> None:
    made = csv_files(fixtures / "profiles", tmp_path / "made")
    rows = rows_of(fixtures / "profiles", "agent_profiles")
    with (made / "agent_profiles.csv").open("w", newline="", encoding="utf-8") as file:
        columns = ("agent_id", "first_name", "last_name", "age", "occupation")
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    report = sotopia.import_sotopia(made, tmp_path / "x", "x")
    assert dict(report.quirks)[sotopia.Quirk.NO_GENDER] == len(rows)
    people = sotopia.load(tmp_path / "x").characters.values()
    assert {person.gender for person in people} == {""}


def test_a_csv_row_with_too_many_cells_is_named(fixtures: Path, tmp_path: Path) -> None:
    made = csv_files(fixtures / "profiles", tmp_path / "made")
    path = made / "agent_profiles.csv"
    path.write_text(path.read_text("utf-8").rstrip() + ",more\n", "utf-8")
    with pytest.raises(ConfigError, match=r"agent_profiles\.csv, line \d+: expected CSV"):
        sotopia.import_sotopia(made, tmp_path / "x", "x")


# ------------------------------------------------------------------ episodes


NAMES = ("Ida Roe", "Bo Lund")
BACKGROUNDS = tuple(
    f"{name} is a 40-year-old {who}. {name} likes rain. Personality and values description: Calm. "
    f"{name.split()[0]}'s secrets: {name.split()[0]} snores."
    for name, who in zip(
        NAMES, ("female cook. She/her pronouns", "male smith. He/him pronouns"), strict=True
    )
)
GOALS = ("Go home.", "Stay.")
SCORES = {
    "believability": 9, "relationship": -2, "knowledge": 3, "secret": 0, "social_rules": -1,
    "financial_and_material_benefits": 1, "goal": 4,
}  # fmt: skip
OTHER_PROMPT = """Prompt after formatting:
Scenario: Two others sing.
Participants: Eve Fox and Ann Day
Turn #1
Eve Fox left the conversation,
Based on previous interactions, evaluate how well participants achieve their goals.
Please following the format: ..."""


def scene(seat: int) -> str:
    """What an agent is told at the start: its own secret and goal, not the other's."""
    other = BACKGROUNDS[1 - seat].partition("Personality")[0]
    backgrounds = [BACKGROUNDS[seat], other] if seat == 0 else [other, BACKGROUNDS[seat]]
    goals = [goal if index == seat else "Unknown" for index, goal in enumerate(GOALS)]
    lines = [f"{n}'s background: {b}" for n, b in zip(NAMES, backgrounds, strict=True)]
    lines += [f"{n}'s goal: {g}" for n, g in zip(NAMES, goals, strict=True)]
    stage = "Here is the context of this interaction:\nScenario: Two people wait.\n"
    return f"\n{stage}Participants: {' and '.join(NAMES)}\n" + "\n".join(
        [*lines, "Conversation Starts:\n"]
    )


def messages(acts: Iterable[tuple[int, str]]) -> list[list[tuple[str, str, str]]]:
    """As the package logs them: what agents see, then what they do; the last turn is only seen."""
    told = [("Environment", name, scene(seat)) for seat, name in enumerate(NAMES)]
    turns = []
    for number, (who, text) in enumerate(acts):
        done = [text if seat == who else "did nothing" for seat in (0, 1)]
        turns.append(told + [(n, "Environment", d) for n, d in zip(NAMES, done, strict=True)])
        seen = f"Turn #{number}: {NAMES[who]} {text}\n"
        told = [("Environment", name, seen) for name in NAMES]
    return [*turns, told]


ACTS = (
    (0, 'said: "I leave.\n\nTurn #1: no."'),
    (1, "[action] waves"),
    (0, "did nothing"),
    (1, "left the conversation"),
)


def exported(**changes: Any) -> dict[str, Any]:
    """A line as the package exports it."""
    row = {
        "episode_id": "e1",
        "environment_id": "env-1",
        "agent_ids": ["a-1", "a-2"],
        "experiment_tag": "m1_m2_v0.0.1_clean",
        "experiment_model_name_pairs": ["judge-1", "m1", "m2"],
        "raw_messages": messages(ACTS),
        "raw_rewards": [[2.0, SCORES | {"overall_score": 2.0}], [3.0, SCORES | {"goal": 10}]],
        "raw_rewards_prompt": OTHER_PROMPT,
        "scenario": "Two people wait.",
        "reasoning": "Agent 1 comments:\ngoal: Half.\nAgent 2 comments:\ngoal: All.\n",
        "rewards": [SCORES, SCORES],
    }
    return {key: value for key, value in (row | changes).items() if value is not ...}


def imported(folder: Path, *rows: dict[str, Any]) -> sotopia.ImportedEpisodes:
    path = folder / "episodes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return sotopia.import_episodes(path)


def test_an_exported_episode_is_read_from_its_messages(tmp_path: Path) -> None:
    result = imported(tmp_path, exported())
    (episode,) = result.episodes
    assert [(move.seat, move.actions[0]) for move in episode.moves] == [
        ("a-1", Action("speak", "I leave.\n\nTurn #1: no.")),
        ("a-2", Action("physical action", "waves")),
        ("a-1", Action("none")),
        ("a-2", Action("leave")),
    ]
    assert (episode.trial.id, episode.trial.task.cluster) == ("e1", "env-1")
    assert [member.agent for member in episode.trial.cast] == ["m1", "m2"]
    assert Happened(0, "", "archived", {"tag": "m1_m2_v0.0.1_clean"}) in episode.events
    cast = sotopia.casting_of(episode.trial.task)
    assert [person.secret for person in cast.characters] == ["Ida snores.", "Bo snores."]
    assert [goal.text for goal in cast.scenario.goals] == list(GOALS)
    (judging,) = result.judgings
    assert (judging.judge.name, judging.judge.settings) == (
        "judge-1",
        "v0.0.1_clean, stored with the episodes",
    )
    values = {(v.seat, v.measure.name): getattr(v, "value", None) for v in judging.verdicts}
    assert (values["a-1", "goal"], values["a-2", "goal"], values["a-1", "overall"]) == (4, 10, 2)
    assert "tags: m1_m2_v0.0.1_clean (1)" in result.lines


def test_what_a_seat_was_asked_is_rebuilt_whatever_the_tag(tmp_path: Path) -> None:
    world = sotopia.Sotopia(data_set())
    (tagged,) = imported(tmp_path, exported()).episodes
    (plain,) = imported(tmp_path, exported(experiment_tag="")).episodes
    requests = requests_of(world, tagged)
    assert len(requests) == 4
    assert requests == requests_of(world, plain)


def test_a_prompt_of_another_episode_is_not_read(tmp_path: Path) -> None:
    result = imported(tmp_path, exported())
    assert dict(result.quirks)[sotopia.Quirk.FOREIGN_PROMPT] == 1
    other = imported(tmp_path, exported(raw_rewards_prompt="TBD"))
    assert other.episodes == result.episodes


@pytest.mark.parametrize("rewards", [..., None, [], [None, None]])
def test_an_exported_episode_without_scores_has_none(tmp_path: Path, rewards: Any) -> None:
    result = imported(tmp_path, exported(raw_rewards=rewards, rewards=...))
    assert (len(result.episodes), result.judgings) == (1, ())


def test_scores_by_dimension_alone_are_scores(tmp_path: Path) -> None:
    (judging,) = imported(tmp_path, exported(raw_rewards=...)).judgings
    assert len(judging.verdicts) == 16


def test_the_judges_task_is_no_part_of_the_last_turn(tmp_path: Path) -> None:
    told = [("Ida Roe", BACKGROUNDS[0], GOALS[0]), ("Bo Lund", BACKGROUNDS[1], GOALS[1])]
    head = "Prompt after formatting:\nScenario: Two people wait.\nParticipants: Ida Roe and Bo Lund"
    lines = [head, *(f"{name}'s background: {text}" for name, text, _ in told)]
    lines += [f"{name}'s goal: {goal}" for name, _, goal in told]
    tail = OTHER_PROMPT.partition("Eve Fox left the conversation")[2]
    for last, kind in (("Bo Lund left the conversation", "leave"), ("", "none")):
        prompt = "\n".join([*lines, 'Turn #1\nIda Roe said: "No."', f"Turn #2\n{last}"]) + tail
        row = exported(raw_messages=..., raw_rewards_prompt=prompt)
        moves = imported(tmp_path, row).episodes[0].moves
        assert moves[-1].actions == (Action(kind),)


def test_an_episode_without_a_turn_is_left_out_and_counted(tmp_path: Path) -> None:
    empty = exported(episode_id="e2", raw_messages=messages(()))
    result = imported(tmp_path, exported(), empty)
    assert [episode.trial.id for episode in result.episodes] == ["e1"]
    assert dict(result.quirks)[sotopia.Quirk.NOTHING_PLAYED] == 1

    with pytest.raises(ConfigError, match="expected episodes, found 1 without a turn"):
        imported(tmp_path, empty)


def test_a_log_without_the_scene_of_every_agent_is_refused(tmp_path: Path) -> None:
    told, *rest = messages(ACTS)
    row = exported(raw_messages=[told[1:], *rest])
    with pytest.raises(ConfigError, match="line 1: messages do not hold the scene as Ida Roe"):
        imported(tmp_path, row)
    other = [list(told[0]), ["Environment", "Bo Lund", told[1][2].replace("Ida Roe", "Eve Fox")]]
    with pytest.raises(ConfigError, match="line 1: messages do not hold the scene as Bo Lund"):
        imported(tmp_path, exported(raw_messages=[[*other, *told[2:]], *rest]))


def test_ids_that_do_not_tell_apart_are_not_taken(tmp_path: Path) -> None:
    other = json.loads(json.dumps(exported()).replace("Two people wait", "Two people run"))
    same = exported(episode_id="e2") | {"raw_messages": other["raw_messages"]}
    result = imported(tmp_path, exported(), same)
    clusters = {episode.trial.task.cluster for episode in result.episodes}
    assert len(clusters) == 2
    assert "env-1" not in clusters


def test_the_packages_store_holds_episodes_and_profiles(fixtures: Path, tmp_path: Path) -> None:
    store = local_store(fixtures / "profiles", tmp_path / "data")
    (store / "EpisodeLog").mkdir()
    names = {"raw_messages": "messages", "raw_rewards": "rewards", "raw_rewards_prompt": "prompt"}
    names |= {"episode_id": "pk", "environment_id": "environment", "agent_ids": "agents"}
    names |= {"experiment_tag": "tag", "experiment_model_name_pairs": "models"}
    log = {names.get(key, key): value for key, value in exported(rewards=...).items()}
    (store / "EpisodeLog" / "e1.json").write_text(json.dumps(log, indent=2), "utf-8")
    expected = imported(tmp_path, exported(raw_rewards_prompt=...))
    result = sotopia.import_episodes(store)
    assert result.episodes == expected.episodes
    assert result.judgings == expected.judgings
    assert sotopia.import_episodes(store / "EpisodeLog" / "e1.json").episodes == result.episodes


def test_without_combinations_a_store_has_the_tasks_that_were_played(
    fixtures: Path, tmp_path: Path
) -> None:
    store = local_store(fixtures / "profiles", tmp_path / "data")
    for path in (store / "EnvAgentComboStorage").iterdir():
        path.unlink()
    with pytest.raises(ConfigError, match="holds no combination"):
        sotopia.import_sotopia(store, tmp_path / "none", "x")
    (store / "EpisodeLog").mkdir()
    log = {"pk": "e1", "environment": "s-pears", "agents": ["c-odile", "c-wren"]}
    (store / "EpisodeLog" / "e1.json").write_text(json.dumps(log), "utf-8")
    report = sotopia.import_sotopia(store, tmp_path / "x", "x")
    assert dict(report.quirks)[sotopia.Quirk.TASK_OF_EPISODES] == 1
    (task,) = sotopia.load(tmp_path / "x").tasks()
    assert (task.cluster, task.seats) == ("s-pears", ("c-odile", "c-wren"))


def test_the_papers_own_episodes_come_in_with_their_scores(public: Path) -> None:
    result = sotopia.import_episodes(public / "episodes" / "exported_v1_example.jsonl")
    assert (len(result.episodes), len(result.judgings)) == (8, 8)
    assert dict(result.quirks) == {
        sotopia.Quirk.FOREIGN_PROMPT: 6,
        sotopia.Quirk.EMPTY_TURN: 3,
        sotopia.Quirk.PAST_LIMIT: 1,
        sotopia.Quirk.SILENT_END: 3,
    }
    ends = [episode.ended.reason for episode in result.episodes if episode.ended]
    assert (ends.count("left"), ends.count("silence")) == (5, 3)
    seats = [episode.trial.task.seats for episode in result.episodes]
    assert all(
        move.seat == cast[move.turn % 2]
        for episode, cast in zip(result.episodes, seats, strict=True)
        for move in episode.moves
    )
