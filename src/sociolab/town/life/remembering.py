"""What a resident keeps: of talks, what was agreed; how much things matter; what follows."""

from __future__ import annotations

from datetime import date

from sociolab.town.answers import Summary
from sociolab.town.life.conversation import Talk
from sociolab.town.life.person import Person
from sociolab.town.life.thinking import Thinking
from sociolab.town.life.waking import Living
from sociolab.town.thoughts import Commitment, Heard, RateImportance, Reflect, Summarise
from sociolab.town.trace.records import Noted

_MOST_RATED = 25


class Remembering(Thinking):
    """Remembering and reflecting, as in Generative Agents (sections 4.1 and 4.2)."""

    def talk(self, talk: Talk) -> Living[str]:
        """Remember what was said and agreed; why the plan must change for it, or ""."""
        me, other = self.me, talk.partner(self.me)
        me.last_talk[other.number] = me.step
        if not talk.lines:
            return ""
        me.known = self.myself().places_after(talk.lines)
        summary = yield Summarise(
            asked=self.asked("summarise"),
            me=self.myself(),
            other=self.around.other(me, other),
            lines=talk.lines,
            commitments=tuple(me.commitments),
            ahead=self.around.ahead(me, me.step),
        )
        if summary is None:
            self.keep("talk", f"talked with {other.name}")
            return ""
        about = (Heard(self.now(), other.id, act) for act in summary.acts if act.matter is not None)
        me.heard = (*me.heard, *about)
        me.last_memo[other.number] = self.keep("talk", summary.memo, summary.importance)
        self._note(summary, other)
        return str(summary.memo) if summary.changes_plan else ""

    def _note(self, summary: Summary, other: Person) -> None:
        """What was agreed: noted in place of the same matter on the same day, whoever joins it.

        What was left open this time stays as it was noted before.
        """
        me = self.me
        for agreed in summary.agreed:
            what, day = agreed.what.casefold(), date.fromisoformat(agreed.day)
            same = [c for c in me.commitments if (c.what.casefold(), c.day) == (what, day)]
            before = same[-1] if same else Commitment(agreed.what, day)
            start = agreed.start or before.start
            minutes = agreed.minutes if agreed.start or not before.start else before.minutes
            place = agreed.place or before.place
            others = [who for c in same for who in (*c.others, c.by) if who not in ("", other.id)]
            noted = Commitment(agreed.what, day, start, minutes, place, other.id, tuple(others))
            me.commitments = [*(c for c in me.commitments if c not in same), noted]
            me.records.append(
                Noted(me.step, me.id, noted.what, day, start, minutes, place, other.id)
            )

    def digest(self) -> Living[None]:
        """Rate what has not been rated, many at once, and reflect when much has built up."""
        me, rules = self.me, self.around.rules
        unrated = me.memory.unrated()
        if len(unrated) >= rules.rate_at:
            yield from self._rate(unrated[:_MOST_RATED])
        if me.memory.importance_since >= rules.reflect_at:
            yield from self._reflect()

    def _rate(self, unrated: tuple[int, ...]) -> Living[None]:
        """Have memories rated; the same text is not rated twice, which the memory sees to."""
        memory = self.me.memory
        texts = tuple([memory[index].text for index in unrated])
        answer = yield RateImportance(self.asked("rate_importance"), self.myself(), texts)
        for index, rating in zip(unrated, answer.ratings if answer else (), strict=False):
            memory.rate(index, rating)

    def _reflect(self) -> Living[None]:
        me = self.me
        lately = me.memory.latest(5 * self.around.rules.recalled)
        weighty = sorted(lately, key=lambda memory: -(memory.importance or 0))
        me.memory.reflected()
        answer = yield Reflect(
            self.asked("reflect"), self.myself(), tuple(weighty[: 2 * self.around.rules.recalled])
        )
        for insight in answer.insights if answer is not None else ():
            self.keep("thought", insight.text, insight.importance)
