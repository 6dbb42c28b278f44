"""Which prompts does a set of AntEval hold, and what may each of them use?"""

from __future__ import annotations

from sociolab.prompting.sets import PromptedSettings, PromptSet, load_set
from sociolab.worlds.anteval.session import PACKAGE

WANTED = {
    "act_head": (
        "information kept knowledge leaving limit marks npc others purposes situation teller wants "
        "you"
    ),
    "act_tail": "limit turn",
    "learned": "before teller",
    "judge_knowledge": "k",
    "judge_summary": "k",
    "judge_match": "",
    "judge_facts": "npc",
    "judge_transcript": "npc",
    "virtual_dm": "dm skills",
    "write_character": "longest shortest",
    "write_knowledge": "count npc situation",
}
PLAYED = ("act_head", "act_tail", "learned")
"""What those who play are shown and asked."""


class AntSettings(PromptedSettings):
    """The settings of both worlds begin with the set of prompts."""

    package = PACKAGE
    wanted = WANTED


def paper() -> PromptSet:
    """The set that is used where none is chosen."""
    return load_set(PACKAGE, "paper", WANTED)
