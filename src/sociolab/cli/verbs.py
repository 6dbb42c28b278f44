"""All verbs, in the order in which the help names them: one file for each group of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sociolab import __version__
from sociolab.cli import (
    data_verbs,
    judge_verbs,
    keeping_verbs,
    play_verbs,
    result_verbs,
    trying_verbs,
    web_verbs,
)
from sociolab.cli.own_data_verbs import data
from sociolab.cli.study_verbs import study
from sociolab.cli.town_verbs import town

GROUPS: Mapping[str, tuple[typer.Typer, Mapping[str, typer.Typer]]] = {
    "Play, and read what was played": (play_verbs.verbs, {"town": town}),
    "Conclude from the scores of runs": (result_verbs.verbs, {}),
    "Have judges look again": (judge_verbs.verbs, {}),
    "Make data sets, move data in and out": (data_verbs.verbs, {"data": data}),
    "Keep order among runs": (keeping_verbs.verbs, {"store": keeping_verbs.store}),
    "In the browser, and with people": (web_verbs.verbs, {"study": study}),
    "Try things out": (trying_verbs.verbs, {}),
}
"""By what they are for: verbs, and verbs that have verbs of their own."""


class _Verbs(TyperGroup):
    """Names its verbs by group, each with its whole summary."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, (group, families) in GROUPS.items():
            names = [*(_name(command) for command in group.registered_commands), *families]
            with formatter.section(title):
                formatter.write_dl([
                    (name, self.commands[name].get_short_help_str(1_000)) for name in names
                ])  # fmt: skip


def app_for(verb: str) -> typer.Typer:
    """The command line with this verb alone; with all of them where there is no such verb.

    typer builds the options of every verb that it is given, which takes longer than many a verb.
    """
    for group, families in GROUPS.values():
        if verb in families:
            return _app({verb: families[verb]})
        for command in group.registered_commands:
            if verb == _name(command):
                alone = typer.Typer()
                alone.registered_commands.append(command)
                return _app({}, alone)
    return app


def _name(command: typer.models.CommandInfo) -> str:
    assert command.callback is not None, "typer's decorator sets it"
    return command.name or command.callback.__name__


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sociolab {__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version, and exit."
        ),
    ] = False,
) -> None:
    """What holds for all verbs."""


def _app(families: Mapping[str, typer.Typer], *groups: typer.Typer) -> typer.Typer:
    made = typer.Typer(
        name="sociolab",
        cls=_Verbs,
        help="A laboratory for the social intelligence of language agents.",
        epilog="`sociolab VERB --help` shows the options of a verb, and an example.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_common)
    for group in groups:
        made.add_typer(group)
    for name, family in families.items():
        made.add_typer(family, name=name)
    return made


app = _app(
    {name: family for _, families in GROUPS.values() for name, family in families.items()},
    *(group for group, _ in GROUPS.values()),
)
