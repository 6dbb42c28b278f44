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
from sociolab.core.score import (
    NotKnown,
    leading_judges,
    match_label,
    resolve_judge,
    resolve_measure,
)
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
    matches = [row for row in runs if set(tags) <= set(tags_of(row))]
    if agent is None:
        return matches
    label = match_label(agent, sorted({name for row in runs for name in row.agents}), "--agent")
    return [row for row in matches if label in row.agents]


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


def asked_episodes(store: Store, run: str, query: EpisodeQuery) -> FoundEpisodes:
    """The episodes of a run; ConfigError for an agent, measure, judge or rule that is none."""
    available = choices(store, run)
    who = EpisodeFilter(
        agent=_label(query.agent, available.agents, "--agent"),
        partner=_label(query.partner, available.agents, "--partner"),
    )
    unscored = [match for rule in query.scores if (match := _KIND.fullmatch(rule))]
    rules = [rule for rule in query.scores if not _KIND.fullmatch(rule)]
    fitting = [_ruled(store, run, who, rule, available.scored, query.judge) for rule in rules]
    fitting += [
        _open(store, run, who, rule_match[1], rule_match[2], query.judge) for rule_match in unscored
    ]
    first = query.sort or next((_parts(rule)[0] for rule in rules), None)
    scored = _scored(available.scored, first, query.judge)
    if query.task:
        _check_task(store, run, query.task)
    order: EpisodeFilter = replace(who, score=scored.key if scored else "")
    if query.sort:
        order = replace(order, order="lowest")
    page = listed(store, run, order, size=_ALL)
    matches = tuple(
        episode
        for episode in page.listed
        if all(episode.row.trial in trials for trials in fitting)
        and episode.row.task.startswith(query.task or "")
        and (not query.failed or episode.row.failed or episode.row.status == "failed")
    )
    return FoundEpisodes(matches[: query.limit], scored, len(matches))


def _check_task(store: Store, run: str, prefix: str) -> None:
    tasks = {episode.row.task for episode in listed(store, run, EpisodeFilter(), size=_ALL).listed}
    if not any(id.startswith(prefix) for id in tasks):
        near = did_you_mean(prefix, tasks)
        raise ConfigError(f'--task: no task of {run} starts with "{prefix}"{near}')


def _label(name: str | None, labels: Sequence[str], flag: str) -> str:
    if name is None:
        return ""
    label = match_label(name, labels, flag)
    if label not in labels:
        raise ConfigError(f'{flag}: nobody called "{name}" played; there is {", ".join(labels)}')
    return label


def _ruled(
    store: Store,
    run: str,
    who: EpisodeFilter,
    rule: str,
    scored: Sequence[ScoredMeasure],
    judge: str | None,
) -> set[str]:
    """The trials in which a rule holds."""
    measure, sign, limit = _parts(rule)
    by = _scored(scored, measure, judge)
    low = limit if sign in (">=", "=") else math.nextafter(limit, math.inf) if sign == ">" else None
    high = (
        limit if sign in ("<=", "=") else math.nextafter(limit, -math.inf) if sign == "<" else None
    )
    query = replace(who, score=by.key if by else "", low=low, high=high)
    return {episode.row.trial for episode in listed(store, run, query, size=_ALL).listed}


def _open(
    store: Store, run: str, who: EpisodeFilter, measure: str, kind: str, judge: str | None
) -> set[str]:
    """The trials in which a judge, or this one, gave a seat no score in a measure, and why."""
    rows = [
        row
        for row in store.verdicts.scores(run, texts=False)
        if row.trial and judge in (None, row.judge.label)
    ]
    measures = {row.measure.name: row.measure for row in rows}
    name = resolve_measure(measure, measures.values())
    if name not in measures:
        raise ConfigError(
            f'nobody scored "{measure}" here; scored: {", ".join(measures) or "nothing"}'
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
    scored: Sequence[ScoredMeasure], measure: str | None, judge: str | None
) -> ScoredMeasure | None:
    """The one judge's scores of a measure; of none that is named, the world's main measure."""
    label = judge and resolve_judge(judge, (score.label for score in scored), "this run")
    judged = [score for score in scored if label in (None, score.label)]
    if measure is None:
        return next(iter(judged), None)
    name = resolve_measure(measure, (score.measure for score in judged))
    fits = [score for score in judged if score.measure.name == name]
    first = leading_judges({score.label: score.judge for score in fits})
    fits = [score for score in fits if score.label in first]
    if len(fits) > 1:
        which = ", ".join(score.label for score in fits)
        raise ConfigError(f"several judges scored {measure} ({which}); name one by --judge")
    if not fits:
        names = ", ".join(dict.fromkeys(score.measure.name for score in judged)) or "nothing"
        raise ConfigError(f'nobody scored "{measure}" here; scored: {names}')
    return fits[0]


@dataclass(frozen=True, slots=True)
class FoundEpisode:
    """An episode and where it was found."""

    run: str
    episode: Episode
    status: str
    problem: str = ""


def find_episode(store: Store, prefix: str, run: str | None) -> FoundEpisode:
    """The episode whose id begins so; ConfigError if none or several do.

    The same trial may have been played in several runs: then `run` must say which one is meant.
    """
    runs = [run] if run else [row.name for row in store.runs()]
    hits = [
        (name, row)
        for name in runs
        for row in store.trials(name)
        if row.trial.id.startswith(prefix)
    ]
    if not hits and any(row.name == prefix for row in store.runs()):
        raise ConfigError(
            f'"{prefix}" is a run, not an episode: `sociolab report {prefix}` shows the run, '
            f"`sociolab list episodes --run {prefix}` the ids of its episodes"
        )
    if not hits:
        where = f'the run "{run}"' if run else "the store"
        raise ConfigError(
            f'no episode in {where} has an id that begins with "{prefix}"; '
            "`sociolab list episodes --run NAME` names them"
        )
    if len({row.trial.id for _, row in hits}) > 1:
        some = ", ".join(sorted({row.trial.id for _, row in hits})[:4])
        raise ConfigError(f'several episodes begin with "{prefix}": {some}; give more of the id')
    if len(hits) > 1:
        names = ", ".join(name for name, _ in hits)
        raise ConfigError(f"several runs hold the episode {prefix} ({names}); add --run NAME")
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
    from sociolab.report.transcript_views import transcript_view

    hit = find_episode(store, episode, run)
    trial = hit.episode.trial
    seen_by = seat and seat_called(hit.episode, seat)
    read = transcript_of(hit.episode, seen_by)
    judgings = () if seen_by else tuple(store.verdicts.judgings(run, trial=trial.id))
    return play_text(transcript_view(hit.episode, read, judgings, store.run(run).declared))


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
            tuple((message.role, message.text) for message in store.calls.prompt(row).messages),
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
