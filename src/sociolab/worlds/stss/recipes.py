"""STSS's tables made again: conversations (3), the town (4), and both levels (section 5.3)."""

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
from sociolab.worlds.stss.levels import ACTION, TALK
from sociolab.worlds.stss.plan import (
    ArmsConfig,
    LevelsConfig,
    check_arms,
    level_run,
    levels_command,
)

SAY = Catalogue("recipes", "sociolab.worlds.stss.notes")


class StssRecipeConfig(RecipeConfig, ArmsConfig):
    """What every recipe and a plan of both levels are asked."""

    def cells(self, *worlds: str) -> list[dict[str, Any]]:
        """A run for each agent, arm and level, named as `sociolab levels` names them."""
        check_arms(self)
        agents, arms = dict.fromkeys(self.agents), dict.fromkeys(self.arms)
        return [
            level_run(self, *cell, self.prefix, self.limit)
            for cell in product(agents, arms, worlds)
        ]


async def table3(sheet: Sheet, lab: Context, config: StssRecipeConfig) -> Findings:
    """Success in conversations."""
    config.needs(sheet, "agents", "judges")
    return await _at_a_level(sheet, lab, config, TALK)


async def table4(sheet: Sheet, lab: Context, config: StssRecipeConfig) -> Findings:
    """Scores in the town, by type of task."""
    config.needs(sheet, "agents")
    return await _at_a_level(sheet, lab, config, ACTION)


async def _at_a_level(sheet: Sheet, lab: Context, config: StssRecipeConfig, world: str) -> Findings:
    runs = config.cells(world)
    if config.dry_run:
        return dry_run(sheet.name, lab, runs)
    results = await lab.play(runs)
    yours = [one for result in results for one in _scored(sheet, result)]
    return reproduced(sheet, yours, config, results, said=list(_ran_on(config, results)))


def _scored(sheet: Sheet, result: RunResult) -> Iterator[Yours]:
    """An agent in one arm. Who was where in the town is judged by rules, as in the paper."""
    town = result.world == ACTION
    part = "GA + TDP" if _settings(result).get("tdp") == "true" else "GA"
    judge = "rules" if town else first_judge(result)
    return scored(sheet, result, judge, part, rules=town)


def _settings(result: RunResult) -> Mapping[str, Any]:
    return result.recorded.get("world_settings") or {}


def _ran_on(config: RecipeConfig, results: Sequence[RunResult]) -> Iterator[Sentence]:
    """Who played the residents, and on which mind."""
    yield SAY("residents", who=config.partner or SAY("itself"))
    towns = [one for one in results if one.world == ACTION]
    for mind in dict.fromkeys(str(_settings(one).get("mind", "lean")) for one in towns):
        yield SAY("mind", mind=mind, asks=SAY("lean") if mind == "lean" else "")


async def levels(sheet: Sheet, lab: Context, config: StssRecipeConfig) -> Findings:
    """Conversations beside the town: correlation and losses."""
    config.needs(sheet, "agents", "judges")
    runs = config.cells(TALK, ACTION)
    if config.dry_run:
        return dry_run(sheet.name, lab, runs)
    results = await lab.play(runs)
    yours, sections = [], []
    for talk, town in zip(results[::2], results[1::2], strict=False):
        (said,), (done,) = _scored(sheet, talk), _scored(sheet, town)
        figures = {**said.figures, **done.figures}
        own = replace(said, figures=figures, withheld=said.withheld or done.withheld)
        if both := _both(own):
            n = min(count.n for one in figures.values() for count in one.counts)
            figures["lost"] = figure(Estimate(both[0] - both[1], n, n, None, None, "none"))
        yours.append(own)
        if both and not town.stopped:
            sections.append((talk.run, town.run))
    more: Sequence[Section] = ()
    if sections:
        talks, towns = zip(*sections, strict=True)
        more = (await levels_command(lab, LevelsConfig(talk=talks, action=towns))).sections
    said_of = [_correlated(sheet, yours), *_ran_on(config, results)]
    return reproduced(sheet, yours, config, results, said=said_of, more=more)


def _both(one: Yours) -> tuple[float, float] | None:
    """The scores at both levels, if both are there."""
    said, done = one.estimate("conversation_sr"), one.estimate("overall")
    if said is None or done is None or said.value is None or done.value is None:
        return None
    return said.value, done.value


def _correlated(sheet: Sheet, yours: Sequence[Yours]) -> Sentence:
    """Pearson's r over agents, with and without TDP: of the paper's tables, and of these."""
    theirs = [figures[:2] for rows in sheet.rows.values() for figures in rows.values()]
    ours = [both for one in yours if (both := _both(one))]
    rs = [SAY("here", r=_r(ours), n=len(ours))]
    if not any(one.withheld for one in yours):
        rs.insert(0, SAY("in_the_paper", r=_r(theirs), n=len(theirs)))
    return SAY("correlated", rs=rs)


def _r(points: Sequence[tuple[float, ...]]) -> float | Sentence:
    x, y = ([one[end] for one in points] for end in (0, 1))
    value = pearson(x, y, list(map(str, range(len(points))))).value
    return SAY("undefined") if value is None else value


RECIPES = {
    "stss-table3": (StssRecipeConfig, table3),
    "stss-table4": (StssRecipeConfig, table4),
    "stss-5.3": (StssRecipeConfig, levels),
}
