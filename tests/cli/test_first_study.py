"""Every command of docs/first-study.md works, with the local endpoint in place of the provider."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from cli.conftest import Sociolab
from sociolab.endpoint import EndpointSettings, start_in_process

PAGE = (Path(__file__).parents[2] / "docs" / "first-study.md").read_text("utf-8")


def test_every_command_works_and_writes_what_the_page_says(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    with start_in_process(EndpointSettings(characters=60)) as endpoint:
        server = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "none"}
        for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL):
            for line in block.splitlines():
                program, *args = shlex.split(line)
                assert program == "sociolab"
                # Fewer tasks than on the page: what each command does stays the same.
                done = sociolab(*("6" if one == "30" else one for one in args), **server)
                assert done.code == 0, (line, done.err)
    for name in ("pairs.csv", "table.tex", "differences.pdf", "first.html"):
        assert (tmp_path / name).stat().st_size > 0
    table = (tmp_path / "table.tex").read_text("utf-8")
    assert "GPT-4o mini" in table
    shown = [line for line in table.splitlines() if not line.startswith("%")]
    assert not any("openai/gpt-4o" in line for line in shown)
