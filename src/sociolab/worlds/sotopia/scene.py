"""A SOTOPIA task as a scene: seats, actions, and what each seat sees (SOTOPIA sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sociolab.core.episode import Action, ActionKind, ActionSpace, Moved
from sociolab.core.ports import Line, Observation
from sociolab.engine.scene import Order, Poll
from sociolab.prompting.templates import prompt
from sociolab.worlds.sotopia.profiles import Character, Record, Relationship, RelationshipType
from sociolab.worlds.sotopia.scenarios import Goal, Scenario
from sociolab.worlds.sotopia.visibility import (
    STRANGER_LABEL,
    Known,
    inner_life,
    known,
    speaks_name,
    without_name,
)

PACKAGE = "sociolab.worlds.sotopia"
TURN_LIMIT = 20

SPEAK, NON_VERBAL, PHYSICAL, NONE, LEAVE = (
    "speak",
    "non-verbal communication",
    "physical action",
    "none",
    "leave",
)
ACTIONS = ActionSpace(
    (
        ActionKind(SPEAK, spoken=True),
        ActionKind(NON_VERBAL),
        ActionKind(PHYSICAL),
        ActionKind(NONE, has_text=False),
        ActionKind(LEAVE, has_text=False, leaves=True),
    )
)


class Casting(Record):
    """The content of a task: a scenario, who is cast in it, and how they know each other."""

    scenario: Scenario
    characters: tuple[Character, ...]
    relationships: tuple[Relationship, ...]

    def between(self, a: str, b: str) -> Relationship:
        """How two characters know each other; strangers where nothing is said."""
        for relationship in self.relationships:
            if {relationship.a, relationship.b} == {a, b}:
                return relationship
        return Relationship(a=a, b=b, type=RelationshipType.STRANGER)


@dataclass(frozen=True, slots=True)
class SotopiaView:
    """What a seat may know, as records: for players that are not given text.

    `others` maps the name that this seat uses for another one to what it knows of them.
    """

    me: Character
    others: dict[str, Known]
    context: str
    goal: Goal


@dataclass(frozen=True, slots=True)
class SotopiaScene:
    """A casting, ready to be played. Seats are the characters' ids, in the scenario's order."""

    casting: Casting
    limit: int = TURN_LIMIT
    order: Order = "round-robin"
    polls: Sequence[Poll] = ()
    space: ActionSpace = ACTIONS

    @property
    def seats(self) -> tuple[str, ...]:
        """The characters' ids."""
        return tuple(character.id for character in self.casting.characters)

    def witness(self, seat: str) -> SotopiaWitness:
        """What this seat knows before the first turn."""
        return SotopiaWitness(self, seat)


class SotopiaWitness:
    """What one seat has seen and heard so far."""

    def __init__(self, scene: SotopiaScene, seat: str) -> None:
        casting = scene.casting
        index = scene.seats.index(seat)
        self._scene = scene
        self._seat = seat
        self._me = casting.characters[index]
        self._others = {c.id: c for c in casting.characters if c.id != seat}
        self._known = {
            other: known(character, tie.type, tie.tie)
            for other, character in self._others.items()
            for tie in (casting.between(seat, other),)
        }
        self._labels = _labels(self._me, self._others, self._known)
        self._goal = casting.scenario.goals[index]
        self._lines: list[Line] = []
        self._head = self._render_head()

    def see(self, move: Moved) -> None:
        """Take in a move; a stranger who says their name has one from the next line on."""
        you = move.seat == self._seat
        who = self._me.first_name if you else self._labels[move.seat]
        actions = tuple(self._shown(action, move.seat) for action in move.actions)
        name = "You" if you else who[0].upper() + who[1:]
        text = " ".join(line_text(name, action, self._called(action)) for action in actions)
        self._lines.append(Line(move.turn, who, you, actions, text))
        if not you:
            self._hear_names(move)

    def observe(self, turn: int) -> Observation:
        """What is shown to this seat at this turn."""
        view = SotopiaView(
            self._me,
            {self._labels[seat]: seen for seat, seen in self._known.items()},
            self._scene.casting.scenario.context,
            self._goal,
        )
        tail = prompt(PACKAGE, "act_tail").render({"turn": turn + 1, "limit": self._scene.limit})
        return Observation(
            seat=self._seat,
            you=self._me.first_name,
            turn=turn,
            limit=self._scene.limit,
            head=self._head,
            history=tuple(self._lines),
            tail=tail,
            others=tuple(self._labels.values()),
            view=view,
        )

    def seat_called(self, name: str) -> str | None:
        """The seat that this seat calls so, by label or by full name."""
        for seat, label in self._labels.items():
            if name.casefold() in (label.casefold(), (self._known[seat].name or label).casefold()):
                return seat
        return None

    def _hear_names(self, move: Moved) -> None:
        for action in move.actions:
            if not self._scene.space[action.kind].spoken:
                continue
            for seat, character in self._others.items():
                if self._known[seat].name is None and speaks_name(action.text, character):
                    self._known[seat] = replace(self._known[seat], name=character.first_name)
                    self._labels[seat] = character.first_name

    def _shown(self, action: Action, author: str) -> Action:
        """The action without names that this seat does not know: words are heard as they are,
        but what somebody does is told by the one who watches."""
        if self._scene.space[action.kind].spoken or not action.text:
            return action
        text = action.text
        for seat, character in self._others.items():
            if self._known[seat].name is None:
                text = without_name(text, character, self._labels[seat])
        return action if text == action.text else replace(action, text=text)

    def _called(self, action: Action) -> tuple[str, ...]:
        return tuple("you" if seat == self._seat else self._labels[seat] for seat in action.to)

    def _render_head(self) -> str:
        others = [
            {
                "label": seen.name or self._labels[seat],
                "unknown": seen.name is None,
                "text": describe_known(seen),
            }
            for seat, seen in self._known.items()
        ]
        return prompt(PACKAGE, "act_head").render(
            {
                "you": describe_self(self._me),
                "others": others,
                "context": self._scene.casting.scenario.context,
                "goal": self._goal.text,
            }
        )


def line_text(name: str, action: Action, to: tuple[str, ...] = ()) -> str:
    """One action as a line of the history."""
    aside = f" (to {', '.join(to)} only)" if to else ""
    match action.kind:
        case "speak":
            return f"{name}{aside}: {action.text}"
        case "non-verbal communication":
            return f"{name}{aside} [non-verbal]: {action.text}"
        case "physical action":
            return f"{name}{aside} [does]: {action.text}"
        case "leave":
            return f"{name} {'leave' if name == 'You' else 'leaves'}."
        case _:
            return f"{name} {'do' if name == 'You' else 'does'} nothing."


def describe_self(character: Character) -> str:
    """All of a character, secret included, as its own player is told."""
    lines = [_identity(character.name, character.gender, character.pronouns, character.age)]
    lines[0] += f", {character.occupation}."
    lines += [character.public_info, inner_life(character)]
    if character.secret:
        lines.append(f"Secret: {character.secret}")
    return "\n".join(line for line in lines if line)


def describe_known(seen: Known) -> str:
    """What one seat is told of another."""
    if seen.relationship is RelationshipType.STRANGER:
        return "Somebody whom you have never met; you know nothing about them."
    if seen.relationship is RelationshipType.KNOWN_BY_NAME:
        return "You know the name, and nothing more."
    tie = f" ({seen.tie})" if seen.tie else ""
    how = {"family": "Family", "romantic": "Romance", "friend": "A friend"}
    first = f"{how.get(seen.relationship, 'An acquaintance')}{tie}."
    identity = _identity("", seen.gender, seen.pronouns, seen.age)
    about = ", ".join(part for part in (identity, seen.occupation) if part)
    return "\n".join(p for p in (f"{first} {about}.", seen.public_info, seen.inner) if p)


def _identity(name: str, gender: str, pronouns: str, age: int | None) -> str:
    """Name, age, gender and pronouns, as far as given."""
    person = f"{gender} ({pronouns})" if gender and pronouns else gender or pronouns
    return ", ".join(part for part in (name, str(age) if age else "", person) if part)


def _labels(
    me: Character, others: dict[str, Character], known_as: dict[str, Known]
) -> dict[str, str]:
    """How a seat calls each of the others: first names where they differ, else full names."""
    strangers = [seat for seat in others if known_as[seat].name is None]
    first_names = [me.first_name, *(c.first_name for c in others.values())]
    labels = {}
    for seat, character in others.items():
        if seat in strangers:
            number = strangers.index(seat) + 1
            labels[seat] = STRANGER_LABEL if len(strangers) == 1 else f"stranger {number}"
        elif first_names.count(character.first_name) > 1:
            labels[seat] = character.name
        else:
            labels[seat] = character.first_name
    return labels
