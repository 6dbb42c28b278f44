"""A ready-made scene for worlds in which every seat sees everything that is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sociolab.core.episode import Action, ActionKind, ActionSpace, Episode, Moved
from sociolab.core.ports import Line, Note, Observation, Transcript
from sociolab.engine.scene import Order, Poll
from sociolab.engine.visibility import visible_moves
from sociolab.plugin.shown import RatedLine


@dataclass(frozen=True)
class OpenScene:
    """A scene in which every seat sees all actions, except those addressed to others only.

    `heads` holds the instructions of each seat, in the order in which the seats act; `tail` is
    added at its turn, with the turn's number from 1. `names` holds the names that seats are shown
    by (default: their ids). `acts` limits what a seat can do in a turn, counted from 0 (default:
    all of `space`).

    >>> import sociolab.plugin.api as lab
    >>> pay, keep = (lab.ActionKind(name, has_text=False) for name in ("pay", "keep"))
    >>> space = lab.ActionSpace((pay, keep))
    >>> scene = lab.OpenScene({"ann": "You are Ann.", "ben": "You are Ben."}, space, limit=2)
    >>> witness = scene.witness("ben")
    >>> witness.see(lab.Moved(0, "ann", (lab.Action("pay"),)))
    >>> witness.observe(1).history[0].text
    'ann: pay'
    """

    heads: Mapping[str, str]
    space: ActionSpace
    limit: int
    names: Mapping[str, str] = field(default_factory=dict)
    acts: Callable[[str, int], Sequence[ActionKind]] | None = None
    tail: str = "Turn {turn} of {limit} is yours."
    order: Order = "round-robin"
    polls: Sequence[Poll] = ()

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats in the order in which they act."""
        return tuple(self.heads)

    def space_of(self, seat: str, turn: int) -> ActionSpace:
        if self.acts is None:
            return self.space
        return ActionSpace(tuple(self.acts(seat, turn)), self.space.most, self.space.distinct)

    def witness(self, seat: str) -> OpenWitness:
        """A new witness, which has seen nothing yet."""
        return OpenWitness(self, seat)

    def name(self, seat: str) -> str:
        """The name that a seat is shown by."""
        return self.names.get(seat, seat)

    def line(self, move: Moved, seat: str | None = None) -> Line:
        """A turn as a line, for the history of a seat or (None) for the transcript."""
        actions = tuple(
            Action(act.kind, act.text, tuple(map(self.name, act.to)), act.acts, act.fields)
            for act in move.actions
        )
        who, text = self.name(move.seat), "; ".join(map(self._describe, actions))
        whose = move.seat if seat is None else ""
        return Line(move.turn, who, move.seat == seat, actions, f"{who}: {text}", whose)

    def rated_lines(self, episode: Episode) -> tuple[RatedLine, ...]:
        return tuple(
            RatedLine(line.turn + 1, line.seat, line.who, line.text.removeprefix(f"{line.who}: "))
            for line in map(self.line, episode.moves)
        )

    def _describe(self, action: Action) -> str:
        kind = self.space[action.kind]
        plain = kind.spoken and not action.fields
        text = " ".join(action.text.split()) if plain else action.as_text
        return f"(to {', '.join(action.to)} only) {text}" if action.to else text

    def transcript(self, title: str, episode: Episode, seat: str | None = None) -> Transcript:
        """The transcript: the whole episode, with failed turns as notes, or what a seat saw."""
        heads = ((self.name(who), head) for who, head in self.heads.items() if seat in (None, who))
        moves = episode.moves if seat is None else visible_moves(episode.moves, seat, self.space)
        failed = episode.failed_turns if seat is None else ()
        notes = (
            Note(e.turn, f"{self.name(e.seat)}: failed turn: {e.problem}", True) for e in failed
        )
        lines = tuple(self.line(move, seat) for move in moves)
        return Transcript(title, tuple(heads), lines, tuple(notes))


class OpenWitness:
    """Collects what one seat of an `OpenScene` sees."""

    def __init__(self, scene: OpenScene, seat: str) -> None:
        self._scene = scene
        self._seat = seat
        self._lines: list[Line] = []

    def see(self, move: Moved) -> None:
        self._lines.append(self._scene.line(move, self._seat))

    def observe(self, turn: int) -> Observation:
        scene, seat = self._scene, self._seat
        partners = tuple(scene.name(partner) for partner in scene.seats if partner != seat)
        lines, you, head = tuple(self._lines), scene.name(seat), scene.heads[seat]
        tail = scene.tail.format(turn=turn + 1, limit=scene.limit)
        return Observation(seat, you, turn, scene.limit, head, lines, tail, partners, None)

    def seat_called(self, name: str) -> str | None:
        """The partner with this name; None if there is none, and for the seat's own name."""
        partners = (seat for seat in self._scene.seats if seat != self._seat)
        return next((seat for seat in partners if self._scene.name(seat) == name), None)
