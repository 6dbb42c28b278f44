"""The headline of the gap: G_o of play cut at its checks, beside people's and that of controls.

Half of the real play (whole episodes) trains the virtual DM of fr. The other half is the people
whom agents are compared with, and what the controls are made from. Everybody's play ends at its
checks, holds the same number of labels, and uses skills as often as real play does, so that neither
format nor size nor the prior of skills is part of a difference. Real play has to rank above each
control before agents are put in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.gap_intervals import (
    DMScores,
    Draws,
    Gap,
    GapDifference,
    GapFigure,
    Trained,
    count_labels,
    halves,
)
from sociolab.worlds.anteval.real_play import skill_shares
from sociolab.worlds.anteval.scripted import small_talk
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, Turn

# ------------------------------------------------------------------ controls

Control = Callable[[Sequence[Example], int], Sequence[Example]]


def _delete_words(examples: Sequence[Example], seed: int) -> Sequence[Example]:
    """Who spoke when, and nothing of what was said."""
    return [_reworded(example, lambda: "Hm.") for example in examples]


def _shuffle_skills(examples: Sequence[Example], seed: int) -> Sequence[Example]:
    """The play as it is, its skills dealt out anew among all checks."""
    skills = [label.skill for example in examples for label in sorted(example.labels)]
    stream(seed, "gap", "shuffled skills").shuffle(skills)
    return [
        replace(
            example,
            labels=frozenset(Label(one.character, skills.pop()) for one in sorted(example.labels)),
        )
        for example in examples
    ]


def _state_intentions(examples: Sequence[Example], seed: int) -> Sequence[Example]:
    """Everybody says the same sentence, and whoever makes a check names its skill at the end."""
    stated = []
    for example in examples:
        play = _reworded(example, lambda: "That sounds good to me.")
        last = (Turn(who, f"I want to use {skill} now.") for who, skill in sorted(example.labels))
        stated.append(replace(play, turns=(*play.turns, *last)))
    return stated


def _talk_small(examples: Sequence[Example], seed: int) -> Sequence[Example]:
    """Who spoke when, of anything but what is to be done."""
    lines, chance = small_talk(), stream(seed, "gap", "small talk")
    return [_reworded(example, lambda: chance.choice(lines)) for example in examples]


def _reworded(example: Example, text: Callable[[], str]) -> Example:
    return replace(example, turns=tuple(Turn(turn.speaker, text()) for turn in example.turns))


CONTROLS: Mapping[str, Control] = {
    "words deleted": _delete_words,
    "skills shuffled": _shuffle_skills,
    "stated intention": _state_intentions,
    "small talk": _talk_small,
}
"""Play that is worse than people's by construction, made from real play."""

# ------------------------------------------------------------------ the prior of skills

_LACKING = 0.05


def reweighted(
    examples: Sequence[Example], shares: Mapping[str, float], seed: int
) -> tuple[Example, ...]:
    """As many of the examples as have skills in these shares, drawn by seed, in their own order.

    5 % of the labels wanted may be missing. Skills without any example are left out of account.
    """
    counts = Counter(label.skill for example in examples for label in example.labels)
    there = sum(shares.get(skill, 0) for skill in counts)
    wanted = {skill: shares[skill] / there for skill in counts if skill in shares}

    def lacks(total: int) -> bool:
        found = sum(min(counts[skill], total * share) for skill, share in wanted.items())
        return found < (1 - _LACKING) * total

    total = next(total for total in range(counts.total(), -1, -1) if not lacks(total))
    room = {skill: max(1, round(total * share)) for skill, share in wanted.items()}
    kept = set[str]()
    for example in stream(seed, "gap", "prior").sample(examples, len(examples)):
        needs = Counter(label.skill for label in example.labels)
        if all(room.get(skill, 0) >= count for skill, count in needs.items()):
            kept.add(example.id)
            for skill, count in needs.items():
                room[skill] -= count
    return tuple(example for example in examples if example.id in kept)


# ------------------------------------------------------------------ the ladder


@dataclass(frozen=True, slots=True)
class CutPlay:
    """An agent's play as examples that end at a check, from so many `sessions` that were planned;
    `assigned` intentions were to be shown in it."""

    examples: tuple[Example, ...]
    sessions: int
    assigned: int


Kind: TypeAlias = Literal["people", "agent", "control"]


@dataclass(frozen=True, slots=True)
class Rung:
    """Somebody's play, cut at its checks.

    `behind` is the signed G_o less that of people, None for people themselves, with its two-sided
    `p`. Of an agent's `assigned` intentions `shown` were shown by a move, and `kept` have skills as
    frequent as in real play; the virtual DM of `fg` learned from as many labels as all others.
    """

    name: str
    kind: Kind
    fg: DMScores
    g_c: Gap
    g_o: Gap
    behind: GapFigure | None
    p: float | None
    sessions: int | None = None
    assigned: int | None = None
    shown: int | None = None
    kept: int | None = None

    @property
    def signed(self) -> float | None:
        """The signed G_o; None where nothing is predicted rightly, and so there is none."""
        return self.g_o.signed.value

    @property
    def surely_behind(self) -> bool:
        """Whether people's play teaches more, with the whole interval."""
        return self.behind is not None and self.behind.low is not None and self.behind.low > 0

    @property
    def ahead(self) -> bool:
        """Whether this play teaches more than people's, with the whole interval."""
        return self.behind is not None and self.behind.high is not None and self.behind.high < 0


@dataclass(frozen=True, slots=True)
class Ladder:
    """People, agents as they were given, and controls, each learned from `labels` labels with about
    these `skills`.

    `steps` compare each agent with the next by signed G_o. `fr` is the virtual DM that learned from
    the other half of the real play.
    """

    labels: int
    skills: Mapping[str, float]
    fr: DMScores
    rungs: tuple[Rung, ...]
    steps: tuple[GapDifference, ...]

    @property
    def tied(self) -> tuple[tuple[Rung, ...], ...]:
        """The agents by their signed G_o; each stands with the one before it unless the interval of
        their difference leaves out 0."""
        apart = {step.other for step in self.steps if _holds_no_zero(step.g_o)}
        groups: list[tuple[Rung, ...]] = []
        for rung in self.of("agent"):
            if groups and rung.signed is not None and rung.name not in apart:
                groups[-1] += (rung,)
            else:
                groups.append((rung,))
        return tuple(groups)

    @property
    def ranked(self) -> tuple[Rung, ...]:
        """All rungs by their signed G_o, the nearest to real play first, those without one last."""
        return tuple(sorted(self.rungs, key=lambda r: (r.signed is None, r.signed or 0.0)))

    def of(self, kind: Kind) -> tuple[Rung, ...]:
        """The rungs of one kind, by their signed G_o."""
        return tuple(rung for rung in self.ranked if rung.kind == kind)


def _holds_no_zero(figure: GapFigure) -> bool:
    if figure.low is None or figure.high is None:
        return False
    return figure.low > 0 or figure.high < 0


Study: TypeAlias = Callable[[Sequence[Example], int, str], Awaitable[Trained]]
"""Trains on so many labels of a set, which is named in what users are told."""


async def measure_ladder(
    study: Study, draws: Draws, real: Sequence[Example], agents: Mapping[str, CutPlay], seed: int
) -> Ladder | None:
    """Train a virtual DM on everybody's play; None where no agent has any that can be used."""
    skills = skill_shares(real)
    kept = {name: reweighted(play.examples, skills, seed) for name, play in agents.items()}
    kept = {name: examples for name, examples in kept.items() if examples}
    if not kept:
        return None
    learned_from, people = halves(real, seed)
    labels = min(map(count_labels, (learned_from, people, *kept.values())))
    fr = await study(learned_from, labels, "half of the real play")
    of_people = await study(people, labels, "the other half of the real play")
    of_agents = {name: await study(some, labels, name) for name, some in kept.items()}

    def rung(name: str, kind: Kind, dm: Trained) -> Rung:
        behind, p = draws.differences(fr, dm, of_people)[1]
        return Rung(name, kind, draws.scores(dm), *draws.gaps(fr, dm), behind, p)

    rungs = [replace(rung("real play", "people", of_people), behind=None, p=None)]
    for name, dm in of_agents.items():
        play, shown = agents[name], count_labels(agents[name].examples)
        rungs.append(
            replace(
                rung(name, "agent", dm),
                sessions=play.sessions,
                assigned=play.assigned,
                shown=shown,
                kept=count_labels(kept[name]),
            )
        )
    for name, spoil in CONTROLS.items():
        dm = await study(spoil(people, seed), labels, f"the control: {name}")
        rungs.append(rung(name, "control", dm))
    ladder = Ladder(labels, skills, draws.scores(fr), tuple(rungs), ())
    steps = []
    for one, other in pairwise(rung.name for rung in ladder.of("agent")):
        found = draws.differences(fr, of_agents[one], of_agents[other])
        (g_c, p_c), (g_o, p_o) = found
        steps.append(GapDifference(one, other, g_c, g_o, p_c, p_o))
    return replace(ladder, steps=tuple(steps))
