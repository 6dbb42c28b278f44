"""An AntEval session as a scene: seats, actions, and what each seat sees (AntEval section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sociolab.core.episode import ActionKind, ActionSpace, Episode, Moved
from sociolab.core.ports import Line, Observation
from sociolab.engine.scene import Order, Poll
from sociolab.prompting.templates import prompt
from sociolab.worlds.anteval.session import Session
from sociolab.worlds.anteval.telling import ACT, PASS, SPEAK, describe_self, turn_text
from sociolab.worlds.anteval.visibility import visible

PACKAGE = "sociolab.worlds.anteval"

ACTIONS = ActionSpace(
    (ActionKind(SPEAK, spoken=True), ActionKind(ACT), ActionKind(PASS, has_text=False)),
    most=2,
    distinct=True,
)
"""A turn may act, speak, do both, or pass."""

ASK, TELL, USE, CHAT = "ask", "tell", "use", "chat"
"""The acts of scripted players: a question, about a kind of fact or (None) about anything; a fact,
as {"id", "text"}; the use of a skill, by its name; and all that means nothing to anybody."""

UNRECORDED = (
    "what was meant is on record only where built-in scripted players took every turn; elsewhere "
    "a model has to read it: --judge openai/MODEL"
)


def recorded(episode: Episode) -> bool:
    """Whether acts say what every turn meant, so that nobody has to read the words."""
    return bool(episode.moves) and all(a.acts for move in episode.moves for a in move.actions)


@dataclass(frozen=True, slots=True)
class AntScene:
    """A session, ready to be played: the players in their order, then the NPC, round and round."""

    session: Session
    polls: Sequence[Poll] = ()
    order: Order = "round-robin"
    space: ActionSpace = ACTIONS

    @property
    def seats(self) -> tuple[str, ...]:
        """The players' seats, the NPC's last."""
        return tuple(character.id for character in self.session.characters)

    @property
    def limit(self) -> int:
        """Turns in all: one seat's move each."""
        return self.session.turns

    def witness(self, seat: str) -> TableWitness:
        """What this seat knows before the first turn."""
        return TableWitness(self.session, seat)


class TableWitness:
    """What one seat has seen and heard so far."""

    def __init__(self, session: Session, seat: str) -> None:
        self._seat = seat
        self._limit = session.turns
        self._view = visible(session, seat)
        self._names = {one.id: one.first_name for one in session.characters}
        self._full = {one.id: one.name for one in session.characters}
        self._others = tuple(name for other, name in self._names.items() if other != seat)
        self._lines: list[Line] = []
        self._head = ""

    def see(self, move: Moved) -> None:
        """Take in a move that this seat may see."""
        you = move.seat == self._seat
        who = self._names[move.seat]
        actions = tuple(
            replace(action, to=tuple(self._names[seat] for seat in action.to))
            if action.to
            else action
            for action in move.actions
        )
        named = [
            ["you" if seat == self._seat else self._names[seat] for seat in action.to]
            for action in move.actions
        ]
        text = turn_text("You" if you else who, actions, named, len(self._others))
        self._lines.append(Line(move.turn, who, you, actions, text))

    def observe(self, turn: int) -> Observation:
        """What is shown to this seat at this turn."""
        self._head = self._head or self._render_head()
        return Observation(
            seat=self._seat,
            you=self._names[self._seat],
            turn=turn,
            limit=self._limit,
            head=self._head,
            history=tuple(self._lines),
            tail=_tail(turn + 1, self._limit, turn + len(self._names) >= self._limit),
            others=self._others,
            view=self._view,
        )

    def seat_called(self, name: str) -> str | None:
        """The other seat of this first or full name, in any case; None if there is none."""
        wanted = " ".join(name.split()).casefold()
        for names in (self._names, self._full):
            for seat, known in names.items():
                if seat != self._seat and known.casefold() == wanted:
                    return seat
        return None

    def _render_head(self) -> str:
        view = self._view
        return prompt(PACKAGE, "act_head").render(
            {
                "information": view.form == "information",
                "npc": view.npc,
                "teller": next((one.called for one in view.others if one.npc), ""),
                "limit": self._limit,
                "situation": view.situation,
                "you": describe_self(view.me),
                "others": view.others,
                "knowledge": [fact.text for fact in view.knowledge],
                "purposes": [purpose.text for purpose in view.purposes],
            }
        )


@lru_cache(maxsize=1024)
def _tail(turn: int, limit: int, last: bool) -> str:
    """What stands at the end of every request; kept, as it is the same in all episodes."""
    return prompt(PACKAGE, "act_tail").render({"turn": turn, "limit": limit, "last": last})
