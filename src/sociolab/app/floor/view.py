"""An episode as one seat sees it, as parts of a screen."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sociolab.agents.forms import fields_of
from sociolab.app.floor.screen import (
    ActForm,
    Asking,
    Kind,
    QuestionForm,
    Section,
    ShownAction,
    ShownLine,
)
from sociolab.core.episode import ActionSpace, Episode
from sociolab.core.ports import Line, Question, Request, World

_KEPT = re.compile(r"\b(goal|goals|mean to do|your part)\b", re.IGNORECASE)
"""In the title of a section that says what the seat is after."""


def told(head: str) -> tuple[str, tuple[Section, ...]]:
    """What a seat was told: what comes before the first heading, then heading by heading.

    Where no heading says that it holds the goal, the last one stays in sight.
    """
    intro, *rest = re.split(r"^# +", head, flags=re.MULTILINE)
    parts = [part.partition("\n") for part in rest]
    kept = [bool(_KEPT.search(title)) for title, _, _ in parts]
    if kept and not any(kept):
        kept[-1] = True
    sections = tuple(
        Section(title=title.strip(), text=text.strip(), kept=keep)
        for (title, _, text), keep in zip(parts, kept, strict=True)
    )
    return intro.strip(), sections


def as_seen(world: World, episode: Episode, seat: str) -> tuple[str, tuple[ShownLine, ...]]:
    """What this seat was told before the first turn, and what it has seen since."""
    seen = world.transcript(episode, seat)
    return "\n".join(text for _, text in seen.scene), shown(seen.lines)


def shown(lines: Iterable[Line]) -> tuple[ShownLine, ...]:
    """Turns, to be shown."""
    return tuple(
        ShownLine(
            turn=line.turn,
            who=line.who,
            you=line.you,
            text=line.text,
            actions=tuple(ShownAction(kind=a.kind, text=a.text, to=a.to) for a in line.actions),
        )
        for line in lines
    )


def asking(request: Request, seconds_left: float, over: str) -> Asking:
    """What a request asks for, to be shown; `over` says why the conversation is, if it is."""
    wanted = request.wanted
    act = _act_form(wanted, request.observation.others) if isinstance(wanted, ActionSpace) else None
    question = _question_form(wanted) if isinstance(wanted, Question) else None
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


def _question_form(question: Question) -> QuestionForm:
    text = question.wording.text if question.wording else question.text
    return QuestionForm(text=text, fields=fields_of(question), optional=question.optional)


def _act_form(space: ActionSpace, others: tuple[str, ...]) -> ActForm:
    return ActForm(
        kinds=tuple(Kind(name=k.name, text=k.has_text, leaves=k.leaves) for k in space.kinds),
        most=space.most,
        distinct=space.distinct,
        others=others if len(others) > 1 else (),
    )
