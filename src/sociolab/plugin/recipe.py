"""Recipes: reproduce a table of a paper, and set one's own figures beside the published ones.

A world declares recipes, and `sociolab reproduce NAME` runs one: it plans runs, has a `Context`
play and judge them, and passes its figures to `reproduced`. The recipe's sheet, in the world's
`data/published.toml`, says what it needs and what the paper prints.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import ConfigError
from sociolab.core.instructions import INSTRUCTIONS, parse_instructions
from sociolab.core.score import Measure
from sociolab.plugin.context import Context, Findings, Tool
from sociolab.plugin.options import (
    Description,
    Filter,
    Flag,
    ModelAccess,
    Name,
    Names,
    Words,
    flags_of,
)
from sociolab.report.catalogue import Catalogue, Column, Form
from sociolab.report.exam import exam_notes, judge_notes
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import rounded
from sociolab.report.run_facts import evaluated, not_played, warnings
from sociolab.report.schema import RunResult
from sociolab.report.score_tables import finding_of
from sociolab.report.section import Section, TextTable
from sociolab.report.words import by_rules, join_names, stand_ins

if TYPE_CHECKING:
    from sociolab.report.finding import Interval

SAY = Catalogue("recipe")
ESTIMATED = Catalogue("dry_run")

_ABREAST = 4
"""Maximum number of columns with figures in a table, published ones included."""


class JudgingConfig(ModelAccess):
    """Options for judges and settings of the world, and for a dry run."""

    judges: Annotated[Names, Flag("--judge", "SPEC", "Model that judges. Repeatable.")] = ()
    exam: Annotated[
        Literal["on", "off"],
        Flag("--exam", "on|off", "Whether a new judge sits the exam of the world first."),
    ] = "on"
    settings: Annotated[
        dict[str, Words], Flag("--set", "NAME=VALUE", "A setting of the world. Repeatable.")
    ] = Field(default_factory=dict)
    dry_run: Annotated[
        bool, Flag("--dry-run", "", "Estimate what is missing, without running.")
    ] = False


class PlanConfig(JudgingConfig):
    """Options of a command that plays several runs, whose names begin with `name`."""

    agents: Annotated[Names, Flag("--agent", "SPEC", "Agent to play. Repeatable.")] = ()
    partner: Annotated[
        Name | None, Flag("--background --partner", "SPEC", "Who plays everybody else.")
    ] = None
    seed: Annotated[int, Flag("--seed", "N", "Random seed.")] = 0
    name: Annotated[
        Name, Flag("--name", "NAME", "Prefix of the runs' names; the same one resumes.")
    ] = "reproduce"


class BesideConfig(Description):
    """Options of every recipe. `beside` chooses the published row to compare with: "ROW" for all
    agents, "WHO=ROW" for one."""

    beside: Annotated[
        Names, Flag("--as", "[WHO=]ROW", 'Row of the paper to show, such as "GPT-4". Repeatable.')
    ] = ()

    @property
    def pilot(self) -> int | None:
        """Maximum number of tasks in a run; None for as many as in the paper."""
        return None

    def needs(self, sheet: Sheet, *fields: str) -> None:
        """ConfigError for the first of these options that is not set."""
        for name in fields:
            if not getattr(self, name):
                flag = flags_of(type(self))[name]
                value = flag.metavar.replace("SPEC", "openai/MODEL")
                usage = f"{flag.flags.split()[0]} {value}"
                raise ConfigError(f"{sheet.name} needs {sheet.needs}: expected {usage}, found none")


class TableConfig(BesideConfig, JudgingConfig):
    """Options of a recipe for which models judge."""


class RecipeConfig(PlanConfig, TableConfig):
    """Options of a recipe that plays. With a `limit` it is a pilot, whose runs have other names."""

    limit: Annotated[int | None, Flag("--limit", "N", "Pilot: at most N tasks of a run.")] = Field(
        default=None, ge=1
    )

    @property
    def pilot(self) -> int | None:
        """Maximum number of tasks in a run; None for as many as in the paper."""
        return self.limit

    @property
    def prefix(self) -> str:
        return self.name if self.limit is None else f"{self.name}-pilot-{self.limit}"


class TasksConfig(RecipeConfig):
    """Options of a recipe for a world whose tasks come from one data set."""

    data: Annotated[Name | None, Flag("--data", "NAME|DIR", "Other data than the package's.")] = (
        None
    )
    tasks: Annotated[
        Filter | None, Flag("--tasks", "FILTER", "Task ids, tags or a list, such as public-hard.")
    ] = None

    def run(self, world: str, what: str, **more: Any) -> dict[str, Any]:
        """The fields of a run, as in a file for `run --file`; `more` adds to them."""
        fields = (
            "agents",
            "partner",
            "judges",
            "exam",
            "limit",
            "seed",
            "data",
            "tasks",
            "settings",
        )
        own = {name: getattr(self, name) for name in fields}
        return own | {"world": world, "name": f"{self.prefix}-{what}"} | more


class Sheet(BaseModel):
    """What a recipe reproduces, with the figures that the paper prints.

    `columns` are titles of metrics by name; `rows` holds, by part of the table (such as the arm)
    and row, a figure for each column, nan where the paper has none. `beside` are the rows to show
    by default (empty: all). `notes` are errata; `missing` says, for things in the paper that cannot
    be reproduced, why not, and what replaces them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    table: str
    source: str
    needs: str
    repeatable: str
    example: str
    columns: dict[str, str]
    rows: dict[str, dict[str, tuple[float, ...]]] = {}
    beside: tuple[str, ...] = ()
    decimals: int = 2
    notes: tuple[str, ...] = ()
    missing: dict[str, str] = {}

    def value(self, part: str, row: str, column: str) -> float | None:
        """A published figure; None where the paper prints none."""
        figures = self.rows.get(part, {}).get(row)
        value = figures[list(self.columns).index(column)] if figures else math.nan
        return None if math.isnan(value) else value


def sheet(package: str, name: str) -> Sheet:
    """Load the sheet of a recipe of this package; what is missing for all its tables comes last."""
    tables = tomllib.loads(files(package).joinpath("data", "published.toml").read_text("utf-8"))
    own = tables[name].get("missing", {})
    missing = own | tables["missing"] | own
    return Sheet.model_validate({**tables[name], "name": name, "missing": missing})


_Run: TypeAlias = Callable[[Sheet, Context, Any], Coroutine[Any, Any, Findings]]


def recipes(package: str, *names: str) -> Mapping[str, Callable[[], Tool]]:
    """Recipes of a package, by name.

    `RECIPES` in its module `recipes` holds, for each, its config and the function of sheet, context
    and config that runs it. The module is imported when a recipe is loaded.
    """

    def load_tool(name: str) -> Tool:
        config, run = import_module(f"{package}.recipes").RECIPES[name]
        about = sheet(package, name)
        doc = f"{about.table}; needs {about.needs}; repeatable {about.repeatable}."
        return Tool(config, partial(_check_and_run, run, about), doc, about.example, page=True)

    return {name: partial(load_tool, name) for name in names}


async def _check_and_run(run: _Run, sheet: Sheet, lab: Context, config: BesideConfig) -> Findings:
    """Run a recipe; ConfigError, before any call, for a row that the paper does not have."""
    names = dict.fromkeys(row for part in sheet.rows.values() for row in part)
    for text in config.beside:
        if (row := text.rpartition("=")[2]) not in names:
            rows = join_names(names) or "none"
            raise ConfigError(f'--as: expected a row of the paper ({rows}), found "{row}"')
    return await run(sheet, lab, config)


# ------------------------------------------------------------------ own figures


@dataclass(frozen=True, slots=True)
class Yours:
    """One's own figures for an agent (`who`) and a part of the paper's table, by metric.

    `withheld` says why no published figure may stand beside them. `original` says that they were
    played and judged with the authors' own instructions, so that the published figure may be
    expected inside the interval.
    """

    who: str
    part: str
    figures: Mapping[str, Finding]
    withheld: str = ""
    original: bool = False

    def estimate(self, name: str) -> Interval | None:
        """A figure with its interval; None if it is missing."""
        estimate = self.figures[name].estimate if name in self.figures else None
        return estimate if estimate and estimate.value is not None else None


def figure(estimate: Interval, of: str = "score") -> Finding:
    """A figure for `Yours`; `of` is the noun for what its n counts."""
    return Finding(estimate=estimate, counts=(Count(of, estimate.n),))


def scored(
    sheet: Sheet, result: RunResult, judge: str, part: str = "all", *, rules: bool = False
) -> Iterator[Yours]:
    """The means of each evaluated agent over all its episodes of a run, by one judge. `rules` says
    that the paper's judge is rule-based, too."""
    for agent in evaluated(result):
        figures = {
            e.measure: finding_of(result, e)
            for e in result.scores
            if (e.agent, e.judge, e.by) == (agent, judge, {}) and e.measure in sheet.columns
        }
        yield Yours(agent, part, figures, *standing([result], (agent,), judge, rules=rules))


def first_judge(result: RunResult) -> str:
    """The judge to use where none is named: the first model, or else the first of all; "" if there
    is none."""
    models = [judge.judge for judge in result.judges if judge.method == "model"]
    return next(iter((*models, *(judge.judge for judge in result.judges))), "")


def standing(
    results: Sequence[RunResult],
    agents: Sequence[str],
    judge: str | None,
    *,
    rules: bool = False,
) -> tuple[str, bool]:
    """Why figures of these agents must not stand beside published ones ("" if they may), and
    whether all instructions were the authors' own. `judge` is None for figures that need no
    judge."""
    why, original = "", True
    # Runs without scores by this judge do not contribute to the figures.
    judged = [run for run in results if judge in (None, *(each.judge for each in run.judges))]
    for result in judged or results:
        entry = next((item for item in result.judges if item.judge == judge), None)
        method = entry.method if entry else "none"
        # Without a common partner, all agents meet each other.
        met = (result.partner,) if result.partner else result.agents
        everybody = tuple(dict.fromkeys((*agents, *met)))
        fakes = [name for name in (*everybody, judge or "") if name in stand_ins(result.settings)]
        if ruled := [name for name in everybody if by_rules(result, name)]:
            why = SAY("rule_based", agents=ruled)
        elif fakes:
            why = SAY("stand_in", models=dict.fromkeys(fakes))
        elif judge is not None and method not in ("model", "people", "rules" if rules else ""):
            why = SAY("no_model_judged", judge=judge or SAY("nobody"))
        played = parse_instructions(result.recorded.get(INSTRUCTIONS))
        sets = [played and played.prompts]
        sets += [entry.prompts] if entry and method == "model" else []
        original &= all(text is not None and text.standing == "verified original" for text in sets)
    return why, original


# ------------------------------------------------------------------ published figures


class _Placed(NamedTuple):
    """Own figures, the published rows beside them, and whether the two are compared."""

    entry: Yours
    rows: tuple[str, ...]
    compares: bool

    def inside(self, sheet: Sheet, name: str) -> str | None:
        """Either "yes" or "no": whether the interval holds the published figure; None if these are
        not compared, or one is missing."""
        estimate = self.entry.estimate(name)
        value = sheet.value(self.entry.part, self.rows[0], name) if self.compares else None
        if value is None or estimate is None or estimate.low is None or estimate.high is None:
            return None
        return "yes" if estimate.low <= value <= estimate.high else "no"


def reproduced(
    sheet: Sheet,
    yours: Sequence[Yours],
    config: BesideConfig,
    results: Sequence[RunResult],
    *,
    sentences: Sequence[str] = (),
    cautions: Sequence[str] = (),
    more: Sequence[Section] = (),
    tables: Sequence[TextTable] = (),
) -> Findings:
    """Own and published figures side by side, then what cannot be reproduced, then `more`.

    ConfigError where --as names an agent without figures, and where there are no figures at all.
    """
    requested = _requested_rows(yours, config)
    placed = [_place_rows(sheet, entry, requested, config) for entry in yours]
    if not any(entry.figures for entry in yours):
        why = "; ".join(f"{result.run}: {', '.join(warnings(result))}" for result in results)
        raise ConfigError(f"{sheet.name}: nothing to show yet. {why}")
    judged = [judge.judge for result in results for judge in result.judges]
    exams = exam_notes({result.run: result.judges for result in results})
    source = [SAY("source", source=sheet.source)] if any(place.rows for place in placed) else []
    instructions = (note for result in results for note in judge_notes(result, judged))
    notes = list(dict.fromkeys([*source, *sheet.notes, *instructions]))
    missing = [Finding(about={"paper": it, "here": why}) for it, why in sheet.missing.items()]
    section = Section(
        SAY("title", recipe=sheet.name),
        tuple(sentences),
        tuple(dict.fromkeys([*_cautions(sheet, yours, config, results), *cautions])),
        (*_tables(sheet, placed, notes), *tables, SAY.table("missing", missing)),
        warnings=exams.failed,
    )
    flat = rounded(list(_records(sheet, placed)))
    figures = {
        "schema": 1,
        "recipe": sheet.name,
        "source": sheet.source,
        "pilot": config.pilot is not None,
        "runs": [result.run for result in results],
        "figures": flat,
        "said": list(sentences),
        "cautions": list(section.all_cautions),
        "cannot_be_repeated": sheet.missing,
        "notes": notes,
    }
    return Findings((section, *more), tuple(results), figures, flat)


def _requested_rows(yours: Sequence[Yours], config: BesideConfig) -> Mapping[str, str]:
    """The row requested by --as for each agent; "" stands for all agents."""
    whos = dict.fromkeys(entry.who for entry in yours)
    requested = {who: row for who, _, row in (text.rpartition("=") for text in config.beside)}
    if unknown := [who for who in requested if who and who not in whos]:
        raise ConfigError(
            f'--as: expected somebody in the table ({join_names(whos)}), not "{unknown[0]}"'
        )
    return requested


def _place_rows(
    sheet: Sheet, entry: Yours, requested: Mapping[str, str], config: BesideConfig
) -> _Placed:
    published = {} if entry.withheld else sheet.rows.get(entry.part, {})
    own_row = requested.get(entry.who, requested.get("", ""))
    chosen = (own_row,) if own_row in published else sheet.beside or published
    rows = tuple(row for row in published if row in chosen)
    return _Placed(entry, rows, entry.original and len(rows) == 1 and config.pilot is None)


def _cautions(
    sheet: Sheet, yours: Sequence[Yours], config: BesideConfig, results: Sequence[RunResult]
) -> Iterator[Sentence]:
    for result in results:
        if result.stopped:
            yield SAY("stopped", run=result.run, why=result.stopped)
    if config.pilot is not None:
        yield SAY("pilot", tasks=Count("task", config.pilot))
    for result in results:
        yield from not_played(result)
        entries = [each for each in result.scores if each.measure in sheet.columns and not each.by]
        if failed := sum(each.failures for each in entries):
            yield SAY("missing_scores", run=result.run, scores=Count("score", failed))
    if withheld := [entry for entry in yours if entry.withheld]:
        whose = dict.fromkeys(entry.who for entry in withheld)
        beside = SAY("beside", whose=whose) if len(withheld) < len(yours) else ""
        reasons = dict.fromkeys(entry.withheld for entry in withheld)
        yield SAY("left_out", beside=beside, reasons=reasons)


def _tables(sheet: Sheet, placed: Sequence[_Placed], notes: list[str]) -> Iterator[FindingTable]:
    """A table, or several if it would be too wide, for figures with the same part and published
    rows."""
    groups: dict[tuple[str, tuple[str, ...]], list[_Placed]] = {}
    for each in placed:
        groups.setdefault((each.entry.part, each.rows), []).append(each)
    for (part, rows), some in groups.items():
        abreast = max(_ABREAST - len(rows), 1)
        for first in range(0, len(some), abreast):
            yield _table(sheet, part, rows, some[first : first + abreast], notes)


def _table(
    sheet: Sheet, part: str, published: Sequence[str], placed: Sequence[_Placed], notes: list[str]
) -> FindingTable:
    form: Form = f"z.{sheet.decimals}f"  # type: ignore[assignment]
    columns = [Column("metric", "", "metric")]
    columns += [Column(row, SAY("published", row=row), row, form) for row in published]
    for number, each in enumerate(placed):
        columns.append(Column("own", SAY("own", who=each.entry.who), f"own {number}", form))
        columns += [Column("inside", SAY("inside"), f"inside {number}")] if each.compares else []
    rows = []
    for name, title in sheet.columns.items():
        more: dict[str, Any] = {row: sheet.value(part, row, name) for row in published}
        for number, each in enumerate(placed):
            more[f"own {number}"] = each.entry.estimate(name)
            more[f"inside {number}"] = each.inside(sheet, name)
        if any(figure is not None for figure in more.values()):
            metric = Measure(name, -math.inf, math.inf, title=title)
            rows.append(Finding(metric, {"part": part}, more=more))
    return SAY.table(
        "figures",
        rows,
        columns=columns,
        notes=(SAY("n", whose=[_counts(each.entry) for each in placed]), *notes),
        table=sheet.table,
        part="" if part == "all" else SAY("part", part=part),
    )


def _counts(entry: Yours) -> Sentence:
    """What the figures of a column are over: the smallest and the largest n of each noun."""
    sizes: dict[str, list[int]] = {}
    for count in (count for each in entry.figures.values() for count in each.counts):
        sizes.setdefault(count.of, []).append(count.n)
    ends = [(min(some), Count(of, max(some))) for of, some in (sizes or {"score": [0]}).items()]
    counts = [SAY("n_range", least=n, most=most) if n < most.n else most for n, most in ends]
    return SAY("n_of", who=entry.who, counts=counts)


def _records(sheet: Sheet, placed: Sequence[_Placed]) -> Iterator[dict[str, Any]]:
    """A JSON object for each own figure and each published row beside it."""
    for each in placed:
        for name, finding in each.entry.figures.items():
            estimate = each.entry.estimate(name)
            for row in each.rows or (None,):
                yield {
                    "who": each.entry.who,
                    "part": each.entry.part,
                    "metric": name,
                    "published_row": row,
                    "published": sheet.value(each.entry.part, row, name) if row else None,
                    **{end: getattr(estimate, end, None) for end in ("value", "low", "high")},
                    "n": finding.counts[0].n,
                    "inside": each.inside(sheet, name),
                }


# ------------------------------------------------------------------ dry runs


def slug(spec: str) -> str:
    """The part of a run's name that stands for an agent's spec."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", spec).strip("-")


def dry_run(title: str, lab: Context, runs: Sequence[Mapping[str, Any]], *notes: str) -> Findings:
    """An estimate of these runs. A run that was played in part is estimated as a whole."""
    return priced(title, {str(run["name"]): lab.estimate(run) for run in runs}, *notes)


def priced(title: str, estimates: Mapping[str, Mapping[str, Any]], *notes: str) -> Findings:
    """The calls and the cost of what is missing of these runs (by name, from `Context.estimate`),
    and of the exams that their judges have not sat."""
    runs = [_remaining(estimate) for estimate in estimates.values()]
    exams = _pending_exams(estimates.values())
    parts = [*runs, *({key: (exam[key],) * 2 for key in _PRICED} for exam in exams)]
    ends = {key: zip(*(row[key] for row in parts), strict=True) for key in _PRICED}
    sums = {
        key: tuple(None if None in end else sum(end) for end in pair) for key, pair in ends.items()
    }
    total = {key: sum(run[key] for run in runs) for key in ("trials", "played")} | sums
    names = [*estimates, *(SAY("exam_of", judge=e["judge"], world=e["world"]) for e in exams)]
    rows = [Finding(about={"run": name}, more=row) for name, row in zip(names, parts, strict=True)]
    rows.append(Finding(about={"run": SAY("all_runs")}, more=total))
    notes += (ESTIMATED("exam_once"),) if exams else ()
    cautions = tuple(
        SAY(key, models=models)
        for key in ("no_price", "not_counted")
        if (models := sorted({name for estimate in estimates.values() for name in estimate[key]}))
    )
    table = SAY.table("estimate", rows, notes=notes)
    section = Section(SAY("dry_run", what=title), (SAY("nothing_called"),), cautions, (table,))
    return Findings((section,), figures={"dry_run": True, "runs": dict(estimates), **sums})


_PRICED = ("calls", "cost_usd")


def _pending_exams(estimates: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The exams still to be sat, each once: runs of a table share their judges."""
    pending: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for exam in (exam for estimate in estimates for exam in estimate["exams"]):
        pending.setdefault((exam["run"], exam["judge"], exam["settings"]), exam)
    return [*pending.values()]


def _remaining(estimate: Mapping[str, Any]) -> Mapping[str, Any]:
    """The trials of a run, how many were played, and the low and the high end of remaining calls
    and cost (None: no price)."""
    trials, played = estimate["trials"], estimate["played"]
    cases = estimate["cases"]
    low, high = cases[0], cases[min(1, len(cases) - 1)]
    ends = {key: (0, 0) if played == trials else (low[key], high[key]) for key in _PRICED}
    return {"trials": trials, "played": played, **ends}
