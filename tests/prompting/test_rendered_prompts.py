"""What models are sent in every world, and the line breaks in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import sociolab
from cli.test_own_town import write_town
from sociolab import RunConfig, run
from sociolab.endpoint import ChatBody, EndpointSettings, Replies, start_in_thread

JUDGED = {"judges": ("openai/j",)}
TDP = {"step": "60", "tdp": "true"}
RUNS: dict[str, dict[str, Any]] = {
    "sotopia": {"world": "sotopia", "limit": 2, **JUDGED},
    "anteval-decision": {"world": "anteval-decision", "limit": 3, **JUDGED},
    "anteval-information": {"world": "anteval-information", "limit": 1, **JUDGED},
    "anteval-intention": {"world": "anteval-intention", "limit": 1, "judges": ("none",)},
    "stss-talk": {"world": "stss-talk", "limit": 4, **JUDGED},
    "stss": {"world": "stss", "limit": 1, "settings": TDP, **JUDGED},
    "generative agents": {
        "world": "stss", "data": "./orchard", "settings": {"mind": "generative-agents", **TDP},
        "judges": ("rules",),
    },
}  # fmt: skip
GLUED = re.compile(r".{0,40}[a-z0-9)][.:?!][A-Z].{0,20}")


class Eavesdropper:
    """Makes up replies, and keeps what was asked."""

    def __init__(self) -> None:
        self._replies = Replies(EndpointSettings(leave_rate=0.05, characters=60))
        self.texts: set[str] = set()

    def __call__(self, asked: ChatBody) -> str:
        self.texts |= {message.text for message in asked.messages}
        return self._replies.valid(asked)


@pytest.mark.parametrize("name", RUNS)
def test_no_two_sentences_of_a_prompt_run_into_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_town(tmp_path / "orchard")
    heard = Eavesdropper()
    given = {"agents": ("openai/a",), "seed": 1, "name": "r", "store": tmp_path / "s.db"}
    with start_in_thread(EndpointSettings(responder=heard)) as endpoint:
        run(RunConfig.model_validate({"base_url": endpoint.url, **given, **RUNS[name]}))
    assert heard.texts
    assert not {found for text in heard.texts for found in GLUED.findall(text)}


FILES = sorted(Path(sociolab.__file__).parent.rglob("prompts/**/*.md"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_no_line_of_words_loses_its_line_break_to_a_tag(path: Path) -> None:
    """A tag at the end of a line takes the line break with it, unless it is written "+%}"."""
    lines = path.read_text("utf-8").splitlines()
    for line, after, then in zip(lines, lines[1:], [*lines[2:], ""], strict=False):
        alone = re.fullmatch(r"\s*\{%(?:(?!%\}).)*%\}", line)
        made_up_for = not after and (not then or then.startswith("{%"))
        if line.endswith("%}") and not line.endswith("+%}"):
            assert alone or made_up_for, f"write +%}} at the end of this line: {line}"
