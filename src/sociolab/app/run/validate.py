"""Validate a reader or judge: its agreement with labelled conversations or statements, by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
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
from sociolab.app.players.own_code import OwnJudge
from sociolab.app.run.config import ValidationConfig
from sociolab.app.run.session import (
    models_among,
    note_addresses,
    patience_of,
    run_for_replies,
)
from sociolab.app.run_sync import synchronous
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError, ModelError, SociolabError, StorageError, stops_all
from sociolab.core.instructions import STAND_INS
from sociolab.core.ports import (
    CANNOT_TELL,
    ChatModel,
    Judge,
    Labelled,
    LabelledPoint,
    PointAnswer,
    ReplyStore,
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
from sociolab.report.words import stand_in_words
from sociolab.runner.judging import verdicts_of
from sociolab.runner.local import work_all
from sociolab.runner.progress import TalliedReplies, Tally, Waits, Watch
from sociolab.stats.intervals import Estimate, mean, on_scale
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAY = Catalogue("validation")
MANIFEST = "set.toml"
AT_ONCE = 128
"""Number of items that are worked on concurrently."""
_MOST_SHOWN, _LONGEST_SHOWN = 20, 200


class ValidationSet(BaseModel):
    """The contents of `set.toml`: the world whose judges read the rows, the kind of the rows, and a
    text on their origin."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    world: str
    kind: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer to a point of an item, with the point's labels."""

    item: Labelled
    point: LabelledPoint
    answer: PointAnswer

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`. "missed": the answer says there is nothing, and the labels say there
        is; "invented": the other way round; "mistaken": any other wrong answer."""
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
    """All answers in the order of the set; `waiting` counts items without one, and `stopped` says
    why the work ended early ("" if it did not). `stand_ins` has the judge if the stand-in endpoint
    answered."""

    judge: JudgeId
    data: Path
    manifest: ValidationSet
    compared: tuple[Compared, ...]
    waiting: int
    stopped: str = ""
    stand_ins: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The agreement of each kind and, if there are several, of all points together.

        Agreement is right / (right + wrong), with an interval clustered by item. Failed answers and
        "cannot tell" are in neither number, and counted separately, like each of `OUTCOMES`.
        """
        kinds = dict.fromkeys(comparison.point.kind for comparison in self.compared)
        by_kind = tuple(
            _agreement(kind, [c for c in self.compared if c.point.kind == kind]) for kind in kinds
        )
        return (*by_kind, _agreement("all", self.compared)) if len(by_kind) > 1 else by_kind

    @property
    def in_vain(self) -> bool:
        return _all_failed(self.compared)


@synchronous
async def validate(config: ValidationConfig, watch: Watch | None = None) -> Validation:
    """Ask about each item and compare the answers with the labels.

    A model's replies are stored in a run of their own: the same command resumes where it stopped.
    ConfigError where the set or the judge is missing or invalid. Works inside a running event loop,
    too.
    """
    path, tally = store_path(config.store), Tally()
    models, budget, replies = Models(config), Budget(config.budget), TalliedReplies(tally)
    work = plan_validation(config, models, replies, budget, tally.waits)
    manifest, items, tally.total = work.manifest, work.items, len(work.items)
    with (
        Store.open(path) as store,
        run_for_replies(store, path, manifest.world, work.about, replies) as name,
    ):
        budget.carry_over(store.calls.totals(name))
        try:
            await note_addresses(store, name, models_among(config.judge), models)
            with watch(name, tally) if watch else nullcontext():
                by_item, error = await _ask_all(items, work.ask, tally)
        finally:
            await models.close()
    compared = tuple(comparison for item in items for comparison in by_item.get(item.id, ()))
    waiting, stopped = len(items) - len(by_item), str(error) if error else ""
    served = await models.stand_ins(models_among(config.judge))
    return Validation(work.judge, config.data, manifest, compared, waiting, stopped, served)


@dataclass(frozen=True, slots=True)
class ValidationWork:
    """Which items a judge is asked about, and how; `about` names the run of its replies (see
    `run_for_replies`), `own` a judge of the user's own code."""

    manifest: ValidationSet
    judge: JudgeId
    items: list[Labelled]
    ask: Callable[[Labelled], Coroutine[Any, Any, tuple[Compared, ...]]]
    about: tuple[str, Mapping[str, str | None]]
    own: str = ""


def plan_validation(
    config: ValidationConfig, models: Models, replies: ReplyStore, budget: Budget, waits: Waits
) -> ValidationWork:
    """Read the set and make the judge; ConfigError where one of them is missing or invalid."""
    manifest = _read_manifest(config.data)
    kit = load_world(manifest.world)
    labelled = _read_items(config.data, manifest, kit)
    items = _draw_items(labelled, config.limit)
    set_hash = digest(*(item.id for item in labelled))
    about = ("validation", {"judge": config.judge, "set": set_hash})
    spec = parse(config.judge, "validate")
    if isinstance(spec, ModelSpec):
        model = models.cached(spec, replies, budget)
        judge_id = (kit.reader or kit.model_judge)(model).id
        return ValidationWork(manifest, judge_id, items, partial(_ask_model, model), about)
    patience = patience_of(config.agent_timeout)
    judge = Casting(kit, models, replies, budget, patience, waits).judge(config.judge)
    items = [item for item in items if item.expected]
    if not items:
        raise ConfigError(
            f"--judge {config.judge}: expected items whose labels make scores, found none in "
            f"{config.data}; a judge of one's own gives scores, so give a model, which reads"
        )
    own = judge.label if isinstance(judge, OwnJudge) else ""
    return ValidationWork(manifest, judge.id, items, partial(_ask_judge, judge), about, own)


# ------------------------------------------------------------------ the set


def _read_manifest(folder: Path) -> ValidationSet:
    if not (folder / MANIFEST).is_file():
        raise ConfigError(
            f"--data: expected a folder with {MANIFEST} and *.jsonl, found {folder}; see "
            "docs/validation.md"
        )
    return toml_record(folder / MANIFEST, ValidationSet)


def _read_items(folder: Path, manifest: ValidationSet, kit: WorldKit) -> list[Labelled]:
    """The rows of all files, in the order of file names and lines."""
    read = kit.validation.get(manifest.kind)
    if read is None:
        kinds = ", ".join(kit.validation) or "none"
        raise ConfigError(
            f"{folder / MANIFEST}: kind: expected one that {manifest.world} has ({kinds}), found "
            f'"{manifest.kind}"'
        )
    items: dict[str, Labelled] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for place, row in json_lines(path):
            item = _read_item(read, row, place, f"{path.stem}-{place.rpartition(' ')[2]}")
            if items.setdefault(item.id, item) is not item:
                raise ConfigError(f'{place}: the id "{item.id}" is given twice')
    if not items:
        raise ConfigError(f"{folder}: expected *.jsonl with labelled items, found none")
    return list(items.values())


def _read_item(read: Callable[[Json, str], Labelled], row: Any, place: str, id: str) -> Labelled:
    try:
        return read(row, id)
    except ValidationError as error:
        raise ConfigError(f"{place}: {first_problem(error)}") from error
    except ValueError as error:
        raise ConfigError(f"{place}: {error}") from error


def _draw_items(items: Sequence[Labelled], limit: int | None) -> list[Labelled]:
    """A random sample, always the same, in the order of the set; the first items of a file may all
    be of one kind."""
    sample = sorted(items, key=lambda item: digest("validation", item.id))[:limit]
    drawn = {item.id for item in sample}
    return [item for item in items if item.id in drawn]


# ------------------------------------------------------------------ asking


async def _ask_all(
    items: Sequence[Labelled],
    ask: Callable[[Labelled], Coroutine[Any, Any, tuple[Compared, ...]]],
    tally: Tally,
) -> tuple[dict[str, tuple[Compared, ...]], ModelError | StorageError | None]:
    """The compared answers of each item, by id, and the error that ended the work early, if any."""
    by_item: dict[str, tuple[Compared, ...]] = {}

    async def work(item: Labelled) -> None:
        by_item[item.id] = await ask(item)
        tally.done += 1
        tally.failed += _all_failed(by_item[item.id])

    error = await work_all(items, work, AT_ONCE, tally.waits)
    return by_item, error


def _all_failed(compared: Sequence[Compared]) -> bool:
    return bool(compared) and all(comparison.answer.text is None for comparison in compared)


async def _ask_model(model: ChatModel, item: Labelled) -> tuple[Compared, ...]:
    """A model's answers; after a failed call, every point counts as failed."""
    try:
        answers = await item.ask(model)
    except ModelError as error:
        if error.fatal:
            raise
        answers = (PointAnswer(None, str(error)),) * len(item.points)
    return tuple(Compared(item, *pair) for pair in zip(item.points, answers, strict=True))


async def _ask_judge(judge: Judge, item: Labelled) -> tuple[Compared, ...]:
    """The scores of a user's own judge, compared with the scores that the labels imply."""
    problem, by_place = "", dict[tuple[str, str | None], Verdict]()
    try:
        verdicts = await verdicts_of(judge, item.episode)
        by_place = {(verdict.measure.name, verdict.seat): verdict for verdict in verdicts}
    except SociolabError as error:
        if stops_all(error):
            raise
        problem = str(error)
    compared = []
    for number, first in enumerate(item.expected[0]):
        measure, seat = first.measure, first.seat
        right = tuple(
            dict.fromkeys(_as_answer(labels[number])[0] or "" for labels in item.expected)
        )
        score = by_place.get((measure.name, seat))
        missing = problem or SAY("no_score", metric=measure)
        text, reason = (None, missing) if score is None else _as_answer(score)
        point = LabelledPoint(f"{title_of(measure)}, {item.kind}", seat or "", right, ())
        compared.append(Compared(item, point, PointAnswer(text, reason)))
    return tuple(compared)


def _as_answer(verdict: Verdict) -> tuple[str | None, str]:
    """A score as the text of an answer (None if it failed), and the reason for it."""
    if isinstance(verdict, Score):
        return f"{verdict.value:.4g}", verdict.reason
    if isinstance(verdict, ScoreFailure):
        return None, verdict.problem
    return CANNOT_TELL, verdict.why


# ------------------------------------------------------------------ results


def _agreement(kind: str, compared: Sequence[Compared]) -> Finding:
    outcomes = Counter(comparison.outcome for comparison in compared)
    values = [
        {"right": 1.0, **dict.fromkeys(_WRONG, 0.0)}.get(comparison.outcome)
        for comparison in compared
    ]
    items = [comparison.item.id for comparison in compared]
    return Finding(
        about={"kind": kind},
        estimate=on_scale(mean(values, items), 0, 1),
        counts=(Count("item", len({*items})), Count("point", len(compared))),
        more={outcome: outcomes[outcome] for outcome in OUTCOMES},
    )


def section(result: Validation) -> Section:
    """The agreement by kind, and the first differences from the labels."""
    findings = result.findings
    differences = [
        comparison
        for name in OUTCOMES[1:]
        for comparison in result.compared
        if comparison.outcome == name
    ]
    hidden = len(differences) - _MOST_SHOWN
    more = [SAY("more", n=hidden)] if hidden > 0 else []
    tables = [SAY.table("agreement", findings, cluster="item")]
    if differences:
        rows = map(_difference_row, differences[:_MOST_SHOWN])
        tables.append(SAY.table("differences", rows, notes=more))
    data, kind = result.data.name, result.manifest.kind
    return Section(
        SAY("title", judge=result.judge.label, data=data, kind=kind),
        (_conclusion(findings[-1]),) if findings else (),
        tuple(filter(None, (result.manifest.about,))),
        tuple(tables),
        warnings=tuple(stand_in_words({STAND_INS: result.stand_ins})),
    )


def _conclusion(overall: Finding) -> Sentence:
    answers = sum(overall.more[outcome] for outcome in ("right", *_WRONG))
    return SAY(
        "verdict",
        right=overall.more["right"],
        answers=Count("answer", answers),
        items=overall.figure("items"),
        unsure=overall.more["cannot tell"],
        failed=overall.more["failed"],
    )


def _difference_row(comparison: Compared) -> Finding:
    about = {"item": comparison.item.id, "about": comparison.point.about or comparison.point.kind}
    more = {
        "label": comparison.point.right,
        "answer": comparison.answer.text or SAY("failed"),
        "quotes": shorten(comparison.answer.evidence, _LONGEST_SHOWN, placeholder=" ..."),
    }
    return Finding(about=about, more=more)


def document(result: Validation) -> dict[str, Any]:
    """The JSON object that docs/validation.md describes."""
    return {
        "schema": 1,
        "kind": "validation",
        "judge": result.judge.as_document(),
        "data": str(result.data),
        "set": result.manifest.model_dump(),
        "stopped": result.stopped,
        "stand_ins": list(result.stand_ins),
        "items_waiting": result.waiting,
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
            for row in result.findings
            if isinstance(row.estimate, Estimate)
        ],
        "answers": [
            {
                "item": comparison.item.id,
                "kind": comparison.point.kind,
                "about": comparison.point.about,
                "labels": list(comparison.point.right),
                "answer": comparison.answer.text,
                "outcome": comparison.outcome,
                "shown": comparison.answer.evidence,
                "text": [] if comparison.outcome == "right" else list(comparison.item.text),
            }
            for comparison in result.compared
        ],
    }
