"""The options of `sociolab compare`; what it does loads when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import (
    Html,
    Json,
    OneJudge,
    OptFloat,
    OptPath,
    OptText,
    OptTexts,
    StoreFile,
    option,
)


def compare(
    run: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN [RUN]", help="Two runs, or one with several agents; more with --curve."
        ),
    ],
    agent: Annotated[
        OptText, option("--agent", "LABEL", "Whom to compare; if only one, it.")
    ] = None,
    with_: Annotated[
        OptText, option("--with", "LABEL", "With whom, in the other run or this.")
    ] = None,
    judge: OneJudge = None,
    measure: Annotated[
        OptTexts, option("--measure", "NAME", "Only these; default: all. Repeat it.")
    ] = None,
    k: Annotated[str, option("--k", "K,K", "pass^k: all of k repeats succeed.")] = "1,2,4",
    threshold: Annotated[
        OptFloat, option("--threshold", "X", "A success from here up; 0 to 1: 1.")
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Follow the runs in the order given, as checkpoints.")
    ] = False,
    pairs_shown: Annotated[
        int, option("--pairs-shown", "N", "Pairs shown of a measure.", min=0)
    ] = 5,
    every: Annotated[
        bool, typer.Option("--all", help="Pairs of every measure, not only of those that differ.")
    ] = False,
    pairs: Annotated[OptPath, option("--pairs", "CSV", "Write all pairs to this new file.")] = None,
    fail_if: Annotated[
        OptTexts,
        option(
            "--fail-if",
            "RULE",
            '"goal<-0.5": exit with 1 if all of the interval of A - B is there. Repeat it.',
        ),
    ] = None,
    html: Html = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Compare two agents on the same tasks; of one run: repeats.

    Paired differences on the tasks that both played; of one run, how consistent its repeats are.
    """
    from sociolab.analysis.compare_runs import CompareRequest
    from sociolab.cli import compare as verb
    from sociolab.cli.options import refuse

    names = tuple(measure or ())
    if curve:
        refuse({
            "--with": with_, "--threshold": threshold, "--all": every, "--pairs": pairs,
            "--fail-if": fail_if,
        }, "is for two agents: leave it out, or leave --curve out")  # fmt: skip
        wanted = CompareRequest(tuple(run), agent, None, judge, names)
        verb.follow(wanted, html=html, store=store, as_json=json)
        return
    wanted = CompareRequest(tuple(run), agent, with_, judge, names, verb.ks_of(k), threshold)
    extras = verb.Extras(pairs_shown, every, pairs, tuple(fail_if or ()))
    verb.compare(wanted, extras, html=html, store=store, as_json=json)
