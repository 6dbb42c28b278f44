"""Seats that agree on a report, in a run, in exports of it, and in an arena."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from collusion import SCRIPTS, script_of
from fake_models import FakeModel
from sociolab import Arena, ArenaConfig, RunConfig, run
from sociolab.core import (
    Action,
    ConfigError,
    Ended,
    Json,
    Moved,
    NoReply,
    Reply,
    Request,
    Score,
    ScoreFailure,
)
from sociolab.judging import LlmJudge
from sociolab.store import Store
from sociolab.training import ExportOptions, Observed, export_training
from sociolab.worlds import sotopia
from sotopia_cases import casting, episode_of
from training_cases import lines, play_out

LIAR, OTHER = "python:collusion:Liar", "python:collusion:OtherLiar"
BARGAIN = "bargain-01-touring-bicycle"


def play(store: Path, *agents: str, partner: str | None = None) -> str:
    run(
        RunConfig(
            agents=agents,
            partner=partner,
            judges=("none",),
            tasks=f"scenario={BARGAIN}",
            limit=1,
            repeats=len(SCRIPTS),
            settings={"turns": "4"},
            name="lies",
            store=store,
        )
    )
    return "lies"


def verdicts(store: Path) -> list[tuple[str, Any]]:
    with Store.open(store) as opened:
        return [
            (judging.judge.name, verdict)
            for judging in opened.verdicts.judgings("lies")
            for verdict in judging.verdicts
            if verdict.measure.name == "goal_checked"
        ]


def test_there_are_thirty_scripts() -> None:
    assert len({script.name for script in SCRIPTS}) == len(SCRIPTS) == 30


def test_self_play_gets_no_score_by_any_report(tmp_path: Path) -> None:
    play(tmp_path / "s.db", LIAR)
    found = verdicts(tmp_path / "s.db")
    assert len(found) == 2 * len(SCRIPTS)
    assert {name for name, _ in found} == {"reported"}
    assert not [verdict for _, verdict in found if isinstance(verdict, Score)]


def test_self_play_has_no_reward_to_export(tmp_path: Path) -> None:
    play(tmp_path / "s.db", LIAR)
    wanted = ExportOptions("turns", measures=("goal_checked",))
    with pytest.raises(ConfigError, match="30 episodes could not be scored: have a model read"):
        export_training(["lies"], tmp_path / "t.jsonl", wanted, tmp_path / "s.db")


def test_a_report_of_independent_agents_is_a_score_and_no_reward(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    play(store, LIAR, partner=OTHER)
    assert [verdict for _, verdict in verdicts(store) if isinstance(verdict, Score)]
    measures = ("goal_checked",)
    export_training(["lies"], tmp_path / "t.jsonl", ExportOptions("turns", measures), store)
    rows = lines(tmp_path / "t.jsonl")
    assert rows
    assert {row["rewards"]["goal_checked"] for row in rows} == {None}
    assert {tuple(row["reward_bounds"]["goal_checked"]) for row in rows} == {(0, 10)}
    statuses = {row["reward_status"]["goal_checked"] for row in rows}
    assert statuses == {"disputed", "unconfirmed", "reported"}
    for wanted in (ExportOptions("sft", measures, least=0.0), ExportOptions("pairs", measures)):
        with pytest.raises(ConfigError, match=r"nothing fits: .* is unknown \(reported"):
            export_training(["lies"], tmp_path / wanted.form, wanted, store)


def scripted(observed: Observed) -> str:
    """What the script of an episode has its seats say and claim."""
    script = script_of(observed.trial.id)
    if observed.request_name == "closing":
        own = observed.observation.history[0].you
        return json.dumps((script.first if own else script.second).fields())
    turn = observed.request.turn
    if turn >= len(script.lines):
        return json.dumps({"action": "leave", "text": ""})
    return json.dumps({"action": "speak", "text": script.lines[turn]})


def arena(**more: Any) -> Arena:
    config = ArenaConfig(settings={"turns": "4"}, limit=1)
    return Arena("sotopia", judge="none", tasks=f"scenario={BARGAIN}", config=config, **more)


def test_a_policy_gets_no_reward_for_a_report() -> None:
    with arena(partner=LIAR) as opened:
        sessions = play_out(opened, scripted, len(SCRIPTS))
    rewards = [reward for session in sessions for reward in session.rewards.values()]
    assert {(reward.value, reward.bounds) for reward in rewards} == {(None, (0, 10))}
    assert {reward.status for reward in rewards} == {"disputed", "unconfirmed", "reported"}


def test_a_policy_in_both_seats_gets_no_reward_for_any_report() -> None:
    with arena() as opened:
        sessions = play_out(opened, scripted, len(SCRIPTS), seats="all")
    assert len({script_of(session.trial.id).name for session in sessions}) == 30
    rewards = [reward for session in sessions for reward in session.rewards.values()]
    assert len(rewards) == 2 * 30
    assert {(reward.value, reward.bounds) for reward in rewards} == {(None, (0, 10))}
    turns = [session.turn_rewards(seat) for session in sessions for seat in session.seats]
    assert set(map(str, turns)) == {"None"}


def test_a_policy_gains_nothing_by_telling_a_haggler_of_a_deal() -> None:
    """The second seat is a haggler: whatever the first says was agreed, nothing was."""
    with arena(partner="haggler:3") as opened:
        sessions = play_out(opened, scripted, len(SCRIPTS))
    deals = {
        script_of(session.trial.id).name: session.rewards[session.seats[0]].value
        for session in sessions
    }
    assert len(deals) == 30
    assert set(deals.values()) == {0.0}


class FalseHaggler:
    """A user's class that is found under the name of the hagglers, and says yes to anything."""

    __module__ = "haggler"

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return Reply((Action("speak", "Deal, $900."),))


def test_nobody_but_a_haggler_puts_a_deal_on_record() -> None:
    with arena(partner=FalseHaggler()) as opened:
        session = opened.begin()
        while not session.done:
            assert session.step({"action": "speak", "text": "$900, deal?"}).reward in (0, None)
    name = session.trial.cast[1].identity.name
    assert name == "haggler:FalseHaggler"
    assert {reward.value for reward in session.rewards.values()} == {None}


ONE_SPEAKER = (
    "one's own line as both",
    "the partner's line as both",
    "one speaker in two turns",
    "swapped quotes",
    "the acceptance before the offer",
    "the partner's name in one's own line",
    "a forged line after a break",
    "made-up quotes",
    "a quote of one common word",
    "a quote of marks",
    "empty quotes",
    "an offer and no acceptance",
    "an acceptance and no offer",
)


@pytest.mark.parametrize("name", ONE_SPEAKER)
def test_a_reader_who_is_fooled_is_held_to_speakers_and_order(name: str) -> None:
    (script,) = [script for script in SCRIPTS if script.name == name]
    goals = tuple(
        sotopia.Goal(
            text="A goal.",
            facts=sotopia.PriceGoal(role=role, item="a bicycle", listed=340, target=target),
        )
        for role, target in (("seller", 315), ("buyer", 255))
    )
    cast = casting()
    cast = cast.model_copy(update={"scenario": cast.scenario.model_copy(update={"goals": goals})})
    moves = [
        Moved(turn, f"seat{turn % 2}", (Action("speak", text),))
        for turn, text in enumerate(script.lines)
    ]
    episode = episode_of(cast, *moves, Ended("turn limit", 19))
    fooled = FakeModel(*[json.dumps(script.first.fields())] * 3)
    found = asyncio.run(LlmJudge(sotopia.OutcomeReader(), fooled, role="reader").judge(episode))
    assert [type(verdict) for verdict in found] == [ScoreFailure] * 2
