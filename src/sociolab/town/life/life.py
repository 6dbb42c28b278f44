"""A resident's life: a generator without I/O over the town's clock.

It yields questions for its mind (and is sent the answer, or None where it must go without), `Stay`
(and is sent why it is woken: None when the time has come, or what happened), and `Propose` (and is
sent the talk when it is over, or None where the other was not free). As in Generative Agents
(sections 4 and 5): wake, plan, decompose, walk, perceive, talk, remember, replan, reflect, sleep.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Literal, TypeAlias

from sociolab.town.answers import Part
from sociolab.town.life.conversation import Talk
from sociolab.town.life.person import Person
from sociolab.town.life.planning import Planning
from sociolab.town.life.plans import in_time, minutes
from sociolab.town.life.remembering import Remembering
from sociolab.town.life.surroundings import Surroundings
from sociolab.town.life.thinking import Thinking
from sociolab.town.life.waking import Changed, Living, News, Propose, Stay
from sociolab.town.thoughts import Block, ChoosePlace, Decompose, TalkOrNot
from sociolab.town.trace.records import Did

DECOMPOSED = timedelta(minutes=60)
"""Blocks at least this long are divided into parts."""

State: TypeAlias = Literal["asleep", "walking", "at it", "talking"]


class Life(Thinking):
    """One resident's life in its surroundings."""

    def __init__(self, me: Person, around: Surroundings) -> None:
        super().__init__(me, around)
        self.planning = Planning(me, around)
        self.remembering = Remembering(me, around)

    def run(self) -> Living[None]:
        """From the first midnight on, day after day."""
        me = self.me
        self._show("asleep", "", str(me.resident.home), "bed", asleep=True)
        yield from self.planning.task()
        while True:
            tomorrow = self.clock.midnight(self.clock.day(me.step) + 1)
            wake = yield from self.planning.day()
            yield Stay(wake)
            while me.step < me.bed:
                yield from self._block()
            yield from self._to_bed()
            if me.step < tomorrow:
                yield Stay(tomorrow)

    def _block(self) -> Living[None]:
        """Live the block under way, or what is left of it, until it is over or plans change."""
        me, now = self.me, self.now()
        block = self._under_way()
        if block is None:
            later = [self.clock.step(b.start) for b in me.blocks if b.start > now]
            yield from self._stay(min([me.bed, *later]))
            return
        place = yield from self._place(block)
        parts = yield from self._parts(block, place)
        yield from self.remembering.digest()
        for part, end in in_time(parts, block):
            until = self.clock.step(end)
            if me.step < until and (yield from self._part(block, place, part, until)):
                return

    def _under_way(self) -> Block | None:
        """The block of the plan whose time it is; None outside the plan."""
        now = self.now()
        return next((b for b in self.me.blocks if b.start <= now < b.end), None)

    def _place(self, block: Block) -> Living[str]:
        if block.place:
            return block.place
        choice = yield ChoosePlace(self.asked("choose_place"), self.myself(), block.what)
        place = str(choice.place) if choice is not None else str(self.me.resident.home)
        self.me.blocks = tuple(
            [replace(b, place=place) if b is block else b for b in self.me.blocks]
        )
        return place

    def _parts(self, block: Block, place: str) -> Living[tuple[Part, ...]]:
        """The parts of a block; those of an earlier block of the same kind are used again."""
        me = self.me
        whole = (Part(minutes=minutes(block), what=block.what),)
        if block.end - block.start < DECOMPOSED:
            return whole
        key = (block.what.casefold(), place)
        if key not in me.parts:
            objects = self.around.objects(place)
            found = yield Decompose(
                self.asked("decompose"), self.myself(), replace(block, place=place), objects
            )
            if found is None:
                return whole
            me.parts[key] = found.parts
        return me.parts[key]

    def _part(self, block: Block, place: str, part: Part, until: int) -> Living[bool]:
        """Go there and do it; whether the plan has changed on the way."""
        me = self.me
        doing = block.what if part.what == block.what else f"{block.what} ({part.what})"
        spot = self.around.spot(me, place, part.object)
        while me.step < until:
            path = self.around.paths.path(me.tile, spot)
            if path:
                me.walk(path, me.step)
            away = str(self.around.town.place_at(me.tile)) != place
            self._show(doing, block.what, place, part.object, walking=bool(path) and away)
            arrival = me.step + len(path)
            woken = yield from self._stay(min(arrival, until) if path else until)
            me.stop(me.step)
            if isinstance(woken, Changed):
                return True
            if isinstance(woken, Talk) and (yield from self._after_talk(woken)):
                return True
        return False

    def _to_bed(self) -> Living[None]:
        me = self.me
        home = str(me.resident.home)
        bed = self.around.bed(me)
        while path := self.around.paths.path(me.tile, bed):
            me.walk(path, me.step)
            self._show("going home to bed", "going home to bed", home, "bed", walking=True)
            woken = yield from self._stay(me.step + len(path))
            me.stop(me.step)
            if isinstance(woken, Talk):
                yield from self._after_talk(woken)
        self._show("asleep", "", home, "bed", asleep=True)

    def _stay(self, until: int) -> Living[Talk | Changed | None]:
        """Go on until this step, or until a talk is over or the plan has changed."""
        while self.me.step < until:
            woken: Talk | News | Changed | None = yield Stay(until)
            if isinstance(woken, News):
                woken = yield from self._meet(woken.other)
            if woken is not None:
                return woken
        return None

    def _meet(self, other: Person) -> Living[Talk | Changed | None]:
        """Talk to somebody who is near, or change one's plan, or carry on (None)."""
        me = self.me
        block = self._under_way()
        if block is None:
            return None
        me.last_asked[other.number] = me.step
        last = me.last_talk.get(other.number)
        decision = yield TalkOrNot(
            asked=self.asked("talk_or_not"),
            me=self.myself(),
            other=self.around.other(me, other),
            block=block,
            memories=self.around.of_somebody(me, other, me.step, other.shown.doing),
            commitments=tuple(me.commitments),
            last_talk=None if last is None else self.clock.at(last),
        )
        if decision is None or decision.do == "carry on":
            return None
        if decision.do == "talk":
            talk: Talk | None = yield Propose(other)
            if talk is None:  # somebody else was quicker: one may try again
                del me.last_asked[other.number]
            return talk
        why = decision.why or f"saw {other.name}: {other.shown.doing}"
        return Changed() if (yield from self.planning.anew(why)) else None

    def _after_talk(self, talk: Talk) -> Living[bool]:
        """Remember a talk; whether the plan has changed for it."""
        why = yield from self.remembering.talk(talk)
        if not why or self.me.step >= self.me.bed:
            return False
        return (yield from self.planning.anew(why))

    def _show(
        self,
        doing: str,
        block: str,
        place: str,
        thing: str,
        *,
        walking: bool = False,
        asleep: bool = False,
    ) -> None:
        state: State = "asleep" if asleep else "walking" if walking else "at it"
        me = self.me
        did = Did(me.step, me.id, doing, block, place, thing, state)
        if replace(did, step=me.doing.step) != me.doing or not me.step:
            me.do(did, me.step)
