"""A SOTOPIA task as a scene: seats, actions, and what each seat sees (SOTOPIA sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations

from sociolab.core.episode import Action, ActionKind, ActionSpace, Moved
from sociolab.core.names import fold_name
from sociolab.core.ports import Line, Observation
from sociolab.engine.scene import Order, Poll
from sociolab.engine.visibility import seat_leaves
from sociolab.judging.quoting import flat
from sociolab.prompting.sets import PromptSet, load_set
from sociolab.worlds.sotopia.closing_form import (
    OFFER,
    PACKAGE as PACKAGE,
    deal_spaces,
    deal_to_answer,
    deed_of,
    form_text,
    rest_of,
    whole_space,
)
from sociolab.worlds.sotopia.scenarios import (
    Character,
    Closing,
    DivisionGoal,
    Goal,
    SceneCast,
)
from sociolab.worlds.sotopia.visibility import (
    STRANGER_LABEL,
    KnownCharacter,
    describe_known,
    describe_self,
    describe_tie,
    distinct_names,
    find_spoken_name,
    format_line,
    published_scene,
    replace_name,
    reveal_character,
)

TURN_LIMIT = 20

REQUIRED_TEMPLATES = {
    "act_head": "you others context goal name scene",
    "act_tail": "turn limit name agent",
    "judge_head": "dimensions",
    "judge_body": "context told people ties lines ending scene",
    "dimensions.toml": "",
}
"""The templates of a prompt set, and the variables that each may use."""

PLAYED = ("act_head", "act_tail")
JUDGED = ("judge_head", "judge_body", "dimensions.toml")


def paper_prompts() -> PromptSet:
    """The default prompt set, `paper`."""
    return load_set(PACKAGE, "paper", REQUIRED_TEMPLATES)


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
        ActionKind(NONE, has_text=False, label="Do nothing"),
        ActionKind(LEAVE, has_text=False, leaves=True),
    )
)


@dataclass(frozen=True, slots=True)
class SotopiaView:
    """What a seat may know, as records, for players that do not read text.

    `others` maps this seat's name for each other seat to what it knows of them. `closing` says how
    the outcome comes about (`closing_form`).
    """

    me: Character
    others: dict[str, KnownCharacter]
    context: str
    goal: Goal
    closing: Closing = "question"


@dataclass(frozen=True, slots=True)
class SotopiaScene:
    """A task's cast as a playable scene. Seats are the characters' ids, in the scenario's order.

    `named`: everybody knows all names from the start, even of strangers. Where the scenario closes
    by deals, the scene remembers in `on_table` the one that has to be answered (seat, share): it is
    then of one episode.
    """

    casting: SceneCast
    limit: int = TURN_LIMIT
    polls: Sequence[Poll] = ()
    order: Order = "round-robin"
    texts: PromptSet = field(default_factory=paper_prompts)
    named: bool = False
    on_table: list[tuple[str, dict[str, int]]] = field(default_factory=list, compare=False)

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(character.id for character in self.casting.characters)

    @property
    def space(self) -> ActionSpace:
        goal = self.divided
        return ACTIONS if goal is None else whole_space(ACTIONS, goal)

    @property
    def divided(self) -> DivisionGoal | None:
        """What deals divide; None where the scenario does not close by deals."""
        goal = self.casting.scenario.goals[0].facts
        by_deals = self.casting.scenario.closing == "deals"
        return goal if by_deals and isinstance(goal, DivisionGoal) else None

    def space_of(self, seat: str, turn: int) -> ActionSpace:
        """A deal of the other's has to be answered; in the last turn none is submitted, since
        nobody could answer it."""
        goal = self.divided
        if goal is None:
            return ACTIONS
        talk, answer = deal_spaces(ACTIONS, goal)
        if self.on_table and self.on_table[-1][0] != seat:
            return answer
        return talk if turn + 1 < self.limit else ACTIONS

    def note_deal(self, move: Moved) -> None:
        """Put a submitted deal on the table, or take it off."""
        for action in move.actions:
            deed = deed_of(action)
            if deed is not None:
                self.on_table.clear()
            if deed is not None and deed.kind == OFFER and isinstance(deed.what, dict):
                self.on_table.append((move.seat, {k: int(str(n)) for k, n in deed.what.items()}))

    def witness(self, seat: str) -> SotopiaWitness:
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
            other: reveal_character(
                character, tie.type, describe_tie(tie, other, character.first_name)
            )
            for other, character in self._others.items()
            for tie in (casting.between(seat, other),)
        }
        if scene.named:
            self._known = {o: replace(k, name=self._others[o].name) for o, k in self._known.items()}
        self._unnamed = self._seats_without_name()
        self._labels = _label_others(casting.characters, self._known)
        self._goal = casting.scenario.goals[index]
        self._lines: list[Line] = []
        self._left: set[str] = set()
        self._head = self._render_head()
        self._view = self._build_view()

    def see(self, move: Moved) -> None:
        """Add a move to the history. A spoken name becomes known, but labels do not change."""
        you = move.seat == self._seat
        if you:  # once for each move
            self._scene.note_deal(move)
        who = self._me.first_name if you else self._labels[move.seat]
        actions, text = self._describe_move(move, who, you)
        self._lines.append(Line(move.turn, who, you, actions, text))
        if seat_leaves(move, self._scene.space):
            self._left.add(move.seat)
        if self._unnamed and not you:
            self._hear_names(move)

    def observe(self, turn: int) -> Observation:
        return Observation(
            seat=self._seat,
            you=self._me.first_name,
            turn=turn,
            limit=self._scene.limit,
            head=self._head,
            history=tuple(self._lines),
            tail=self._tail(turn),
            others=tuple(label for seat, label in self._labels.items() if seat not in self._left),
            view=self._view,
            layout=self._scene.texts.manifest.layout,
        )

    def _tail(self, turn: int) -> str:
        tail = _render_tail(self._scene.texts, turn + 1, self._scene.limit, self._me)
        goal = self._scene.divided
        for by, share in self._scene.on_table if goal else ():
            if goal and by != self._seat:
                label = self._labels[by]
                other = label[0].upper() + label[1:]
                tail = f"{tail}\n{deal_to_answer(other, rest_of(goal.counts, share))}"
        return tail

    def seat_called(self, name: str) -> str | None:
        """The seat with this label, or with a name that this seat knows; None if there is none."""
        folded = fold_name(name)
        for seat, label in self._labels.items():
            if folded == fold_name(label):
                return seat
        for seat, profile in self._known.items():
            called = (profile.name, self._others[seat].first_name) if profile.name else ()
            if folded in map(fold_name, called):
                return seat
        return None

    def _describe_move(self, move: Moved, who: str, you: bool) -> tuple[tuple[Action, ...], str]:
        """The actions of a move as this seat may know them, and as one line."""
        actions = move.actions
        if self._unnamed:
            actions = tuple(self._hide_names(action) for action in actions)
        name, texts = "You" if you else who[0].upper() + who[1:], self._scene.texts
        if texts.manifest.full_names:
            who = self._me.name if you else self._known[move.seat].name or who
        text = " ".join(
            format_line(name, action, tuple(self._call(seat, "you") for seat in action.to))
            if action.to  # the line formats of a prompt set have no place for recipients
            else texts.line(action.kind, who, flat(action.text), move.turn + 1)
            or format_line(name, action)
            for action in actions
        )
        actions = tuple(
            replace(action, to=tuple(self._call(seat, self._me.first_name) for seat in action.to))
            if action.to
            else action
            for action in actions
        )
        return actions, text

    def _call(self, seat: str, me: str) -> str:
        return me if seat == self._seat else self._labels[seat]

    def _hear_names(self, move: Moved) -> None:
        """Learn the names that are spoken."""
        for action in move.actions:
            if not self._scene.space[action.kind].spoken:
                continue
            for seat, character in self._others.items():
                name = find_spoken_name(action.text, character)
                if name and self._known[seat].name != character.name:
                    self._known[seat] = replace(self._known[seat], name=name)
                    self._unnamed = self._seats_without_name()
                    self._view = self._build_view()

    def _hide_names(self, action: Action) -> Action:
        """The action without names that this seat does not know.

        Spoken words are heard as they are, but gestures and acts are described by this seat.
        """
        if self._scene.space[action.kind].spoken or not action.text:
            return action
        text = action.text
        for seat in self._unnamed:
            text = replace_name(text, self._others[seat], self._labels[seat])
        return action if text == action.text else replace(action, text=text)

    def _build_view(self) -> SotopiaView:
        profiles = {self._labels[seat]: profile for seat, profile in self._known.items()}
        scenario = self._scene.casting.scenario
        return SotopiaView(self._me, profiles, scenario.context, self._goal, scenario.closing)

    def _seats_without_name(self) -> tuple[str, ...]:
        """The seats whose full name this one does not know."""
        return tuple(
            seat
            for seat, character in self._others.items()
            if self._known[seat].name != character.name
        )

    def _render_head(self) -> str:
        labels = {seat: profile.name or self._labels[seat] for seat, profile in self._known.items()}
        people = [
            {
                "label": labels[seat],
                "unknown": profile.name is None,
                "text": describe_known(profile),
            }
            for seat, profile in self._known.items()
        ]
        head = self._scene.texts["act_head"].render(
            {
                "you": describe_self(self._me),
                "others": people,
                "context": self._scene.casting.scenario.context,
                "goal": self._goal.text,
                "name": self._me.first_name,
                "scene": published_scene(self._scene.casting, self._seat, labels),
            }
        )
        form = form_text(self._scene.casting.scenario, self._scene.limit)
        return f"{head}\n\n{form}" if form else head


@lru_cache(maxsize=1024)  # few distinct calls in all episodes
def _render_tail(texts: PromptSet, turn: int, limit: int, me: Character) -> str:
    """The end of every prompt; `turn` counts from 1."""
    values = {"turn": turn, "limit": limit, "name": me.first_name, "agent": me.name}
    return texts["act_tail"].render(values)


def _label_others(
    characters: Sequence[Character], profiles: dict[str, KnownCharacter]
) -> dict[str, str]:
    """What a seat calls each of the others: by name, or as a stranger."""
    names = distinct_names(characters)
    strangers = [seat for seat, profile in profiles.items() if profile.name is None]
    labels = {}
    for seat in profiles:
        if seat not in strangers:
            labels[seat] = names[seat]
        elif len(strangers) == 1:
            labels[seat] = STRANGER_LABEL
        else:
            labels[seat] = f"stranger {strangers.index(seat) + 1}"
    return labels


def judge_names(casting: SceneCast) -> dict[str, str]:
    """What the judge and transcripts call each seat."""
    return distinct_names(casting.characters)


def describe_ties(casting: SceneCast) -> tuple[str, ...]:
    """How the characters know each other, one sentence per pair."""
    names = judge_names(casting)
    return tuple(
        f"{names[a]} and {names[b]}: {describe_tie(casting.between(a, b), b, names[b])}."
        for a, b in combinations(names, 2)
    )
