"""Somebody's own mind as an agent in a town; who is refused, and in which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from any_mind import AnyMind
from puppet_town import TOWN, TRIO
from sociolab import RunResult, estimate, run
from sociolab.analysis import CompareRequest, compare_runs, rank_runs
from sociolab.app import config_of
from sociolab.core import ConfigError, ReplyError
from sociolab.report import make_boards, warnings
from sociolab.store import Store
from sociolab.town import QUESTIONS, MindPlayer
from sociolab.worlds import stss
from stss_tasks import PARTY


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("minds") / "smallham"
    task = PARTY.model_copy(
        update={"performer": "ben", "background": ("ann", "cid"), "place": "Cafe: counter room"}
    )
    stss.write_town(folder, stss.TownData("smallham", "1", TOWN, TRIO, (task,)))
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
    return run(config_of(described | flags, "test")).result


class Lost:
    """Has no answer to anything."""

    def __getattr__(self, name: str) -> object:
        async def answer(question: object) -> None:
            raise ReplyError("lost", raw="...")

        return answer


class Halfway:
    """Plans, and nothing else."""

    async def plan_day(self, question: object) -> None:
        """Never called."""


def test_a_class_of_ones_own_performs_the_task(data: Path, tmp_path: Path) -> None:
    result = play(
        data,
        tmp_path / "s.db",
        agents=["python:any_mind:AnyMind"],
        partner="scripted",
    )
    assert isinstance(result, RunResult)
    assert (result.played, result.failed) == (1, 0)
    assert result.agents[0] == "python:any_mind:AnyMind"


def test_a_resident_who_leaves_most_questions_unanswered_fails_the_trial(
    data: Path, tmp_path: Path
) -> None:
    lost = "python:app.players.test_minds_as_agents:Lost"
    result = play(data, tmp_path / "s.db", agents=[lost], partner="scripted", max_failed_turns=0.5)
    assert isinstance(result, RunResult)
    assert (result.played, result.failed) == (0, 1)
    told = result.failures.problems["failed turns"]
    assert told == f"ben ({lost}) failed 2 of 2 questions (limit: one half)"


def test_beside_scripted_residents_a_run_is_a_smoke_test_and_nothing_of_it_a_result(
    data: Path, tmp_path: Path
) -> None:
    mind = "python:any_mind:AnyMind"
    store = tmp_path / "s.db"
    result = play(data, store, agents=[mind], partner="scripted")
    assert isinstance(result, RunResult)
    assert result.smoke == "scripted background"
    assert json.loads(result.as_json())["smoke"] == "scripted background"
    assert warnings(result)[0].startswith("smoke test (scripted background): minds shows that")
    judged = [entry for entry in result.scores if entry.judge == "rules"]
    assert judged
    assert all((entry.n, entry.failures, entry.value) == (0, 0, None) for entry in judged)
    other = play(data, store, agents=["scripted"], name="among-themselves")
    assert isinstance(other, RunResult)
    assert other.smoke is None
    assert any(entry.n for entry in other.scores if entry.judge == "rules")
    assert make_boards([result]) == ()
    with Store.open(store) as opened:
        with pytest.raises(ConfigError, match=r"smoke test \(scripted background\)"):
            rank_runs(opened, ["minds"], "rules")
        wanted = CompareRequest(("minds", "among-themselves"), judge="rules")
        with pytest.raises(ConfigError, match="minds"):
            compare_runs(opened, wanted)


def test_a_model_thinks_for_the_background_too_unless_another_is_named(data: Path) -> None:
    base = {"world": "stss", "data": str(data), "base_url": "http://127.0.0.1:9/v1"}
    for partner in (None, "openai/y"):
        flags = {"agents": ["openai/x"], "judges": ["rules"], "partner": partner}
        found = estimate(config_of(base | {k: v for k, v in flags.items() if v}, "test"))
        parts = set(found.most.parts)
        assert parts == {("openai/x", "agent"), (partner or "openai/x", "background")}


def test_a_class_that_lacks_methods_is_refused_in_one_sentence() -> None:
    with pytest.raises(ConfigError) as refused:
        stss.python_player("python:mine:Halfway", Halfway())
    sentence = str(refused.value)
    assert '"python:mine:Halfway" cannot live in a town' in sentence
    assert "async def decompose(self, question)" in sentence
    assert f"{len(QUESTIONS) - 2} more" in sentence
    assert "\n" not in sentence


def test_a_method_that_is_not_async_is_refused_in_one_sentence() -> None:
    class Plain(AnyMind):
        def talk_or_not(self, question: Any) -> Any:
            raise AssertionError

    with pytest.raises(
        ConfigError, match='"python:mine:Plain": talk_or_not is not async: expected'
    ):
        stss.python_player("python:mine:Plain", Plain())


def test_a_whole_mind_is_taken() -> None:
    assert isinstance(stss.python_player("python:mine:AnyMind", AnyMind()), MindPlayer)


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
        ({"agents": ["python:any_mind:AnyMind"]}, "--background"),
    ],
)
def test_who_cannot_live_or_judge_there_is_refused_before_anything_is_stored(
    data: Path, tmp_path: Path, flags: dict[str, object], named: str
) -> None:
    with pytest.raises(ConfigError, match=named) as refused:
        play(data, tmp_path / "s.db", **flags)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "s.db").exists()
