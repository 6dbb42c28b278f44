"""A town to look at: its map, the days of an episode that was lived there, and their replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path

from pydantic import ValidationError

from sociolab.core.episode import Episode, Json
from sociolab.core.errors import ConfigError
from sociolab.store.connect import data_folder
from sociolab.store.store import Store
from sociolab.store.verdicts import ScoreRow
from sociolab.town.clock import clock_time
from sociolab.town.map import TownMap
from sociolab.town.map_file import own_map
from sociolab.town.residents import Resident
from sociolab.town.trace import Did, Talked, chunks_in
from sociolab.town.trajectory import Interval, Intervals, Trajectory, reached
from sociolab.worlds.stss.dataset import Content, content_from
from sociolab.worlds.stss.evidence import Evidence, event_window
from sociolab.worlds.stss.judges import Incomplete, StssRulesJudge
from sociolab.worlds.stss.scoring import Account, ScoreSettings, TaskScore, reason
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import Settings

WORLDS = ("stss",)
"""The worlds that are played in a town."""


@dataclass(frozen=True, slots=True)
class Lived:
    """The days of an episode: the town, what happened, and who is called what."""

    town: TownMap
    trajectory: Trajectory
    names: dict[str, str]

    def who(self, wanted: str) -> str:
        """The id of a resident by id, name, or the beginning of one; ConfigError if none fits."""
        key = wanted.casefold()
        for id, name in self.names.items():
            if id.startswith(key) or name.casefold().startswith(key):
                return id
        known = ", ".join(self.names)
        raise ConfigError(
            f'nobody called "{wanted}" lives in this episode; expected one of {known}'
        )


@dataclass(frozen=True, slots=True)
class Span:
    """Which moments to look at: a day from 1 on, from and until a time of day, every so often."""

    day: int
    start: str
    end: str
    minutes: int

    def moments(self, lived: Lived) -> Iterator[datetime]:
        """The moments; ConfigError where the day was not lived or a time is none."""
        trace = lived.trajectory.trace
        days = -(-trace.steps // lived.trajectory.clock.a_day)
        if not 1 <= self.day <= days:
            raise ConfigError(f"--day: expected 1 to {days}, found {self.day}")
        first = datetime.combine(trace.first + timedelta(days=self.day - 1), time())
        moment = first + _since_midnight("--from", self.start)
        end = first + _since_midnight("--until", self.end)
        last = lived.trajectory.clock.at(trace.steps - 1)
        while moment <= min(end, last):
            yield moment
            moment += timedelta(minutes=self.minutes)


@dataclass(frozen=True, slots=True)
class Moment:
    """Who is where and does what at a moment, and the talks that begin before the next."""

    label: str
    people: dict[str, tuple[int, int]]
    places: dict[str, str]
    doing: dict[str, str]
    talks: tuple[Talked, ...]


def map_of(data: str | None) -> TownMap:
    """The map of an imported or own town; of the package without a name."""
    if data is None:
        return own_map()
    from sociolab.worlds.stss.dataset import read_town

    return read_town(data_folder("stss", data)).town


def lived(episode: Episode) -> Lived:
    """The days of an episode; ConfigError where it was not played in a town, or not yet."""
    world = episode.trial.world
    if world not in WORLDS:
        raise ConfigError(
            f"the episode {episode.trial.id} is of {world}, which has no town; expected an episode "
            f"of {', '.join(WORLDS)} (`sociolab show` reads it)"
        )
    from sociolab.worlds.stss.dataset import content_from
    from sociolab.worlds.stss.map_codec import unpacked
    from sociolab.worlds.stss.world import trajectory_of

    if not chunks_in(episode.events):
        raise ConfigError(f"nothing of the episode {episode.trial.id} has been lived yet")
    content = content_from(episode.trial.task.content)
    names = {one.id: one.name for one in content.residents}
    return Lived(unpacked(content.town), trajectory_of(episode), names)


def moments(lived: Lived, span: Span, only: Sequence[str] = ()) -> Iterator[Moment]:
    """The moments of a span, of everybody or of some residents."""
    trajectory = lived.trajectory
    clock = trajectory.clock
    who = tuple(only) or tuple(lived.names)
    for moment in span.moments(lived):
        step = clock.step(moment)
        after = step + clock.minutes(span.minutes)
        talks = [
            talk
            for talk in trajectory.everybody(Talked)
            if step <= talk.step < after and (talk.who in who or talk.other in who)
        ]
        actions = {id: trajectory.action_at(id, step) for id in who}
        yield Moment(
            label=f"{moment:%a %d %b %H:%M}",
            people={lived.names[id]: trajectory.tile_at(id, step) for id in who},
            places={id: str(trajectory.place_at(id, step)).strip(": ") or "outdoors" for id in who},
            doing={id: _doing(did) for id, did in actions.items()},
            talks=tuple(talks),
        )


def write_picture(town: TownMap, path: Path, scale: int) -> None:
    """Draw a map as PNG; ConfigError for a file of another name, or that cannot be written."""
    from sociolab.town.picture import draw

    if path.suffix.lower() != ".png":
        raise ConfigError(f'--out: expected a name that ends in .png, found "{path.suffix}"')
    _save(path, lambda: draw(town, scale=scale).save(path))


def write_filmstrip(lived: Lived, span: Span, path: Path) -> None:
    """Draw the moments of a span: side by side as PNG, or one after the other as GIF."""
    from sociolab.town.picture import Frame, animation, draw_filmstrip

    frames = [
        Frame(
            moment.label,
            moment.people,
            {lived.names[id]: text for id, text in moment.doing.items()},
        )
        for moment in moments(lived, span)
    ]
    match path.suffix.lower():
        case ".gif":
            _save(path, lambda: path.write_bytes(animation(lived.town, frames)))
        case ".png":
            plain = [Frame(frame.label, frame.people) for frame in frames]
            _save(path, lambda: draw_filmstrip(lived.town, plain).save(path))
        case other:
            raise ConfigError(f'--out: expected a name that ends in .png or .gif, found "{other}"')


def _doing(did: Did | None) -> str:
    if did is None:
        return ""
    return f"on the way to {did.place}" if did.state == "walking" else did.doing


def _save(path: Path, save: Callable[[], object]) -> None:
    try:
        save()
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error


def _since_midnight(flag: str, text: str) -> timedelta:
    try:
        moment = clock_time(text)
    except ValueError:
        raise ConfigError(f'{flag}: expected a time such as 07:30, found "{text}"') from None
    return timedelta(hours=moment.hour, minutes=moment.minute)


# ------------------------------------------------------------------ replay


@dataclass(frozen=True, slots=True)
class ResidentOutcome:
    """What became of a background resident, by the rules of scoring.

    `since`: the step at which it had taken part for as long as is needed, or its errand was done;
    None if it does not count. `when` it took part, `near`: when it came near to that (as steps).
    """

    who: str
    counts: bool
    since: int | None
    words: str
    when: Intervals
    near: Intervals


@dataclass(frozen=True, slots=True)
class Replay:
    """All that a replay shows.

    `score` and `outcomes` are computed from the trace by the rules of today, for `least` minutes;
    without a score (None, and no outcomes) `why` says what is missing. `about` are the talks that
    are about the task. `verdicts` are those in the
    store; `other_rules`: whether some of them were made by other rules than these.
    """

    lived: Lived
    task: SocialTask
    residents: tuple[Resident, ...]
    window: Interval
    score: TaskScore | None
    why: str
    outcomes: tuple[ResidentOutcome, ...]
    about: tuple[Talked, ...]
    verdicts: tuple[ScoreRow, ...]
    other_rules: bool


def replay(store: Store, run: str, trial: str) -> Replay:
    """The replay of an episode in the store.

    ConfigError where it was not played in a town, or nothing of it has been lived yet; StoreError
    where the store has no such run or trial, or its trace cannot be read.
    """
    episode = store.episode(run, trial)
    days = lived(episode)
    content = content_of(episode)
    judge = StssRulesJudge(ScoreSettings(least=_least(store.run(run).settings)))
    score, why = _scored(judge, content, episode)
    verdicts = tuple(row for row in store.verdicts.all(run) if row.trial == trial)
    rules = {row.judge for row in verdicts if row.judge.name == judge.id.name}
    return Replay(
        lived=days,
        task=content.task,
        residents=content.residents,
        window=event_window(content.task, days.trajectory.clock),
        score=score,
        why=why,
        outcomes=outcomes(score, days.trajectory.clock.seconds) if score else (),
        about=Evidence(content.task, days.trajectory).talks,
        verdicts=verdicts,
        other_rules=bool(rules - {judge.id}),
    )


def content_of(episode: Episode) -> Content:
    """The task and the people of an episode in town; ConfigError where they cannot be read."""
    try:
        return content_from(episode.trial.task.content)
    except ValidationError as error:
        raise ConfigError(
            f"the task of the episode {episode.trial.id} is none of this world "
            f"({error.error_count()} fields are missing or wrong); play the trial again"
        ) from error


def outcomes(score: TaskScore, seconds: int) -> tuple[ResidentOutcome, ...]:
    """What became of everybody in the background, for steps of so many seconds."""
    needed = -(-score.least * 60 // seconds)
    return tuple(_outcome(one, score, needed) for one in score.accounts)


def _outcome(one: Account, score: TaskScore, needed: int) -> ResidentOutcome:
    counts = one.who in score.participants
    since = _since(one, score, needed) if counts else None
    return ResidentOutcome(one.who, counts, since, one.words, one.when, one.near)


def _since(one: Account, score: TaskScore, needed: int) -> int | None:
    if not score.errands:
        return reached(one.when, needed)
    steps = (errand.step for errand in score.errands if errand.who == one.who)
    return min((step for step in steps if step is not None), default=None)


def _scored(
    judge: StssRulesJudge, content: Content, episode: Episode
) -> tuple[TaskScore | None, str]:
    try:
        score = judge.score(content.task, episode)
    except Incomplete as problem:
        return None, f"No score: {problem}."
    return score, reason(content.task, score, content.name)


def _least(settings: Json) -> int:
    """The minutes of taking part that the run asked for."""
    given = settings.get("world_settings") if isinstance(settings, Mapping) else None
    try:
        return Settings.model_validate(given or {}).least
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
        raise ConfigError(
            f"the settings of the run cannot be read: {item['msg']}; play it again"
        ) from error
