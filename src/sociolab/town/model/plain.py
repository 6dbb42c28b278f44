"""Answers in plain text: what a model says without a form, read as what a resident says or notes.

For models that follow no schema. Only the questions of a talk can be asked so.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sociolab.core.errors import ReplyError
from sociolab.prompting.structured import without_thinking
from sociolab.town.questions import (
    GeneralPlan,
    Items,
    Lines,
    MindQuestion,
    Said,
    Summarise,
    Summary,
    TalkReminder,
    Utter,
)

PLAIN = "plain"

PLAIN_QUESTIONS = (Utter, Summarise, TalkReminder, GeneralPlan)
"""The questions whose answers can be read from plain text."""

IMPORTANCE = 5
"""Of a talk that is noted in plain text: the middle of the scale, since nobody rates it."""

_FEWEST_LINES, _MOST_LINES = 3, 5
_MOST_ITEMS = 4
_FENCE = re.compile(r"^[ \t]*+```.*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*\u2022\u2013\u2014]|\(?\d{1,2}[.)])\s+")
_WORD = re.compile(r"\w")
_QUOTES = {'"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
"""Opening marks and what closes them."""

Typed = TypeVar("Typed", bound=BaseModel)


def read_plain(text: str, question: MindQuestion[Any]) -> BaseModel:
    """The answer in a plain reply; ReplyError says what was expected and what was found.

    Words never end a talk, so that it goes on to the limit of its rounds (STSS section 3.2). A
    note is a memo of middling importance, by which nothing is agreed and no plan changes.
    """
    spoken = _FENCE.sub("", without_thinking(text)).strip()
    match question:
        case Utter():
            words = _unquoted(_own_words(spoken, question, text))
            return _made(Said, text, text=_some(words, "the words that you say", text))
        case Summarise():
            memo = _some(_unquoted(spoken), "a note", text)
            return _made(Summary, text, memo=" ".join(memo.split()), importance=IMPORTANCE)
        case TalkReminder():
            return _made(Items, text, items=_listed(spoken, 1, _MOST_ITEMS, text))
        case GeneralPlan():
            return _made(Lines, text, lines=_listed(spoken, _FEWEST_LINES, _MOST_LINES, text))
    raise TypeError(f"{type(question).__name__} is not asked in plain text")


def _own_words(spoken: str, question: Utter, raw: str) -> str:
    """What is said up to where the reply goes on with somebody else's words, without names."""
    me, other = question.me.resident.name, question.other.name
    names = ("You", me, me.partition(" ")[0])
    mine = _speaker(*names)
    theirs = _speaker(*(name for name in (other, other.partition(" ")[0]) if name not in names))
    kept: list[str] = []
    for line in spoken.splitlines():
        if theirs.match(line):
            if not kept:
                problem = f'expected your own words, found words of {other}: "{line[:80]}"'
                raise ReplyError(problem, raw=raw, cause="not allowed")
            break
        words = mine.sub("", line, count=1).strip()
        if words:
            kept.append(words)
    return " ".join(kept)


def _speaker(*names: str) -> re.Pattern[str]:
    """The start of a line that names its speaker, as in "- **Ada Finch**: "."""
    known = "|".join(re.escape(name) for name in names if name)
    return re.compile(rf"^\s*(?:[-\u2022]\s+)?[*_]*(?:{known})[*_]*\s*:[*_]*\s*", re.IGNORECASE)


def _unquoted(text: str) -> str:
    """The text without quotation marks around all of it."""
    closing = _QUOTES.get(text[:1])
    inside = text[1:-1]
    if closing is None or len(text) < 2 or text[-1] != closing:
        return text
    return text if text[0] in inside or closing in inside else inside.strip()


def _listed(spoken: str, fewest: int, most: int, raw: str) -> tuple[str, ...]:
    """One entry a line, without bullets and numbers; a line that announces them is no entry."""
    lines = [line.strip() for line in spoken.splitlines() if _WORD.search(line)]
    if len(lines) > 1 and lines[0].endswith(":"):
        del lines[0]
    found = [_unquoted(_BULLET.sub("", line)) for line in lines]
    if not fewest <= len(found) <= most:
        problem = f"expected {fewest} to {most} lines, one thing each, found {len(found)}"
        raise ReplyError(problem, raw=raw, cause="unreadable")
    return tuple(found)


def _some(text: str, what: str, raw: str) -> str:
    if not text:
        raise ReplyError(f"expected {what}, found an empty reply", raw=raw, cause="unreadable")
    return text


def _made(kind: type[Typed], raw: str, **fields: object) -> Typed:
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"expected a shorter reply ({first['msg']}), found {len(first['input'])}"
        raise ReplyError(problem, raw=raw, cause="unreadable") from error
