"""An AntEval session as a scene: seats, actions, and what each seat sees (AntEval section 5.1).

`view_table` is the one place that decides what each seat knows before the first turn; `turn_text`
and `describe_self` word turns and characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, get_args

from pydantic import BaseModel, Field

from sociolab.core.episode import Action, ActionKind, ActionSpace, Episode, Moved
from sociolab.core.names import fold_name
from sociolab.core.ports import Line, Observation
from sociolab.engine.scene import Order, Poll
from sociolab.prompting.sets import PromptSet
from sociolab.worlds.anteval.prompt_sets import paper_prompts
from sociolab.worlds.anteval.session import (
    ABILITIES,
    NPC,
    PLURAL,
    SKILLS,
    Fact,
    Form,
    PartyMember,
    Reserve,
    Session,
    Trust,
)

SPEAK, ACT, PASS, LEAVE = "speak", "act", "pass", "leave"

ACTIONS = ActionSpace(
    (
        ActionKind(SPEAK, spoken=True),
        ActionKind(ACT),
        ActionKind(PASS, has_text=False, label="Pass the turn"),
    ),
    most=2,
    distinct=True,
)
"""A turn may act, speak, do both, or pass."""

LEAVING_ACTIONS = replace(
    ACTIONS,
    kinds=(*ACTIONS.kinds, ActionKind(LEAVE, has_text=False, leaves=True, label="Leave for good")),
)
"""The same for players who may leave; the episode ends when all of them have."""


class Marked(BaseModel):
    """What a player may say aside of a turn: that it shows its intention. Nobody else sees it."""

    uses: Literal[SKILLS] | None = Field(  # type: ignore[valid-type]
        default=None, description="the skill that you use here, if it is what you mean to do"
    )


MARKED_ACTIONS = ActionSpace(
    tuple(replace(kind, fields=Marked) if kind.has_text else kind for kind in ACTIONS.kinds),
    most=ACTIONS.most,
    distinct=ACTIONS.distinct,
)
"""The same for players who mean to use a skill, where sessions ask for marks."""

ASK, TELL, USE, CHAT = "ask", "tell", "use", "chat"
"""The acts of scripted players: a question, about a kind of fact, a name as {"name"} or (None)
anything; a fact or a falsehood, as {"id", "text", "names"}; the use of a skill, by its name; and
small talk, which has no consequences."""

SOUND, HINT, WIN = "sound", "hint", "win"
"""Further acts: a player asks what the NPC wants, the NPC lets it show, a player does it."""

UNRECORDED = (
    "intentions are on record only where built-in scripted players took every turn; any other "
    "agent needs an LLM judge: --judge openai/MODEL"
)


def is_recorded(episode: Episode) -> bool:
    """Whether every action has typed acts, so that no judge has to read the text."""
    return bool(episode.moves) and all(a.acts for move in episode.moves for a in move.actions)


@dataclass(frozen=True, slots=True)
class AntScene:
    """A session, ready to be played: the players in their order, then the NPC, in each round.

    `marks`: players may mark the turn in which they show their intention.
    """

    session: Session
    polls: Sequence[Poll] = ()
    order: Order = "round-robin"
    texts: PromptSet = field(default_factory=paper_prompts)
    marks: bool = False

    @property
    def space(self) -> ActionSpace:
        return LEAVING_ACTIONS if self.session.leaving else ACTIONS

    def space_of(self, seat: str, turn: int) -> ActionSpace:
        """The NPC cannot leave; with `marks`, a player with an intention can mark it."""
        has_intention = any(intention.seat == seat for intention in self.session.intentions)
        return (
            MARKED_ACTIONS
            if self.marks and has_intention
            else ACTIONS
            if seat == NPC
            else self.space
        )

    @property
    def seats(self) -> tuple[str, ...]:
        """The players' seats, the NPC's last."""
        return tuple(character.id for character in self.session.characters)

    @property
    def limit(self) -> int:
        """The number of turns; a turn is one seat's move."""
        return self.session.turns

    def witness(self, seat: str) -> TableWitness:
        """A witness that has seen no move yet."""
        return TableWitness(self.session, seat, self.texts, self.marks)


class TableWitness:
    """What one seat has seen and heard so far, and the observations it gets of that."""

    def __init__(self, session: Session, seat: str, texts: PromptSet, marks: bool = False) -> None:
        self._seat, self._marks = seat, marks
        self._texts = texts
        self._limit = session.turns
        self._careful = session.trust is not None
        self._view = view_table(session, seat)
        self._names = {character.id: character.first_name for character in session.characters}
        self._full = {character.id: character.name for character in session.characters}
        self._others = tuple(name for other, name in self._names.items() if other != seat)
        self._lines: list[Line] = []
        self._head = ""

    def see(self, move: Moved) -> None:
        you = move.seat == self._seat
        who = self._names[move.seat]
        actions = tuple(
            replace(
                action,
                to=tuple(self._names[seat] for seat in action.to),
                fields=action.fields if you else {},  # marks are nobody else's business
            )
            if action.to or action.fields
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
        self._head = self._head or self._render_head()
        return Observation(
            seat=self._seat,
            you=self._names[self._seat],
            turn=turn,
            limit=self._limit,
            head=self._head,
            history=tuple(self._lines),
            tail=_tail(self._texts, turn + 1, self._limit),
            others=self._others,
            view=self._view,
            layout=self._texts.manifest.layout,
        )

    def seat_called(self, name: str) -> str | None:
        """The other seat of this first or full name, in any case; None if there is none."""
        return seat_called(name, self._seat, self._names, self._full)

    def _render_head(self) -> str:
        view = self._view
        return self._texts["act_head"].render(
            {
                "careful": self._careful,
                "information": view.form == "information",
                "npc": view.npc,
                "teller": next((person.called for person in view.others if person.npc), ""),
                "limit": self._limit,
                "situation": view.situation,
                "you": describe_self(view.me),
                "others": view.others,
                "knowledge": view.knowledge,
                "reserved": {
                    reserve: [fact for fact in view.knowledge if fact.reserve == reserve]
                    for reserve in get_args(Reserve)
                },
                "kinds": PLURAL,
                "wants": view.trust.text if view.trust else "",
                "leaving": view.leaving,
                "purposes": [purpose.text for purpose in view.purposes],
                "marks": self._marks,
            }
        )


@lru_cache(maxsize=1024)
def _tail(texts: PromptSet, turn: int, limit: int) -> str:
    """The end of every request; cached, since it is the same in all episodes."""
    return texts["act_tail"].render({"turn": turn, "limit": limit})


@dataclass(frozen=True, slots=True)
class PublicView:
    """What the others see of a character, which excludes traits, goals and flaws."""

    name: str
    called: str
    pronouns: str
    look: str
    npc: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """What one seat knows, as records.

    `knowledge`, and what wins the NPC's `trust`, are the NPC's alone; `purposes` are the intentions
    that this player alone is told; `leaving`: it may leave.
    """

    form: Form
    me: PartyMember
    npc: bool
    others: tuple[PublicView, ...]
    situation: str
    knowledge: tuple[Fact, ...] = ()
    trust: Trust | None = None
    leaving: bool = False
    purposes: tuple[Purpose, ...] = ()


@dataclass(frozen=True, slots=True)
class Purpose:
    """A skill that a player intends to use, and the sentence that says so."""

    skill: str
    text: str


def seat_called(name: str, caller: str, *named: Mapping[str, str]) -> str | None:
    """The seat, other than the caller's, that has this name in any case; None if there is none."""
    requested = fold_name(" ".join(name.split()))
    for names in named:
        for seat, seat_name in names.items():
            if seat != caller and fold_name(seat_name) == requested:
                return seat
    return None


def party_moved(episode: Episode) -> bool:
    """Whether a player, and not only the NPC, took a turn."""
    return any(move.seat != NPC for move in episode.moves)


def view_table(session: Session, seat: str) -> TableView:
    """What this seat knows at first: its own character, how the others look, the situation.

    The NPC alone is told its knowledge, a player alone its own intentions (AntEval section 3.2).
    """
    npc = seat == NPC
    return TableView(
        form=session.form,
        me=session.seated(seat),
        npc=npc,
        others=tuple(
            PublicView(c.name, c.first_name, c.pronouns, c.look, c.id == NPC)
            for c in session.characters
            if c.id != seat
        ),
        situation=session.situation,
        knowledge=session.knowledge if npc and session.form == "information" else (),
        trust=session.trust if npc else None,
        leaving=session.leaving and not npc,
        purposes=tuple(
            Purpose(intention.skill, intention.text)
            for intention in session.intentions
            if intention.seat == seat and session.form == "intention"
        ),
    )


def turn_text(
    name: str, actions: Sequence[Action], named: Sequence[Sequence[str]], other_count: int
) -> str:
    """A turn as one line of the history; `named` holds the recipients of each action.

    Physical actions stand in brackets: `Mira [lifts the lid]: Look at this.` An action that names
    all `other_count` others is for all, as one that names nobody. If a part is an aside, the rest
    is marked "(to all)". Line ends become spaces, so that nobody can write lines for another.
    """
    if actions and actions[0].kind in (PASS, LEAVE):
        does = "wait" if actions[0].kind == PASS else "leave"
        return f"{name} {does}{'' if name == 'You' else 's'}."
    asides = [names if len(names) < other_count else () for names in named]
    parts = []
    for action, aside in zip(actions, asides, strict=True):
        text = " ".join(action.text.split())
        only = f" (to {', '.join(aside)} only)" if aside else " (to all)" if any(asides) else ""
        parts.append(f"{only}: {text}" if action.kind == SPEAK else f"{only} [{text}]")
    return name + "".join(parts)


def line_of(session: Session, move: Moved) -> str:
    """A turn as one line of text, asides included."""
    names = {character.id: character.first_name for character in session.characters}
    named = [[names[seat] for seat in action.to] for action in move.actions]
    return turn_text(names[move.seat], move.actions, named, len(names) - 1)


def describe_self(character: PartyMember, *, look: bool = True) -> str:
    """The full description of a character for its own player, with or without its look."""
    kind = f"{character.race} {character.class_name}".strip()
    scores = character.abilities
    abilities = ", ".join(f"{name} {scores[name]}" for name in ABILITIES if name in scores)
    lines = [
        f"{character.name} ({character.pronouns}), {kind}. Background: {character.background}. "
        f"Alignment: {character.alignment}.",
        character.description,
        f"Others see: {character.look}" if look else "",
        f"Level {character.level}, {character.hit_points} hit points ({character.hit_dice}). "
        f"Abilities: {abilities}.",
        f"Spells: {', '.join(character.spells)}." if character.spells else "",
        _join_texts("Personality", character.personality),
    ]
    for title, text in (
        ("Ideal", character.ideal),
        ("Bond", character.bond),
        ("Flaw", character.flaw),
        ("Goal", character.goal),
    ):
        lines.append(_join_texts(title, (text,)))
    return "\n".join(line for line in lines if line.strip())


def _join_texts(title: str, texts: Sequence[str]) -> str:
    joined = " ".join(text for text in texts if text)
    return f"{title}: {joined}" if joined else ""
