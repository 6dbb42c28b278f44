"""Which seat may see what of a move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sociolab.core.episode import ActionSpace, Moved


def visible_part(move: Moved, seat: str) -> Moved | None:
    """The part of a move that this seat may see; None if it sees nothing of it.

    An action without `to` is seen by everybody, one with `to` by its author and those it names.
    """
    if move.seat == seat or not any(action.to for action in move.actions):
        return move
    actions = tuple(a for a in move.actions if not a.to or seat in a.to)
    return replace(move, actions=actions) if actions else None


def visible_moves(moves: Iterable[Moved], seat: str, space: ActionSpace) -> Iterator[Moved]:
    """What a seat saw of an episode's moves: nothing after the turn in which it left."""
    moves = tuple(moves)
    last_turn = next((m.turn for m in moves if m.seat == seat and seat_leaves(m, space)), None)
    for move in moves:
        visible = visible_part(move, seat)
        if visible is not None and (last_turn is None or move.turn <= last_turn):
            yield visible


def seat_leaves(move: Moved, space: ActionSpace) -> bool:
    """Whether its seat leaves the episode with this move."""
    return any(space[action.kind].leaves for action in move.actions)
