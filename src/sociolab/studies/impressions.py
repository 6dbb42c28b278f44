"""Impressions in one word (AntEval, section 5.4): the sessions that are shown, and the words
given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sociolab.app.run_cache import RUN_CACHE
from sociolab.app.transcripts import world_of
from sociolab.core.errors import ConfigError
from sociolab.core.seeding import digest
from sociolab.report.result import run_of_episodes
from sociolab.report.transcript_views import private_part
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.assignment import ItemPool, assignment_of
from sociolab.studies.rating_rules import impression_word
from sociolab.studies.settings import ImpressionsPlan, StudySettings

WORD = "impression.word"
"""The name of the answer."""


@dataclass(frozen=True, slots=True)
class ImpressionStudy:
    """A study of impressions; `sessions` are the episodes drawn, out of `low` eligible ones."""

    name: str
    run: str
    plan: ImpressionsPlan
    sessions: tuple[str, ...]
    low: int


@dataclass(frozen=True, slots=True)
class SessionShown:
    """A session as participants see it: nothing private, and not who played it."""

    scene: tuple[tuple[str, str], ...]
    lines: tuple[tuple[str, str], ...]


def impression_study(store: Store, row: StudyRow) -> ImpressionStudy:
    """ConfigError where the study is of another kind, or no session is eligible."""
    plan = StudySettings.model_validate(row.settings).impressions
    if plan is None:
        raise ConfigError(
            f'expected a study of impressions, found "{row.name}", which is of another'
        )
    run = run_of_episodes(store, row.run or plan.run).name

    def draw() -> tuple[tuple[str, ...], int]:
        low = tuple(low_sessions(store, run, plan))
        return draw_sessions(low, plan, run), len(low)

    sessions, low = RUN_CACHE.get_or_make(store, run, ("drawn", plan), draw)
    if not sessions:
        raise ConfigError(
            f"expected episodes of {run} with {plan.measure} below {plan.below:g}, found none; "
            "judge the run first, or set `below` higher"
        )
    return ImpressionStudy(row.name, run, plan, sessions, low)


def low_sessions(store: Store, run: str, plan: ImpressionsPlan) -> dict[str, float]:
    """Played episodes whose mean score over judges and seats lies below the plan's limit.

    People's ratings are left out, and an episode that no judge could score is not low.
    """
    played = set(store.trial_ids(run, "played"))
    scores: dict[str, list[float]] = {}
    for row in store.verdicts.scores(run, measure=plan.measure, texts=False):
        if row.trial in played and row.judge.method != "people" and row.value is not None:
            scores.setdefault(row.trial, []).append(row.value)
    means = {trial: fmean(values) for trial, values in scores.items()}
    return {trial: value for trial, value in means.items() if value < plan.below}


def draw_sessions(trials: Sequence[str], plan: ImpressionsPlan, run: str) -> tuple[str, ...]:
    """Draw sessions at random: the same for the same seed, whatever their order."""
    shuffled = sorted(trials, key=lambda trial: digest(plan.seed, "impressions", run, trial))
    return tuple(shuffled[: plan.sessions])


def session_pool(study: ImpressionStudy) -> ItemPool:
    return ItemPool(study.sessions, study.plan.raters, study.plan.each)


def view_session(store: Store, run: str, trial: str) -> SessionShown:
    episode = store.episode(run, trial)
    transcript = world_of(episode.trial.world).transcript(episode)
    scene = ((title, private_part(text)[0]) for title, text in transcript.scene)
    lines = tuple((line.who, line.text.removeprefix(line.who)) for line in transcript.lines)
    return SessionShown(tuple((title, text) for title, text in scene if text), lines)


def submit_word(store: Store, study: str, who: ParticipantRow, trial: str, word: str) -> str:
    """Store a participant's word for an assigned session; returns what is wrong with it, or ""."""
    normalized, problem = impression_word(word)
    if problem:
        return problem
    with store.transaction():
        row = assignment_of(store, study, who.pk, trial)
        if row is not None and row.state != "done":
            store.studies.answer(who.pk, trial, WORD, normalized)
            store.studies.set_progress(row.pk, "done")
    return ""


def impression_words(store: Store, study: str) -> tuple[tuple[str, str, str], ...]:
    """Every word given, as (session, participant, word)."""
    names = {row.pk: row.id for row in store.studies.participants(study)}
    return tuple(
        (answer.item, names[answer.participant], str(answer.value))
        for answer in store.studies.answers(study)
        if answer.name == WORD
    )


def count_words(words: Sequence[tuple[str, str, str]]) -> tuple[tuple[str, int], ...]:
    """The words by frequency, the most frequent first, ties in alphabetical order."""
    counts = Counter(word for _, _, word in words)
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
