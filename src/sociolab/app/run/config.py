"""The description of a run, and of other work: one model for options, TOML files and Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from sociolab.core.errors import ConfigError
from sociolab.core.reading import read_toml
from sociolab.core.redaction import redact
from sociolab.core.user_files import absolute_unless_name, require_new_file, write_new
from sociolab.plugin.options import (
    FIRST_WORLD,
    Description,
    EndpointAccess,
    Filter,
    Flag,
    ModelAccess,
    Name,
    Names,
    Several,
    Words,
    as_texts,
    checked,
    flags_of,
)
from sociolab.runner.plan import Shard

AgentTimeout = Annotated[
    float | None,
    Field(gt=0, allow_inf_nan=False),
    Flag(
        "--agent-timeout",
        "SECONDS",
        "Time limit for a reply of your own agent or judge; default 600.",
    ),
]


def _checked_shard(text: str | None) -> str | None:
    if text is not None:
        Shard.parse(text)
    return text


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f'"{twice[0]}" is given twice; name it once')
    if "none" in names and len(names) > 1:
        raise ValueError(f'expected "none" alone, found {", ".join(names)}; leave out the rest')
    return names


OnceEach = Annotated[Names, AfterValidator(_each_once)]


def _with_whole_paths(settings: dict[str, str]) -> dict[str, str]:
    """Make the paths of prompt sets absolute, so that a run can be resumed from another folder."""
    return {
        name: ",".join(map(absolute_unless_name, value.split(","))) if name == "prompts" else value
        for name, value in settings.items()
    }


EPISODES = 512
"""Default number of concurrent episodes."""


class JudgeChoice(Description):
    """Who judges. `readers` are models that read off each transcript what was agreed, where a goal
    has a formula."""

    judges: Annotated[
        OnceEach,
        Flag(
            "--judge",
            "SPEC",
            "endpoint/model, the world's offline judge, python:module:Class, or none. Repeatable.",
        ),
    ] = ()
    readers: Annotated[
        OnceEach,
        Flag(
            "--reader",
            "SPEC",
            "A model that reads each transcript for what was agreed. Repeatable.",
        ),
    ] = ()

    exam: Annotated[
        Literal["on", "off"],
        Flag("--exam", "on|off", "Whether a new judge sits the exam of the world first."),
    ] = "on"

    @property
    def players(self) -> tuple[str | None, ...]:
        """The specs of agents and partner, if there are any; None for a partner that is not set."""
        return ()

    @property
    def specs(self) -> tuple[str | None, ...]:
        return (*self.players, *self.judges, *self.readers)


class WorldOptions(Description):
    """How a world is played, whichever it is. `settings` are the world's own."""

    limit: Annotated[int | None, Flag("--limit", "N", "Maximum number of tasks.")] = Field(
        default=None, ge=1
    )
    data: Annotated[
        Name | None, Flag("--data", "NAME|DIR", "An imported data set, or a folder of your own.")
    ] = None
    settings: Annotated[
        dict[str, Words],
        AfterValidator(_with_whole_paths),
        Flag("--set", "NAME=VALUE", "A setting of the world; a switch also as --NAME."),
    ] = Field(default_factory=dict)
    attempts: Annotated[int, Flag("--attempts", "N", "Tries for a usable reply.")] = Field(
        default=3, ge=1
    )
    on_failed_turn: Annotated[
        Literal["skip", "stop"],
        Flag("--on-failed-turn", "skip|stop", "Skip the turn and play on, or end the episode."),
    ] = "skip"


class WorldConfig(WorldOptions):
    """Which world is played, which of its tasks, and how."""

    world: Annotated[
        str,
        Flag("WORLD", "WORLD", "What is played: see `sociolab list worlds`."),
    ] = FIRST_WORLD
    tasks: Annotated[
        Filter | None,
        Flag(
            "--tasks",
            "FILTER",
            "Task ids, tags or scenario=ID; comma: any of them, plus: all of them.",
        ),
    ] = None
    seed: Annotated[int, Flag("--seed", "N", "Random seed.")] = 0


class ArenaConfig(WorldOptions, EndpointAccess):
    """The options of an `Arena` that are not its own arguments: data, limit, settings of the
    world, attempts, endpoints, budget, and the seconds that a partner of one's own may take for a
    reply (None: 600). An invalid field raises pydantic's ValidationError.

    >>> from sociolab import Arena, ArenaConfig
    >>> config = ArenaConfig(limit=3, settings={"turns": "4"})
    >>> len(Arena("sotopia", config=config).tasks())
    3
    """

    agent_timeout: AgentTimeout = None


class RunWork(ModelAccess):
    """Work on the episodes of a run: which part is done, and where.

    `agent_timeout` is how many seconds an agent or judge of one's own class may take (None: 600)
    and, where it is given, a person too. `shard` "3/16" does one of 16 parts, in a store of its own
    (`app.merging` puts them together).
    """

    agent_timeout: AgentTimeout = None
    shard: Annotated[
        str | None,
        AfterValidator(_checked_shard),
        Flag("--shard", "I/N", "Do part I of N only, with its share of --budget."),
    ] = None
    on: Annotated[
        str | None,
        Field(pattern=r"^ray(://[^\s/@]+:\d+)?$"),
        Flag("--on", "ray|ray://HOST:PORT", "Work on the machines of a Ray cluster."),
    ] = None

    @property
    def part(self) -> Shard | None:
        """The part of the plan to be done; None for all of it."""
        return None if self.shard is None else Shard.parse(self.shard)

    @property
    def budget_share(self) -> float | None:
        """The budget of this part in dollars: one N-th for each of N shards; None without limit."""
        shard = self.part
        return self.budget if shard is None or self.budget is None else self.budget / shard.count


def _prompts_alone(settings: dict[str, str]) -> dict[str, str]:
    if other := [name for name in settings if name != "prompts"]:
        raise ValueError(
            f"expected prompts=NAME, the only setting of a judging, found {other[0]}; the others "
            "are those that the run was played with"
        )
    return settings


class JudgeConfig(JudgeChoice, RunWork):
    """Who judges the episodes of a stored run (`judge_run`), and within which limits.

    `judges` and `readers` are specs, as in `RunConfig`; `budget` is in dollars, None for no limit.
    `settings` may name another prompt set for the judges (`{"prompts": NAME}`).

    >>> from sociolab import JudgeConfig
    >>> JudgeConfig(judges=("openai/judge", "python:my_judge:Asks"), budget=2).judges
    ('openai/judge', 'python:my_judge:Asks')
    """

    settings: Annotated[
        dict[str, Words],
        AfterValidator(_prompts_alone),
        AfterValidator(_with_whole_paths),
        Flag("--set", "prompts=NAME", "The set of prompts that judges get."),
    ] = Field(default_factory=dict)


class RunConfig(JudgeChoice, WorldConfig, RunWork):
    """The description of a run: what to play, who plays, who judges, and within which limits.
    Python, a TOML file and the flags of `sociolab run` share it.

    `agents` are specs: "scripted", "human", "endpoint/model" or "python:module:Class". Without a
    `partner` they play each other in every ordered pair; with one, each plays it in both seats.
    Without `judges` the world's offline judge scores, where no model plays; a model's run must name
    its judge. `tasks` and `limit` select tasks (default: all), `budget` is in dollars, `store` a
    file (default: your own). `in_flight` limits the calls to each endpoint, `episodes` the
    concurrent episodes. A trial in which a seat failed more than `max_failed_turns` of its turns (a
    share from 0 to 1) counts as failed. `tags` are words to find the run by.

    A single name is accepted for a tuple, and a number or boolean for a string. An invalid field
    raises pydantic's ValidationError.

    >>> from sociolab import RunConfig
    >>> config = RunConfig(world="sotopia", agents="openai/a", partner="scripted", limit=20)
    >>> config.agents, config.repeats
    (('openai/a',), 1)
    >>> RunConfig(repeats=0)
    Traceback (most recent call last):
        ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for RunConfig
    repeats
      Input should be greater than or equal to 1 ...
    """

    agents: Annotated[
        OnceEach,
        Flag(
            "--agent",
            "SPEC",
            "Agent: scripted, human, endpoint/model or python:module:Class. Repeatable.",
        ),
    ] = Field(default=("scripted",), min_length=1)
    partner: Annotated[
        Name | None,
        Flag(
            "--partner --background",
            "SPEC",
            "Partner of every agent; in a town, everyone but the performer.",
        ),
    ] = None
    repeats: Annotated[int, Flag("--repeats", "N", "Repeats of each task.")] = Field(
        default=1, ge=1, le=10_000
    )
    max_failed_turns: Annotated[
        float,
        Flag(
            "--max-failed-turns",
            "SHARE",
            "Largest share of failed turns of a seat before its episode counts as failed.",
        ),
    ] = Field(default=0.5, ge=0, le=1, allow_inf_nan=False)
    episodes: Annotated[int, Flag("--episodes", "N", "Number of concurrent episodes.")] = Field(
        default=EPISODES, ge=1
    )
    name: Annotated[
        Name | None, Flag("--name", "NAME", "Name of the run; give it again to resume.")
    ] = None
    tags: Annotated[
        tuple[Name, ...],
        BeforeValidator(as_texts),
        Flag("--tag", "WORD", "A tag to find the run by. Repeatable."),
    ] = ()

    @property
    def players(self) -> tuple[str | None, ...]:
        return (*self.agents, self.partner)


class WriteConfig(ModelAccess):
    """What to have written, by which model, and into which folder."""

    world: Annotated[Words, Flag("WORLD", "WORLD", "The world to write data for.")]
    what: Annotated[Words | None, Flag("WHAT", "WHAT", "What to write, if there is a choice.")] = (
        None
    )
    writer: Annotated[Words, Flag("--writer", "SPEC", "Model that writes, such as openai/MODEL.")]
    to: Annotated[Path, Flag("--to", "FOLDER", "Data set to create or add to.")]
    n: Annotated[int | None, Flag("--n", "N", "Total number wanted in the folder.")] = Field(
        default=None, ge=1
    )
    settings: Annotated[
        dict[str, Words], Flag("--set", "NAME=VALUE", "A setting of the writer. Repeatable.")
    ] = Field(default_factory=dict)
    seed: Annotated[int, Flag("--seed", "N", "Random seed.")] = 0


class ExamConfig(ModelAccess):
    """Who sits the exam of which world: the spec of a judge, or of a reader of outcomes."""

    judge: Annotated[
        str,
        Field(min_length=1),
        Flag("--exam", "SPEC|off", "Instead of judging a run: have this judge sit the exam."),
    ]
    role: Literal["judge", "reader"] = "judge"
    world: Annotated[str, Flag("--world", "WORLD", "With --exam: the world whose exam.")] = (
        FIRST_WORLD
    )
    settings: Annotated[
        dict[str, Words], AfterValidator(_prompts_alone), AfterValidator(_with_whole_paths)
    ] = Field(default_factory=dict)
    agent_timeout: AgentTimeout = None


class AuditConfig(ModelAccess):
    """Which judge to audit, on which run, how.

    `kinds` empty: all that apply, with a judge. `repeats` counts judgings beyond the first. `limit`
    takes so many episodes, at random but always the same: a larger one adds to them. `seed` is that
    of variants. `families` are (family, pattern), see `analysis.self_preference`. `panel` are
    labels of judges of the run, two or more, or none; those who lie more than `apart` points apart
    disagree. `check`: a control that fails is a failure of the command.
    """

    run: Annotated[str, Flag("RUN", "RUN", "The run whose episodes are judged.")]
    judge: Annotated[str | None, Flag("--judge", "SPEC", "The judge to audit.")] = None
    kinds: Annotated[
        Several,
        Flag(
            "--kind",
            "KIND",
            "repeat, family, length, or a variant such as insult; default: all. Repeatable.",
        ),
    ] = ()
    limit: Annotated[int | None, Flag("--limit", "N", "Maximum number of episodes.")] = Field(
        default=None, ge=1
    )
    repeats: Annotated[int, Flag("--repeats", "N", "Judgments beyond the first.")] = Field(
        default=3, ge=1
    )
    seed: Annotated[int, Flag("--seed", "N", "Random seed for choosing padding words.")] = 0
    families: Annotated[
        tuple[tuple[str, str], ...],
        Flag("--family", "NAME=PATTERN", "Which models are a family. Repeatable."),
    ] = ()
    panel: Annotated[
        Several, Flag("--panel", "JUDGE,JUDGE", "Treat these judges of the run as one; no calls.")
    ] = ()
    apart: Annotated[
        float, Flag("--apart", "POINTS", "With --panel: scores further apart disagree.")
    ] = Field(default=2.0, ge=0)
    check: Annotated[bool, Flag("--check", "", "Exit with 1 if a control fails.")] = False
    agent_timeout: AgentTimeout = None


class CreditConfig(ModelAccess):
    """Which model finds the turns that advanced a goal or revealed a secret, in the first `limit`
    played episodes of which run; `out`: their turns are written there as JSON lines."""

    run: Annotated[str, Flag("RUN", "RUN", "The run's name.")]
    judge: Annotated[str, Flag("--judge", "SPEC", "A model, such as openai/MODEL.")]
    metric: Annotated[str, Flag("--metric", "NAMES", "goal, secret, or both.")] = "goal,secret"
    limit: Annotated[int | None, Flag("--limit", "N", "The first N episodes.")] = Field(
        default=None, ge=1
    )
    out: Annotated[Path | None, Flag("--out", "FILE", "Write one JSON line per turn.")] = None


class ValidationConfig(ModelAccess):
    """What to validate, on which set: `limit` items of it, drawn at random and always the same.

    `judge` is the spec of a model or of a judge of one's own, which may take `agent_timeout`
    seconds for an item.
    """

    judge: Annotated[
        str,
        Field(min_length=1),
        Flag(
            "--validate",
            "SPEC",
            "Instead of judging a run: agreement of this reader or judge with --data.",
        ),
    ]
    data: Annotated[Path, Flag("--data", "DIR", "Labelled data for --validate.")]
    limit: Annotated[
        int | None, Flag("--limit", "N", "With --validate: number of random items.")
    ] = Field(default=None, ge=1)
    agent_timeout: AgentTimeout = None


FIELDS = tuple(flags_of(RunConfig))


def config_of(values: dict[str, Any], source: str = "") -> RunConfig:
    """Validate the fields of a run; ConfigError names the field, the value and the `source`."""
    return checked(RunConfig, values, source)


FLAG = "--write-file"

SPELLINGS = {
    spelling.removeprefix("--").replace("-", "_"): name
    for name, flag in flags_of(RunConfig).items()
    for spelling in flag.flags.split()
    if spelling.startswith("--")
}
"""The field of each flag, by the flag's name in a run file."""


def read_run(path: Path) -> dict[str, Any]:
    """Read the fields of a run from a TOML file.

    A field may be spelled like its flag (`agent`, `in-flight`), and a boolean setting of a world
    may stand beside the fields (`tdp = true`). ConfigError where the file is no TOML or sets a
    field twice; `config_of` validates the rest.
    """
    values: dict[str, Any] = {}
    for key, value in read_toml(path).items():
        plain = key.replace("-", "_")
        field = SPELLINGS.get(plain, plain)
        if field in values:
            raise ConfigError(f'{path}: "{key}" gives "{field}" a second time; leave one of them')
        values[field] = value
    unknown = [
        name for name, value in values.items() if name not in FIELDS and value in (True, False)
    ]
    if unknown and isinstance(settings := values.get("settings", {}), dict):
        from sociolab.app.registry import switches

        switched = {name: values.pop(name) for name in unknown if name in switches()}
        values["settings"] = {**settings, **switched}
    return values


def over_prompts(config: RunConfig) -> tuple[RunConfig, ...]:
    """The run as it is or, where `prompts` names several sets ("a,b"), a run under each: called
    after its set, with an equal share of the budget. ConfigError where they cannot be told apart.

    >>> [each.name for each in over_prompts(RunConfig(name="r", settings={"prompts": "paper,b"}))]
    ['r-paper', 'r-b']
    """
    sets = config.settings.get("prompts", "").split(",")
    if len(sets) == 1:
        return (config,)
    names = [Path(each).name for each in sets]
    if not config.name or not all(names) or len({*names}) < len(names):
        raise ConfigError(
            "--set prompts: expected --name and sets of different names, since each set is a run "
            f"called after both, found {', '.join(names)}{'' if config.name else ' and no name'}"
        )
    budget = config.budget and config.budget / len(sets)
    return tuple(
        config.model_copy(
            update={
                "name": f"{config.name}-{name}",
                "settings": {**config.settings, "prompts": each},
                "budget": budget,
            }
        )
        for name, each in zip(names, sets, strict=True)
    )


def merge_flags(path: Path | None, flags: Mapping[str, Any]) -> tuple[RunConfig, tuple[str, ...]]:
    """The run that a file and flags describe, and a sentence on the fields that flags override.

    A flag wins over the file; settings of the world are merged one by one. ConfigError for an
    invalid field.
    """
    if path is None:
        return config_of(dict(flags)), ()
    written = read_run(path)
    merged = {**written, **flags}
    file_settings = written.get("settings")
    if isinstance(file_settings, dict) and flags.get("settings"):
        merged["settings"] = {**file_settings, **flags["settings"]}
    config, unmerged = config_of(merged, str(path)), config_of(written, str(path))
    changed = [
        f"{name} {_format_value(getattr(config, name))} instead of "
        f"{_format_value(getattr(unmerged, name))}"
        for name in FIELDS
        if name in unmerged.model_fields_set and getattr(unmerged, name) != getattr(config, name)
    ]
    return config, (f"flags beside {path}: {'; '.join(changed)}",) if changed else ()


def _format_value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key}={item}" for key, item in value.items()) or "none"
    return str(value)


def check_file(path: Path) -> None:
    """ConfigError where no new run file can be written."""
    require_new_file(path, FLAG)


def write_run(path: Path, config: RunConfig) -> None:
    """Write the fields of a run that were set to a new TOML file, for `run --file`.

    A description holds no API key, at most the name of its variable; whatever looks like a key
    elsewhere, as in an address, is redacted.
    """
    write_new(path, FLAG, run_toml(config))


def run_toml(config: RunConfig) -> str:
    import tomli_w

    values = config.model_dump(exclude_unset=True, exclude_none=True) | {"world": config.world}
    ordered = {name: _redact(values[name]) for name in ("world", *FIELDS) if name in values}
    if not ordered.get("settings"):
        ordered.pop("settings", None)
    return f"# Play it: sociolab run --file FILE\n{tomli_w.dumps(ordered)}"


def _redact(value: Any) -> Any:
    """A value for TOML, with whatever looks like an API key redacted."""
    if isinstance(value, dict):
        return {name: _redact(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_redact(item) for item in value]
    return redact(str(value), lookalikes=True) if isinstance(value, str | Path) else value
