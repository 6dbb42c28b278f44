"""All verbs, in the order in which the help names them: one file for each group of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import typer

from sociolab.cli import (
    data_verbs,
    help_verbs,
    judge_verbs,
    keeping_verbs,
    play_verbs,
    result_verbs,
    web_verbs,
)
from sociolab.cli.own_data_verbs import data
from sociolab.cli.study_verbs import study
from sociolab.cli.town_verbs import town

GROUPS = (
    play_verbs,
    result_verbs,
    judge_verbs,
    data_verbs,
    keeping_verbs,
    web_verbs,
    help_verbs,
)
FAMILIES = {"data": data, "town": town, "study": study, "store": keeping_verbs.store}
"""Verbs that have verbs of their own."""


def app_for(verb: str) -> typer.Typer:
    """The command line with this verb alone; with all of them where there is no such verb.

    typer builds the options of every verb that it is given, which takes longer than many a verb.
    """
    if verb in FAMILIES:
        return _app((), {verb: FAMILIES[verb]})
    for group in GROUPS:
        for command in group.verbs.registered_commands:
            if verb == (command.name or command.callback.__name__):
                alone = typer.Typer()
                alone.registered_commands.append(command)
                return _app((alone,), {})
    return app


def _app(groups: Iterable[typer.Typer], families: Mapping[str, typer.Typer]) -> typer.Typer:
    made = typer.Typer(
        name="sociolab",
        help="A laboratory for the social intelligence of language agents.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for group in groups:
        made.add_typer(group)
    for name, family in families.items():
        made.add_typer(family, name=name)
    return made


app = _app((group.verbs for group in GROUPS), FAMILIES)
