"""Verbs that turn the scores of runs into conclusions; what they do loads when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sociolab.cli.compare_verb import compare
from sociolab.cli.options import (
    Details,
    Html,
    Json,
    MainMeasure,
    OneJudge,
    OptFloat,
    OptPath,
    OptText,
    OptTexts,
    Replace,
    RunNames,
    Store,
    option,
)

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab report first --html first.html --csv first.csv")
def report(
    run: RunNames,
    html: Html = None,
    csv: Annotated[
        OptPath, option("--csv", "FILE|DIR", "Write the scores; to a folder the plays, too.")
    ] = None,
    latex: Annotated[
        OptPath, option("--latex", "FILE", "Write tables for LaTeX (booktabs).")
    ] = None,
    markdown: Annotated[OptPath, option("--markdown", "FILE", "Write Markdown tables.")] = None,
    details: Details = False,
    store: Store = None,
    json: Json = False,
) -> None:
    """Print the tables of runs again, or write them as files.

    The HTML page holds plots and some episodes, too.
    """
    from sociolab.cli import report as verb

    verb.report(
        run,
        html=html,
        csv=csv,
        latex_file=latex,
        markdown_file=markdown,
        details=details,
        store=store,
        as_json=json,
    )


verbs.command(epilog="Example: sociolab compare first second --measure goal --html compared.html")(
    compare
)


@verbs.command(epilog="Example: sociolab table first town --html table.html")
def table(
    run: Annotated[list[str], typer.Argument(metavar="RUN", help="Runs of several worlds.")],
    judge: Annotated[
        OptTexts, option("--judge", "WORLD=LABEL", "Whose scores there. Repeat it.")
    ] = None,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Print agents by worlds: each world's main measure.

    Says, too, whether worlds and levels go together.
    """
    from sociolab.cli import table as verb

    verb.table(run, judge or (), html=html, store=store, as_json=json)


@verbs.command(epilog="Example: sociolab rank first second --measure goal")
def rank(
    run: RunNames,
    judge: OneJudge = None,
    measure: MainMeasure = None,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Rank the agents of runs by who scores higher in the same place.

    The same place: the same task, seat and partner.
    """
    from sociolab.cli import rank as verb

    verb.rank(run, judge=judge, measure=measure, html=html, store=store, as_json=json)


@verbs.command(epilog="Example: sociolab hard first second --target openai/MODEL --name hard-model")
def hard(
    run: RunNames,
    target: Annotated[str, option("--target", "AGENT", "For whom the tasks are hard.")],
    name: Annotated[str, option("--name", "NAME", "What to call the list, such as hard-X.")],
    most: Annotated[int, option("--most", "N", "So many tasks.", min=1)] = 20,
    measure: Annotated[
        OptText, option("--measure", "NAME", "overall, goal_checked...; default: the main one.")
    ] = None,
    judge: OneJudge = None,
    without: Annotated[
        OptTexts, option("--without", "AGENT", "Leave an agent's plays out. Repeat it.")
    ] = None,
    replace: Replace = False,
    details: Details = False,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Store the tasks that are hard for one agent, as a list to play.

    `sociolab run --tasks NAME` plays it.
    """
    from sociolab.app.conclusions.hard import HardSpec
    from sociolab.cli import hard as verb

    left = tuple(without or ())
    spec = HardSpec(tuple(run), target, name, most, measure, judge, left, replace)
    verb.hard(spec, details=details, html=html, store=store, as_json=json)


@verbs.command(epilog="Example: sociolab variance first --measure goal")
def variance(
    run: RunNames,
    measure: MainMeasure = None,
    judge: Annotated[
        OptTexts, option("--judge", "JUDGE", "Whose scores. Repeat it, or use commas.")
    ] = None,
    cost_per_play: Annotated[
        OptFloat, option("--cost-per-play", "USD", "Default: what plays cost.", min=0)
    ] = None,
    cost_per_judging: Annotated[
        OptFloat, option("--cost-per-judging", "USD", "Default: what they cost.", min=0)
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Tell what scores vary with, and where more play would help.

    Scores vary with scenario, partner, repeat and judge.
    """
    from sociolab.cli import variance as verb
    from sociolab.cli.settings import several

    verb.variance(
        run,
        judges=several(judge),
        measure=measure,
        per_play=cost_per_play,
        per_judging=cost_per_judging,
        store=store,
        as_json=json,
    )


@verbs.command(epilog="Example: sociolab site public first second")
def site(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder, or a site's.")],
    run: RunNames,
    store: Store = None,
) -> None:
    """Write a static site: rankings where they are fair, a page for each run."""
    from sociolab.cli import site as verb

    verb.site(folder, run, store=store)


@verbs.command(epilog="Example: sociolab agree first --html agreement.html")
def agree(
    run: RunNames,
    judge: Annotated[OptTexts, option("--judge", "JUDGE", "Only this judge. Repeat it.")] = None,
    bins: Annotated[
        int, option("--bins", "N", "Equal parts of each scale, for kappa.", min=2, max=100)
    ] = 5,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Tell how far people and judges agree on what was played.

    People with each other, judges with people, and judges with each other.
    """
    from sociolab.cli import agree as verb

    verb.agree(run, judges=judge or [], bins=bins, html=html, store=store, as_json=json)
