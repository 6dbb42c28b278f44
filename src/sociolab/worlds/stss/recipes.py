"""STSS's tables made again: conversations (3), the town (4), and both levels (section 5.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Annotated, Any

from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Flag, Name, Several
from sociolab.plugin.recipe import (
    PublishedTable,
    Recipe,
    RecipeConfig,
    Yours,
    dry_run,
    published,
    reproduced,
    scored,
)
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.stats.correlation import pearson
from sociolab.stats.intervals import Estimate
from sociolab.worlds.stss.levels import ACTION, TALK
from sociolab.worlds.stss.plan import LevelsConfig, level_run, levels_command
from sociolab.worlds.stss.world import PACKAGE

ARMS = {"plain": "GA", "tdp": "GA + TDP"}

_MISSING = {
    "GPT-3.5 (gpt-35-turbo-0613), GPT-4 (gpt-4-0613)": "retired, as agents, in the background and "
    "as judge",
    "prompts of Generative Agents with minor adjustments": "not printed: in our words",
}
_TALKS = {
    **_MISSING,
    "325 conversations": "not public: 325 of our own, frozen from our town, or of yours (--data)",
    "Llama2 and Baichuan2 with simpler prompts": "not printed",
}
_TOWN = {
    **_MISSING,
    "30 tasks in Smallville": "30 of our own in our town by default; theirs are public: sociolab "
    "import stss, then --town NAME",
    "repeats, intervals": "the paper plays each task once",
}


class StssRecipeConfig(RecipeConfig):
    """`arms`: without TDP, with it, or both; `data` are conversations, `town` is where days are
    lived."""

    arms: Annotated[
        Several, Flag("--arm", "plain|tdp", "With or without TDP; default: both. Repeatable.")
    ] = ("plain", "tdp")
    town: Annotated[Name | None, Flag("--town", "NAME|DIR", "An imported town.")] = None

    def levels(self) -> LevelsConfig:
        """The same as both levels are asked for."""
        return LevelsConfig(
            **{name: getattr(self, name) for name in PLANNED},
            talks=self.data,
            conversations=self.limit,
            name=self.prefix,
        )

    def runs(self, *worlds: str) -> list[dict[str, Any]]:
        """A run for each agent, arm and level, named as `sociolab levels` names them."""
        asked = self.levels()
        cells = product(dict.fromkeys(self.agents), dict.fromkeys(self.arms), worlds)
        return [level_run(asked, *cell) | {"limit": self.limit} for cell in cells]


PLANNED = (
    "store", "in_flight", "budget", "base_url", "key_env", "models", "agents", "partner", "judges",
    "seed", "settings", "dry_run", "arms", "town",
)  # fmt: skip
"""What a recipe and `sociolab levels` have in common."""


async def table3(lab: Context, config: StssRecipeConfig) -> Findings:
    """Success in conversations, with and without TDP."""
    config.needs("agents", "judges")
    return await _of_level("stss-table3", "table3", lab, config, TALK, _TALKS)


async def table4(lab: Context, config: StssRecipeConfig) -> Findings:
    """Scores in the town by type of task, with and without TDP."""
    config.needs("agents")
    return await _of_level("stss-table4", "table4", lab, config, ACTION, _TOWN)


async def _of_level(
    recipe: str,
    name: str,
    lab: Context,
    config: StssRecipeConfig,
    world: str,
    missing: Mapping[str, str],
) -> Findings:
    table, runs = published(PACKAGE, name), config.runs(world)
    if config.dry_run:
        return dry_run(recipe, lab, runs)
    results = await lab.play(runs)
    yours = [one for result in results for one in _scored(result, table, world)]
    said = [_background(config), *(_mind(results) if world == ACTION else ())]
    return reproduced(recipe, table, yours, config, results, missing=missing, said=said)


def _scored(result: RunResult, table: PublishedTable, world: str) -> Iterator[Yours]:
    part = ARMS["tdp" if _settings(result).get("tdp") == "true" else "plain"]
    judges = [one.judge for one in result.judges if one.method == "model"]
    if world == ACTION:  # who was where is judged by rules, as in the paper
        judges = ["rules"]
    judges = judges or [one.judge for one in result.judges]
    for judge in judges:
        yield scored(
            result,
            result.agents[0],
            judge,
            part,
            tuple(table.columns),
            rules=world == ACTION,
            several=len(judges) > 1,
        )


def _settings(result: RunResult) -> Mapping[str, Any]:
    return result.recorded.get("world_settings") or {}


def _background(config: RecipeConfig) -> str:
    if config.partner:
        return f"Everybody but the performer is {config.partner}; in the paper, GPT-3.5."
    return "Each agent is its own background; in the paper, everybody else is GPT-3.5."


def _mind(results: Sequence[RunResult]) -> Iterator[str]:
    for mind in dict.fromkeys(str(_settings(one).get("mind", "lean")) for one in results):
        if mind == "lean":
            yield (
                "On the lean mind: residents are asked fewer questions than in Generative Agents, "
                "whose whole architecture the paper runs (PAPER.md)."
            )
        else:
            yield f"On the mind {mind}."


async def levels(lab: Context, config: StssRecipeConfig) -> Findings:
    """Conversations beside the town: correlation and losses (section 5.3)."""
    config.needs("agents", "judges")
    runs = config.runs(TALK, ACTION)
    if config.dry_run:
        return dry_run("stss-5.3", lab, runs)
    results = await lab.play(runs)
    table = published(PACKAGE, "levels")
    yours = []
    for talk, town in zip(results[::2], results[1::2], strict=False):
        (done,) = _scored(town, table, ACTION)
        for said in _scored(talk, table, TALK):
            figures = {**said.figures, **done.figures}
            one = Yours(said.who, said.part, figures, said.withheld or done.withheld)
            if (both := _both(one)) is not None:
                n = min(each.n for each in figures.values())
                figures["lost"] = Estimate(both[0] - both[1], n, n, None, None, "none")
            yours.append(one)
    more: Sequence[Section] = ()
    if yours and not results[-1].stopped:
        names = [str(run["name"]) for run in runs]
        stored = LevelsConfig(talk=tuple(names[::2]), action=tuple(names[1::2]))
        more = (await levels_command(lab, stored)).sections
    return reproduced(
        "stss-5.3",
        table,
        yours,
        config,
        results,
        missing={
            "a coefficient; how many were lost where": "the paper prints neither; counted below",
            **_TALKS,
            **_TOWN,
        },
        said=[_correlated(table, yours), _background(config), *_mind(results)],
        more=more,
    )


def _both(one: Yours) -> tuple[float, float] | None:
    """The scores at both levels, if both are there."""
    said, done = (one.figures.get(name) for name in ("conversation_sr", "overall"))
    if said is None or done is None or said.value is None or done.value is None:
        return None
    return said.value, done.value


def _correlated(table: PublishedTable, yours: Sequence[Yours]) -> str:
    """Pearson's r over agents, with and without TDP: of the paper's tables, and of these."""
    theirs = [figures[:2] for rows in table.rows.values() for figures in rows.values()]
    ours = [both for one in yours if (both := _both(one)) is not None]
    told = [f"{_r(ours)} over the {len(ours)} here"]
    if not any(one.withheld for one in yours):
        told.insert(0, f"{_r(theirs)} over the paper's {len(theirs)}, by its tables")
    return (
        "Pearson's r of conversation SR and the score in the town, over agents with and without "
        f"TDP: {'; '.join(told)}."
    )


def _r(points: Sequence[tuple[float, ...]]) -> str:
    x, y = [one[0] for one in points], [one[1] for one in points]
    found = pearson(x, y, list(map(str, range(len(points)))))
    return "not defined" if found.value is None else f"{found.value:.2f}"


_EXAMPLE = "--agent openai/MODEL --background openai/OTHER --judge openai/JUDGE --dry-run"
RECIPES = {
    "stss-table3": Recipe(
        StssRecipeConfig,
        table3,
        "Success in conversations (language level), beside STSS's Table 3.",
        f"stss-table3 {_EXAMPLE}",
        page=True,
        table="Table 3: conversations, with and without TDP",
        needs="agents, who plays everybody else (--background), a judge",
        repeatable="in part: models retired, the 325 conversations not public",
    ),
    "stss-table4": Recipe(
        StssRecipeConfig,
        table4,
        "Scores in the town by type of task (action level), beside STSS's Table 4.",
        "--agent openai/MODEL --background openai/OTHER --dry-run",
        page=True,
        table="Table 4: the town, with and without TDP",
        needs="agents, who plays everybody else (--background)",
        repeatable="in part: models retired; tasks and town can be imported",
    ),
    "stss-5.3": Recipe(
        StssRecipeConfig,
        levels,
        "Conversations beside the town: correlation and losses (STSS, section 5.3).",
        f"stss-5.3 {_EXAMPLE}",
        page=True,
        table="Section 5.3: both levels",
        needs="agents, who plays everybody else (--background), a judge",
        repeatable="in part: as tables 3 and 4; the paper prints no coefficient",
    ),
}
