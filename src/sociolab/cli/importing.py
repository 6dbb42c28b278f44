"""`sociolab import`: data sets and episodes made elsewhere, in the formats of installed worlds."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, create_model

from sociolab.app.data.importing import (
    OWN,
    Import,
    Reader,
    check_format,
    import_anything,
    import_prompts,
    world_flags,
    world_formats,
)
from sociolab.cli.options import OptText, OptTexts, Replace, StoreFile, option, refuse, takes
from sociolab.core.errors import ConfigError
from sociolab.core.lazy import import_on_call

verbs = typer.Typer()

_FORMATS = world_formats()
_FLAGS: dict[str, Any] = {
    flag.flags.strip("-").replace("-", "_"): (Annotated[bool, flag], False)
    for flag in world_flags().values()
}
_Flags: type[BaseModel] = create_model("_Flags", **_FLAGS)
"""The options that formats of installed worlds add."""


@verbs.command("import", epilog="Example: sociolab import sotopia DOWNLOADED --name public")
@takes(_Flags)
def import_(
    format: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT", help=f"{', '.join(_FORMATS)}, inspect, run, ratings or prompts."
        ),
    ],
    places: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="The folder or file to read; prompts: WORLD PATH."),
    ],
    name: Annotated[
        OptText,
        option(
            "--name",
            "NAME",
            "Name to import it as; default: a run's own name; ratings: people.",
        ),
    ] = None,
    run: Annotated[
        OptText,
        option("--run", "RUN", "The run that was rated (ratings only); default: found by episode."),
    ] = None,
    replace: Replace = False,
    mapped: Annotated[
        OptTexts,
        option("--map", "COLUMN=MEANING", "What a column holds (ratings only; repeatable)."),
    ] = None,
    duplicates: Annotated[
        OptText,
        option(
            "--duplicates",
            "WHAT",
            "If a rater rated something twice: refuse (default), first, mean or keep.",
        ),
    ] = None,
    variant: Annotated[
        OptText, option("--variant", "NAME", "Variant of the texts (prompts only), such as plus.")
    ] = None,
    *,
    options: dict[str, Any],
    store: StoreFile = None,
) -> None:
    """Import a data set or episodes made elsewhere."""
    check_format(format, (*OWN, "inspect", "ratings", "prompts"))
    only: dict[str, dict[str, object]] = {
        "ratings": {"--run": run, "--map": mapped, "--duplicates": duplicates},
        "prompts": {"--variant": variant},
    }
    for other, values in only.items():
        if other != format:
            refuse(values, f"is for {other} only, found with {format}; leave it out")
    expected = "WORLD PATH" if format == "prompts" else "one PATH"
    if len(places) != 1 + (format == "prompts"):
        raise ConfigError(f"{format}: expected {expected}, found {' '.join(places)}")
    if name == "" or (name is None and format in (*_FORMATS, "inspect", "prompts")):
        raise ConfigError("--name: expected what to call it here, found nothing")
    new_name = name or _DEFAULT_NAMES.get(format, "")
    flags = frozenset(f"--{name.replace('_', '-')}" for name in options)
    request = Import(
        Path(places[-1]),
        new_name,
        replace,
        store,
        flags,
        run or "",
        tuple(mapped or ()),
        duplicates or "refuse",
    )
    own: dict[str, Reader] = {
        **OWN,
        "inspect": import_on_call("sociolab.inspect.logs:import_log"),
        "ratings": import_ratings_file,
        "prompts": partial(import_prompts, places[0], variant or ""),
    }
    for sentence in import_anything(format, request, own):
        typer.echo(sentence)


_DEFAULT_NAMES = {"ratings": "people", "run": ""}
"""By format: the name of what is imported without --name; "" is the name in the run's file."""


def import_ratings_file(request: Import) -> tuple[str, ...]:
    """Store people's ratings (docs/ratings.md) as one set of a run's scores."""
    from sociolab.studies.rating_files import import_ratings

    return import_ratings(
        request.path,
        request.run,
        store=request.store,
        name=request.name,
        replace_all=request.replace,
        mapped=request.mapped,
        duplicates=request.duplicates,
    )
