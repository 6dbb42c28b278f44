"""What a person types for a turn, to actions."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.core.episode import Action, ActionKind, ActionSpace
from sociolab.core.errors import ReplyError

COMMAND = "/"
NAME = "@"


def typed_action(line: str, space: ActionSpace, others: Sequence[str]) -> Action:
    """The action in a line; ReplyError says what is wrong with it.

    A bare line is spoken. `/2 text` or `/kind text` is another kind, by its number, its name or
    the beginning of its name. `@name` before the words is for that one only.
    """
    kind, rest = spoken_kind(space), line.strip()
    if rest.startswith(COMMAND):
        kind, rest = _command(rest[len(COMMAND) :], space)
    else:
        _check_meant(rest, space, kind)
    if not kind.has_text:
        if rest:
            raise ReplyError(f'"{kind.name}" takes no words, found "{rest}"', raw=line)
        return Action(kind.name)
    to, text = _named(rest, others, line)
    if not text:
        raise ReplyError(f'"{kind.name}" needs words or a deed behind it', raw=line)
    return Action(kind.name, text, to)


def spoken_kind(space: ActionSpace) -> ActionKind:
    """The kind of a bare line: the first that is spoken, or else that has a text."""
    by_rank = sorted(space.kinds, key=lambda kind: (not kind.spoken, not kind.has_text))
    return by_rank[0]


def how_to_act(space: ActionSpace, others: Sequence[str]) -> str:
    """What can be typed, in a few lines."""
    bare = spoken_kind(space).name
    lines = [f'A bare line is "{bare}". Or:']
    for number, kind in enumerate(space.kinds, start=1):
        lines.append(f"  /{number} {kind.name}{': ...' if kind.has_text else ''}")
    if len(others) > 1:
        lines.append(f"  @name before the words: for that one only ({', '.join(others)})")
    lines.append("  ? shows this, ?? the whole scene again; Ctrl-D gives the turn up")
    return "\n".join(lines)


def _check_meant(said: str, space: ActionSpace, spoken: ActionKind) -> None:
    """ReplyError for "leave" without a slash: it would be said aloud, which few people mean."""
    for kind in space.kinds:
        if not kind.has_text and said.casefold() == kind.name.casefold():
            raise ReplyError(
                f'expected /{kind.name} to do that, or "/{spoken.name} {said}" to say the word',
                raw=said,
            )


def _command(text: str, space: ActionSpace) -> tuple[ActionKind, str]:
    """The kind that is meant, and what stands behind it."""
    for kind in space.kinds:
        if text.casefold().startswith(kind.name.casefold()):
            rest = text[len(kind.name) :]
            if not rest[:1].isalnum():
                return kind, rest.lstrip(" :").strip()
    word, _, rest = text.partition(" ")
    word = word.rstrip(":")
    if word.isdecimal() and 1 <= int(word) <= len(space.kinds):
        return space.kinds[int(word) - 1], rest.strip()
    meant = [kind for kind in space.kinds if kind.name.casefold().startswith(word.casefold())]
    if len(meant) != 1 or not word:
        names = ", ".join(f"/{number} {kind.name}" for number, kind in enumerate(space.kinds, 1))
        raise ReplyError(f'expected one of {names}; found "/{word}"', raw=text)
    return meant[0], rest.strip()


def _named(text: str, others: Sequence[str], line: str) -> tuple[tuple[str, ...], str]:
    """The names at the beginning, each behind an @, and the words behind them."""
    named: list[str] = []
    while text.startswith(NAME):
        rest = text[len(NAME) :]
        found = [name for name in others if _begins(rest, name)]
        if not found:
            raise ReplyError(f'expected @ and one of {", ".join(others)}; found "{text}"', raw=line)
        name = max(found, key=len)
        named.append(name)
        text = rest[len(name) :].lstrip(" ,:")
    return tuple(named), text.strip()


def _begins(text: str, name: str) -> bool:
    return text.casefold().startswith(name.casefold()) and not text[len(name) :][:1].isalnum()
