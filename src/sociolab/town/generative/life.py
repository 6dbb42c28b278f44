"""Acting, perceiving, reacting and talking as in Generative Agents (sections 4.3 and 5.1).

Days run as those of the lean mind (`town.life`), and the schedulers see no difference: what differs
is what is asked, what is remembered, and what comes to mind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from sociolab.town.generative.planning import GenerativePlanning
from sociolab.town.generative.stream import Stream
from sociolab.town.life import (
    Changed,
    Interruption,
    Life,
    Living,
    Talk,
    Waited,
    could_talk,
    describe_activity,
    free_to_talk,
    time_parts,
)
from sociolab.town.person import Noticed, Person, Surroundings, shorten_activity
from sociolab.town.questions import Block, Heard, Other, Utterance, generative as ga
from sociolab.town.questions.base import format_other
from sociolab.town.trace import ObjectBecame

LAST_LINES = 4
"""The last lines of a conversation, by which memories are retrieved before an utterance."""

SPOKEN_OF = 15
"""Memories for each focal point before an utterance, as in the code of the paper."""


class GenerativeLife(Life):
    utter = ga.GenerativeUtter

    def __init__(self, me: Person, around: Surroundings) -> None:
        super().__init__(me, around)
        self.stream = Stream(me, around)
        self.days = self.planning = GenerativePlanning(me, around, self.stream)
        self._used: tuple[str, str, str] | None = None
        self._state = ""
        self._waited = 0
        self._last_considered: dict[tuple[int, str], int] = {}
        self._relationship: tuple[Person | None, int, str] = (None, 0, "")

    def _seed_memories(self) -> Living[None]:
        yield from self.stream.remember("known", *self.me.resident.memories)

    # -------------------------------------------------------------- acting

    def _live(self, block: Block) -> Living[None]:
        """Do what a block of the schedule says, step by step, until it is over or plans change.

        A step lasts its minutes from arrival on: walking and waiting are taken from the last steps.
        """
        me = self.me
        block = yield from self.days.decide_block(block)
        parts = yield from self.days.parts(block)
        over, planned = self.clock.step(block.end), me.step
        for part, end in time_parts(parts, block):
            lasts = self.clock.step(end) - planned
            if lasts <= 0 or me.step >= over:
                continue
            planned += lasts
            place, thing = yield from self._choose_spot(describe_activity(block, part))
            done = part.model_copy(update={"object": thing})
            walk = self.around.paths.distance(me.tile, self.around.choose_spot(me, place, thing))
            until = over if end == block.end else min(over, me.step + walk + lasts)
            while me.step < until:
                self._waited = 0
                if (yield from self._do_part(block, place, done, until)):
                    return
                until = min(over, until + self._waited)

    def _choose_spot(self, what: str) -> Living[tuple[str, str]]:
        """Choose the place and the object at which to do something, down the tree of places."""
        me = self.me
        self._learn_places()
        if "place" in self.around.setting.merge:
            place = yield from self._choose(ga.ChooseArena, what, "", me.known_places)
        else:
            sectors = ga.by_sector(me.known_places)
            place = yield from self._choose(ga.ChooseSector, what, "", [*sectors])
            arena = yield from self._choose(ga.ChooseArena, what, place, sectors.get(place, []))
            place = f"{place}: {arena}" if arena else place
        if place not in me.known_places:
            place = str(me.resident.home)
        things = self.around.objects(place)
        return place, (yield from self._choose(ga.ChooseObject, what, place, things))

    def _learn_places(self) -> None:
        """Add the places in sight along the last walk to those known, the latest seen last
        (section 5.1)."""
        me, sight = self.me, self.around.places_in_sight
        seen = chain.from_iterable(sight(tile) for tile in me.walked(me.step))
        me.known_places = tuple(dict.fromkeys((*me.known_places, *seen)))

    def _choose(
        self, kind: type[ga.ChooseArea], what: str, inside: str, options: Sequence[str]
    ) -> Living[str]:
        """Choose an option: ask only where there are several; "" where there is none."""
        if len(options) < 2:
            return options[0] if options else ""
        answer = yield self.ask(kind, what, inside, tuple(options))
        return answer.name if answer is not None else ""

    def _begin_activity(self, place: str, thing: str) -> Living[bool]:
        """React to the state in which others have left things; else remember what one begins to do,
        and what becomes of the object that is used."""
        me = self.me
        by_percept = {item.percept: item for item in self.around.lasting_states(me, place)}
        noticed = tuple(by_percept[percept] for percept in me.attention.attend([*by_percept]))
        if noticed and (yield from self._notice(noticed, left_behind=True)) is not None:
            return True
        doing = me.doing.doing
        if self._used != (doing, place, thing):
            self._used, self._state = (doing, place, thing), ""
            new = [f"I am {doing} at {place}"]
            if thing:
                before = self.around.lasting_state(me, place, thing)
                answer = yield self.ask(ga.ObjectState, thing, place, doing, before)
                stays = answer is not None and answer.stays
                state = shorten_activity(answer.state) if answer is not None else ""
                self.around.record_use(me, place, thing, state if stays else before)
                if state:
                    self._state = state
                    me.records.append(ObjectBecame(me.step, me.id, place, thing, state))
                    new.append(f"the {thing} is {state}")
            yield from self.stream.observe("done", *new)
        if self._state:
            me.next_appearance = replace(me.next_appearance, thing=f"{thing}: {self._state}")
        return False

    def _go_to_bed(self) -> Living[None]:
        yield from super()._go_to_bed()
        self._used = None

    # -------------------------------------------------------------- perceiving and reacting

    def _notice(
        self, noticed: tuple[Noticed, ...], *, left_behind: bool = False
    ) -> Living[Interruption | None]:
        """Remember what is seen, and react to the first of it that is new: perhaps by talking to
        the person seen, or to whoever uses the thing seen, or by waiting for them to be done with
        it. Nobody is at a thing `left_behind`."""
        self._learn_places()
        yield from self.stream.observe("seen", *(_describe_seen(item) for item in noticed))
        block = self._under_way()
        focus = next((item for item in noticed if self._is_new(item)), None)
        if block is None or focus is None:
            return None
        me, other = self.me, focus.other
        may_talk = not left_behind and other.number in me.view
        may_talk = may_talk and free_to_talk(me, other, me.step, self.around)
        if focus.thing:
            self._last_considered[other.number, focus.thing] = me.step
        if may_talk:
            me.last_asked[other.number] = me.step
        context = yield from self._summarise_relationship(me.step, focus)
        self._relationship = (None if focus.thing else other, me.step, context)
        last = me.last_talk.get(other.number)
        decision = yield self.ask(
            ga.React,
            observation=_describe_seen(focus),
            context=context,
            block=block,
            may_talk=may_talk,
            other=self._noticed_person(focus) if may_talk else None,
            last_talk=None if last is None else self.clock.at(last),
            thing=me.doing.object if me.path and self._uses_what_one_wants(other) else "",
        )
        if decision is not None and decision.do == "wait":
            return (yield from self._wait_for(other))
        return (yield from self._act_on(decision, other, _describe_seen(focus)))

    def _uses_what_one_wants(self, other: Person) -> bool:
        """Whether the other is seen using the thing at which one's own activity is done."""
        doing, thing = self.me.doing, other.appearance.thing.partition(": ")[0]
        place = str(self.around.town.place_at(other.tile))
        is_seen = other.number in self.me.view
        return is_seen and bool(thing) and (place, thing) == (doing.place, doing.object)

    def _wait_for(self, other: Person) -> Living[Interruption]:
        """Stay where one is until the other is done, as one looks up every minute, or the block of
        the schedule is over; then take up one's activity again."""
        me, wanted, block = self.me, self.me.doing, self._under_way()
        assert block is not None  # one reacts within the schedule only
        since, over = me.step, self.clock.step(block.end)
        me.stop(since)
        what = shorten_activity(f"waiting to start {wanted.doing}")
        self._record_doing(what, wanted.block, wanted.place, wanted.object)
        yield from self.stream.observe("done", f"I am {what}")
        woken = None
        while woken is None and me.step < over and self._uses_what_one_wants(other):
            woken = yield from self._stay(min(over, me.step + max(1, self.clock.minutes(1))))
        self._waited += me.step - since
        return woken or Waited()

    def _is_new(self, noticed: Noticed) -> bool:
        """Whether to think of reacting: not to the same thing for a while, nor to sleepers."""
        me, patience = self.me, self.clock.minutes(self.around.rules.patience)
        if noticed.thing:
            last = self._last_considered.get((noticed.other.number, noticed.thing))
            return last is None or me.step - last >= patience
        other = noticed.other  # who has gone out of view meanwhile is nobody's to look at
        return other.number in me.view and could_talk(me, other, me.step, self.around)

    def _noticed_person(self, noticed: Noticed) -> Other:
        """The person noticed, doing what they did then; for a thing, its user as they are now."""
        other = self.around.other(self.me, noticed.other)
        return other if noticed.thing else replace(other, doing=noticed.doing)

    def _summarise_relationship(
        self, step: int, noticed: Noticed, talk: Sequence[Utterance] | None = None
    ) -> Living[str]:
        """Summarise the relationship with a person or thing, and what bears on it now.

        `talk` holds the conversation so far, where one is about to speak.
        """
        name = f"the {noticed.thing}" if noticed.thing else noticed.other.name
        points = (f"relationship with {name}", f"{name} is {noticed.doing}")
        memories = yield from self.stream.recall(*points, most=SPOKEN_OF, step=step)
        about = name if noticed.thing else format_other(self._noticed_person(noticed))
        summed = yield self.ask(
            ga.RelationshipSummary,
            about,
            noticed.doing,
            memories,
            talk is not None,
            tuple(talk or ()),
            step=step,
        )
        return summed.text if summed is not None else ""

    # -------------------------------------------------------------- talking

    def _recall_for_utterance(
        self, other: Person, step: int, lines: Sequence[Utterance]
    ) -> Living[dict[str, Any]]:
        """Recall the relationship with the other, and memories.

        With `merge=relationship` the relationship is summarised once a conversation, or once with
        the decision to begin it.
        """
        is_current = len(lines) >= 2 or self._relationship[:2] == (other, step)
        if not is_current or "relationship" not in self.around.setting.merge:
            noticed = Noticed(other, other.appearance.doing)
            context = yield from self._summarise_relationship(step, noticed, lines)
            self._relationship = (other, step, context)
        relationship = self._relationship[2]
        last = " ".join(f"{line.name}: {line.text}" for line in lines[-LAST_LINES:])
        points = (relationship, f"{other.name} is {other.appearance.doing}", last)
        memories = yield from self.stream.recall(*filter(None, points), most=SPOKEN_OF, step=step)
        return {"memories": memories, "relationship": relationship}

    def _after_talk(self, talk: Talk) -> Living[bool]:
        """Remember a talk and consider reacting to it; whether the plan has changed."""
        me, other = self.me, talk.partner(self.me)
        if "memo" in self.around.setting.merge or not talk.lines:
            return (yield from super()._after_talk(talk))
        me.last_talk[other.number] = me.step
        me.known_places = self.myself().places_after(talk.lines)
        about = self.around.other(me, other)
        summary = yield self.ask(ga.ConversationSummary, about, talk.lines)
        memo = summary.memo if summary is not None else f"talked with {other.name}"
        if summary is not None:
            acts = (Heard(self.now(), other.id, a) for a in summary.acts if a.matter is not None)
            me.heard = (*me.heard, *acts)
        yield from self.stream.remember("talk", memo)
        for kind in (ga.PlanningThought, ga.ConversationMemo):
            thought = yield self.ask(kind, about, talk.lines)
            if thought is not None and thought.text:
                yield from self.stream.remember("thought", thought.text)
        block = self._under_way()
        if block is None or me.step >= me.bed or summary is None:
            return False
        observation = f'you have just talked with {other.name}. What you keep in mind: "{memo}"'
        question = self.ask(ga.React, observation, "", block, may_talk=False)
        # The talk is over, and no longer what one does.
        decision = yield replace(question, me=replace(question.me, doing=""))
        changed = yield from self._act_on(decision, other, memo)
        return isinstance(changed, Changed)


def _describe_seen(noticed: Noticed) -> str:
    if noticed.thing:
        return f"the {noticed.thing} is {noticed.doing}"
    return f"{noticed.other.name} is {noticed.doing}"
