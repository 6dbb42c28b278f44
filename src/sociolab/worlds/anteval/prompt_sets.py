"""The prompts of an AntEval prompt set, and the variables that each may use."""

from __future__ import annotations

from sociolab.prompting.sets import PromptedSettings, PromptSet, load_set
from sociolab.worlds.anteval.session import PACKAGE

REQUIRED_TEMPLATES = {
    "act_head": (
        "careful information kinds knowledge leaving limit marks npc others purposes reserved "
        "situation teller wants you"
    ),
    "act_tail": "limit turn",
    "learned": "before",
    "judge_knowledge": "k",
    "judge_summary": "k",
    "judge_match": "",
    "judge_facts": "falsehoods npc",
    "judge_transcript": "npc",
    "judge_reserve": "npc",
    "virtual_dm": "dm skills",
    "write_character": "longest shortest",
    "write_knowledge": "count npc reserve situation",
}
PLAYED = ("act_head", "act_tail", "learned")
"""The prompts of agents; the others are those of judges and writers."""


class AntSettings(PromptedSettings):
    """The settings that both worlds share: the prompt set."""

    package = PACKAGE
    required_templates = REQUIRED_TEMPLATES
    told = PLAYED


def paper_prompts() -> PromptSet:
    """The default prompt set, which follows the paper."""
    return load_set(PACKAGE, "paper", REQUIRED_TEMPLATES)
