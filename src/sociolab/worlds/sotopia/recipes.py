"""Reproduce SOTOPIA's tables: judge and people (1), models (2, Figure F.4), people (3, F.2), hard
tasks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Annotated, TypeAlias

from sociolab.analysis.agreement import agreements
from sociolab.analysis.hard_subset import hard, hard_section
from sociolab.analysis.ratings import MODELS, PEOPLE, agent_group, load_ratings
from sociolab.analysis.values import (
    RunValues,
    Value,
    choose_judge,
    mean_of,
    pool_runs,
    values_of,
)
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId
from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Flag, Name, Names, flags_of
from sociolab.plugin.recipe import (
    RecipeConfig,
    Sheet,
    TableConfig,
    TasksConfig,
    Yours,
    dry_run,
    figure,
    first_judge,
    priced,
    reproduced,
    scored,
    slug,
    standing,
)
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import exam_notes
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.run_facts import evaluated
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.runner.plan import filter_tasks
from sociolab.stats.difficulty import HARDEST
from sociolab.stats.intervals import on_scale
from sociolab.stats.paired_tests import sign_flip
from sociolab.store.checking import verify_runs
from sociolab.worlds.sotopia.importing.episodes import STORED, describe_judge
from sociolab.worlds.sotopia.public_ratings import PublicRatingsConfig, public_ratings

SAY = Catalogue("recipes", "sociolab.worlds.sotopia.notes")


class PeopleConfig(TableConfig):
    """`runs` are stored runs: rated by people, or played by them."""

    runs: Annotated[
        Names, Flag("--run", "RUN", "A stored run with people's ratings or play. Repeatable.")
    ] = ()


async def table1(sheet: Sheet, lab: Context, config: PeopleConfig) -> Findings:
    """Pearson's r of judges and people, for episodes by models and by people."""
    config.needs(sheet, "runs")
    load_ratings(lab.store, config.runs)  # raises where there are none, before anything is judged
    if config.dry_run:
        return await _price_judging(sheet, lab, config)
    results = await _judged(lab, config)
    agreement = agreements(lab.store, config.runs)
    figures: dict[tuple[str, str], dict[str, Finding]] = {}
    for cell in agreement.report.judges:
        if cell.dimension not in sheet.columns:  # such as "overall", which is computed
            continue
        judge = agreement.ratings.judge_ids[cell.judge]
        is_chosen = judge.method == "model" and _is_chosen(judge, config.judges)
        if is_chosen and cell.group in (MODELS, PEOPLE):
            own = figures.setdefault((cell.judge, str(cell.group)), {})
            own[cell.dimension] = figure(cell.pearson, "pair")
    agents = tuple(dict.fromkeys(agent for result in results for agent in result.agents))
    yours = [
        Yours(judge, part, some, *standing(results, agents, judge))
        for (judge, part), some in figures.items()
    ]
    return reproduced(sheet, yours, config, results, sentences=[SAY("correlated")])


async def _judged(lab: Context, config: PeopleConfig) -> Sequence[RunResult]:
    """Judge the runs; their results with only the chosen judges and people."""
    results = await lab.judge(config.runs, config.judges, config.settings, config.exam)
    return _only(results, lambda judge: _is_chosen(judge, config.judges))


def _only(
    results: Sequence[RunResult], is_chosen: Callable[[JudgeId], bool]
) -> Sequence[RunResult]:
    """The results with some of their judges only."""
    chosen = []
    for result in results:
        judges = tuple(each for each in result.judges if is_chosen(each.id))
        names = {each.judge for each in judges}
        scores = tuple(each for each in result.scores if each.judge in names)
        chosen.append(result.model_copy(update={"judges": judges, "scores": scores}))
    return chosen


def _is_chosen(judge: JudgeId, names: Sequence[str]) -> bool:
    """Whether results include a judge: people always, others by name, or all without names."""
    return not names or judge.method == "people" or (judge.role == "judge" and judge.name in names)


async def _price_judging(sheet: Sheet, lab: Context, config: PeopleConfig) -> Findings:
    estimates = {
        run: await lab.estimate_judging(run, config.judges, config.settings, config.exam)
        for run in config.runs
    }
    return priced(sheet.name, estimates, SAY("judged") if config.judges else SAY("no_judge"))


class StoredConfig(TasksConfig):
    """`stored` is a run whose scores are shown; then nothing is played or judged."""

    stored: Annotated[
        Name | None, Flag("--run", "RUN", "Show the scores of a stored run, without playing.")
    ] = None


async def table2(sheet: Sheet, lab: Context, config: StoredConfig) -> Findings:
    """Mean scores of models over their partners (Table 2)."""
    if config.stored:
        return await _show_stored(sheet, lab, config)
    config.needs(sheet, "agents", "judges")
    run = config.run("sotopia", "grid")
    if config.dry_run:
        return dry_run(sheet.name, lab, [run])
    results = await lab.play([run])
    yours = list(scored(sheet, results[0], first_judge(results[0])))
    return reproduced(sheet, yours, config, results, sentences=[_describe_partners(config)])


async def figure_f4(sheet: Sheet, lab: Context, config: StoredConfig) -> Findings:
    """Mean scores of models with each partner (Figure F.4)."""
    if config.stored:
        return await _show_stored(sheet, lab, config, by_partner=True)
    config.needs(sheet, "agents", "judges")
    run = config.run("sotopia", "grid")
    if config.dry_run:
        return dry_run(sheet.name, lab, [run])
    (result,) = results = await lab.play([run])
    values = values_of(lab.store, result.run)
    yours = _means(sheet, result, values, first_judge(result), by_partner=True)
    return reproduced(sheet, yours, config, results, sentences=[_describe_partners(config)])


def _describe_partners(config: RecipeConfig) -> Sentence:
    if config.partner:
        return SAY("met_partner", partner=config.partner)
    return SAY("met_itself") if len(config.agents) == 1 else SAY("met_everybody")


async def hard_tasks(sheet: Sheet, lab: Context, config: StoredConfig) -> Findings:
    """The tasks that are hardest for the first agent (section 7), played again."""
    if config.stored:
        return await _show_stored(sheet, lab, config)
    config.needs(sheet, "agents", "judges")
    most = min(HARDEST, config.limit or HARDEST)
    what = f"hard-{slug(config.tasks)}" if config.tasks else "hard"
    grid, fresh = config.run("sotopia", "grid"), config.run("sotopia", what, seed=config.seed + 1)
    sentences, sections, runs = [_describe_partners(config)], [], [fresh]
    if config.dry_run and not config.tasks:
        note = SAY("chosen_later", tasks=Count("task", most))
        return dry_run(sheet.name, lab, [grid, {**fresh, "limit": most}], note)
    if config.dry_run:
        return dry_run(sheet.name, lab, runs)
    if not config.tasks:
        (played,) = await lab.play([grid])
        if played.stopped:
            return reproduced(sheet, [], config, [played])
        pool = pool_runs([values_of(lab.store, played.run)], first_judge(played), "overall")
        hardest_for = evaluated(played)[0]
        subset = hard(pool, hardest_for, most=most)
        sections.append(hard_section(subset, sheet.name))
        sentences.append(SAY("chosen", tasks=Count("task", len(subset.ids)), agent=hardest_for))
        runs = [grid, {**fresh, "tasks": ",".join(subset.ids), "limit": None}]
    results = await lab.play(runs)
    yours = list(scored(sheet, results[-1], first_judge(results[-1])))
    return reproduced(sheet, yours, config, results, sentences=sentences, more=sections)


# ------------------------------------------------------------------ stored scores


async def _show_stored(
    sheet: Sheet, lab: Context, config: StoredConfig, *, by_partner: bool = False
) -> Findings:
    """The scores of the run that --run names by one judge, on the tasks that --tasks names, or for
    the hard tasks on those that the same scores find hardest. ConfigError for options of playing.
    """
    for name in ("agents", "partner", "data", "limit", "settings", "dry_run"):
        if getattr(config, name):
            flag = flags_of(type(config))[name].flags.split()[0]
            raise ConfigError(f"--run shows stored scores and plays nothing: leave out {flag}")
    if len(config.judges) > 1:
        raise ConfigError(f"--judge: expected one with --run, found {len(config.judges)}")
    run = str(config.stored)
    values = values_of(lab.store, run)
    label = choose_judge([values], next(iter(config.judges), None))
    (result,) = _only(await lab.judge([run], (), {}), lambda judge: judge == values.judges[label])
    cautions: list[str] = []
    more: list[Section] = []
    tasks = None
    if config.tasks:
        stored = {row.trial.task.id: row.trial.task for row in lab.store.trials(run)}
        tasks = {task.id for task in filter_tasks(tuple(stored.values()), config.tasks, None)}
    elif sheet.name == "sotopia-hard":
        try:
            subset = hard(pool_runs([values], label, "overall"), evaluated(result)[0])
        except ConfigError as error:
            raise ConfigError(f"{error}; or name the tasks, such as --tasks public-hard") from error
        tasks, more = {*subset.ids}, [hard_section(subset, sheet.name)]
        cautions = [SAY("same_scores", tasks=Count("task", len(tasks)))]
    judge = values.judges[label]
    if judge.settings.endswith(STORED):
        source = SAY("archived", run=run, judge=describe_judge(judge))
    else:
        source = SAY("stored", run=run, judge=label)
    yours = _means(sheet, result, values, label, by_partner=by_partner, tasks=tasks)
    return reproduced(
        sheet, yours, config, [result], sentences=[source], cautions=cautions, more=more
    )


def _means(
    sheet: Sheet,
    result: RunResult,
    values: RunValues,
    judge: str,
    *,
    by_partner: bool,
    tasks: Collection[str] | None = None,
) -> list[Yours]:
    """Means of each evaluated agent by one judge: over all its episodes, or by partner."""
    groups: dict[tuple[str, int], dict[str, list[Value]]] = {}
    agents = evaluated(result)
    for value in values.values:
        chosen = value.judge == judge and (tasks is None or value.task in tasks)
        if chosen and value.agent in agents and value.measure in sheet.columns:
            part = f"with {value.partner or 'several partners'}" if by_partner else "all"
            group = groups.setdefault((part, agents.index(value.agent)), {})
            group.setdefault(value.measure, []).append(value)
    scales = {name: (measure.low, measure.high) for name, measure in values.measures.items()}
    return [
        Yours(
            agents[agent],
            part,
            {name: figure(on_scale(mean_of(some), *scales[name])) for name, some in group.items()},
            *standing([result], (agents[agent],), judge),
        )
        for (part, agent), group in sorted(groups.items())
    ]


# ------------------------------------------------------------------ Tables 3 and F.2

_PARTS = {
    (MODELS, PEOPLE): "model with a person",
    (PEOPLE, MODELS): "person with a model",
    (PEOPLE, PEOPLE): "person with a person",
}
_DESIGN = 40
"""Scores in each part: 40 episodes with GPT-4, and two in each of 20 between people."""

_Groups: TypeAlias = Mapping[tuple[str, str, str], Sequence[Value]]
"""Scores by agent, part of the tables, and judge."""


async def table3(sheet: Sheet, lab: Context, config: PeopleConfig) -> Findings:
    """People and a model on the hard tasks, scored by a judge and by raters, with t tests."""
    config.needs(sheet, "runs")
    verify_runs(lab.store, *config.runs)
    for run in config.runs:
        if not any(agent_group(agent) == PEOPLE for agent in lab.store.run(run).agents.values()):
            raise ConfigError(f"--run: expected a run that people played, in {run} nobody did")
    if config.dry_run:
        return await _price_judging(sheet, lab, config)
    results = await _judged(lab, config)
    groups: dict[tuple[str, str, str], list[Value]] = {}
    scales: dict[str, tuple[float, float]] = {}
    for values in (values_of(lab.store, run_id) for run_id in config.runs):
        scales |= {name: (measure.low, measure.high) for name, measure in values.measures.items()}
        for value in values.values:
            kinds = tuple(
                agent_group(values.agents[agent]) if agent else ""
                for agent in (value.agent, value.partner)
            )
            judge_id = values.judges[value.judge]
            if not _is_chosen(judge_id, config.judges):
                continue
            method = judge_id.method
            if kinds in _PARTS and method in ("model", "people") and value.measure in sheet.columns:
                who = str(value.agent) if kinds[0] == MODELS else "people"
                by = "by raters" if method == "people" else "by a judge"
                groups.setdefault((who, f"{_PARTS[kinds]}, {by}", value.judge), []).append(value)
    yours, cautions, order = [], [], list(sheet.rows)
    for (who, part, judge), some in sorted(
        groups.items(), key=lambda item: (order.index(item[0][1]), item[0][0], item[0][2])
    ):
        figures: dict[str, Finding] = {}
        for name in sheet.columns:
            own = [value for value in some if value.measure == name]
            figures |= {name: figure(on_scale(mean_of(own), *scales[name]))} if own else {}
        agents = tuple({str(agent) for value in some for agent in (value.agent, value.partner)})
        yours.append(Yours(who, part, figures, *standing(results, agents, judge)))
        if (n := max(count.n for cell in figures.values() for count in cell.counts)) != _DESIGN:
            scores = Count("score", n)
            cautions.append(SAY("design", part=part, scores=scores, who=who, design=_DESIGN))
    tables = list(_test_tables(sheet, groups, results))
    return reproduced(sheet, yours, config, results, cautions=cautions, tables=tables)


def _test_tables(
    sheet: Sheet, groups: _Groups, results: Sequence[RunResult]
) -> Iterator[FindingTable]:
    """Tests of people against each model that played with people, by the same judge."""
    for (model, part, judge), some in groups.items():
        kind, _, by = part.partition(", ")
        rows = [
            replace(
                compare_means(people, some, name), about={"of": SAY("row", part=pair, metric=title)}
            )
            for (_, other, judged), people in groups.items()
            if (pair := other.partition(",")[0]) != kind == _PARTS[MODELS, PEOPLE]
            and judged == judge
            for name, title in sheet.columns.items()
        ]
        if rows:
            exams = exam_notes({result.run: result.judges for result in results}, (judge,))
            yield SAY.table("tests", rows, notes=exams.below, model=model, by=by, judge=judge)


def compare_means(a: Sequence[Value], b: Sequence[Value], measure: str) -> Finding:
    """The difference of two means, Student's t and its p, and the p of sign flips by task.

    An empty finding where one of them has no scores.
    """
    from scipy.stats import ttest_ind

    tasks_a, tasks_b = _by_task(a, measure), _by_task(b, measure)
    x, y = ([score for some in tasks.values() for score in some] for tasks in (tasks_a, tasks_b))
    if not x or not y:
        return Finding()
    varied = min(len(x), len(y)) > 1 and len({*x}) + len({*y}) > 2
    t, p = map(float, ttest_ind(x, y)) if varied else (None, None)
    shared = sorted(tasks_a.keys() & tasks_b.keys())
    gaps = [fmean(tasks_a[task]) - fmean(tasks_b[task]) for task in shared]
    flipped = sign_flip({measure: gaps}, shared)[measure].p if shared else None
    return Finding(p=p, more={"difference": fmean(x) - fmean(y), "t": t, "p_by_task": flipped})


def _by_task(values: Sequence[Value], measure: str) -> dict[str, list[float]]:
    tasks: dict[str, list[float]] = {}
    for value in values:
        if value.measure == measure and value.value is not None:
            tasks.setdefault(value.task, []).append(value.value)
    return tasks


RECIPES = {
    "sotopia-table1": (PeopleConfig, table1),
    "sotopia-table2": (StoredConfig, table2),
    "sotopia-figure-f4": (StoredConfig, figure_f4),
    "sotopia-table3": (PeopleConfig, table3),
    "sotopia-hard": (StoredConfig, hard_tasks),
    "sotopia-pi-human": (PublicRatingsConfig, public_ratings),
}
