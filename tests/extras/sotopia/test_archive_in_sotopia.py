"""SOTOPIA's own package (0.1.5) loads and shows what is exported, and what it stores comes in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sociolab import RunConfig, run
from sociolab.app import Import, export_episodes, import_anything
from sociolab.core import JudgeId, Score
from sociolab.store import Store, open_store
from sociolab.worlds import sotopia

pytest.importorskip("redis_om")  # the package itself looks for a server when it is imported

SHOW = """
import json
from sotopia.database import EpisodeLog, get_rewards_from_episode
logs = sorted(EpisodeLog.all(), key=lambda log: log.pk)
shown = [(log.pk, *log.render_for_humans(), get_rewards_from_episode(log)) for log in logs]
print("RESULT" + json.dumps([
    {"pk": pk, "names": [agent.first_name for agent in agents], "text": text, "rewards": rewards}
    for pk, agents, text, rewards in shown
]))
"""
STORE = """
from sotopia.database import *
ida, bo = (
    AgentProfile(first_name=name, last_name="Roe", age=40, occupation="Cook", gender=gender,
                 gender_pronoun=pronouns, public_info=f"{name} bakes.", secret=f"{name} snores.")
    for name, gender, pronouns in (("Ida", "Woman", "She/her"), ("Bo", "Man", "He/him"))
)
place = EnvironmentProfile(scenario="Two cooks wait.", agent_goals=["Go.", "Stay."], relationship=3)
for record in (ida, bo, place):
    record.save()
EnvAgentComboStorage(env_id=place.pk, agent_ids=[ida.pk, bo.pk]).save()
agentprofiles_to_csv(AgentProfile.all(), "agent_profiles.csv")
environmentprofiles_to_csv(EnvironmentProfile.all(), "environment_profiles.csv")
relationshipprofiles_to_csv(RelationshipProfile.all(), "relationship_profiles.csv")
envagnetcombostorage_to_csv(EnvAgentComboStorage.all(), "env_agent_combo_storages.csv")
"""


def in_package(home: Path, script: str) -> str:
    """Run a script with the package, whose store lies in `home`."""
    env = os.environ | {"HOME": str(home), "SOTOPIA_STORAGE_BACKEND": "local"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=home, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """A home in which the package finds two exported episodes, scored in every dimension."""
    store = tmp_path / "s.db"
    run(RunConfig(limit=2, name="first", store=store))
    with Store.open(store, create=False) as opened:
        for row in opened.trials("first"):
            scores = [
                Score(measure, seat, measure.low + 1, "because")
                for seat in row.trial.task.seats
                for measure in sotopia.DIMENSIONS
            ]
            opened.verdicts.add("first", JudgeId("j", "model"), scores, trial=row.trial.id)
    with open_store(store) as opened:
        export_episodes(opened, "first", tmp_path / "out", "sotopia", None)
    shutil.copytree(tmp_path / "out", tmp_path / ".sotopia" / "data")
    return tmp_path


def test_the_package_loads_and_shows_exported_episodes(exported: Path) -> None:
    out = in_package(exported, SHOW)
    shown: list[dict[str, Any]] = json.loads(out.partition("RESULT")[2])
    with open_store(exported / "s.db") as store:
        episodes = {episode.trial.id: episode for episode in store.episodes("first")}
    assert {one["pk"] for one in shown} == {*episodes}
    for one in shown:
        spoken = [a.text for m in episodes[one["pk"]].moves for a in m.actions if a.text]
        text = "\n".join(one["text"])
        assert all(words in text for words in spoken)
        cast = sotopia.casting_of(episodes[one["pk"]].trial.task).characters
        assert one["names"] == [person.first_name for person in cast]
        assert one["rewards"][0][1]["goal"] == 1
        assert one["rewards"][0][1]["secret"] == -9


def test_what_the_package_stores_is_a_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "lab"))
    in_package(tmp_path, STORE)
    for name, source in (("stored", tmp_path / ".sotopia" / "data"), ("csv", tmp_path)):
        lines = import_anything("sotopia", Import(source, name, False, tmp_path / "s.db"))
        assert lines[0].startswith("2 characters, 0 relationship rows of 0 pairs, 1 scenarios")
        assert "1 tasks" in lines[0]
