"""How agents play, whatever comes of it: repetition, broken format, small talk, cost of a fact."""

from __future__ import annotations

import asyncio

import pytest

from anteval_cases import KNOWN, chats, episode_of, learned, over, says, session, tells
from sociolab.core import (
    Action,
    Answered,
    Cause,
    Episode,
    Event,
    Moved,
    Score,
    Unscored,
    Unusable,
    Verdict,
)
from sociolab.worlds import anteval
from sociolab.worlds.anteval.kit import INFORMATION

DOOR, FEAR, MINT = KNOWN
TABLE = session(players=2, turns=5, knowledge=KNOWN)


def bad(turn: int, seat: str, cause: Cause = "unreadable", *, final: bool = False) -> Unusable:
    return Unusable(turn, seat, "act", 1, cause, "expected JSON", "Hello!", final=final)


def conduct(*events: Event) -> dict[tuple[str, str | None], Verdict]:
    episode = episode_of(TABLE, *events)
    found = asyncio.run(anteval.ConductCheck().judge(episode))
    return {(verdict.measure.name, verdict.seat): verdict for verdict in found}


def value(verdict: Verdict) -> float:
    assert isinstance(verdict, Score), verdict
    return verdict.value


def test_repetition_is_the_share_of_runs_of_four_words_that_were_said_before() -> None:
    found = conduct(
        says(0, "player-1", "We seek the old bell of the abbey."),  # 8 words, 5 runs, all new
        says(1, "player-2", "I SEEK the old bell, too."),  # 3 runs, "seek the old bell" is known
        says(2, anteval.NPC, "Hm. Indeed."),  # too short for a run
        says(3, "player-2", "I seek the old bell too."),  # 3 runs, all known: 4 of 6
        over(5),
    )
    assert value(found["repetition", "player-1"]) == 0
    assert value(found["repetition", "player-2"]) == pytest.approx(4 / 6)
    assert isinstance(found["repetition", anteval.NPC], Unscored)


def test_what_is_said_twice_in_one_breath_is_repetition_too() -> None:
    # "give me that lamp give me that lamp": 5 runs, the last is the first.
    found = conduct(says(0, "player-1", "Give me that lamp! Give me that lamp!"), over(5))
    assert value(found["repetition", "player-1"]) == pytest.approx(1 / 5)


def test_broken_format_is_the_share_of_replies_that_could_not_be_used() -> None:
    found = conduct(
        bad(0, "player-1"),
        bad(0, "player-1", "not allowed"),
        says(0, "player-1", "Good day."),
        bad(1, "player-2", "timeout"),  # the provider's fault, no reply at all
        says(1, "player-2", "Good day."),
        learned(5, "player-1"),
        over(5),
    )
    assert value(found["broken_format", "player-1"]) == pytest.approx(2 / 4)
    assert value(found["broken_format", "player-2"]) == 0
    assert isinstance(found["broken_format", anteval.NPC], Unscored)  # was never asked


def knows(seat: str, *facts: anteval.Fact) -> Answered:
    return learned(5, seat, *(one.text for one in facts), ids=tuple(one.id for one in facts))


def recorded(*answers: Event) -> Episode:
    return episode_of(
        TABLE,
        chats(0, "player-1"),
        tells(1, anteval.NPC, DOOR),
        Moved(2, "player-2", (Action("pass", acts=chats(2, anteval.NPC).actions[0].acts),)),
        chats(3, "player-1"),
        tells(4, "player-1", FEAR),
        *answers,
        over(5),
    )


def by_record(episode: Episode) -> dict[tuple[str, str | None], Verdict]:
    judge = anteval.RecordJudge(anteval.InformationPlan(3, controls=False))
    found = asyncio.run(judge.judge(episode))
    return {(verdict.measure.name, verdict.seat): verdict for verdict in found}


def test_small_talk_is_the_share_of_turns_without_a_question_or_a_fact() -> None:
    found = by_record(recorded(knows("player-1"), knows("player-2")))
    assert value(found["small_talk", "player-1"]) == pytest.approx(2 / 3)  # turns 1, 4 of 1, 4, 5
    assert isinstance(found["small_talk", "player-2"], Unscored)  # it only waited


def test_turns_and_tokens_are_counted_for_each_fact_that_the_party_learned() -> None:
    episode = recorded(knows("player-1", DOOR), knows("player-2", FEAR, DOOR))
    found = by_record(episode)
    assert value(found["turns_per_fact", None]) == 2.5  # 5 turns, 2 facts
    characters = sum(len(action.text) for move in episode.moves for action in move.actions)
    assert value(found["tokens_per_fact", None]) == pytest.approx(characters / 4 / 2)
    nothing = by_record(recorded(knows("player-1"), knows("player-2")))
    assert isinstance(nothing["turns_per_fact", None], Unscored)


def test_recall_stands_by_kind_of_fact() -> None:
    found = by_record(recorded(knows("player-1", DOOR), knows("player-2")))
    kinds = {fact.kind for fact in KNOWN}
    names = {f"recall_{kind}" for kind in kinds}
    assert {name for name, seat in found if name.startswith("recall_") and seat} == names
    assert value(found["recall_place", "player-1"]) == 1  # the only one of its kind
    assert value(found["recall_danger", "player-1"]) == 0


def test_all_of_it_is_declared() -> None:
    found = {*conduct(over(5)), *by_record(recorded(knows("player-1"), knows("player-2")))}
    declared = {metric.name for metric in INFORMATION.metrics}
    assert {name for name, _ in found} <= declared
