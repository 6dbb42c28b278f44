"""The judge of conversation tasks by rules: reads the talk and the note, asks no model."""

from __future__ import annotations

from sociolab.core.episode import Episode
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.seeding import digest
from sociolab.worlds.stss.talk.content import scenario_from
from sociolab.worlds.stss.talk.readable import readable
from sociolab.worlds.stss.talk.rules.conversation import findings_in_talk
from sociolab.worlds.stss.talk.rules.note import findings_in_note
from sociolab.worlds.stss.talk.rules.version import TALK_RULES
from sociolab.worlds.stss.talk.verdicts import Lost, verdicts


class TalkRulesJudge:
    """SR and GCSR of the talk, and of what the other keeps of it (STSS section 3.2)."""

    def __init__(self) -> None:
        self.id = JudgeId("rules", "rules", digest("stss-talk", TALK_RULES))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """Four verdicts; failures where no talk was held to its end, or no note is kept of it."""
        scenario = scenario_from(episode.trial.task.content)
        occasion = scenario.occasion
        told, note = readable(scenario, episode)
        return verdicts(
            told if isinstance(told, Lost) else findings_in_talk(occasion, told.lines),
            note if isinstance(note, Lost) else findings_in_note(occasion, note),
        )
