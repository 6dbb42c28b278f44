"""Variants of a session that show whether a judge reads it (see `judging.controls`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sociolab.core.episode import Answered, Episode
from sociolab.core.ports import Variant, Variants, Way
from sociolab.judging.controls import (
    ADDRESSED,
    OPENING,
    OTHER,
    TO_THE_JUDGE,
    opening,
    whole,
    with_lines,
)
from sociolab.worlds.anteval.information.scoring import LEARNED, Learned
from sociolab.worlds.anteval.scene import SPEAK
from sociolab.worlds.anteval.session import Session, session_from


def _answering(episode: Episode, change: Callable[[Learned], Learned]) -> Episode:
    """The episode with the answers of players changed."""
    events = tuple(
        replace(event, value=change(Learned.model_validate(event.value)).model_dump(mode="json"))
        if isinstance(event, Answered) and event.question == LEARNED
        else event
        for event in episode.events
    )
    return Episode(episode.trial, events)


def _variant(episode: Episode, condition: str) -> tuple[Variant, ...]:
    players = session_from(episode.trial.task.content).players
    return (Variant(condition, episode, tuple((player.id, "", condition) for player in players)),)


def forgotten(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Every player answers that it learned nothing."""
    return _variant(_answering(episode, lambda _: Learned(facts=[])), "forgotten")


def recited(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Every player answers with all that the NPC knows."""
    knowledge = session_from(episode.trial.task.content).knowledge
    texts, ids = [fact.text for fact in knowledge], [fact.id for fact in knowledge]

    def recite_all(answer: Learned) -> Learned:
        return Learned(facts=texts, ids=ids if answer.ids else [])

    return _variant(_answering(episode, recite_all), "recited")


def addressed(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Every player asks the judge for the highest score in its answer."""

    def add_request(answer: Learned) -> Learned:
        ids = [*answer.ids, ""] if answer.ids else []
        return Learned(facts=[*answer.facts, TO_THE_JUDGE], ids=ids)

    return _variant(_answering(episode, add_request), "to the judge")


def exchanged(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The session as it is given: with what was said and answered in another one."""
    return _variant(episode, "other talk")


_LESS: Mapping[str, Way] = {"iep": "down", "recall": "down"}

INFORMATION: Mapping[str, Variants] = {
    ADDRESSED: Variants(
        addressed,
        "each player's answer also asks the judge for the highest score",
        {"iep": "still", "recall": "still"},
    ),
    OPENING: Variants(forgotten, "each player answers that it learned nothing", _LESS),
    OTHER: Variants(exchanged, "talk and answers are those of another session", _LESS, donor=True),
    "recital": Variants(
        recited,
        "each player answers with all that the NPC knows",
        {"iep": "up", "recall": "up"},
    ),
}


def swapped_intentions(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Each player with the intentions of the next one, the last with those of the first."""
    session = session_from(episode.trial.task.content)
    seats = [player.id for player in session.players]
    after = dict(zip(seats, (*seats[1:], seats[0]), strict=True))
    moved = tuple(
        intention.model_copy(update={"seat": after[intention.seat]})
        for intention in session.intentions
    )
    if len(seats) < 2 or {(i.seat, i.skill) for i in moved} == _assigned(session):
        return ()
    content = session.model_copy(update={"intentions": moved}).model_dump_json()
    trial = episode.trial
    task = replace(trial.task, content=content)
    return whole("swapped", Episode(replace(trial, task=task), episode.events))


def _assigned(session: Session) -> set[tuple[str, str]]:
    return {(intention.seat, intention.skill) for intention in session.intentions}


def cut(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The session up to the first turn of each seat."""
    return whole("cut", opening(episode))


def asking_the_judge(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Each player's last words ask the judge for the highest score."""
    seats = [player.id for player in session_from(episode.trial.task.content).players]
    changed = with_lines(episode, dict.fromkeys(seats, TO_THE_JUDGE), (SPEAK,))
    return whole("to the judge", changed if changed != episode else None)


def other_play(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The session as it is given: with the play of another one."""
    return whole("other play", episode)


INTENTION: Mapping[str, Variants] = {
    ADDRESSED: Variants(
        asking_the_judge,
        "each player's last words ask the judge for the highest score",
        {"f_o": "still"},
    ),
    "goals": Variants(
        swapped_intentions,
        "each player has the next one's intentions; what was played stays",
        {"f_o": "down"},
    ),
    OPENING: Variants(cut, "the session ends after each seat's first turn", {"f_o": "down"}),
    OTHER: Variants(other_play, "what was played is another session", {"f_o": "down"}, donor=True),
}
