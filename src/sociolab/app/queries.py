"""Runs, episodes and calls of the store, found by what somebody asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, get_args

from sociolab.app.episode_list import EpisodeFilter, ListedEpisode, ScoredMeasure, choices, listed
from sociolab.app.transcripts import seat_called, transcript_of
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.instructions import TAGS
from sociolab.core.score import NotKnown, foremost, judge_called, label_like, measure_called
from sociolab.report.result import each_once
from sociolab.store.calls import CallRow
from sociolab.store.parquet import SCORES, TURNS, Row, score_rows, turn_rows
from sociolab.store.store import RunRow, Store

_ALL = 10**9
_RULE = re.compile(r"\s*([^<>=]*[^<>=\s])\s*(<=|>=|<|>|=)\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")
_KINDS: tuple[NotKnown, ...] = get_args(NotKnown)
_KIND = re.compile(rf"\s*([^<>=]*[^<>=\s])\s*=\s*({'|'.join(_KINDS)})\s*")


def runs_with(
    runs: Sequence[RunRow], agent: str | None = None, tags: Sequence[str] = ()
) -> list[RunRow]:
    """The runs in which an agent has a seat (as partner, too), named in full or in part, and which
    bear all of these tags. ConfigError where several agents are meant."""
    found = [row for row in runs if set(tags) <= set(tags_of(row))]
    if agent is None:
        return found
    label = label_like(agent, sorted({one for row in runs for one in row.agents}), "--agent")
    return [row for row in found if label in row.agents]


def tags_of(row: RunRow) -> tuple[str, ...]:
    """The tags of a run."""
    settings = row.settings if isinstance(row.settings, dict) else {}
    tags = settings.get(TAGS)
    return tuple(map(str, tags)) if isinstance(tags, list) else ()


@dataclass(frozen=True, slots=True)
class EpisodeQuery:
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
class FoundEpisodes:
    """The episodes with their scores in `scored`, if anything was scored; so many fit in all."""

    listed: tuple[ListedEpisode, ...]
    scored: ScoredMeasure | None
    fit: int


def asked_episodes(store: Store, run: str, asked: EpisodeQuery) -> FoundEpisodes:
    """The episodes of a run; ConfigError for an agent, measure, judge or rule that is none."""
    known = choices(store, run)
    who = EpisodeFilter(
        agent=_label(asked.agent, known.agents, "--agent"),
        partner=_label(asked.partner, known.agents, "--partner"),
    )
    unscored = [one for rule in asked.scores if (one := _KIND.fullmatch(rule))]
    rules = [rule for rule in asked.scores if not _KIND.fullmatch(rule)]
    fitting = [_ruled(store, run, who, rule, known.scored, asked.judge) for rule in rules]
    fitting += [_open(store, run, who, one[1], one[2], asked.judge) for one in unscored]
    first = asked.sort or next((_parts(rule)[0] for rule in rules), None)
    shown = _scored(known.scored, first, asked.judge)
    if asked.task:
        _check_task(store, run, asked.task)
    order: EpisodeFilter = replace(who, score=shown.key if shown else "")
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
    return FoundEpisodes(kept[: asked.limit], shown, len(kept))


def _check_task(store: Store, run: str, wanted: str) -> None:
    tasks = {one.row.task for one in listed(store, run, EpisodeFilter(), size=_ALL).listed}
    if not any(id.startswith(wanted) for id in tasks):
        near = did_you_mean(wanted, tasks)
        raise ConfigError(f'--task: no task of {run} starts with "{wanted}"{near}')


def _label(wanted: str | None, known: Sequence[str], flag: str) -> str:
    if wanted is None:
        return ""
    label = label_like(wanted, known, flag)
    if label not in known:
        raise ConfigError(f'{flag}: nobody called "{wanted}" played; there is {", ".join(known)}')
    return label


def _ruled(
    store: Store,
    run: str,
    who: EpisodeFilter,
    rule: str,
    known: Sequence[ScoredMeasure],
    judge: str | None,
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
    store: Store, run: str, who: EpisodeFilter, measure: str, kind: str, judge: str | None
) -> set[str]:
    """The trials in which a judge, or this one, gave a seat no score in a measure, and why."""
    rows = [
        row
        for row in store.verdicts.scores(run, texts=False)
        if row.trial and judge in (None, row.judge.label)
    ]
    known = {row.measure.name: row.measure for row in rows}
    name = measure_called(measure, known.values())
    if name not in known:
        raise ConfigError(
            f'nobody scored "{measure}" here; scored: {", ".join(known) or "nothing"}'
        )
    casts = {row.trial.id: row.trial for row in store.trials(run)}
    return {
        row.trial
        for row in rows
        if row.trial and (row.measure.name, row.unscored) == (name, kind)
        if not who.agent or row.seat is None or casts[row.trial].agent(row.seat) == who.agent
    }


def _parts(rule: str) -> tuple[str, str, float]:
    read = _RULE.fullmatch(rule)
    if read is None:
        raise ConfigError(
            "--score: expected a metric, one of < <= > >= = and a number, or = and one of "
            f'{", ".join(_KINDS)}, such as "goal<4" or "goal_checked=disputed"; found "{rule}"'
        )
    return read[1], read[2], float(read[3])


def _scored(
    known: Sequence[ScoredMeasure], measure: str | None, judge: str | None
) -> ScoredMeasure | None:
    """The one judge's scores of a measure; of none that is named, the world's main measure."""
    label = judge and judge_called(judge, (one.label for one in known), "this run")
    judged = [one for one in known if label in (None, one.label)]
    if measure is None:
        return next(iter(judged), None)
    name = measure_called(measure, (one.measure for one in judged))
    fits = [one for one in judged if one.measure.name == name]
    first = foremost({one.label: one.judge for one in fits})
    fits = [one for one in fits if one.label in first]
    if len(fits) > 1:
        which = ", ".join(one.label for one in fits)
        raise ConfigError(f"several judges scored {measure} ({which}); name one by --judge")
    if not fits:
        names = ", ".join(dict.fromkeys(one.measure.name for one in judged)) or "nothing"
        raise ConfigError(f'nobody scored "{measure}" here; scored: {names}')
    return fits[0]


@dataclass(frozen=True, slots=True)
class FoundEpisode:
    """An episode and where it was found."""

    run: str
    episode: Episode
    status: str
    problem: str = ""


def find_episode(store: Store, wanted: str, run: str | None) -> FoundEpisode:
    """The episode whose id begins so; ConfigError if none or several do.

    The same trial may have been played in several runs: then `run` must say which one is meant.
    """
    runs = [run] if run else [row.name for row in store.runs()]
    hits = [
        (name, row)
        for name in runs
        for row in store.trials(name)
        if row.trial.id.startswith(wanted)
    ]
    if not hits and any(row.name == wanted for row in store.runs()):
        raise ConfigError(
            f'"{wanted}" is a run, not an episode: `sociolab report {wanted}` shows the run, '
            f"`sociolab list episodes --run {wanted}` the ids of its episodes"
        )
    if not hits:
        where = f'the run "{run}"' if run else "the store"
        raise ConfigError(
            f'no episode in {where} has an id that begins with "{wanted}"; '
            "`sociolab list episodes --run NAME` names them"
        )
    if len({row.trial.id for _, row in hits}) > 1:
        some = ", ".join(sorted({row.trial.id for _, row in hits})[:4])
        raise ConfigError(f'several episodes begin with "{wanted}": {some}; give more of the id')
    if len(hits) > 1:
        names = ", ".join(name for name, _ in hits)
        raise ConfigError(f"several runs hold the episode {wanted} ({names}); add --run NAME")
    name, row = hits[0]
    return FoundEpisode(
        name, Episode(row.trial, store.events(name, row.trial.id)), row.status, row.problem
    )


def transcript(store: Store, run: str, episode: str, seat: str | None = None) -> str:
    """An episode to read, as plain text with its scores: what `sociolab show` prints.

    `episode` is an id or its beginning; with a `seat` (an id or a name), only what it saw.
    ConfigError where there is no such episode or seat.
    """
    from sociolab.report.terminal import play_text
    from sociolab.report.transcript_view import transcript_view

    found = find_episode(store, episode, run)
    trial = found.episode.trial
    seen_by = seat and seat_called(found.episode, seat)
    read = transcript_of(found.episode, seen_by)
    judgings = () if seen_by else tuple(store.verdicts.judgings(run, trial=trial.id))
    return play_text(transcript_view(found.episode, read, judgings, store.run(run).declared))


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call to a model: whose it was, what was sent (role and text of each message) and what
    came back. `turn` is from 0, and None of a judge's; `usd` is None where no price is known, and
    `estimated` where the provider counted no tokens."""

    episode: str
    role: str
    seat: str
    turn: int | None
    name: str
    attempt: int
    model: str
    messages: tuple[tuple[str, str], ...]
    reply: str
    usd: float | None
    estimated: bool


def calls_of(
    store: Store, run: str, episode: str, turn: int | None = None
) -> tuple[ModelCall, ...]:
    """The prompts and replies of an episode, or of one of its turns (from 0), as they came.

    Empty where no model was called. ConfigError where there is no such episode.
    """
    trial = find_episode(store, episode, run).episode.trial.id
    return tuple(
        ModelCall(
            trial,
            row.call.role,
            row.call.seat,
            _turn_of(row),
            row.call.name,
            row.call.attempt,
            row.model,
            tuple((one.role, one.text) for one in store.calls.prompt(row).messages),
            row.reply.text,
            row.reply.usd,
            row.reply.usage.estimated,
        )
        for row in store.calls.all(run, trial)
        if turn is None or _turn_of(row) == turn
    )


def _turn_of(row: CallRow) -> int | None:
    return None if row.call.role == "judge" else row.call.turn


class Rows(list[dict[str, Any]]):
    """A list of plain dicts which all have the same keys, `columns`, also where it is empty."""

    def __init__(self, columns: Sequence[str], rows: Iterator[dict[str, Any]]) -> None:
        super().__init__(rows)
        self.columns = tuple(columns)

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame; ConfigError where pandas is not installed."""
        try:
            pandas = import_module("pandas")  # no dependency, and half a second
        except ImportError as error:
            raise ConfigError(
                "a data frame needs pandas, which is not installed; run: pip install pandas"
            ) from error
        return pandas.DataFrame(list(self), columns=list(self.columns))


def scores_table(store: Store, runs: str | Sequence[str]) -> Rows:
    """A row for each verdict of these runs: a score, a score that failed, or that a judge cannot
    tell; docs/python.md has the columns. StoreError for a run that is not there."""
    return _table(store, runs, SCORES, score_rows)


def turns_table(store: Store, runs: str | Sequence[str]) -> Rows:
    """A row for each thing that happened in the episodes of these runs: an action (a turn may have
    several), an answer, a reply that could not be used, an end. StoreError as `scores_table`."""
    return _table(store, runs, TURNS, turn_rows)


def _table(
    store: Store,
    runs: str | Sequence[str],
    columns: Mapping[str, str],
    read: Callable[[Store, str, Mapping[str, Trial]], Iterator[Row]],
) -> Rows:
    names = (runs,) if isinstance(runs, str) else each_once(runs)

    def rows() -> Iterator[dict[str, Any]]:
        for name in names:
            trials = {row.trial.id: row.trial for row in store.trials(name)}
            for row in read(store, name, trials):
                yield {column: row.get(column) for column in columns}

    return Rows(tuple(columns), rows())
