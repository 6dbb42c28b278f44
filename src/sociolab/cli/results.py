"""Results of runs: reports, rankings, tables, agreement, variance and analyses of one's own."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolab.cli.gates import AcceptFailedExam, Junit, fail_option, gate_check
from sociolab.cli.options import (
    BySeat,
    Details,
    FigureFile,
    FiguresCsv,
    Full,
    Html,
    Json,
    Latex,
    MainMeasure,
    Markdown,
    OneJudge,
    OptFloat,
    OptPath,
    OptText,
    OptTexts,
    Rename,
    Replace,
    RunNames,
    StoreFile,
    argument,
    named_values,
    option,
    parse_match,
    parse_renames,
    split_names,
)
from sociolab.cli.output import Media, VerbResult, say, say_written, show_run, show_sections
from sociolab.cli.people import OptPeople, people_beside, with_people
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sociolab.analysis.gates import Gate, GateRule
    from sociolab.report.result import ResultDetails
    from sociolab.report.schema import RunResult
    from sociolab.report.section import Section
    from sociolab.store.store import Store

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab report first --html first.html --csv first.csv")
def report(
    run: RunNames,
    html: Html = None,
    csv: Annotated[
        OptPath,
        option("--csv", "FILE.csv|DIR", "Write the scores; into a folder, also episodes and runs."),
    ] = None,
    latex: Latex = None,
    markdown: Markdown = None,
    figure: FigureFile = None,
    judge: Annotated[
        OptTexts, option("--judge", "LABEL", "Whose scores, or all. Repeatable.")
    ] = None,
    metric: Annotated[OptTexts, option("--metric", "NAME", "Only this metric. Repeatable.")] = None,
    rename: Rename = None,
    people: OptPeople = None,
    by_seat: BySeat = False,
    partner: Annotated[
        bool, typer.Option("--partner", help="Include the partner's scores.")
    ] = False,
    full: Full = False,
    details: Details = False,
    fail_if: Annotated[OptTexts, fail_option("a mean", "goal<6")] = None,
    accept_failed_exam: AcceptFailedExam = False,
    junit: Junit = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Print the tables of runs again, or write them as files.

    The HTML page also has plots and some episodes. A figure has means with intervals; if agents met
    several partners, the agent-partner matrix goes into a second file.
    """
    from sociolab.analysis.agent_labels import AS_LABELLED, agent_names
    from sociolab.analysis.run_comparison import two_agents
    from sociolab.app.results import write_csv, write_page
    from sociolab.report.result import by_main_judge
    from sociolab.report.verdict import run_verdict
    from sociolab.store.store import open_store

    new_names = parse_renames(rename)
    media = Media(html, latex, markdown, csv, figure, json)
    check = gate_check("report", run, fail_if, junit, accept_failed_exam)
    if figure is not None and len(run) > 1:
        raise ConfigError(f"--figure: expected one run, found {len(run)}; name one")
    written: list[Path] = []
    compared: list[Section | None]
    with check.deciding(), open_store(store) as opened:
        loaded = [*_load_details(opened, run, judge or (), metric or (), by_seat=by_seat)]
        names = None
        if new_names:
            names = agent_names(opened, run, new_names)
            loaded = [*map(names.details, loaded)]
        results = [entry.result for entry in loaded]
        displayed = results if judge else [*map(by_main_judge, results)]
        compared = [two_agents(opened, result, new_names) for result in displayed]
        verdicts = [*map(run_verdict, displayed, compared)]
        gates = check.trusted(_gates(loaded, check.rules), results)
        beside = people_beside(opened, run, people, names)
        among = [section for section, _ in beside]
        if html is not None:
            paged = [replace(old, result=new) for old, new in zip(loaded, displayed, strict=True)]
            write_page(opened, paged, html, among, compared=compared, names=names or AS_LABELLED)
            written.append(html)
        if csv is not None:
            written += write_csv(opened, results, csv)
    written += _paper_files(
        media, displayed, compared, new_names, among, partner=partner, details=details
    )
    if json:
        documents = [r.as_json(verdict) for r, verdict in zip(results, verdicts, strict=True)]
        if beside:
            pairs = zip(documents, beside, strict=True)
            documents = [with_people(text, document) for text, (_, document) in pairs]
        typer.echo("[\n" + ",\n".join(documents) + "\n]" if documents[1:] else documents[0])
    else:
        all_tables = full or by_seat or bool(metric)
        for i, (result, section) in enumerate(zip(displayed, compared, strict=True)):
            show_run(
                result,
                section,
                store,
                full=all_tables,
                details=details,
                rename=new_names,
                beside=among[i : i + 1],
            )
    say_written(written)
    check.decide(gates, results, verdicts=verdicts)


def _load_details(
    store: Store,
    runs: Sequence[str],
    judges: Sequence[str],
    metrics: Sequence[str],
    *,
    by_seat: bool,
) -> Iterator[ResultDetails]:
    """The results of runs, each once, narrowed to these judges and metrics if any are named."""
    from sociolab.report.result import details_of, each_once, select_scores

    for run in each_once(runs):
        details = details_of(store, run, seats=by_seat)
        if judges or metrics:
            details = replace(details, result=select_scores(details.result, judges, metrics))
        yield details


def _gates(loaded: Sequence[ResultDetails], rules: Sequence[GateRule]) -> list[Gate]:
    if not rules:
        return []
    from sociolab.analysis.gates import score_gates

    return [gate for one in loaded for gate in score_gates(one.result, rules, one.columns)]


def _paper_files(
    media: Media,
    results: Sequence[RunResult],
    compared: Sequence[Section | None],
    new_names: Mapping[str, str],
    among: Sequence[Section],
    *,
    partner: bool,
    details: bool,
) -> Iterator[Path]:
    """Write what was requested for a paper: tables of the runs and, of a single run, a figure of
    the means by its main judge, with the agent-partner matrix, if there is one, in a second file.

    The partner's scores are left out unless `partner` asks for them.
    """
    if media.latex is None and media.markdown is None and media.figure is None:
        return
    from sociolab.report.result import select_scores
    from sociolab.report.score_tables import run_section
    from sociolab.report.verdict import run_verdict

    own = [
        select_scores(result, partner=partner).model_copy(
            update={"run": new_names.get(result.run, result.run)}
        )
        for result in results
    ]
    sections = [
        *(
            run_section(result, details=details, verdict=run_verdict(result, pair), compared=pair)
            for result, pair in zip(own, compared, strict=True)
        ),
        *among,
    ]
    settings = [result.settings for result in own]
    means = matrix = None
    if media.figure is not None:
        from sociolab.report.figures import heat_figure, mean_figure

        means, matrix = mean_figure(own[0]), heat_figure(own[0])
        if means is None:
            raise ConfigError(f"--figure: no agent of {own[0].run} has a score to be drawn")
    paper = replace(media, csv=None)
    yield from paper.write_files(VerbResult((), sections, dict, figure=means), settings)
    if media.figure is not None and matrix is not None:
        beside = Media(figure=media.figure.with_stem(f"{media.figure.stem}-pairs"))
        yield from beside.write_files(VerbResult((), sections, dict, figure=matrix), settings)


@verbs.command(epilog="Example: sociolab table first town --html table.html")
def table(
    run: Annotated[list[str], argument("RUN", "Runs of several worlds.")],
    judge: Annotated[
        OptTexts, option("--judge", "WORLD=LABEL", "The judge for that world. Repeatable.")
    ] = None,
    html: Html = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Print a table of agents by world: each world's main metric.

    Also says how results correlate across worlds and levels.
    """
    from sociolab.analysis.across_worlds import across
    from sociolab.app.registry import two_levels
    from sociolab.app.results import write_page
    from sociolab.store.store import open_store

    by_world = named_values(judge or (), "--judge", "WORLD=LABEL")
    with open_store(store) as opened:
        worlds = across(opened, run, by_world, two_levels())
        if html is not None:
            write_page(opened, worlds.results, html, [worlds.section])
    show_sections([worlds.section], worlds.document, as_json=json, written=[html])


@verbs.command(epilog="Example: sociolab rank first second --metric goal")
def rank(
    run: RunNames,
    judge: OneJudge = None,
    metric: MainMeasure = None,
    html: Html = None,
    latex: Latex = None,
    markdown: Markdown = None,
    csv: Annotated[OptPath, option("--csv", "FILE", "Write the ratings.")] = None,
    figure: FigureFile = None,
    rename: Rename = None,
    match: Annotated[
        OptText, option("--match", "HOW", "exact or scenario; default: what the design allows.")
    ] = None,
    full: Full = False,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Rank agents by who scores better with the same task, seat and partner.

    Bradley-Terry ratings from paired comparisons. --full adds the robustness of the order and
    the head-to-head records.
    """
    from sociolab.analysis.agent_labels import agent_names
    from sociolab.analysis.rank import (
        rank_runs,
        ranking_document,
        ranking_section,
        rating_figure,
    )
    from sociolab.store.store import open_store

    media = Media(html, latex, markdown, csv, figure, json)
    new_names, how = parse_renames(rename), parse_match(match)
    if how == "none":
        raise ConfigError("--match none is for compare; a ranking needs counterparts")
    with open_store(store) as opened:
        ranking = rank_runs(opened, run, judge, metric, new_names, how)
        section = ranking_section(ranking)
        document = partial(ranking_document, ranking)
        result = VerbResult(
            ranking.pool.runs,
            [section],
            document,
            rows=lambda: document()["agents"],
            figure=rating_figure(ranking) if figure is not None else None,
            printed=None if full else [replace(section, tables=section.tables[:1])],
            names=agent_names(opened, run, new_names) if new_names and html else None,
        )
        media.show(opened, result)
    if ranking.pool.led_by:
        say(ranking.pool.led_by)


@verbs.command(epilog="Example: sociolab hard first second --target openai/MODEL --name hard-model")
def hard(
    run: RunNames,
    target: Annotated[str, option("--target", "AGENT", "The agent for which tasks are hard.")],
    name: Annotated[str, option("--name", "NAME", "Name of the list, such as hard-X.")],
    most: Annotated[int, option("--most", "N", "Number of tasks.", min=1)] = 20,
    measure: Annotated[
        OptText, option("--metric", "NAME", "overall, goal_checked...; default: the main one.")
    ] = None,
    judge: OneJudge = None,
    without: Annotated[
        OptTexts, option("--without", "AGENT", "Leave out an agent's episodes. Repeatable.")
    ] = None,
    replace: Replace = False,
    details: Details = False,
    html: Html = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Store the tasks that are hard for one agent as a list to run.

    `sociolab run --tasks NAME` plays it. A page is written first; if that fails, no list is stored.
    """
    from sociolab.analysis.hard_subset import hard_document, hard_section
    from sociolab.app.data.sets import save_list
    from sociolab.app.hard_subset import HardSpec, choose_hard
    from sociolab.store.store import open_store

    excluded = tuple(without or ())
    spec = HardSpec(tuple(run), target, name, most, measure, judge, excluded, replace)
    with open_store(store) as opened:
        chosen = choose_hard(opened, spec)
        subset = chosen.hard
        section = hard_section(subset, spec.name, chosen.pools if details else chosen.pools[:1])
        document = partial(hard_document, subset, spec.name)
        Media(html).write_page(opened, VerbResult(subset.pool.runs, [section], document))
    path = save_list(chosen.tasks)
    show_sections([section], document, as_json=json, written=[html, path])
    say(f"run it: {chosen.command}")


@verbs.command(epilog="Example: sociolab variance first --metric goal")
def variance(
    run: RunNames,
    measure: MainMeasure = None,
    judge: Annotated[
        OptTexts, option("--judge", "JUDGE", "Whose scores. Repeatable, or separated by commas.")
    ] = None,
    cost_per_play: Annotated[
        OptFloat,
        option("--cost-per-play", "USD", "Cost of an episode; default: as recorded.", min=0),
    ] = None,
    cost_per_judging: Annotated[
        OptFloat,
        option("--cost-per-judging", "USD", "Cost of a judgment; default: as recorded.", min=0),
    ] = None,
    half_width: Annotated[
        OptFloat,
        option("--half-width", "POINTS", "Episodes and raters needed for ± POINTS.", min=0),
    ] = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Variance components of scores, and sample-size advice.

    Scores vary with scenario, partner, repeat and judge.
    """
    from sociolab.analysis.variance_components import (
        run_variances,
        variance_document,
        variance_section,
    )
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        components = run_variances(
            opened, run, split_names(judge), measure, cost_per_play, cost_per_judging
        )
    document = partial(variance_document, components, half_width)
    show_sections([variance_section(components, half_width)], document, as_json=json)


@verbs.command(epilog="Example: sociolab site public first second")
def site(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new folder, or an existing site.")
    ],
    run: RunNames,
    store: StoreFile = None,
) -> None:
    """Write a static site: rankings of comparable runs, a page for each run, town replays."""
    from sociolab.app.results import write_site
    from sociolab.report.result import each_once, result_of
    from sociolab.store.store import open_store
    from sociolab.web.page_files import town_files

    with open_store(store) as opened:
        results = [result_of(opened, name) for name in each_once(run)]
        towns = {r.run: [(t.title, t.html) for t in town_files(opened, r)] for r in results}
        write_site(opened, results, folder, towns)
    say(f"wrote {folder / 'index.html'}: open it in a browser, or serve the folder")


@verbs.command(epilog="Example: sociolab agree first --html agreement.html")
def agree(
    run: RunNames,
    judge: Annotated[OptTexts, option("--judge", "JUDGE", "Only this judge. Repeatable.")] = None,
    ratings: Annotated[
        OptTexts, option("--ratings", "NAME", "Only this set of ratings. Repeatable.")
    ] = None,
    bins: Annotated[
        int, option("--bins", "N", "Number of equal bins per scale, for kappa.", min=2, max=100)
    ] = 5,
    html: Html = None,
    latex: Latex = None,
    markdown: Markdown = None,
    csv: FiguresCsv = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Agreement of human raters and judges.

    People with each other, judges with people, and judges with each other.
    """
    from sociolab.analysis.agreement import agreements
    from sociolab.store.store import open_store
    from sociolab.studies.annotations import add_review_section

    media = Media(html, latex, markdown, csv, json=json)
    with open_store(store) as opened:
        rated = agreements(opened, run, judge or (), ratings or (), bins=bins)
        agreed = add_review_section(opened, rated)
        runs = agreed.ratings.runs
        media.show(opened, VerbResult(runs, agreed.sections, agreed.document, agreed.rows))


@verbs.command(epilog="Example: sociolab analyze python:mine:by_weekday first --csv days.csv")
def analyze(
    function: Annotated[
        str, argument("python:MODULE:FUNCTION", "Takes the store and the runs; returns a section.")
    ],
    run: RunNames,
    html: Html = None,
    latex: Latex = None,
    markdown: Markdown = None,
    csv: FiguresCsv = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Run your own analysis on stored runs.

    Its findings are printed, or written as a page, LaTeX, Markdown, CSV or JSON.
    """
    from sociolab.app.own_analysis import run_own_analysis
    from sociolab.report.finding import documents, tidy_rows
    from sociolab.store.store import open_store

    media = Media(html, latex, markdown, csv, json=json)
    with open_store(store) as opened:
        sections = run_own_analysis(function, opened, tuple(run))
        document = {"sections": documents(sections)}
        rows = list(tidy_rows(table for section in sections for table in section.tables))
        media.show(opened, VerbResult(run, sections, lambda: document, lambda: rows))
