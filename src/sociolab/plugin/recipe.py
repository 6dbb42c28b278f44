"""How is a table of a paper made again, and what may stand beside the paper's figures?

A world declares recipes; `sociolab reproduce NAME` runs one. It lays out runs, plays and judges
them by a `Context`, and gives its figures to `reproduced`.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sociolab.analysis.formatting import NOTHING, listed, rounded
from sociolab.core.errors import ConfigError
from sociolab.core.instructions import (
    INSTRUCTIONS,
    STAND_IN,
    TAGS,
    instructions_from,
    instructions_in,
)
from sociolab.plugin.context import Context, Findings, Tool
from sociolab.plugin.options import Flag, ModelAccess, Name, Names, Words, flags_of
from sociolab.report.schema import RunResult
from sociolab.report.section import Section, TextTable
from sociolab.report.words import by_rules, instructions_notes, minus, money, plural
from sociolab.stats.intervals import Estimate

_ABREAST = 3
"""Columns of one's own figures beside each other."""


class PlanConfig(ModelAccess):
    """What a command is asked that plays several runs, whose names begin with `name`."""

    agents: Annotated[Names, Flag("--agent", "SPEC", "Agent to play. Repeatable.")] = ()
    partner: Annotated[
        Name | None, Flag("--background --partner", "SPEC", "Who plays everybody else.")
    ] = None
    judges: Annotated[Names, Flag("--judge", "SPEC", "Model that judges. Repeatable.")] = ()
    seed: Annotated[int, Flag("--seed", "N", "Random seed.")] = 0
    settings: Annotated[
        dict[str, Words], Flag("--set", "NAME=VALUE", "A setting of the world. Repeatable.")
    ] = Field(default_factory=dict)
    name: Annotated[
        Name, Flag("--name", "NAME", "Begins the names of the runs; again to resume.")
    ] = "reproduce"
    dry_run: Annotated[
        bool, Flag("--dry-run", "", "Estimate what is missing, without running.")
    ] = False


class RecipeConfig(PlanConfig):
    """What every recipe is asked.

    `beside` sets figures beside a row of the paper: "ROW" those of everybody, "WHO=ROW" those of
    one. `limit` makes a pilot, whose runs have names of their own.
    """

    beside: Annotated[
        Names,
        Flag("--as", "[WHO=]ROW", 'Row of the paper to show, such as "GPT-4". Repeatable.'),
    ] = ()
    limit: Annotated[int | None, Flag("--limit", "N", "Pilot: at most N tasks of a run.")] = Field(
        default=None, ge=1
    )
    data: Annotated[Name | None, Flag("--data", "NAME|DIR", "Other data than the package's.")] = (
        None
    )

    @property
    def prefix(self) -> str:
        """What the names of its runs begin with."""
        return self.name if self.limit is None else f"{self.name}-pilot-{self.limit}"

    def run(self, world: str, what: str, **more: Any) -> dict[str, Any]:
        """One of its runs, described as in a file for `run --file`."""
        described: dict[str, Any] = {
            "world": world,
            "agents": self.agents,
            "partner": self.partner,
            "judges": self.judges,
            "limit": self.limit,
            "seed": self.seed,
            "data": self.data,
            "settings": self.settings,
            "name": f"{self.prefix}-{what}",
        }
        return described | more

    def needs(self, *fields: str) -> None:
        """ConfigError where one of these was not given."""
        for name in fields:
            if not getattr(self, name):
                flag = flags_of(type(self))[name]
                value = flag.metavar.replace("SPEC", "openai/MODEL")
                raise ConfigError(f"expected {flag.flags.split()[0]} {value}, found none")


@dataclass(frozen=True, slots=True)
class Recipe(Tool):
    """A table of a paper as a command: what it is of (`table`), what is needed to make it again
    (`needs`), and how far that can be done today (`repeatable`)."""

    table: str = ""
    needs: str = ""
    repeatable: str = ""


def recipes(module: str, *names: str) -> Mapping[str, Callable[[], Recipe]]:
    """The recipes of a module's `RECIPES`, which is imported when one is asked for."""

    def made(name: str) -> Recipe:
        found: Recipe = import_module(module).RECIPES[name]
        return found

    return {name: partial(made, name) for name in names}


class PublishedTable(BaseModel):
    """A table as a paper prints it, in a world's `data/published.toml`.

    `columns` are metrics by name, with their titles; `rows` hold by part (who played, which arm)
    and row one figure for each, nan where the paper has none. `beside` are the rows that are shown
    where none is asked for (all, if empty); `notes` are errata.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    columns: dict[str, str]
    rows: dict[str, dict[str, tuple[float, ...]]] = {}
    beside: tuple[str, ...] = ()
    decimals: int = 2
    notes: tuple[str, ...] = ()

    def value(self, part: str, row: str, column: str) -> float | None:
        """A figure; None where the paper prints none."""
        found = dict(zip(self.columns, self.rows.get(part, {}).get(row, ()), strict=False))
        value = found.get(column, math.nan)
        return None if math.isnan(value) else value

    def shown(self, value: float | None) -> str:
        """A figure with the decimals of the paper."""
        return NOTHING if value is None else minus(f"{value:z.{self.decimals}f}")


def published(package: str, table: str) -> PublishedTable:
    """A table of the paper of a world's package."""
    text = files(package).joinpath("data", "published.toml").read_text("utf-8")
    return PublishedTable.model_validate(tomllib.loads(text)[table])


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
    result: RunResult,
    agent: str,
    judge: str,
    part: str,
    columns: Sequence[str],
    *,
    rules: bool = False,
    several: bool = False,
) -> Yours:
    """The means of an agent over all its episodes of a run; `rules`: the paper's judge is a rule,
    too; `several`: the judge is named."""
    entries = {
        entry.measure: Estimate(
            entry.value, entry.n, entry.clusters, entry.low, entry.high, entry.interval
        )
        for entry in result.scores
        if (entry.agent, entry.judge, entry.by) == (agent, judge, {})
    }
    figures = {name: entries[name] for name in columns if name in entries}
    who = f"{agent}, {judge}" if several else agent
    return Yours(who, part, figures, *standing([result], (agent,), judge, rules=rules))


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
    for result in results:
        found = next((one for one in result.judges if one.judge == judge), None)
        method = found.method if found else "none"
        # Everybody meets everybody where nobody is the partner of all.
        met = (result.partner,) if result.partner else result.agents
        everybody = tuple(dict.fromkeys((*agents, *met)))
        tags = result.recorded.get(TAGS) or ()
        fakes = [one for one in (*everybody, judge or "") if f"{STAND_IN}{one}" in tags]
        if ruled := [one for one in everybody if by_rules(result, one)]:
            why = f"{listed(ruled)}: rule-based, no language model"
        elif fakes:
            why = f"{listed(dict.fromkeys(fakes))}: the stand-in endpoint, no language model"
        elif judge and method not in ("model", "people", *(("rules",) if rules else ())):
            why = f"{judge} is no model judge"
        sets = [instructions_from(result.recorded.get(INSTRUCTIONS))]
        sets += [instructions_in(found.settings)] if found and method == "model" else []
        original &= all(one and one.standing == "verified original" for one in sets)
    return why, original


# ------------------------------------------------------------------ beside the paper's


def reproduced(
    recipe: str,
    table: PublishedTable,
    yours: Sequence[Yours],
    config: RecipeConfig,
    results: Sequence[RunResult],
    *,
    missing: Mapping[str, str],
    said: Sequence[str] = (),
    cautions: Sequence[str] = (),
    more: Sequence[Section] = (),
    tables: Sequence[TextTable] = (),
) -> Findings:
    """The paper's figures beside one's own, what cannot be repeated under them, and `more`.

    ConfigError for a row that the paper does not have, and where there is no figure at all.
    """
    rows = _rows_beside(table, yours, config)
    if not any(one.figures for one in yours):
        stopped = next((one.stopped for one in results if one.stopped), "")
        why = f": {stopped}" if stopped else ""
        raise ConfigError(f"{recipe}: nothing is scored{why}; give the same command to resume")
    warned = [f"Stopped early: {one.stopped}." for one in results if one.stopped]
    warned += [*cautions, *_pilot(config, results)]
    if withheld := dict.fromkeys(one.withheld for one in yours if one.withheld):
        warned.append(f"No published figures beside these. {'; '.join(withheld)}.")
    judged = [judge.judge for one in results for judge in one.judges]
    notes = dict.fromkeys(note for one in results for note in instructions_notes(one, judged))
    shown = list(_tables(table, yours, rows, config))
    last = TextTable(
        "Cannot be repeated", ("in the paper", "here"), tuple(missing.items()), (), (1,)
    )
    of = f"published: {table.source}"
    under = (*(() if not table.rows else (of,)), *table.notes, *notes)
    tail = TextTable(last.heading, last.columns, last.rows, under, last.words)
    section = Section(
        f"Reproduced: {recipe}",
        tuple(said),
        tuple(dict.fromkeys(warned)),
        (*shown, *tables, tail),
    )
    flat = list(_flat(table, yours, rows, config))
    figures = {
        "schema": 1,
        "recipe": recipe,
        "source": table.source,
        "pilot": config.limit is not None,
        "runs": [one.run for one in results],
        "figures": rounded(flat),
        "said": list(said),
        "cautions": list(section.cautions),
        "cannot_be_repeated": dict(missing),
        "notes": list(under),
    }
    return Findings((section, *more), tuple(results), figures, tuple(rounded(flat)))


def _pilot(config: RecipeConfig, results: Sequence[RunResult]) -> Iterator[str]:
    if config.limit is not None:
        told = plural(config.limit, "task")
        yield f"A pilot on at most {told} of each run, not the paper's experiment."
    for one in results:
        if lost := one.trials - one.played:
            yield f"{one.run}: {lost:,} of {plural(one.trials, 'trial')} not played or failed."


def _rows_beside(
    table: PublishedTable, yours: Sequence[Yours], config: RecipeConfig
) -> list[tuple[str, ...]]:
    """By column of one's own, the rows of the paper beside it."""
    known = dict.fromkeys(row for part in table.rows.values() for row in part)
    named: dict[str, str] = {}
    for text in config.beside:
        who, _, row = text.rpartition("=")
        if row not in known:
            rows = listed(list(known)) or "none"
            raise ConfigError(f'--as: expected a row of the paper ({rows}), found "{row}"')
        if who and who not in {one.who for one in yours}:
            whos = listed(list(dict.fromkeys(one.who for one in yours)))
            raise ConfigError(f'--as: expected somebody in the table ({whos}), found "{who}"')
        named[who] = row

    def of(one: Yours) -> tuple[str, ...]:
        there = table.rows.get(one.part, {})
        wanted = named.get(one.who) or named.get("")
        if one.withheld:
            return ()
        if wanted in there:
            return (wanted,)
        return tuple(row for row in there if not table.beside or row in table.beside)

    return [of(one) for one in yours]


def _tables(
    table: PublishedTable,
    yours: Sequence[Yours],
    rows: Sequence[tuple[str, ...]],
    config: RecipeConfig,
) -> Iterator[TextTable]:
    """A table for those who have a part and its published rows in common."""
    groups: dict[tuple[str, tuple[str, ...]], list[Yours]] = {}
    for one, beside in zip(yours, rows, strict=True):
        groups.setdefault((one.part, beside), []).append(one)
    for (part, beside), found in groups.items():
        for first in range(0, len(found), _ABREAST):
            yield _table(table, part, beside, found[first : first + _ABREAST], config)


def _table(
    table: PublishedTable,
    part: str,
    beside: Sequence[str],
    yours: Sequence[Yours],
    config: RecipeConfig,
) -> TextTable:
    columns = [f"{row}, published" for row in beside]
    for one in yours:
        columns += [f"{one.who} [95 %]", *(["inside?"] if asked(one, beside, config) else [])]
    rows = []
    for name, title in table.columns.items():
        figures = [table.value(part, row, name) for row in beside]
        cells = [table.shown(value) for value in figures]
        for one in yours:
            mine = one.figures.get(name)
            cells.append(_cell(table, mine))
            if asked(one, beside, config):
                cells.append(_inside(figures[0], mine))
        if any(cell != NOTHING for cell in cells):
            rows.append((title, *cells))
    counts = [f"{one.who} {_counts(one)}" for one in yours]
    note = f"n: {', '.join(counts)}" if counts else ""
    heading = "" if part == "all" else part
    return TextTable(
        heading or ("Published and yours" if beside else "Yours"),
        ("", *columns),
        tuple(rows),
        (note,),
    )


def asked(one: Yours, beside: Sequence[str], config: RecipeConfig) -> bool:
    """Whether it can be asked if the paper's figure lies inside the interval: one row, the authors'
    own instructions, all tasks."""
    return one.original and len(beside) == 1 and config.limit is None


def _inside(value: float | None, mine: Estimate | None) -> str:
    if value is None or mine is None or mine.low is None or mine.high is None:
        return NOTHING
    return "yes" if mine.low <= value <= mine.high else "no"


def _cell(table: PublishedTable, found: Estimate | None) -> str:
    if found is None or found.value is None:
        return NOTHING
    if found.low is None or found.high is None:
        return table.shown(found.value)
    return f"{table.shown(found.value)} [{table.shown(found.low)}, {table.shown(found.high)}]"


def _counts(one: Yours) -> str:
    counts = sorted({found.n for found in one.figures.values()})
    return " to ".join(f"{n:,}" for n in dict.fromkeys((counts[0], counts[-1]))) if counts else "0"


def _flat(
    table: PublishedTable,
    yours: Sequence[Yours],
    rows: Sequence[tuple[str, ...]],
    config: RecipeConfig,
) -> Iterator[dict[str, Any]]:
    """A record for each figure, and for each row of the paper beside it."""
    for one, beside in zip(yours, rows, strict=True):
        for name, found in one.figures.items():
            for row in beside or ("",):
                value = table.value(one.part, row, name)
                inside = asked(one, beside, config) and _inside(value, found)
                yield {
                    "who": one.who,
                    "part": one.part,
                    "metric": name,
                    "published_row": row or None,
                    "published": value,
                    "value": found.value,
                    "low": found.low,
                    "high": found.high,
                    "n": found.n,
                    "inside": {"yes": True, "no": False}.get(inside or ""),
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
