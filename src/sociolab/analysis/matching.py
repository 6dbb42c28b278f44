"""Match the episodes of two agents as closely as the design of the runs allows.

- `exact`: the same task, seat, partner and repeat, play by play.
- `scenario`: the same scenario (cluster) and partner, whatever the cast: the mean of one agent's
  plays in such a block answers to the mean of the other's. This is what agents
  that were cast at random leave to compare (Miller, arXiv 2411.00640, calls both paired).
- `none`: no counterpart; the agents' means are compared as they are.

The two seats of one episode are never held against each other, where a kind partner would lose.
Where one of the two agents is also a partner that both met (a baseline that others were played
against, and that played itself), such plays are matched by place, too: it had both in its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, get_args

from sociolab.analysis.values import Value
from sociolab.core.episode import CastMember, TurnCounts
from sociolab.core.errors import ConfigError
from sociolab.report.plays import PlayKey, seat_roles
from sociolab.report.words import plural

Match: TypeAlias = Literal["exact", "scenario", "none"]
"""How plays are matched."""

MATCHES: tuple[Match, ...] = get_args(Match)

By: TypeAlias = Literal["partner", "role"]
"""Partners are matched by who they are, or, where both sides share none, by what they are."""

NO_TURNS = TurnCounts(0, 0)
ITSELF, ANOTHER = "itself", "another"

Place: TypeAlias = tuple[str, str, int, str | None, str | None]
"""What tells the plays of one side apart."""


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One agent of one run as one judge saw it.

    `casts` are by trial. `turn_counts`: how many turns the agent failed in all these plays, and of
    how many. `unscored` are the plays that the judge could not score.
    """

    name: str
    run: str
    agent: str
    values: tuple[Value, ...]
    casts: Mapping[str, tuple[CastMember, ...]]
    turn_counts: TurnCounts = NO_TURNS
    unscored: tuple[Value, ...] = ()

    def met(self, value: Value) -> str:
        """Whom the agent met in a play; several agents are named in the order of their seats."""
        if value.partner is not None:
            return value.partner
        return ", ".join(m.agent for m in self.casts[value.trial] if m.agent != self.agent)

    @property
    def partners(self) -> tuple[str, ...]:
        """All partners that the agent met, sorted."""
        return tuple(sorted({self.met(value) for value in self.values}))


class MatchKey(NamedTuple):
    """What two plays must share to be a pair. No seat: a whole episode.

    `cast` is empty where the other four are enough; where one agent has several such plays (it
    sat in either seat of a metric of whole episodes) it says who sat in the other seats. Of a
    block, `task` is its scenario, `seat` is "any", or the place of plays with one of the two agents
    as partner, and `repeat` is 0.
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
"""The values of one side by metric and key."""


class MatchedBlock(NamedTuple):
    """Plays of a and of b that answer to each other in one metric; one of each where the match is
    exact, all of them where there is none."""

    key: MatchKey
    sides: tuple[tuple[Value, ...], tuple[Value, ...]]


Blocks: TypeAlias = dict[str, tuple[MatchedBlock, ...]]
"""By metric."""


@dataclass(frozen=True, slots=True)
class Matching:
    """How plays were matched, and why not more closely ("" where exactly, or as was asked for).

    `blocks` hold what answers to something on the other side; `partners`: whether these met the
    same partners, or partners of the same role.
    """

    match: Match
    by: By
    blocks: Blocks
    why: str = ""
    partners: bool = True


def match_sides(a: ComparedSide, b: ComparedSide, match: Match | None = None) -> Matching:
    """Match the plays of two sides; ConfigError where plays of a side cannot be told apart.

    Where they met a partner in common, only plays with such a partner can be matched. Where they
    did not, the agent itself answers to the agent itself, the only other one to the only other.
    Unless a `match` is asked for, it is exact where that keeps at least half of the plays of the
    side that has fewer; else by scenario, where that keeps more; and none where the agents met the
    same partners in different scenarios. ConfigError where nothing can be matched.
    """
    by: By = "partner" if set(a.partners) & set(b.partners) else "role"
    if match in (None, "exact"):
        exact = Matching("exact", by, _exact(a, b, by))
        fewer = min(len({play_place(value) for value in side.values}) for side in (a, b))
        paired = min(_count_matched(exact.blocks))
        if match or 2 * paired >= fewer > 0:
            return _require_blocks(a, b, exact)
    apart = _drop_shared_plays(a, b, by)
    pooled = _drop_shared_trials(*apart)
    if match == "none":
        same = _same_partners(*pooled, by)
        return _require_blocks(a, b, Matching("none", by, _pool_plays(*pooled), partners=same))
    shared = Matching("scenario", by, _by_scenario(*apart, by, partner=True))
    if match == "scenario":
        if not any(shared.blocks.values()):
            loose = _by_scenario(*pooled, by, partner=False)
            shared = Matching("scenario", by, loose, partners=False)
        return _require_blocks(a, b, shared)
    if min(_count_matched(shared.blocks)) > paired:
        few = f"only {paired:,} of {plural(fewer, 'episode')}" if paired else "no episode"
        verb = "has" if paired in (0, 1) else "have"
        return replace(shared, why=f"{few} {verb} a counterpart of the same task, seat and repeat")
    if paired or not _same_partners(*pooled, by):
        return _require_blocks(a, b, exact)
    return _require_blocks(
        a, b, Matching("none", by, _pool_plays(*pooled), "they share no scenario")
    )


def _require_blocks(a: ComparedSide, b: ComparedSide, chosen: Matching) -> Matching:
    if any(chosen.blocks.values()):
        return chosen
    share = {
        "exact": "no task with the same seat, partner and repeat",
        "scenario": "no scenario in which both had the same place with the same partner",
        "none": "no partner but each other",
    }[chosen.match]
    raise ConfigError(
        f"no episode of {a.name} can be {'compared' if chosen.match == 'none' else 'paired'} with "
        f"one of {b.name}: they share {share} (partners: {'; '.join(a.partners)} and "
        f"{'; '.join(b.partners)})"
    )


def _exact(a: ComparedSide, b: ComparedSide, by: By) -> Blocks:
    crowded = _crowded(a, by) or _crowded(b, by)
    keyed_a, keyed_b = _keyed(a, by, cast=crowded), _keyed(b, by, cast=crowded)
    return {
        name: tuple(
            MatchedBlock(key, ((value,), (keyed_b[name][key],)))
            for key, value in values.items()
            if key in keyed_b[name]
        )
        for name, values in keyed_a.items()
        if name in keyed_b
    }


def _drop_shared_plays(
    a: ComparedSide, b: ComparedSide, by: By
) -> tuple[ComparedSide, ComparedSide]:
    """Both sides with their plays with partners in common, one of which may be an agent of the two;
    where there are none, without plays in which the other one sat too."""
    agents = {a.agent, b.agent} if a.agent != b.agent else set()
    shared = set(a.partners) & set(b.partners)

    def restrict(side: ComparedSide, other: ComparedSide) -> ComparedSide:
        def fits(value: Value) -> bool:
            if by == "partner":
                return side.met(value) in shared
            sat = {value.partner, *(m.agent for m in side.casts.get(value.trial, ()))} & agents
            return not sat - {side.agent}

        return replace(side, values=tuple(filter(fits, side.values)))

    return restrict(a, b), restrict(b, a)


def _drop_shared_trials(a: ComparedSide, b: ComparedSide) -> tuple[ComparedSide, ComparedSide]:
    """Both sides without episodes that are on both, where plays are not matched by partner."""
    if a.agent == b.agent:
        return a, b
    both = {(v.run, v.trial) for v in a.values} & {(v.run, v.trial) for v in b.values}
    first, second = (
        replace(side, values=tuple(v for v in side.values if (v.run, v.trial) not in both))
        for side in (a, b)
    )
    return first, second


def _by_scenario(a: ComparedSide, b: ComparedSide, by: By, *, partner: bool) -> Blocks:
    """Plays of the same scenario, and, if `partner`, partner or role. Nothing where the agents
    share a place at the table in no scenario, as where one only sold and the other only bought."""
    places = seat_places({**a.casts, **b.casts})
    agents = {a.agent, b.agent} if partner and by == "partner" and a.agent != b.agent else set()

    def blocks(side: ComparedSide) -> dict[str, dict[MatchKey, list[Value]]]:
        roles = _Roles.of_side(side)
        keyed: dict[str, dict[MatchKey, list[Value]]] = {}
        for value in side.values:
            met = _name_partner(side.met(value), by, roles) if partner else ""
            seat = None if value.seat is None else "any"
            if seat and met in agents:
                seat = places.get((value.trial, value.seat), value.seat)
            key = MatchKey(value.cluster, seat, met, 0)
            keyed.setdefault(value.measure, {}).setdefault(key, []).append(value)
        return keyed

    keyed_a, keyed_b = blocks(a), blocks(b)
    matched_blocks = {
        name: tuple(
            MatchedBlock(key, (tuple(some), tuple(keyed_b[name][key])))
            for key, some in by_key.items()
            if key in keyed_b[name]
        )
        for name, by_key in keyed_a.items()
        if name in keyed_b
    }
    return {
        name: some if any(set(places_a) & set(places_b) for places_a, places_b in sat) else ()
        for name, some in matched_blocks.items()
        for sat in ([_count_places(block, places) for block in some],)
    }


def _count_places(
    block: MatchedBlock, places: Mapping[PlayKey, str]
) -> tuple[Counter[str], Counter[str]]:
    """How often each agent sat in each place."""
    a, b = (
        Counter(places.get((v.trial, v.seat), v.seat or "whole") for v in side)
        for side in block.sides
    )
    return a, b


def find_uneven(a: ComparedSide, b: ComparedSide, blocks: Blocks) -> set[str]:
    """The scenarios in which the agents sat in some place more often than in another, and not both
    alike: what the place is worth is in their difference."""
    places = seat_places({**a.casts, **b.casts})
    return {
        block.key.task
        for some in blocks.values()
        for block in some
        for places_a, places_b in (_count_places(block, places),)
        if any(
            places_a[p] * places_b.total() != places_b[p] * places_a.total()
            for p in {*places_a, *places_b}
        )
    }


def seat_places(casts: Mapping[str, Sequence[CastMember]]) -> dict[PlayKey, str]:
    """The place at the table of each seat of each trial: what tells a seller from a buyer where
    seats are named after people."""
    return seat_roles((trial, member.seat) for trial, cast in casts.items() for member in cast)


def _pool_plays(a: ComparedSide, b: ComparedSide) -> Blocks:
    """A single block for each metric, with all values of both sides."""
    sides = [
        {
            name: tuple(value for value in side.values if value.measure == name)
            for name in dict.fromkeys(value.measure for value in side.values)
        }
        for side in (a, b)
    ]
    key = MatchKey("", None, "", 0)
    return {
        name: (MatchedBlock(key, (some, sides[1][name])),)
        for name, some in sides[0].items()
        if name in sides[1]
    }


def _same_partners(a: ComparedSide, b: ComparedSide, by: By) -> bool:
    met = [
        {_name_partner(partner, by, roles) for partner in side.partners}
        for side, roles in ((side, _Roles.of_side(side)) for side in (a, b))
    ]
    return bool(met[0]) and met[0] == met[1]


def _count_matched(blocks: Blocks) -> tuple[int, int]:
    """The number of plays of a and of b in blocks; a play counts once over all metrics."""
    every = [block for some in blocks.values() for block in some]
    a, b = (len({play_place(v) for block in every for v in block.sides[i]}) for i in (0, 1))
    return a, b


def values_by_setting(side: ComparedSide) -> Keyed:
    """The values of one side by metric and key, for what repeats of one setting have to say."""
    return _keyed(side, "partner", cast=_crowded(side, "partner"))


def _crowded(side: ComparedSide, by: By) -> bool:
    """Whether several plays of a metric share task, seat, partner and repeat."""
    keys = _keys(side, by, cast=False)
    if len({*keys.values()}) == len(keys):
        return False
    counts = Counter((value.measure, keys[play_place(value)]) for value in side.values)
    return any(count > 1 for count in counts.values())


def _keyed(side: ComparedSide, by: By, *, cast: bool) -> Keyed:
    keyed: Keyed = {}
    keys = _keys(side, by, cast=cast)
    for value in side.values:
        by_key, key = keyed.setdefault(value.measure, {}), keys[play_place(value)]
        if key in by_key:
            raise ConfigError(
                f"{side.name} has several episodes of the task {value.task} with the same seat, "
                f"partner and repeat ({value.repeat}), which cannot be told apart"
            )
        by_key[key] = value
    return keyed


def play_place(value: Value) -> Place:
    """The identity of a play among those of its side."""
    return value.trial, value.task, value.repeat, value.seat, value.partner


def _keys(side: ComparedSide, by: By, *, cast: bool) -> dict[Place, MatchKey]:
    """The key of each play; it is the same for all metrics."""
    plays = {play_place(value): value for value in side.values}
    roles = _Roles.of_side(side)
    return {
        place: MatchKey(
            value.task,
            value.seat,
            _name_partner(side.met(value), by, roles),
            value.repeat,
            _other_seats(side, value, by, roles) if cast else (),
        )
        for place, value in plays.items()
    }


class _Roles(NamedTuple):
    """What partners are to an agent: itself, the only other one, or one of several by name."""

    agent: str
    one_other: bool

    @classmethod
    def of_side(cls, side: ComparedSide) -> _Roles:
        return cls(side.agent, len({*side.partners} - {side.agent}) == 1)

    def name_role(self, label: str) -> str:
        if label == self.agent:
            return ITSELF
        return ANOTHER if self.one_other else label


def _other_seats(side: ComparedSide, value: Value, by: By, roles: _Roles) -> tuple[str, ...]:
    """Who sat in each other seat; of a whole episode, who sat in each."""
    own = by == "role" or value.seat is None
    return tuple(
        ITSELF if own and member.agent == side.agent else _name_partner(member.agent, by, roles)
        for member in side.casts[value.trial]
        if member.seat != value.seat
    )


def _name_partner(label: str, by: By, roles: _Roles) -> str:
    return label if by == "partner" else roles.name_role(label)
