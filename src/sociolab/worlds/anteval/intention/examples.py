"""From generated play to what a virtual DM reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.core.episode import Episode, Moved
from sociolab.worlds.anteval.intention.named import names_skill
from sociolab.worlds.anteval.session import NPC, Session, session_from
from sociolab.worlds.anteval.telling import PASS
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn


def example_of(episode: Episode) -> Example:
    """The whole session as one example, labelled with all that was assigned (AntEval section 4.2).

    The id is the trial's, the group the session's, so that plays of one session by different
    agents stay together. Speakers go by first names, the NPC is the DM; turns in which nobody said
    or did anything are left out. `strict`: no assigned skill is named in the play.
    """
    session = session_from(episode.trial.task.content)
    labels = frozenset(
        Label(session.seated(one.seat).first_name, one.skill) for one in session.intentions
    )
    turns = tuple(_turns(session, episode.moves))
    strict = not any(names_skill(turn.text, label.skill) for turn in turns for label in labels)
    players = tuple(player.first_name for player in session.players)
    return Example(episode.trial.id, session.id, turns, players, labels, strict)


def _turns(session: Session, moves: Sequence[Moved]) -> Iterator[Turn]:
    names = {one.id: DM if one.id == NPC else one.first_name for one in session.characters}
    for move in moves:
        texts = (" ".join(a.text.split()) for a in move.actions if a.kind != PASS)
        text = " ".join(part if part[-1:] in ".!?" else f"{part}." for part in texts if part)
        if text:
            yield Turn(names[move.seat], text)
