"""Find runs, episodes and model calls in a store by labels, ids and scores."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, get_args

from sociolab.app.episode_list import (
    EpisodeFilter,
    ListedEpisode,
    ScoredMeasure,
    choices,
    list_page,
)
from sociolab.app.transcripts import find_seat, transcript_of
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.instructions import TAGS
from sociolab.core.score import (
    NotKnown,
    leading_judge,
    match_label,
    resolve_judge,
    resolve_measure,
)
from sociolab.report.result import each_once
from sociolab.store.calls import CallRow
from sociolab.store.checking import verify_runs
from sociolab.store.overview import episode_rows
from sociolab.store.parquet import SCORES, TURNS, Row, score_rows, turn_rows
from sociolab.store.store import RunRow, Store

if TYPE_CHECKING:
    from sociolab.report.transcript_views import TranscriptView

_ALL = 10**9
"""A page size beyond any run's number of episodes."""
_RULE = re.compile(r"\s*([^<>=]*[^<>=\s])\s*(<=|>=|<|>|=)\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")
_KINDS: tuple[NotKnown, ...] = get_args(NotKnown)
_KIND = re.compile(rf"\s*([^<>=]*[^<>=\s])\s*=\s*({'|'.join(_KINDS)})\s*")


def runs_with(
    runs: Sequence[RunRow], agent: str | None = None, tags: Sequence[str] = ()
) -> list[RunRow]:
    """The runs with all of these tags in which an agent has a seat, be it as partner.

    The end of a label is enough for `agent`; ConfigError where several labels end so.
    """
    matches = [row for row in runs if set(tags) <= set(tags_of(row))]
    if agent is None:
        return matches
    label = match_label(agent, sorted({name for row in runs for name in row.agents}), "--agent")
    return [row for row in matches if label in row.agents]


def tags_of(row: RunRow) -> tuple[str, ...]:
    settings = row.settings if isinstance(row.settings, dict) else {}
    tags = settings.get(TAGS)
    return tuple(map(str, tags)) if isinstance(tags, list) else ()


@dataclass(frozen=True, slots=True)
class EpisodeQuery:
    """Which episodes to list; None and () stand for any.

    `agent` and `partner` may be the end of a label, `task` the beginning of an id. `failed` selects
    trials that failed and those with an invalid turn or unanswered question. `scores` are rules
    such as "goal<4" or, for a missing score, "goal_checked=disputed"; all must hold. `sort` is a
    metric, lowest first. Rules and order go by the seats of `agent`, if one is named; otherwise any
    seat may satisfy a rule, and the order goes by the mean of all seats.
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
class EpisodeMatches:
    """Episodes with their scores in `scored` (None if the run has none), as many as the query's
    limit allows; `total` counts all that match."""

    episodes: tuple[ListedEpisode, ...]
    scored: ScoredMeasure | None
    total: int


def query_episodes(store: Store, run: str, query: EpisodeQuery) -> EpisodeMatches:
    """The episodes of a run that a query selects; ConfigError for an unknown agent, metric, judge
    or task, and for a malformed rule."""
    available = choices(store, run)
    who = EpisodeFilter(
        agent=_label(query.agent, available.agents, "--agent"),
        partner=_label(query.partner, available.agents, "--partner"),
    )
    unscored = [match for rule in query.scores if (match := _KIND.fullmatch(rule))]
    rules = [rule for rule in query.scores if not _KIND.fullmatch(rule)]
    by_rule = [
        _scored_trials(store, run, who, rule, available.scored, query.judge) for rule in rules
    ]
    by_rule += [
        _unscored_trials(store, run, who, match[1], match[2], query.judge) for match in unscored
    ]
    metric = query.sort or next((_parse_rule(rule)[0] for rule in rules), None)
    scored = _select_scores(available.scored, metric, query.judge)
    if query.task:
        _check_task(store, run, query.task)
    order: EpisodeFilter = replace(who, score=scored.key if scored else "")
    if query.sort:
        order = replace(order, order="lowest")
    page = list_page(store, run, order, size=_ALL)
    matches = tuple(
        episode
        for episode in page.episodes
        if all(episode.row.trial in trials for trials in by_rule)
        and episode.row.task.startswith(query.task or "")
        and (not query.failed or episode.row.failed or episode.row.status == "failed")
    )
    return EpisodeMatches(matches[: query.limit], scored, len(matches))


def _check_task(store: Store, run: str, prefix: str) -> None:
    page = list_page(store, run, EpisodeFilter(), size=_ALL)
    tasks = {episode.row.task for episode in page.episodes}
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


def _scored_trials(
    store: Store,
    run: str,
    who: EpisodeFilter,
    rule: str,
    scored: Sequence[ScoredMeasure],
    judge: str | None,
) -> set[str]:
    """The trials in which a rule such as "goal<4" holds."""
    measure, sign, limit = _parse_rule(rule)
    by = _select_scores(scored, measure, judge)
    low = limit if sign in (">=", "=") else math.nextafter(limit, math.inf) if sign == ">" else None
    high = (
        limit if sign in ("<=", "=") else math.nextafter(limit, -math.inf) if sign == "<" else None
    )
    query = replace(who, score=by.key if by else "", low=low, high=high)
    return {episode.row.trial for episode in list_page(store, run, query, size=_ALL).episodes}


def _unscored_trials(
    store: Store, run: str, who: EpisodeFilter, measure: str, kind: str, judge: str | None
) -> set[str]:
    """The trials in which a judge (any, if none is named) left a seat without a score in a metric,
    for a reason of this kind."""
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


def _parse_rule(rule: str) -> tuple[str, str, float]:
    match = _RULE.fullmatch(rule)
    if match is None:
        raise ConfigError(
            "--score: expected a metric, one of < <= > >= = and a number, or = and one of "
            f'{", ".join(_KINDS)}, such as "goal<4" or "goal_checked=disputed"; found "{rule}"'
        )
    return match[1], match[2], float(match[3])


def _select_scores(
    scored: Sequence[ScoredMeasure], measure: str | None, judge: str | None
) -> ScoredMeasure | None:
    """The scores of a single judge in a metric, by default of the leading one and in the world's
    main one; None if the run has no scores."""
    label = judge and resolve_judge(judge, (score.label for score in scored), "this run")
    judged = [score for score in scored if label in (None, score.label)]
    if measure is None:
        return next(iter(judged), None)
    name = resolve_measure(measure, (score.measure for score in judged))
    fits = [score for score in judged if score.measure.name == name]
    leading = leading_judge({score.label: score.judge for score in fits})
    if leading is None:
        names = ", ".join(dict.fromkeys(score.measure.name for score in judged)) or "nothing"
        raise ConfigError(f'nobody scored "{measure}" here; scored: {names}')
    return next(score for score in fits if score.label == leading)


@dataclass(frozen=True, slots=True)
class StoredEpisode:
    """An episode with its run, its status and, if it failed, the problem."""

    run: str
    episode: Episode
    status: str
    problem: str = ""


def find_episode(store: Store, prefix: str, run: str | None) -> StoredEpisode:
    """The episode whose id begins with a prefix; ConfigError if none does, or several do.

    If the trial was played in several runs, `run` must name one.
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
    return StoredEpisode(
        name, Episode(row.trial, store.events(name, row.trial.id)), row.status, row.problem
    )


class TranscriptText(str):
    """A transcript as plain text, which a notebook shows as a page does, and a shell as it is."""

    __slots__ = ("view",)
    view: TranscriptView

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from sociolab.report.html import transcript_fragment

        return transcript_fragment(self.view)


def transcript(store: Store, run: str, episode: str, seat: str | None = None) -> TranscriptText:
    """An episode to read, as plain text with its scores: what `sociolab show` prints.

    `episode` is an id or its beginning; with a `seat` (an id or a name), only what it saw.
    ConfigError where there is no such episode or seat.

    >>> from sociolab import RunConfig, open_store, run, transcript
    >>> result = run(RunConfig(tasks="bargain", limit=1, name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     trial = store.trials("first")[0].trial
    ...     whole = transcript(store, "first", trial.id)
    ...     seen = transcript(store, "first", trial.id, trial.task.seats[0])
    >>> whole.count("Secret:"), seen.count("Secret:")
    (2, 1)
    """
    from sociolab.report.exam import exams_by_judge
    from sociolab.report.terminal import play_text
    from sociolab.report.transcript_views import transcript_view

    hit = find_episode(store, episode, run)
    trial = hit.episode.trial
    seen_by = seat and find_seat(hit.episode, seat)
    view = transcript_of(hit.episode, seen_by)
    judgings = () if seen_by else tuple(store.verdicts.judgings(run, trial=trial.id))
    exams = exams_by_judge(store, run, (row.judge for row in judgings))
    declared = store.run(run).declared
    shown = transcript_view(hit.episode, view, judgings, declared, exams)
    text = TranscriptText(play_text(shown))
    text.view = shown
    return text


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call to a model: who made it, the messages (role and text of each) and the reply.

    `turn` counts from 0, and is None for a judge's call. `usd` is None where no price is known;
    `estimated` says that the provider reported no token counts.
    """

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
    """The prompts and replies of an episode, or of one of its turns (from 0), verbatim and in
    order.

    `episode` is an id or its beginning. Calls of judges have no turn. Empty where no model was
    called; ConfigError where there is no such episode.

    >>> from sociolab import RunConfig, calls_of, open_store, run
    >>> from sociolab.endpoint import EndpointSettings, start_in_thread
    >>> with start_in_thread(EndpointSettings(characters=40)) as endpoint:
    ...     config = RunConfig(agents="openai/m", partner="scripted", judges="none", limit=1,
    ...                        base_url=endpoint.url, name="first", store=f"{folder}/lab.db")
    ...     result = run(config)
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     trial = store.trials("first")[0].trial.id
    ...     (call,) = calls_of(store, "first", trial, turn=0)
    >>> call.model, [role for role, text in call.messages]
    ('openai/m', ['system', 'user'])
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
            tuple((message.role, message.shown) for message in store.calls.prompt(row).messages),
            row.reply.shown,
            row.reply.usd,
            row.reply.usage.estimated,
        )
        for row in store.calls.all(run, trial)
        if turn is None or _turn_of(row) == turn
    )


def _turn_of(row: CallRow) -> int | None:
    return None if row.call.role == "judge" else row.call.turn


EPISODES = (
    *("run", "trial", "task", "cluster", "tags", "repeat", "seats", "agents"),
    *("status", "cause", "problem", "ended", "turns", "answers", "failed"),
)
"""The columns of `episodes_table`."""


class Rows(list[dict[str, Any]]):
    """A list of dicts with the same keys, the `columns`, which are known even for an empty list."""

    def __init__(self, columns: Sequence[str], rows: Iterator[dict[str, Any]]) -> None:
        super().__init__(rows)
        self.columns = tuple(columns)

    def to_frame(self) -> Any:
        """These rows as a data frame of pandas or, where that is not installed, of polars;
        ConfigError where neither is."""
        if find_spec("pandas"):  # neither is a dependency, and both are slow to import
            return import_module("pandas").DataFrame(list(self), columns=list(self.columns))
        if find_spec("polars"):
            schema = None if self else self.columns
            polars = import_module("polars")
            return polars.DataFrame(list(self), schema=schema, infer_schema_length=None)
        raise ConfigError(
            "a data frame needs pandas or polars, and neither is installed; run: pip install pandas"
        )


def scores_table(store: Store, runs: str | Sequence[str]) -> Rows:
    """The scores of one or several runs as rows: one for each score, failed score or "cannot tell".

    Rows are dicts with the same keys (`.columns`; docs/python.md explains them); what does not
    apply is None. `.to_frame()` makes a data frame. StoreError for a run that is not in the store.

    >>> from sociolab import Rating, RunConfig, keep_ratings, open_store, run, scores_table
    >>> result = run(RunConfig(limit=1, judges="none", name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     trial = store.trials("first")[0].trial
    ...     kept = keep_ratings(store, "first", [Rating(trial.id, "1", "anna", "goal", 7)])
    ...     (row,) = [row for row in scores_table(store, "first") if row["measure"] == "goal"]
    >>> row["judge"], row["method"], row["rater"], row["kind"], row["value"]
    ('people', 'people', 'anna', 'score', 7.0)
    """
    return _table(store, runs, SCORES, score_rows)


def turns_table(store: Store, runs: str | Sequence[str]) -> Rows:
    """The events of one or several runs as rows: one for each action (a turn may have several),
    answer, unusable reply and end.

    Rows are dicts with the same keys (`.columns`; docs/python.md explains them); what does not
    apply is None. `.to_frame()` makes a data frame. StoreError for a run that is not in the store.

    >>> from sociolab import RunConfig, open_store, run, turns_table
    >>> result = run(RunConfig(tasks="bargain", limit=1, name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     rows = turns_table(store, "first")
    >>> rows[0]["event"], rows[0]["turn"], rows[0]["name"]
    ('moved', 0, 'speak')
    """
    return _table(store, runs, TURNS, turn_rows)


def episodes_table(store: Store, runs: str | Sequence[str]) -> Rows:
    """The trials of one or several runs as rows, in the order of the plan, played or not.

    Rows are dicts with the same keys (`.columns`; docs/python.md explains them).
    `.to_frame()` makes a data frame. StoreError for a run that is not in the store.

    >>> from sociolab import RunConfig, episodes_table, open_store, run
    >>> result = run(RunConfig(tasks="bargain", limit=1, name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     (row,) = episodes_table(store, "first")
    >>> row["status"], row["ended"], row["agents"]
    ('played', 'left', 'scripted, scripted')
    """
    names = (runs,) if isinstance(runs, str) else each_once(runs)

    def rows() -> Iterator[dict[str, Any]]:
        for name in names:
            verify_runs(store, name)
            for row in episode_rows(store, name):
                told = {column: getattr(row, column, None) for column in EPISODES}
                seats, agents = (", ".join(part) for part in zip(*row.cast, strict=True))
                tags = ", ".join(row.tags)
                yield told | {"run": name, "seats": seats, "agents": agents, "tags": tags}

    return Rows(EPISODES, rows())


def _table(
    store: Store,
    runs: str | Sequence[str],
    columns: Iterable[str],
    read: Callable[[Store, str, Mapping[str, Trial]], Iterator[Row]],
) -> Rows:
    names = (runs,) if isinstance(runs, str) else each_once(runs)

    def rows() -> Iterator[dict[str, Any]]:
        for name in names:
            verify_runs(store, name)
            trials = {row.trial.id: row.trial for row in store.trials(name)}
            for row in read(store, name, trials):
                yield {column: row.get(column) for column in columns}

    return Rows(tuple(columns), rows())
