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
    RunNames,
    Store,
)

verbs = typer.Typer()


@verbs.command()
def report(
    run: RunNames,
    html: Html = None,
    csv: Annotated[
        OptPath,
        typer.Option(
            "--csv", metavar="FILE|DIR", help="Write the scores; to a folder the plays, too."
        ),
    ] = None,
    latex: Annotated[
        OptPath, typer.Option("--latex", metavar="FILE", help="Write tables for LaTeX (booktabs).")
    ] = None,
    markdown: Annotated[
        OptPath, typer.Option("--markdown", metavar="FILE", help="Write Markdown tables.")
    ] = None,
    details: Details = False,
    store: Store = None,
    json: Json = False,
) -> None:
    """Print the tables of runs again, or write them as one HTML page or in other formats."""
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


verbs.command()(compare)


@verbs.command()
def table(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs of several worlds.")],
    judge: Annotated[
        OptTexts,
        typer.Option("--judge", metavar="WORLD=LABEL", help="Whose scores there. Repeat it."),
    ] = None,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Agents by worlds, each world's main measure; and whether worlds and levels go together."""
    from sociolab.cli import across as verb

    verb.show_across(run, judge or (), html=html, store=store, as_json=json)


@verbs.command()
def rank(
    run: RunNames,
    judge: OneJudge = None,
    measure: MainMeasure = None,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Rank the agents of runs: who scores higher at the same task, seat and partner."""
    from sociolab.cli import rank as verb

    verb.rank(run, judge=judge, measure=measure, html=html, store=store, as_json=json)


@verbs.command()
def hard(
    run: RunNames,
    target: Annotated[
        str, typer.Option("--target", metavar="AGENT", help="For whom the tasks are hard.")
    ],
    name: Annotated[str, typer.Option("--name", help="What to call the list, such as hard-X.")],
    most: Annotated[int, typer.Option("--most", min=1, help="So many tasks.")] = 20,
    measure: Annotated[
        OptText,
        typer.Option("--measure", metavar="NAME", help="overall or goal; default: the main one."),
    ] = None,
    judge: OneJudge = None,
    without: Annotated[
        OptTexts,
        typer.Option("--without", metavar="AGENT", help="Leave an agent's plays out. Repeat it."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a list of this name.")
    ] = False,
    details: Details = False,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Store the tasks that are hard for one agent as a list that --tasks plays."""
    from sociolab.app.conclusions.hard import HardSpec
    from sociolab.cli import hard as verb

    left = tuple(without or ())
    spec = HardSpec(tuple(run), target, name, most, measure, judge, left, replace)
    verb.hard(spec, details=details, html=html, store=store, as_json=json)


@verbs.command()
def variance(
    run: RunNames,
    measure: MainMeasure = None,
    judge: Annotated[
        OptTexts,
        typer.Option("--judge", metavar="JUDGE", help="Whose scores. Repeat it, or use commas."),
    ] = None,
    cost_per_play: Annotated[
        OptFloat,
        typer.Option("--cost-per-play", min=0, metavar="USD", help="Default: what plays cost."),
    ] = None,
    cost_per_judging: Annotated[
        OptFloat,
        typer.Option("--cost-per-judging", min=0, metavar="USD", help="Default: what they cost."),
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """What scores vary with (scenario, partner, repeat, judge), and where more would help."""
    from sociolab.cli import vary as verb
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


@verbs.command()
def site(
    folder: Annotated[Path, typer.Argument(help="A new folder, or a site's.")],
    run: RunNames,
    store: Store = None,
) -> None:
    """Write a static site: rankings where they are fair, and a page for each run."""
    from sociolab.cli import site as verb

    verb.site(folder, run, store=store)


@verbs.command()
def agree(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="The runs' names.")],
    judge: Annotated[
        OptTexts,
        typer.Option("--judge", metavar="JUDGE", help="Only this judge. Repeat it."),
    ] = None,
    bins: Annotated[
        int, typer.Option("--bins", min=2, max=100, help="Equal parts of each scale, for kappa.")
    ] = 5,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """How far people agree with each other, and judges with them, on what was played."""
    from sociolab.cli import agree as verb

    verb.agree(run, judges=judge or [], bins=bins, html=html, store=store, as_json=json)
