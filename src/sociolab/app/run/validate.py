"""How well a reader or judge agrees with labelled conversations or statements, by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.app.data.sets import load_world
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.run.config import ValidationConfig
from sociolab.app.run.session import kept_in_a_run, patience_of
from sociolab.app.run_sync import synchronous
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError, ModelError, SociolabError, StorageError, stops_all
from sociolab.core.ports import (
    CANNOT_TELL,
    ChatModel,
    Judge,
    Labelled,
    LabelledPoint,
    PointAnswer,
    WorldKit,
)
from sociolab.core.reading import first_problem, json_lines, toml_record
from sociolab.core.score import JudgeId, Score, ScoreFailure, Verdict
from sociolab.core.seeding import digest
from sociolab.models.budget import Budget
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, Sentence
from sociolab.report.formatting import title_of
from sociolab.report.section import Section
from sociolab.runner.judging import verdicts_of
from sociolab.runner.local import work_all
from sociolab.runner.progress import TalliedReplies, Tally, Watch
from sociolab.stats.intervals import Estimate, mean, on_scale
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAY = Catalogue("validation")
MANIFEST = "set.toml"
_AT_ONCE = 128
"""Items under way."""
_MOST_SHOWN, _LONGEST_SHOWN = 20, 200


class ValidationSet(BaseModel):
    """`set.toml`: the world whose judges read the rows, their kind, and where they come from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    world: str
    kind: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer to a point of an item, beside its labels."""

    item: Labelled
    point: LabelledPoint
    answer: PointAnswer

    @property
    def outcome(self) -> str:
        """What became of the point, as one of `OUTCOMES`."""
        text, right = self.answer.text, self.point.right
        if text is None:
            return "failed"
        if text in right:
            return "right"
        if text == CANNOT_TELL:
            return "cannot tell"
        nothing = {*self.point.none, CANNOT_TELL}
        if text in self.point.none and not nothing.issuperset(right):
            return "missed"
        return "invented" if nothing & {*right} else "mistaken"


_WRONG = ("missed", "invented", "mistaken")
OUTCOMES = ("right", *_WRONG, "cannot tell", "failed")


@dataclass(frozen=True, slots=True)
class Validation:
    """All answers in the order of the set; `stopped` says why the work ended early, or is ""."""

    judge: JudgeId
    data: Path
    manifest: ValidationSet
    compared: tuple[Compared, ...]
    waiting: int
    stopped: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The agreement of each kind, then of all points where there are several kinds.

        It is right / (right + wrong), with an interval clustered by item; what failed, or could not
        be told, is counted beside it, as each of `OUTCOMES` is.
        """
        kinds = dict.fromkeys(one.point.kind for one in self.compared)
        by_kind = tuple(
            _agreement(kind, [c for c in self.compared if c.point.kind == kind]) for kind in kinds
        )
        return (*by_kind, _agreement("all", self.compared)) if len(by_kind) > 1 else by_kind

    @property
    def in_vain(self) -> bool:
        """Whether there are answers, and every one failed."""
        return _all_failed(self.compared)


@synchronous
async def validate(config: ValidationConfig, watch: Watch | None = None) -> Validation:
    """Ask about each item and compare the answers with the labels.

    A model's replies are kept in a run of their own: the same command resumes where it stopped.
    ConfigError where the set or the judge is not there, or is not as expected. Works inside a
    running event loop too.
    """
    manifest = _manifest(config.data)
    kit = load_world(manifest.world)
    labelled = _items(config.data, manifest, kit)
    items = _drawn(labelled, config.limit)
    spec, path, tally = parse(config.judge, "validate"), store_path(config.store), Tally()
    models, budget, replies = Models(config), Budget(config.budget), TalliedReplies(tally)
    ask: Callable[[Labelled], Coroutine[Any, Any, tuple[Compared, ...]]]
    if isinstance(spec, ModelSpec):
        model = models.kept(spec, replies, budget)
        known_as, ask = (kit.reader or kit.model_judge)(model).id, partial(_asked, model)
    else:
        patience = patience_of(config.agent_timeout)
        judge = Casting(kit, models, replies, budget, patience, tally.waits).judge(config.judge)
        known_as, ask = judge.id, partial(_judged, judge)
        items = [item for item in items if item.expected]
        if not items:
            raise ConfigError(
                f"--judge {config.judge}: expected items whose labels make scores, found none in "
                f"{config.data}; a judge of one's own gives scores, so give a model, which reads"
            )
    tally.total = len(items)
    about = {"judge": config.judge, "set": digest(*(item.id for item in labelled))}
    with (
        Store.open(path) as store,
        kept_in_a_run(store, path, manifest.world, ("validation", about), replies) as name,
    ):
        budget.carry_over(store.calls.totals(name))
        try:
            with watch(name, tally) if watch else nullcontext():
                found, error = await _each(items, ask, tally)
        finally:
            await models.close()
    compared = tuple(one for item in items for one in found.get(item.id, ()))
    waiting, stopped = len(items) - len(found), str(error) if error else ""
    return Validation(known_as, config.data, manifest, compared, waiting, stopped)


# ------------------------------------------------------------------ the set


def _manifest(folder: Path) -> ValidationSet:
    if not (folder / MANIFEST).is_file():
        raise ConfigError(
            f"--data: expected a folder with {MANIFEST} and *.jsonl, found {folder}; see "
            "docs/validation.md"
        )
    return toml_record(folder / MANIFEST, ValidationSet)


def _items(folder: Path, manifest: ValidationSet, kit: WorldKit) -> list[Labelled]:
    """The rows of all files, in the order of names and lines."""
    read = kit.validation.get(manifest.kind)
    if read is None:
        known = ", ".join(kit.validation) or "none"
        raise ConfigError(
            f"{folder / MANIFEST}: kind: expected one that {manifest.world} has ({known}), found "
            f'"{manifest.kind}"'
        )
    found: dict[str, Labelled] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for place, row in json_lines(path):
            item = _item(read, row, place, f"{path.stem}-{place.rpartition(' ')[2]}")
            if found.setdefault(item.id, item) is not item:
                raise ConfigError(f'{place}: the id "{item.id}" is given twice')
    if not found:
        raise ConfigError(f"{folder}: expected *.jsonl with labelled items, found none")
    return list(found.values())


def _item(read: Callable[[Json, str], Labelled], row: Any, place: str, id: str) -> Labelled:
    try:
        return read(row, id)
    except ValidationError as error:
        raise ConfigError(f"{place}: {first_problem(error)}") from error
    except ValueError as error:
        raise ConfigError(f"{place}: {error}") from error


def _drawn(items: Sequence[Labelled], limit: int | None) -> list[Labelled]:
    """So many items by lot, in their order: the first of a file would all be of one kind."""
    lots = sorted(items, key=lambda item: digest("validation", item.id))[:limit]
    drawn = {item.id for item in lots}
    return [item for item in items if item.id in drawn]


# ------------------------------------------------------------------ asking


async def _each(
    items: Sequence[Labelled],
    ask: Callable[[Labelled], Coroutine[Any, Any, tuple[Compared, ...]]],
    tally: Tally,
) -> tuple[dict[str, tuple[Compared, ...]], ModelError | StorageError | None]:
    """What is said of each item, by id, and the error that ended the work early, if one did."""
    found: dict[str, tuple[Compared, ...]] = {}

    async def work(item: Labelled) -> None:
        found[item.id] = await ask(item)
        tally.done += 1
        tally.failed += _all_failed(found[item.id])

    error = await work_all(items, work, _AT_ONCE, tally.waits)
    return found, error


def _all_failed(compared: Sequence[Compared]) -> bool:
    return bool(compared) and all(one.answer.text is None for one in compared)


async def _asked(model: ChatModel, item: Labelled) -> tuple[Compared, ...]:
    """A model's answers; a call that failed for good is no answer to any point."""
    try:
        answers = await item.ask(model)
    except ModelError as error:
        if error.fatal:
            raise
        answers = (PointAnswer(None, str(error)),) * len(item.points)
    return tuple(Compared(item, *both) for both in zip(item.points, answers, strict=True))


async def _judged(judge: Judge, item: Labelled) -> tuple[Compared, ...]:
    """The scores of a judge of one's own beside those that the labels make."""
    problem, given = "", dict[tuple[str, str | None], Verdict]()
    try:
        said = await verdicts_of(judge, item.episode)
        given = {(verdict.measure.name, verdict.seat): verdict for verdict in said}
    except SociolabError as error:
        if stops_all(error):
            raise
        problem = str(error)
    compared = []
    for number, first in enumerate(item.expected[0]):
        measure, seat = first.measure, first.seat
        right = tuple(dict.fromkeys(_scored(labels[number])[0] or "" for labels in item.expected))
        found = given.get((measure.name, seat))
        missing = problem or SAY("no_score", metric=measure)
        text, shown = (None, missing) if found is None else _scored(found)
        point = LabelledPoint(f"{title_of(measure)}, {item.kind}", seat or "", right, ())
        compared.append(Compared(item, point, PointAnswer(text, shown)))
    return tuple(compared)


def _scored(verdict: Verdict) -> tuple[str | None, str]:
    """A score as an answer, and what it rests on."""
    if isinstance(verdict, Score):
        return f"{verdict.value:.4g}", verdict.reason
    if isinstance(verdict, ScoreFailure):
        return None, verdict.problem
    return CANNOT_TELL, verdict.why


# ------------------------------------------------------------------ what was found


def _agreement(kind: str, compared: Sequence[Compared]) -> Finding:
    outcomes = Counter(one.outcome for one in compared)
    values = [{"right": 1.0, **dict.fromkeys(_WRONG, 0.0)}.get(one.outcome) for one in compared]
    items = [one.item.id for one in compared]
    return Finding(
        about={"kind": kind},
        estimate=on_scale(mean(values, items), 0, 1),
        counts=(Count("item", len({*items})), Count("point", len(compared))),
        more={outcome: outcomes[outcome] for outcome in OUTCOMES},
    )


def section(found: Validation) -> Section:
    """Agreement by kind, and the first of the differences."""
    findings = found.findings
    differences = [one for name in OUTCOMES[1:] for one in found.compared if one.outcome == name]
    left = len(differences) - _MOST_SHOWN
    more = [SAY("more", n=left)] if left > 0 else []
    tables = [SAY.table("agreement", findings, cluster="item")]
    if differences:
        tables.append(SAY.table("differences", map(_row, differences[:_MOST_SHOWN]), notes=more))
    data, kind = found.data.name, found.manifest.kind
    return Section(
        SAY("title", judge=found.judge.label, data=data, kind=kind),
        (_verdict(findings[-1]),) if findings else (),
        tuple(filter(None, (found.manifest.about,))),
        tuple(tables),
    )


def _verdict(whole: Finding) -> Sentence:
    answers = sum(whole.more[outcome] for outcome in ("right", *_WRONG))
    return SAY(
        "verdict",
        right=whole.more["right"],
        answers=Count("answer", answers),
        items=whole.figure("items"),
        unsure=whole.more["cannot tell"],
        failed=whole.more["failed"],
    )


def _row(one: Compared) -> Finding:
    about = {"item": one.item.id, "about": one.point.about or one.point.kind}
    more = {
        "label": one.point.right,
        "answer": one.answer.text or SAY("failed"),
        "quotes": shorten(one.answer.shown, _LONGEST_SHOWN, placeholder=" ..."),
    }
    return Finding(about=about, more=more)


def document(found: Validation) -> dict[str, Any]:
    """The findings as a JSON object; its fields are those of docs/validation.md."""
    return {
        "schema": 1,
        "kind": "validation",
        "judge": {
            "name": found.judge.label,
            "settings": found.judge.settings,
            **found.judge.as_json(),
        },
        "data": str(found.data),
        "set": found.manifest.model_dump(),
        "stopped": found.stopped,
        "items_waiting": found.waiting,
        "agreement": [
            {
                **row.about,
                **{count.column: count.n for count in row.counts},
                **{name.replace(" ", "_"): row.more[name] for name in OUTCOMES},
                "agreement": row.estimate.value,
                "low": row.estimate.low,
                "high": row.estimate.high,
                "interval": row.estimate.method,
                "note": row.estimate.note,
            }
            for row in found.findings
            if isinstance(row.estimate, Estimate)
        ],
        "answers": [
            {
                "item": one.item.id,
                "kind": one.point.kind,
                "about": one.point.about,
                "labels": list(one.point.right),
                "answer": one.answer.text,
                "outcome": one.outcome,
                "shown": one.answer.shown,
                "text": [] if one.outcome == "right" else list(one.item.text),
            }
            for one in found.compared
        ],
    }
