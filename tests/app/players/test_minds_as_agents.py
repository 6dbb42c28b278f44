"""Somebody's own mind as an agent in a town; who is refused, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from puppet_town import TOWN, TRIO
from sociolab.app.runs.config import config_of
from sociolab.app.runs.play import run
from sociolab.core.errors import ConfigError
from sociolab.report.schema import RunResult
from sociolab.testing.minds import AnyMind
from sociolab.town.mind import QUESTIONS, MindPlayer
from sociolab.worlds.stss.dataset import TownData, write_town
from sociolab.worlds.stss.kit import python_player
from stss_tasks import PARTY


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("minds") / "smallham"
    task = PARTY.model_copy(
        update={"performer": "ben", "background": ("ann", "cid"), "place": "Cafe: counter room"}
    )
    write_town(folder, TownData("smallham", "1", TOWN, TRIO, (task,)))
    return folder


def play(data: Path, store: Path, **flags: object) -> object:
    described = {
        "world": "stss",
        "data": str(data),
        "settings": {"step": "60"},
        "max_failed_turns": 1,  # these minds' plans do not fit the short days of the small town
        "store": str(store),
        "name": "minds",
    }
    return run(config_of(described | flags, "test"))


class Halfway:
    """Plans, and nothing else."""

    async def plan_day(self, question: object) -> None:
        """Never called."""


def test_a_class_of_ones_own_performs_the_task(data: Path, tmp_path: Path) -> None:
    result = play(
        data,
        tmp_path / "s.db",
        agents=["python:sociolab.testing.minds:AnyMind"],
        partner="scripted",
    )
    assert isinstance(result, RunResult)
    assert (result.played, result.failed) == (1, 0)
    assert result.agents[0] == "python:sociolab.testing.minds:AnyMind"


def test_a_resident_who_leaves_most_questions_unanswered_fails_the_trial(
    data: Path, tmp_path: Path
) -> None:
    result = play(data, tmp_path / "s.db", max_failed_turns=0.5)
    assert isinstance(result, RunResult)
    assert (result.played, result.failed) == (0, 1)
    told = result.failures.problems["failed turns"]
    assert told == (
        "ben (scripted) failed 2 of 2 questions, and 2 more seats too many (limit: one half)"
    )
    assert result.failures.turns == {}
    assert sum(result.failures.questions.values()) == 6


def test_a_class_that_lacks_methods_is_refused_in_one_sentence() -> None:
    with pytest.raises(ConfigError) as refused:
        python_player("python:mine:Halfway", Halfway())
    sentence = str(refused.value)
    assert '"python:mine:Halfway" cannot live in a town' in sentence
    assert "async def decompose(self, question)" in sentence
    assert f"{len(QUESTIONS) - 2} more" in sentence
    assert "\n" not in sentence


def test_a_whole_mind_is_taken() -> None:
    assert isinstance(python_player("python:mine:AnyMind", AnyMind()), MindPlayer)


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ({"agents": ["human"]}, "human"),
        ({"agents": ["python:json:JSONDecoder"]}, "cannot live in a town"),
        ({"agents": ["scripted"], "partner": "human"}, "human"),
        (
            {"agents": ["openai/x?dialect=plain"], "base_url": "http://127.0.0.1:9/v1"},
            "dialect=json",
        ),
        (
            {"agents": ["scripted"], "judges": ["openai/j"], "base_url": "http://127.0.0.1:9/v1"},
            "never by a model",
        ),
    ],
)
def test_who_cannot_live_or_judge_there_is_refused_before_anything_is_stored(
    data: Path, tmp_path: Path, flags: dict[str, object], named: str
) -> None:
    with pytest.raises(ConfigError, match=named) as refused:
        play(data, tmp_path / "s.db", **flags)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "s.db").exists()
