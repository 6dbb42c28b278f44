"""A talk: two residents speak in turn until one ends it or the rounds are used up."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from sociolab.town.person import Person, Surroundings
from sociolab.town.questions import MOST_ROUNDS, MindQuestion, Said, Utter, Utterance
from sociolab.town.trace import HowItEnded, Talked


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk that was held from `start` until `end`."""

    starter: Person
    other: Person
    start: int
    end: int
    lines: tuple[Utterance, ...]

    def partner(self, person: Person) -> Person:
        """The one of the two whom this person talked with."""
        return self.other if person is self.starter else self.starter


def converse(
    starter: Person, other: Person, step: int, around: Surroundings
) -> Generator[MindQuestion[Any], Any, Talk]:
    """The talk as a generator of questions; at most 8 rounds, one utterance by each a round.

    Utterance k is asked for at step `step + k`: each takes at least a step to say. Who has said
    goodbye is not asked again; the other may answer once. A question without an answer ends it, and
    so does the end of the simulation.
    """
    lines: list[Utterance] = []
    how: HowItEnded = "round limit"
    closing = False
    steps = around.setting.steps
    for turn in range(2 * MOST_ROUNDS):
        if step + turn >= steps:
            how = "time is up"
            break
        speaker, listener = (starter, other) if turn % 2 == 0 else (other, starter)
        said = yield _utter(speaker, listener, starter, step + turn, lines, around)
        if said is None:
            how = "failed"
            break
        assert isinstance(said, Said)
        lines.append(Utterance(speaker.id, speaker.name, said.text, said.acts))
        if closing or (said.ends and turn == 2 * MOST_ROUNDS - 1):
            how = "goodbye"
            break
        closing = said.ends
    end = min(step + _duration([line.text for line in lines], around), steps)
    starter.records.append(Talked(step, end, starter.id, other.id, tuple(lines), how))
    return Talk(starter, other, step, end, tuple(lines))


def _duration(texts: list[str], around: Surroundings) -> int:
    """In steps: at the pace of speech, and at least a step an utterance."""
    words = sum(len(text.split()) for text in texts)
    spoken = around.clock.minutes(words / around.rules.words_a_minute)
    return max(spoken, len(texts), 1)


def _utter(
    speaker: Person,
    listener: Person,
    starter: Person,
    step: int,
    lines: list[Utterance],
    around: Surroundings,
) -> Utter:
    heard = lines[-1].text if lines else ""
    memories = around.of_somebody(speaker, listener, step, heard)
    return Utter(
        asked=around.asked(speaker, Utter, step),
        me=around.me(speaker, step),
        other=around.other(speaker, listener),
        started=speaker is starter,
        lines=tuple(lines),
        left=MOST_ROUNDS - len(lines) // 2,
        memories=memories,
        ahead=around.ahead(speaker, step),
        plan=speaker.general_plan,
        checklist=speaker.checklist,
    )
