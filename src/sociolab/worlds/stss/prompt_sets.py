"""Which prompts does a set of STSS hold, for the town and for its talks, and what may each use?"""

from __future__ import annotations

from sociolab.prompting.sets import PromptedSettings, PromptSet, load_set

PACKAGE = "sociolab.worlds.stss"
WANTED = {
    "head": "age currently home innate learned lifestyle name people places plain routine",
    "plan_day": "day memories now reminder",
    "decompose": "end minutes now objects place start what",
    "choose_place": "now what",
    "replan": "ahead bed now why",
    "talk_or_not": "doing here last_talk memories now other place until what",
    "utter": "ahead begun checklist doing here left lines memories now other other_first plain "
    "plan",
    "summarise": "ahead lines now other other_first plain",
    "rate_importance": "count texts",
    "reflect": "memories now",
    "general_plan": "goal now plain",
    "day_reminder": "day goal now plan",
    "talk_reminder": "goal now plain plan",
    "attendance_head": "",
    "attendance_body": "lines matter",
    "judge_talk": "rules",
    "judge_note": "rules",
    "judge_rules": "",
    "judge_body": "lines now other other_home performer performer_home statements title where",
}
JUDGED = tuple(name for name in WANTED if name.startswith(("attendance_", "judge_")))


class TownSettings(PromptedSettings):
    """The settings of both worlds begin with the set of prompts."""

    package = PACKAGE
    wanted = WANTED


def paper() -> PromptSet:
    """The set that is used where none is chosen."""
    return load_set(PACKAGE, "paper", WANTED)
