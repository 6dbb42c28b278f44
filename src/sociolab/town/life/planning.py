"""How a resident plans: its task under TDP, its day, and the rest of a day anew."""

from __future__ import annotations

from datetime import date, timedelta

from sociolab.town.life.plans import gone_on, laid_out_day, no_plan, rest_of_day
from sociolab.town.life.thinking import Thinking
from sociolab.town.life.waking import Living
from sociolab.town.thoughts import Commitment, DayReminder, GeneralPlan, PlanDay, Replan
from sociolab.town.trace.records import Reminded

SMALL_HOURS = "05:00"
"""What begins before this time is still of the evening before."""


class Planning(Thinking):
    """Planning, as in Generative Agents (section 4.3) and STSS (section 4)."""

    def task(self) -> Living[None]:
        """TDP: think of how to go about the task, once, before anything else."""
        me, tdp = self.me, self.around.tdp(self.me)
        if tdp is None or not tdp.general:
            return
        setting = self.around.setting
        days = tuple(self.clock.first + timedelta(days=day) for day in range(setting.days))
        lines = yield GeneralPlan(self.asked("general_plan"), self.myself(), tdp.goal, days)
        if lines is not None:
            me.general_plan = lines.lines
            me.records.append(Reminded(me.step, me.id, "general plan", "\n".join(lines.lines)))

    def day(self) -> Living[int]:
        """Plan the day that has begun; the step at which to wake."""
        me = self.me
        day = self.clock.date(me.step)
        me.reminder = yield from self._day_reminder(day)
        plan = yield PlanDay(
            asked=self.asked("plan_day"),
            me=self.myself(),
            day=day,
            memories=self.recalled(f"plans for {day:%A}"),
            commitments=self._due(day),
            reminder=me.reminder,
        )
        if plan is None:
            plan = no_plan(str(me.resident.home))
        wake, bed, blocks = laid_out_day(plan, day)
        me.bed = self.clock.step(bed)
        me.plan(me.step, blocks, "", self.around.setting)
        return max(self.clock.step(wake), me.step + 1)

    def _day_reminder(self, day: date) -> Living[str]:
        me, tdp = self.me, self.around.tdp(self.me)
        if tdp is None or not tdp.day:
            return ""
        reminder = yield DayReminder(
            self.asked("day_reminder"),
            self.myself(),
            tdp.goal,
            me.general_plan,
            day,
            self.recalled(tdp.goal),
            tuple([c for c in me.commitments if c.day >= day]),
        )
        if reminder is None:
            return ""
        me.records.append(Reminded(me.step, me.id, "day", reminder.text))
        return str(reminder.text)

    def anew(self, why: str) -> Living[bool]:
        """Plan the rest of the day anew; whether there is a new plan."""
        me, now = self.me, self.now()
        ahead = self.around.ahead(me, me.step)
        bedtime = self.clock.at(me.bed)
        new = yield Replan(
            asked=self.asked("replan"),
            me=self.myself(),
            why=why,
            ahead=ahead,
            bedtime=bedtime,
            commitments=self._due(self.clock.date(me.step)),
            reminder=me.reminder,
        )
        if new is None:
            return False
        blocks = gone_on(me.blocks, rest_of_day(new, now, bedtime), now)
        me.plan(me.step, blocks, why, self.around.setting)
        return True

    def _due(self, day: date) -> tuple[Commitment, ...]:
        """What was agreed for a day, and for the small hours after it."""
        after = day + timedelta(days=1)
        return tuple(
            [
                one
                for one in self.me.commitments
                if one.day == day or (one.day == after and "" < one.start < SMALL_HOURS)
            ]
        )
