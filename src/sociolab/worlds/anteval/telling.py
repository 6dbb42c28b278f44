"""How AntEval puts things in words: a turn as a line, a character as its own player knows it."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.core.episode import Action, Moved
from sociolab.worlds.anteval.session import Character, Session
from sociolab.worlds.anteval.skills import ABILITIES

SPEAK, ACT, PASS = "speak", "act", "pass"


def turn_text(
    name: str, actions: Sequence[Action], named: Sequence[Sequence[str]], others: int
) -> str:
    """A turn as one line of the history; `named` hold, for each action, whom it was meant for.

    Deeds stand in brackets: `Mira [lifts the lid]: Look at this.` What names all `others` at the
    table is for all, as what names nobody. Where a part is an aside, the rest is said to be for
    all. Line ends become spaces, so that nobody can write lines for another.
    """
    if all(action.kind == PASS for action in actions):
        return f"{name} {'wait' if name == 'You' else 'waits'}."
    asides = [names if len(names) < others else () for names in named]
    parts = []
    for action, aside in zip(actions, asides, strict=True):
        text = " ".join(action.text.split())
        only = f" (to {', '.join(aside)} only)" if aside else " (to all)" if any(asides) else ""
        parts.append(f"{only}: {text}" if action.kind == SPEAK else f"{only} [{text}]")
    return name + "".join(parts)


def line_of(session: Session, move: Moved) -> str:
    """A turn as somebody reads it who sees everything, asides included."""
    names = {one.id: one.first_name for one in session.characters}
    named = [[names[seat] for seat in action.to] for action in move.actions]
    return turn_text(names[move.seat], move.actions, named, len(names) - 1)


def describe_self(character: Character, *, look: bool = True) -> str:
    """All of a character, as its own player is told; its look may be left out."""
    kind = f"{character.race} {character.class_name}".strip()
    lines = [
        f"{character.name} ({character.pronouns}), {kind}. Background: {character.background}. "
        f"Alignment: {character.alignment}.",
        character.description,
        f"Others see: {character.look}" if look else "",
        f"Abilities: {_abilities(character)}.",
        _listed("Personality", character.personality),
    ]
    for title, text in (
        ("Ideal", character.ideal),
        ("Bond", character.bond),
        ("Flaw", character.flaw),
        ("Goal", character.goal),
    ):
        lines.append(_listed(title, (text,)))
    return "\n".join(line for line in lines if line.strip())


def _abilities(character: Character) -> str:
    known = [name for name in ABILITIES if name in character.abilities]
    return ", ".join(f"{name} {character.abilities[name]}" for name in known)


def _listed(title: str, texts: Sequence[str]) -> str:
    said = " ".join(text for text in texts if text)
    return f"{title}: {said}" if said else ""
