"""Which play of one agent answers to which of another: same task, seat, partner and repeat.

The two seats of one episode are never held against each other, where a kind partner would lose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from sociolab.analysis.values import Value
from sociolab.core.episode import CastMember, TurnsAsked
from sociolab.core.errors import ConfigError

By: TypeAlias = Literal["partner", "role"]
"""Partners are matched by who they are, or, where both sides share none, by what they are."""

NOTHING_ASKED = TurnsAsked(0, 0)
ITSELF, ANOTHER = "itself", "another"

_Place: TypeAlias = tuple[str, str, int, str | None, str | None]
"""What tells the plays of one side apart."""


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One agent of one run as one judge saw it; `casts` says who sat where in each trial, `asked`
    how many turns the agent failed in all these plays, and of how many. `untold` are the plays that
    the judge could not score."""

    name: str
    run: str
    agent: str
    values: tuple[Value, ...]
    casts: Mapping[str, tuple[CastMember, ...]]
    asked: TurnsAsked = NOTHING_ASKED
    untold: tuple[Value, ...] = ()

    def met(self, value: Value) -> str:
        """Whom the agent met in a play; several agents are named in the order of their seats."""
        if value.partner is not None:
            return value.partner
        return ", ".join(m.agent for m in self.casts[value.trial] if m.agent != self.agent)

    @property
    def partners(self) -> tuple[str, ...]:
        """All whom the agent met."""
        return tuple(sorted({self.met(value) for value in self.values}))


class MatchKey(NamedTuple):
    """What two plays must share to be a pair. No seat: a whole episode.

    `cast` is empty where the other four are enough; where one agent has several such plays (it
    sat in either seat of a measure of whole episodes) it says who sat in the other seats.
    """

    task: str
    seat: str | None
    partner: str
    repeat: int
    cast: tuple[str, ...] = ()

    @property
    def setting(self) -> str:
        """All but the repeat: what is the same each time."""
        return repr((self.task, self.seat, self.partner, self.cast))


Keyed: TypeAlias = dict[str, dict[MatchKey, Value]]
"""The values by measure and key."""


@dataclass(frozen=True, slots=True)
class Matching:
    """How partners were matched, and the values of both sides by measure and key."""

    by: By
    a: Keyed
    b: Keyed


def matched(a: ComparedSide, b: ComparedSide) -> Matching:
    """Both sides by keys that mean the same; ConfigError where plays cannot be told apart.

    Where they met a partner in common, only plays with such a partner can be pairs. Where they
    did not, the agent itself answers to the agent itself, the only other one to the only other.
    """
    by: By = "partner" if set(a.partners) & set(b.partners) else "role"
    crowded = _crowded(a, by) or _crowded(b, by)
    return Matching(by, _keyed(a, by, cast=crowded), _keyed(b, by, cast=crowded))


def settings_of(side: ComparedSide) -> Keyed:
    """The values of one side by measure and key, for what repeats of one setting have to say."""
    return _keyed(side, "partner", cast=_crowded(side, "partner"))


def _crowded(side: ComparedSide, by: By) -> bool:
    """Whether several plays of a measure share task, seat, partner and repeat."""
    keys = _keys(side, by, cast=False)
    if len({*keys.values()}) == len(keys):
        return False
    found = Counter((value.measure, keys[_place(value)]) for value in side.values)
    return any(count > 1 for count in found.values())


def _keyed(side: ComparedSide, by: By, *, cast: bool) -> Keyed:
    found: Keyed = {}
    keys = _keys(side, by, cast=cast)
    for value in side.values:
        mine, key = found.setdefault(value.measure, {}), keys[_place(value)]
        if key in mine:
            raise ConfigError(
                f"{side.name} has several episodes of the task {value.task} with the same seat, "
                f"partner and repeat ({value.repeat}), which cannot be told apart"
            )
        mine[key] = value
    return found


def _place(value: Value) -> _Place:
    return value.trial, value.task, value.repeat, value.seat, value.partner


def _keys(side: ComparedSide, by: By, *, cast: bool) -> dict[_Place, MatchKey]:
    """The key of each play, worked out once for all measures."""
    plays = {_place(value): value for value in side.values}
    roles = _Roles(side.agent, len({*side.partners} - {side.agent}) == 1)
    return {place: _key(side, value, by, roles, cast=cast) for place, value in plays.items()}


def _key(side: ComparedSide, value: Value, by: By, roles: _Roles, *, cast: bool) -> MatchKey:
    met = side.met(value)
    others = _others(side, value, by, roles) if cast else ()
    return MatchKey(value.task, value.seat, _named(met, by, roles), value.repeat, others)


class _Roles(NamedTuple):
    """What partners are to an agent: itself, the only other one, or one of several by name."""

    agent: str
    one_other: bool

    def of(self, label: str) -> str:
        if label == self.agent:
            return ITSELF
        return ANOTHER if self.one_other else label


def _others(side: ComparedSide, value: Value, by: By, roles: _Roles) -> tuple[str, ...]:
    """Who sat in each other seat; of a whole episode, who sat in each."""
    own = by == "role" or value.seat is None
    return tuple(
        ITSELF if own and member.agent == side.agent else _named(member.agent, by, roles)
        for member in side.casts[value.trial]
        if member.seat != value.seat
    )


def _named(label: str, by: By, roles: _Roles) -> str:
    return label if by == "partner" else roles.of(label)
