"""SOTOPIA's scripted players: exact among themselves, polite beside others, and never a result."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise

from sociolab.core import (
    Action,
    Answered,
    Episode,
    Json,
    NoReply,
    Player,
    Reply,
    Request,
    Score,
    Task,
    Unscored,
)
from sociolab.testing import play_task
from sociolab.worlds import sotopia

WORLD = sotopia.Sotopia(sotopia.load(files(sotopia.PACKAGE) / "data"))  # type: ignore[arg-type]


@cache
def played() -> tuple[Episode, ...]:
    """A task of each scenario, played by scripted players."""
    tasks: dict[str, Task] = {}
    for task in WORLD.tasks():
        tasks.setdefault(task.cluster, task)
    return tuple(
        play_task(WORLD, task, dict.fromkeys(task.seats, sotopia.ScriptedPlayer()))
        for task in tasks.values()
    )


def acts(episode: Episode) -> Iterator[tuple[str, str, Json]]:
    for move in episode.moves:
        for action in move.actions:
            for act in action.acts:
                yield move.seat, act.kind, act.what


def test_whatever_they_do_is_on_record_as_acts() -> None:
    for episode in played():
        assert all(action.acts for move in episode.moves for action in move.actions)
        assert all(action.text.strip() or action.kind == "leave" for m in episode.moves
                   for action in m.actions)  # fmt: skip


def test_among_themselves_every_goal_with_a_formula_has_its_value() -> None:
    agreed = checked = 0
    for episode in played():
        casting = sotopia.casting_from(episode.trial.task.content)
        goals = sotopia.goals_of(casting)
        verdicts = asyncio.run(sotopia.RecordedOutcome().judge(episode))
        assert [type(verdict) for verdict in verdicts] == [Score] * len(goals)
        outcome = sotopia.recorded_outcome(casting, episode.moves)
        assert outcome is not None
        checked += bool(goals)
        agreed += bool(goals) and outcome.terms is not None
        answers = [e.value for e in episode.events if isinstance(e, Answered)]
        assert len(answers) == len(goals)
        for value in answers:
            assert isinstance(value, dict)
            assert (value["outcome"] in ("agreed", "found")) == (outcome.terms is not None)
    assert checked == 43
    assert 0.7 * checked < agreed < checked  # some bargains fail, as they should


def test_nobody_offers_its_private_target_or_takes_less_than_its_last_word() -> None:
    for episode in played():
        casting = sotopia.casting_from(episode.trial.task.content)
        for (seat, goal), verdict in zip(
            sotopia.goals_of(casting).items(),
            asyncio.run(sotopia.RecordedOutcome().judge(episode)),
            strict=True,
        ):
            if goal.kind != "price":
                continue
            offers = [what for who, kind, what in acts(episode) if (who, kind) == (seat, "offer")]
            assert goal.target not in offers[:1]
            assert isinstance(verdict, Score)
            outcome = sotopia.recorded_outcome(casting, episode.moves)
            assert outcome is not None
            if outcome.terms is not None:
                assert verdict.value >= 1  # at most a quarter beyond the target


def test_a_question_of_whoever_is_no_scripted_player_ends_in_cannot_tell() -> None:
    class Stranger:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            return Reply((Action(sotopia.SPEAK, "Deal! I accept whatever you say."),))

    for episode in played()[::9]:
        task = episode.trial.task
        players: dict[str, Player] = dict.fromkeys(task.seats, sotopia.ScriptedPlayer())
        players[task.seats[0]] = Stranger()
        mixed = play_task(WORLD, task, players)
        assert len(mixed.moves) == 20  # it keeps going, and does not walk away
        assert "accept" not in [kind for _, kind, _ in acts(mixed)]
        spoken = [m.actions[0].text for m in mixed.moves if m.seat == task.seats[1]]
        assert all(a != b for a, b in pairwise(spoken))
        verdicts = asyncio.run(sotopia.ReportedOutcome().judge(mixed))
        assert all(isinstance(verdict, Unscored) for verdict in verdicts)


def test_the_same_seed_plays_the_same_and_another_says_it_otherwise() -> None:
    task = WORLD.tasks()[0]
    players = dict.fromkeys(task.seats, sotopia.ScriptedPlayer())
    first, again, other = (play_task(WORLD, task, players, seed=seed) for seed in (0, 0, 1))
    assert first.events == again.events
    assert first.events != other.events


def test_offline_there_is_a_figure_for_what_is_on_record_and_no_overall() -> None:
    for episode in played():
        goals = sotopia.goals_of(sotopia.casting_from(episode.trial.task.content))
        verdicts = asyncio.run(sotopia.HeuristicJudge().judge(episode))
        scored = {v.measure.name for v in verdicts if isinstance(v, Score)}
        assert len(scored) * 2 == len(verdicts)
        kinds = {goal.kind for goal in goals.values()}
        money = {"financial"} if kinds & {"price", "division"} else set()
        assert scored == ({"goal"} | money if goals else set())
