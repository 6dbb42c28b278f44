"""Import conversations of other programs, of which little more than the lines is known."""

from __future__ import annotations

from dataclasses import replace

from sociolab.core.episode import Agent, CastMember, Episode
from sociolab.core.seeding import digest
from sociolab.plugin.world import TwoPartyTalk
from sociolab.worlds.sotopia.outcome_reader import build_episode, unknown_cast
from sociolab.worlds.sotopia.scenarios import Goal
from sociolab.worlds.sotopia.scene import SPEAK


def import_talk(talk: TwoPartyTalk) -> Episode:
    """The conversation as an episode whose goals, relationship and characters are not known."""
    task = f"talk-{digest(talk.task, talk.scene, *talk.names)}"
    goals = (Goal(text="Not known."), Goal(text="Not known."))
    casting = unknown_cast(task, talk.scene or "Not known.", talk.names, goals)
    seats = [character.id for character in casting.characters]
    episode = build_episode(task, casting, [(seats[who], SPEAK, text) for who, text in talk.lines])
    cast = tuple(map(CastMember, seats, map(_agent, talk.agents)))
    trial = replace(episode.trial, id=talk.id, cast=cast, repeat=talk.repeat)
    return replace(episode, trial=trial)


def _agent(label: str) -> Agent:
    if not label:
        return Agent("unknown model", "imported")
    return Agent(label, "model", label, settings=digest("imported", label))
