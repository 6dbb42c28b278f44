"""Export a study to files: participants, assignments, answers, ratings and episodes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from sociolab.app.registry import world_plugin
from sociolab.core.episode import HUMAN, AgentKind, Json, Moved, Unusable, format_value
from sociolab.core.errors import ConfigError
from sociolab.core.score import BY_FORMULA
from sociolab.report.export import csv_text
from sociolab.store.database import replace_surrogates
from sociolab.store.export import export_run
from sociolab.store.overview import EpisodeRow, episode_rows
from sociolab.store.store import Store
from sociolab.store.studies import AssignmentRow, ParticipantRow, StudyRow
from sociolab.store.verdicts import ScoreRow
from sociolab.studies.annotations import Annotation, drawn_annotations
from sociolab.studies.participants import (
    CONDITION,
    OUTCOME,
    SURVEY,
    WHOLE,
    earned_code,
    failed_checks,
    study_answers,
)
from sociolab.studies.rating_study import CHECK, ratings_in
from sociolab.studies.ratings import Rating
from sociolab.studies.recruiting import EarnedBonus, earned_bonuses
from sociolab.studies.settings import StudySettings, SurveyQuestion

EPISODES = "episodes.zip"


def export_study(store: Store, study: str, folder: Path) -> tuple[str, ...]:
    """Write a study to a new or empty folder, and return the names of the files.

    ConfigError where the folder has files, or none can be written.
    """
    row = store.studies.get(study)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigError(f"expected a new or empty folder, found {folder}; name another")
        folder.mkdir(parents=True, exist_ok=True)
        texts = _file_texts(store, row)
        for name, text in texts.items():
            (folder / name).write_text(replace_surrogates(text), "utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written ({error.strerror}); name another") from error
    if row.kind != "play" or row.run is None:
        return tuple(texts)
    export_run(store, row.run, folder / EPISODES)
    return (*texts, EPISODES)


def export_zip(store: Store, study: str, file: Path, scratch: Path) -> None:
    """Write a study to a ZIP archive; `scratch` is an empty folder for temporary files."""
    names = export_study(store, study, scratch)
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(scratch / name, f"{study}/{name}")


def _file_texts(store: Store, row: StudyRow) -> dict[str, str]:
    settings = StudySettings.model_validate(row.settings)
    people = store.studies.participants(row.name)
    names = {who.pk: who.id for who in people}
    given = {who.pk: study_answers(store, who) for who in people}
    conditions = {who.id: _text(given[who.pk].get(CONDITION)) for who in people}
    answers = [
        (names[each.participant], each.item, each.name, each.value, format_time(each.at))
        for each in store.studies.answers(row.name)
        if each.name != CHECK
    ]
    texts = {
        "study.json": _study_json(row, settings),
        "participants.csv": _participants_csv(settings, people, given, earned_bonuses(store, row)),
        "assignments.csv": _assignments_csv(store, row, names, conditions),
        "answers.csv": csv_text(
            ("participant", "item", "name", "value", "at"),
            ((who, item, name, format_value(value), at) for who, item, name, value, at in answers),
        ),
        "answers.jsonl": "".join(
            json.dumps(dict(zip(_ANSWER, answer, strict=True)), ensure_ascii=False) + "\n"
            for answer in answers
        ),
    }
    if settings.survey:
        texts["survey.csv"] = _survey_csv(settings, names.values(), answers)
    if row.kind == "play" and row.run is not None:
        texts["episodes.csv"] = _episodes_csv(store, row, row.run, names, conditions)
        texts["turns.csv"] = _turns_csv(store, row, row.run, names)
        texts["scores.csv"] = _scores_csv(store, row, row.run, names)
        if outcomes := _outcomes_csv(store, row, row.run, names):
            texts["outcomes.csv"] = outcomes
    if row.kind == "rate" and row.run is not None:
        texts["ratings.csv"] = ratings_csv(ratings_in(store, row.run, row.name))
        if drawn := drawn_annotations(store, row.name):
            texts["annotations.csv"] = _annotations_csv(drawn)
            texts["replaced.csv"] = ratings_csv(r for a in drawn for r in a.replaced)
    texts["codebook.csv"] = _codebook_csv(settings, texts)
    bundles = (EPISODES,) if row.kind == "play" and row.run is not None else ()
    return {"README.md": readme(row, settings, (*texts, *bundles)), **texts}


def _text(value: Json) -> str:
    return "" if value is None else format_value(value)


def _annotations_csv(drawn: Iterable[Annotation]) -> str:
    words = {None: "", True: "meets", False: "fails"}
    return csv_text(
        ("episode", "rater", "batch", "distance", "listed", "guidelines", "why", "replaced"),
        (
            (a.episode, a.rater, a.batch, round(a.distance, 4), "yes" if a.listed else "no",
             words[a.meets], a.why, len(a.replaced))
            for a in drawn
        ),
    )  # fmt: skip


_ANSWER = ("participant", "item", "name", "value", "at")


def _study_json(row: StudyRow, settings: StudySettings) -> str:
    document = {
        "name": row.name,
        "kind": row.kind,
        "run": row.run,
        "created": format_time(row.created),
        "settings": settings.model_dump(mode="json", exclude={"code_key"}),
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _participants_csv(
    settings: StudySettings,
    people: Iterable[ParticipantRow],
    given: Mapping[int, Mapping[str, Json]],
    earned: Mapping[int, EarnedBonus],
) -> str:
    checks = sum(bool(question.expected) for question in settings.survey)
    return csv_text(
        (
            "participant", "state", "condition", "outcome", "checks", "checks_failed",
            "invited", "arrived", "consented", "finished", "completion_code", "bonus",
        ),
        (
            (
                who.id,
                who.state,
                _text(given[who.pk].get(CONDITION)),
                _text(given[who.pk].get(OUTCOME)),
                checks,
                failed_checks(settings, given[who.pk]) if SURVEY in given[who.pk] else None,
                format_time(who.created),
                format_time(who.arrived),
                format_time(who.consented),
                format_time(who.finished),
                earned_code(settings, who, given[who.pk]) or None,
                f"{earned[who.pk].amount:.2f}" if who.pk in earned else None,
            )
            for who in people
        ),
    )  # fmt: skip


def _assignments_csv(
    store: Store, row: StudyRow, names: Mapping[int, str], conditions: Mapping[str, str]
) -> str:
    played: dict[str, EpisodeRow] = {}
    kinds: Mapping[str, AgentKind] = {}
    if row.kind == "play" and row.run is not None:
        played = {episode.trial: episode for episode in episode_rows(store, row.run)}
        kinds = store.run(row.run).declared.agents
    return csv_text(
        (
            "participant", "item", "seat", "state", "began", "ended", "seconds",
            "task", "partner", "partner_kind", "condition", "turns",
        ),
        (
            (names[each.participant], each.item, each.seat, each.state, format_time(each.began),
             format_time(each.ended),
             None if each.ended is None else round(each.ended - each.began),
             *_episode_columns(played.get(each.item), each.seat, kinds),
             conditions[names[each.participant]],
             played[each.item].turns if each.item in played else None)
            for each in store.studies.assignments(row.name)
        ),
    )  # fmt: skip


def _episode_columns(
    play: EpisodeRow | None, seat: str, kinds: Mapping[str, AgentKind]
) -> tuple[str | None, ...]:
    """Task, partners, and the kinds of these; all None where nothing was played."""
    if play is None:
        return None, None, None
    return play.task, *_partners((agent for at, agent in play.cast if at != seat), kinds)


def _partners(agents: Iterable[str], kinds: Mapping[str, AgentKind]) -> tuple[str, str]:
    labels = list(dict.fromkeys(agents))
    return " ".join(labels), " ".join(filter(None, dict.fromkeys(map(kinds.get, labels))))


def _episodes_csv(
    store: Store, row: StudyRow, run: str, names: Mapping[int, str], conditions: Mapping[str, str]
) -> str:
    """A row for each episode that was begun."""
    assigned: dict[str, list[AssignmentRow]] = {}
    for each in store.studies.assignments(row.name):
        assigned.setdefault(each.item, []).append(each)
    kinds = store.run(run).declared.agents
    rows: list[tuple[str | int | None, ...]] = []
    for play in episode_rows(store, run):
        if play.status == "planned":
            continue
        own = assigned.get(play.trial, [])
        people = [names[each.participant] for each in own]
        ended = [each.ended for each in own if each.ended is not None]
        over = bool(own) and len(ended) == len(own)
        rows.append((
            play.trial, play.task, play.status, play.ended or play.cause,
            " ".join(dict.fromkeys(filter(None, (conditions[who] for who in people)))),
            " ".join(people),
            *_partners((agent for _, agent in play.cast if agent != HUMAN), kinds),
            play.turns,
            round(max(ended) - min(each.began for each in own)) if over else None,
        ))  # fmt: skip
    return csv_text(
        (
            "item", "task", "status", "outcome", "condition", "participants", "partner",
            "partner_kind", "turns", "seconds",
        ),
        rows,
    )  # fmt: skip


def _scores_csv(store: Store, row: StudyRow, run: str, names: Mapping[int, str]) -> str:
    """A row for each score of an episode, and for each that a judge could not give."""
    people = {(a.item, a.seat): names[a.participant] for a in store.studies.assignments(row.name)}
    agents = {
        (trial_row.trial.id, member.seat): member.agent
        for trial_row in store.trials(run)
        for member in trial_row.trial.cast
    }
    return csv_text(
        (
            "item", "seat", "participant", "agent", "judge", "judging", "metric", "low", "high",
            "score", "problem",
        ),
        (
            (each.trial, each.seat, people.get((each.trial, each.seat or "")),
             agents.get((each.trial, each.seat or "")), each.judge.label, each.judging,
             each.measure.name, *map(_number, (each.measure.low, each.measure.high, each.value)),
             each.cause or each.unscored)
            for each in store.verdicts.scores(run)
            if each.trial is not None
        ),
    )  # fmt: skip


def _outcomes_csv(store: Store, row: StudyRow, run: str, names: Mapping[int, str]) -> str:
    """A row for each seat and each judge of what was agreed; "" where nothing was to be."""
    reports_of = world_plugin(store.run(run).world).closing_reports
    if reports_of is None:
        return ""
    people = {(a.item, a.seat): names[a.participant] for a in store.studies.assignments(row.name)}
    judged: dict[tuple[str | None, str | None], list[ScoreRow]] = {}
    for each in store.verdicts.scores(run):
        of_outcome = each.judge.method in BY_FORMULA or each.judge.role == "reader"
        if of_outcome and each.kind != "failure":
            judged.setdefault((each.trial, each.seat), []).append(each)
    rows: list[tuple[str | float | None, ...]] = []
    for trial in store.trial_ids(run, "played"):
        episode = store.episode(run, trial)
        for seat, said in reports_of(episode).items():
            head = (trial, seat, people.get((trial, seat)), episode.trial.agent(seat))
            report = (said.outcome, _terms(said.terms), said.offer, said.acceptance)
            found: list[ScoreRow | None] = [*judged.get((trial, seat), ())] or [None]
            rows += ((*head, *report, *_establish(each, seat)) for each in found)
    return csv_text(
        ("item", "seat", "participant", "agent", "reported", "reported_terms", "offer",
         "acceptance", "judge", "established", "terms", "why"),
        rows,
    )  # fmt: skip


def _establish(each: ScoreRow | None, seat: str) -> tuple[str, ...]:
    """Who judged what was agreed, whether it is established, the terms, and why."""
    if each is None:
        return "", "", "", ""
    if each.value is None or each.outcome is None:
        return each.judge.label, "no", "", each.text
    terms = each.outcome.get("terms", "nothing")
    terms = terms.get(seat, terms) if isinstance(terms, Mapping) else terms
    return each.judge.label, "yes", _terms(terms), each.text


def _terms(value: Json) -> str:
    return format_value(_number(value) if isinstance(value, float) else value)


def _number(value: float | None) -> float | None:
    return int(value) if value is not None and float(value).is_integer() else value


def _turns_csv(store: Store, row: StudyRow, run: str, names: Mapping[int, str]) -> str:
    """A row for each action of a turn, and for each turn that failed for good."""
    people = {(a.item, a.seat): names[a.participant] for a in store.studies.assignments(row.name)}
    rows: list[tuple[str | int | None, ...]] = []
    for trial_row in store.trials(run):
        key, episode = trial_row.trial.id, store.episode(run, trial_row.trial.id)
        for event in episode.events:
            if isinstance(event, Unusable) and event in episode.failed_turns:
                took: list[tuple[str | None, ...]] = [(None, None, None, event.cause)]
            elif isinstance(event, Moved):
                took = [(act.kind, act.text, " ".join(act.to), None) for act in event.actions]
            else:
                continue
            at, who = event.seat, trial_row.trial.agent(event.seat)
            head = (key, trial_row.status, trial_row.trial.task.id, event.turn + 1, at, who)
            rows += ((*head, people.get((key, at)), *each) for each in took)
    return csv_text(
        ("item", "status", "task", "turn", "seat", "agent", "participant",
         "action", "text", "to", "failed"),
        rows,
    )  # fmt: skip


def _survey_csv(
    settings: StudySettings,
    people: Iterable[str],
    answers: Iterable[tuple[str, str, str, Json, str | None]],
) -> str:
    """A row for each participant who answered anything, a column for each question."""
    columns = [question.name for question in settings.survey]
    rows: dict[str, dict[str, str]] = {}
    for who, item, name, value, _ in answers:
        if item == WHOLE and name in columns:
            rows.setdefault(who, {})[name] = format_value(value)
    return csv_text(
        ("participant", *columns),
        ((who, *(rows[who].get(name) for name in columns)) for who in people if who in rows),
    )


COLUMNS = ("episode", "seat", "rater", "dimension", "score", "reason", "seconds", "when")


def ratings_csv(ratings: Iterable[Rating]) -> str:
    """A row for each rating; a reason that a spreadsheet would take for a formula is preceded by an
    apostrophe."""
    return csv_text(
        COLUMNS,
        (
            (
                r.episode,
                r.seat,
                r.rater,
                r.dimension,
                r.score if isinstance(r.score, str) else int(r.score),
                r.reason,
                r.seconds,
                r.when or None,
            )
            for r in ratings
        ),
    )


def format_time(seconds: float | None) -> str | None:
    """Seconds since 1970 as "2026-11-22T14:05:03Z", in UTC; None stays None."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def readme(row: StudyRow, settings: StudySettings, names: Collection[str]) -> str:
    """A description of the files with these names, and of all columns."""
    listed = "".join(f"| `{name}` | {_about(name)} |\n" for name in names)
    retention = f'Participants were told: "{settings.retention}"' if settings.retention else ""
    parts = [_ALL.format(name=row.name, title=settings.title, retention=retention, rows=listed)]
    book = codebook(settings)
    for name in names:
        columns = "".join(f"- `{each}`: {text}\n" for each, text in book.get(name, {}).items())
        parts += [f"\n## {name}\n\n{columns}"] if columns else []
    if EPISODES in names:
        parts.append(_EPISODES.format(run=row.run))
    return "".join(parts)


def codebook(settings: StudySettings) -> Mapping[str, Mapping[str, str]]:
    """What each column of each CSV file of an export means: by file, then by column, in order."""
    book = {
        f"{file}.csv": {name: text for name, text in columns.items() if name != "about"}
        for file, columns in _codebook_file().items()
    }
    book["survey.csv"] |= {each.name: _describe_question(each) for each in settings.survey}
    return {**book, "replaced.csv": book["ratings.csv"]}


@cache
def _codebook_file() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("sociolab.studies").joinpath("codebook.toml").read_text("utf-8"))


def _codebook_csv(settings: StudySettings, names: Iterable[str]) -> str:
    book = codebook(settings)
    return csv_text(
        ("file", "column", "meaning"),
        ((file, column, text) for file in names for column, text in book.get(file, {}).items()),
    )


def _describe_question(question: SurveyQuestion) -> str:
    answers = {
        "text": "free text",
        "choice": "; ".join(question.choices),
        "scale": f"1 ({question.low}) to {question.points} ({question.high})",
    }
    check = f" Attention check; right is {question.expected}." if question.expected else ""
    return f"{question.text} Answers: {answers[question.kind]}.{check}"


def _about(file: str) -> str:
    return _OTHERS.get(file) or _codebook_file()[file.removesuffix(".csv")]["about"]


_OTHERS = {
    "answers.jsonl": "an answer, as in `answers.csv`",
    "codebook.csv": "a column of the other files, and what it means",
    "replaced.csv": "a rating that failed the review and does not count, as in `ratings.csv`",
    "study.json": "the study itself: its texts and its plan",
    EPISODES: "a bundle: a record of the complete episodes",
}

_ALL = """\
# {name}

The data of the study "{title}". Texts are in UTF-8, times in UTC, columns separated by commas. A
text that a spreadsheet would take for a formula is preceded by an apostrophe.

No file holds a name, an address, a link, or an id of a recruiting platform: `participant` is a code
drawn at random. What people wrote is unchanged and may reveal more than they meant to: read it
before you share it.

{retention}

| file | each row is |
|---|---|
{rows}"""
_EPISODES = """
## episodes.zip

Everything that was played, as `sociolab export` writes it: JSON lines for each kind of record, and
a manifest with their hashes. `sociolab import run episodes.zip --name NAME` puts it into a store.
`sociolab report {run}` shows its scores.
"""
