"""Which seat may see what of a move."""

from __future__ import annotations

from dataclasses import replace

from sociolab.core.episode import Moved


def seen_by(move: Moved, seat: str) -> Moved | None:
    """The part of a move that this seat may see; None if it sees nothing of it.

    An action without `to` is seen by everybody, one with `to` by its author and those it names.
    """
    if move.seat == seat or not any(action.to for action in move.actions):
        return move
    actions = tuple(a for a in move.actions if not a.to or seat in a.to)
    if move.actions and not actions:
        return None
    return replace(move, actions=actions)
