"""SOTOPIA's tables made again: judge and people (1), models (2), people (3, F.2), hard tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Annotated

from sociolab.analysis.agreement import agreements
from sociolab.analysis.formatting import NOTHING, p_text, plain
from sociolab.analysis.hard_subset import hard, hard_section
from sociolab.analysis.pooled_runs import pooled
from sociolab.analysis.ratings import MODELS, PEOPLE, played_by
from sociolab.analysis.values import Value, values_of
from sociolab.core.score import Method
from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Filter, Flag, Names
from sociolab.plugin.recipe import (
    PublishedTable,
    Recipe,
    RecipeConfig,
    Yours,
    dry_run,
    priced,
    published,
    reproduced,
    scored,
    standing,
)
from sociolab.report.schema import RunResult
from sociolab.report.section import TextTable
from sociolab.report.words import plural
from sociolab.stats.difficulty import HARDEST
from sociolab.stats.intervals import Estimate, mean, on_scale
from sociolab.stats.paired import sign_flip
from sociolab.worlds.sotopia.scene import PACKAGE

_TEXTS = {
    "instructions of agents and judge": "paraphrased by default; the authors' own from your copy "
    "of their package: sociolab import prompts, then --set prompts=NAME",
}
_PLAYED = {
    "GPT-4 (gpt-4-0613), GPT-3.5 (gpt-3.5-turbo-16k-0613), Llama-2-70b-chat, MPT-30b-chat": "the "
    "first two are no longer served, of the others no provider's settings are given",
    "450 tasks": "of our own by default; the authors' are public: sociolab import sotopia, then "
    "--data NAME",
    **_TEXTS,
}
_RATED = {
    "180 episodes by models, 42 with people, rated by two people each": "those ratings are not "
    "public; 309 of 154 later episodes on the 14 public hard scenarios are",
    "GPT-4 as judge (gpt-4-0613)": "no longer served",
    **_TEXTS,
}


class GridConfig(RecipeConfig):
    """`tasks` are played in place of all, or of the 20 that are found to be hard."""

    tasks: Annotated[
        Filter | None,
        Flag("--tasks", "FILTER", "Task ids, tags or a list, such as public-hard."),
    ] = None


class PeopleConfig(RecipeConfig):
    """`runs` are stored runs: rated by people, or played by them."""

    runs: Annotated[
        Names, Flag("--run", "RUN", "A stored run with people's ratings or play. Repeatable.")
    ] = ()


# ------------------------------------------------------------------ Table 1


async def table1(lab: Context, config: PeopleConfig) -> Findings:
    """Pearson's r of judges and people, by dimension, for episodes by models and by people."""
    config.needs("runs")
    table = published(PACKAGE, "table1")
    if config.dry_run:
        return _priced_judging("sotopia-table1", lab, config)
    results = await lab.judge(config.runs, config.judges, config.settings)
    found = agreements(lab.store, config.runs)
    figures: dict[tuple[str, str], dict[str, Estimate]] = {}
    for cell in found.report.judges:
        if found.ratings.methods[cell.judge] == "model" and cell.group in (MODELS, PEOPLE):
            r = cell.pearson
            how: Mapping[str, Estimate] = {
                cell.dimension: Estimate(
                    r.value, r.n, r.clusters, r.low, r.high, "none" if r.low is None else "t"
                )
            }
            figures.setdefault((cell.judge, str(cell.group)), {}).update(how)
    yours = [
        Yours(judge, part, some, *standing(results, (), judge))
        for (judge, part), some in figures.items()
    ]
    said = (
        "Pearson's r of a model judge and the mean of the people who rated the same agent in the "
        "same episode; intervals leave out each scenario in turn.",
    )
    return reproduced("sotopia-table1", table, yours, config, results, missing=_RATED, said=said)


def _priced_judging(title: str, lab: Context, config: PeopleConfig) -> Findings:
    config.needs("judges")
    found = {run: lab.estimate_judging(run, config.judges, config.settings) for run in config.runs}
    return priced(title, found, "played: episodes that all of these judges have judged")


# ------------------------------------------------------------------ Table 2, and the hard tasks


async def table2(lab: Context, config: GridConfig) -> Findings:
    """Mean scores of models over their partners, by dimension."""
    config.needs("agents", "judges")
    run = config.run("sotopia", "grid", tasks=config.tasks)
    if config.dry_run:
        return dry_run("sotopia-table2", lab, [run])
    results = await lab.play([run])
    return reproduced(
        "sotopia-table2",
        table := published(PACKAGE, "table2"),
        list(_scored(results[0], table)),
        config,
        results,
        missing=_PLAYED,
        said=(_met(config),),
    )


def _met(config: RecipeConfig) -> str:
    if config.partner:
        return f"Everybody meets {config.partner}, in both seats; in the paper, every model."
    if len(config.agents) == 1:
        return "The agent meets itself only; in the paper, every model meets every model."
    return "Every agent meets every agent, itself too, in both seats; means are over all of these."


def _scored(result: RunResult, table: PublishedTable) -> Iterator[Yours]:
    """Each agent as each model judge scored it; the judge is named where there are several."""
    known = [one for one in result.judges if one.method not in ("formula", "people")]
    judges = [one.judge for one in known if one.method == "model"] or [one.judge for one in known]
    for judge in judges:
        for agent in result.agents:
            yield scored(result, agent, judge, "all", tuple(table.columns), several=len(judges) > 1)


async def hard_tasks(lab: Context, config: GridConfig) -> Findings:
    """The 20 tasks that are hardest for the first agent (section 7), played anew."""
    config.needs("agents", "judges")
    table = published(PACKAGE, "hard")
    grid = config.run("sotopia", "grid")
    fresh = config.run("sotopia", "hard", seed=config.seed + 1, tasks=config.tasks)
    most = min(HARDEST, config.limit or HARDEST)
    if config.dry_run:
        if config.tasks:
            return dry_run("sotopia-hard", lab, [fresh])
        note = f"hard: the {most} tasks are chosen once the grid is played; priced on others"
        return dry_run("sotopia-hard", lab, [grid, fresh | {"limit": most}], note)
    sections = []
    said = [_met(config)]
    runs = [fresh]
    if not config.tasks:
        results = await lab.play([grid])
        if not results[0].stopped:
            values = values_of(lab.store, str(grid["name"]))
            pool = pooled([values], next(iter(_judges(config, values.judges)), None), "overall")
            found = hard(pool, results[0].agents[0], most=most)
            sections.append(hard_section(found, "sotopia-hard"))
            said.append(
                f"{plural(len(found.ids), 'task')} chosen by the overall score as hard for "
                f"{results[0].agents[0]} and played anew, with another seed: on the episodes that "
                "they were chosen by they would look harder than they are."
            )
            runs = [grid, fresh | {"tasks": ",".join(found.ids), "limit": None}]
    results = await lab.play(runs)
    return reproduced(
        "sotopia-hard",
        table,
        list(_scored(results[-1], table)) if len(results) == len(runs) else [],
        config,
        results,
        missing={
            "its 20 tasks": "not published; the public list names 14 scenarios (--data NAME "
            "--tasks public-hard)",
            "which score is the reward": "not printed; the overall here",
            **_PLAYED,
        },
        said=said,
        more=sections,
    )


def _judges(config: RecipeConfig, known: Mapping[str, object]) -> list[str]:
    return [one for one in known if one in config.judges]


# ------------------------------------------------------------------ Tables 3 and F.2

_PARTS = {
    (MODELS, PEOPLE): "model with a person",
    (PEOPLE, MODELS): "person with a model",
    (PEOPLE, PEOPLE): "person with a person",
}
_BY: Mapping[Method, str] = {"model": "by a judge", "people": "by raters"}
_DESIGN = {"model with a person": 40, "person with a model": 40, "person with a person": 40}


async def table3(lab: Context, config: PeopleConfig) -> Findings:
    """People and a model on the hard tasks, as a judge and as raters see them, with t tests."""
    if not config.runs and config.dry_run:
        config.needs("agents", "judges")
        limit = min(HARDEST, config.limit or HARDEST)
        run = config.run("sotopia", "people", partner="human", limit=limit)
        note = "the model's part in 40 episodes with people, and their judge, priced on 20 tasks"
        return dry_run("sotopia-table3", lab, [run], note)
    config.needs("runs")
    table = published(PACKAGE, "table3")
    if config.dry_run:
        return _priced_judging("sotopia-table3", lab, config)
    results = await lab.judge(config.runs, config.judges, config.settings)
    found: dict[tuple[str, str, str], list[Value]] = {}
    scales: dict[str, tuple[float, float]] = {}
    for values in (values_of(lab.store, one) for one in config.runs):
        scales |= {name: (one.low, one.high) for name, one in values.measures.items()}
        for value in values.values:
            kinds = tuple(
                played_by(one or "", imported=values.imported)
                for one in (value.agent, value.partner)
            )
            by = _BY.get(values.judges[value.judge].method)
            if kinds in _PARTS and by and value.measure in table.columns:
                who = str(value.agent) if kinds[0] == MODELS else "people"
                part = f"{_PARTS[kinds]}, {by}"
                found.setdefault((who, part, value.judge), []).append(value)
    yours, cautions = [], []
    for (who, part, judge), some in found.items():
        figures = {
            name: on_scale(mean([v.value for v in mine], [v.cluster for v in mine]), *scales[name])
            for name in table.columns
            if (mine := [value for value in some if value.measure == name])
        }
        agents = {str(v.agent) for v in some} | {str(v.partner) for v in some}
        yours.append(Yours(who, part, figures, *standing(results, tuple(agents), judge)))
        n = max(one.n for one in figures.values())
        wanted = _DESIGN[part.partition(",")[0]]
        if n != wanted:
            cautions.append(f"{part}: {n} scores of {who} where the paper has {wanted}.")
    order = list(table.rows)
    yours.sort(key=lambda one: order.index(one.part))
    missing = {
        "its 20 tasks, and the episodes of people": "neither is published",
        "GPT-4 (gpt-4-0613), as agent and judge": "no longer served",
        **_TEXTS,
    }
    return reproduced(
        "sotopia-table3",
        table,
        yours,
        config,
        results,
        missing=missing,
        cautions=cautions,
        tables=list(_tests(found, table)),
    )


def _tests(
    found: Mapping[tuple[str, str, str], Sequence[Value]], table: PublishedTable
) -> Iterator[TextTable]:
    """People against each model with people, by the same judge."""
    for (model, part, judge), some in found.items():
        kind, _, by = part.partition(", ")
        if kind != "model with a person":
            continue
        rows = [
            (f"{other.partition(',')[0]}, {title}", *test(some, people, name))
            for (_, other, judged), people in found.items()
            if judged == judge and other != part and other.endswith(by)
            for name, title in table.columns.items()
        ]
        if rows:
            yield TextTable(
                f"People less {model} with people, {by} ({judge})",
                ("", "difference", "t", "p", "p, by task"),
                tuple(rows),
                (
                    "t, p: Student's t test of two independent samples, as in the paper, which "
                    "takes episodes of one task as independent and so finds differences too often "
                    "(16 to 19 of 100 where there is none, in simulated studies)",
                    "p, by task: sign flips of the differences of the tasks that both played",
                ),
            )


def test(model: Sequence[Value], people: Sequence[Value], measure: str) -> tuple[str, ...]:
    """The difference of the means, Student's t and its p, and the p of sign flips by task."""
    from scipy.stats import ttest_ind

    a, b = (
        [v.value for v in some if v.measure == measure and v.value is not None]
        for some in (people, model)
    )
    if not a or not b:
        return (NOTHING,) * 4
    t: float | None = None
    p: float | None = None
    if min(len(a), len(b)) > 1 and len({*a, *b}) > 1 and (len({*a}) > 1 or len({*b}) > 1):
        tested = ttest_ind(a, b)
        t, p = float(tested.statistic), float(tested.pvalue)
    ours, theirs = _by_task(people, measure), _by_task(model, measure)
    both = sorted(ours.keys() & theirs.keys())
    by_task = sign_flip({measure: [ours[one] - theirs[one] for one in both]}, both) if both else {}
    flipped = by_task[measure].p if both else None
    return (plain(fmean(a) - fmean(b), sign=True), plain(t), p_text(p), p_text(flipped))


def _by_task(values: Sequence[Value], measure: str) -> dict[str, float]:
    tasks: dict[str, list[float]] = {}
    for value in values:
        if value.measure == measure and value.value is not None:
            tasks.setdefault(value.task, []).append(value.value)
    return {task: fmean(some) for task, some in tasks.items()}


RECIPES = {
    "sotopia-table1": Recipe(
        PeopleConfig,
        table1,
        "Agreement of a model judge with people, beside SOTOPIA's Table 1.",
        "--run RUN --judge openai/MODEL --dry-run",
        page=True,
        table="Table 1: judge and people, Pearson's r by dimension",
        needs="a run that people rated (--run), a judge",
        repeatable="in part: the paper's ratings are not public, its judge is retired",
    ),
    "sotopia-table2": Recipe(
        GridConfig,
        table2,
        "Mean scores of models over their partners, beside SOTOPIA's Table 2.",
        "--agent openai/MODEL --judge openai/JUDGE --as GPT-4 --dry-run",
        page=True,
        table="Table 2: models by dimension",
        needs="agents, a judge",
        repeatable="in part: its models are retired; tasks and prompts can be imported",
    ),
    "sotopia-table3": Recipe(
        PeopleConfig,
        table3,
        "People and a model on the hard tasks, beside SOTOPIA's Tables 3 and F.2.",
        "--run STUDY-RUN --judge openai/JUDGE",
        page=True,
        table="Tables 3, F.2: people and GPT-4 on the 20 hard tasks, t test",
        needs="runs that people played in a study (--run), a judge",
        repeatable="in part: its 20 tasks and people's episodes are not public",
    ),
    "sotopia-hard": Recipe(
        GridConfig,
        hard_tasks,
        "Choose the 20 tasks that are hard for the first agent, and play them anew.",
        "--agent openai/MODEL --judge openai/JUDGE --dry-run",
        page=True,
        table="Section 7, Figure F.5: the 20 hardest tasks",
        needs="agents, a judge",
        repeatable="the method; the paper prints no figures",
    ),
}
