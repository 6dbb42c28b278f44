"""Verbs that play tasks and show what was played; what they do loads when they are called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import (
    BaseUrl,
    Budget,
    EpisodeLimit,
    Html,
    InFlight,
    Json,
    KeyEnv,
    ModelsFile,
    OneJudge,
    OptFloat,
    OptInt,
    OptPath,
    OptText,
    OptTexts,
    Settings,
    StoreFile,
    TaskFilter,
    calling,
    option,
)

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab run sotopia --limit 20 --seed 1 --name first")
def run(
    world: Annotated[
        OptText,
        typer.Argument(
            metavar="WORLD",
            help="sotopia, anteval-information, anteval-intention, stss, stss-talk.",
        ),
    ] = None,
    file: Annotated[OptPath, option("--file", "TOML", "A description of the run.")] = None,
    write_file: Annotated[
        OptPath, option("--write-file", "TOML", "Write a description of this run.")
    ] = None,
    agent: Annotated[
        OptTexts,
        option(
            "--agent",
            "SPEC",
            "Who plays: scripted, human, endpoint/model, python:module:Class. Repeat it.",
        ),
    ] = None,
    partner: Annotated[
        OptText,
        typer.Option(
            "--partner",
            "--background",
            metavar="SPEC",
            help="Whom each agent plays with; in a town, who everybody else is.",
        ),
    ] = None,
    tdp: Annotated[
        bool, typer.Option("--tdp", help="STSS: target-driven planning (--set tdp=true).")
    ] = False,
    judge: Annotated[
        OptTexts,
        option(
            "--judge",
            "SPEC",
            "endpoint/model, the world's offline judge, python:module:Class, or none. Repeat it.",
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
    tasks: TaskFilter = None,
    limit: Annotated[OptInt, option("--limit", "N", "At most so many tasks.", min=1)] = None,
    repeats: Annotated[OptInt, option("--repeats", "N", "Play each so often.", min=1)] = None,
    seed: Annotated[OptInt, option("--seed", "N", "Of all random numbers; default 0.")] = None,
    data: Annotated[OptText, option("--data", "NAME|DIR", "An imported or own data set.")] = None,
    settings: Settings = None,
    attempts: Annotated[
        OptInt, option("--attempts", "N", "How often a seat is asked; default 3.", min=1)
    ] = None,
    on_failed_turn: Annotated[
        OptText, option("--on-failed-turn", "skip|stop", "Go on without it, or end there.")
    ] = None,
    max_failed_turns: Annotated[
        OptFloat,
        option(
            "--max-failed-turns",
            "SHARE",
            "A trial fails where a seat failed more of its turns; default 0.5, 1: never.",
            min=0,
            max=1,
        ),
    ] = None,
    agent_timeout: Annotated[
        OptFloat,
        option(
            "--agent-timeout",
            "SECONDS",
            "Give up a reply of your own agent, or judge, after so long; default 600.",
        ),
    ] = None,
    in_flight: InFlight = None,
    episodes: Annotated[
        OptInt, option("--episodes", "N", "Episodes under way at once.", min=1)
    ] = None,
    budget: Budget = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate calls, tokens, cost and time; play nothing.")
    ] = False,
    latency: Annotated[
        float | None,
        option("--latency", "SECONDS", "Seconds a call, for the time of --dry-run.", min=0),
    ] = None,
    brief: Annotated[
        bool, typer.Option("--brief", help="One table: measure, mean, interval, n, failures.")
    ] = False,
    name: Annotated[
        OptText, option("--name", "NAME", "The run's name; the same name resumes it.")
    ] = None,
    tag: Annotated[OptTexts, option("--tag", "WORD", "To find the run by. Repeat it.")] = None,
    store: StoreFile = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    json: Json = False,
) -> None:
    """Play tasks, have them judged, print the tables."""
    from sociolab.cli import run as verb
    from sociolab.cli.options import settings_of

    flags = {
        "world": world,
        "agents": agent,
        "partner": partner,
        "judges": judge,
        "readers": reader,
        "tasks": tasks,
        "limit": limit,
        "repeats": repeats,
        "seed": seed,
        "data": data,
        "settings": settings_of([*(settings or []), *(["tdp=true"] if tdp else [])]) or None,
        "attempts": attempts,
        "on_failed_turn": on_failed_turn,
        "max_failed_turns": max_failed_turns,
        "agent_timeout": agent_timeout,
        "episodes": episodes,
        "name": name,
        "tags": tag,
        **calling(locals()),
    }
    verb.run(
        flags,
        file,
        write_file=write_file,
        tdp=tdp,
        dry_run=dry_run,
        brief=brief,
        as_json=json,
        latency=latency,
    )


@verbs.command(
    "list", epilog='Example: sociolab list episodes --run first --score "goal_checked<3"'
)
def list_(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", help="runs, episodes, tasks, task-lists, worlds, agents or data."
        ),
    ] = "runs",
    run: Annotated[OptText, option("--run", "RUN", "Whose episodes.")] = None,
    agent: Annotated[
        OptText, option("--agent", "LABEL", "Episodes, or runs, that it played.")
    ] = None,
    tag: Annotated[OptTexts, option("--tag", "WORD", "Runs with this tag. Repeat it.")] = None,
    partner: Annotated[OptText, option("--partner", "LABEL", "Episodes with it, too.")] = None,
    task: Annotated[OptText, option("--task", "ID", "Episodes of tasks that begin so.")] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Episodes that failed, or turns of which did.")
    ] = False,
    score: Annotated[
        OptTexts,
        option("--score", "RULE", 'Episodes with "goal<4" or "goal_checked=disputed". Repeat it.'),
    ] = None,
    sort: Annotated[OptText, option("--sort", "MEASURE", "Episodes, the lowest first.")] = None,
    judge: OneJudge = None,
    limit: EpisodeLimit = None,
    world: Annotated[OptText, option("--world", "WORLD", "Whose tasks or agents; sotopia.")] = None,
    data: Annotated[OptText, option("--data", "NAME|DIR", "Tasks of this data set.")] = None,
    tasks: TaskFilter = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Of runs: also those of replies only, such as an audit's.")
    ] = False,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """List runs, episodes, tasks, task lists, worlds, agents or data."""
    from sociolab.app.queries import EpisodeQuery
    from sociolab.cli import listing as verb

    asked = EpisodeQuery(agent, partner, task, failed, tuple(score or ()), sort, judge, limit)
    tags = tuple(tag or ())
    sought = verb.Sought(what, run, world, data, tasks, everything, asked, tags)
    verb.show_list(sought, store, as_json=json)


@verbs.command(epilog="Example: sociolab show 674a725a --run first")
def show(
    episode: Annotated[
        list[str],
        typer.Argument(metavar="ID [ID]", help="Its id, or the beginning of it; or two of them."),
    ],
    seat: Annotated[
        OptText, option("--as", "SEAT", "Only what this seat saw: its id or a name.")
    ] = None,
    run: Annotated[
        OptTexts, option("--run", "RUN", "The run, if several have it. Of two episodes, repeat it.")
    ] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="The prompts and replies, word for word.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False,
    html: Html = None,
    store: StoreFile = None,
) -> None:
    """Show an episode as a transcript with its scores, or two side by side."""
    from sociolab.cli import show as verb

    verb.show(episode, run or (), verb.View(seat, prompts, markdown, html), store)
