"""The verbs and their options. What they do is imported only when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from sociolab.cli.town_verbs import town

app = typer.Typer(
    name="sociolab",
    help="A laboratory for the social intelligence of language agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data = typer.Typer(
    help="Check and complete your own characters and tasks.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(data, name="data")
app.add_typer(town, name="town")

Store = Annotated[
    Optional[Path],  # noqa: UP045  typer reads this at run time
    typer.Option(
        "--store", metavar="FILE", help="The store; default: $SOCIOLAB_STORE or your own."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Machine-readable result on stdout, progress on stderr.")
]
BaseUrl = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--base-url", metavar="URL", help="Where openai/MODEL is served."),
]
KeyEnv = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--key-env", metavar="NAME", help="Environment variable that holds the key."),
]
ModelsFile = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        "--models", metavar="FILE", help="Endpoints, keys and prices; default: models.toml."
    ),
]
OptText = Optional[str]  # noqa: UP045
OptInt = Optional[int]  # noqa: UP045
OptFloat = Optional[float]  # noqa: UP045
OptPath = Optional[Path]  # noqa: UP045


@app.command()
def run(
    world: Annotated[
        OptText,
        typer.Argument(help="sotopia, anteval-information, anteval-intention, stss, stss-talk."),
    ] = None,
    file: Annotated[
        OptPath, typer.Option("--file", metavar="TOML", help="A description of the run.")
    ] = None,
    agent: Annotated[
        Optional[list[str]],  # noqa: UP045
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
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--judge",
            metavar="SPEC",
            help="heuristic or rules, endpoint/model, or none. Repeat it.",
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
    settings: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the world. Repeat it."),
    ] = None,
    attempts: Annotated[
        OptInt, typer.Option("--attempts", min=1, help="How often a seat is asked; default 3.")
    ] = None,
    on_failed_turn: Annotated[
        OptText,
        typer.Option(
            "--on-failed-turn", metavar="skip|stop", help="Go on without it, or end there."
        ),
    ] = None,
    in_flight: Annotated[
        OptInt, typer.Option("--in-flight", min=1, help="Calls at once to each endpoint.")
    ] = None,
    episodes: Annotated[
        OptInt, typer.Option("--episodes", min=1, help="Episodes under way at once.")
    ] = None,
    budget: Annotated[
        OptFloat, typer.Option("--budget", min=0, metavar="USD", help="Stop before spending more.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate calls, tokens and cost; play nothing.")
    ] = False,
    name: Annotated[
        OptText, typer.Option("--name", help="The run's name; the same name resumes it.")
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
        "in_flight": in_flight,
        "episodes": episodes,
        "budget": budget,
        "name": name,
        "store": store,
        "base_url": base_url,
        "key_env": key_env,
        "models": models,
    }
    verb.run(flags, file, tdp=tdp, dry_run=dry_run, as_json=json)


@app.command("list")
def list_(
    what: Annotated[
        str, typer.Argument(help="runs, episodes, tasks, task-lists, worlds, agents or data.")
    ] = "runs",
    run: Annotated[OptText, typer.Option("--run", help="Whose episodes.")] = None,
    world: Annotated[str, typer.Option("--world", help="Whose tasks.")] = "sotopia",
    data: Annotated[OptText, typer.Option("--data", help="Tasks of this data set.")] = None,
    tasks: Annotated[OptText, typer.Option("--tasks", metavar="FILTER")] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """List runs, episodes, tasks, task lists, worlds, agents or data."""
    from sociolab.cli import listing as verb

    verb.show_list(what, run=run, world=world, data=data, tasks=tasks, store=store, as_json=json)


@app.command()
def show(
    episode: Annotated[str, typer.Argument(help="Its id, or the beginning of it.")],
    seat: Annotated[
        OptText, typer.Option("--as", metavar="SEAT", help="Only what this seat saw.")
    ] = None,
    run: Annotated[OptText, typer.Option("--run", help="The run, if several have it.")] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="The prompts and replies, word for word.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False,
    store: Store = None,
) -> None:
    """Show an episode: a transcript to read, with its scores."""
    from sociolab.cli import show as verb

    verb.show(episode, seat=seat, run=run, prompts=prompts, markdown=markdown, store=store)


@app.command()
def report(
    run: Annotated[list[str], typer.Argument(help="The runs' names.")],
    html: Annotated[OptPath, typer.Option("--html", metavar="FILE", help="Write a page.")] = None,
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
    details: Annotated[
        bool, typer.Option("--details", help="A matrix of pairs for each measure.")
    ] = False,
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


@app.command()
def compare(
    run: Annotated[
        list[str], typer.Argument(metavar="RUN [RUN]", help="Two runs, or one with several agents.")
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
        Optional[list[str]],  # noqa: UP045
        typer.Option("--measure", metavar="NAME", help="Only these; default: all. Repeat it."),
    ] = None,
    k: Annotated[
        str, typer.Option("--k", metavar="K,K", help="pass^k: all of k repeats succeed.")
    ] = "1,2,4",
    threshold: Annotated[
        OptFloat,
        typer.Option("--threshold", metavar="X", help="A success from here up; 0 to 1: 1."),
    ] = None,
    html: Annotated[OptPath, typer.Option("--html", metavar="FILE", help="Write a page.")] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Compare two agents on the tasks that both played; of one run: consistency over repeats."""
    from sociolab.app.comparing import Wanted
    from sociolab.cli import compare as verb

    names = tuple(measure or ())
    wanted = Wanted(tuple(run), agent, with_, judge, names, verb.ks_of(k), threshold)
    verb.compare(wanted, html=html, store=store, as_json=json)


@app.command()
def table(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs of several worlds.")],
    judge: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--judge", metavar="WORLD=LABEL", help="Whose scores there. Repeat it."),
    ] = None,
    html: Annotated[OptPath, typer.Option("--html", metavar="FILE", help="Write a page.")] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Agents by worlds, each world's main measure; and whether worlds and levels go together."""
    from sociolab.cli import across as verb

    verb.show_across(run, judge or (), html=html, store=store, as_json=json)


@app.command()
def rank(
    run: Annotated[list[str], typer.Argument(help="The runs' names.")],
    judge: Annotated[
        OptText, typer.Option("--judge", metavar="JUDGE", help="Whose scores; if several judged.")
    ] = None,
    measure: Annotated[
        OptText, typer.Option("--measure", metavar="NAME", help="Default: the world's main one.")
    ] = None,
    html: Annotated[OptPath, typer.Option("--html", metavar="FILE", help="Write a page.")] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Rank the agents of runs: who scores higher at the same task, seat and partner."""
    from sociolab.cli import rank as verb

    verb.rank(run, judge=judge, measure=measure, html=html, store=store, as_json=json)


@app.command()
def hard(
    run: Annotated[list[str], typer.Argument(help="The runs' names.")],
    target: Annotated[
        str, typer.Option("--target", metavar="AGENT", help="For whom the tasks are hard.")
    ],
    name: Annotated[str, typer.Option("--name", help="What to call the list, such as hard-X.")],
    most: Annotated[int, typer.Option("--most", min=1, help="So many tasks.")] = 20,
    measure: Annotated[
        OptText,
        typer.Option("--measure", metavar="NAME", help="overall or goal; default: the main one."),
    ] = None,
    judge: Annotated[
        OptText, typer.Option("--judge", metavar="JUDGE", help="Whose scores; if several judged.")
    ] = None,
    without: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--without", metavar="AGENT", help="Leave an agent's plays out. Repeat it."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a list of this name.")
    ] = False,
    details: Annotated[
        bool, typer.Option("--details", help="A matrix of pairs for each measure.")
    ] = False,
    html: Annotated[OptPath, typer.Option("--html", metavar="FILE", help="Write a page.")] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Store the tasks that are hard for one agent as a list that --tasks plays."""
    from sociolab.app.hard import HardSpec
    from sociolab.cli import hard as verb

    left = tuple(without or ())
    spec = HardSpec(tuple(run), target, name, most, measure, judge, left, replace)
    verb.hard(spec, details=details, html=html, store=store, as_json=json)


@app.command()
def variance(
    run: Annotated[list[str], typer.Argument(help="The runs' names.")],
    measure: Annotated[
        OptText, typer.Option("--measure", metavar="NAME", help="Default: the world's main one.")
    ] = None,
    judge: Annotated[
        Optional[list[str]],  # noqa: UP045
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


@app.command()
def site(
    folder: Annotated[Path, typer.Argument(help="A new folder, or a site's.")],
    run: Annotated[list[str], typer.Argument(help="The runs' names.")],
    store: Store = None,
) -> None:
    """Write a static site: rankings where they are fair, and a page for each run."""
    from sociolab.cli import site as verb

    verb.site(folder, run, store=store)


@app.command()
def agree(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="The runs' names.")],
    judge: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--judge", metavar="JUDGE", help="Only this judge. Repeat it."),
    ] = None,
    bins: Annotated[
        int, typer.Option("--bins", min=2, max=100, help="Equal parts of each scale, for kappa.")
    ] = 5,
    html: Annotated[OptPath, typer.Option("--html", metavar="FILE", help="Write a page.")] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """How far people agree with each other, and judges with them, on what was played."""
    from sociolab.cli import agree as verb

    verb.agree(run, judges=judge or [], bins=bins, html=html, store=store, as_json=json)


@app.command()
def judge(
    run: Annotated[str, typer.Argument(help="The run's name.")],
    judge: Annotated[list[str], typer.Option("--judge", metavar="SPEC", help="Repeat it.")],
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Judge each so often.")] = 1,
    in_flight: Annotated[OptInt, typer.Option("--in-flight", min=1)] = None,
    budget: Annotated[OptFloat, typer.Option("--budget", min=0, metavar="USD")] = None,
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


@app.command()
def audit(
    run: Annotated[str, typer.Argument(help="The run whose episodes are judged.")],
    judge: Annotated[
        OptText, typer.Option("--judge", metavar="SPEC", help="The judge to audit.")
    ] = None,
    kind: Annotated[
        Optional[list[str]],  # noqa: UP045
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
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--family", metavar="NAME=PATTERN", help="Which models are a family. Repeat it."
        ),
    ] = None,
    panel: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--panel", metavar="JUDGE,JUDGE", help="Judges of this run to see as one. No calls."
        ),
    ] = None,
    apart: Annotated[
        float,
        typer.Option("--apart", min=0, metavar="POINTS", help="Of a panel: more is disagreement."),
    ] = 2.0,
    in_flight: Annotated[
        OptInt, typer.Option("--in-flight", min=1, help="Calls at once to each endpoint.")
    ] = None,
    budget: Annotated[
        OptFloat, typer.Option("--budget", min=0, metavar="USD", help="Stop before spending more.")
    ] = None,
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


@app.command()
def credit(
    run: Annotated[str, typer.Argument(help="The run's name.")],
    judge: Annotated[str, typer.Option("--judge", metavar="SPEC", help="Such as openai/MODEL.")],
    measure: Annotated[
        str, typer.Option("--measure", metavar="NAMES", help="goal, secret, or both.")
    ] = "goal,secret",
    limit: Annotated[OptInt, typer.Option("--limit", min=1, help="The first N episodes.")] = None,
    out: Annotated[
        OptPath, typer.Option("--out", metavar="FILE", help="Write a JSON line for each turn.")
    ] = None,
    in_flight: Annotated[OptInt, typer.Option("--in-flight", min=1)] = None,
    budget: Annotated[OptFloat, typer.Option("--budget", min=0, metavar="USD")] = None,
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


@app.command()
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
        Optional[list[str]],  # noqa: UP045
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
    in_flight: Annotated[
        OptInt, typer.Option("--in-flight", min=1, help="Calls at once to each endpoint.")
    ] = None,
    budget: Annotated[
        OptFloat, typer.Option("--budget", min=0, metavar="USD", help="Stop before spending more.")
    ] = None,
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


@app.command()
def write(
    world: Annotated[str, typer.Argument(help="anteval-information or anteval-intention.")],
    writer: Annotated[str, typer.Option("--writer", metavar="SPEC", help="Such as openai/MODEL.")],
    name: Annotated[str, typer.Option("--name", help="What to call the data set.")],
    settings: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the world. Repeat it."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of all that is drawn; default 0.")] = 0,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a data set of this name.")
    ] = False,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    in_flight: Annotated[
        OptInt, typer.Option("--in-flight", min=1, help="Calls at once to each endpoint.")
    ] = None,
    budget: Annotated[
        OptFloat, typer.Option("--budget", min=0, metavar="USD", help="Stop before spending more.")
    ] = None,
) -> None:
    """Have a model write the people and the knowledge of sessions: a data set to play."""
    from sociolab.cli import writing as verb
    from sociolab.cli.settings import settings_of

    flags = {
        "world": world,
        "writer": writer,
        "name": name,
        "settings": settings_of(settings),
        "seed": seed,
        "replace": replace,
        "store": store,
        "base_url": base_url,
        "key_env": key_env,
        "models": models,
        "in_flight": in_flight,
        "budget": budget,
    }
    verb.write(flags)


@app.command()
def build(
    world: Annotated[str, typer.Argument(help="stss-talk.")],
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="N-M", help="Of the towns that are lived.")
    ] = "1-6",
    total: Annotated[int, typer.Option("--total", min=1, help="Conversation tasks.")] = 325,
    data: Annotated[
        OptText, typer.Option("--data", metavar="TOWN", help="An imported town; default: ours.")
    ] = None,
    name: Annotated[OptText, typer.Option("--name", help="What to call the data set.")] = None,
    out: Annotated[
        OptPath,
        typer.Option("--out", metavar="DIR", help="The folder to write; it names the set, too."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what is there of this name.")
    ] = False,
) -> None:
    """Live a town's tasks and freeze conversation tasks from them: a data set to play."""
    from sociolab.app.building import Build
    from sociolab.cli import build as verb

    verb.build(world, Build(seeds, total, data, name, out, replace))


@app.command("import")
def import_(
    format: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="sotopia, sotopia-episodes, dnd, crd3, fireball, dnd-transcript, stss, run or "
            "ratings.",
        ),
    ],
    path: Annotated[Path, typer.Argument(help="The folder or file to read.")],
    name: Annotated[
        OptText, typer.Option("--name", help="What to call it here; of ratings: people.")
    ] = None,
    run: Annotated[OptText, typer.Option("--run", help="Of ratings: the run.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what is there of this name.")
    ] = False,
    no_hints: Annotated[
        bool, typer.Option("--no-hints", help="Leave out hints at a strategy in public goals.")
    ] = False,
    correct: Annotated[
        bool, typer.Option("--correct", help="Mend the defects that are found (stss).")
    ] = False,
    store: Store = None,
) -> None:
    """Import a data set, or episodes, made elsewhere."""
    from sociolab.cli import importing as verb

    hints = not no_hints
    verb.import_(
        format,
        path,
        name=name,
        run=run,
        replace=replace,
        hints=hints,
        correct=correct,
        store=store,
    )


@app.command()
def export(
    run: Annotated[str, typer.Argument(help="The run's name.")],
    path: Annotated[Path, typer.Argument(help="The file, or folder for Parquet, to write.")],
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Tables of scores, turns and calls.")
    ] = False,
    store: Store = None,
) -> None:
    """Write a whole run to JSON lines, or its tables to Parquet."""
    from sociolab.cli import exporting as verb

    verb.export(run, path, parquet=parquet, store=store)


@app.command()
def rename(
    old: Annotated[str, typer.Argument(help="The run's name.")],
    new: Annotated[str, typer.Argument(help="Its new name.")],
    store: Store = None,
) -> None:
    """Rename a run."""
    from sociolab.cli import listing as verb

    verb.rename(old, new, store=store)


@app.command()
def delete(
    run: Annotated[str, typer.Argument(help="The run's name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: Store = None,
) -> None:
    """Delete a run with everything in it."""
    from sociolab.cli import listing as verb

    verb.delete(run, yes=yes, store=store)


@app.command()
def endpoint(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any free one.")] = 8765,
    latency_ms: Annotated[float, typer.Option("--latency-ms", min=0)] = 0.0,
    distribution: Annotated[
        str, typer.Option("--latency", metavar="constant|lognormal|uniform")
    ] = "constant",
    faults: Annotated[
        float, typer.Option("--faults", min=0, max=1, help="Share of replies that fail.")
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", help="Of faults, latency and texts.")] = 0,
    by_hand: Annotated[
        OptPath,
        typer.Option("--by-hand", metavar="DIR", help="Lay requests down as files, await replies."),
    ] = None,
) -> None:
    """Serve a local OpenAI-compatible endpoint, for tests."""
    from sociolab.cli import endpoint as verb

    verb.endpoint(port, latency_ms, distribution, faults, seed, by_hand)


@app.command()
def doctor(
    spec: Annotated[str, typer.Argument(help="An agent or judge, such as openai/gpt-x.")],
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
) -> None:
    """Check a spec with one call, and say what is wrong."""
    from sociolab.cli import doctor as verb

    verb.doctor(spec, base_url=base_url, key_env=key_env, models=models)


@app.command()
def demo(
    html: Annotated[Path, typer.Option("--html", metavar="FILE")] = Path("demo-report.html"),
    store: Store = None,
) -> None:
    """Play every world offline and write a report."""
    from sociolab.cli import demo as verb

    verb.demo(html=html, store=store)


@data.command("check")
def data_check(
    folder: Annotated[Path, typer.Argument(help="A folder with your characters and tasks.")],
    world: Annotated[str, typer.Option("--world")] = "sotopia",
) -> None:
    """Check a data set of your own: every file, every reference."""
    from sociolab.cli import data as verb

    verb.check(folder, world)


@data.command("cast")
def data_cast(
    folder: Annotated[Path, typer.Argument(help="A folder with characters and scenarios.")],
    per_scenario: Annotated[int, typer.Option("--per-scenario", min=1)] = 5,
    seed: Annotated[int, typer.Option("--seed")] = 0,
    world: Annotated[str, typer.Option("--world")] = "sotopia",
) -> None:
    """Write tasks.jsonl: pairs of characters for each scenario, by its constraints."""
    from sociolab.cli import data as verb

    verb.cast(folder, per_scenario, seed, world)
