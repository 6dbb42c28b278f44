"""Every command of docs/planning-study.md, and what the page shows of their output.

The town is lived for one task here, and not for five.
"""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

from cli.conftest import Sociolab

PAGE = (Path(__file__).parents[2] / "docs" / "planning-study.md").read_text("utf-8")


def told(text: str) -> str:
    """Without line ends and the spaces of tables."""
    return " ".join(text.split())


def test_every_command_works_and_prints_what_the_page_shows(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    printed = ""
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL):
        for line in block.splitlines():
            program, *args = shlex.split(line)
            assert program == "sociolab"
            done = sociolab(*("1" if one == "5" else one for one in args))
            assert done.code == 0, (line, done.err)
            printed += done.out
    (pair,) = [
        row
        for row in csv.DictReader((tmp_path / "pairs.csv").read_text("utf-8").splitlines())
        if row["measure"] == "conversation_sr" and row["task"] == "paper-bridges.1.freya-jensen"
    ]
    printed += sociolab("show", pair["episode_a"], "--run", "plain").out
    assert (pair["reason_a"], pair["reason_b"]) == tuple(
        f"{met} of 3 conditions are met" for met in (2, 3)
    )
    shown = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    for block in shown[:3]:
        for line in block.splitlines():
            assert told(line) in told(printed), line
    assert len(shown) == 4  # the last one is for a model
    for name in ("planning-study.html", "figures/plays.csv", "tdp.zip"):
        assert (tmp_path / name).stat().st_size > 0
