from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from sociolab.core.codec import encode_event
from sociolab.core.episode import Action, Ended, Event, Unusable
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Player, Question, Reply, Request
from sociolab.engine.drive import drive
from sociolab.engine.play import play
from sociolab.worlds.sotopia.dataset import load
from sociolab.worlds.sotopia.profiles import RelationshipType
from sociolab.worlds.sotopia.scene import (
    ACTIONS,
    NON_VERBAL,
    PACKAGE,
    PHYSICAL,
    SPEAK,
    Casting,
    SotopiaScene,
)
from sociolab.worlds.sotopia.scripted.player import ScriptedPlayer
from worlds.sotopia.scripted.scripted_castings import (
    EVERY_KIND,
    SECRETS,
    casting,
    events,
    moves,
    said,
)

KINDS = sorted(EVERY_KIND)


@cache
def own_castings() -> tuple[Casting, ...]:
    """Every seventh task that comes with the package."""
    with as_file(files(PACKAGE) / "data") as folder:
        tasks = load(folder).tasks()
    return tuple(Casting.model_validate_json(task.content) for task in tasks[::7])


def first_request(cast: Casting) -> Request:
    """What the first seat is asked at the first turn."""
    step = next(play(SotopiaScene(cast), trial="trial", seed=0))
    assert isinstance(step, tuple)
    return step[0]


def reply(request: Request) -> Reply | NoReply:
    return asyncio.run(ScriptedPlayer().reply(request, None))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_goal_is_played_to_a_proper_end(kind: str) -> None:
    for seed in range(10):
        found = events(casting(EVERY_KIND[kind]), seed)
        assert isinstance(found[-1], Ended)
        assert not any(isinstance(event, Unusable) for event in found)
        assert 4 <= len(moves(found)) <= 20


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_scene(kind: str) -> None:
    cast = casting(EVERY_KIND[kind])
    first, again, other = (
        [encode_event(event) for event in events(cast, seed)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_another_trial_of_the_same_seed_is_another_scene() -> None:
    cast = casting(EVERY_KIND["price"])
    assert events(cast, 1, "one") != events(cast, 1, "two")


@pytest.mark.parametrize("kind", KINDS)
def test_no_line_is_said_twice(kind: str) -> None:
    for seed in range(15):
        lines = said(events(casting(EVERY_KIND[kind]), seed))
        assert len(lines) == len(set(lines))


def test_the_same_words_come_whoever_the_partner_privately_is() -> None:
    """Only what a seat may observe moves it: the other's secret and goal text do not."""
    cast = casting(EVERY_KIND["ask"])
    other = cast.characters[1].model_copy(update={"secret": "Something else.", "age": 70})
    goals = (cast.scenario.goals[0], cast.scenario.goals[1].model_copy(update={"text": "No."}))
    changed = cast.model_copy(
        update={
            "characters": (cast.characters[0], other),
            "scenario": cast.scenario.model_copy(update={"goals": goals}),
        }
    )
    assert events(cast, 4) == events(changed, 4)


def test_no_secret_and_no_goal_is_ever_spoken() -> None:
    for kind in KINDS:
        for seed in range(10):
            text = "\n".join(said(events(casting(EVERY_KIND[kind]), seed))).lower()
            for word in ("candelabra", "macau", "limerick", "lighthouse", "zebrawood"):
                assert word not in text
            assert "quicksilver" not in text
    assert "candelabra" in SECRETS[0]


def test_no_text_of_a_goal_and_no_secret_of_our_own_tasks_is_ever_spoken() -> None:
    for cast in own_castings():
        spoken = set[str]().union(*(_runs(line, 6) for line in said(events(cast))))
        for person, goal in zip(cast.characters, cast.scenario.goals, strict=True):
            for sentence in (person.secret, goal.text):
                assert not spoken & (_runs(sentence, 6) - _runs(_cards(cast), 6))


def test_our_own_tasks_are_played_within_the_usual_length() -> None:
    lengths = [len(moves(events(cast))) for cast in own_castings()]
    assert min(lengths) >= 4
    assert 8 <= sum(lengths) / len(lengths) <= 16


def test_the_name_of_a_stranger_is_not_used_before_it_is_spoken() -> None:
    for cast in own_castings():
        if cast.relationships[0].type is not RelationshipType.STRANGER:
            continue
        spoken: set[str] = set()
        for move in moves(events(cast)):
            others = {c.first_name for c in cast.characters if c.id != move.seat}
            own = {c.first_name for c in cast.characters if c.id == move.seat}
            text = move.actions[0].text
            assert not {name for name in others - spoken if name in text}
            spoken |= {name for name in own if name in text}


def test_strangers_sometimes_say_their_name_and_sometimes_do_not() -> None:
    cast = casting(EVERY_KIND["price"])
    named = ["Mina" in said(events(cast, seed), "mina")[0] for seed in range(30)]
    assert 3 < sum(named) < 27


@pytest.mark.parametrize("kind", KINDS)
def test_three_seats_and_rounds_at_once_are_played_too(kind: str) -> None:
    two = casting(EVERY_KIND[kind])
    third = two.characters[0].model_copy(update={"id": "ada", "first_name": "Ada"})
    goals = (*two.scenario.goals, two.scenario.goals[0])
    three = two.model_copy(
        update={
            "characters": (*two.characters, third),
            "scenario": two.scenario.model_copy(update={"goals": goals}),
        }
    )
    for scene in (SotopiaScene(three), SotopiaScene(two, order="simultaneous", limit=10)):
        players: dict[str, Player] = {seat: ScriptedPlayer() for seat in scene.seats}
        found: list[Event] = []
        asyncio.run(drive(play(scene, trial="t", seed=1), players, found.append))
        assert isinstance(found[-1], Ended)
        assert not any(isinstance(event, Unusable) for event in found)


def test_gestures_and_deeds_occur() -> None:
    kinds = {
        action.kind
        for kind in KINDS
        for seed in range(15)
        for move in moves(events(casting(EVERY_KIND[kind]), seed))
        for action in move.actions
    }
    assert {SPEAK, NON_VERBAL, PHYSICAL} <= kinds


LINES = st.one_of(
    st.text(max_size=200),
    st.sampled_from(
        [
            "Deal!",
            "$",
            "I'd pay $99999999999999999999 or 0",
            "No.",
            "Is Ulrike {price}?",
            "What about Sunday, not Monday?",
            "I take -3 ropes and you get all the ropes and the rest",
        ]
    ),
)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.tuples(st.sampled_from([SPEAK, NON_VERBAL, PHYSICAL]), LINES), max_size=10)
)
def test_no_text_of_a_partner_breaks_a_player(kind: str, texts: list[tuple[str, str]]) -> None:
    scene = SotopiaScene(casting(EVERY_KIND[kind]))
    game = play(scene, trial="trial", seed=5)
    send: list[Reply | NoReply] | None = None
    left = list(texts)
    while True:
        try:
            step = game.send(send)
        except StopIteration:
            return
        send = None
        if isinstance(step, tuple):
            (request,) = step
            if request.seat == "mina":
                answer = reply(request)
                assert isinstance(answer, Reply)
                assert answer.memory is None
            elif left:
                chosen, text = left.pop()
                answer = Reply((Action(chosen, text if text.strip() else "..."),))
            else:
                answer = Reply((Action("none"),))
            send = [answer]
        else:
            assert not isinstance(step, Unusable)


class Simple(BaseModel):
    wants: bool
    mood: Literal["glad", "sad"]
    score: int = Field(ge=2, le=9)
    why: str = Field(min_length=1)
    names: list[str] = Field(min_length=1)


class Nested(BaseModel):
    inner: Simple
    note: str | None
    share: float = Field(gt=0, lt=1)


class Strict(BaseModel):
    code: str = Field(pattern="^[A-Z]{3}$")


@pytest.mark.parametrize("wanted", [Simple, Nested])
def test_a_question_gets_the_smallest_answer_that_its_type_allows(wanted: type[BaseModel]) -> None:
    request = replace(
        first_request(casting(EVERY_KIND["ask"])), wanted=Question("poll", "Well?", wanted)
    )
    answer = reply(request)
    assert isinstance(answer, Reply)
    assert isinstance(answer.value, wanted)


def test_a_question_that_rules_cannot_answer_is_declined_for_good() -> None:
    request = replace(
        first_request(casting(EVERY_KIND["ask"])), wanted=Question("poll", "Code?", Strict)
    )
    answer = reply(request)
    assert isinstance(answer, NoReply)
    assert answer.cause == "gave up"
    assert not answer.again


def test_an_observation_of_another_world_is_refused() -> None:
    request = first_request(casting(EVERY_KIND["ask"]))
    foreign = replace(request, observation=replace(request.observation, view={"x": 1}))
    with pytest.raises(WorldError, match="SotopiaView"):
        reply(foreign)


def test_every_action_is_one_that_the_scene_knows() -> None:
    names = {kind.name for kind in ACTIONS.kinds}
    for cast in own_castings():
        for move in moves(events(cast)):
            assert len(move.actions) == 1
            assert move.actions[0].kind in names


def _runs(text: str, length: int) -> set[str]:
    """All stretches of so many words, whatever stands between them."""
    words = re.findall(r"[\w'$%]+", text.lower())
    return {" ".join(words[i : i + length]) for i in range(len(words) - length + 1)}


def _cards(cast: Casting) -> str:
    """What the cue cards of the seats hold: words that may be said."""
    return " ".join(
        " ".join((goal.facts.ask, *goal.facts.reasons, goal.facts.middle))
        for goal in cast.scenario.goals
        if goal.facts is not None and goal.facts.kind == "ask"
    )
