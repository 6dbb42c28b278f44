"""Every command of docs/cookbook.md, as it stands there, and the lines that it prints."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from cli.conftest import Sociolab
from cli.test_own_town import write_town
from sociolab.endpoint import EndpointSettings, start_in_process

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cookbook.md").read_text("utf-8")
PROMPTS = ROOT / "src" / "sociolab" / "worlds" / "sotopia" / "prompts" / "paper"


def write_files(folder: Path) -> None:
    """The page's files, and those that it takes from other pages."""
    for name, text in re.findall(r'```\w+ title="(.*?)"\n(.*?)```', PAGE, re.DOTALL):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    write_town(folder / "orchard")
    shutil.copytree(PROMPTS, folder / "brief")
    with (folder / "brief" / "act_tail.md").open("a", encoding="utf-8") as tail:
        tail.write("Keep every turn under 15 words.\n")


def lines_of(text: str) -> Iterator[str]:
    """Its lines without spaces, rules and numbers, which differ by the address of the endpoint."""
    for line in text.splitlines():
        same = re.sub(r"[\u2212$±]?\d[\d.,:]*[kM]?|─+", "#", line)
        words = same.replace("#", " ").split()
        if words not in ([], ["..."]):
            yield " ".join(words)


def is_among(line: str, printed: set[str]) -> bool:
    """Whether it was printed: as a whole, or its beginning where it ends in three dots."""
    start = line.removesuffix(" ...")
    return line in printed or (start != line and any(one.startswith(start) for one in printed))


def test_every_command_works_and_prints_what_the_page_shows(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    write_files(tmp_path)
    recipes = re.findall(r"```sh\n(.*?)```\n+(?:```text\n(.*?)```)?", PAGE, re.DOTALL)
    assert len(recipes) == 20
    with start_in_process(EndpointSettings()) as endpoint:
        server = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "none"}
        for commands, shown in recipes:
            printed: set[str] = set()
            for line in commands.splitlines():
                program, *args = shlex.split(line, comments=True)
                assert program == "sociolab"
                done = sociolab(*args, **server)
                assert done.code == int("# exit code 1" in line), (line, done.err)
                printed |= {*lines_of(done.out), *lines_of(done.err)}
            missing = [line for line in lines_of(shown) if not is_among(line, printed)]
            assert missing == [], commands
    for name in ("table.tex", "differences.pdf", "gate.xml", "floor.xml", "scores.csv",
                 "tables/scores.parquet", "pairs.jsonl", "orchard.png", "fair.html"):  # fmt: skip
        assert (tmp_path / name).stat().st_size > 0
