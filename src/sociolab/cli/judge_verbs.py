"""Verbs that have judges look again at what was played; what they do loads when called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import (
    BaseUrl,
    Budget,
    InFlight,
    Json,
    KeyEnv,
    ModelsFile,
    OptInt,
    OptPath,
    OptText,
    OptTexts,
    RunName,
    Store,
)

verbs = typer.Typer()


@verbs.command()
def judge(
    run: RunName,
    judge: Annotated[
        list[str],
        typer.Option(
            "--judge",
            metavar="SPEC",
            help="heuristic or rules, endpoint/model, or python:module:Class. Repeat it.",
        ),
    ],
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Judge each so often.")] = 1,
    in_flight: InFlight = None,
    budget: Budget = None,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    json: Json = False,
) -> None:
    """Have the episodes of a run judged anew."""
    from sociolab.cli import judge as verb

    flags = {
        "judges": judge,
        "in_flight": in_flight,
        "budget": budget,
        "store": store,
        "base_url": base_url,
        "key_env": key_env,
        "models": models,
    }
    verb.judge(run, flags, repeats=repeats, as_json=json)


@verbs.command()
def audit(
    run: Annotated[str, typer.Argument(help="The run whose episodes are judged.")],
    judge: Annotated[
        OptText, typer.Option("--judge", metavar="SPEC", help="The judge to audit.")
    ] = None,
    kind: Annotated[
        OptTexts,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="repeat, order, names, padding or family; default: all that apply. Repeat it.",
        ),
    ] = None,
    limit: Annotated[
        OptInt, typer.Option("--limit", min=1, help="At most so many episodes.")
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, help="Judgings beyond the first.")
    ] = 3,
    seed: Annotated[int, typer.Option("--seed", help="Of the words that pad.")] = 0,
    family: Annotated[
        OptTexts,
        typer.Option(
            "--family", metavar="NAME=PATTERN", help="Which models are a family. Repeat it."
        ),
    ] = None,
    panel: Annotated[
        OptTexts,
        typer.Option(
            "--panel", metavar="JUDGE,JUDGE", help="Judges of this run to see as one. No calls."
        ),
    ] = None,
    apart: Annotated[
        float,
        typer.Option("--apart", min=0, metavar="POINTS", help="Of a panel: more is disagreement."),
    ] = 2.0,
    in_flight: InFlight = None,
    budget: Budget = None,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    json: Json = False,
) -> None:
    """Audit a judge: judged again, in another order, with names swapped or words padded."""
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
        "in_flight": in_flight,
        "budget": budget,
        "store": store,
        "base_url": base_url,
        "key_env": key_env,
        "models": models,
    }
    verb.audit(flags, as_json=json)


@verbs.command()
def credit(
    run: RunName,
    judge: Annotated[str, typer.Option("--judge", metavar="SPEC", help="Such as openai/MODEL.")],
    measure: Annotated[
        str, typer.Option("--measure", metavar="NAMES", help="goal, secret, or both.")
    ] = "goal,secret",
    limit: Annotated[OptInt, typer.Option("--limit", min=1, help="The first N episodes.")] = None,
    out: Annotated[
        OptPath, typer.Option("--out", metavar="FILE", help="Write a JSON line for each turn.")
    ] = None,
    in_flight: InFlight = None,
    budget: Budget = None,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    json: Json = False,
) -> None:
    """Which turns moved a goal or gave a secret away, by a judge that must quote them."""
    from sociolab.cli import credit as verb

    flags = {
        "judges": (judge,),
        "in_flight": in_flight,
        "budget": budget,
        "store": store,
        "base_url": base_url,
        "key_env": key_env,
        "models": models,
    }
    verb.credit(run, flags, measure=measure, limit=limit, out=out, as_json=json)


@verbs.command()
def gap(
    real: Annotated[
        str, typer.Option("--real", metavar="DATA", help="Imported real play, a file, or sample.")
    ],
    generated: Annotated[
        list[str],
        typer.Option(
            "--generated", metavar="RUN", help="A run to compare. Repeat it, or use commas."
        ),
    ],
    test: Annotated[
        OptText,
        typer.Option("--test", metavar="DATA", help="Real play to test on; default: a fifth."),
    ] = None,
    information: Annotated[
        OptTexts,
        typer.Option("--information", metavar="RUN", help="A run with the IEP. Repeat it."),
    ] = None,
    dm: Annotated[
        str,
        typer.Option(
            "--dm",
            metavar="SPEC",
            help="linear, encoder, lora:DIR, endpoint/model?examples=8, tuned:endpoint/model.",
        ),
    ] = "linear",
    most: Annotated[int, typer.Option("--most", min=1, help="Labels a row at most.")] = 1,
    all_rows: Annotated[
        bool, typer.Option("--all-rows", help="Test on rows that name the skill, too.")
    ] = False,
    all_real: Annotated[
        bool, typer.Option("--all-real", help="Learn from all real play, whatever the run's size.")
    ] = False,
    cut: Annotated[
        bool, typer.Option("--cut", help="Cut sessions to the turns that show the intention.")
    ] = False,
    splits: Annotated[
        OptInt, typer.Option("--splits", min=0, help="Pairs of real samples: the noise floor.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of samples and intervals.")] = 0,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    in_flight: InFlight = None,
    budget: Budget = None,
    json: Json = False,
) -> None:
    """How far generated D&D play is from real play, as virtual DMs see it (AntEval's IEG)."""
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
        "cut": cut,
        "splits": splits,
        "seed": seed,
        "store": store,
        "base_url": base_url,
        "key_env": key_env,
        "models": models,
        "in_flight": in_flight,
        "budget": budget,
    }
    verb.gap(flags, as_json=json)
