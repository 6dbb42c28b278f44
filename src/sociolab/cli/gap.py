"""`sociolab gap`: how far generated play is from real play (the paper's Tables 1 and 2)."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sociolab.app.run.config import ModelAccess
from sociolab.cli.options import Json, OptInt, OptText, OptTexts, option, several, takes
from sociolab.cli.output import console, print_json, say

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab gap --real sample --generated tavern")
@takes(ModelAccess)
def gap(
    real: Annotated[str, option("--real", "DATA", "Imported real play, a file, or sample.")],
    generated: Annotated[
        list[str], option("--generated", "RUN", "A run to compare. Repeat it, or use commas.")
    ],
    test: Annotated[
        OptText, option("--test", "DATA", "Real play to test on; default: a fifth.")
    ] = None,
    information: Annotated[
        OptTexts, option("--information", "RUN", "A run with the IEP. Repeat it.")
    ] = None,
    dm: Annotated[
        str,
        option(
            "--dm",
            "SPEC",
            "linear, encoder, lora:DIR, endpoint/model?examples=8, tuned:endpoint/model.",
        ),
    ] = "linear",
    most: Annotated[int, option("--most", "N", "Labels a row at most.", min=1)] = 1,
    all_rows: Annotated[
        bool, typer.Option("--all-rows", help="Test on rows that name the skill, too.")
    ] = False,
    all_real: Annotated[
        bool, typer.Option("--all-real", help="Learn from all real play, whatever the run's size.")
    ] = False,
    splits: Annotated[
        OptInt, option("--splits", "N", "Pairs of real samples: the noise floor.", min=0)
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Of samples and intervals.")] = 0,
    *,
    given: dict[str, Any],
    json: Json = False,
) -> None:
    """Measure how far generated D&D play is from real play (AntEval's IEG).

    Virtual DMs that learned from either see the difference.
    """
    from sociolab.app.tools import use_tool

    asked = {
        "real": real,
        "test": test,
        "generated": several(generated),
        "information": several(information) or (),
        "dm": dm,
        "most": most,
        "strict": not all_rows,
        "matched": not all_real,
        "splits": splits,
        "seed": seed,
    }
    asked = {name: value for name, value in asked.items() if value is not None}
    found = use_tool("gap", asked, given, say)
    if json:
        print_json(found.document())
    else:
        found.show(console())
