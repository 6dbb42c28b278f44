"""All verbs, in the order in which the help names them: one file for each group of them."""

from __future__ import annotations

import typer

from sociolab.cli import data_verbs, help_verbs, judge_verbs, play_verbs, result_verbs, web_verbs
from sociolab.cli.own_data_verbs import data
from sociolab.cli.study_verbs import study
from sociolab.cli.town_verbs import town

app = typer.Typer(
    name="sociolab",
    help="A laboratory for the social intelligence of language agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (play_verbs, result_verbs, judge_verbs, data_verbs, web_verbs, help_verbs):
    app.add_typer(group.verbs)
app.add_typer(data, name="data")
app.add_typer(town, name="town")
app.add_typer(study, name="study")
