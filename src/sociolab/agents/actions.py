"""The reply of a model that acts: as JSON, or in the plain dialect, to actions."""

from __future__ import annotations

import re
from functools import cache
from types import GenericAlias
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

from sociolab.core.episode import Action, ActionSpace
from sociolab.core.errors import ReplyError
from sociolab.prompting.structured import read, without_thinking

_STRICT = ConfigDict(extra="forbid")


@cache
def act_type(space: ActionSpace, addressed: bool) -> type[BaseModel]:
    """The type of a turn in this space: `{action, text}`, with `to` where words can be aside.

    Where a turn may hold several actions it is `{actions: [...]}`.
    """
    kinds: Any = Literal[tuple(kind.name for kind in space.kinds)]
    fields: dict[str, Any] = {"action": (kinds, ...), "text": (str, ...)}
    if addressed:
        fields["to"] = (list[str], ...)
    turn: type[BaseModel] = create_model("Turn", __config__=_STRICT, **fields)
    if space.most == 1:
        return turn
    several: Any = GenericAlias(list, (turn,))
    return create_model("Turns", __config__=_STRICT, actions=(several, ...))


def read_json(text: str, space: ActionSpace, addressed: bool) -> tuple[Action, ...]:
    """The actions in a JSON reply; ReplyError with what was expected and found."""
    value: Any = read(text, act_type(space, addressed))
    turns = (value,) if space.most == 1 else value.actions
    return tuple(
        Action(turn.action, turn.text.strip(), tuple(turn.to) if addressed else ())
        for turn in turns
    )


def read_plain(text: str, space: ActionSpace) -> tuple[Action, ...]:
    """The actions in a plain reply: a line `kind: text` each, a line without a kind goes on.

    `kind (to Name, Name): text` is for those named only. ReplyError where no kind leads.
    """
    turns: list[tuple[str, list[str], tuple[str, ...]]] = []
    for line in without_thinking(text).strip().splitlines():
        match = _plain_line(space).match(line)
        if match:
            to = tuple(n.strip() for n in (match["to"] or "").split(",") if n.strip())
            kind = match["kind"].casefold()
            name = next(k.name for k in space.kinds if k.name.casefold() == kind)
            turns.append((name, [(match["text"] or "").strip()], to))
        elif turns and line.strip():
            turns[-1][1].append(line.strip())
    if not turns:
        names = ", ".join(kind.name for kind in space.kinds)
        shown = " ".join(text.split())[:80]
        raise ReplyError(
            f'expected a line that begins with one of: {names}; found "{shown}"', raw=text
        )
    return tuple(Action(kind, " ".join(words).strip(), to) for kind, words, to in turns)


@cache
def _plain_line(space: ActionSpace) -> re.Pattern[str]:
    kinds = "|".join(re.escape(kind.name) for kind in space.kinds)
    # Possessive (*+), or a line of blanks would be divided among its parts in every possible way.
    return re.compile(
        rf"""^\W*(?P<kind>{kinds})
            (?: [^\w:(] | \((?!to\ ) )*+ (?: \(to\ (?P<to>[^)]*+)\) )?+
            (?: \s*+ : \s*+ (?P<text>.*) | [.\s*]*+ $ )""",
        re.IGNORECASE | re.VERBOSE,
    )
