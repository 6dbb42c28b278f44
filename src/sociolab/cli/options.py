"""The options and arguments that several verbs share, each written once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from sociolab.core.errors import ConfigError

# typer reads these at run time, where it does not know `X | None` of every Python it runs on.
OptText = Optional[str]  # noqa: UP045
OptInt = Optional[int]  # noqa: UP045
OptFloat = Optional[float]  # noqa: UP045
OptPath = Optional[Path]  # noqa: UP045
OptTexts = Optional[list[str]]  # noqa: UP045


def option(flag: str, metavar: str, help: str, **ends: float) -> Any:
    """An option with a value; `ends` are its `min` and `max`, if it has some.

    ConfigError where its value was forgotten, and the next option stands there.
    """

    def check(given: Any) -> Any:
        for one in given if isinstance(given, list) else [given]:
            if str(one).startswith("--"):
                raise ConfigError(f"{flag}: expected {metavar}, found the option {one}")
        return given

    return typer.Option(flag, metavar=metavar, help=help, callback=check, **ends)  # type: ignore[arg-type]


RunName = Annotated[str, typer.Argument(metavar="RUN", help="The run's name.")]
RunNames = Annotated[list[str], typer.Argument(metavar="RUN", help="The runs' names.")]

Store = Annotated[
    OptPath, option("--store", "FILE", "The store; default: $SOCIOLAB_STORE or your own.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Machine-readable result on stdout, progress on stderr.")
]
Html = Annotated[OptPath, option("--html", "FILE", "Write a page.")]
Details = Annotated[bool, typer.Option("--details", help="A matrix of pairs for each measure.")]

BaseUrl = Annotated[OptText, option("--base-url", "URL", "Where openai/MODEL is served.")]
KeyEnv = Annotated[OptText, option("--key-env", "NAME", "Environment variable that holds the key.")]
ModelsFile = Annotated[
    OptPath, option("--models", "FILE", "Endpoints, keys and prices; default: models.toml.")
]
InFlight = Annotated[OptInt, option("--in-flight", "N", "Calls at once to each endpoint.", min=1)]
Budget = Annotated[OptFloat, option("--budget", "USD", "Stop before spending more.", min=0)]

TaskFilter = Annotated[
    OptText, option("--tasks", "FILTER", "Ids, tags, scenario=ID; commas: any, plus: all.")
]
Settings = Annotated[OptTexts, option("--set", "NAME=VALUE", "A setting of the world. Repeat it.")]
MainMeasure = Annotated[OptText, option("--measure", "NAME", "Default: the world's main one.")]
OneJudge = Annotated[OptText, option("--judge", "LABEL", "Whose scores, if several judged.")]
EpisodeLimit = Annotated[OptInt, option("--limit", "N", "At most so many episodes.", min=1)]
Replace = Annotated[bool, typer.Option("--replace", help="Replace what is there of this name.")]
Sure = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def calling(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of verbs that call models, out of all arguments of one."""
    names = ("store", "base_url", "key_env", "models", "in_flight", "budget")
    return {name: given[name] for name in names}
