"""Two runs of STSS small enough to add up by hand, one at each level, put into a store.

Ada performs for "scripted" in both. Talks: how many conditions are met, in the talk and in the note

    task (type)                 with  talk  note
    party (public activity)     bea   3/3   3/3
    party (public activity)     cid   1/3   0/3
    meeting (appointment)       bea   0/3   0/3

A second judge, "m/strict", gave 0 to the share of each. In the talks' run "scripted-complete"
performs as well, and in the town "scripted" alone.

In the town: at the party bea takes part whom nobody asked, cid was told all, dan was told of the
party and not asked, eve and fay had no talk: 1 of 3 expected. Of the meeting there was a talk with
bea, without a word of it: 0. The simulation of the third task, a game, breaks off on the first day.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from casts import seated
from declared_worlds import declared
from sociolab.core import (
    Answered,
    Ended,
    Episode,
    Event,
    Happened,
    Json,
    Judge,
    JudgeId,
    Score,
    Task,
    Trial,
)
from sociolab.store import Store
from sociolab.town import Resident, Summary, Talked, TownMap, make_chunk, make_header
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, GAME, MEETING, PARTY, meant
from trace_cases import ROW, TWO_DAYS, Life, at, talk, trace
from worlds.stss.talk.talk_plays import Says, held

TALK, TOWN = "talks", "lived"
AGENT, STRONGER = "scripted", "scripted-complete"
STRICT = JudgeId("m/strict", "model", "s1")

CHAT = meant("ada", "chat")
INVITATION = (
    "Would you like to come to my harvest party at the Cafe, on the terrace, tomorrow at 18:00?"
)
KEPT = "Ada invited me to the harvest party on Tuesday 14 May at 18:00, on the terrace of the Cafe."


def build(path: Path) -> None:
    """Both runs as they are described above."""
    with Store.open(path) as store:
        talks(store)
        town(store)


def settings(**changed: Json) -> dict[str, Json]:
    """A run's settings as far as reports read them; `world_settings` is what `--set` gave."""
    plain: dict[str, Json] = {"attempts": 3, "on_failed_turn": "skip", "seed": 1}
    return plain | {"partner": None, "world_settings": None} | changed


def talks(
    store: Store,
    name: str = TALK,
    *,
    other: str = "",
    agents: Sequence[str] = (AGENT, STRONGER),
    of: stss.SocialTask = PARTY,
    town: TownMap = ROW,
    **changed: Json,
) -> None:
    """The run of talks; `other` holds the other's seat if it is not the agent itself."""
    whole, vague = meant("ada", "invite", of), meant("ada", "invite", of, start="", place="")
    given = (
        (of, "bea", INVITATION, whole, KEPT, whole),
        (of, "cid", "Would you come to my harvest party?", vague, "We talked.", CHAT),
        (MEETING, "bea", "Hello. How are you?", CHAT, "We talked.", CHAT),
    )
    found: list[Episode] = []
    for agent in agents:
        for task, who, text, act, note, kept in given:
            scenario = _scenario(task, who, town)
            words = "Good morning!" if "Hello" in text else "Yes, gladly!"
            answer = Says(words, memo=note, meant=[CHAT], kept=[kept])
            events = held(scenario, Says(text, "Goodbye!", meant=[act, CHAT]), answer).events
            cast = (seated("ada", agent, "a1"), seated(who, other or agent, "a1"))
            kind = task.type.replace(" ", "-")
            played = Task(scenario.id, ("ada", who), task.id, scenario.model_dump_json(), (kind,))
            trial = Trial(f"{scenario.id}-{agent}", "stss-talk", played, cast, 0, 1)
            found.append(Episode(trial, events))
    _store(store, name, found, stss.RecordedJudge(), settings(**changed))
    for one in found:
        strict = Score(stss.CONVERSATION_GCSR, None, 0, "no")
        store.verdicts.add(name, STRICT, (strict,), trial=one.trial.id)


def town(
    store: Store,
    name: str = TOWN,
    *,
    others: str = AGENT,
    made: str = "a1",
    acts: bool = True,
    **changed: Json,
) -> None:
    """The run of the town; `others` are in the background, `made` is how agents were set up.

    Without `acts` nobody writes any.
    """
    host = Life("ada").goes("tue 17:50", "Cafe: terrace", "hold the harvest party")
    guest = Life("bea").goes("tue 18:00", "Cafe: terrace", "at the harvest party")
    whole, yes = meant("ada", "invite", PARTY), meant("cid", "accept", PARTY)
    vague = meant("ada", "tell", PARTY, start="", place="")
    talked = ("Hello. How are you?", "Fine, thank you.")
    told = (
        talk("mon 10:00", "ada", "cid", INVITATION, "Gladly, I will come!", acts=(whole, yes)),
        talk("mon 11:00", "ada", "dan", "I prepare a harvest party.", "Nice.", acts=(vague, CHAT)),
    )
    greeted = talk("mon 10:00", "ada", "bea", *talked, acts=(CHAT, CHAT))
    if not acts:
        told, greeted = (_without_acts(told[0]), _without_acts(told[1])), _without_acts(greeted)
    found = (
        _lived(PARTY, host, guest, *told, others=others, made=made),
        _lived(MEETING, greeted, others=others, made=made),
        _lived(GAME, others=others, made=made, steps=at("mon 20:00")),
    )
    _store(store, name, found, stss.StssRulesJudge(), settings(**changed))


def _store(
    store: Store, name: str, found: Sequence[Episode], judge: Judge, given: dict[str, Json]
) -> None:
    store.create_run(
        name,
        found[0].trial.world,
        given,
        [one.trial for one in found],
        declared(found[0].trial.world, [one.trial for one in found]),
    )
    for one in found:
        for event in one.events:
            store.append(name, one.trial.id, event)
        store.set_status(name, one.trial.id, "played")
        store.verdicts.add(name, judge.id, asyncio.run(judge.judge(one)), trial=one.trial.id)


def _scenario(task: stss.SocialTask, who: str, town: TownMap) -> stss.TalkScenario:
    places: dict[str, tuple[str, ...]] = {}
    for place in town.places:
        places[place.sector] = (*places.get(place.sector, ()), place.arena)
    people = ("ada", *EVERYBODY)
    return stss.TalkScenario(
        id=f"{task.id}.1.{who}",
        seed=1,
        task=task,
        now=datetime(2024, 5, 13, 10, 0),
        performer_begins=True,
        performer=stss.Side(resident=_resident("ada"), place="Home: room"),
        other=stss.Side(resident=_resident(who), place="Home: room"),
        people={one: stss.Neighbour(name=_resident(one).name) for one in people},
        places=places,
    )


def _lived(
    task: stss.SocialTask, *given: Life | Talked, others: str, made: str, steps: int = TWO_DAYS
) -> Episode:
    """The two days of a task, or as many steps of them."""
    lives = {one: Life(one) for one in ("ada", *EVERYBODY)}
    lives |= {one.who: one for one in given if isinstance(one, Life)}
    told = trace(*lives.values(), *(one for one in given if isinstance(one, Talked)), steps=steps)
    content = stss.Content(
        task=task,
        residents=tuple(_resident(who) for who in lives),
        town=stss.pack_map(ROW),
    )
    seats = ("ada", "ada.routine", *EVERYBODY)
    cast = tuple(seated(s, AGENT if s == "ada" else others, made) for s in seats)
    kind = task.type.replace(" ", "-")
    played = Task(task.id, seats, task.id, content.model_dump_json(), (kind,))
    chunks = (
        make_header(told.first, told.seconds, told.residents),
        make_chunk(steps, told.records),
    )
    events: list[Event] = [Happened(0, "", "trace", value) for value in chunks]
    events += [_noted(one, task) for one in given if isinstance(one, Talked)]
    return Episode(
        Trial(task.id, "stss", played, cast, 0, 1), (*events, Ended("turn limit", steps))
    )


def _without_acts(held: Talked) -> Talked:
    return replace(held, lines=tuple(replace(line, acts=()) for line in held.lines))


def _noted(held: Talked, task: stss.SocialTask) -> Event:
    """What the other keeps of a talk: all of it."""
    kept = tuple(act for line in held.lines for act in line.acts)
    note = Summary(memo=f"About {task.activity}.", importance=5, acts=kept)
    return Answered(held.end, held.other, "summarise", note.model_dump(mode="json"), 1)


def _resident(who: str) -> Resident:
    return Resident(
        id=who,
        name=f"{who.title()} Ashe",
        age=30,
        innate="calm",
        learned="",
        currently="",
        lifestyle="",
        living_area="Home: room",
    )
