"""`sociolab export --as sotopia`: a run as SOTOPIA's package stores it, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from casts import seated
from cli.conftest import Sociolab
from sociolab.core import Action, Episode, JudgeId, Moved, Score, Trial, Verdict
from sociolab.store import Store, open_store
from sociolab.worlds import sotopia
from sotopia_cases import casting, task_of


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    pk: str


class EpisodeRecord(_Strict):
    """What version 0.1.5 of the package reads, in our words."""

    environment: str
    agents: list[str]
    tag: str
    models: list[str]
    messages: list[list[list[str]]]
    reasoning: str
    rewards: list[list[float | dict[str, float]] | float]
    rewards_prompt: str


class AgentRecord(_Strict):
    first_name: str
    last_name: str
    age: int
    occupation: str
    gender: str
    gender_pronoun: str
    public_info: str
    big_five: str
    moral_values: list[str]
    schwartz_personal_values: list[str]
    personality_and_values: str
    decision_making_style: str
    secret: str


class EnvironmentRecord(_Strict):
    codename: str
    source: str
    scenario: str
    agent_goals: list[str]
    relationship: int
    age_constraint: str | None


class RelationshipRecord(_Strict):
    agent_1_id: str
    agent_2_id: str
    relationship: int
    background_story: str


class CombinationRecord(_Strict):
    env_id: str
    agent_ids: list[str]


RECORDS: dict[str, type[_Strict]] = {
    "EpisodeLog": EpisodeRecord,
    "AgentProfile": AgentRecord,
    "EnvironmentProfile": EnvironmentRecord,
    "RelationshipProfile": RelationshipRecord,
    "EnvAgentComboStorage": CombinationRecord,
}


def read_archive(folder: Path) -> dict[str, list[Any]]:
    """The records by folder, checked; each is named after its key."""
    records: dict[str, list[Any]] = {}
    for path in sorted(folder.glob("*/*")):
        found = RECORDS[path.parent.name].model_validate_json(path.read_text("utf-8"))
        assert path.name == f"{found.pk}.json"
        records.setdefault(path.parent.name, []).append(found)
    return records


@pytest.fixture
def played(sociolab: Sociolab, tmp_path: Path) -> Path:
    """A store with a run of scripted players, scored by two models in goal and believability."""
    assert sociolab("run", "sotopia", "--limit", 2, "--name", "first", "--store", "s.db").code == 0
    with Store.open(tmp_path / "s.db", create=False) as store:
        measures = {measure.name: measure for measure in sotopia.DIMENSIONS}
        for name in ("j1", "j2"):
            for row in store.trials("first"):
                scores: list[Verdict] = [
                    Score(measures[metric], seat, value, f"about {metric}\n[r1] of {seat}")
                    for seat in row.trial.task.seats
                    for metric, value in (("goal", 7), ("financial", -1))
                ]
                judge = JudgeId(name, "model")
                store.verdicts.add("first", judge, scores, trial=row.trial.id)
    return tmp_path / "s.db"


def test_a_run_is_written_as_the_package_reads_it(
    sociolab: Sociolab, played: Path, tmp_path: Path
) -> None:
    done = sociolab("export", "first", "out", "--as", "sotopia", "--by", "j1", "--store", "s.db")
    assert done.code == 0, done.err
    assert "wrote out: 2 episodes, 2 judgings by j1" in done.err
    records = read_archive(tmp_path / "out")
    assert {name: len(some) for name, some in records.items()}["EpisodeLog"] == 2
    profiles = {record.pk for record in records["AgentProfile"]}
    environments = {record.pk for record in records["EnvironmentProfile"]}
    for log in records["EpisodeLog"]:
        assert profiles >= {*log.agents}
        assert log.environment in environments
        assert (log.tag, log.models) == ("first", ["j1", "scripted", "scripted"])
        overall, scores = log.rewards[0]
        assert scores == {"financial_and_material_benefits": -1, "goal": 7}
        assert overall != overall  # NaN: five of the seven are missing
        scene, *_ = log.messages[0]
        assert scene[0] == "Environment"
        assert "Conversation Starts:" in scene[2]


def test_no_agent_is_told_what_only_another_knows(
    sociolab: Sociolab, played: Path, tmp_path: Path
) -> None:
    sociolab("export", "first", "out", "--as", "sotopia", "--by", "j1", "--store", "s.db")
    records = read_archive(tmp_path / "out")
    people = {record.pk: record for record in records["AgentProfile"]}
    for log in records["EpisodeLog"]:
        for seat, (_, name, told) in enumerate(log.messages[0][:2]):
            own, other = people[log.agents[seat]], people[log.agents[1 - seat]]
            assert name == f"{own.first_name} {own.last_name}"
            assert own.secret in told
            assert other.secret not in told
            assert f"{other.first_name} {other.last_name}'s goal: Unknown" in told


def test_what_was_exported_comes_back_the_same(
    sociolab: Sociolab, played: Path, tmp_path: Path
) -> None:
    sociolab("export", "first", "out", "--as", "sotopia", "--by", "j1", "--store", "s.db")
    result = sotopia.import_episodes(tmp_path / "out")
    with open_store(played) as store:
        for episode in result.episodes:
            original = store.episode("first", episode.trial.id)
            assert acts(episode) == acts(original)
            assert episode.trial.task.seats == original.trial.task.seats
    (judging, _) = result.judgings
    values = {(v.measure.name, v.value, v.reason) for v in judging.verdicts if isinstance(v, Score)}
    assert {(name, value) for name, value, _ in values} == {("goal", 7), ("financial", -1)}
    assert {reason.partition(" of ")[0] for _, _, reason in values} == {
        "about goal\n[r1]",
        "about financial\n[r1]",
    }
    data = sociolab("import", "sotopia", "out", "--name", "back", "--store", "s.db")
    assert "2 tasks" in data.out


def acts(episode: Episode) -> list[tuple[str, str, str]]:
    return [(m.seat, a.kind, a.text) for m in episode.moves for a in m.actions]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--by: expected one judge of first (there are: heuristic, j1, j2"),
        (("--by", "j3"), "--by: expected one judge of first"),
        (("--by", "j1", "--seat", "1"), "--seat is for examples"),
        (("--by", "j1", "--replace"), "--replace has no use with --as sotopia"),
    ],
)
def test_what_does_not_fit_is_one_sentence_and_writes_nothing(
    sociolab: Sociolab, played: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = sociolab("export", "first", "out", "--as", "sotopia", *words, "--store", "s.db")
    assert done.code == 2
    assert said in done.sentence
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_there_stays_as_it_is(
    sociolab: Sociolab, played: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("kept")
    done = sociolab("export", "first", "out", "--as", "sotopia", "--by", "j1", "--store", "s.db")
    assert (done.code, "out is there already" in done.sentence) == (2, True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


def test_a_run_of_another_world_is_refused(sociolab: Sociolab, tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        store.create_run("dnd", "anteval", {}, [])
    done = sociolab("export", "dnd", "out", "--as", "sotopia", "--store", "s.db")
    assert "expected a run of sotopia, found dnd, of anteval" in done.sentence


def imported_run(path: Path, trial: str, action: Action) -> None:
    cast = casting()
    task = task_of(cast)
    members = tuple(map(seated, task.seats, ("a", "b")))
    with Store.open(path) as store:
        store.create_run("r", "sotopia", {}, [Trial(trial, "sotopia", task, members, 0, 0)])
        store.append("r", trial, Moved(0, task.seats[0], (action,)))
        store.set_status("r", trial, "played")


def test_an_id_that_is_no_file_name_stays_within_the_folder(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    imported_run(tmp_path / "s.db", "../../away", Action("speak", "Hm."))
    done = sociolab("export", "r", "out", "--as", "sotopia", "--store", "s.db")
    assert done.code == 0, done.err
    (log,) = read_archive(tmp_path / "out")["EpisodeLog"]
    assert json.loads((tmp_path / "out" / "EpisodeLog" / f"{log.pk}.json").read_text())
    assert log.rewards != [0, 0]  # unknown is not 0


def test_an_action_for_some_only_is_refused(sociolab: Sociolab, tmp_path: Path) -> None:
    imported_run(tmp_path / "s.db", "t", Action("speak", "Hm.", to=("seat1",)))
    done = sociolab("export", "r", "out", "--as", "sotopia", "--store", "s.db")
    assert "an action is for seat1 only" in done.sentence
    assert not (tmp_path / "out").exists()
