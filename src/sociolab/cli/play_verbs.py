"""Verbs that play tasks and show what was played; what they do loads when they are called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import (
    BaseUrl,
    Budget,
    Html,
    InFlight,
    Json,
    KeyEnv,
    ModelsFile,
    OptFloat,
    OptInt,
    OptPath,
    OptText,
    OptTexts,
    Settings,
    Store,
)

verbs = typer.Typer()


@verbs.command()
def run(
    world: Annotated[
        OptText,
        typer.Argument(help="sotopia, anteval-information, anteval-intention, stss, stss-talk."),
    ] = None,
    file: Annotated[
        OptPath, typer.Option("--file", metavar="TOML", help="A description of the run.")
    ] = None,
    write_file: Annotated[
        OptPath,
        typer.Option("--write-file", metavar="TOML", help="Write a description of this run."),
    ] = None,
    agent: Annotated[
        OptTexts,
        typer.Option(
            "--agent",
            metavar="SPEC",
            help="Who plays: scripted, human, endpoint/model, python:module:Class. Repeat it.",
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
        typer.Option(
            "--judge",
            metavar="SPEC",
            help="heuristic or rules, endpoint/model, python:module:Class, or none. Repeat it.",
        ),
    ] = None,
    tasks: Annotated[
        OptText,
        typer.Option(
            "--tasks", metavar="FILTER", help="Ids, tags, scenario=ID; commas: any, plus: all."
        ),
    ] = None,
    limit: Annotated[OptInt, typer.Option("--limit", min=1, help="At most so many tasks.")] = None,
    repeats: Annotated[OptInt, typer.Option("--repeats", min=1, help="Play each so often.")] = None,
    seed: Annotated[
        OptInt, typer.Option("--seed", help="Of all random numbers; default 0.")
    ] = None,
    data: Annotated[
        OptText, typer.Option("--data", metavar="NAME|DIR", help="An imported or own data set.")
    ] = None,
    settings: Settings = None,
    attempts: Annotated[
        OptInt, typer.Option("--attempts", min=1, help="How often a seat is asked; default 3.")
    ] = None,
    on_failed_turn: Annotated[
        OptText,
        typer.Option(
            "--on-failed-turn", metavar="skip|stop", help="Go on without it, or end there."
        ),
    ] = None,
    agent_timeout: Annotated[
        OptFloat,
        typer.Option(
            "--agent-timeout",
            metavar="SECONDS",
            help="Give up a reply of an agent of your own after so long; default 600.",
        ),
    ] = None,
    in_flight: InFlight = None,
    episodes: Annotated[
        OptInt, typer.Option("--episodes", min=1, help="Episodes under way at once.")
    ] = None,
    budget: Budget = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate calls, tokens, cost and time; play nothing.")
    ] = False,
    latency: Annotated[
        float | None,
        typer.Option("--latency", min=0, help="Seconds a call, for the time of --dry-run."),
    ] = None,
    brief: Annotated[
        bool, typer.Option("--brief", help="One table: measure, mean, interval, n, failures.")
    ] = False,
    name: Annotated[
        OptText, typer.Option("--name", help="The run's name; the same name resumes it.")
    ] = None,
    tag: Annotated[
        OptTexts, typer.Option("--tag", metavar="WORD", help="To find the run by. Repeat it.")
    ] = None,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    json: Json = False,
) -> None:
    """Play tasks, have them judged, print the tables."""
    from sociolab.cli import run as verb
    from sociolab.cli.settings import settings_of

    flags = {
        "world": world,
        "agents": agent,
        "partner": partner,
        "judges": judge,
        "tasks": tasks,
        "limit": limit,
        "repeats": repeats,
        "seed": seed,
        "data": data,
        "settings": settings_of([*(settings or []), *(["tdp=true"] if tdp else [])]),
        "attempts": attempts,
        "on_failed_turn": on_failed_turn,
        "agent_timeout": agent_timeout,
        "in_flight": in_flight,
        "episodes": episodes,
        "budget": budget,
        "name": name,
        "tags": tag,
        "store": store,
        "base_url": base_url,
        "key_env": key_env,
        "models": models,
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


@verbs.command("list")
def list_(
    what: Annotated[
        str, typer.Argument(help="runs, episodes, tasks, task-lists, worlds, agents or data.")
    ] = "runs",
    run: Annotated[OptText, typer.Option("--run", help="Whose episodes.")] = None,
    agent: Annotated[
        OptText, typer.Option("--agent", metavar="LABEL", help="Episodes, or runs, that it played.")
    ] = None,
    tag: Annotated[
        OptTexts, typer.Option("--tag", metavar="WORD", help="Runs with this tag. Repeat it.")
    ] = None,
    partner: Annotated[
        OptText, typer.Option("--partner", metavar="LABEL", help="Episodes with it, too.")
    ] = None,
    task: Annotated[
        OptText, typer.Option("--task", metavar="ID", help="Episodes of tasks that begin so.")
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Episodes that failed, or turns of which did.")
    ] = False,
    score: Annotated[
        OptTexts,
        typer.Option("--score", metavar="RULE", help='Episodes with "goal<4". Repeat it.'),
    ] = None,
    sort: Annotated[
        OptText, typer.Option("--sort", metavar="MEASURE", help="Episodes, the lowest first.")
    ] = None,
    judge: Annotated[
        OptText, typer.Option("--judge", metavar="LABEL", help="Whose scores, if several judged.")
    ] = None,
    limit: Annotated[
        OptInt, typer.Option("--limit", min=1, help="At most so many episodes.")
    ] = None,
    world: Annotated[str, typer.Option("--world", help="Whose tasks.")] = "sotopia",
    data: Annotated[OptText, typer.Option("--data", help="Tasks of this data set.")] = None,
    tasks: Annotated[OptText, typer.Option("--tasks", metavar="FILTER")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Of runs: also those of replies only, such as an audit's.")
    ] = False,
    store: Store = None,
    json: Json = False,
) -> None:
    """List runs, episodes, tasks, task lists, worlds, agents or data."""
    from sociolab.app.finding.episode_list import Asked
    from sociolab.cli import listing as verb

    asked = Asked(agent, partner, task, failed, tuple(score or ()), sort, judge, limit)
    tags = tuple(tag or ())
    sought = verb.Sought(what, run, world, data, tasks, everything, asked, tags)
    verb.show_list(sought, store, as_json=json)


@verbs.command()
def show(
    episode: Annotated[
        list[str],
        typer.Argument(metavar="ID [ID]", help="Its id, or the beginning of it; or two of them."),
    ],
    seat: Annotated[
        OptText,
        typer.Option("--as", metavar="SEAT", help="Only what this seat saw: its id or a name."),
    ] = None,
    run: Annotated[
        OptTexts,
        typer.Option("--run", help="The run, if several have it. Of two episodes, repeat it."),
    ] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="The prompts and replies, word for word.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False,
    html: Html = None,
    store: Store = None,
) -> None:
    """Show an episode: a transcript to read, with its scores; or two, side by side."""
    from sociolab.cli import show as verb

    verb.show(episode, run or (), verb.View(seat, prompts, markdown, html), store)
