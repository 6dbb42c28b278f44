"""The episodes of a run that somebody asks for in a command: filtered, worst first, the first few.

What an episode is in a list, and what its scores are, is read as the pages of `sociolab web` do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from sociolab.app.finding.seat_names import label_like
from sociolab.app.watching.episodes import Listed, Scored, Wanted, choices, listed
from sociolab.core.errors import ConfigError
from sociolab.core.score import NotKnown, foremost, measure_called
from sociolab.store.sqlite import Store

_ALL = 10**9
_RULE = re.compile(r"\s*([^<>=]*[^<>=\s])\s*(<=|>=|<|>|=)\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")
_KINDS: tuple[NotKnown, ...] = get_args(NotKnown)
_KIND = re.compile(rf"\s*([^<>=]*[^<>=\s])\s*=\s*({'|'.join(_KINDS)})\s*")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which episodes: None and () for any.

    `agent` and `partner` may be the end of a label, `task` the beginning of an id. `failed`: the
    trial failed, or a turn or question in it did for good. `scores` are rules such as "goal<4", or
    "goal_checked=disputed" for what has no score, all of which must hold; `sort` is a measure,
    lowest first. Rules and order go by the seats of `agent`, if one is named, and else by any seat
    and by the mean of all.
    """

    agent: str | None = None
    partner: str | None = None
    task: str | None = None
    failed: bool = False
    scores: tuple[str, ...] = ()
    sort: str | None = None
    judge: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The episodes with their scores in `scored`, if anything was scored; so many fit in all."""

    listed: tuple[Listed, ...]
    scored: Scored | None
    fit: int


def asked_episodes(store: Store, run: str, asked: Asked) -> Answer:
    """The episodes of a run; ConfigError for an agent, measure, judge or rule that is none."""
    known = choices(store, run)
    who = Wanted(
        agent=_label(asked.agent, known.agents, "--agent"),
        partner=_label(asked.partner, known.agents, "--partner"),
    )
    unscored = [one for rule in asked.scores if (one := _KIND.fullmatch(rule))]
    rules = [rule for rule in asked.scores if not _KIND.fullmatch(rule)]
    fitting = [_ruled(store, run, who, rule, known.scored, asked.judge) for rule in rules]
    fitting += [_open(store, run, who, one[1], one[2], asked.judge) for one in unscored]
    first = asked.sort or next((_parts(rule)[0] for rule in rules), None)
    shown = _scored(known.scored, first, asked.judge)
    order: Wanted = replace(who, score=shown.key if shown else "")
    if asked.sort:
        order = replace(order, order="lowest")
    found = listed(store, run, order, size=_ALL)
    kept = tuple(
        one
        for one in found.listed
        if all(one.row.trial in trials for trials in fitting)
        and one.row.task.startswith(asked.task or "")
        and (not asked.failed or one.row.failed or one.row.status == "failed")
    )
    return Answer(kept[: asked.limit], shown, len(kept))


def _label(wanted: str | None, known: Sequence[str], flag: str) -> str:
    if wanted is None:
        return ""
    label = label_like(wanted, known, flag)
    if label not in known:
        raise ConfigError(f'{flag}: nobody called "{wanted}" played; there is {", ".join(known)}')
    return label


def _ruled(
    store: Store, run: str, who: Wanted, rule: str, known: Sequence[Scored], judge: str | None
) -> set[str]:
    """The trials in which a rule holds."""
    measure, sign, limit = _parts(rule)
    by = _scored(known, measure, judge)
    low = limit if sign in (">=", "=") else math.nextafter(limit, math.inf) if sign == ">" else None
    high = (
        limit if sign in ("<=", "=") else math.nextafter(limit, -math.inf) if sign == "<" else None
    )
    wanted = replace(who, score=by.key if by else "", low=low, high=high)
    return {one.row.trial for one in listed(store, run, wanted, size=_ALL).listed}


def _open(
    store: Store, run: str, who: Wanted, measure: str, kind: str, judge: str | None
) -> set[str]:
    """The trials in which a judge, or this one, gave a seat no score in a measure, and why."""
    judgings = [row for row in store.outcomes(run) if row.trial and judge in (None, row.judge.name)]
    known = {one.measure.name: one.measure for row in judgings for one in row.outcomes}
    name = measure_called(measure, known.values())
    if name not in known:
        raise ConfigError(
            f'nobody scored "{measure}" here; scored: {", ".join(known) or "nothing"}'
        )
    casts = {row.trial.id: row.trial for row in store.trials(run)}
    return {
        row.trial
        for row in judgings
        for one in row.outcomes
        if row.trial and (one.measure.name, one.unscored) == (name, kind)
        if not who.agent or one.seat is None or casts[row.trial].agent(one.seat) == who.agent
    }


def _parts(rule: str) -> tuple[str, str, float]:
    read = _RULE.fullmatch(rule)
    if read is None:
        raise ConfigError(
            "--score: expected a measure, one of < <= > >= = and a number, or = and one of "
            f'{", ".join(_KINDS)}, such as "goal<4" or "goal_checked=disputed"; found "{rule}"'
        )
    return read[1], read[2], float(read[3])


def _scored(known: Sequence[Scored], measure: str | None, judge: str | None) -> Scored | None:
    """The one judge's scores of a measure; of none that is named, the world's main measure."""
    judged = [one for one in known if judge in (None, one.label)]
    if judge is not None and not judged:
        labels = ", ".join(dict.fromkeys(one.label for one in known)) or "none"
        raise ConfigError(f'--judge: nothing was judged by "{judge}"; the judges: {labels}')
    if measure is None:
        return next(iter(judged), None)
    name = measure_called(measure, (one.measure for one in judged))
    fits = [one for one in judged if one.measure.name == name]
    first = foremost({one.label: one.judge.method for one in fits})
    fits = [one for one in fits if one.label in first]
    if len(fits) > 1:
        which = ", ".join(one.label for one in fits)
        raise ConfigError(f"several judges scored {measure} ({which}); name one by --judge")
    if not fits:
        names = ", ".join(dict.fromkeys(one.measure.name for one in judged)) or "nothing"
        raise ConfigError(f'nobody scored "{measure}" here; scored: {names}')
    return fits[0]
