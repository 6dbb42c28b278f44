"""Offers in plain words: what a line means in a bargain or a division with a haggler.

Only numerals and the words accept, deal, yes, no and leave are read, by rules that anybody can
follow; they decide the outcome of such an episode, so that it is on record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from sociolab.core.episode import Act, Action, Episode, Moved
from sociolab.worlds.sotopia.closing_form import deal_turns, deed_of
from sociolab.worlds.sotopia.outcome import (
    ACCEPT,
    DECLINE,
    OFFER,
    divide_shares,
    find_agreement,
    goals_of,
    worth_of_terms,
)
from sociolab.worlds.sotopia.scenarios import DivisionGoal, PriceGoal, SceneCast, casting_from
from sociolab.worlds.sotopia.scene import LEAVE, SPEAK

HAGGLER = "haggler"
"""The name of the players that read so, before their degree: "haggler:1"."""

UNCLEAR = "unclear"
"""The act of a line in which no terms and none of the words were found."""

Haggled: TypeAlias = PriceGoal | DivisionGoal
Turn: TypeAlias = tuple[str, Sequence[Act]]
"""Who acted, and what it meant."""
_Table: TypeAlias = tuple[str | None, Any]
"""Who made the standing offer, and its terms."""

_WORD = re.compile(
    r"\b(?:(?P<no>no|not|never|cannot|\w+n['\u2019]t)|(?P<yes>accept|deal|yes)|(?P<leave>leave))\b",
    re.I,
)
_NUMERAL = re.compile(r"(?<![\w.,])(\d{1,9}(?:,\d{3})*(?:\.\d{1,2})?)(?![\w%])")


def hear(goal: Haggled, lines: Iterable[tuple[str, Sequence[Action]]]) -> Iterator[Turn]:
    """What each turn means: by its acts, or else by what is read in its words."""
    table: _Table = (None, None)
    for who, actions in lines:
        acts = [act for action in actions for act in action.acts]
        acts = acts or [deed for action in actions if (deed := deed_of(action)) is not None]
        if not acts:
            by, offered = table
            acts = [_read(goal, action, None if by == who else offered) for action in actions[:1]]
        table = on_table([(who, acts)], table)
        yield who, acts


def _read(goal: Haggled, action: Action, offered: Any) -> Act:
    """What the words of an action mean, given what the other seat's standing offer is."""
    if action.kind != SPEAK:
        return Act(LEAVE if action.kind == LEAVE else UNCLEAR)
    terms = _read_terms(goal, action.text)
    repeated = terms is not None and offered is not None and terms == other_side(goal, offered)
    if terms is not None and not repeated:
        return Act(OFFER, terms)
    words = {match.lastgroup for match in _WORD.finditer(action.text)}
    if "no" in words:
        return Act(DECLINE)
    if "leave" in words:
        return Act(UNCLEAR if repeated else LEAVE)
    accepts = (repeated or "yes" in words) and offered is not None and "?" not in action.text
    return Act(ACCEPT if accepts else UNCLEAR)


def _read_terms(goal: Haggled, text: str) -> Any:
    """The one price in a text, or the share that its speaker keeps: numerals before the names of
    goods, or one for each good in their order; None for anything else."""
    numerals = [float(numeral.replace(",", "")) for numeral in _NUMERAL.findall(text)]
    if goal.kind == "price":
        return numerals[0] if len(set(numerals)) == 1 and numerals[0] > 0 else None
    share = {}
    for good in goal.counts:
        name = re.sub(r"s\b", "s?", re.escape(good))
        if match := re.search(rf"(\d+) (?:of )?(?:the )?{name}\b", text, re.I):
            share[good] = int(match[1])
    if not share and len(numerals) == len(goal.counts):
        share = {good: int(n) for good, n in zip(goal.counts, numerals, strict=True)}
    if len(numerals) != len(share) or not share:
        return None
    return share if all(n <= goal.counts[good] for good, n in share.items()) else None


def on_table(turns: Iterable[Turn], before: _Table = (None, None)) -> _Table:
    """Who made the standing offer, and its terms; None without one."""
    table = before
    for who, acts in turns:
        for act in acts:
            if act.kind in (OFFER, DECLINE):
                table = (who, act.what) if act.kind == OFFER else (None, None)
    return table


def other_side(goal: Haggled, terms: Any) -> Any:
    """The terms of an offer for the other seat: a price is the same, a share is the rest."""
    if goal.kind == "price":
        return terms
    return {good: count - terms.get(good, 0) for good, count in goal.counts.items()}


# ------------------------------------------------------------------ what is on record


def heard_moves(casting: SceneCast, episode: Episode) -> Sequence[Moved]:
    """The moves of an episode, with acts for the words of whoever faced a haggler."""
    heard = _heard(casting, episode)
    if heard is None:
        return episode.moves
    return tuple(
        replace(move, actions=(replace(move.actions[0], acts=tuple(acts)), *move.actions[1:]))
        for move, (_, acts) in zip(episode.moves, heard, strict=True)
    )


def _heard(casting: SceneCast, episode: Episode) -> Iterator[Turn] | None:
    """What each turn means; None where no haggler listens."""
    agents = [member.identity for member in episode.trial.cast]
    if not any(agent.kind == "rules" and agent.name.startswith(f"{HAGGLER}:") for agent in agents):
        return None
    goal = next(iter(goals_of(casting).values()), None)
    if not isinstance(goal, PriceGoal | DivisionGoal):
        return None
    return hear(goal, ((move.seat, move.actions) for move in episode.moves))


def standing_offers(episode: Episode) -> Mapping[str, float]:
    """What the offer on the table is worth to the seat that could accept it, or an agreement to
    both; nothing where no haggler listens."""
    casting = casting_from(episode.trial.task.content)
    heard, goals = _heard(casting, episode), goals_of(casting)
    if heard is None:
        return {}
    turns = list(deal_turns(episode.moves) if casting.scenario.closing == "deals" else heard)
    agreed = find_agreement(turns, len(goals))
    by, terms = (agreed.by, agreed.terms) if agreed else on_table(turns)
    worth = dict.fromkeys(goals, 0.0)
    if by is not None:
        if isinstance(terms, Mapping):
            terms = divide_shares(casting, by, terms)
        for seat, goal in goals.items():
            if agreed or seat != by:
                worth[seat] = worth_of_terms(seat, goal, terms)
    return worth
