"""The content of a participant's screen: what their seat may know, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sociolab.agents.forms import FormField, fields_of, fields_of_type
from sociolab.core.episode import (
    Action,
    ActionSpace,
    Ended,
    Episode,
    Event,
    Moved,
    format_value,
)
from sociolab.core.metrics import Declared
from sociolab.core.ports import Line, Question, Request, World, WorldKit
from sociolab.engine.visibility import seat_leaves
from sociolab.store.store import TrialRow
from sociolab.store.studies import Progress

Phase = Literal["ready", "waiting", "playing", "let go", "done"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class ShownSection(_Part):
    """A section of what the seat was told; `kept`: it stays in sight, as it holds the goal."""

    title: str
    text: str
    kept: bool = False


class ShownAction(_Part):
    """An action. `tag` labels one that is not plain speech; `to` names its recipients, if it was
    not for all."""

    kind: str
    text: str
    to: tuple[str, ...] = ()
    tag: str = ""


class ShownLine(_Part):
    """A turn as the seat saw it; `text` is the whole turn in one line."""

    turn: int
    who: str
    you: bool
    text: str
    actions: tuple[ShownAction, ...]


class ShownKind(_Part):
    """A kind of action: its label, whether it takes text, its fields, and whether it can or must
    have recipients (`aside`)."""

    name: str
    label: str
    text: bool
    leaves: bool
    spoken: bool
    fields: tuple[FormField, ...]
    aside: Literal["", "optional", "required"]


class ActForm(_Part):
    """The form of a turn: up to `most` actions; `distinct`: no kind twice, and none without text
    beside others. `others` are possible recipients, where there are several."""

    kinds: tuple[ShownKind, ...]
    most: int
    distinct: bool
    others: tuple[str, ...]


class QuestionForm(_Part):
    """A question that is no turn; an `optional` one can be skipped."""

    text: str
    fields: tuple[FormField, ...]
    optional: bool


class Asking(_Part):
    """What the person is asked: an answer must repeat (turn, name, attempt).

    `problem` says why an earlier answer to it could not be used. `over` says why the conversation
    ended, where this is the last question. Exactly one of `act` and `question` is set.
    """

    turn: int
    name: str
    attempt: int
    problem: str
    note: str
    seconds_left: float
    over: str = ""
    act: ActForm | None = None
    question: QuestionForm | None = None


class SeatScene(_Part):
    """What a seat may know now. `turn` counts from 1, and is None before anybody was asked;
    `several`: there are more than two seats."""

    trial: str
    you: str
    intro: str
    sections: tuple[ShownSection, ...]
    history: tuple[ShownLine, ...]
    turn: int | None
    limit: int | None
    others_busy: bool
    several: bool


class LastEpisode(_Part):
    """Why the previous episode ended ("" while others still answer a last question about it), and
    what was said in it."""

    trial: str
    why: str
    history: tuple[ShownLine, ...]


class Screen(_Part):
    """The whole screen. `number` of `of` episodes is the current or next one; `note` says why no
    further episode comes where one was expected."""

    phase: Phase
    number: int
    of: int
    note: str = ""
    waited: float | None = None
    scene: SeatScene | None = None
    asking: Asking | None = None
    last: LastEpisode | None = None


_GOAL_TITLE = re.compile(r"\b(goal|goals|mean to do|your part)\b", re.IGNORECASE)
"""Occurs in the title of a section that holds the seat's goal."""


def split_sections(head: str) -> tuple[str, tuple[ShownSection, ...]]:
    """Split a seat's briefing at its headings: the text before the first, then the sections.

    If no title mentions the goal, the last section stays in sight.
    """
    intro, *rest = re.split(r"^# +", head, flags=re.MULTILINE)
    parts = [part.partition("\n") for part in rest]
    stays = [bool(_GOAL_TITLE.search(title)) for title, _, _ in parts]
    if stays and not any(stays):
        stays[-1] = True
    sections = tuple(
        ShownSection(title=title.strip(), text=text.strip(), kept=keep)
        for (title, _, text), keep in zip(parts, stays, strict=True)
    )
    return intro.strip(), sections


def seat_view(
    world: World, declared: Declared, episode: Episode, seat: str
) -> tuple[str, tuple[ShownLine, ...]]:
    """The briefing of a seat, and the turns that it has seen."""
    transcript = world.transcript(episode, seat)
    return "\n".join(text for _, text in transcript.scene), show_lines(transcript.lines, declared)


def show_lines(lines: Iterable[Line], declared: Declared) -> tuple[ShownLine, ...]:
    return tuple(
        ShownLine(
            turn=line.turn,
            who=line.who,
            you=line.you,
            text=line.text,
            actions=tuple(
                ShownAction(kind=a.kind, text=a.text, to=a.to, tag=_label_action(a, declared))
                for a in line.actions
            ),
        )
        for line in lines
    )


def _label_action(action: Action, declared: Declared) -> str:
    """Label an action in the world's words; "" for speech without fields."""
    label = "" if action.kind in declared.spoken else declared.acts.get(action.kind, action.kind)
    values = ", ".join(f"{name}: {format_value(value)}" for name, value in action.fields.items())
    return f"{label} ({values})" if label and values else label or values


def build_asking(request: Request, seconds_left: float, over: str) -> Asking:
    """The form for a request; `over` says why the conversation ended, if it did."""
    form = request.expected
    act = _act_form(form, request.observation.others) if isinstance(form, ActionSpace) else None
    question = None
    if isinstance(form, Question):
        text = form.wording.text if form.wording else form.text
        question = QuestionForm(text=text, fields=fields_of(form), optional=form.optional)
    return Asking(
        turn=request.turn,
        name=request.name,
        attempt=request.attempt,
        problem=request.problem,
        note=request.observation.tail if act else "",
        seconds_left=max(0.0, round(seconds_left, 1)),
        over=over,
        act=act,
        question=question,
    )


def _act_form(space: ActionSpace, partners: tuple[str, ...]) -> ActForm:
    return ActForm(
        kinds=tuple(
            ShownKind(
                name=kind.name,
                label=kind.label or f"{kind.name[:1].upper()}{kind.name[1:]}",
                text=kind.has_text,
                leaves=kind.leaves,
                spoken=kind.spoken,
                fields=fields_of_type(kind.fields) if kind.fields else (),
                aside=kind.recipients
                if kind.takes_recipients and kind.recipients != "none"
                else "",
            )
            for kind in space.kinds
        ),
        most=space.most,
        distinct=space.distinct,
        others=partners if len(partners) > 1 else (),
    )


AWAY = "You missed several turns, so the conversation was ended. What you did until then is kept."
PARTNER_AWAY = (
    "Your partner did not come back, so the conversation ends here. What you did is kept and "
    "counts."
)
PARTNER_LOST = (
    "Your partner cannot continue, so the conversation ends early. This is not your fault: what "
    "you did is kept and counts."
)
DELETED = "A participant asked for their data to be deleted, so this conversation was deleted."
BROKEN = (
    "The conversation could not continue for a technical reason. What you did is kept and counts."
)
ALL_TURNS_USED = "All turns have been used."
YOU_LEFT, PARTNER_LEFT = "You left.", "Your partner left."


def deleted_episode(trial: str) -> LastEpisode:
    """A deleted episode, without anything that others may have played in its trial since."""
    return LastEpisode(trial=trial, why=DELETED, history=())


def last_episode(
    kit: WorldKit, row: TrialRow, events: tuple[Event, ...], seat: str, state: Progress
) -> LastEpisode:
    """Why a trial ended for a seat, and what that seat saw of it."""
    _, history = seat_view(kit.world, kit.declared, Episode(row.trial, events), seat)
    why = _explain_end(row, events, seat, state, kit.declared)
    return LastEpisode(trial=row.trial.id, why=why, history=history)


def _explain_end(
    row: TrialRow, events: Sequence[Event], seat: str, state: Progress, declared: Declared
) -> str:
    if state == "given up":
        return AWAY
    if row.cause == "gave up":
        return PARTNER_AWAY
    if row.status == "failed" and row.cause != "plugin":
        return PARTNER_LOST
    if row.status == "playing" and state == "done":
        return ""  # others still answer the last question; this person has just read why
    ended = events[-1] if events else None
    if row.status != "played" or not isinstance(ended, Ended):
        return BROKEN
    if ended.reason == "left":
        return YOU_LEFT if ended.seat == seat else PARTNER_LEFT
    return ALL_TURNS_USED if ended.reason == "turn limit" else _over_because(ended.reason, declared)


def _over_because(reason: str, declared: Declared) -> str:
    why = declared.ends.get(reason, reason)
    return f"It is over: {why}."


def explain_end_early(
    events: Iterable[Event], seat: str, seats: int, space: ActionSpace | None, declared: Declared
) -> str:
    """Why the conversation ended, inferred from its moves: the `Ended` event comes only after the
    last question is answered."""
    moves = [event for event in events if isinstance(event, Moved)] if space else []
    last = [action for move in moves if move.turn == moves[-1].turn for action in move.actions]
    for action in last:
        kind = space.get(action.kind) if space else None
        if kind and kind.ends:
            return _over_because(kind.ends, declared)
    leavers = [move.seat for move in moves if space and seat_leaves(move, space)]
    if seats - len(leavers) > 1:
        return ALL_TURNS_USED
    return YOU_LEFT if leavers[-1] == seat else PARTNER_LEFT
