"""The options of `sociolab compare`; what it does loads when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import Html, Json, OptFloat, OptPath, OptText, OptTexts, Store


def compare(
    run: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN [RUN]",
            help="Two runs, or one with several agents; more with --curve.",
        ),
    ],
    agent: Annotated[
        OptText, typer.Option("--agent", metavar="LABEL", help="Whom to compare; if only one, it.")
    ] = None,
    with_: Annotated[
        OptText,
        typer.Option("--with", metavar="LABEL", help="With whom, in the other run or this."),
    ] = None,
    judge: Annotated[
        OptText, typer.Option("--judge", metavar="LABEL", help="Whose scores, if several judged.")
    ] = None,
    measure: Annotated[
        OptTexts,
        typer.Option("--measure", metavar="NAME", help="Only these; default: all. Repeat it."),
    ] = None,
    k: Annotated[
        str, typer.Option("--k", metavar="K,K", help="pass^k: all of k repeats succeed.")
    ] = "1,2,4",
    threshold: Annotated[
        OptFloat,
        typer.Option("--threshold", metavar="X", help="A success from here up; 0 to 1: 1."),
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Follow the runs in the order given, as checkpoints.")
    ] = False,
    pairs_shown: Annotated[
        int, typer.Option("--pairs-shown", min=0, metavar="N", help="Pairs shown of a measure.")
    ] = 5,
    every: Annotated[
        bool, typer.Option("--all", help="Pairs of every measure, not only of those that differ.")
    ] = False,
    pairs: Annotated[
        OptPath, typer.Option("--pairs", metavar="CSV", help="Write all pairs to this new file.")
    ] = None,
    fail_if: Annotated[
        OptTexts,
        typer.Option(
            "--fail-if",
            metavar="RULE",
            help='"goal<-0.5": exit with 1 if all of the interval of A - B is there. Repeat it.',
        ),
    ] = None,
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Compare two agents on the tasks that both played; of one run: consistency over repeats."""
    from sociolab.app.conclusions.comparing import Wanted

    names = tuple(measure or ())
    if curve:
        from sociolab.cli import comparing_curve

        given = {
            "--with": with_, "--threshold": threshold, "--all": every, "--pairs": pairs,
            "--fail-if": fail_if,
        }  # fmt: skip
        comparing_curve.refuse(given)
        wanted = Wanted(tuple(run), agent, None, judge, names)
        comparing_curve.follow(wanted, html=html, store=store, as_json=json)
        return
    from sociolab.cli import compare as verb

    wanted = Wanted(tuple(run), agent, with_, judge, names, verb.ks_of(k), threshold)
    extras = verb.Extras(pairs_shown, every, pairs, tuple(fail_if or ()))
    verb.compare(wanted, extras, html=html, store=store, as_json=json)
