"""Verbs that have judges look again at what was played; what they do loads when called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import (
    BaseUrl,
    Budget,
    EpisodeLimit,
    InFlight,
    Json,
    KeyEnv,
    ModelsFile,
    OptFloat,
    OptInt,
    OptPath,
    OptText,
    OptTexts,
    RunName,
    Store,
    calling,
    option,
)

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab judge first --judge openai/MODEL --budget 5")
def judge(
    run: Annotated[OptText, typer.Argument(metavar="RUN", help="The run's name.")] = None,
    judge: Annotated[
        OptTexts,
        option(
            "--judge",
            "SPEC",
            "endpoint/model, the world's offline judge, or python:module:Class. Repeat it.",
        ),
    ] = None,
    reader: Annotated[
        OptTexts,
        option(
            "--reader",
            "SPEC",
            "A model that reads off each transcript what was agreed (sotopia). Repeat it.",
        ),
    ] = None,
    repeats: Annotated[OptInt, option("--repeats", "N", "Judge each so often.", min=1)] = None,
    validate: Annotated[
        OptText,
        option(
            "--validate",
            "SPEC",
            "No run: how well this reader or judge agrees with labelled data (--data).",
        ),
    ] = None,
    data: Annotated[OptPath, option("--data", "DIR", "Labelled data for --validate.")] = None,
    limit: Annotated[
        OptInt, option("--limit", "N", "With --validate: N items drawn at random.", min=1)
    ] = None,
    agent_timeout: Annotated[
        OptFloat,
        option(
            "--agent-timeout",
            "SECONDS",
            "Give up an episode that a judge of your own takes longer for; default 600.",
        ),
    ] = None,
    in_flight: InFlight = None,
    budget: Budget = None,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    json: Json = False,
) -> None:
    """Have the episodes of a run judged anew, or validate a judge on labelled data."""
    from sociolab.cli import judge as verb

    flags = {"agent_timeout": agent_timeout, **calling(locals())}
    of_run = {"RUN": run, "--judge": judge, "--reader": reader, "--repeats": repeats}
    of_data = {"--validate": validate, "--data": data, "--limit": limit}
    if verb.validates(of_run, of_data):
        verb.validate(flags | {"judge": validate, "data": data, "limit": limit}, as_json=json)
    else:
        flags |= {"judges": judge, "readers": reader}
        verb.judge(run or "", flags, repeats=repeats or 1, as_json=json)


@verbs.command(epilog="Example: sociolab audit first --judge openai/MODEL --limit 20")
def audit(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run whose episodes are judged.")],
    judge: Annotated[OptText, option("--judge", "SPEC", "The judge to audit.")] = None,
    kind: Annotated[
        OptTexts,
        option(
            "--kind",
            "KIND",
            "repeat, order, names, padding or family; default: all that apply. Repeat it.",
        ),
    ] = None,
    limit: EpisodeLimit = None,
    repeats: Annotated[int, option("--repeats", "N", "Judgings beyond the first.", min=1)] = 3,
    seed: Annotated[int, option("--seed", "N", "Of the words that pad.")] = 0,
    family: Annotated[
        OptTexts, option("--family", "NAME=PATTERN", "Which models are a family. Repeat it.")
    ] = None,
    panel: Annotated[
        OptTexts, option("--panel", "JUDGE,JUDGE", "Judges of this run to see as one. No calls.")
    ] = None,
    apart: Annotated[
        float, option("--apart", "POINTS", "Of a panel: more is disagreement.", min=0)
    ] = 2.0,
    in_flight: InFlight = None,
    budget: Budget = None,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    json: Json = False,
) -> None:
    """Audit a judge: is it moved by what should not count?

    It judges again, in another order, with names swapped or words padded.
    """
    from sociolab.cli import audit as verb
    from sociolab.cli.settings import several

    flags = {
        "run": run,
        "judge": judge,
        "kinds": several(kind),
        "limit": limit,
        "repeats": repeats,
        "seed": seed,
        "families": verb.family_rules(family),
        "panel": several(panel),
        "apart": apart,
        **calling(locals()),
    }
    verb.audit(flags, as_json=json)


@verbs.command(epilog="Example: sociolab credit first --judge openai/MODEL --limit 20")
def credit(
    run: RunName,
    judge: Annotated[str, option("--judge", "SPEC", "Such as openai/MODEL.")],
    measure: Annotated[str, option("--measure", "NAMES", "goal, secret, or both.")] = "goal,secret",
    limit: Annotated[OptInt, option("--limit", "N", "The first N episodes.", min=1)] = None,
    out: Annotated[OptPath, option("--out", "FILE", "Write a JSON line for each turn.")] = None,
    in_flight: InFlight = None,
    budget: Budget = None,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    json: Json = False,
) -> None:
    """Tell which turns moved a goal or gave a secret away.

    A judge says so, and must quote the turns.
    """
    from sociolab.cli import credit as verb

    flags = {"judges": (judge,), **calling(locals())}
    verb.credit(run, flags, measure=measure, limit=limit, out=out, as_json=json)


@verbs.command(epilog="Example: sociolab gap --real sample --generated tavern")
def gap(
    real: Annotated[str, option("--real", "DATA", "Imported real play, a file, or sample.")],
    generated: Annotated[
        list[str], option("--generated", "RUN", "A run to compare. Repeat it, or use commas.")
    ],
    test: Annotated[
        OptText, option("--test", "DATA", "Real play to test on; default: a fifth.")
    ] = None,
    information: Annotated[
        OptTexts, option("--information", "RUN", "A run with the IEP. Repeat it.")
    ] = None,
    dm: Annotated[
        str,
        option(
            "--dm",
            "SPEC",
            "linear, encoder, lora:DIR, endpoint/model?examples=8, tuned:endpoint/model.",
        ),
    ] = "linear",
    most: Annotated[int, option("--most", "N", "Labels a row at most.", min=1)] = 1,
    all_rows: Annotated[
        bool, typer.Option("--all-rows", help="Test on rows that name the skill, too.")
    ] = False,
    all_real: Annotated[
        bool, typer.Option("--all-real", help="Learn from all real play, whatever the run's size.")
    ] = False,
    splits: Annotated[
        OptInt, option("--splits", "N", "Pairs of real samples: the noise floor.", min=0)
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Of samples and intervals.")] = 0,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    in_flight: InFlight = None,
    budget: Budget = None,
    json: Json = False,
) -> None:
    """Measure how far generated D&D play is from real play (AntEval's IEG).

    Virtual DMs that learned from either see the difference.
    """
    from sociolab.cli import gap as verb
    from sociolab.cli.settings import several

    flags = {
        "real": real,
        "test": test,
        "generated": several(generated),
        "information": several(information),
        "dm": dm,
        "most": most,
        "strict": not all_rows,
        "matched": not all_real,
        "splits": splits,
        "seed": seed,
        **calling(locals()),
    }
    verb.gap(flags, as_json=json)
