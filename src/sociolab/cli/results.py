"""Results: runs are reported, compared, ranked, put beside each other; agreement and variance."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolab.cli.options import (
    BySeat,
    Details,
    FigureFile,
    Full,
    Html,
    Json,
    Latex,
    MainMeasure,
    Markdown,
    OneJudge,
    OptFloat,
    OptInt,
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
    refuse,
    several,
)
from sociolab.cli.output import (
    page_of,
    say,
    say_next,
    say_written,
    show_result,
    show_sections,
    write_files,
)
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from sociolab.analysis.compare_runs import Conclusions
    from sociolab.analysis.compare_sides import CompareRequest
    from sociolab.analysis.episode_pairs import ComparedPairs
    from sociolab.analysis.gates import Gate, GateRule
    from sociolab.analysis.matching import Match
    from sociolab.report.schema import RunResult
    from sociolab.store.store import Store

verbs = typer.Typer()

Junit = Annotated[OptPath, option("--junit", "FILE", "Write the gates as JUnit XML, for CI.")]


@verbs.command(epilog="Example: sociolab report first --html first.html --csv first.csv")
def report(
    run: RunNames,
    html: Html = None,
    csv: Annotated[
        OptPath,
        option("--csv", "FILE.csv|DIR", "Write the scores; to a folder, episodes and runs, too."),
    ] = None,
    latex: Latex = None,
    markdown: Markdown = None,
    figure: FigureFile = None,
    judge: Annotated[
        OptTexts, option("--judge", "LABEL", "Whose scores, or all. Repeatable.")
    ] = None,
    metric: Annotated[OptTexts, option("--metric", "NAME", "Only this metric. Repeatable.")] = None,
    rename: Rename = None,
    by_seat: BySeat = False,
    partner: Annotated[
        bool, typer.Option("--partner", help="Include the partner's scores.")
    ] = False,
    full: Full = False,
    details: Details = False,
    fail_if: Annotated[
        OptTexts,
        option(
            "--fail-if",
            "RULE",
            'Exit with 1 if the whole interval of a mean satisfies it: "goal<6". Repeatable.',
        ),
    ] = None,
    junit: Junit = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Print the tables of runs again, or write them as files.

    The HTML page holds plots and some episodes, too. A figure has means with intervals; where
    agents met several partners, the matrix of pairs stands in a second file.
    """
    from sociolab.report.result import by_main_judge, details_of, each_once, narrowed
    from sociolab.store.store import open_store

    rules = rules_of(fail_if, junit)
    names = _renamed(rename)
    written: list[Path] = []
    if figure is not None:
        if len(run) > 1:
            raise ConfigError(f"--figure: expected one run, found {len(run)}; name one")
        _check_figure(figure)
    suite = f"sociolab report {' '.join(run)}"
    with told_undecided(suite, junit), open_store(store) as opened:
        found = [details_of(opened, one, seats=by_seat) for one in each_once(run)]
        if judge or metric:
            found = [
                replace(one, result=narrowed(one.result, judge or (), metric or ()))
                for one in found
            ]
        # What only some want is loaded for those alone: it takes longer than the tables.
        shown_as, gates = None, list["Gate"]()
        if names:
            from sociolab.analysis.agent_names import agent_names

            shown_as = agent_names(opened, run, names)
            found = [shown_as.details(one) for one in found]
        results = [one.result for one in found]
        shown = [one if judge else by_main_judge(one) for one in results]
        if rules:
            from sociolab.analysis.gates import score_gates

            gates = [gate for one in results for gate in score_gates(one, rules)]
        if html is not None:
            from sociolab.analysis.agent_names import AS_LABELLED
            from sociolab.analysis.compare_runs import two_agents
            from sociolab.app.results import write_page

            pages = [replace(one, result=result) for one, result in zip(found, shown, strict=True)]
            pairs = [two_agents(opened, result, names) for result in shown]
            write_page(opened, pages, html, compared=pairs, names=shown_as or AS_LABELLED)
            written.append(html)
        if csv is not None:
            from sociolab.app.results import write_csv

            written += write_csv(opened, results, csv)
    if any(file is not None for file in (latex, markdown, figure)):
        from sociolab.report.score_tables import run_section

        papers = [
            narrowed(result, partner=partner).model_copy(
                update={"run": names.get(result.run, result.run)}
            )
            for result in shown
        ]
        sections = [run_section(result, details=details) for result in papers]
        settings = [one.settings for one in papers]
        written += write_files(sections, latex, markdown, settings=settings)
        if figure is not None:
            written += _run_figures(papers[0], figure)
    if json and len(results) > 1:
        typer.echo("[\n" + ",\n".join(result.as_json() for result in results) + "\n]")
    else:
        for result in results if json else shown:
            show_result(
                result,
                store,
                as_json=json,
                full=full or by_seat or bool(metric),
                details=details,
                rename=names,
            )
    say_written(written)
    decide(gates, suite, junit)


@verbs.command(epilog="Example: sociolab compare first second --metric goal --html compared.html")
def compare(
    run: Annotated[
        list[str],
        argument("RUN [RUN ...]", "Runs of an agent each, or one of several agents."),
    ],
    agent: Annotated[OptText, option("--agent", "LABEL", "Agent A; default: the only one.")] = None,
    with_: Annotated[
        OptText, option("--with", "LABEL", "Agent B, in the other run or the same.")
    ] = None,
    judge: OneJudge = None,
    measure: Annotated[
        OptTexts, option("--metric", "NAME", "Only this metric; default: all. Repeatable.")
    ] = None,
    k: Annotated[
        str, option("--k", "K,K", "Values of k for pass^k (all k repeats succeed).")
    ] = "1,2,4",
    threshold: Annotated[
        OptFloat, option("--threshold", "X", "Minimum score that counts as a success.")
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Follow the runs in the order given, as checkpoints.")
    ] = False,
    pairs_shown: Annotated[int, option("--pairs-shown", "N", "Pairs shown per metric.", min=0)] = 5,
    every: Annotated[
        bool,
        typer.Option("--all", help="Show pairs of every metric, not only of those that differ."),
    ] = False,
    pairs: Annotated[
        OptPath, option("--pairs", "FILE", "Write all pairs to a new CSV file.")
    ] = None,
    latex: Latex = None,
    markdown: Markdown = None,
    csv: Annotated[OptPath, option("--csv", "FILE", "Write means and differences.")] = None,
    figure: FigureFile = None,
    rename: Rename = None,
    by_seat: BySeat = False,
    match: Annotated[
        OptText,
        option("--match", "HOW", "exact, scenario or none; default: what the runs' design allows."),
    ] = None,
    looks: Annotated[
        OptInt,
        option("--looks", "N", "Planned looks at this comparison; p counts for each.", min=1),
    ] = None,
    by: Annotated[
        OptText,
        option("--by", "prompts", "Compare two sets of instructions instead of two agents."),
    ] = None,
    fail_if: Annotated[
        OptTexts,
        option(
            "--fail-if",
            "RULE",
            'Exit with 1 if the whole interval of A - B satisfies it: "goal<-0.5". Repeatable.',
        ),
    ] = None,
    junit: Junit = None,
    html: Html = None,
    full: Full = False,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Compare two agents on the same tasks; one agent: consistency.

    Paired differences on the tasks that both played; of one agent, the consistency of its repeats.
    Prints the differences; --full adds effect sizes, power, pass^k and the pairs that differ most
    (so do --all, --k, --threshold and --pairs-shown).
    """
    from sociolab.analysis.agent_names import AS_LABELLED, agent_names
    from sociolab.analysis.compare_runs import compare_runs, with_looks
    from sociolab.analysis.compare_sides import CompareRequest
    from sociolab.analysis.episode_pairs import with_episodes
    from sociolab.app.results import write_pairs
    from sociolab.app.transcripts import transcript_of
    from sociolab.core.user_files import free_file
    from sociolab.store.store import open_store

    names = tuple(measure or ())
    if by not in (None, "prompts"):
        raise ConfigError(f'--by: expected prompts, found "{by}"')
    if curve:
        refuse({
            "--with": with_, "--by": by, "--threshold": threshold, "--all": every, "--pairs": pairs,
            "--fail-if": fail_if, "--junit": junit, "--latex": latex, "--markdown": markdown,
            "--csv": csv, "--figure": figure, "--rename": rename, "--by-seat": by_seat,
            "--match": match,
        }, "is for two agents: leave it out, or leave --curve out")  # fmt: skip
        _follow(CompareRequest(tuple(run), agent, None, judge, names), html, store, as_json=json)
        return
    called = _renamed(rename)
    wanted = CompareRequest(
        tuple(run),
        agent,
        with_,
        judge,
        names,
        ks_of(k),
        threshold,
        called,
        by_seat,
        by is not None,
        match_of(match),
        looks or 1,
    )
    if figure is not None:
        _check_figure(figure)
    rules = rules_of(fail_if, junit)
    if pairs is not None:
        free_file(pairs, "--pairs")
    suite = f"sociolab compare {' '.join(run)}"
    with told_undecided(suite, junit), open_store(store) as opened:
        found = compare_runs(opened, wanted)
        if looks is not None:
            found = with_looks(opened, found)
        drawn = found.forest() if figure is not None else None
        wanted_pairs = pairs is not None or every
        compared = _pairs(opened, found, pairs_shown, every=every, wanted=wanted_pairs)
        gates = _gates(opened, found, rules)
        if html is not None:
            shown_as = agent_names(opened, run, called) if called else AS_LABELLED
            extra = (
                (with_episodes(opened, compared, transcript_of, shown_as),)
                if compared and pairs_shown
                else ()
            )
            page_of(opened, wanted.runs, (*found.sections, *extra), html, shown_as)
    settings = [one.settings for one in found.outlines]
    written = write_files(found.paper, latex, markdown, csv, found.rows, figure, drawn, settings)
    whole = full or every or threshold is not None or (k, pairs_shown) != ("1,2,4", 5)
    shown = (compared.section,) if compared and pairs_shown else ()
    document = partial(_comparison_document, found, compared, gates)
    sections = (*found.sections, *shown) if whole else found.overview
    show_sections(sections, document, as_json=json, written=[html])
    for other in found.other_judges:
        say(f"scores by {other} are not in these tables: --judge {shlex.quote(other)}")
    if compared is not None and not whole and not json:
        sides = {"--agent": agent, "--with": with_, "--judge": judge}
        asked = [word for flag, value in sides.items() if value for word in (flag, value)]
        say_next([*compared.next_pair(), ("compare", *run, *asked, "--full")], store)
    if compared is not None and pairs is not None:
        say(f"wrote {write_pairs(compared, pairs):,} pairs to {pairs}")
    say_written(written)
    decide(gates, suite, junit)


@verbs.command(epilog="Example: sociolab table first town --html table.html")
def table(
    run: Annotated[list[str], argument("RUN", "Runs of several worlds.")],
    judge: Annotated[
        OptTexts, option("--judge", "WORLD=LABEL", "Whose scores there. Repeatable.")
    ] = None,
    html: Html = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Print agents by worlds: each world's main metric.

    Says, too, whether worlds and levels go together.
    """
    from sociolab.analysis.across import across
    from sociolab.app.registry import two_levels
    from sociolab.app.results import write_page
    from sociolab.store.store import open_store

    by_world = named_values(judge or (), "--judge", "WORLD=LABEL")
    with open_store(store) as opened:
        found = across(opened, run, by_world, two_levels())
        if html is not None:
            write_page(opened, found.results, html, [found.section])
    show_sections([found.section], found.document, as_json=json, written=[html])


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
    """Rank agents by who scores better in the same task, seat and partner.

    Bradley-Terry ratings from paired comparisons. --full adds how robust the order is and each
    agent's record against each other.
    """
    from sociolab.analysis.agent_names import agent_names
    from sociolab.analysis.rank import (
        rank_runs,
        ranking_document,
        ranking_section,
        rating_figure,
    )
    from sociolab.store.store import open_store

    called, how = _renamed(rename), match_of(match)
    if how == "none":
        raise ConfigError("--match none is for compare; a ranking needs counterparts")
    if figure is not None:
        _check_figure(figure)
    with open_store(store) as opened:
        settings = [opened.run(one).settings for one in run]
        found = rank_runs(opened, run, judge, metric, called, how)
        section = ranking_section(found)
        drawn = rating_figure(found) if figure is not None else None
        shown_as = agent_names(opened, run, called) if called and html else None
        page_of(opened, found.pool.runs, [section], html, shown_as)
    document = partial(ranking_document, found)
    written = write_files(
        [section], latex, markdown, csv, lambda: document()["agents"], figure, drawn, settings
    )
    shown = section if full else replace(section, tables=section.tables[:1])
    show_sections([shown], document, as_json=json, written=[html, *written])


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

    `sociolab run --tasks NAME` plays it. A page is written first: where it cannot be, no list is
    left behind.
    """
    from sociolab.analysis.hard_subset import hard_document, hard_section
    from sociolab.app.data.sets import keep
    from sociolab.app.hard_subset import HardSpec, choose_hard
    from sociolab.store.store import open_store

    left = tuple(without or ())
    spec = HardSpec(tuple(run), target, name, most, measure, judge, left, replace)
    with open_store(store) as opened:
        chosen = choose_hard(opened, spec)
        found = chosen.hard
        section = hard_section(found, spec.name, chosen.pools if details else chosen.pools[:1])
        page_of(opened, found.pool.runs, [section], html)
    path = keep(chosen.tasks)
    document = partial(hard_document, found, spec.name)
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
        option("--cost-per-judging", "USD", "Cost of a judging; default: as recorded.", min=0),
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
        found = run_variances(opened, run, several(judge), measure, cost_per_play, cost_per_judging)
    show_sections([variance_section(found)], partial(variance_document, found), as_json=json)


@verbs.command(epilog="Example: sociolab site public first second")
def site(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new folder, or an existing site.")
    ],
    run: RunNames,
    store: StoreFile = None,
) -> None:
    """Write a static site: rankings where they are fair, a page for each run, days in town."""
    from sociolab.app.results import write_site
    from sociolab.report.result import each_once, result_of
    from sociolab.store.store import open_store
    from sociolab.web.page_files import town_files

    with open_store(store) as opened:
        results = [result_of(opened, one) for one in each_once(run)]
        towns = {one.run: [(t.title, t.html) for t in town_files(opened, one)] for one in results}
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
    csv: Annotated[OptPath, option("--csv", "FILE", "Write all figures with intervals.")] = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Agreement of human raters and judges.

    People with each other, judges with people, and judges with each other.
    """
    from sociolab.analysis.agreement import agreements
    from sociolab.store.store import open_store
    from sociolab.studies.annotations import with_review

    with open_store(store) as opened:
        settings = [opened.run(one).settings for one in run]
        found = with_review(opened, agreements(opened, run, judge or (), ratings or (), bins=bins))
        page_of(opened, found.ratings.runs, found.sections, html)
    written = write_files(found.sections, latex, markdown, csv, found.rows, settings=settings)
    show_sections(found.sections, found.document, as_json=json, written=[html, *written])


@verbs.command(epilog="Example: sociolab analyze python:mine:by_weekday first --csv days.csv")
def analyze(
    function: Annotated[
        str, argument("python:MODULE:FUNCTION", "Takes the store and the runs; returns a section.")
    ],
    run: RunNames,
    html: Html = None,
    latex: Latex = None,
    markdown: Markdown = None,
    csv: Annotated[OptPath, option("--csv", "FILE", "Write all figures with intervals.")] = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Run an analysis of your own on stored runs.

    Its findings are printed, or written as a page, LaTeX, Markdown, CSV or JSON.
    """
    from sociolab.app.own_analysis import run_own_analysis
    from sociolab.report.finding import documents, tidy_rows
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        settings = [opened.run(one).settings for one in run]
        sections = run_own_analysis(function, opened, tuple(run))
        page_of(opened, run, sections, html)
    tables = [table for section in sections for table in section.tables]
    rows = list(tidy_rows(tables))
    written = write_files(sections, latex, markdown, csv, lambda: rows, settings=settings)
    document = {"sections": documents(sections)}
    show_sections(sections, lambda: document, as_json=json, written=[html, *written])


# ------------------------------------------------------------------ files for a paper


def _renamed(given: Sequence[str] | None) -> dict[str, str]:
    """New names of agents, judges and runs by their own."""
    return named_values(given or (), "--rename", "A=B")


def _check_figure(path: Path) -> None:
    """ConfigError, before any work, where no figure can be drawn into this file."""
    from sociolab.report.figures import drawing

    drawing(path)


def _run_figures(result: RunResult, path: Path) -> Iterator[Path]:
    """Draw the means of a run by its main judge and, into a second file, the matrix of agents and
    partners if it has one."""
    from sociolab.report.figures import heat_figure, mean_figure, write_figure
    from sociolab.report.words import stand_in_notes

    served = stand_in_notes(result.settings)
    means = mean_figure(result)
    if means is None:
        raise ConfigError(f"--figure: no agent of {result.run} has a score to be drawn")
    write_figure(path, means, served)
    yield path
    matrix = heat_figure(result)
    if matrix is not None:
        beside = path.with_stem(f"{path.stem}-pairs")
        write_figure(beside, matrix, served)
        yield beside


# ------------------------------------------------------------------ comparing


def _pairs(
    store: Store, found: Conclusions, shown: int, *, every: bool, wanted: bool
) -> ComparedPairs | None:
    """The pairs of episodes; ConfigError where they are asked for and there are none."""
    from sociolab.analysis.episode_pairs import compared_pairs

    if found.comparison is not None and found.comparison.match != "exact":
        if wanted:
            raise ConfigError(
                "--pairs and --all need pairs of episodes; these were matched by "
                f"--match {found.comparison.match}"
            )
        return None
    if found.comparison is not None:
        return compared_pairs(store, found.comparison, shown, every=every)
    if wanted:
        raise ConfigError("--pairs and --all are for two agents; name both: --agent A --with B")
    return None


def rules_of(fail_if: Sequence[str] | None, junit: Path | None) -> tuple[GateRule, ...]:
    """The rules of --fail-if; ConfigError for one that is none, and for --junit without any."""
    if not fail_if:
        refuse({"--junit": junit}, "is for gates: say --fail-if too, or leave it out")
        return ()
    from sociolab.analysis.gates import rule_of

    return tuple(map(rule_of, fail_if))


def _gates(store: Store, found: Conclusions, rules: Sequence[GateRule]) -> tuple[Gate, ...]:
    from sociolab.analysis.gates import difference_gates
    from sociolab.analysis.values import why_not_compared

    if not rules:
        return ()
    if found.comparison is None:
        raise ConfigError("--fail-if is for two agents; name both: --agent A --with B")
    runs = [one.run for one in found.outlines]
    return difference_gates(found.comparison, rules, partial(why_not_compared, store, runs))


@contextmanager
def told_undecided(suite: str, junit: Path | None) -> Iterator[None]:
    """Whatever keeps gates from being decided stands in their JUnit file, too: a file of an earlier
    run would show a pass."""
    try:
        yield
    except ConfigError as error:
        if junit is not None:
            _write_junit(junit, suite, (), str(error))
        raise


def decide(gates: Sequence[Gate], suite: str, junit: Path | None) -> None:
    """Say, and write, which gates passed; exit code 1 if one failed."""
    for gate in gates:
        say(gate.sentence)
    if junit is not None:
        _write_junit(junit, suite, gates)
        say(f"wrote {junit}")
    if any(gate.failed for gate in gates):
        raise typer.Exit(1)


def _write_junit(file: Path, suite: str, gates: Sequence[Gate], undecided: str = "") -> None:
    from sociolab.analysis import gates as rules
    from sociolab.report.export import write_report

    write_report(file, rules.junit(suite, gates, undecided))


def _comparison_document(
    found: Conclusions, pairs: ComparedPairs | None, gates: Sequence[Gate]
) -> dict[str, Any]:
    told = {"gates": [gate.document() for gate in gates]} if gates else {}
    return found.document() | {"pairs": pairs.document() if pairs else []} | told


def _follow(
    wanted: CompareRequest, html: Path | None, store: Path | None, *, as_json: bool
) -> None:
    """How an agent's scores go over runs, such as checkpoints."""
    from sociolab.analysis.curve import follow_runs
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        found = follow_runs(opened, wanted)
        page_of(opened, wanted.runs, [found.section], html)
    show_sections([found.section], found.document, as_json=as_json, written=[html])


def match_of(text: str | None) -> Match | None:
    """How plays are matched; ConfigError for another word."""
    from sociolab.analysis.matching import MATCHES

    found = next((one for one in MATCHES if one == text), None)
    if found is not None or text is None:
        return found
    raise ConfigError(f'--match: expected {", ".join(MATCHES)}, found "{text}"')


def ks_of(text: str) -> tuple[int, ...]:
    """ "1,2,4" as numbers, each once, in order; ConfigError for anything else."""
    if not re.fullmatch(r"\s*[1-9]\d{0,3}\s*(,\s*[1-9]\d{0,3}\s*)*", text):
        raise ConfigError(
            f'--k: expected numbers from 1 with commas, such as 1,2,4; found "{text}"'
        )
    return tuple(sorted({int(part) for part in text.split(",")}))
