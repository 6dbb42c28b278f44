"""Tagged text: which parts are for whom, and which are hints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from sociolab.core.errors import ConfigError

Kind: TypeAlias = Literal["plain", "extra_info", "strategy_hint", "clarification_hint"]

ENVIRONMENT = "environment"
_HINTS = ("extra_info", "strategy_hint", "clarification_hint")
_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[A-Za-z_]+)(?P<rest>(?:\s[^<>]*)?)>")
_VIEWER = re.compile(r"""\s+viewer\s*=\s*(['"])(\w+)\1\s*""")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of text. `viewers` are those whom its tags name; empty: it is for everybody.

    More than one viewer means nested tags: such a part is for those whom all of them name.
    """

    text: str
    kind: Kind = "plain"
    viewers: tuple[str, ...] = ()

    def is_for(self, seat: int) -> bool:
        """Whether the player of this seat (from 0) may read it."""
        return all(viewer == viewer_of(seat) for viewer in self.viewers)


def viewer_of(seat: int) -> str:
    """What the tags call a seat, counted from 0."""
    return f"agent_{seat}"


def parts(text: str, seats: int, place: str) -> tuple[Part, ...]:
    """The text in parts, in order, without its tags.

    ConfigError for a tag or viewer that is not known and for one that does not close: a guess
    could show a private part to the wrong seat.
    """
    viewers = {ENVIRONMENT, *(viewer_of(seat) for seat in range(seats))}
    found: list[Part] = []
    open_tags: list[tuple[str, str]] = []
    end = 0
    for tag in _TAG.finditer(text):
        found.append(_part(text[end : tag.start()], open_tags))
        end = tag.end()
        if not tag["slash"]:
            open_tags.append((tag["name"], _viewer(tag, viewers, place)))
        elif not open_tags or open_tags.pop()[0] != tag["name"]:
            raise ConfigError(f"{place}: {tag[0]} closes nothing that is open")
    if open_tags:
        raise ConfigError(f"{place}: <{open_tags[-1][0]}> is opened and never closed")
    found.append(_part(text[end:], open_tags))
    return tuple(part for part in found if part.text)


def without_tags(text: str) -> str:
    """The text with its tags taken out, whoever its parts are for."""
    return _TAG.sub("", text)


def _part(text: str, open_tags: list[tuple[str, str]]) -> Part:
    kinds = [name for name, _ in open_tags if name in _HINTS]
    viewers = tuple(viewer for _, viewer in open_tags if viewer)
    return Part(text, cast(Kind, kinds[-1]) if kinds else "plain", viewers)


def _viewer(tag: re.Match[str], viewers: set[str], place: str) -> str:
    """The viewer that an opening tag names; empty for a hint."""
    if tag["name"] in _HINTS:
        return ""
    named = _VIEWER.fullmatch(tag["rest"]) if tag["name"] == "p" else None
    if named is None:
        raise ConfigError(
            f"{place}: the tag {tag[0]} is not known; expected <p viewer=...>, "
            f"<{'>, <'.join(_HINTS)}>"
        )
    if named[2] not in viewers:
        raise ConfigError(
            f"{place}: the viewer {named[2]!r} is not known here; "
            f"expected one of {', '.join(sorted(viewers))}"
        )
    return named[2]
