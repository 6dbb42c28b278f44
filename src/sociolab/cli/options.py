"""The options and arguments that several verbs share, each written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

# typer reads these at run time, where it does not know `X | None` of every Python it runs on.
OptText = Optional[str]  # noqa: UP045
OptInt = Optional[int]  # noqa: UP045
OptFloat = Optional[float]  # noqa: UP045
OptPath = Optional[Path]  # noqa: UP045
OptTexts = Optional[list[str]]  # noqa: UP045

RunName = Annotated[str, typer.Argument(help="The run's name.")]
RunNames = Annotated[list[str], typer.Argument(help="The runs' names.")]

Store = Annotated[
    OptPath,
    typer.Option(
        "--store", metavar="FILE", help="The store; default: $SOCIOLAB_STORE or your own."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Machine-readable result on stdout, progress on stderr.")
]
Html = Annotated[OptPath, typer.Option("--html", metavar="FILE", help="Write a page.")]
Details = Annotated[bool, typer.Option("--details", help="A matrix of pairs for each measure.")]

BaseUrl = Annotated[
    OptText, typer.Option("--base-url", metavar="URL", help="Where openai/MODEL is served.")
]
KeyEnv = Annotated[
    OptText,
    typer.Option("--key-env", metavar="NAME", help="Environment variable that holds the key."),
]
ModelsFile = Annotated[
    OptPath,
    typer.Option(
        "--models", metavar="FILE", help="Endpoints, keys and prices; default: models.toml."
    ),
]
InFlight = Annotated[
    OptInt, typer.Option("--in-flight", min=1, help="Calls at once to each endpoint.")
]
Budget = Annotated[
    OptFloat, typer.Option("--budget", min=0, metavar="USD", help="Stop before spending more.")
]

Settings = Annotated[
    OptTexts, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the world. Repeat it.")
]
MainMeasure = Annotated[
    OptText, typer.Option("--measure", metavar="NAME", help="Default: the world's main one.")
]
OneJudge = Annotated[
    OptText, typer.Option("--judge", metavar="JUDGE", help="Whose scores; if several judged.")
]
