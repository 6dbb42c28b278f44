"""A study as files: who took part, what they were given, what they said, rated and played."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from sociolab.app.rating.exporting import ratings_csv
from sociolab.app.rating.keeping import ratings_in
from sociolab.app.study.codes import completion_code
from sociolab.app.study.export_readme import readme
from sociolab.app.study.frame import WHOLE
from sociolab.app.study.moments import moment
from sociolab.app.study.settings import StudySettings
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError
from sociolab.report.export import csv_text
from sociolab.store.database import replaced
from sociolab.store.export import export_run
from sociolab.store.sqlite import Store
from sociolab.store.studies import ParticipantRow, StudyRow

EPISODES = "episodes.jsonl"


def export(store: Store, study: str, folder: Path) -> tuple[str, ...]:
    """Write a study into a new or empty folder; the names of the files.

    ConfigError where there are files already, or none can be written.
    """
    row = store.study(study)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigError(f"expected a new or empty folder, found {folder}; name another")
        folder.mkdir(parents=True, exist_ok=True)
        texts = _texts(store, row)
        for name, text in texts.items():
            (folder / name).write_text(replaced(text), "utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written ({error.strerror}); name another") from error
    if row.kind != "play" or row.run is None:
        return tuple(texts)
    export_run(store, row.run, folder / EPISODES)
    return (*texts, EPISODES)


def export_zip(store: Store, study: str, file: Path, scratch: Path) -> None:
    """Write a study as a ZIP archive; `scratch` is an empty folder to work in."""
    names = export(store, study, scratch)
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(scratch / name, f"{study}/{name}")


def _texts(store: Store, row: StudyRow) -> dict[str, str]:
    settings = StudySettings.model_validate(row.settings)
    people = store.participants(row.name)
    names = {who.pk: who.id for who in people}
    answers = [
        (names[each.participant], each.item, each.name, each.value, moment(each.at))
        for each in store.answers(row.name)
    ]
    texts = {
        "README.md": readme(row, settings),
        "study.json": _study_json(row, settings),
        "participants.csv": _participants(settings, people),
        "assignments.csv": _assignments(store, row, names),
        "answers.csv": csv_text(
            ("participant", "item", "name", "value", "at"),
            ((who, item, name, _cell(value), at) for who, item, name, value, at in answers),
        ),
        "answers.jsonl": "".join(
            json.dumps(dict(zip(_ANSWER, answer, strict=True)), ensure_ascii=False) + "\n"
            for answer in answers
        ),
    }
    if settings.survey:
        texts["survey.csv"] = _survey(settings, names.values(), answers)
    if row.kind == "rate" and row.run is not None:
        texts["ratings.csv"] = ratings_csv(ratings_in(store, row.run, row.name))
    return texts


_ANSWER = ("participant", "item", "name", "value", "at")


def _study_json(row: StudyRow, settings: StudySettings) -> str:
    document = {
        "name": row.name,
        "kind": row.kind,
        "run": row.run,
        "created": moment(row.created),
        "settings": settings.model_dump(mode="json", exclude={"code_key"}),
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _participants(settings: StudySettings, people: Iterable[ParticipantRow]) -> str:
    return csv_text(
        ("participant", "state", "invited", "arrived", "consented", "finished", "completion_code"),
        (
            (
                who.id,
                who.state,
                moment(who.created),
                moment(who.arrived),
                moment(who.consented),
                moment(who.finished),
                completion_code(settings, who.id) if who.state == "finished" else None,
            )
            for who in people
        ),
    )


def _assignments(store: Store, row: StudyRow, names: Mapping[int, str]) -> str:
    return csv_text(
        ("participant", "item", "seat", "state", "began", "ended"),
        (
            (names[each.participant], each.item, each.seat, each.state, moment(each.began),
             moment(each.ended))
            for each in store.assignments(row.name)
        ),
    )  # fmt: skip


def _survey(
    settings: StudySettings,
    people: Iterable[str],
    answers: Iterable[tuple[str, str, str, Json, str | None]],
) -> str:
    """A row for each participant who answered anything, a column for each question."""
    columns = [question.name for question in settings.survey]
    said: dict[str, dict[str, str]] = {}
    for who, item, name, value, _ in answers:
        if item == WHOLE and name in columns:
            said.setdefault(who, {})[name] = _cell(value)
    return csv_text(
        ("participant", *columns),
        ((who, *(said[who].get(name) for name in columns)) for who in people if who in said),
    )


def _cell(value: Json) -> str:
    """A value as a cell: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
