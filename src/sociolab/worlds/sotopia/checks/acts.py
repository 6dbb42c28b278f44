"""What somebody does with words in a talk about an agreement."""

from __future__ import annotations

from enum import Enum, IntEnum, auto
from typing import Generic, NamedTuple, TypeAlias, TypeVar

V = TypeVar("V")


class Level(IntEnum):
    """How much an assent says. The weaker ones count only right after what they answer."""

    CLOSE = 0  # behaves as if all was settled
    NICE = 1
    YES = 2
    FINE = 3
    DEAL = 4


class Take(NamedTuple, Generic[V]):
    """Takes a stand: for one of `values`; none if it cannot be read which.

    `asked`: as a question. `tied`: under a condition. `soft`: as a wish. `echo`: nothing but the
    value and a question mark. `mention`: it may be none at all. `partial`: part of it was not
    said, but follows from the rest.
    """

    values: tuple[V, ...]
    issue: str = ""
    asked: bool = False
    tied: bool = False
    soft: bool = False
    echo: bool = False
    mention: bool = False
    partial: bool = False


class Assent(NamedTuple):
    """Agrees to what the other stands for; `yours`: to the other's proposal, however old."""

    level: Level
    yours: bool = False
    asked: bool = False
    tied: bool = False
    doubt: str = ""


class Refuse(NamedTuple, Generic[V]):
    """Refuses a value, or (`values` empty) what the other stands for."""

    values: tuple[V, ...] = ()
    hard: bool = False


class Named(NamedTuple, Generic[V]):
    """Names a value, and rules cannot read what for.

    `reported`: as something that was or happened. `concludes`: after "so" or "then".
    """

    value: V
    reported: bool = False
    concludes: bool = False


class Sign(Enum):
    """The acts that need no value."""

    INSIST = auto()  # asks again for assent to what it stands for
    MOCK = auto()  # means the opposite of what it has said so far in this turn
    DEFER = auto()  # wants to think about it
    WAVER = auto()  # would still like something better
    WITHDRAW = auto()  # takes back what it stood for
    MIDDLE = auto()  # stands for the middle between what the two stand for
    CHEAT = auto()  # does not keep the agreement


Act: TypeAlias = Take[V] | Assent | Refuse[V] | Named[V] | Sign


class Reading(NamedTuple, Generic[V]):
    """The acts of a turn in order; `asks_else`: it ends with a question about something else."""

    acts: tuple[Act[V], ...] = ()
    asks_else: bool = False


class Found(NamedTuple, Generic[V]):
    """A value in the words. Without a value: one that is spoken of and cannot be read.

    `telling`: where nothing around it says what part it plays, it may still be a stand.
    """

    value: V | None
    telling: bool = True
