"""Credit: ask a model which turns of stored episodes advanced a goal or revealed a secret."""

from __future__ import annotations

import errno
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeAlias

from sociolab.analysis.credit import (
    PlayCredit,
    check_findings,
    keep_credit,
    load_credit,
    load_credit_judgings,
    merge_records,
    play_credits,
    restrict_record,
)
from sociolab.analysis.values import RunValues, values_of
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.run.config import EPISODES, CreditConfig
from sociolab.app.run.session import note_addresses
from sociolab.app.run_sync import synchronous
from sociolab.app.transcripts import observations, replaying_world, world_of
from sociolab.core.episode import Action, Episode
from sociolab.core.errors import ConfigError, StorageError
from sociolab.core.instructions import STAND_INS
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.ports import Observation, World
from sociolab.core.user_files import atomic_file
from sociolab.judging.credit import (
    MEASURES,
    Credit,
    CreditJudge,
    CreditMeasure,
    CreditRecord,
    Story,
    build_story,
    cells,
)
from sociolab.models.budget import Budget
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import ExamNotes, exam_notes
from sociolab.report.finding import Count, Finding
from sociolab.report.result import run_of_episodes
from sociolab.report.words import counted, stand_in_words
from sociolab.runner.local import work_all
from sociolab.runner.progress import TalliedReplies, Tally, Watch
from sociolab.store.calls import RunReplies
from sociolab.store.checking import verify_runs
from sociolab.store.connect import lock_run, store_path
from sociolab.store.database import replace_surrogates
from sociolab.store.store import Store

SAY = Catalogue("credit")
SCHEMA = 1

Score: TypeAlias = Mapping[str, Any]


def training_lines(
    run: str,
    world: World,
    episode: Episode,
    story: Story,
    record: CreditRecord,
    scores: Sequence[Score],
) -> Iterator[dict[str, Any]]:
    """A JSON object for each line of an episode, in order, as docs/credit.md describes it.

    `observation` is None where the world shows its players no text, and where the episode cannot be
    replayed from its events.
    """
    trial = episode.trial
    totals = play_credits(trial, record)
    observed = observations(world, episode)
    for line in story.transcript.lines:
        seat = line.seat
        turn_credits = [
            credit for credit in record.credits if (credit.turn, credit.by) == (line.turn, seat)
        ]
        moved = {
            play.seat: {
                other.measure: _amount(turn_credits, play.seat, other.measure, other.total)
                for other in totals
                if other.seat == play.seat
            }
            for play in totals
        }
        yield {
            "schema": SCHEMA,
            "kind": "credit",
            "run": run,
            "world": trial.world,
            "episode": trial.id,
            "task": trial.task.id,
            "cluster": trial.task.cluster,
            "repeat": trial.repeat,
            "seat": seat,
            "name": line.who,
            "agent": trial.agent(seat),
            "turn": line.turn + 1,
            "observation": _observation_json(observed.get((seat, line.turn))),
            "text": line.text,
            "actions": [_action_json(action) for action in line.actions],
            "credit": {m: moved.get(seat, {}).get(m) for m in MEASURES},
            "moved": moved,
            "why": [_credit_json(credit) for credit in turn_credits],
            "judge": record.judge,
            "scores": [score for score in scores if score["seat"] in (seat, None)],
        }


def scores_by_trial(scores: RunValues) -> Mapping[str, Sequence[Score]]:
    """The scores of a run's episodes as JSON objects, by trial."""
    by_trial: dict[str, list[Score]] = {}
    for value in scores.values:
        score = {
            "judge": value.judge,
            "method": scores.judges[value.judge].method,
            "measure": value.measure,
            "seat": value.seat,
            "value": value.value,
        }
        by_trial.setdefault(value.trial, []).append(score)
    return by_trial


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Write JSON lines, all or nothing; returns their number, and how many lack an observation.

    ConfigError where the file cannot be written.
    """
    count = unseen = 0
    with (
        _as_config_errors(path),
        atomic_file(path) as part,
        part.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for line in lines:
            file.write(f"{replace_surrogates(json.dumps(line, ensure_ascii=False))}\n")
            count += 1
            unseen += line["observation"] is None
    return count, unseen


def check_writable(path: Path) -> None:
    """ConfigError where `write_lines` could not write this file; called before a model is paid."""
    with _as_config_errors(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with TemporaryFile(dir=path.parent):
            pass


@contextmanager
def _as_config_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigError(
            f"--out: {path} cannot be written ({error.strerror}); name a file in a folder that "
            "exists"
        ) from error


def _observation_json(observation: Observation | None) -> dict[str, Any] | None:
    if observation is None or not observation.head:
        return None
    history = [line.text for line in observation.history]
    return {"head": observation.head, "history": history, "tail": observation.tail}


def _amount(
    turn_credits: Sequence[Credit], seat: str, measure: str, total: int | None
) -> int | None:
    """The sum of the credits for a metric of a seat; None where the judge failed on it."""
    if total is None:
        return None
    return sum(
        credit.amount
        for credit in turn_credits
        if (credit.cell.seat, credit.cell.measure) == (seat, measure)
    )


def _action_json(action: Action) -> dict[str, Any]:
    row = {"kind": action.kind, "text": action.text, "to": list(action.to)}
    return row | ({"fields": dict(action.fields)} if action.fields else {})


def _credit_json(credit: Credit) -> dict[str, Any]:
    return {
        "seat": credit.cell.seat,
        "measure": credit.cell.measure,
        "amount": credit.amount,
        "quote": credit.quote,
        "reason": credit.reason,
    }


def stories_of(
    store: Store, run: str, measures: Sequence[CreditMeasure], limit: int | None
) -> list[tuple[Episode, Story]]:
    """The first `limit` played episodes of a run, each with the story that the judge reads.

    ConfigError where there are none, where none has lines, and where no seat in them has a goal or
    secret of its own.
    """
    verify_runs(store, run)
    row = run_of_episodes(store, run)
    world = world_of(row.world)
    trials = [
        trial_row.trial.id for trial_row in store.trials(run) if trial_row.status == "played"
    ][:limit]
    if not trials:
        raise ConfigError(f'the run "{run}" has no played episode: there are no turns to credit')
    stories = []
    for trial in trials:
        episode = store.episode(run, trial)
        transcript = world.transcript(episode)
        stories.append((episode, build_story(transcript, episode.trial.task.seats, measures)))
    if not any(story.transcript.lines for _, story in stories):
        raise ConfigError(
            f'the episodes of "{run}" have no lines: credit is for worlds whose transcripts are '
            f"turns, which those of {row.world} are not"
        )
    if not any(story.with_stakes for _, story in stories):
        raise ConfigError(
            f'nobody in "{run}" has a {" or a ".join(measures)} of their own; credit is for what '
            "the scene tells of a seat"
        )
    return stories


@dataclass(frozen=True, slots=True)
class CreditResult:
    """The credits that a judge gave to the turns of a run.

    `nothing` counts episodes without a goal or secret, `waiting` those left when the work stopped
    (`stopped` says why), `unseen` the lines written to a file without an observation. `usd` is None
    where no call had a price; tokens and cost of `estimated_calls` are estimates.
    """

    run: str
    world: str
    judge: str
    plays: tuple[PlayCredit, ...]
    checks: tuple[Finding, ...]
    nothing: int
    waiting: int
    calls: int
    estimated_calls: int
    usd: float | None
    lines: int = 0
    unseen: int = 0
    stopped: str = ""
    declared: Declared = UNDECLARED
    exams: ExamNotes = field(default_factory=ExamNotes)

    @property
    def in_vain(self) -> str:
        """A clause on the failures if every list of turns failed; "" otherwise."""
        causes = (play.failure.cause for play in self.plays if play.failure is not None)
        failed: Counter[str] = Counter(causes)
        if not self.plays or failed.total() < len(self.plays):
            return ""
        return SAY("all_missing", lists=Count("list", len(self.plays)), causes=counted(failed))


def _parse_measures(text: str) -> tuple[CreditMeasure, ...]:
    """The metrics in a text such as "goal,secret"; ConfigError for others."""
    names = [part.strip() for part in text.split(",")]
    unknown = [part for part in names if part not in MEASURES]
    if unknown:
        choices = " or ".join(MEASURES)
        raise ConfigError(f'--metric: expected {choices}, or both, found "{unknown[0]}"')
    return tuple(measure for measure in MEASURES if measure in names)


@synchronous
async def credit_run(config: CreditConfig, watch: Watch | None = None) -> CreditResult:
    """Have a judge credit the turns of a run's episodes.

    Stored credits are kept; an episode that the judge failed on is tried again. ConfigError as in
    `stories_of`. Works inside a running event loop, too.
    """
    run, out, measures = config.run, config.out, _parse_measures(config.metric)
    if out is not None:
        check_writable(out)
    path = store_path(config.store)
    with Store.open(path, create=False) as store, lock_run(path, run), store.failing_fast():
        stories = stories_of(store, run, measures, config.limit)
        tally, models = Tally(), Models(config)
        replies = TalliedReplies(tally)
        replies.keep_in(RunReplies(store, run))
        spec = _model_spec(config.judge)
        budget = Budget(config.budget, store.calls.totals(run))
        judge = CreditJudge(models.cached(spec, replies, budget))
        work = [pair for pair in stories if not _is_credited(store, run, judge, *pair)]
        tally.total = len(work)
        await note_addresses(store, run, [spec], models)
        began = time.perf_counter()
        try:
            with watch(run, tally) if watch else nullcontext():
                stopped = await _ask(store, run, judge, work, EPISODES, tally, replies)
        finally:
            await models.close()
            store.add_seconds(run, time.perf_counter() - began)
        usd = None if models.price(spec) is None else tally.usd
        warnings = stand_in_words({STAND_INS: await models.stand_ins([spec])})
        return _result(store, run, judge, stories, tally, usd, stopped, out, warnings)


async def _ask(
    store: Store,
    run: str,
    judge: CreditJudge,
    work: Sequence[tuple[Episode, Story]],
    at_once: int,
    tally: Tally,
    replies: TalliedReplies,
) -> str:
    """Ask about each episode and store the credits; returns why it stopped early, or ""."""

    async def ask(pair: tuple[Episode, Story]) -> None:
        trial, story = pair[0].trial.id, pair[1]
        record = await judge.credit(trial, story)
        keep_credit(store, run, trial, record)
        replies.release(trial)
        tally.done += 1
        tally.failed += bool(record.failures)

    error = await work_all(work, ask, at_once, tally.waits)
    if isinstance(error, StorageError):
        raise error
    return str(error) if error else ""


def _model_spec(judge: str) -> ModelSpec:
    spec = parse(judge, "judge")
    if not isinstance(spec, ModelSpec):
        raise ConfigError(
            f"--judge: expected one model, such as openai/MODEL, found {judge}: only a model reads "
            "a transcript turn by turn"
        )
    return spec


def _is_credited(
    store: Store, run: str, judge: CreditJudge, episode: Episode, story: Story
) -> bool:
    """Whether this judge, with these settings, has credited all that an episode has at stake."""
    own_record = merge_records(
        [
            record
            for record in load_credit_judgings(store, run, episode.trial.id)
            if (record.judge, record.settings) == (judge.id.label, judge.id.settings)
        ]
    )
    credited = {cell for record in own_record for cell in record.credited}
    return credited.issuperset(cells(story))


def _stored_record(
    store: Store, run: str, judge: CreditJudge, episode: Episode, story: Story
) -> CreditRecord | None:
    """The stored credits of the judge, narrowed to the story's cells; None if there are none."""
    for record in load_credit(store, run, episode.trial.id):
        if record.judge == judge.id.label:
            return restrict_record(record, cells(story))
    return None


def _result(
    store: Store,
    run: str,
    judge: CreditJudge,
    stories: Sequence[tuple[Episode, Story]],
    tally: Tally,
    usd: float | None,
    stopped: str,
    out: Path | None,
    warnings: Iterable[str],
) -> CreditResult:
    row, scores = store.run(run), values_of(store, run)
    records = [
        (episode, story, _stored_record(store, run, judge, episode, story))
        for episode, story in stories
    ]
    credited = [
        (episode, story, record) for episode, story, record in records if record is not None
    ]
    plays = tuple(p for episode, _, record in credited for p in play_credits(episode.trial, record))
    lines = unseen = 0
    if out is not None:
        world = replaying_world(row)
        trial_scores = scores_by_trial(scores)
        lines, unseen = write_lines(
            out,
            (
                line
                for episode, story, record in credited
                for line in training_lines(
                    run, world, episode, story, record, trial_scores.get(episode.trial.id, ())
                )
            ),
        )
    checks = check_findings(plays, scores)
    at_stake = [story for _, story in stories if story.with_stakes]
    return CreditResult(
        run=run,
        world=row.world,
        declared=row.declared,
        judge=judge.id.label,
        plays=plays,
        checks=checks,
        nothing=len(stories) - len(at_stake),
        waiting=len(at_stake) - len(credited),
        calls=tally.calls,
        estimated_calls=tally.estimated,
        usd=usd,
        lines=lines,
        unseen=unseen,
        stopped=stopped,
        exams=exam_notes({run: scores.exams}, {check.about["judge"] for check in checks}).after(
            warnings
        ),
    )
