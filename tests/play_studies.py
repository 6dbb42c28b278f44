"""Requests and lines for tests of what people play."""

from __future__ import annotations

from sociolab.core import Action, ActionKind, ActionSpace, Line, Observation, Question, Request

TALK = ActionSpace((ActionKind("speak", spoken=True), ActionKind("wait", has_text=False)))


def line_of(text: str, *, you: bool = False) -> Line:
    """A line of the history."""
    return Line(0, "Ann", you, (Action("speak", text),), text)


def request_of(
    wanted: ActionSpace | Question = TALK, history: tuple[Line, ...] = (), turn: int = 0
) -> Request:
    """Somebody is asked."""
    shown = Observation("a", "Ann", turn, 6, "# You\nAnn", history, "", ("Bo", "Mira"), None)
    return Request("trial", 0, "a", turn, 1, wanted, shown)
