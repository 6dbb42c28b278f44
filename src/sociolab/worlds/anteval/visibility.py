"""Who may know what at the table before the first word: the one place that decides it."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.core.episode import Episode
from sociolab.worlds.anteval.session import NPC, Character, Fact, Form, Session


@dataclass(frozen=True, slots=True)
class Seen:
    """What everybody at the table sees of somebody: never a trait, goal or flaw."""

    name: str
    called: str
    pronouns: str
    look: str
    npc: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """What one seat knows, as records.

    `knowledge` is empty for all but the NPC, `purposes` hold what this player alone means to do,
    as told to it.
    """

    form: Form
    me: Character
    npc: bool
    others: tuple[Seen, ...]
    situation: str
    knowledge: tuple[Fact, ...] = ()
    purposes: tuple[Purpose, ...] = ()


@dataclass(frozen=True, slots=True)
class Purpose:
    """A skill that one means to use, and the sentence that says so."""

    skill: str
    text: str


def party_moved(episode: Episode) -> bool:
    """Whether a player took a turn: what the NPC says by itself is no play of the party."""
    return any(move.seat != NPC for move in episode.moves)


def visible(session: Session, seat: str) -> TableView:
    """What this seat is told: its own character, how the others look, the situation for all.

    The NPC alone is told its knowledge, a player alone its own intentions (AntEval section 3.2).
    """
    npc = seat == NPC
    return TableView(
        form=session.form,
        me=session.seated(seat),
        npc=npc,
        others=tuple(_seen(one) for one in session.characters if one.id != seat),
        situation=session.situation,
        knowledge=session.knowledge if npc and session.form == "information" else (),
        purposes=tuple(
            Purpose(one.skill, one.text)
            for one in session.intentions
            if one.seat == seat and session.form == "intention"
        ),
    )


def _seen(character: Character) -> Seen:
    return Seen(
        character.name,
        character.first_name,
        character.pronouns,
        character.look,
        character.id == NPC,
    )
