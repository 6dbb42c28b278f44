"""How is a table of a paper made again, and what may stand beside the paper's figures?

A world declares recipes; `sociolab reproduce NAME` runs one. It lays out runs, plays and judges
them by a `Context`, and gives its figures to `reproduced`. What it is, what it needs and what the
paper prints is its sheet, in the world's `data/published.toml`.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import ConfigError
from sociolab.core.instructions import INSTRUCTIONS, instructions_from
from sociolab.plugin.context import Context, Findings, Tool
from sociolab.plugin.options import Filter, Flag, ModelAccess, Name, Names, Words, flags_of
from sociolab.report.exam import judge_notes
from sociolab.report.formatting import NOTHING, rounded
from sociolab.report.run_facts import evaluated
from sociolab.report.schema import RunResult
from sociolab.report.section import Section, TextTable
from sociolab.report.words import (
    by_rules,
    counted,
    listed,
    minus,
    money,
    plural,
    stand_ins,
)
from sociolab.stats.intervals import Estimate

_ABREAST = 4
"""Columns of figures beside each other, published ones included."""


class JudgingConfig(ModelAccess):
    """Who judges, in which settings of the world, and whether it is only priced."""

    judges: Annotated[Names, Flag("--judge", "SPEC", "Model that judges. Repeatable.")] = ()
    settings: Annotated[
        dict[str, Words], Flag("--set", "NAME=VALUE", "A setting of the world. Repeatable.")
    ] = Field(default_factory=dict)
    dry_run: Annotated[
        bool, Flag("--dry-run", "", "Estimate what is missing, without running.")
    ] = False


class PlanConfig(JudgingConfig):
    """The options of a command that plays several runs, whose names begin with `name`."""

    agents: Annotated[Names, Flag("--agent", "SPEC", "Agent to play. Repeatable.")] = ()
    partner: Annotated[
        Name | None, Flag("--background --partner", "SPEC", "Who plays everybody else.")
    ] = None
    seed: Annotated[int, Flag("--seed", "N", "Random seed.")] = 0
    name: Annotated[
        Name, Flag("--name", "NAME", "Begins the names of the runs; again to resume.")
    ] = "reproduce"


class TableConfig(JudgingConfig):
    """The options of every recipe.

    `beside` sets figures beside a row of the paper: "ROW" those of everybody, "WHO=ROW" those of
    one.
    """

    beside: Annotated[
        Names, Flag("--as", "[WHO=]ROW", 'Row of the paper to show, such as "GPT-4". Repeatable.')
    ] = ()

    @property
    def pilot(self) -> int | None:
        """Most tasks of a run; None: as many as in the paper."""
        return None

    def needs(self, sheet: Sheet, *fields: str) -> None:
        """ConfigError where one of these was not given."""
        for name in fields:
            if not getattr(self, name):
                flag = flags_of(type(self))[name]
                value = flag.metavar.replace("SPEC", "openai/MODEL")
                given = f"{flag.flags.split()[0]} {value}"
                raise ConfigError(f"{sheet.name} needs {sheet.needs}: expected {given}, found none")


class RecipeConfig(PlanConfig, TableConfig):
    """The options of a recipe that plays; `limit` makes a pilot, whose runs have own names."""

    limit: Annotated[int | None, Flag("--limit", "N", "Pilot: at most N tasks of a run.")] = Field(
        default=None, ge=1
    )

    @property
    def pilot(self) -> int | None:
        """Most tasks of a run; None: as many as in the paper."""
        return self.limit

    @property
    def prefix(self) -> str:
        """What the names of its runs begin with."""
        return self.name if self.limit is None else f"{self.name}-pilot-{self.limit}"


class TasksConfig(RecipeConfig):
    """Of a world whose tasks come from one data set."""

    data: Annotated[Name | None, Flag("--data", "NAME|DIR", "Other data than the package's.")] = (
        None
    )
    tasks: Annotated[
        Filter | None, Flag("--tasks", "FILTER", "Task ids, tags or a list, such as public-hard.")
    ] = None

    def run(self, world: str, what: str, **more: Any) -> dict[str, Any]:
        """One of its runs, described as in a file for `run --file`."""
        fields = ("agents", "partner", "judges", "limit", "seed", "data", "tasks", "settings")
        described = {name: getattr(self, name) for name in fields}
        return described | {"world": world, "name": f"{self.prefix}-{what}"} | more


class Sheet(BaseModel):
    """What a recipe makes again, and the figures as the paper prints them.

    `columns` are metrics by name, with their titles; `rows` hold by part (who played, which arm)
    and row one figure for each, nan where the paper has none. `beside` are the rows that are shown
    where none is asked for (empty: all); `notes` are errata, `missing` says by what the paper has
    why it cannot be had, and what stands for it.
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
        """A figure; None where the paper prints none."""
        figures = self.rows.get(part, {}).get(row)
        value = figures[list(self.columns).index(column)] if figures else math.nan
        return None if math.isnan(value) else value

    def shown(self, *values: float | None) -> str:
        """A figure with the decimals of the paper, and the ends of its interval, if there are."""
        value, *ends = (
            NOTHING if one is None else minus(f"{one:z.{self.decimals}f}") for one in values
        )
        return f"{value} [{', '.join(ends)}]" if ends and None not in values else value


def sheet(package: str, name: str) -> Sheet:
    """The sheet of a recipe of this package; what is missing of all its tables stands last."""
    found = tomllib.loads(files(package).joinpath("data", "published.toml").read_text("utf-8"))
    missing = {**found[name].get("missing", {}), **found["missing"]}
    return Sheet.model_validate({**found[name], "name": name, "missing": missing})


_Run: TypeAlias = Callable[[Sheet, Context, Any], Coroutine[Any, Any, Findings]]


def recipes(package: str, *names: str) -> Mapping[str, Callable[[], Tool]]:
    """Recipes of a package: `RECIPES` of its module `recipes` has by name what each is asked, and
    the function of sheet, context and config that runs it."""

    def made(name: str) -> Tool:
        config, run = import_module(f"{package}.recipes").RECIPES[name]
        about = sheet(package, name)
        doc = f"{about.table}; needs {about.needs}; repeatable {about.repeatable}."
        return Tool(config, partial(_checked, run, about), doc, about.example, page=True)

    return {name: partial(made, name) for name in names}


async def _checked(run: _Run, sheet: Sheet, lab: Context, config: TableConfig) -> Findings:
    """Refuse a row that the paper does not have before anything is called."""
    known = dict.fromkeys(row for part in sheet.rows.values() for row in part)
    for text in config.beside:
        if (row := text.rpartition("=")[2]) not in known:
            rows = listed(known) or "none"
            raise ConfigError(f'--as: expected a row of the paper ({rows}), found "{row}"')
    return await run(sheet, lab, config)


# ------------------------------------------------------------------ one's own figures


@dataclass(frozen=True, slots=True)
class Yours:
    """One column of figures: of whom, of which part of the paper's table, and, by the name of its
    column there, each with its interval.

    `withheld` says why no figure of the paper may stand beside them; `original`: played and judged
    by the authors' own instructions, so that it can be asked whether the paper's lie inside.
    """

    who: str
    part: str
    figures: Mapping[str, Estimate]
    withheld: str = ""
    original: bool = False


def scored(
    sheet: Sheet, result: RunResult, judge: str, part: str = "all", *, rules: bool = False
) -> Iterator[Yours]:
    """The means of each evaluated agent over all its episodes of a run, by one judge; `rules`: the
    paper's judge is a rule, too."""
    for agent in evaluated(result):
        figures = {
            one.measure: one.estimate
            for one in result.scores
            if (one.agent, one.judge, one.by) == (agent, judge, {}) and one.measure in sheet.columns
        }
        yield Yours(agent, part, figures, *standing([result], (agent,), judge, rules=rules))


def first_judge(result: RunResult) -> str:
    """The judge whose scores are meant: the first model, or else the first of all."""
    models = [one.judge for one in result.judges if one.method == "model"]
    return next(iter((*models, *(one.judge for one in result.judges))), "")


def standing(
    results: Sequence[RunResult],
    agents: Sequence[str],
    judge: str | None,
    *,
    rules: bool = False,
) -> tuple[str, bool]:
    """Why figures of these agents must not stand beside a paper's ("" if they may), and whether all
    instructions were the authors' own. `judge` None: what they played is not judged."""
    why, original = "", True
    # A run that this judge has not seen adds nothing to its figures.
    seen = [one for one in results if judge in (None, *(each.judge for each in one.judges))]
    for result in seen or results:
        found = next((one for one in result.judges if one.judge == judge), None)
        method = found.method if found else "none"
        # Everybody meets everybody where nobody is the partner of all.
        met = (result.partner,) if result.partner else result.agents
        everybody = tuple(dict.fromkeys((*agents, *met)))
        fakes = [one for one in (*everybody, judge or "") if one in stand_ins(result.settings)]
        if ruled := [one for one in everybody if by_rules(result, one)]:
            why = f"{listed(ruled)}: rule-based, no language model"
        elif fakes:
            why = f"{listed(dict.fromkeys(fakes))}: the stand-in endpoint, no language model"
        elif judge is not None and method not in ("model", "people", "rules" if rules else ""):
            why = f"{judge or 'nobody'}: no model judged"
        played = instructions_from(result.recorded.get(INSTRUCTIONS))
        sets = [played and played.prompts]
        sets += [found.prompts] if found and method == "model" else []
        original &= all(one is not None and one.standing == "verified original" for one in sets)
    return why, original


# ------------------------------------------------------------------ beside the paper's


class _Placed(NamedTuple):
    """Figures, the rows of the paper beside them, and whether it is asked if these lie inside."""

    one: Yours
    rows: tuple[str, ...]
    asks: bool


def reproduced(
    sheet: Sheet,
    yours: Sequence[Yours],
    config: TableConfig,
    results: Sequence[RunResult],
    *,
    said: Sequence[str] = (),
    cautions: Sequence[str] = (),
    more: Sequence[Section] = (),
    tables: Sequence[TextTable] = (),
) -> Findings:
    """The paper's figures beside one's own, what cannot be repeated under them, and `more`.

    ConfigError for a row that the paper does not have, and where there is no figure at all.
    """
    placed = [_placed(sheet, one, _named(yours, config), config) for one in yours]
    warned = [f"Stopped early: {one.stopped}." for one in results if one.stopped]
    if not any(one.figures for one in yours):
        found = (
            f"{one.run}: {one.played:,} of {plural(one.trials, 'trial')} played, scores missing: "
            f"{counted(one.failures.scores)}"
            for one in results
        )
        why = warned[0] if warned else "; ".join(found)
        raise ConfigError(f"{sheet.name}: nothing to show yet. {why}")
    if config.pilot is not None:
        told = plural(config.pilot, "task")
        warned.append(f"A pilot on at most {told} of each run, not the paper's experiment.")
    for one in results:
        if lost := one.trials - one.played:
            told = plural(one.trials, "trial")
            warned.append(f"{one.run}: {lost:,} of {told} not played, or failed.")
        due = [each for each in one.scores if each.measure in sheet.columns and not each.by]
        if failed := sum(each.failures for each in due):
            told = plural(failed, "score")
            warned.append(f"{one.run}: {told} missing; `sociolab report {one.run}` says why.")
    if withheld := [one for one in yours if one.withheld]:
        beside = f" beside {listed(dict.fromkeys(one.who for one in withheld))}"
        reasons = "; ".join(dict.fromkeys(one.withheld for one in withheld))
        some = beside if len(withheld) < len(yours) else ""
        warned.append(f"The published figures are left out{some}. {reasons}.")
    judged = [judge.judge for one in results for judge in one.judges]
    notes = [f"published: {sheet.source}"] if any(one.rows for one in placed) else []
    notes += [*sheet.notes, *(note for one in results for note in judge_notes(one, judged))]
    notes = list(dict.fromkeys(notes))
    lost_for_good = tuple(sheet.missing.items())
    last = TextTable("Cannot be repeated", ("in the paper", "here"), lost_for_good, words=(1,))
    section = Section(
        f"Reproduced: {sheet.name}",
        tuple(said),
        tuple(dict.fromkeys([*warned, *cautions])),
        (*_tables(sheet, placed, notes), *tables, last),
    )
    flat = rounded(list(_records(sheet, placed)))
    figures = {
        "schema": 1,
        "recipe": sheet.name,
        "source": sheet.source,
        "pilot": config.pilot is not None,
        "runs": [one.run for one in results],
        "figures": flat,
        "said": list(said),
        "cautions": list(section.cautions),
        "cannot_be_repeated": sheet.missing,
        "notes": notes,
    }
    return Findings((section, *more), tuple(results), figures, flat)


def _named(yours: Sequence[Yours], config: TableConfig) -> Mapping[str, str]:
    """The rows that were asked for, by who is to stand beside them ("": everybody)."""
    whos = dict.fromkeys(one.who for one in yours)
    named: dict[str, str] = {}
    for text in config.beside:
        who, _, row = text.rpartition("=")
        if who and who not in whos:
            raise ConfigError(f'--as: expected somebody in the table ({listed(whos)}), not "{who}"')
        named[who] = row
    return named


def _placed(sheet: Sheet, one: Yours, named: Mapping[str, str], config: TableConfig) -> _Placed:
    there = {} if one.withheld else sheet.rows.get(one.part, {})
    wanted = named.get(one.who, named.get("", ""))
    chosen = (wanted,) if wanted in there else sheet.beside or there
    rows = tuple(row for row in there if row in chosen)
    return _Placed(one, rows, one.original and len(rows) == 1 and config.pilot is None)


def _tables(sheet: Sheet, placed: Sequence[_Placed], notes: Sequence[str]) -> Iterator[TextTable]:
    """A table for those who have a part and its published rows in common."""
    groups: dict[tuple[str, tuple[str, ...]], list[_Placed]] = {}
    for each in placed:
        groups.setdefault((each.one.part, each.rows), []).append(each)
    for (part, rows), found in groups.items():
        abreast = max(_ABREAST - len(rows), 1)
        for first in range(0, len(found), abreast):
            table = _table(sheet, part, rows, found[first : first + abreast])
            yield replace(table, notes=(*table.notes, *notes))


def _table(
    sheet: Sheet, part: str, published: Sequence[str], placed: Sequence[_Placed]
) -> TextTable:
    columns = ["", *(f"{row}, published" for row in published)]
    for one, _, asks in placed:
        columns += [f"{one.who} [95 %]", *["inside?"] * asks]
    rows = []
    for name, title in sheet.columns.items():
        theirs = [sheet.value(part, row, name) for row in published]
        cells = list(map(sheet.shown, theirs))
        for one, _, asks in placed:
            mine = one.figures.get(name, _NONE)
            cells.append(sheet.shown(mine.value, mine.low, mine.high))
            cells += [_inside(theirs[0], mine) or NOTHING] if asks else []
        if any(cell != NOTHING for cell in cells):
            rows.append((title, *cells))
    counts = "; ".join(f"{each.one.who} {_counts(each.one)}" for each in placed)
    heading = sheet.table if part == "all" else f"{sheet.table} \N{EN DASH} {part}"
    return TextTable(heading, tuple(columns), tuple(rows), (f"n: {counts}",))


_NONE = Estimate(None, 0, 0, None, None, "none")


def _inside(value: float | None, mine: Estimate) -> str:
    if value is None or mine.low is None or mine.high is None:
        return ""
    return "yes" if mine.low <= value <= mine.high else "no"


def _counts(one: Yours) -> str:
    counts = sorted({found.n for found in one.figures.values()} or {0})
    return " to ".join(f"{n:,}" for n in dict.fromkeys((counts[0], counts[-1])))


def _records(sheet: Sheet, placed: Sequence[_Placed]) -> Iterator[dict[str, Any]]:
    """One for each figure and each row of the paper beside it."""
    for one, rows, asks in placed:
        for name, found in one.figures.items():
            for row in rows or (None,):
                value = sheet.value(one.part, row, name) if row else None
                yield {
                    "who": one.who,
                    "part": one.part,
                    "metric": name,
                    "published_row": row,
                    "published": value,
                    "value": found.value,
                    "low": found.low,
                    "high": found.high,
                    "n": found.n,
                    "inside": _inside(value, found) or None if asks else None,
                }


# ------------------------------------------------------------------ runs and their price


def slug(spec: str) -> str:
    """An agent's spec as a part of a run's name."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", spec).strip("-")


_PRICED: Mapping[str, Callable[[Any], str]] = {"calls": "{:,}".format, "cost_usd": money}


def dry_run(title: str, lab: Context, runs: Sequence[Mapping[str, Any]], *notes: str) -> Findings:
    """What these runs would take; one that is played in part is estimated as a whole."""
    return priced(title, {str(run["name"]): lab.estimate(run) for run in runs}, *notes)


def priced(title: str, found: Mapping[str, Mapping[str, Any]], *notes: str) -> Findings:
    """What is missing of the runs of these estimates, and what it takes."""
    ends = {key: [_ends(one, key) for one in found.values()] for key in _PRICED}
    sums = {
        key: [None if None in each else sum(each) for each in zip(*some, strict=True)]
        for key, some in ends.items()
    }
    rows = [
        (name, f"{one['trials']:,}", f"{one['played']:,}", *map(_range, _PRICED, both))
        for (name, one), *both in zip(found.items(), *ends.values(), strict=True)
    ]
    trials, played = (sum(one[key] for one in found.values()) for key in ("trials", "played"))
    rows.append(("all", f"{trials:,}", f"{played:,}", *map(_range, _PRICED, sums.values())))
    missing = {"no_price": "no price is known", "not_counted": "not counted: calls of"}
    cautions = [
        f"{words}: {listed(names)}"
        for key, words in missing.items()
        if (names := sorted({name for one in found.values() for name in one[key]}))
    ]
    note = "low and high end; a run that is played in part is estimated as a whole"
    columns = ("run", "trials", "played", "calls", "cost")
    table = TextTable("What is missing", columns, tuple(rows), (note, *notes))
    said = ("No model was called, nothing was stored.",)
    section = Section(f"Dry run of {title}", said, tuple(cautions), (table,))
    return Findings((section,), figures={"dry_run": True, "runs": dict(found), **sums})


def _ends(estimate: Mapping[str, Any], key: str) -> tuple[Any, Any]:
    """The low and the high end of what is left: calls, or dollars (None: no price)."""
    cases = estimate["cases"]
    if estimate["played"] == estimate["trials"]:
        return 0, 0
    return cases[0][key], cases[min(1, len(cases) - 1)][key]


def _range(key: str, ends: Sequence[Any]) -> str:
    told = ("no price" if end is None else _PRICED[key](end) for end in ends)
    return "\N{EN DASH}".join(dict.fromkeys(told))
