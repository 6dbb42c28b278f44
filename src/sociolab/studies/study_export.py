"""Export a study to files: participants, assignments, answers, ratings and episodes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from sociolab.core.episode import AgentKind, Json, Moved, Unusable, format_value
from sociolab.core.errors import ConfigError
from sociolab.report.export import csv_text
from sociolab.store.database import replace_surrogates
from sociolab.store.export import export_run
from sociolab.store.overview import EpisodeRow, episode_rows
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.annotations import Annotation, drawn_annotations
from sociolab.studies.participants import WHOLE, completion_code
from sociolab.studies.rating_study import CHECK, ratings_in
from sociolab.studies.ratings import Rating
from sociolab.studies.settings import StudySettings

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
    answers = [
        (names[each.participant], each.item, each.name, each.value, format_time(each.at))
        for each in store.studies.answers(row.name)
        if each.name != CHECK
    ]
    texts = {
        "README.md": readme(row, settings),
        "study.json": _study_json(row, settings),
        "participants.csv": _participants_csv(settings, people),
        "assignments.csv": _assignments_csv(store, row, names),
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
        texts["turns.csv"] = _turns_csv(store, row, row.run, names)
    if row.kind == "rate" and row.run is not None:
        texts["ratings.csv"] = ratings_csv(ratings_in(store, row.run, row.name))
        if drawn := drawn_annotations(store, row.name):
            texts["annotations.csv"] = _annotations_csv(drawn)
            texts["replaced.csv"] = ratings_csv(r for a in drawn for r in a.replaced)
    return texts


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


def _participants_csv(settings: StudySettings, people: Iterable[ParticipantRow]) -> str:
    return csv_text(
        ("participant", "state", "invited", "arrived", "consented", "finished", "completion_code"),
        (
            (
                who.id,
                who.state,
                format_time(who.created),
                format_time(who.arrived),
                format_time(who.consented),
                format_time(who.finished),
                completion_code(settings, who.id) if who.state == "finished" else None,
            )
            for who in people
        ),
    )


def _assignments_csv(store: Store, row: StudyRow, names: Mapping[int, str]) -> str:
    played: dict[str, EpisodeRow] = {}
    kinds: Mapping[str, AgentKind] = {}
    if row.kind == "play" and row.run is not None:
        played = {episode.trial: episode for episode in episode_rows(store, row.run)}
        kinds = store.run(row.run).declared.agents
    return csv_text(
        (
            "participant", "item", "seat", "state", "began", "ended", "seconds",
            "task", "partner", "condition", "turns",
        ),
        (
            (names[each.participant], each.item, each.seat, each.state, format_time(each.began),
             format_time(each.ended),
             None if each.ended is None else round(each.ended - each.began),
             *_episode_columns(played.get(each.item), each.seat, kinds))
            for each in store.studies.assignments(row.name)
        ),
    )  # fmt: skip


def _episode_columns(
    play: EpisodeRow | None, seat: str, kinds: Mapping[str, AgentKind]
) -> tuple[str | int | None, ...]:
    """Task, partners, the kinds of these, and turns; all None where nothing was played."""
    if play is None:
        return None, None, None, None
    partners = list(dict.fromkeys(agent for at, agent in play.cast if at != seat))
    conditions = dict.fromkeys(kinds.get(agent, "") for agent in partners)
    return play.task, " ".join(partners), " ".join(filter(None, conditions)), play.turns


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


def readme(row: StudyRow, settings: StudySettings) -> str:
    rows, parts = "", []
    if settings.survey:
        rows += "| `survey.csv` | the exit survey of a participant |\n"
        questions = "\n".join(f"- `{q.name}`: {q.text}" for q in settings.survey)
        parts.append(_SURVEY.format(questions=questions))
    if row.kind == "rate":
        rows += "| `ratings.csv` | a rating that counts |\n"
        rows += "| `annotations.csv` | an annotation that was drawn for review, if any was |\n"
        rows += (
            "| `replaced.csv` | a rating that failed the review and does not count, if any did |\n"
        )
        parts.append(_RATINGS)
    if row.kind == "play":
        rows += "| `turns.csv` | an utterance or act in an episode |\n"
        rows += "| `episodes.zip` | a bundle: a record of the complete episodes |\n"
        parts.append(_EPISODES.format(run=row.run))
    head = _ALL.format(name=row.name, title=settings.title, rows=rows, item=_ITEMS[row.kind])
    return head + "".join(parts)


_ALL = """\
# {name}

The data of the study "{title}". Texts are in UTF-8, times in UTC, columns separated by commas. A
text that a spreadsheet would take for a formula is preceded by an apostrophe.

No file holds a name, an address or a link: `participant` is a code drawn at random. What people
wrote is unchanged and may reveal more than they meant to: read it before you share it.

| file | each row is |
|---|---|
| `participants.csv` | a participant |
| `assignments.csv` | an assignment of a participant |
| `answers.csv`, `answers.jsonl` | an answer of a participant, in any part of the study |
{rows}| `study.json` | the study itself: its texts and its plan |

## participants.csv

- `participant`: the code.
- `state`: `invited` (link not used), `arrived` (no consent yet), `consented` (at it), `finished`,
  `refused` (gave no consent, then `consented` is empty, or did not qualify) or `left`.
- `invited`, `arrived`, `consented`, `finished`: when; empty if that has not happened.
- `completion_code`: what the participant was shown at the end; only for those who finished.

## assignments.csv

- `participant`, `item` ({item}), `seat` (in it; empty if none in particular).
- `state`: `waiting` (for others), `open`, `done` or `given up`.
- `began`, `ended`: when; `seconds`: between them.
- Of what was played: `task`; `partner`, who took the other seats ("human": another participant);
  `condition`, what kind of partner that is (`person`, `model`, `rules`, `own code`); `turns`.
- An empty `item` with `given up`: no partner was available, and the participant was dismissed.

## answers.csv and answers.jsonl

- `participant`, `item` (what was asked about; empty: the whole study), `name` (of what was asked),
  `at` (when).
- `value`: in the CSV, text as it is and anything else as JSON; in the JSON lines, always JSON.
- Names that begin with `frame.` are recorded by the app: `frame.instructions` (were read),
  `frame.survey` (was sent), `frame.reason` (why somebody left), `frame.partner-withdrew` (of an
  item: the partner had everything deleted, and so this episode is gone).
- `closing` or `learned`, with an episode as the item, is an answer to a question in that episode,
  here only if it had to wait for the others' answers. All of them are in episodes.zip.
- `review.draft`, and a seat and a dimension with a slash between, are drafts from before a form
  was handed in; `review.decision` and ratings.csv hold the final version.
"""

_SURVEY = """
## survey.csv

One row per participant who answered, one column per question:

{questions}
"""
_RATINGS = """
## ratings.csv

One row per rating, as `sociolab import ratings` reads it: `episode`, `seat`, `rater` (the
participant), `dimension`, `score` (of a yes/no question 1, 0, "cannot tell" or "not applicable"),
`reason`, `seconds` (that it took), `when`.

## annotations.csv and replaced.csv

Only where a batch was drawn for review. An annotation is all that one rater gave one episode:
`episode`, `rater`, `batch`, `distance` (mean difference from the other raters when the batch was
drawn, as a share of the scale), `listed` (`yes`: in the quarter that agrees least), `guidelines`
(`meets`, `fails` or not reviewed), `why`, `replaced` (how many of its ratings no longer count).
replaced.csv holds those ratings, with the columns of ratings.csv.
"""
_EPISODES = """
## turns.csv

What was said and done, in order. `item` is as in assignments.csv, and `status` that of the episode
(`played`, `failed`, `playing`).

- `task`, `turn` (from 1; a turn of several actions has several rows), `seat`.
- `agent` ("human", or the partner) and `participant` (empty: no person).
- `action` (such as `speak` or `leave`), `text`, `to` (the seats it was for; empty: all).
- `failed`: why a turn was skipped, such as `timeout`; then there is no action.

Scores: `sociolab report {run} --csv FOLDER` writes `plays.csv`, whose `trial` is the `item` here.

## episodes.zip

Everything that was played, as `sociolab export` writes it: JSON lines for each kind of record, and
a manifest with their hashes. `sociolab import run episodes.zip --name NAME` puts it into a store.
"""
_ITEMS = {
    "play": "the trial, as in episodes.zip",
    "rate": "the episode",
    "impressions": "the session",
    "review": "the scenario's task",
}
