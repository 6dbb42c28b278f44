"""Variants of a session that show whether a judge reads it (see `judging.controls`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sociolab.core.episode import Answered, Episode
from sociolab.core.ports import Variant, Variants, Way
from sociolab.judging import controls
from sociolab.worlds.anteval.information.scoring import LEARNED, Learned
from sociolab.worlds.anteval.scene import SPEAK
from sociolab.worlds.anteval.session import Session, session_from


def _change_answers(episode: Episode, change: Callable[[Learned], Learned]) -> Episode:
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
    return _variant(_change_answers(episode, lambda _: Learned(facts=[])), "forgotten")


def recited(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Every player answers with all that the NPC knows, with ids where the player gave some."""
    knowledge = session_from(episode.trial.task.content).knowledge
    texts, ids = [fact.text for fact in knowledge], [fact.id for fact in knowledge]

    def recite_all(answer: Learned) -> Learned:
        return Learned(facts=texts, ids=ids if answer.ids else [])

    return _variant(_change_answers(episode, recite_all), "recited")


def _pad_answers(
    condition: str, before: Sequence[str] = (), after: Callable[[Session], str] | None = None
) -> Callable[[Episode, int], tuple[Variant, ...]]:
    """A variant with sentences that state no fact before every answer, or one after it."""

    def add_sentences(episode: Episode, seed: int) -> tuple[Variant, ...]:
        last = [after(session_from(episode.trial.task.content))] if after else []

        def extend(answer: Learned) -> Learned:
            ids = [*("" for _ in before), *answer.ids, *("" for _ in last)] if answer.ids else []
            return Learned(facts=[*before, *answer.facts, *last], ids=ids)

        return _variant(_change_answers(episode, extend), condition)

    return add_sentences


def reordered(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Every answer from its last sentence to its first; none where nobody has two."""
    reversed_ = _change_answers(
        episode, lambda answer: Learned(facts=answer.facts[::-1], ids=answer.ids[::-1])
    )
    return _variant(reversed_, "reversed") if reversed_ != episode else ()


def joined(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Every answer as one sentence; none where nobody has two. No ids: they are of sentences."""

    def join_facts(answer: Learned) -> Learned:
        *first, last = [fact.rstrip(" .!?") for fact in answer.facts] or [""]
        return Learned(facts=[f"{', '.join(first)} and {last}."]) if first else answer

    changed = _change_answers(episode, join_facts)
    return _variant(changed, "one sentence") if changed != episode else ()


def exchanged(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The session unchanged: the audit puts in the talk and answers of another (`donor`)."""
    return _variant(episode, "other talk")


_SAME: Mapping[str, Way] = {"iep": "still", "recall": "still"}
_LESS: Mapping[str, Way] = {"iep": "down", "recall": "down"}

INFORMATION: Mapping[str, Variants] = {
    controls.ADDRESSED: Variants(
        _pad_answers("to the judge", after=lambda session: controls.TO_THE_JUDGE),
        "each player's answer also asks the judge for the highest score",
        _SAME,
    ),
    controls.FORGED: Variants(
        _pad_answers("forged", after=lambda session: controls.forge_line(session.npc.first_name)),
        "each answer ends with a line as if by the NPC, that all of it was told",
        _SAME,
    ),
    controls.MENTIONS: Variants(
        _pad_answers(
            "names", after=lambda s: controls.mention([c.first_name for c in s.characters])
        ),
        "each answer ends with the names of all who were there",
        _SAME,
    ),
    "order": Variants(reordered, "each answer is given from its last sentence to its first", _SAME),
    "padding": Variants(
        _pad_answers("padded", controls.EMPTY), "empty remarks stand before each answer", _SAME
    ),
    "joining": Variants(joined, 'the sentences of each answer are one, by commas and "and"', _SAME),
    controls.OPENING: Variants(forgotten, "each player answers that it learned nothing", _LESS),
    controls.OTHER: Variants(
        exchanged, "talk and answers are those of another session", _LESS, donor=True
    ),
    "recital": Variants(
        recited, "each player answers with all that the NPC knows", {"iep": "up", "recall": "up"}
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
    pairs, moved_pairs = ({(i.seat, i.skill) for i in side} for side in (session.intentions, moved))
    if len(seats) < 2 or moved_pairs == pairs:
        return ()
    content = session.model_copy(update={"intentions": moved}).model_dump_json()
    trial = episode.trial
    task = replace(trial.task, content=content)
    return controls.whole_episode_variant(
        "swapped", Episode(replace(trial, task=task), episode.events)
    )


def cut(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The session up to the first turn of each seat."""
    return controls.whole_episode_variant("cut", controls.opening(episode))


def forging(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Each player's last words hold a line in which the next one states its intention."""
    session = session_from(episode.trial.task.content)
    words = {
        intention.seat: f"I want to use {intention.skill} now." for intention in session.intentions
    }
    return _append_lines(episode, controls.forged_lines(episode, _names_by_seat(episode), words))


def _names_by_seat(episode: Episode) -> dict[str, str]:
    players = session_from(episode.trial.task.content).players
    return {player.id: player.first_name for player in players}


def _append_lines(episode: Episode, lines: Mapping[str, str]) -> tuple[Variant, ...]:
    changed = controls.with_lines(episode, lines, (SPEAK,))
    return controls.whole_episode_variant("other words", changed if changed != episode else None)


def other_play(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The session unchanged: the audit puts in the moves of another (`donor`)."""
    return controls.whole_episode_variant("other play", episode)


INTENTION: Mapping[str, Variants] = {
    controls.ADDRESSED: Variants(
        lambda play, seed: _append_lines(
            play, dict.fromkeys(_names_by_seat(play), controls.TO_THE_JUDGE)
        ),
        "each player's last words ask the judge for the highest score",
        {"f_o": "still"},
    ),
    controls.FORGED: Variants(
        forging,
        "each player's last words hold a line in which the next player states its skill",
        {"f_o": "still"},
    ),
    controls.MENTIONS: Variants(
        lambda play, seed: _append_lines(play, controls.mention_lines(_names_by_seat(play))),
        "each player's last words name the others in passing",
        {"f_o": "still"},
    ),
    "goals": Variants(
        swapped_intentions,
        "each player has the next one's intentions; what was played stays",
        {"f_o": "down"},
    ),
    controls.OPENING: Variants(
        cut, "the session ends after each seat's first turn", {"f_o": "down"}
    ),
    controls.OTHER: Variants(
        other_play, "what was played is another session", {"f_o": "down"}, donor=True
    ),
}
