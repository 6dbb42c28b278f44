"""Reproduces tables of STSS: conversations (3), the town (4), and both levels (section 5.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from sociolab.plugin.context import Context, Findings
from sociolab.plugin.recipe import (
    RecipeConfig,
    Sheet,
    Yours,
    dry_run,
    figure,
    first_judge,
    reproduced,
    scored,
)
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Sentence
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.stats.correlation import pearson
from sociolab.stats.intervals import Estimate
from sociolab.worlds.stss.both_levels import ACTION, TALK
from sociolab.worlds.stss.plan import (
    ArmsConfig,
    LevelsConfig,
    check_arms,
    level_run,
    levels_command,
)

SAY = Catalogue("recipes", "sociolab.worlds.stss.notes")


class StssRecipeConfig(RecipeConfig, ArmsConfig):
    """Shared by all recipes: the options of a plan of both levels, and those of recipes."""

    def cells(self, *worlds: str) -> list[dict[str, Any]]:
        """A run for each agent, arm and level, named as `sociolab levels` names them; on the
        paper's mind unless another is set."""
        check_arms(self)
        agents, arms = dict.fromkeys(self.agents), dict.fromkeys(self.arms)
        settings = {"mind": "generative-agents", **self.settings}
        config = self.model_copy(update={"settings": settings})
        return [
            level_run(config, *cell, self.prefix, self.limit)
            for cell in product(agents, arms, worlds)
        ]


async def table3(sheet: Sheet, lab: Context, config: StssRecipeConfig) -> Findings:
    config.needs(sheet, "agents", "judges")
    return await _run_level(sheet, lab, config, TALK)


async def table4(sheet: Sheet, lab: Context, config: StssRecipeConfig) -> Findings:
    config.needs(sheet, "agents")
    return await _run_level(sheet, lab, config, ACTION)


async def _run_level(sheet: Sheet, lab: Context, config: StssRecipeConfig, world: str) -> Findings:
    runs = config.cells(world)
    if config.dry_run:
        return dry_run(sheet.name, lab, runs)
    results = await lab.play(runs)
    yours = [row for result in results for row in _scored(sheet, result)]
    return reproduced(
        sheet, yours, config, results, sentences=list(_describe_residents(config, results))
    )


def _scored(sheet: Sheet, result: RunResult) -> Iterator[Yours]:
    """An agent in one arm. In the town attendance is judged by rules, as in the paper. The lean
    mind is none of the paper's arms."""
    town = result.world == ACTION
    part = "lean mind" if _mind(result) == "lean" else "GA"
    part += " + TDP" if _settings(result).get("tdp") == "true" else ""
    judge = "rules" if town else first_judge(result)
    return scored(sheet, result, judge, part, rules=town)


def _settings(result: RunResult) -> Mapping[str, Any]:
    return result.recorded.get("world_settings") or {}


def _mind(result: RunResult) -> str:
    return str(_settings(result).get("mind", "lean"))


def _describe_residents(config: RecipeConfig, results: Sequence[RunResult]) -> Iterator[Sentence]:
    """Who played the residents, and on which mind."""
    yield SAY("residents", who=config.partner or SAY("itself"))
    for mind in dict.fromkeys(map(_mind, results)):
        yield SAY("mind", mind=mind, asks=SAY("lean") if mind == "lean" else "")


async def levels(sheet: Sheet, lab: Context, config: StssRecipeConfig) -> Findings:
    config.needs(sheet, "agents", "judges")
    runs = config.cells(TALK, ACTION)
    if config.dry_run:
        return dry_run(sheet.name, lab, runs)
    results = await lab.play(runs)
    yours, sections = [], []
    for talk, town in zip(results[::2], results[1::2], strict=False):
        (talk_row,), (town_row,) = _scored(sheet, talk), _scored(sheet, town)
        figures = {**talk_row.figures, **town_row.figures}
        own = replace(
            talk_row,
            figures=figures,
            withheld=talk_row.withheld or town_row.withheld,
            original=talk_row.original and town_row.original,
        )
        if pair := _both_scores(own):
            n = min(count.n for entry in figures.values() for count in entry.counts)
            figures["lost"] = figure(Estimate(pair[0] - pair[1], n, n, None, None, "none"))
        yours.append(own)
        if pair and not town.stopped:
            sections.append((talk.run, town.run))
    more: Sequence[Section] = ()
    if sections:
        talks, towns = zip(*sections, strict=True)
        more = (await levels_command(lab, LevelsConfig(talk=talks, action=towns))).sections
    said_of = [_correlation(sheet, yours), *_describe_residents(config, results)]
    return reproduced(sheet, yours, config, results, sentences=said_of, more=more)


def _both_scores(row: Yours) -> tuple[float, float] | None:
    """The scores at both levels; None if one is missing."""
    talk, town = row.estimate("conversation_sr"), row.estimate("overall")
    if talk is None or town is None or talk.value is None or town.value is None:
        return None
    return talk.value, town.value


def _correlation(sheet: Sheet, yours: Sequence[Yours]) -> Sentence:
    """Pearson's r over agents, with and without TDP: of the paper's tables, and of these runs."""
    published = [figures[:2] for rows in sheet.rows.values() for figures in rows.values()]
    ours = [pair for row in yours if (pair := _both_scores(row))]
    rs = [SAY("here", r=_pearson(ours), n=len(ours))]
    if not any(row.withheld for row in yours):
        rs.insert(0, SAY("in_the_paper", r=_pearson(published), n=len(published)))
    return SAY("correlated", rs=rs)


def _pearson(points: Sequence[tuple[float, ...]]) -> float | Sentence:
    x, y = ([point[end] for point in points] for end in (0, 1))
    value = pearson(x, y, list(map(str, range(len(points))))).value
    return SAY("undefined") if value is None else value


RECIPES = {
    "stss-table3": (StssRecipeConfig, table3),
    "stss-table4": (StssRecipeConfig, table4),
    "stss-5.3": (StssRecipeConfig, levels),
}
