"""Forms by which two seats settle who gets what, as in the tasks that people played.

A scenario's `closing` says how its outcome comes about. "question": after the end each seat is
asked what was agreed (`outcome`). "deals": beside the talk either seat submits a deal, and the
other accepts or rejects it, as in CaSiNo. "selections": when the talk is over each seat enters in
private what it takes, which counts if the two fit, as in Deal or No Deal. By a form, what is
entered is what was agreed, whatever was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from sociolab.core.episode import (
    Act,
    Action,
    ActionKind,
    ActionSpace,
    Answered,
    Episode,
    Happened,
    Moved,
    Unusable,
)
from sociolab.core.ports import FieldWording, Question, Wording
from sociolab.core.seeding import digest
from sociolab.engine.scene import Poll
from sociolab.prompting.sets import prompt
from sociolab.report.words import join_names
from sociolab.worlds.sotopia.scenarios import DivisionGoal, Scenario, in_pieces

PACKAGE = "sociolab.worlds.sotopia"

OFFER, ACCEPT, DECLINE = "offer", "accept", "decline"
"""The acts that decide an outcome: those of scripted players, and what is entered in a form of
deals. The content of an offer is its terms; in a division, the pieces that its author keeps."""

SUBMIT, ACCEPT_DEAL, REJECT_DEAL = "submit deal", "accept deal", "reject deal"
"""The kinds of action of a form of deals; the fields of a submission are what its author gets."""

DEAL = "deal"
"""Why an episode ended in which a deal was accepted."""

SELECTION = "selection"
"""The name of the question after the end, where each seat selects what it takes."""

TAKES_DEAL, NO_DEAL = "deal", "no deal"
"""The outcomes between which a selection chooses."""


class Deal(BaseModel):
    """A deal as its author submits it: how many of each good it gets, the rest being the other's.

    Its fields are made for each goal.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


class Selection(BaseModel):
    """What a seat takes, or that it makes no deal; its goods are made for each goal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="after")
    def _with_numbers(self) -> Self:
        values = self.model_dump()
        missing = [name for name, value in values.items() if value is None]
        if values["outcome"] == TAKES_DEAL and missing:
            raise ValueError(f'"{TAKES_DEAL}" needs a number in {", ".join(missing)}')
        return self


def goods_in_words(goal: DivisionGoal) -> str:
    """The goods to divide: "3 books, 1 hat and 2 balls"."""
    return join_names(in_pieces(goal.counts))


# ------------------------------------------------------------------ deals, beside the talk


def deal_spaces(space: ActionSpace, goal: DivisionGoal) -> tuple[ActionSpace, ActionSpace]:
    """What a seat can do while no deal of the other's is on the table, and when one is: talk, or
    submit a deal; accept it, reject it, or leave."""
    return _cached_spaces(space, tuple(goal.counts.items()))


@lru_cache(maxsize=1024)  # a pydantic class takes a millisecond to make
def _cached_spaces(
    space: ActionSpace, counts: tuple[tuple[str, int], ...]
) -> tuple[ActionSpace, ActionSpace]:
    fields: dict[str, Any] = {
        good: (Annotated[int, Field(ge=0, le=count)], Field(description=f"{good} that you get"))
        for good, count in counts
    }
    kind = create_model("Deal", __base__=Deal, **fields)
    submit = ActionKind(SUBMIT, has_text=False, fields=kind, recipients="none")
    accept = ActionKind(ACCEPT_DEAL, has_text=False, ends=DEAL, recipients="none")
    reject = ActionKind(REJECT_DEAL, recipients="none")
    leave = tuple(kind for kind in space.kinds if kind.leaves)
    return ActionSpace((*space.kinds, submit)), ActionSpace((accept, reject, *leave))


def whole_space(space: ActionSpace, goal: DivisionGoal) -> ActionSpace:
    """All that a seat can ever do in a scene that closes by deals."""
    talk, answer = deal_spaces(space, goal)
    return ActionSpace((*talk.kinds, *(kind for kind in answer.kinds if not kind.leaves)))


def submitted(share: Mapping[str, int]) -> Action:
    """The action of a rule-based player that submits a deal."""
    return Action(SUBMIT, fields=dict(share), acts=(Act(OFFER, dict(share)),))


def answered(refusal: str = "") -> Action:
    """The action of a rule-based player that accepts the deal on the table, or rejects it with
    these words."""
    kind = REJECT_DEAL if refusal else ACCEPT_DEAL
    return Action(kind, refusal, acts=(_ANSWERS[kind],))


_ANSWERS = {ACCEPT_DEAL: Act(ACCEPT), REJECT_DEAL: Act(DECLINE)}


def deed_of(action: Action) -> Act | None:
    """What an action does in a form of deals: an offer, an acceptance or a refusal, else None."""
    if action.kind == SUBMIT:
        return Act(OFFER, dict(action.fields))
    return _ANSWERS.get(action.kind)


def deal_turns(moves: Iterable[Moved]) -> Iterator[tuple[str, Sequence[Act]]]:
    """What each turn did in the form (speaker, acts)."""
    for move in moves:
        yield move.seat, [deed for action in move.actions if (deed := deed_of(action)) is not None]


def rest_of(counts: Mapping[str, int], share: Mapping[str, Any]) -> dict[str, int]:
    """The pieces that a share leaves to the other."""
    return {good: count - int(share.get(good, 0)) for good, count in counts.items()}


# ------------------------------------------------------------------ selections, after the end


def selection_polls(goals: Mapping[str, DivisionGoal]) -> tuple[Poll, ...]:
    """The form of each seat, which comes after the end."""
    return tuple(Poll(None, (seat,), _selection(goal)) for seat, goal in goals.items())


def _selection(goal: DivisionGoal) -> Question:
    goods = goods_in_words(goal)
    text = prompt(PACKAGE, "selection").render({"goods": goods})
    labels = ((TAKES_DEAL, "We have a deal"), (NO_DEAL, "No deal"))
    wording = Wording(
        "The conversation is over. Enter what you two agreed on. Your partner fills in the same "
        f"form, and the deal counts only if your numbers and theirs add up to {goods}.",
        (
            FieldWording("outcome", "Is there a deal?", choices=labels),
            *(
                FieldWording(
                    good,
                    f"How many {good} do you get, of {count}?",
                    only_if=("outcome", (TAKES_DEAL,)),
                )
                for good, count in goal.counts.items()
            ),
        ),
    )
    return Question(SELECTION, text, _selection_type(tuple(goal.counts.items())), wording=wording)


@lru_cache(maxsize=1024)
def _selection_type(counts: tuple[tuple[str, int], ...]) -> type[Selection]:
    choices = Field(description=f'"{TAKES_DEAL}" or "{NO_DEAL}"')
    fields: dict[str, Any] = {"outcome": (Literal[TAKES_DEAL, NO_DEAL], choices)}
    for good, count in counts:
        pieces = Annotated[int, Field(ge=0, le=count)]
        fields[good] = (pieces | None, Field(description=f"how many you get, null if {NO_DEAL}"))
    return create_model("Selection", __base__=Selection, **fields)


def selection_of(share: Mapping[str, int] | None, goods: Iterable[str]) -> dict[str, Any]:
    """The answer that takes a share, or None: no deal."""
    outcome = NO_DEAL if share is None else TAKES_DEAL
    return {"outcome": outcome} | {good: share and share.get(good, 0) for good in goods}


MISFIT = "misfit"
"""What an archived episode came with where both selected shares that do not fit, and no more is
known of them: `Happened(turn, "", ARCHIVED, {MISFIT: True})`."""


def is_misfit(episode: Episode) -> bool:
    """Whether both selected shares that do not fit, and no more is known of them."""
    return any(isinstance(e, Happened) and e.value == {MISFIT: True} for e in episode.events)


def selections_in(episode: Episode, seats: Iterable[str]) -> dict[str, dict[str, int] | None]:
    """What each seat selected, None: no deal; without those that did not fill in the form."""
    found: dict[str, dict[str, int] | None] = {}
    for event in episode.events:
        if isinstance(event, Answered) and event.question == SELECTION and event.seat in seats:
            values: Any = dict(event.value) if isinstance(event.value, dict) else {}
            found[event.seat] = None if values.pop("outcome", NO_DEAL) == NO_DEAL else values
    return found


def describe_selections(scenario: Scenario, episode: Episode, names: Mapping[str, str]) -> str:
    """What both entered in the form, for judges and raters, in a sentence; "" without one, and
    where it is not part of the record."""
    if scenario.closing != "selections":
        return ""
    if is_misfit(episode):
        return "In the form, the two entered shares that do not fit."
    asked = (
        event.question if isinstance(event, Answered) else event.name
        for event in episode.events
        if isinstance(event, Answered | Unusable)
    )
    if SELECTION not in asked:
        return ""
    found = selections_in(episode, names)
    said = [f"{names[seat]} entered {entered(found[seat])}" for seat in names if seat in found]
    blank = [f"{names[seat]} did not fill it in" for seat in names if seat not in found]
    return f"In the form, {' and '.join((*said, *blank))}."


def entered(share: Mapping[str, int] | None) -> str:
    """A selection in words."""
    if share is None:
        return f'"{NO_DEAL}"'
    return f"{', '.join(in_pieces(share))} for themselves"


# ------------------------------------------------------------------ what everybody is told


def form_text(scenario: Scenario, limit: int) -> str:
    """The section of a seat's instructions that explains the form; "" without one."""
    goal = scenario.goals[0].facts
    if scenario.closing == "question" or not isinstance(goal, DivisionGoal):
        return ""
    values = {"closing": scenario.closing, "goods": goods_in_words(goal), "limit": limit}
    return prompt(PACKAGE, "form").render(values)


def deal_to_answer(other: str, left: Mapping[str, int]) -> str:
    """What a seat is told at its turn when the other has submitted a deal that leaves it this."""
    share = ", ".join(in_pieces(left))
    return prompt(PACKAGE, "deal_on_table").render({"other": other, "share": share})


def forms_hash() -> str:
    """A hash of the wording of all forms."""
    own = (prompt(PACKAGE, name).hash for name in ("form", "deal_on_table", "selection"))
    return digest(*own, prompt("sociolab.agents", "fields").hash)
