"""From generated play to what a virtual DM reads: whole sessions, or cut short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.core.episode import Episode, Moved
from sociolab.worlds.anteval.intention.named import names_skill
from sociolab.worlds.anteval.session import NPC, Session, session_from
from sociolab.worlds.anteval.telling import ACT, PASS
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn
from sociolab.worlds.anteval.virtual_dm.lexicon import cues_in


def example_of(episode: Episode) -> Example:
    """The whole session as one example, labelled with all that was assigned (AntEval section 3.3).

    The id is the trial's, the group the session's, so that plays of one session by different
    agents stay together. Speakers go by first names, the NPC is the DM; turns in which nobody said
    or did anything are left out. `strict`: no assigned skill is named in the play.
    """
    session = session_from(episode.trial.task.content)
    labels = _assigned(session)
    turns = tuple(turn for _, turn in _turns(session, episode.moves))
    return _example(episode.trial.id, session, turns, frozenset(labels.values()))


def cut_examples(episode: Episode) -> tuple[Example, ...]:
    """Shorter examples: for each assigned skill the play up to the turn that expresses it.

    That turn is the first of the seat whose words the keyword lexicon reads as the skill, or, if
    there is none, the first in which the seat does something beside or instead of talking; the
    example ends with it, as examples of real play end with the words that call for the check. A
    skill whose turn cannot be told gives none; skills of one turn give one example together. This
    is our choice: the paper takes whole sessions.
    """
    session = session_from(episode.trial.task.content)
    turns = list(_turns(session, episode.moves))
    ends: dict[int, set[Label]] = {}
    for (seat, skill), label in _assigned(session).items():
        end = _acting_turn(turns, seat, skill)
        if end is not None:
            ends.setdefault(end, set()).add(label)
    return tuple(
        _example(
            f"{episode.trial.id}-{turns[end][0].turn + 1}",
            session,
            tuple(turn for _, turn in turns[: end + 1]),
            frozenset(ends[end]),
        )
        for end in sorted(ends)
    )


def _assigned(session: Session) -> dict[tuple[str, str], Label]:
    return {
        (one.seat, one.skill): Label(session.seated(one.seat).first_name, one.skill)
        for one in session.intentions
    }


def _turns(session: Session, moves: Sequence[Moved]) -> Iterator[tuple[Moved, Turn]]:
    names = {one.id: DM if one.id == NPC else one.first_name for one in session.characters}
    for move in moves:
        texts = (" ".join(a.text.split()) for a in move.actions if a.kind != PASS)
        text = " ".join(part if part[-1:] in ".!?" else f"{part}." for part in texts if part)
        if text:
            yield move, Turn(names[move.seat], text)


def _acting_turn(turns: Sequence[tuple[Moved, Turn]], seat: str, skill: str) -> int | None:
    """The index of the turn that expresses a skill; None where it cannot be told."""
    own = [index for index, (move, _) in enumerate(turns) if move.seat == seat]
    for index in own:
        if skill in cues_in(turns[index][1].text):
            return index
    return next((i for i in own if any(a.kind == ACT for a in turns[i][0].actions)), None)


def _example(
    id_: str, session: Session, turns: tuple[Turn, ...], labels: frozenset[Label]
) -> Example:
    skills = {label.skill for label in labels}
    strict = not any(names_skill(turn.text, skill) for turn in turns for skill in skills)
    players = tuple(player.first_name for player in session.players)
    return Example(id_, session.id, turns, players, labels, strict)
